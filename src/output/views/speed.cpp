// plan --show speed: how fast each kind and number of GPUs does the same work, and what that speed costs.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "model/error/error.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {
namespace {

/// What a phase does, counted in what its author counts.
struct Work {
  double amount = 0;
  const char* unit = "";  ///< in the plural
};

Work work_of(const PhaseEstimate& estimate) {
  if (estimate.tokens > 0) return {estimate.tokens, "tokens"};
  if (estimate.units > 0) return {estimate.units, "samples"};
  return {estimate.steps, "steps"};
}

/// Amount a second without what the job adds on top of the work; nullopt when the phase has no rate.
std::optional<Interval<double>> rate_of(const PhaseEstimate& estimate) {
  const double amount = work_of(estimate).amount * (1 + estimate.overhead_share);
  if (!estimate.node || amount <= 0 || estimate.work.p10 <= Seconds{}) return std::nullopt;
  return Interval<double>{amount / estimate.work.p90.value, amount / estimate.work.p50.value,
                          amount / estimate.work.p10.value};
}

const PhasePlan* part_of(const Plan& plan, int phase) {
  for (const PhasePlan& part : plan.phases)
    if (part.estimate->phase == phase && rate_of(part.estimate)) return &part;
  return nullptr;
}

/// The phase that takes longest, of those that have a rate; -1: none.
int main_phase(const Plan& plan) {
  const PhasePlan* longest = nullptr;
  for (const PhasePlan& part : plan.phases)
    if (rate_of(part.estimate) && (longest == nullptr || part.hours.p50 > longest->hours.p50)) longest = &part;
  return longest == nullptr ? -1 : longest->estimate->phase;
}

struct SpeedRow {
  const Plan* plan = nullptr;
  const PhasePlan* part = nullptr;
  Interval<double> rate;
};

std::string rate_range(const Interval<double>& rate) {
  return rate.exact() ? "" : range_text(rate_text(rate.p10), rate_text(rate.p90));
}

/// How many times as fast. What the two predictions have in common cancels; the user's own figures have nothing in
/// common.
Interval<double> speed_against(const SpeedRow& row, const SpeedRow& base, const ErrorModel& errors) {
  const double ratio = row.rate.p50 / base.rate.p50;
  if (row.part == base.part) return exactly(ratio);
  const PhaseEstimate &a = row.part->estimate, &b = base.part->estimate;
  if (a.work_is_model && b.work_is_model && a.error_figure == b.error_figure)
    return lognormal(ratio, std::sqrt(ratio_variance(errors, a.error_figure, a.labels, b.labels)));
  return lognormal(ratio, std::hypot(sigma_of(row.rate), sigma_of(base.rate)));
}

Cell times_cell(double ratio, Paint paint = Paint::kPlain) { return {ratio, times_words(ratio), paint}; }

}  // namespace

