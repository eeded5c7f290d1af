#include "output/words/columns.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

void add_range(std::vector<Cell>& row, const std::string& words, double p10, double p90) {
  row.emplace_back(words, Paint::kDim);
  row.emplace_back(p10);
  row.emplace_back(p90);
}

void add_outcome_columns(std::vector<Column>& columns, const char* title, const std::string& key, int drop) {
  columns.push_back({.title = title, .align = Align::kRight, .key = key});
  columns.push_back({.title = kRangeHead, .align = Align::kRight, .drop = drop, .around = kRangeDash});
  columns.push_back({.title = "", .key = key + "_p10"});
  columns.push_back({.title = "", .key = key + "_p90"});
}

}  // namespace

std::vector<const Plan*> plans_shown(const PlanReport& report, std::size_t least) {
  std::vector<const Plan*> plans;
  const auto& all = report.found.plans;
  auto shown = static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const Plan& p) { return p.on_frontier || &p == report.pick(); }));
  for (const Plan& plan : all) {
    bool show = report.all || plan.on_frontier || &plan == report.pick();
    if (!show && shown < least &&
        std::ranges::none_of(
            all,
            [&](const Plan& p) {
              return p.label == plan.label && (&p < &plan || p.on_frontier || &p == report.pick());
            })) {
      show = true;
      ++shown;
    }
    if (show) plans.push_back(&plan);
  }
  return plans;
}

void add_hours_columns(std::vector<Column>& columns, int drop, const std::string& prefix) {
  add_outcome_columns(columns, "HOURS", prefix + "hours", drop);
}

void add_cost_columns(std::vector<Column>& columns, int drop, const std::string& prefix) {
  add_outcome_columns(columns, "COST", prefix + "cost_usd", drop);
}

void add_hours(std::vector<Cell>& row, const Outcome<Seconds>& hours, Paint paint) {
  row.emplace_back(hours.p50 / units::hour, hours_text(hours.p50), paint);
  add_range(row, outcome_text(hours), hours.p10 / units::hour, hours.p90 / units::hour);
}

void add_cost(std::vector<Cell>& row, const Outcome<Dollars>& cost, Paint paint) {
  row.push_back(money_cell(cost.p50, paint));
  add_range(row, outcome_text(cost), cost.p10 / units::dollar, cost.p90 / units::dollar);
}

void add_share_of_cost(std::vector<Cell>& row, const Outcome<Dollars>& cost, Paint paint) {
  row.push_back(paid_cell(cost.p50, paint));
  add_range(row, outcome_text(cost), cost.p10 / units::dollar, cost.p90 / units::dollar);
}

void add_nothing(std::vector<Cell>& row, int cells) {
  for (int i = 0; i < cells; ++i) row.emplace_back();
}

Cell queue_cell(const Plan& plan) {
  return plan.wait.p50 > Seconds{} ? Cell(plan.wait.p50 / units::hour, hours_text(plan.wait.p50)) : Cell();
}

void add_queue_column(std::vector<Column>& columns) {
  columns.push_back({.title = "QUEUE", .align = Align::kRight, .key = "wait_hours"});
}

Cell money_cell(Dollars money, Paint paint) { return {money / units::dollar, to_text(money), paint}; }

Cell paid_cell(Dollars money, Paint paint) {
  return money > Dollars{} ? money_cell(money, paint) : Cell(money / units::dollar, "–", Paint::kDim);
}

Cell small_money_cell(Dollars money, Paint paint) {
  const bool small = money < Dollars{0.01} && money > Dollars{-0.01};
  return {money / units::dollar, small ? short_money(money) : to_text(money), paint};
}

Cell price_cell(std::optional<DollarsPerSecond> price, Paint paint) {
  return price ? small_money_cell(*price * units::hour, paint) : Cell();
}

Cell price_cell(const Plan& plan) {
  Cell cell = price_cell(price_of(plan));
  if (plan.offer != nullptr && !cell.text.empty()) cell.text += term_words(plan.offer->billing);
  return cell;
}

