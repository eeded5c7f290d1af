// What a reader must know before he believes a recommendation: figures far from the model's, scarce machines, plans too
// close to call, limits, buffers and interruptions.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/explain.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// " Phases that no GPU shortens take 6.5 h of it: extensions, metrics and documentation."; empty where they are less
/// than a quarter of the deadline.
std::string no_gpu_shortens(const Job& job, const Plan& plan) {
  Seconds time{};
  std::vector<std::string> names;
  for (const PhasePlan& part : plan.phases) {
    const Phase& phase = job.phases[static_cast<std::size_t>(part.estimate->phase)];
    if (!std::holds_alternative<FixedPhase>(phase.work) && !std::holds_alternative<CpuPhase>(phase.work)) continue;
    time = time + part.hours.p50;
    names.push_back(printable(phase.name, 40));
  }
  if (time < 0.25 * *job.limits.deadline) return "";
  return " Phases that no GPU shortens take " + hours_words(time) + " of it: " + listed(names) + ".";
}

/// "4x RTX 5090 keeps it with a chance of 97 %; ".
std::string chance_of(const std::string& name, const std::optional<double>& chance) {
  return chance ? name + " keeps it with a chance of " + chance_words(*chance) + "; " : std::string();
}

/// The plan at a position unless it is the pick, of which enough is said.
const Plan* other_at(const PlanReport& report, const std::optional<int>& position) {
  if (!position) return nullptr;
  const Plan& plan = report.plan(*position);
  return &plan == report.pick() ? nullptr : &plan;
}

/// Each limit is kept by some plan, and both by none: by how much the nearest miss.
std::string not_both_words(const PlanReport& report) {
  const Recommendations& found = report.found.recommendations;
  const Limits& limits = report.job.limits;
  if (!limits.deadline || !limits.budget || !found.within_deadline || !found.within_budget) return "";
  if (std::ranges::any_of(report.found.plans, [](const Plan& p) { return p.meets_deadline && p.meets_budget; }))
    return "";
  const Plan& in_time = report.plan(*found.within_deadline);
  const Plan& in_budget = report.plan(*found.within_budget);
  // By P90, which is over the limit unless the job asks for more than a chance of 90 %, or waits in a queue.
  const Dollars over = in_time.cost.p90 + report.job.contingency - *limits.budget;
  const Seconds late = in_budget.hours.p90 - *limits.deadline;
  const auto chance = [](const std::optional<double>& of) { return chance_words(of.value_or(0)); };
  return "No plan keeps both. " + report.name(in_time) + " is in time and " +
         (over > Dollars{} ? to_text(over) + " over the budget (P90); "
                           : "within the budget with a chance of " + chance(in_time.chance_in_budget) + "; ") +
         report.name(in_budget) + " is within it and " +
         (late > Seconds{} ? hours_words(late) + " late."
                           : "in time with a chance of " + chance(in_budget.chance_in_time) + ".");
}

/// " By the model the largest part of the time on 4x RTX 5090 is reading weights, 71 %."
std::string bound_words(const PlanReport& report, const Plan& plan, const PhasePlan& part) {
  for (const PhaseTerms& terms : explain_phases(plan, report.job, report.catalogue)) {
    if (terms.part != &part) continue;
    const Term* largest = terms.largest(Term::Kind::kTime);
    const double total = terms.total(Term::Kind::kTime);
    if (largest == nullptr || total <= 0) return "";
    return " By the model the largest part of the time on " + report.name(plan) + " is " + std::string(largest->name) +
           ", " + percent(largest->value / total) + ".";
  }
  return "";
}

}  // namespace

std::string given_words(const PlanReport& report) {
  constexpr std::size_t kExamples = 3;
  std::vector<std::string> cases, said;
  std::size_t more = 0;
  std::string bound;  // what the model thinks limits the first of them
  for (const Plan& plan : report.found.plans) {
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
      const Phase& phase = report.job.phases[static_cast<std::size_t>(estimate.phase)];
      std::string text = report.name(plan);
      if (report.job.phases.size() > 1) text += ", " + printable(phase.name, 40);
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
      if (bound.empty()) bound = bound_words(report, plan, part);
    }
  }
  if (cases.empty()) return "";
  std::string text = "The figures given are far from the model's: " + join(cases, "; ");
  if (more > 0) text += "; and " + std::to_string(more) + " more";
  return text + "." + bound + " With the model's figures: " + report.command + " --ignore given";
}

std::string availability_words(const PlanReport& report) {
  const Plan* pick = report.pick();
  if (pick == nullptr || !is_rare(*pick)) return "";
  const Plan* next = nullptr;
  for (const Plan& plan : report.found.plans) {
    if (is_rare(plan) || plan.fit != Fit::kFits || !plan.keeps_limits()) continue;
    if (next == nullptr || goal_key(report.job, plan) < goal_key(report.job, *next)) next = &plan;
  }
  const std::string text = report.name(*pick) + " is " + printable(pick->offer->availability, 30) + " on the market";
  return next == nullptr ? text + "." : text + "; next best: " + report.name(*next) + ".";
}

