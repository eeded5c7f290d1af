// Cost against time: every plan with its ranges, the best trade-offs on a stepped line, and what is as good as the
// pick.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/math.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/charts/axis.h"
#include "output/charts/chart_words.h"
#include "output/charts/charts.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

constexpr std::size_t kRangesFor = 30;    // with more plans ranges would hide the points: only the pick keeps its own
constexpr std::size_t kMostPoints = 300;  // beyond the best trade-offs
constexpr double kFarTime = 25, kFarCost = 40;  // times the least: who is further off presses the others into a corner

double hours_of(const Plan& plan) { return plan.hours.p50 / units::hour; }
double dollars_of(const Plan& plan) { return plan.cost.p50 / units::dollar; }

bool drawn_anyway(const PlanReport& report, const Plan& plan) { return plan.on_frontier || &plan == report.pick(); }

/// In the order of the answer: the nearest to the best trade-offs come first.
std::vector<const Plan*> plans_of(const PlanReport& report) {
  const std::vector<Plan>& all = report.found.plans;
  std::vector<const Plan*> plans;
  if (all.empty()) return plans;
  double least_hours = hours_of(all.front()), least_dollars = dollars_of(all.front());
  for (const Plan& plan : all) {
    least_hours = std::min(least_hours, hours_of(plan));
    least_dollars = std::min(least_dollars, dollars_of(plan));
  }
  std::size_t others = 0;
  for (const Plan& plan : all) {
    const bool far =
        hours_of(plan) > kFarTime * least_hours || (least_dollars > 0 && dollars_of(plan) > kFarCost * least_dollars);
    if (drawn_anyway(report, plan) || (!far && others++ < kMostPoints)) plans.push_back(&plan);
  }
  return plans;
}

std::vector<std::string> tip_of(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> tip = {printable(report.name(plan), 300)};
  tip.push_back("Time: " + hours_tip(plan.hours));
  tip.push_back("Cost: " + cost_tip(plan.cost));
  if (&plan == report.pick())
    tip.emplace_back(report.found.recommendations.limits_missed ? "The nearest miss" : "Recommended");
  else if (plan.on_frontier) tip.emplace_back("Best trade-off: nothing is both faster and cheaper");
  else if (plan.dominated_by.empty()) tip.emplace_back("May run out of memory");
  else {
    const Plan& by = report.plan(plan.dominated_by.front());
    tip.push_back("Beaten by " + printable(report.name(by), 300) + ": " + hours_words(by.hours.p50) + ", " +
                  short_money(by.cost.p50));
  }
  if (!plan.keeps_limits()) tip.push_back("Limits: " + limits_words(plan));
  return tip;
}

ChartMark mark_of(const PlanReport& report, const Plan& plan, bool ranges) {
  const bool picked = &plan == report.pick();
  ChartMark mark{.shape = MarkShape::kPoint,
                 .role = picked             ? MarkRole::kPick
                         : plan.on_frontier ? MarkRole::kBest
                                            : MarkRole::kBeaten};
  mark.x = hours_of(plan);
  mark.y = dollars_of(plan);
  if (ranges || picked) {
    if (plan.hours.p10 < plan.hours.p90) {
      mark.x0 = plan.hours.p10 / units::hour;
      mark.x1 = plan.hours.p90 / units::hour;
    }
    if (plan.cost.p10 < plan.cost.p90) {
      mark.y0 = plan.cost.p10 / units::dollar;
      mark.y1 = plan.cost.p90 / units::dollar;
    }
  }
  // Names of beaten plans in a crowd belong to no point that a reader could find; they stand in the tips.
  if (ranges || picked || plan.on_frontier) mark.label = chart_name(report, plan);
  if (picked) mark.note = hours_words(plan.hours.p50) + ", " + money_label(plan.cost.p50.value);
  else if (ranges && !plan.on_frontier && !plan.dominated_by.empty())
    mark.note = "beaten by " + chart_name(report, report.plan(plan.dominated_by.front()));
  else if (ranges && !plan.on_frontier) mark.note = "may run out of memory";
  mark.tip = tip_of(report, plan);
  return mark;
}

/// From the fastest to the cheapest: what is to be had for so many hours.
std::optional<ChartMark> frontier_line(const PlanReport& report, const std::vector<const Plan*>& plans) {
  std::vector<const Plan*> best;
  for (const Plan* plan : plans)
    if (plan->on_frontier) best.push_back(plan);
  if (best.size() < 2) return std::nullopt;
  sort_stably(best, {}, [](const Plan* plan) { return std::pair(hours_of(*plan), -dollars_of(*plan)); });
  ChartMark line{.shape = MarkShape::kLine, .role = MarkRole::kBest};
  for (const Plan* plan : best) {
    if (!line.points.empty()) line.points.emplace_back(hours_of(*plan), line.points.back().second);
    line.points.emplace_back(hours_of(*plan), dollars_of(*plan));
  }
  const Plan &fastest = *best.front(), &cheapest = *best.back();
  line.tip = {"Best trade-offs: nothing is both faster and cheaper",
              "From " + printable(report.name(fastest), 300) + ": " + hours_words(fastest.hours.p50) + ", " +
                  short_money(fastest.cost.p50),
              "To " + printable(report.name(cheapest), 300) + ": " + hours_words(cheapest.hours.p50) + ", " +
                  short_money(cheapest.cost.p50)};
  return line;
}

