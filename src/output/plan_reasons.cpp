// Why this plan and not another: the sentences of a recommendation.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/choice.h"
#include "output/plan_story.h"
#include "output/plan_words.h"

namespace gpuplan {
namespace {

std::string value_of_time_words(const PlanStory& story) {
  const Dollars hour = story.job.value_of_time * units::hour;
  return short_money(hour) + " for an hour";
}

Dollars an_hour(DollarsPerSecond value) { return value * units::hour; }

/// "12 % dearer", "3.4 times the cost", "as dear".
std::string cost_difference(const Plan& plan, const Plan& than) {
  if (than.cost.p50 <= Dollars{})
    return plan.cost.p50 > Dollars{} ? to_text(plan.cost.p50) + " where the other is free" : "as cheap";
  const double ratio = plan.cost.p50 / than.cost.p50;
  if (ratio > 1.995) return significant_text(ratio, 2) + " times the cost";
  if (ratio > 1.0005) return percent(ratio - 1) + " dearer";
  if (ratio < 0.9995) return percent(1 - ratio) + " cheaper";
  return "as dear";
}

std::string time_difference(const Plan& plan, const Plan& than) {
  const Seconds difference = plan.hours.p50 - than.hours.p50;
  if (difference > Seconds{}) return hours_words(difference) + " slower";
  if (difference < Seconds{}) return hours_words(-difference) + " faster";
  return "as fast";
}

const ValueRange* range_of(const SearchResult& found, DollarsPerSecond value) {
  for (const ValueRange& range : found.values)
    if (value >= range.from && (!range.to || value < *range.to)) return &range;
  return found.values.empty() ? nullptr : &found.values.back();
}

}  // namespace

std::string value_words(const PlanStory& story) {
  const SearchResult& found = story.found;
  if (found.values.size() < 2) return "";
  const DollarsPerSecond value = story.job.value_of_time;
  const ValueRange* best = range_of(found, value);
  std::string text = "Best value at " + value_of_time_words(story) + ": " + story.name(story.plan(best->plan)) + ".";

  std::vector<std::string> others;
  for (const ValueRange& range : found.values) {
    if (&range == best) continue;
    const std::string& name = story.name(story.plan(range.plan));
    const std::string from = short_money(an_hour(range.from));
    std::string where;
    if (!range.to) where = "above " + from;
    else if (range.from <= DollarsPerSecond{}) where = "below " + short_money(an_hour(*range.to));
    else where = from + " to " + short_money(an_hour(*range.to));
    where += ": ";
    where += name;
    others.push_back(std::move(where));
  }
  std::vector<std::string> never;
  for (std::size_t i = 0; i < found.plans.size() && found.plans[i].on_frontier; ++i)
    if (std::ranges::none_of(found.values, [&](const ValueRange& range) { return range.plan == static_cast<int>(i); }))
      never.push_back(story.names[i]);
  if (never.size() > 3) {
    const std::size_t more = never.size() - 2;
    never.resize(2);
    never.push_back(std::to_string(more) + " others");
  }
  if (!never.empty()) others.push_back(listed(never) + " never");
  for (std::size_t i = 0; i < others.size(); ++i) text += (i == 0 ? " " + upper_first(others[i]) : "; " + others[i]);
  return text + ".";
}

std::string assumed_value_words(const PlanStory& story) {
  if (story.job.value_of_time_given || story.job.goal != Goal::kBestValue || story.found.plans.empty()) return "";
  return "Assumed: an hour of waiting is worth " + short_money(story.job.value_of_time * units::hour) +
         " (value_of_time).";
}

std::string pick_words(const PlanStory& story) {
  const Plan* pick = story.pick();
  if (pick == nullptr) return "";
  const Recommendations& rules = story.found.recommendations;
  const Limits& limits = story.job.limits;
  const std::string& name = story.name(*pick);
  if (rules.limits_missed) return "No plan keeps the limits. Nearest: " + name + ".";

  std::string kept;
  if (limits.deadline) kept += "the deadline";
  if (limits.budget) kept += kept.empty() ? "the budget" : " and the budget";
  const auto keeping =
      std::ranges::count_if(story.found.plans, [](const Plan& p) { return p.meets_deadline && p.meets_budget; });
  std::string rule;
  switch (story.job.goal) {
    case Goal::kBestValue:
      rule = "the best value at " + value_of_time_words(story) + " of waiting";
      break;
    case Goal::kCheapest:
      rule = "the cheapest";
      break;
    case Goal::kFastest:
      rule = "the fastest";
      break;
    case Goal::kFewestGpus:
      rule = "the fewest GPUs";
      break;
  }
  std::string text = "Pick: " + name + ", " + rule;
  if (keeping == 1 && !kept.empty()) text += ", the only plan that keeps " + kept;
  else if (!kept.empty()) text += ", of the " + count_of(static_cast<double>(keeping), "plan") + " that keep " + kept;
  text += ".";
  if (rules.cheapest && &story.plan(*rules.cheapest) != pick) {
    const Plan& cheapest = story.plan(*rules.cheapest);
    const Seconds saved = cheapest.hours.p50 - pick->hours.p50;
    const Dollars more = pick->cost.p50 - cheapest.cost.p50;
    if (saved > Seconds{}) {
      text += " Against the cheapest, " + story.name(cheapest) + ", it costs " + to_text(more) + " more and saves " +
              hours_words(saved) + ": " + short_money(more * (units::hour / saved)) + " for each hour saved.";
    }
  }
  if (rules.cheapest == rules.pick && rules.fastest == rules.pick && story.found.plans.size() > 1)
    text += " It is both the cheapest and the fastest.";
  if (pick->fit == Fit::kTight)
    text += " It is tight: only the median of its memory fits; nothing fits with room to spare.";
  return text;
}

std::vector<std::string> not_chosen_words(const PlanStory& story, std::size_t most) {
  const Plan* pick = story.pick();
  std::vector<std::string> lines;
  if (pick == nullptr) return lines;
  // What a reader asks about: the neighbours of the pick, then the ends of the frontier.
  const auto& plans = story.found.plans;
  const auto at = static_cast<std::ptrdiff_t>(pick - plans.data());
  std::ptrdiff_t size = 0;
  while (size < std::ssize(plans) && plans[static_cast<std::size_t>(size)].on_frontier) ++size;
  const std::vector<std::ptrdiff_t> order = {at + 1, at - 1, size - 1, 0, at + 2, at - 2};
  std::vector<std::ptrdiff_t> chosen;
  for (const std::ptrdiff_t i : order) {
    if (i < 0 || i >= size || i == at || chosen.size() == most || std::ranges::find(chosen, i) != chosen.end())
      continue;
    chosen.push_back(i);
  }
  std::ranges::sort(chosen);
  // A frontier of one or two: the nearest of the others, one of each label.
  std::vector<std::string> labels = {pick->label};
  for (std::ptrdiff_t i = size; i < std::ssize(plans) && chosen.size() < std::min<std::size_t>(most, 2); ++i) {
    const Plan& plan = plans[static_cast<std::size_t>(i)];
    if (i == at || std::ranges::find(labels, plan.label) != labels.end()) continue;
    labels.push_back(plan.label);
    chosen.push_back(i);
  }
  for (const std::ptrdiff_t i : chosen) {
    const Plan& plan = plans[static_cast<std::size_t>(i)];
    std::string text = story.name(plan) + ": ";
    if (story.job.goal == Goal::kFewestGpus && plan.gpus != pick->gpus)
      text += count_of(plan.gpus, "GPU") + " instead of " + std::to_string(pick->gpus) + ", ";
    if (const double share = memory_share(plan); share > 0 && share < 0.25)
      text += percent(share) + " of its memory used, ";
    text += cost_difference(plan, *pick) + ", " + time_difference(plan, *pick);
    const Seconds saved = pick->hours.p50 - plan.hours.p50;
    const Dollars more = plan.cost.p50 - pick->cost.p50;
    if (saved > Seconds{} && more > Dollars{})
      text += ": " + short_money(more * (units::hour / saved)) + " for each hour saved";
    if (saved < Seconds{} && more < Dollars{})
      text += ": saves " + short_money(more * (units::hour / saved)) + " for each hour waited";
    if (!plan.meets_deadline) text += "; misses the deadline";
    if (!plan.meets_budget) text += "; over the budget";
    lines.push_back(text + ".");
  }
  return lines;
}

}  // namespace gpuplan
