// plan --show serving: what comes out of each machine and what its requests meet; with a target, which reach it.
#include <algorithm>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "plan/answer/market.h"

namespace gpuplan {
namespace {

const PhasePlan* generation_in(const Plan& plan) {
  const PhasePlan* longest = nullptr;
  for (const PhasePlan& part : plan.phases)
    if (part.estimate->serving && (longest == nullptr || part.hours.p50 > longest->hours.p50)) longest = &part;
  return longest;
}

std::string rates_text(const Interval<TokensPerSecond>& rate) {
  return rate.exact() ? "" : range_text(rate_text(rate.p10.value), rate_text(rate.p90.value));
}

/// Milliseconds with three digits; thousands of them as seconds would need another unit in the same column.
std::string ms_text(Seconds time) { return rate_text(time / units::millisecond); }
std::string ms_range(const Interval<Seconds>& time) {
  return time.exact() ? "" : range_text(ms_text(time.p10), ms_text(time.p90));
}

void add_rate(std::vector<Cell>& row, const Interval<TokensPerSecond>& rate, Paint paint) {
  if (rate.p50 <= TokensPerSecond{}) return add_nothing(row);
  row.emplace_back(rate.p50.value, rate_text(rate.p50.value), paint);
  row.emplace_back(rates_text(rate), Paint::kDim);
  row.emplace_back(rate.p10.value);
  row.emplace_back(rate.p90.value);
}

void add_time(std::vector<Cell>& row, const Interval<Seconds>& time, Paint paint) {
  if (time.p50 <= Seconds{}) return add_nothing(row);
  row.emplace_back(time.p50.value, ms_text(time.p50), paint);
  row.emplace_back(ms_range(time), Paint::kDim);
  row.emplace_back(time.p10.value);
  row.emplace_back(time.p90.value);
}

void add_columns(std::vector<Column>& columns, Column first, int drop) {
  const std::string key = first.key;
  const std::string unit = first.unit;
  columns.push_back(std::move(first));
  columns.push_back({.title = kRangeHead, .align = Align::kRight, .drop = drop, .around = kRangeDash, .unit = unit});
  columns.push_back({.title = "", .key = key + "_p10"});
  columns.push_back({.title = "", .key = key + "_p90"});
}

}  // namespace

ViewContent serving_view(const PlanReport& report, const Screen&) {
  ViewContent view{"", Table({}), {}};
  std::vector<const Plan*> plans;  // the cheapest on each kind and number of GPUs
  for (const Plan& plan : report.found.plans) {
    if (plan.offer == nullptr || generation_in(plan) == nullptr) continue;
    const auto known = std::ranges::find_if(plans, [&](const Plan* p) { return same_machines(*p, plan); });
    if (known == plans.end()) plans.push_back(&plan);
    else if (plan.cost.p50 < (*known)->cost.p50) *known = &plan;
  }
  view.title = "Throughput and latency";
  if (plans.empty()) {
    view.notes.emplace_back("No phase of this job generates on one offer: nothing to show.");
    return view;
  }
  const std::size_t all = plans.size();
  const bool target = std::ranges::any_of(
      plans, [](const Plan* plan) { return generation_in(*plan)->estimate->serving->chance.has_value(); });
  if (target) sort_stably(plans, {}, [](const Plan* p) { return std::pair(!p->reaches_target, p->gpus); });
  if (!report.all && plans.size() > kViewRows) plans.resize(kViewRows);
  if (!target)
    sort_stably(plans, [](const Plan* a, const Plan* b) {
      return generation_in(*a)->estimate->serving->processed.p50 > generation_in(*b)->estimate->serving->processed.p50;
    });

  std::vector<Column> columns = {{.title = ""},
                                 {.title = "GPUS", .narrowest = 14, .wrap = true, .gap = 1, .key = "gpus"}};
  columns.push_back({.title = "TARGET", .align = Align::kRight, .unit = "chance", .key = "target_chance"});
  columns.push_back({.title = "", .key = "reaches_target"});
  add_columns(columns,
              {.title = "TOKENS/S", .align = Align::kRight, .unit = "output", .key = "output_tokens_per_second"}, 1);
  add_columns(
      columns,
      {.title = "TOKENS/S", .align = Align::kRight, .drop = 6, .unit = "with input", .key = "total_tokens_per_second"},
      8);
  add_columns(columns, {.title = "TTFT", .align = Align::kRight, .unit = "ms", .key = "time_to_first_token_seconds"},
              3);
  add_columns(columns, {.title = "TPOT", .align = Align::kRight, .unit = "ms", .key = "time_per_output_token_seconds"},
              2);
  columns.push_back({.title = "CONCURRENT", .align = Align::kRight, .drop = 5, .key = "sequences_in_flight"});
  columns.push_back(
      {.title = "COST", .align = Align::kRight, .drop = 7, .unit = "1M output", .key = "usd_per_1m_new_tokens"});
  add_hours_columns(columns, 9);
  columns.push_back({.title = "HOW", .drop = 10, .narrowest = 20, .wrap = true, .key = "how"});
  view.table = Table(std::move(columns));

  for (const Plan* plan : plans) {
    const PhasePlan& part = *generation_in(*plan);
    const Serving& serving = *part.estimate->serving;
    const bool picked = report.pick() != nullptr && same_machines(*plan, *report.pick());
    const Paint paint = picked ? Paint::kGreen : plan->reaches_target ? Paint::kPlain : Paint::kDim;
    std::vector<Cell> row = {pick_mark(report, picked), {printable(plan->label, 60), paint}};
    if (serving.chance) row.emplace_back(*serving.chance, chance_words(*serving.chance, serving.reaches_target), paint);
    else row.emplace_back();
    row.emplace_back(!target ? "" : plan->reaches_target ? "yes" : "no");
    add_rate(row, serving.output, paint);
    add_rate(row, serving.processed, paint);
    add_time(row, serving.time_to_first_token, paint);
    add_time(row, serving.time_per_output_token, paint);
    row.emplace_back(serving.in_flight, count_text(serving.in_flight));
    const double millions = part.estimate->tokens / 1e6;
    if (serving.output.p50 > TokensPerSecond{} && part.cost.p50 > Dollars{} && millions > 0)
      row.push_back(small_money_cell(part.cost.p50 / millions));
    else row.emplace_back();
    add_hours(row, plan->hours, paint);
    row.emplace_back(strategy_words(part.estimate, phase_of(report, part)), Paint::kDim);
    view.table.add(std::move(row));
  }
  for (std::string& line : target_lines(report)) view.notes.push_back(std::move(line));
  if (const std::string words = shown_rows(plans.size(), all, "machine"); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