/// Everything that costs as much as the pick when an hour of waiting has its price.
std::optional<ChartMark> equal_line(const PlanReport& report, const PlotAxis& x, const PlotAxis& y) {
  const Plan* pick = report.pick();
  const double value = (report.job.value_of_time * units::hour).value;
  if (pick == nullptr || value <= 0 || report.job.goal != Goal::kBestValue) return std::nullopt;
  const Dollars total = total_at(*pick, report.job.value_of_time);
  ChartMark line{.shape = MarkShape::kLine, .role = MarkRole::kReference};
  // From the axis' beginning, or where it comes into the picture from above, to where it leaves it.
  const double from = std::max(x.min, (total.value - y.max) / value);
  const double to = std::min(x.max, (total.value - y.min) / value);
  if (!(from < to)) return std::nullopt;
  constexpr int kParts = 24;
  for (int i = 0; i <= kParts; ++i) {
    const double part = static_cast<double>(i) / kParts;
    const double hours = x.scale == PlotScale::kLog ? from * math::pow(to / from, part) : from + (to - from) * part;
    line.points.emplace_back(std::clamp(hours, x.min, x.max), std::clamp(total.value - value * hours, y.min, y.max));
  }
  line.label = "cost + waiting = " + short_money(total);
  line.tip = {line.label, "An hour of waiting counts " + short_money(Dollars{value}),
              "A plan below this line would be better than the recommended one"};
  return line;
}

}  // namespace

std::optional<Chart> cost_time_chart(const PlanReport& report) {
  const std::vector<Plan>& all = report.found.plans;
  if (all.size() < 2) return std::nullopt;
  const std::vector<const Plan*> plans = plans_of(report);
  const bool ranges = plans.size() <= kRangesFor;
  Chart chart;
  chart.kind = ChartKind::kCostTime;
  chart.key = "cost-time";
  chart.title = "Which plans are worth a look?";

  std::vector<ChartMark> points;
  std::vector<double> hours, dollars;
  for (const Plan* plan : plans) {
    points.push_back(mark_of(report, *plan, ranges));
    const ChartMark& mark = points.back();
    for (const auto& value : {mark.x, mark.x0, mark.x1})
      if (value) hours.push_back(*value);
    for (const auto& value : {mark.y, mark.y0, mark.y1})
      if (value) dollars.push_back(*value);
  }
  chart.x = scattered_axis("Time until the last result", hours, AxisUnit::kHours);
  chart.y = scattered_axis("Cost", dollars, AxisUnit::kDollars);
  constexpr double kSaysSo = 3;  // a ratio from which distances mislead who does not know
  for (PlotAxis* axis : {&chart.x, &chart.y})
    if (axis->scale == PlotScale::kLog && axis->max / axis->min >= kSaysSo) axis->title += ", log scale";

  const auto equal = equal_line(report, chart.x, chart.y);
  if (equal) chart.marks.push_back(*equal);
  const auto frontier = frontier_line(report, plans);
  if (frontier) chart.marks.push_back(*frontier);
  for (const MarkRole role : {MarkRole::kBeaten, MarkRole::kBest, MarkRole::kPick})
    for (ChartMark& point : points)
      if (point.role == role) chart.marks.push_back(std::move(point));

  std::size_t best = 0, beaten = 0, tight = 0;
  for (const Plan& plan : all) ++(plan.on_frontier ? best : plan.dominated_by.empty() ? tight : beaten);
  const auto counted = [](std::size_t number) { return count_text(static_cast<double>(number)); };
  chart.finding = best == all.size() ? "All " + counted(all.size()) + " plans are best trade-offs."
                                     : counted(best) + " of " + counted(all.size()) + " plans " +
                                           (best == 1 ? "is the best trade-off." : "are best trade-offs.");
  if (beaten > 0)
    chart.finding += beaten == 1
                         ? " One other is beaten by " + std::string(best == 1 ? "it." : "one of these.")
                         : " The other " + counted(beaten) + " are beaten by " + (best == 1 ? "it." : "one of these.");
  if (tight > 0) chart.finding += " " + count_of(static_cast<double>(tight), "plan") + " may run out of memory.";
  chart.caption = ranges ? "Bars hold 8 in 10 runs." : "The bars of the recommended plan hold 8 in 10 runs.";
  if (frontier) chart.caption += " Solid line: best trade-offs.";
  if (equal)
    chart.caption += " Dotted line: equal to the recommended plan in cost plus waiting, at " +
                     short_money(report.job.value_of_time * units::hour) + " an hour; a plan below it would be better.";
  if (plans.size() < all.size())
    chart.caption +=
        " Not drawn: " + count_of(static_cast<double>(all.size() - plans.size()), "beaten plan") + " far from these.";
  chart.alt = "Cost against time of " + count_of(static_cast<double>(plans.size()), "plan") + ". " + chart.finding;
  if (const Plan* pick = report.pick())
    chart.alt += " Recommended: " + printable(report.name(*pick), 100) + " takes " + hours_words(pick->hours.p50) +
                 " and costs " + money_label(pick->cost.p50.value) + ".";
  return chart;
}

}  // namespace gpuplan
