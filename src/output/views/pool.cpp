// plan --show pool: the same job on more and more GPUs of a pool, an own box, or of one kind of rented machine.
#include <algorithm>
#include <tuple>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/answer/effort.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

/// Share of a pool left to others, in a word.
std::string_view free_grade(double share) {
  if (share >= 0.75) return "excellent";
  if (share >= 0.5) return "good";
  if (share >= 0.25) return "fair";
  return "poor";
}

struct Option {
  const Plan* plan = nullptr;
  int used = 0;  ///< GPUs in use at most
  int all = 0;   ///< of the pool, or of the machine that is rented whole
  double free() const { return all > 0 ? 1 - static_cast<double>(used) / all : 0; }
};

/// Plans on one pool or own box by number of GPUs; where nothing is at hand, the cheapest plan for each number of the
/// pick's GPUs.
std::vector<Option> options_of(const PlanReport& report) {
  std::vector<Option> options;
  for (const Plan& plan : report.found.plans) {
    if (plan.offer == nullptr || plan.offer->kind == OfferKind::kRented) continue;
    options.push_back({&plan, plan.gpus, plan.offer->gpus * plan.offer->nodes});
  }
  const Plan* pick = report.pick();
  if (options.empty() && pick != nullptr && pick->offer != nullptr) {
    for (const Plan& plan : report.found.plans) {
      if (plan.offer == nullptr || plan.offer->gpu != pick->offer->gpu) continue;
      const Option option{&plan, std::min(peak_gpus(spells_of(plan)), plan.gpus), plan.gpus};
      const auto same = std::ranges::find_if(options, [&](const Option& o) { return o.plan->gpus == plan.gpus; });
      if (same == options.end()) options.push_back(option);
      else if (&plan == pick || (same->plan != pick && plan.cost.p50 < same->plan->cost.p50)) *same = option;
    }
  }
  sort_stably(options, {},
              [](const Option& o) { return std::tuple(o.plan->offer->gpu, o.plan->offer->label, o.plan->gpus); });
  return options;
}

Effort effort_of(const PlanReport& report, const Plan& plan) {
  Effort most = Effort::kOneProcess;
  for (const PhasePlan& part : plan.phases)
    most = std::max(most, gpuplan::effort_of(part.estimate, phase_of(report, part)));
  return most;
}

/// What the fewest GPUs of the recommendations keep; empty: the job has no deadline.
std::string kept_words(const Limits& limits) {
  if (!limits.deadline) return "";
  return limits.budget ? "meet the limits" : "meet the deadline";
}

/// When to use it, against the option of the same pool with fewer GPUs.
std::string when(const PlanReport& report, const Option& option, const Option* fewer) {
  const Plan& plan = *option.plan;
  const Recommendations& rules = report.found.recommendations;
  std::vector<std::string> words;
  if (!plan.meets_deadline) words.emplace_back("misses the deadline");
  if (!plan.meets_budget) words.emplace_back("over budget");
  if (!plan.reaches_target) words.emplace_back("misses the target");
  const bool fewest = rules.fewest_gpus && &report.plan(*rules.fewest_gpus) == &plan;
  if (fewest && report.job.limits.deadline) words.push_back("fewest GPUs that " + kept_words(report.job.limits));
  else if (fewer == nullptr && plan.offer->kind == OfferKind::kPool) words.emplace_back("leaves most free");
  if (fewer != nullptr) {
    const Seconds saved = fewer->plan->hours.p50 - plan.hours.p50;
    const int more = plan.gpus - fewer->plan->gpus;
    if (saved > Seconds{}) words.push_back("saves " + hours_words(saved) + " for " + count_of(more, "more GPU"));
    else words.emplace_back("no faster than fewer GPUs");
  }
  if (option.used == option.all && plan.offer->kind == OfferKind::kPool) words.emplace_back("uses the whole pool");
  return upper_first(join(words, "; "));
}

}  // namespace

