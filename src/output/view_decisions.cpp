// plan --show decisions: for each thing that may matter most, the plan to take and when to choose so.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/choice.h"
#include "output/plan_views.h"
#include "output/plan_words.h"
#include "output/view_columns.h"
#include "plan/recommendation.h"

namespace gpuplan {
namespace {

struct Decision {
  std::string priority;
  const Plan* plan = nullptr;  ///< null: no plan does
  std::string when;
};

/// The least by a key among those that count, ties by cost.
template <class Counts, class Key>
const Plan* least(const std::vector<const Plan*>& plans, Counts counts, Key key) {
  const Plan* best = nullptr;
  for (const Plan* plan : plans) {
    if (!counts(*plan)) continue;
    if (best == nullptr || std::pair(key(*plan), plan->cost.p50) < std::pair(key(*best), best->cost.p50)) best = plan;
  }
  return best;
}

class Decisions {
 public:
  explicit Decisions(const PlanStory& story)
      : story_(story), rules_(story.found.recommendations), plans_(contenders(story.found.plans)) {}

  std::vector<Decision> rows() {
    const Plan* cheapest = at(rules_.cheapest);
    const Plan* fastest = at(rules_.fastest);
    const std::string both = cheapest == fastest ? "in any case: nothing is cheaper, and nothing is faster" : "";
    add("cheapest", cheapest, both.empty() ? "you can wait" + after(cheapest, ": ") : both);
    add("best value", at(rules_.best_value),
        "an hour of waiting is worth about " + short_money(story_.job.value_of_time * units::hour) + " to you");
    add("fastest", fastest, both.empty() ? "hours count" + after(fastest, ": ") : both);
    limits();
    fewest();
    const auto total = [&](const Plan& plan) { return total_at(plan, story_.job.value_of_time).value; };
    const auto any = [](const Plan&) { return true; };
    if (std::ranges::any_of(plans_, [](const Plan* plan) { return plan->gpus > 1; }))
      add("one GPU",
          least(
              plans_, [](const Plan& plan) { return plan.gpus == 1; }, total),
          "only one GPU is to be had, or the simplest set-up is wanted", false);
    if (std::ranges::any_of(plans_, [](const Plan* plan) { return plan->spot; }))
      add("no interruptions",
          least(
              plans_, [](const Plan& plan) { return !plan.spot; }, total),
          "the work must not be stopped in the middle: on demand", false);
    if (const Plan* low = least(plans_, any,
                                [](const Plan& plan) {
                                  const auto price = price_of(plan);
                                  return price ? price->value : std::numeric_limits<double>::infinity();
                                });
        low != nullptr && price_of(*low) && *price_of(*low) > DollarsPerSecond{})
      add("lowest price", low, "the price of an hour is capped" + slower(*low, fastest));
    return std::move(rows_);
  }

 private:
  const Plan* at(const std::optional<int>& position) const { return position ? &story_.plan(*position) : nullptr; }

  void add(std::string priority, const Plan* plan, std::string when, bool also_none = true) {
    if (plan != nullptr || also_none) rows_.push_back({std::move(priority), plan, std::move(when)});
  }

  std::string after(const Plan* plan, const std::string& sign) const {
    const std::string words = plan == nullptr ? "" : worth_words(story_.found, *plan);
    return words.empty() ? "" : sign + words;
  }

  static std::string slower(const Plan& plan, const Plan* fastest) {
    if (fastest == nullptr || fastest->hours.p50 <= Seconds{} || plan.hours.p50 < 1.05 * fastest->hours.p50) return "";
    return "; it takes " + times_words(plan.hours.p50 / fastest->hours.p50) + " the hours of the fastest";
  }

  void limits() {
    const Limits& limits = story_.job.limits;
    if (limits.deadline) {
      const Plan* plan = at(rules_.within_deadline);
      const std::string what = to_text(*limits.deadline);
      if (plan != nullptr) {
        add("within deadline", plan,
            "the deadline of " + what + " must be kept: cheapest that does" +
                (plan->chance_in_time ? ", chance " + chance_words(*plan->chance_in_time) : ""));
      } else {
        const Plan* near =
            least(plans_, [](const Plan&) { return true; }, [](const Plan& other) { return other.hours.p90.value; });
        add("within deadline", nullptr,
            "no plan keeps " + what + " at " + percent(limits.confidence) + " confidence" +
                (near != nullptr ? "; nearest: " + story_.name(*near) + ", P90 " + hours_words(near->hours.p90) : ""));
      }
    }
    if (limits.budget) {
      const Plan* plan = at(rules_.within_budget);
      const std::string what = short_money(*limits.budget);
      if (plan != nullptr) {
        add("within budget", plan, "as fast as " + what + " allows");
      } else {
        const auto most = [&](const Plan& other) { return other.cost.p90 + story_.job.contingency; };
        const Plan* near = least(plans_, [](const Plan&) { return true; }, most);
        add("within budget", nullptr,
            "no plan keeps " + what +
                (near != nullptr ? "; nearest: " + story_.name(*near) + ", P90 " + to_text(most(*near)) +
                                       (story_.job.contingency > Dollars{} ? " with the contingency" : "")
                                 : ""));
      }
    }
  }

