// plan --show fallback: what to take, in which order, when the pick is not to be had, and up to which price.
#include <algorithm>
#include <limits>

#include "base/amount.h"
#include "base/text.h"
#include "output/choice.h"
#include "output/plan_views.h"
#include "output/plan_words.h"
#include "output/view_columns.h"
#include "plan/recommendation.h"

namespace gpuplan {
namespace {

constexpr std::size_t kFew = 4;
constexpr std::size_t kMost = 6;  ///< in the order proper; nobody tries more

struct Fallback {
  const Plan* plan = nullptr;
  std::string role;
  bool ranked = false;  ///< stands in the order of the goal; else it is there for another reason
};

/// No plan keeps the deadline: that weighs before the budget.
bool misses_deadline(const PlanStory& story) {
  return story.job.limits.deadline && !story.found.recommendations.within_deadline;
}

bool keeps_limits(const Plan& plan) { return plan.meets_deadline && plan.meets_budget && plan.reaches_target; }

/// Price an hour up to which a plan stays at least as good as the next one for the job's goal, and within the budget;
/// nullopt: it has no price, or the goal does not look at prices. Hours do not depend on the price, dollars are
/// proportional to it.
std::optional<DollarsPerSecond> price_limit(const PlanStory& story, const Plan& plan, const Plan* next) {
  const Job& job = story.job;
  const auto price = price_of(plan);
  if (story.found.recommendations.limits_missed || !price || plan.cost.p50 <= Dollars{}) return std::nullopt;
  double factor = std::numeric_limits<double>::infinity();
  if (next != nullptr && (job.goal == Goal::kBestValue || job.goal == Goal::kCheapest)) {
    const DollarsPerSecond value = job.goal == Goal::kBestValue ? job.value_of_time : DollarsPerSecond{};
    factor = (total_at(*next, value) - value * plan.hours.p50) / plan.cost.p50;
  }
  // The budget has to hold with the wanted confidence, which p90 stands for here.
  if (job.limits.budget && plan.meets_budget && plan.cost.p90 > Dollars{})
    factor = std::min(factor, (*job.limits.budget - job.contingency) / plan.cost.p90);
  // Dearer machines are none that the job would take.
  if (plan.offer != nullptr) {
    const auto& one = plan.spot ? plan.offer->spot_price : plan.offer->price;
    for (const auto& most : {job.where.max_price, plan.spot ? job.spot.max_price : std::nullopt})
      if (one && most && one->p50 > DollarsPerSecond{}) factor = std::min(factor, *most / one->p50);
  }
  if (factor == std::numeric_limits<double>::infinity()) return std::nullopt;
  return *price * factor;
}

class Order {
 public:
  explicit Order(const PlanStory& story) : story_(story) {
    const bool any = std::ranges::any_of(story.found.plans, keeps_limits);
    for (const Plan* plan : contenders(story.found.plans))
      if (!any || keeps_limits(*plan)) left_.push_back(plan);
    std::ranges::stable_sort(left_, {}, [&](const Plan* plan) { return rank(*plan); });
  }

  std::vector<Fallback> rows() {
    const Plan* pick = story_.pick();
    take(*pick, "first", true);
    while (rows_.size() < kMost) {
      const Plan* next = first_of([](const Plan&) { return true; });
      if (next == nullptr) return elsewhere();
      take(*next, rows_.size() == 1 ? "if not to be had" : "then", true);
    }
    if (std::ranges::none_of(rows_, [](const Fallback& row) { return row.plan->gpus == 1; }))
      if (const Plan* one = first_of([](const Plan& plan) { return plan.gpus == 1; }); one != nullptr)
        take(*one, "one GPU");
    // What is easiest to get of the rest, when that is easier than anything above.
    const auto ease = [](const Plan& plan) {
      return plan.offer == nullptr ? Availability::kUnknown : availability_of(*plan.offer);
    };
    Availability best = Availability::kVeryRare;
    for (const Fallback& row : rows_) best = std::min(best, ease(*row.plan));
    for (const Availability wanted : {Availability::kCommon, Availability::kVaries})
      if (wanted < best)
        if (const Plan* plan = first_of([&](const Plan& p) { return ease(p) == wanted; }); plan != nullptr) {
          take(*plan, "if nothing else");
          return std::move(rows_);
        }
    return std::move(rows_);
  }

  /// Offers of the same machines, the plan's own among them, that keep the limits.
  int offers_like(const Plan& plan) const {
    std::vector<const Offer*> offers;
    for (const Plan& other : story_.found.plans)
      if (other.offer != nullptr && other.label == plan.label && keeps_limits(other) == keeps_limits(plan) &&
          std::ranges::find(offers, other.offer) == offers.end())
        offers.push_back(other.offer);
    return static_cast<int>(offers.size());
  }

 private:
  /// By the job's goal; where no plan keeps the limits, by how near it comes to the one that is missed.
  std::pair<double, double> rank(const Plan& plan) const {
    if (!story_.found.recommendations.limits_missed) return goal_key(story_.job, plan);
    if (misses_deadline(story_)) return {plan.hours.p90.value, 0};
    // Each limit is kept by some plan, and both by none: what comes in time goes first.
    return {plan.meets_deadline ? 0 : 1, plan.cost.p90.value};
  }