std::string close_words(const PlanReport& report) {
  const auto& plans = report.found.plans;
  std::vector<std::string> chains;  // neighbours of neighbours: "A, B and C"
  std::vector<std::string> chain;
  bool longer = false;
  for (std::size_t i = 1; i <= plans.size(); ++i) {
    if (i < plans.size() && plans[i].on_frontier && plans[i].close_to_previous) {
      if (chain.empty()) chain.push_back(report.names[i - 1]);
      chain.push_back(report.names[i]);
      continue;
    }
    longer = longer || chain.size() > 2;
    if (!chain.empty()) chains.push_back(listed(chain));
    chain.clear();
  }
  if (chains.empty()) return "";
  return "Too close to call" + std::string(longer ? ", each with the next" : "") +
         " (80 % intervals overlap in hours and dollars): " + join(chains, "; ") + ".";
}

std::vector<std::string> limit_words(const PlanReport& report) {
  std::vector<std::string> lines;
  const Plan* pick = report.pick();
  const Job& job = report.job;
  if (pick == nullptr) return lines;
  const auto& plans = report.found.plans;
  const std::string of_plans = " of " + count_of(static_cast<double>(plans.size()), "plan");
  if (job.limits.deadline) {
    const auto keep = std::ranges::count_if(plans, [](const Plan& p) { return p.meets_deadline; });
    std::string text =
        "Deadline " + to_text(*job.limits.deadline) + " at " + percent(job.limits.confidence) + " confidence: ";
    text += chance_of(report.name(*pick), pick->chance_in_time);
    text += std::to_string(keep) + of_plans + (keep == 1 ? " keeps it." : " keep it.");
    if (const Plan* cheapest = other_at(report, report.found.recommendations.within_deadline))
      text += " Cheapest in time: " + report.name(*cheapest) + ", " + to_text(cheapest->cost.p50) + ".";
    if (keep == 0) {
      const auto fastest = std::ranges::min_element(plans, {}, [](const Plan& p) { return p.hours.p90.value; });
      const Seconds late = fastest->hours.p90 - *job.limits.deadline;
      text +=
          " Fastest: " + report.name(*fastest) + ", P90 " + hours_words(fastest->hours.p90) + ", " +
          (late > Seconds{} ? hours_words(late) + " too late."
                            : "in time with a chance of " + chance_words(fastest->chance_in_time.value_or(0)) + ".");
      text += no_gpu_shortens(job, *fastest);
    }
    lines.push_back(text);
  }
  if (job.limits.budget) {
    const auto keep = std::ranges::count_if(plans, [](const Plan& p) { return p.meets_budget; });
    // As it was given: "$50", "$13.40".
    const double cents = *job.limits.budget / units::dollar * 100;
    const bool whole = std::abs(std::remainder(cents, 100)) < 0.5;
    std::string text = "Budget " + (whole ? short_money(*job.limits.budget) : to_text(*job.limits.budget)) + ": " +
                       chance_of(report.name(*pick), pick->chance_in_budget) + std::to_string(keep) + of_plans +
                       (keep == 1 ? " keeps it." : " keep it.");
    if (const Plan* fastest = other_at(report, report.found.recommendations.within_budget))
      text += " Fastest within it: " + report.name(*fastest) + ", " + hours_words(fastest->hours.p50) + ".";
    if (keep == 0) {
      const auto cheapest = std::ranges::min_element(plans, {}, [](const Plan& p) { return p.cost.p90.value; });
      text += " Cheapest: " + report.name(*cheapest) + ", P90 " + to_text(cheapest->cost.p90 + job.contingency) + ".";
    }
    lines.push_back(text);
  }
  if (std::string line = not_both_words(report); !line.empty()) lines.push_back(std::move(line));
  for (std::string& line : target_lines(report)) lines.push_back(std::move(line));
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
    lines.push_back("Spot: " + significant_text(pick->interruptions, 2) + " interruptions expected, " +
                    chance_words(pick->chance_of_interruption()) +
                    " chance of at least one; they and checkpoints take " + hours_words(pick->spot_loss) + " of the " +
                    hours_words(pick->hours.p50) +
                    (pick->simulated ? " (the expectation; its luck, simulated, is in P10 and P90)."
                                     : " (expected loss in closed form).") +
                    " gpuplan simulate compares policies.");
    // Amazon EC2 User Guide, "Spot Instance requests": with a maximum price instances are interrupted more often.
    const bool aws = std::ranges::any_of(
        pick->phases, [](const PhasePlan& part) { return part.offer != nullptr && part.offer->provider == "aws"; });
    if (job.spot.max_price && aws)
      lines.emplace_back(
          "spot.max_price: AWS interrupts machines more often when a maximum price is set; the rate of interruptions "
          "here "
          "does not know of it.");
  }
  return lines;
}

}  // namespace gpuplan
