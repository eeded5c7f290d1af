// How surely the pick is done by an hour, and costs no more than an amount: cumulative curves of joint samples.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/charts/axis.h"
#include "output/charts/chart_words.h"
#include "output/charts/charts.h"
#include "output/words/plan_words.h"
#include "plan/billing/bill.h"

namespace gpuplan {
namespace {

constexpr double kTail = 0.01;       ///< on both sides, which no curve needs
constexpr double kWidestView = 2.6;  ///< other plans are drawn up to so many times the pick's end
constexpr std::size_t kEvery = 4;    ///< of the samples so many stand for one point of a curve
constexpr double kLimitNear = 1.5;   ///< a limit up to so many times the pick's end is in the picture

/// What a curve is of.
struct SpreadMeasure {
  bool time;
  AxisUnit unit() const { return time ? AxisUnit::kHours : AxisUnit::kDollars; }
  std::string words(double value) const { return time ? hours_words(value * units::hour) : money_label(value); }
  double told(const Plan& plan) const { return time ? plan.hours.p50 / units::hour : plan.cost.p50 / units::dollar; }
  double low(const Plan& plan) const { return time ? plan.hours.p10 / units::hour : plan.cost.p10 / units::dollar; }
  double high(const Plan& plan) const { return time ? plan.hours.p90 / units::hour : plan.cost.p90 / units::dollar; }
  std::string range(const Plan& plan) const { return time ? hours_span(plan.hours) : cost_span(plan.cost); }
};

/// In rising order; hours or dollars.
std::vector<double> drawn(const Biller& biller, const Plan& plan, SpreadMeasure what) {
  const PlanSamples samples = biller.samples_of(plan);
  std::vector<double> values(samples.seconds.begin(), samples.seconds.end());
  if (!what.time) values.assign(samples.dollars.begin(), samples.dollars.end());
  else
    for (double& value : values) value /= units::hour.value;
  std::ranges::sort(values);
  return values;
}

/// Whether the samples are those that the plan's ranges were read from, which a plan made by hand has none of.
bool fits(const std::vector<double>& values, const Plan& plan, SpreadMeasure what) {
  constexpr double kRounded = 0.01;
  const auto near = [&](double a, double b) {
    return a <= b * (1 + kRounded) + 0.01 && b <= a * (1 + kRounded) + 0.01;
  };
  const double middle = values[values.size() / 2];
  return near(middle, what.told(plan));
}

double quantile(const std::vector<double>& values, double share) {
  return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

/// Share of the samples up to a value, between samples as the line goes.
double share_below(const std::vector<double>& values, double value) {
  const auto above = std::ranges::upper_bound(values, value);
  const auto below = static_cast<double>(above - values.begin());
  const auto count = static_cast<double>(values.size());
  if (above == values.begin()) return 0;
  if (above == values.end()) return 1;
  const double before = *(above - 1);
  const double part = *above > before ? (value - before) / (*above - before) : 0;
  return std::clamp((below - 0.5 + part) / count, 0.0, 1.0);
}

std::vector<std::pair<double, double>> curve(const std::vector<double>& values, double low, double high) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < values.size(); i += kEvery)
    if (values[i] >= low && values[i] <= high)
      points.emplace_back(values[i], (static_cast<double>(i) + 0.5) / static_cast<double>(values.size()));
  return points;
}

/// The plans that one would ask about next: the fastest and the cheapest.
std::vector<const Plan*> others_of(const PlanReport& report) {
  std::vector<const Plan*> others;
  const Recommendations& best = report.found.recommendations;
  for (const auto& position : {best.fastest, best.cheapest}) {
    if (!position) continue;
    const Plan* plan = &report.plan(*position);
    if (plan != report.pick() && std::ranges::find(others, plan) == others.end()) others.push_back(plan);
  }
  return others;
}

std::optional<Chart> fan_chart(const PlanReport& report, SpreadMeasure what) {
  const Plan* pick = report.pick();
  if (pick == nullptr || !(what.low(*pick) < what.high(*pick))) return std::nullopt;
  const Biller biller(report.job, report.errors(), report.how.seed);
  const std::vector<double> main = drawn(biller, *pick, what);
  if (!fits(main, *pick, what) || !(main.front() < main.back())) return std::nullopt;

  struct Other {
    const Plan* plan;
    std::vector<double> values;
  };
  std::vector<Other> others;
  double low = quantile(main, kTail), high = quantile(main, 1 - kTail);
  const double farthest = high * kWidestView, nearest = low / kWidestView;
  for (const Plan* plan : others_of(report)) {
    Other other{plan, drawn(biller, *plan, what)};
    if (!fits(other.values, *plan, what) || other.values.front() >= farthest || other.values.back() <= nearest)
      continue;
    low = std::min(low, std::max(quantile(other.values, kTail), nearest));
    high = std::max(high, std::min(quantile(other.values, 1 - kTail), farthest));
    others.push_back(std::move(other));
  }
  const auto limit = [&]() -> std::optional<double> {
    const Limits& limits = report.job.limits;
    if (what.time) return limits.deadline ? std::optional(*limits.deadline / units::hour) : std::nullopt;
    if (!limits.budget) return std::nullopt;
    return std::max((*limits.budget - report.job.contingency).value, 0.0);
  }();
  const bool shown = limit && *limit <= high * kLimitNear && *limit >= low / kLimitNear;
  if (shown) {
    low = std::min(low, *limit);
    high = std::max(high, *limit);
  }

  Chart chart;
  chart.kind = ChartKind::kFan;
  chart.key = what.time ? "fan-time" : "fan-cost";
  chart.title = what.time ? "When will it be done?" : "What will it cost?";
  const double spare = 0.03 * (high - low);
  chart.x = linear_axis(what.time ? "Time until the last result" : "Cost", std::max(low - spare, 0.0), high + spare,
                        what.unit());
  chart.y = {what.time ? "Chance to be done by then" : "Chance to cost no more", PlotScale::kLinear, 0, 1, {}};
  for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0})
    chart.y.ticks.push_back({share, tick_text(share, AxisUnit::kShare)});

  const auto inside = [&](double value) { return std::clamp(value, chart.x.min, chart.x.max); };
  const double from = inside(what.low(*pick)), to = inside(what.high(*pick));
  const std::string range = "8 in 10 runs: " + what.range(*pick);
  chart.marks.push_back({.shape = MarkShape::kArea,
                         .role = MarkRole::kPick,
                         .points = {{from, 1}, {to, 1}, {to, 0}, {from, 0}},
                         .label = range,
                         .tip = {range}});
  for (const Other& other : others) {
    ChartMark line{.shape = MarkShape::kLine, .role = MarkRole::kBeaten};
    line.points = curve(other.values, chart.x.min, chart.x.max);
    if (line.points.size() < 2) continue;
    line.label = chart_name(report, *other.plan);
    line.tip = {printable(report.name(*other.plan), 300),
                what.time ? hours_tip(other.plan->hours) : cost_tip(other.plan->cost)};
    chart.marks.push_back(std::move(line));
  }
  ChartMark line{.shape = MarkShape::kLine, .role = MarkRole::kPick};
  line.points = curve(main, chart.x.min, chart.x.max);
  line.tip = {printable(report.name(*pick), 300), what.time ? hours_tip(pick->hours) : cost_tip(pick->cost)};
  chart.marks.push_back(line);
  const auto chance = what.time ? pick->chance_in_time : pick->chance_in_budget;
  const std::string limit_name = what.time ? "deadline" : "budget";
  const std::string limit_text = limit ? what.words(*limit) : std::string();
  if (shown) {
    ChartMark rule{.shape = MarkShape::kRule, .role = MarkRole::kC8, .x = limit};
    rule.label = limit_name + " " + limit_text + (chance ? ": " + chance_words(*chance) : std::string());
    rule.tip = {upper_first(limit_name) + ": " + limit_text};
    if (chance) rule.tip.push_back("Kept in " + chance_words(*chance) + " of runs");
    chart.marks.push_back(std::move(rule));
  }
  ChartMark middle{.shape = MarkShape::kPoint, .role = MarkRole::kPick};
  middle.x = inside(what.told(*pick));
  middle.y = share_below(main, *middle.x);
  middle.label = what.words(what.told(*pick));
  middle.tip = line.tip;
  chart.marks.push_back(std::move(middle));

  const std::string median = what.words(what.told(*pick));
  chart.finding = "8 in 10 runs " + std::string(what.time ? "take " : "cost ") + what.range(*pick) + ", half of them " +
                  (what.time ? "at most " : "no more than ") + median + ".";
  if (limit && chance)
    chart.finding += " The " + limit_name + " of " + limit_text + " is kept in " + chance_words(*chance) + " of runs.";
  chart.caption = "The band holds 8 in 10 runs.";
  if (pick->uninterrupted < 1) chart.caption += " Interruptions are included.";
  if (!others.empty()) chart.caption += " Dashed: the fastest and the cheapest plan, where they are others.";
  if (limit && !shown) chart.caption += " The " + limit_name + ", " + limit_text + ", is outside of the picture.";
  if (what.time && pick->wait.p50 > Seconds{}) chart.caption += " Time in the queue is not in it.";
  chart.alt = chart.y.title + ", for " + printable(report.name(*pick), 100) + ". " + chart.finding;
  return chart;
}

}  // namespace

std::optional<Chart> fan_time_chart(const PlanReport& report) { return fan_chart(report, {true}); }
std::optional<Chart> fan_cost_chart(const PlanReport& report) { return fan_chart(report, {false}); }

}  // namespace gpuplan