ViewContent speed_view(const PlanReport& report, const Screen&) {
  ViewContent view{"", Table({}), {}};
  const std::vector<const Plan*> plans = contenders(report.found.plans);
  const Plan* lead = report.pick() != nullptr ? report.pick() : plans.front();
  const int phase = main_phase(*lead);
  if (phase < 0) {
    view.title = "Relative speed";
    view.notes.emplace_back("No phase of this job has a rate that gpuplan knows: nothing to compare.");
    return view;
  }
  const std::string unit = work_of(part_of(*lead, phase)->estimate).unit;

  std::vector<SpeedRow> rows;  // the pick, and the cheapest plan on each other kind and number of GPUs
  for (const Plan* plan : plans) {
    const PhasePlan* part = plan->offer == nullptr ? nullptr : part_of(*plan, phase);
    if (part == nullptr) continue;
    const auto known = std::ranges::find_if(rows, [&](const SpeedRow& row) { return same_machines(*row.plan, *plan); });
    if (known == rows.end()) rows.push_back({plan, part, *rate_of(part->estimate)});
    else if (plan == lead || (known->plan != lead && plan->cost.p50 < known->plan->cost.p50))
      *known = {plan, part, *rate_of(part->estimate)};
  }
  if (rows.empty()) {
    view.title = "Relative speed";
    view.notes.emplace_back("Every plan takes several offers: nothing to compare.");
    return view;
  }
  const std::size_t all = rows.size();
  // Plans come in the order of interest, and the pick is always of it.
  if (const auto own = std::ranges::find(rows, lead, &SpeedRow::plan); own != rows.end())
    std::rotate(rows.begin(), own, own + 1);
  if (!report.all && rows.size() > kViewRows) rows.resize(kViewRows);
  sort_stably(rows, [](const SpeedRow& a, const SpeedRow& b) { return a.rate.p50 > b.rate.p50; });
  const SpeedRow& base = rows.back();
  const auto base_price = price_of(*base.plan);
  const bool priced = rows.size() > 1 && base_price && *base_price > DollarsPerSecond{};

  const std::string per_second = unit == "tokens" ? "TOKENS/S" : unit == "samples" ? "SAMPLES/S" : "STEPS/S";
  const std::string key = unit + "_per_second";
  std::vector<Column> columns = {{.title = ""},
                                 {.title = "GPUS", .narrowest = 14, .wrap = true, .gap = 1, .key = "gpus"},
                                 {.title = "ARCHITECTURE", .drop = 5, .narrowest = 12, .key = "architecture"},
                                 {.title = "YEAR", .drop = 6, .key = "year"},
                                 {.title = per_second, .align = Align::kRight, .key = key},
                                 {.title = kRangeHead, .align = Align::kRight, .drop = 2, .around = kRangeDash},
                                 {.title = "", .key = key + "_p10"},
                                 {.title = "", .key = key + "_p90"},
                                 {.title = "PER GPU", .align = Align::kRight, .drop = 7, .key = key + "_a_gpu"},
                                 {.title = "SPEED", .align = Align::kRight, .key = "relative_speed"},
                                 {.title = kRangeHead, .align = Align::kRight, .drop = 3, .around = kRangeDash},
                                 {.title = "", .key = "relative_speed_p10"},
                                 {.title = "", .key = "relative_speed_p90"},
                                 {.title = "PRICE", .align = Align::kRight, .key = "relative_price"}};
  add_hours_columns(columns, 11);
  add_cost_columns(columns, 12);
  columns.push_back({.title = "COST", .align = Align::kRight, .unit = "relative", .key = "relative_cost"});
  columns[9].unit = columns[13].unit = "relative";
  for (Column& column : columns)
    if (column.key == "hours" || column.key == "cost_usd") column.drop = 10;
  view.table = Table(std::move(columns));

  const std::string& name = phase_of(report, *base.part).name;
  const double amount = work_of(base.part->estimate).amount;
  view.title = "Speed of this job by GPU and count" +
               (report.job.phases.size() > 1 ? ", phase " + printable(name, 40) : std::string()) + ": " +
               count_short(parse_amount(significant_text(amount, 3), AmountKind::kCount).value_or(amount)) + " " + unit;
  for (const SpeedRow& row : rows) {
    const Plan& plan = *row.plan;
    const bool picked = report.pick() != nullptr && same_machines(plan, *report.pick());
    const Paint paint = picked ? Paint::kGreen : Paint::kPlain;
    const Gpu& gpu = *plan.node.gpu;
    const auto price = price_of(plan);
    const Interval<double> speed = speed_against(row, base, report.errors());
    const int used = std::max(row.part->estimate->gpus, 1);
    std::vector<Cell> cells = {pick_mark(report, picked), {report.name(plan), paint}, {gpu.architecture}};
    cells.push_back(gpu.year > 0 ? Cell(gpu.year, std::to_string(gpu.year)) : Cell());
    cells.emplace_back(row.rate.p50, rate_text(row.rate.p50), paint);
    cells.emplace_back(rate_range(row.rate), Paint::kDim);
    cells.emplace_back(row.rate.p10);
    cells.emplace_back(row.rate.p90);
    cells.emplace_back(row.rate.p50 / used, used > 1 ? rate_text(row.rate.p50 / used) : rate_text(row.rate.p50));
    cells.push_back(times_cell(speed.p50, paint));
    std::string range;
    if (!speed.exact()) {
      range = times_words(speed.p10);
      range.pop_back();
      range += kRangeDash + times_words(speed.p90);
      range.pop_back();
    }
    cells.emplace_back(range, Paint::kDim);
    cells.emplace_back(speed.p10);
    cells.emplace_back(speed.p90);
    cells.push_back(price && priced ? times_cell(*price / *base_price) : Cell());
    add_hours(cells, plan.hours, paint);
    add_cost(cells, plan.cost, paint);
    cells.push_back(base.plan->cost.p50 > Dollars{} ? times_cell(plan.cost.p50 / base.plan->cost.p50) : Cell());
    view.table.add(std::move(cells));
  }
  view.notes.push_back("1.00x is " + report.name(*base.plan) + ", the slowest" +
                       (rows.size() < all ? " of these" : "") +
                       (priced ? ". Where SPEED exceeds PRICE, the job costs less." : "."));
  if (report.job.phases.size() > 1 || base.part->estimate->extra.p50 > Seconds{} ||
      base.part->estimate->overhead_share > 0)
    view.notes.emplace_back("Speed is of the work alone; hours and cost are of the whole job.");
  if (const std::string words = shown_rows(rows.size(), all, "machine"); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