ViewContent pool_view(const PlanReport& report, const Screen&) {
  const auto options = options_of(report);
  std::vector<Column> columns = {
      {.title = ""},
      {.title = "PLAN", .narrowest = 16, .key = "plan"},
      {.title = "GPUS", .align = Align::kRight, .around = " of "},
      {.title = "", .key = "gpus_used"},
      {.title = "", .key = "gpus_of"},
      {.title = "MEMORY PER GPU", .align = Align::kRight, .drop = 4, .around = " of ", .unit = "GiB"},
      {.title = "USED", .align = Align::kRight, .drop = 3, .key = "memory_share"}};
  add_hours_columns(columns, 5);
  columns.push_back({.title = "SPEED-UP", .align = Align::kRight, .drop = 7, .key = "speed_up"});
  columns.push_back({.title = "GPU-HOURS", .align = Align::kRight, .drop = 6, .key = "gpu_hours_billed"});
  columns.push_back({.title = "COST", .align = Align::kRight, .drop = 8, .key = "cost_usd"});
  columns.push_back({.title = "FREE", .key = "free_share"});
  columns.push_back({.title = "", .key = "free_grade"});
  columns.push_back({.title = "COMPLEXITY", .drop = 2, .narrowest = 12, .wrap = true, .key = "complexity"});
  columns.push_back({.title = "IN TIME", .align = Align::kRight, .drop = 9, .key = "chance_in_time"});
  columns.push_back({.title = "WHEN", .drop = 1, .narrowest = 20, .wrap = true, .key = "when"});
  ViewContent view{"By GPU count: time, GPUs left free, setup effort", Table(std::move(columns)), {}};
  if (options.empty()) {
    view.notes.emplace_back("No plan runs on one pool or machine from beginning to end.");
    return view;
  }
  const Option* before = nullptr;
  const Option* first = nullptr;
  for (const Option& option : options) {
    const Plan& plan = *option.plan;
    const bool same = before != nullptr && before->plan->offer->gpu == plan.offer->gpu &&
                      before->plan->offer->label == plan.offer->label;
    if (!same) first = &option;
    const bool picked = &plan == report.pick();
    const bool rented = plan.offer->kind == OfferKind::kRented;  // nobody else could use what is left free
    const PhasePlan* fullest = plan.fullest();
    const bool memory = fullest != nullptr && fullest->estimate->memory_total.p50 > Bytes{};
    const Bytes needed = memory ? fullest->estimate->memory_total.p50 : Bytes{};
    const Bytes usable = memory ? fullest->estimate->node->gpu->usable : Bytes{};
    const Effort effort = effort_of(report, plan);
    const double speed_up = plan.hours.p50 > Seconds{} ? first->plan->hours.p50 / plan.hours.p50 : 1;
    std::vector<Cell> row = {pick_mark(report, plan),
                             {report.name(plan), picked ? Paint::kGreen : Paint::kPlain},
                             {std::to_string(option.used) + " of " + std::to_string(option.all)},
                             Cell(static_cast<double>(option.used)),
                             Cell(static_cast<double>(option.all)),
                             {memory ? gib_text(needed) + " of " + gib_text(usable) : ""},
                             memory ? Cell(needed / usable, percent(needed / usable)) : Cell()};
    add_hours(row, plan.hours);
    row.emplace_back(speed_up, times_words(speed_up));
    row.emplace_back(plan.billed_gpu_hours, rate_text(plan.billed_gpu_hours));
    row.push_back(plan.cost.p50 > Dollars{} ? money_cell(plan.cost.p50) : Cell(0.0));
    const std::string grade = rented ? "" : std::string(free_grade(option.free()));
    row.emplace_back(option.free(), percent(option.free()) + (rented ? "" : ", " + grade));
    row.emplace_back(grade);
    row.emplace_back(std::string(grade_of(effort)) + ": " + std::string(name_of(effort)));
    row.push_back(plan.chance_in_time ? Cell(*plan.chance_in_time, chance_words(*plan.chance_in_time),
                                             plan.meets_deadline ? Paint::kPlain : Paint::kYellow)
                                      : Cell());
    row.emplace_back(when(report, option, same ? before : nullptr), Paint::kDim);
    view.table.add(std::move(row));
    if (plan.offer->max_time && plan.hours.p90 > *plan.offer->max_time)
      view.notes.push_back(report.name(plan) + ": may take " + hours_text(plan.hours.p90) + " h (P90), more than the " +
                           hours_words(*plan.offer->max_time) + " that the pool allows a job.");
    // What is no faster is nobody's yardstick.
    if (!same || option.plan->hours.p50 < before->plan->hours.p50) before = &option;
  }
  const Recommendations& rules = report.found.recommendations;
  const Limits& limits = report.job.limits;
  if (limits.deadline && rules.fewest_gpus)
    view.notes.push_back("The fewest GPUs that " + kept_words(limits) +
                         (limits.budget ? "" : " of " + hours_words(*limits.deadline)) + ": " +
                         report.name(report.plan(*rules.fewest_gpus)) + ".");
  else if (limits.deadline && !rules.within_deadline)
    view.notes.push_back("No number of GPUs meets the deadline of " + hours_words(*limits.deadline) + ".");
  else if (limits.deadline) view.notes.emplace_back("No number of GPUs meets the deadline and the budget.");
  if (options.front().plan->offer->kind == OfferKind::kRented)
    view.notes.emplace_back("Rented machines are billed whole, unused GPUs included.");
  return view;
}

}  // namespace gpuplan