Cell gib_cell(Bytes size) { return {size / units::GiB, size > 0.005 * units::GiB ? gib_text(size) : std::string()}; }

std::string_view pick_sign(const PlanReport& report) { return report.found.recommendations.limits_missed ? "~" : "✔"; }

Cell pick_mark(const PlanReport& report, bool picked) {
  const Paint paint = report.found.recommendations.limits_missed ? Paint::kYellow : Paint::kGreen;
  return picked ? Cell(std::string(pick_sign(report)), paint) : Cell();
}
Cell pick_mark(const PlanReport& report, const Plan& plan) { return pick_mark(report, &plan == report.pick()); }

void add_plan_columns(std::vector<Column>& columns, int drop) {
  columns.push_back({.title = ""});
  columns.push_back(
      {.title = "PLAN", .narrowest = 14, .wrap = true, .gap = columns.size() == 1 ? 1 : 2, .key = "plan"});
  columns.push_back({.title = "PROVIDER", .drop = drop, .narrowest = 10, .key = "where"});
  columns.push_back({.title = "", .key = "id"});
}

void add_plan(std::vector<Cell>& row, const PlanReport& report, const Plan& plan) {
  row.push_back(pick_mark(report, plan));
  row.emplace_back(report.name(plan), &plan == report.pick() ? Paint::kGreen : Paint::kPlain);
  const bool rented = plan.offer != nullptr && plan.offer->kind == OfferKind::kRented;  // the label names the others
  row.emplace_back(rented ? place_words(*plan.offer) : plan.offer == nullptr ? "several offers" : "");
  row.emplace_back(plan.id);
}

std::string shown_rows(std::size_t shown, std::size_t all, const std::string& noun) {
  if (shown >= all) return "";
  return "Shown " + std::to_string(shown) + " of " + count_of(static_cast<double>(all), noun) + " (--all).";
}

bool limits_matter(const PlanReport& report) { return !std::ranges::all_of(report.found.plans, &Plan::keeps_limits); }

std::string worth_words(const SearchResult& found, const Plan& plan) {
  for (const ValueRange& range : found.values) {
    if (&found.plans[static_cast<std::size_t>(range.plan)] != &plan) continue;
    const std::string from = short_money(range.from * units::hour);
    if (!range.to) return range.from > DollarsPerSecond{} ? "your time is worth over " + from + "/h" : "";
    const std::string to = short_money(*range.to * units::hour);
    return "your time is worth " + (range.from > DollarsPerSecond{} ? range_text(from, to) : "under " + to) + "/h";
  }
  return "";
}

std::string batch_words(const PhaseEstimate& estimate, const Phase& phase) {
  if (!estimate.node || estimate.batch <= 0) return "";
  const Strategy& s = estimate.strategy;
  if (std::holds_alternative<TrainPhase>(phase.work))
    return std::to_string(s.dp) + " x " + count_text(s.micro_batch) + " x " + count_text(s.grad_accum) + " = " +
           count_text(estimate.batch);
  if (std::holds_alternative<GeneratePhase>(phase.work))
    return std::to_string(s.dp) + " x " + count_text(s.micro_batch) + " = " + count_text(estimate.batch);
  return "";
}

std::string with_range(const Outcome<Seconds>& hours) {
  return hours.p10 == hours.p90 ? hours_text(hours.p50) : hours_text(hours.p50) + " (" + outcome_text(hours) + ")";
}

std::string with_range(const Outcome<Dollars>& cost) {
  const std::string range = outcome_text(cost);
  return cost.p10 == cost.p90 || range.empty() ? to_text(cost.p50) : to_text(cost.p50) + " (" + range + ")";
}

bool same_machines(const Plan& a, const Plan& b) {
  return a.node.gpu == b.node.gpu && a.gpus == b.gpus && a.nodes == b.nodes;
}

const Phase& phase_of(const PlanReport& report, const PhasePlan& part) {
  return report.job.phases[static_cast<std::size_t>(part.estimate->phase)];
}

}  // namespace gpuplan