  void fewest() {
    const Plan* plan = at(rules_.fewest_gpus);
    if (plan == nullptr || plan->gpus == 0) return;
    const int most = (*std::ranges::max_element(plans_, {}, [](const Plan* p) { return p->gpus; }))->gpus;
    if (most > plan->gpus)
      add("fewest GPUs", plan,
          "GPUs are short or shared: " + std::to_string(plan->gpus) + (plan->gpus == 1 ? " does" : " do") +
              (limits_matter(story_) || story_.job.limits.deadline || story_.job.limits.budget
                   ? " and the limits are kept"
                   : ""));
  }

  const PlanStory& story_;
  const Recommendations& rules_;
  std::vector<const Plan*> plans_;
  std::vector<Decision> rows_;
};

/// "From end to end of the frontier: $4.74 to $19.52 (4.1x) and 3.4 h to 53 min (3.8x)."; empty: it has one plan, or a
/// free one.
std::string spread_words(const std::vector<Plan>& plans) {
  const Plan *cheapest = nullptr, *fastest = nullptr;  // the frontier rises in cost and falls in hours
  for (const Plan& plan : plans) {
    if (!plan.on_frontier) continue;
    if (cheapest == nullptr) cheapest = &plan;
    fastest = &plan;
  }
  if (cheapest == fastest || cheapest->cost.p50 <= Dollars{} || fastest->hours.p50 <= Seconds{}) return "";
  const double cost = fastest->cost.p50 / cheapest->cost.p50, time = cheapest->hours.p50 / fastest->hours.p50;
  constexpr double kSame = 1.15;
  return "From end to end of the frontier: " + to_text(cheapest->cost.p50) + " to " + to_text(fastest->cost.p50) +
         " (" + times_words(cost) + ") and " + hours_words(cheapest->hours.p50) + " to " +
         hours_words(fastest->hours.p50) + " (" + times_words(time) + ")" +
         (cost < kSame ? ": all cost about the same, so choose by time." : ".");
}

}  // namespace

ViewContent decisions_view(const PlanStory& story, const Screen& screen) {
  std::vector<Column> columns = {{.title = "PRIORITY", .key = "priority"}};
  add_plan_columns(columns, 4);
  add_hours_columns(columns, 7);
  add_cost_columns(columns, 6);
  columns.push_back({.title = "PRICE", .align = Align::kRight, .drop = 5, .unit = "an hour", .key = "usd_per_hour"});
  columns.push_back({.title = "MEMORY A GPU", .drop = 8, .around = " of "});
  columns.push_back({.title = "", .key = "memory_gib"});
  columns.push_back({.title = "", .key = "usable_gib"});
  columns.push_back({.title = "BATCH", .align = Align::kRight, .drop = 9, .key = "batch"});
  columns.push_back({.title = "LIMITS", .drop = 3, .key = "limits"});
  columns.push_back(
      {.title = "WHEN TO CHOOSE IT", .narrowest = screen.columns >= 120 ? 40 : 22, .wrap = true, .key = "when"});
  const std::size_t cells_before_when = columns.size() - 1;
  ViewContent view{"What to choose, by what matters most", Table(std::move(columns)), {}};
  const bool limited = limits_matter(story);
  for (const Decision& decision : Decisions(story).rows()) {
    std::vector<Cell> row = {{decision.priority, Paint::kBold}};
    if (decision.plan == nullptr) {
      row.emplace_back();
      row.emplace_back("none", Paint::kYellow);
      row.resize(cells_before_when);
    } else {
      const Plan& plan = *decision.plan;
      add_plan(row, story, plan);
      add_hours(row, plan.hours);
      add_cost(row, plan.cost);
      row.push_back(price_cell(price_of(plan)));
      const PhasePlan* fullest = plan.fullest();
      row.emplace_back(memory_words(plan));
      row.push_back(fullest == nullptr ? Cell() : Cell(fullest->estimate.memory_total.p50 / units::GiB));
      row.push_back(fullest == nullptr ? Cell() : Cell(fullest->estimate.node->gpu->usable / units::GiB));
      const double batch = fullest == nullptr ? 0 : fullest->estimate.batch;
      row.push_back(batch > 0 ? Cell(batch, count_text(batch)) : Cell());
      row.emplace_back(limited ? limits_words(plan) : "",
                       plan.meets_deadline && plan.meets_budget ? Paint::kPlain : Paint::kYellow);
    }
    row.emplace_back(decision.when);
    view.table.add(std::move(row));
  }
  if (const std::string words = spread_words(story.found.plans); !words.empty()) view.notes.push_back(words);
  if (story.pick() != nullptr) view.notes.push_back(std::string(pick_sign(story)) + " " + pick_words(story));
  if (const std::string words = value_words(story); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
