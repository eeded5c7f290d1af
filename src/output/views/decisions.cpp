// plan --show decisions: for each thing that may matter most, the plan to take and when to choose so.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "plan/ranking/decisions.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {
namespace {

struct DecisionRow {
  std::string priority;
  const Plan* plan = nullptr;  ///< null: no plan does
  std::string when;
};

/// The decisions of plan/ranking/decisions.h in words. Each sentence is made from the plans beside it.
class Decisions {
 public:
  explicit Decisions(const PlanReport& report)
      : report_(report), rules_(report.found.recommendations), plans_(contenders(report.found.plans)) {}

  std::vector<DecisionRow> rows() const {
    std::vector<DecisionRow> rows;
    for (const Decision& decision : decisions_of(report_.job, report_.found.plans, rules_, report_.compared())) {
      const Plan* plan = at(decision.plan);
      switch (decision.priority) {
        case Priority::kJob:
          rows.push_back({"this job", plan, goal_words()});
          break;
        case Priority::kCheapest:
          rows.push_back({"cheapest", plan, both() ? extreme("cost counts") : "you can wait" + after(plan)});
          break;
        case Priority::kBestValue:
          rows.push_back({"best value", plan,
                          "your time is worth about " + short_money(report_.job.value_of_time * units::hour) + "/h"});
          break;
        case Priority::kBalanced:
          rows.push_back({"balanced", plan, "time and cost count alike: half the hours are worth twice the cost"});
          break;
        case Priority::kFastest:
          rows.push_back({"fastest", plan, both() ? extreme("hours count") : "hours count" + after(plan)});
          break;
        case Priority::kWithinDeadline:
          rows.push_back({"within deadline", plan, plan != nullptr ? in_time(*plan) : too_late()});
          break;
        case Priority::kWithinBudget:
          rows.push_back(
              {"within budget", plan,
               plan != nullptr ? "as fast as " + short_money(*report_.job.limits.budget) + " allows" : too_dear()});
          break;
        case Priority::kFewestGpus:
          rows.push_back({"fewest GPUs", plan, few(*plan)});
          break;
        case Priority::kOneGpu:
          rows.push_back({"one GPU", plan, "only one GPU available, or you want the simplest setup"});
          break;
        case Priority::kNoInterruptions:
          rows.push_back({"no interruptions", plan, "no interruptions allowed: on demand"});
          break;
        case Priority::kLowestPrice:
          rows.push_back({"lowest price", plan, "hourly price matters most" + slower(*plan)});
          break;
      }
    }
    return rows;
  }

 private:
  const Plan* at(const std::optional<int>& position) const { return position ? &report_.plan(*position) : nullptr; }

  bool both() const { return rules_.cheapest == rules_.fastest; }

  /// One plan is the cheapest and the fastest; the pick may be another all the same, for its GPUs or the limits.
  std::string extreme(const std::string& counts) const {
    std::string words = counts + ": no plan is cheaper, and none is faster";
    const Plan* plan = at(rules_.cheapest);
    const Plan* pick = report_.pick();
    if (plan == nullptr || pick == nullptr || plan == pick) return words;
    if (plan->gpus_at_once() > pick->gpus_at_once())
      words += "; it takes " + count_of(plan->gpus_at_once(), "GPU") + ", the recommended plan " +
               std::to_string(pick->gpus_at_once());
    return words;
  }

  std::string after(const Plan* plan) const {
    const std::string words = plan == nullptr ? "" : worth_words(report_.found, *plan);
    return words.empty() ? "" : ": " + words;
  }

  std::string goal_words() const {
    switch (report_.job.goal) {
      case Goal::kCheapest:
        return "the cheapest" + kept_words();
      case Goal::kFastest:
        return "the fastest" + kept_words();
      case Goal::kFewestGpus:
        return "the fewest GPUs" + kept_words();
      case Goal::kBestValue:
        break;
    }
    const bool tie = report_.found.recommendations.tied_with.has_value();
    return (tie ? "about the lowest cost + your time" : "lowest cost + your time") + kept_words();
  }

  std::string kept_words() const {
    if (rules_.limits_missed) return " is wanted, and no plan meets the limits: this one is closest";
    const Limits& limits = report_.job.limits;
    return limits.deadline || limits.budget || has_target(report_.job) ? " within the limits" : "";
  }

  std::string slower(const Plan& plan) const {
    const Plan* fastest = at(rules_.fastest);
    if (fastest == nullptr || fastest->done() <= Seconds{} || plan.done() < 1.05 * fastest->done()) return "";
    return " (" + times_words(plan.done() / fastest->done()) + " the time of the fastest)";
  }

  std::string in_time(const Plan& plan) const {
    return "cheapest within the " + to_text(*report_.job.limits.deadline) + " deadline" +
           (plan.chance_in_time ? " (" + chance_words(*plan.chance_in_time, plan.meets_deadline) + " chance)" : "");
  }

  std::string too_late() const {
    const Limits& limits = report_.job.limits;
    const Plan* near = nearest([](const Plan* plan) { return latest_done(*plan).value; });
    return "no plan meets " + to_text(*limits.deadline) + " with " + percent(limits.confidence) + " chance" +
           (near != nullptr ? "; closest: " + report_.name(*near) + ", P90 " + hours_words(latest_done(*near)) : "");
  }

  std::string too_dear() const {
    const auto most = [&](const Plan* plan) { return (plan->cost.p90 + report_.job.contingency).value; };
    const Plan* near = nearest(most);
    return "no plan stays within " + short_money(*report_.job.limits.budget) +
           (near != nullptr ? "; closest: " + report_.name(*near) + ", P90 " + to_text(Dollars{most(near)}) +
                                  (report_.job.contingency > Dollars{} ? " with the contingency" : "")
                            : "");
  }

