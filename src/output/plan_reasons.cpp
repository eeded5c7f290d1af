// Why this plan and not another: the sentences of a recommendation.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/explain.h"
#include "output/plan_story.h"
#include "output/plan_words.h"

namespace gpuplan {
namespace {

double memory_share(const Plan& plan) {
  const PhasePlan* fullest = plan.fullest();
  if (fullest == nullptr || !fullest->estimate.node || fullest->estimate.node->gpu == nullptr) return 0;
  return fullest->estimate.memory_total.p50 / fullest->estimate.node->gpu->usable;
}

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

bool is_rare(const Plan& plan) {
  return plan.offer != nullptr && to_lower(plan.offer->availability).find("rare") != std::string::npos;
}

/// " By the model, 71 % of the time on 4x RTX 5090 goes to: host."
std::string bound_words(const PlanStory& story, const Plan& plan, const PhasePlan& part) {
  for (const PhaseTerms& terms : explain_phases(plan, story.job, story.catalogue)) {
    if (terms.part != &part) continue;
    const Term* largest = terms.largest(Term::Kind::kTime);
    const double total = terms.total(Term::Kind::kTime);
    if (largest == nullptr || total <= 0) return "";
    return " By the model, " + percent(largest->value / total) + " of the time on " + story.name(plan) +
           " goes to: " + std::string(largest->name) + ".";
  }
  return "";
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
    if (!range.to) others.push_back("above " + from + ": " + name);
    else if (range.from <= DollarsPerSecond{})
      others.push_back("below " + short_money(an_hour(*range.to)) + ": " + name);
    else others.push_back(from + " to " + short_money(an_hour(*range.to)) + ": " + name);
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
  if (!kept.empty())
    text += ", of the " + count_of(static_cast<double>(keeping), "plan") +
            (keeping == 1 ? " that keeps " : " that keep ") + kept;
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
  std::vector<std::ptrdiff_t> order = {at + 1, at - 1, size - 1, 0, at + 2, at - 2};
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

std::string given_words(const PlanStory& story) {
  constexpr std::size_t kExamples = 3;
  std::vector<std::string> cases, said;
  std::size_t more = 0;
  std::string bound;  // what the model thinks limits the first of them
  for (const Plan& plan : story.found.plans) {
    if (!plan.on_frontier) continue;
    for (const PhasePlan& part : plan.phases) {
      const PhaseEstimate& estimate = part.estimate;
      if (!estimate.model_interval) continue;
      // Spot and on-demand, or two providers of one machine, have the same figures.
      std::string which = std::to_string(estimate.gpus) + estimate.node->gpu->name + std::to_string(estimate.phase);
      if (std::ranges::find(said, which) != said.end()) continue;
      said.push_back(std::move(which));
      if (cases.size() == kExamples) {
        ++more;
        continue;
      }
      const Phase& phase = story.job.phases[static_cast<std::size_t>(estimate.phase)];
      std::string text = story.name(plan);
      if (story.job.phases.size() > 1) text += ", " + printable(phase.name, 40);
      const Interval<Seconds>& model = *estimate.model_interval;
      const double unshared = 1 + estimate.overhead_share;  // what was added to the work is no fault of the rate
      const auto rate = [&](double tokens, std::string_view unit) {
        const double work = tokens * unshared;
        return " given " + significant_text(work / estimate.work.p50.value, 2) + ", model " +
               significant_text(work / model.p90.value, 2) + " … " + significant_text(work / model.p10.value, 2) + " " +
               std::string(unit);
      };
      if (std::holds_alternative<GeneratePhase>(phase.work) && estimate.tokens > 0) {
        text += rate(estimate.tokens / estimate.gpus, "tokens/s a GPU");
      } else if (estimate.steps > 0) {
        text += " given " + hours_words(estimate.work.p50 / unshared / estimate.steps) + ", model " +
                hours_words(model.p10 / unshared / estimate.steps) + " … " +
                hours_words(model.p90 / unshared / estimate.steps) + " a step";
      } else {
        text += " given " + hours_words(estimate.work.p50) + ", model " + hours_words(model.p10) + " … " +
                hours_words(model.p90);
      }
      cases.push_back(text);
      if (bound.empty()) bound = bound_words(story, plan, part);
    }
  }
  if (cases.empty()) return "";
  std::string text = "The figures given are far from the model's: " + join(cases, "; ");
  if (more > 0) text += "; and " + std::to_string(more) + " more";
  return text + "." + bound + " With the model's figures: " + story.command + " --ignore given";
}

std::string availability_words(const PlanStory& story) {
  const Plan* pick = story.pick();
  if (pick == nullptr || !is_rare(*pick)) return "";
  const auto key = [&](const Plan& plan) {
    switch (story.job.goal) {
      case Goal::kCheapest:
        return plan.cost.p50.value;
      case Goal::kFastest:
        return plan.hours.p50.value;
      case Goal::kFewestGpus:
        return static_cast<double>(plan.gpus) + plan.cost.p50.value * 1e-6;
      case Goal::kBestValue:
        break;
    }
    return (plan.cost.p50 + story.job.value_of_time * plan.hours.p50).value;
  };
  const Plan* next = nullptr;
  for (const Plan& plan : story.found.plans) {
    if (is_rare(plan) || plan.fit != Fit::kFits || !plan.meets_deadline || !plan.meets_budget) continue;
    if (next == nullptr || key(plan) < key(*next)) next = &plan;
  }
  std::string text = story.name(*pick) + " is " + printable(pick->offer->availability, 30) + " on the market";
  return next == nullptr ? text + "." : text + "; next best: " + story.name(*next) + ".";
}

std::string close_words(const PlanStory& story) {
  std::vector<std::string> pairs;
  for (std::size_t i = 1; i < story.found.plans.size() && story.found.plans[i].on_frontier; ++i)
    if (story.found.plans[i].close_to_previous) pairs.push_back(story.names[i - 1] + " and " + story.names[i]);
  if (pairs.empty()) return "";
  return "Too close to call (80 % intervals overlap in hours and dollars): " + join(pairs, "; ") + ".";
}

std::vector<std::string> limit_words(const PlanStory& story) {
  std::vector<std::string> lines;
  const Plan* pick = story.pick();
  const Job& job = story.job;
  if (pick == nullptr) return lines;
  const auto& plans = story.found.plans;
  const std::string of_plans = " of " + count_of(static_cast<double>(plans.size()), "plan");
  if (job.limits.deadline) {
    const auto keep = std::ranges::count_if(plans, [](const Plan& p) { return p.meets_deadline; });
    std::string text =
        "Deadline " + to_text(*job.limits.deadline) + ", to be kept with " + percent(job.limits.confidence) + ": ";
    if (pick->chance_in_time)
      text += story.name(*pick) + " keeps it with " + chance_words(*pick->chance_in_time) + "; ";
    text += std::to_string(keep) + of_plans + (keep == 1 ? " keeps it." : " keep it.");
    if (keep == 0) {
      const auto fastest = std::ranges::min_element(plans, {}, [](const Plan& p) { return p.hours.p90.value; });
      text += " Fastest: " + story.name(*fastest) + ", P90 " + hours_words(fastest->hours.p90) + ", " +
              hours_words(fastest->hours.p90 - *job.limits.deadline) + " too late.";
    }
    lines.push_back(text);
  }
  if (job.limits.budget) {
    const auto keep = std::ranges::count_if(plans, [](const Plan& p) { return p.meets_budget; });
    std::string text = "Budget " + short_money(*job.limits.budget) + ": " + std::to_string(keep) + of_plans +
                       (keep == 1 ? " keeps it." : " keep it.");
    if (keep == 0) {
      const auto cheapest = std::ranges::min_element(plans, {}, [](const Plan& p) { return p.cost.p90.value; });
      text += " Cheapest: " + story.name(*cheapest) + ", P90 " + to_text(cheapest->cost.p90 + job.contingency) + ".";
    }
    lines.push_back(text);
  }
  if (job.contingency > Dollars{}) {
    lines.push_back("Contingency " + short_money(job.contingency) +
                    " on top: " + to_text(pick->cost.p50 + job.contingency) + " in all (P90 " +
                    to_text(pick->cost.p90 + job.contingency) + ").");
  }
  if (pick->buffer > Seconds{}) {
    lines.push_back("Buffer " + percent(job.buffer) + " of all phases: " + hours_words(pick->buffer) + " of the " +
                    hours_words(pick->hours.p50) + ".");
  }
  if (pick->spot) {
    lines.push_back("Spot: " + significant_text(pick->interruptions, 2) +
                    " interruptions expected; they and checkpoints take " + hours_words(pick->spot_loss) + " of the " +
                    hours_words(pick->hours.p50) + " (expected loss in closed form, not simulated).");
  }
  return lines;
}

}  // namespace gpuplan