  template <class Counts>
  const Plan* first_of(Counts counts) const {
    for (const Plan* plan : left_)
      if (counts(*plan)) return plan;
    return nullptr;
  }

  /// Other offers of the same machines are one line, and counted.
  void take(const Plan& plan, std::string role, bool ranked = false) {
    rows_.push_back({&plan, std::move(role), ranked});
    std::erase_if(left_, [&](const Plan* other) {
      const bool same = other != &plan && other->label == plan.label;
      if (same) same_.push_back(other);
      return other == &plan || same;
    });
  }

  /// Where there are few kinds of machine to choose from, the same ones of other providers.
  std::vector<Fallback> elsewhere() {
    for (const Plan* plan : same_) {
      if (rows_.size() >= kFew) break;
      const bool listed = std::ranges::any_of(rows_, [&](const Fallback& row) {
        return row.plan->label == plan->label && row.plan->offer != nullptr && plan->offer != nullptr &&
               row.plan->offer->provider == plan->offer->provider;
      });
      if (!listed) rows_.push_back({plan, "the same elsewhere", false});
    }
    return std::move(rows_);
  }

  const PlanStory& story_;
  std::vector<const Plan*> left_;  ///< best first
  std::vector<const Plan*> same_;  ///< other offers of machines that are taken
  std::vector<Fallback> rows_;
};

}  // namespace

ViewContent fallback_view(const PlanStory& story, const Screen&) {
  std::vector<Column> columns = {{.title = "TAKE", .key = "role"}};
  add_plan_columns(columns, 4);
  add_hours_columns(columns, 7);
  add_cost_columns(columns, 6);
  columns.push_back({.title = "PRICE", .align = Align::kRight, .unit = "an hour", .key = "usd_per_hour"});
  columns.push_back({.title = "AS LONG AS", .align = Align::kRight, .unit = "below", .key = "below_usd_per_hour"});
  columns.push_back({.title = "OFFERS", .align = Align::kRight, .drop = 2, .key = "offers"});
  columns.push_back({.title = "AVAILABILITY", .drop = 3, .narrowest = 12, .wrap = true, .key = "availability"});
  columns.push_back({.title = "LIMITS", .drop = 5, .key = "limits"});
  ViewContent view{"What to take when the pick is not to be had, in this order", Table(std::move(columns)), {}};

  Order order(story);
  const std::vector<Fallback> rows = order.rows();
  bool unknown = true;
  const bool missed = story.found.recommendations.limits_missed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Plan& plan = *rows[i].plan;
    std::vector<Cell> row = {{rows[i].role}};
    add_plan(row, story, plan);
    add_hours(row, plan.hours);
    add_cost(row, plan.cost);
    row.push_back(price_cell(price_of(plan)));
    const bool next = rows[i].ranked && i + 1 < rows.size() && rows[i + 1].ranked;
    row.push_back(price_cell(price_limit(story, plan, next ? rows[i + 1].plan : nullptr)));
    const int offers = order.offers_like(plan);
    row.push_back(offers > 0 ? Cell(offers, std::to_string(offers)) : Cell());
    const std::string words = plan.offer == nullptr ? "" : printable(plan.offer->availability, 40);
    unknown = unknown && (plan.offer == nullptr || availability_of(*plan.offer) == Availability::kUnknown);
    row.emplace_back(words, is_rare(plan) ? Paint::kYellow : Paint::kPlain);
    row.emplace_back(missed ? limits_words(plan) : "", Paint::kYellow);
    view.table.add(std::move(row));
  }
  if (rows.size() == 1) {
    view.notes.push_back("There is nothing to fall back on: " + story.name(*rows.front().plan) +
                         (std::ranges::any_of(story.found.plans, keeps_limits) && story.found.plans.size() > 1
                              ? " is the only kind of machine that keeps the limits."
                              : " is the only kind of machine on the market that runs the job."));
    return view;
  }
  const Goal goal = story.job.goal;
  const std::string ranked = missed                    ? (misses_deadline(story) ? "hours (P90)" : "cost (P90)")
                             : goal == Goal::kCheapest ? "cost"
                             : goal == Goal::kFastest  ? "hours"
                             : goal == Goal::kFewestGpus
                                 ? "number of GPUs, then cost"
                                 : "cost + hours at " + short_money(story.job.value_of_time * units::hour) + " each";
  std::string note = (missed ? "No plan keeps the limits; ranked by " : "Ranked by ") + ranked;
  if (missed) note += ", nearest first";
  else if (goal == Goal::kBestValue || goal == Goal::kCheapest)
    note += "; as long as the hour costs less than that, the plan is better than the next" +
            std::string(story.job.limits.budget ? " and keeps the budget" : "");
  else if (story.job.limits.budget) note += "; as long as the hour costs less than that, the budget is kept";
  view.notes.push_back(note + ".");
  const auto rented = [](const Fallback& row) {
    return row.plan->offer != nullptr && row.plan->offer->kind == OfferKind::kRented;
  };
  if (unknown && std::ranges::any_of(rows, rented))
    view.notes.emplace_back(
        "The market does not say how easily these are had: the more offers, the better the chance.");
  return view;
}

}  // namespace gpuplan