  /// Of one limit the plan that the answer calls the closest; of several the one that misses this one least.
  template <class Miss>
  const Plan* nearest(Miss miss) const {
    const Limits& limits = report_.job.limits;
    if (rules_.limits_missed && !(limits.deadline && limits.budget)) return report_.pick();
    const auto near = std::ranges::min_element(plans_, {}, miss);
    return near != plans_.end() ? *near : nullptr;
  }

  std::string few(const Plan& plan) const {
    const Limits& limits = report_.job.limits;
    return "GPUs are scarce: " + std::to_string(plan.gpus_at_once()) + " enough" +
           (limits_matter(report_) || limits.deadline || limits.budget ? ", within your limits" : "");
  }

  const PlanReport& report_;
  const Recommendations& rules_;
  std::vector<const Plan*> plans_;
};

/// "Best trade-offs span $4.74–$19.52 (4.1x) and 3.4 h–53 min (3.8x)."; empty: it has one plan, or a
/// free one.
std::string spread_words(const std::vector<Plan>& plans) {
  const Plan *cheapest = nullptr, *fastest = nullptr;  // the frontier rises in cost and falls in hours
  for (const Plan& plan : plans) {
    if (!plan.on_frontier) continue;
    if (cheapest == nullptr) cheapest = &plan;
    fastest = &plan;
  }
  if (cheapest == fastest || cheapest->cost.p50 <= Dollars{} || fastest->done() <= Seconds{}) return "";
  const double cost = fastest->cost.p50 / cheapest->cost.p50, time = cheapest->done() / fastest->done();
  constexpr double kSame = 1.15;
  const bool queue = cheapest->wait.p50 > Seconds{} || fastest->wait.p50 > Seconds{};
  return "Best trade-offs span " + range_text(to_text(cheapest->cost.p50), to_text(fastest->cost.p50)) + " (" +
         times_words(cost) + ") and " + range_text(hours_words(cheapest->done()), hours_words(fastest->done())) + " (" +
         times_words(time) + (queue ? ", in the queue included)" : ")") +
         (cost < kSame ? ": all cost about the same, so choose by time." : ".");
}

/// Requests and training samples stand in one column where a job has both.
std::string batch_unit(const PlanReport& report, const PhasePlan& part) {
  const auto any = [&](auto is) { return std::ranges::any_of(report.job.phases, is); };
  const auto trains = [](const Phase& phase) { return std::holds_alternative<TrainPhase>(phase.work); };
  const auto generates = [](const Phase& phase) { return std::holds_alternative<GeneratePhase>(phase.work); };
  if (!any(trains) || !any(generates)) return "";
  return std::holds_alternative<TrainPhase>(phase_of(report, part).work) ? " sequences" : " requests";
}

}  // namespace

ViewContent decisions_view(const PlanReport& report, const Screen& screen) {
  std::vector<Column> columns = {{.title = "PRIORITY", .key = "priority"}};
  add_plan_columns(columns, 4);
  add_hours_columns(columns, 7);
  add_queue_column(columns);
  add_cost_columns(columns, 6);
  columns.push_back({.title = "PRICE", .align = Align::kRight, .drop = 5, .unit = "per hour", .key = "usd_per_hour"});
  columns.push_back({.title = "MEMORY PER GPU", .drop = 8, .around = " of "});
  columns.push_back({.title = "", .key = "memory_gib"});
  columns.push_back({.title = "", .key = "usable_gib"});
  columns.push_back({.title = "BATCH", .align = Align::kRight, .drop = 9, .key = "batch"});
  columns.push_back({.title = "LIMITS", .drop = 3, .key = "limits"});
  columns.push_back(
      {.title = "WHEN TO CHOOSE IT", .narrowest = screen.columns >= 120 ? 40 : 22, .wrap = true, .key = "when"});
  const std::size_t cells_before_when = columns.size() - 1;
  ViewContent view{"Best plan for each priority", Table(std::move(columns)), {}};
  const bool limited = limits_matter(report);
  for (const DecisionRow& decision : Decisions(report).rows()) {
    std::vector<Cell> row = {{decision.priority, Paint::kBold}};
    if (decision.plan == nullptr) {
      row.emplace_back();
      row.emplace_back("none", Paint::kYellow);
      row.resize(cells_before_when);
    } else {
      const Plan& plan = *decision.plan;
      add_plan(row, report, plan);
      add_hours(row, plan.hours);
      row.push_back(queue_cell(plan));
      add_cost(row, plan.cost);
      row.push_back(price_cell(plan));
      const PhasePlan* fullest = plan.fullest();
      row.emplace_back(memory_words(plan));
      row.push_back(fullest == nullptr ? Cell() : Cell(fullest->estimate->memory_total.p50 / units::GiB));
      row.push_back(fullest == nullptr ? Cell() : Cell(fullest->estimate->node->gpu->usable / units::GiB));
      const double batch = fullest == nullptr ? 0 : fullest->estimate->batch;
      row.push_back(batch > 0 ? Cell(batch, count_text(batch) + batch_unit(report, *fullest)) : Cell());
      row.emplace_back(limited ? limits_words(plan) : "", plan.keeps_limits() ? Paint::kPlain : Paint::kYellow);
    }
    row.emplace_back(decision.when);
    view.table.add(std::move(row));
  }
  if (const std::string words = spread_words(report.found.plans); !words.empty()) view.notes.push_back(words);
  if (report.pick() != nullptr) view.notes.push_back(std::string(pick_sign(report)) + " " + pick_words(report));
  if (const std::string words = value_words(report); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
