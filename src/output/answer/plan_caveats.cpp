// What a reader must know before he believes a recommendation: figures far from the model's, scarce machines, plans too
// close to call, limits, buffers and interruptions.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_head.h"
#include "output/words/columns.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "plan/billing/interruptions.h"
#include "plan/notes/interruption_notes.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"
#include "spot/policies.h"

namespace gpuplan {
namespace {

/// " Fixed-time phases take 6.5 h of it (extensions, metrics): faster GPUs cannot help there."; empty where they are
/// less than a quarter of the deadline.
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
  return " Fixed-time phases take " + hours_words(time) + " of it (" + join(names, ", ") +
         "): faster GPUs cannot help there.";
}

/// The plan at a position unless it is the pick, of which enough is said.
const Plan* other_at(const PlanReport& report, const std::optional<int>& position) {
  if (!position) return nullptr;
  const Plan& plan = report.plan(*position);
  return &plan == report.pick() ? nullptr : &plan;
}

}  // namespace

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
  const Seconds late = latest_done(in_budget) - *limits.deadline;
  const auto chance = [](const std::optional<double>& of) { return chance_words(of.value_or(0)); };
  return "No plan meets both limits. " + report.name(in_time) + " is on time but " +
         (over > Dollars{} ? to_text(over) + " over budget (P90); "
                           : chance(in_time.chance_in_budget) + " sure to stay within budget; ") +
         report.name(in_budget) + " is within budget but " +
         (late > Seconds{} ? hours_words(late) + " late (P90)."
                           : chance(in_budget.chance_in_time) + " sure to be on time.");
}

namespace {

/// "Your figures for 8x H100 SXM are not used: ...", where a plan on such machines uses fewer of their GPUs.
std::string unused_words(const PlanReport& report) {
  for (const Plan& plan : report.found.plans)
    for (const PhasePlan& part : plan.phases) {
      const PhaseEstimate& estimate = part.estimate;
      if (!estimate.node || part.gpus_billed <= estimate.gpus) continue;
      const Gpu& gpu = *estimate.node->gpu;
      const Phase& phase = report.job.phases[static_cast<std::size_t>(estimate.phase)];
      for (const Given& given : phase.given) {
        if (given.gpu != gpu.name || given.gpus != part.gpus_billed) continue;
        const bool full = given.memory && given.memory->p90 >= gpu.usable;
        return "Your figures for " + std::to_string(given.gpus) + "x " + gpu.name + " are not used: " +
               (full ? "up to " + gib_text(given.memory->p90) + " GiB (P90) may not fit in " + gib_text(gpu.usable) +
                           " GiB, so " + count_of(estimate.gpus, "GPU") + " run there."
                     : count_of(estimate.gpus, "GPU") + " run there.");
      }
    }
  return "";
}

}  // namespace

std::string given_words(const PlanReport& report) {
  constexpr std::size_t kExamples = 2;
  std::vector<std::string> cases, said;
  std::vector<int> phases;
  // The pick comes first: its figures decide. Of each phase one is enough, of beaten plans where no other has one.
  std::vector<const Plan*> plans;
  if (const Plan* pick = report.pick()) plans.push_back(pick);
  for (const Plan& plan : report.found.plans)
    if (plan.on_frontier && &plan != report.pick()) plans.push_back(&plan);
  for (const Plan& plan : report.found.plans)
    if (!plan.on_frontier && &plan != report.pick()) plans.push_back(&plan);
  for (const Plan* plan : plans) {
    for (const PhasePlan& part : plan->phases) {
      const PhaseEstimate& estimate = part.estimate;
      if (!estimate.model_interval) continue;
      const bool beaten = !plan->on_frontier && plan != report.pick();
      if (beaten && std::ranges::find(phases, estimate.phase) != phases.end()) continue;
      // Spot and on-demand, or two providers of one machine, have the same figures.
      std::string which = std::to_string(estimate.gpus) + estimate.node->gpu->name + std::to_string(estimate.phase);
      if (std::ranges::find(said, which) != said.end()) continue;
      said.push_back(std::move(which));
      if (cases.size() == kExamples || std::ranges::find(phases, estimate.phase) != phases.end()) continue;
      phases.push_back(estimate.phase);
      const Phase& phase = report.job.phases[static_cast<std::size_t>(estimate.phase)];
      const Interval<Seconds>& model = *estimate.model_interval;
      const double unshared = 1 + estimate.overhead_share;  // what was added to the work is no fault of the rate
      std::string text;
      if (std::holds_alternative<GeneratePhase>(phase.work) && estimate.tokens > 0) {
        const double work = estimate.tokens / estimate.gpus * unshared;
        text = significant_text(work / estimate.work.p50.value, 2) + " tokens/s per GPU";
        text += ", predicted " +
                range_text(significant_text(work / model.p90.value, 2), significant_text(work / model.p10.value, 2));
      } else {
        const double steps = estimate.steps > 0 ? unshared * estimate.steps : 1;
        text = hours_words(estimate.work.p50 / steps) + (estimate.steps > 0 ? " per step" : "");
        text += ", predicted " + range_text(hours_words(model.p10 / steps), hours_words(model.p90 / steps));
      }
      if (report.job.phases.size() > 1) text.append(" in ").append(printable(phase.name, 40));
      if (plan != report.pick()) text.append(" on ").append(report.name(*plan));
      cases.push_back(std::move(text));
    }
  }
  std::string unused = unused_words(report);
  if (cases.empty()) return unused;
  const std::size_t more = said.size() - cases.size();
  std::string text = (unused.empty() ? "" : unused + " ") + "Speeds: your job file says " + join(cases, "; ");
  if (more > 0) text += " (" + std::to_string(more) + " more: --show evidence)";
  return text + ". Use predictions: --ignore given";
}

std::string availability_words(const PlanReport& report) {
  const Plan* pick = report.pick();
  if (pick == nullptr || !is_rare(*pick)) return "";
  // What the rule that recommends takes of the others.
  std::vector<int> others;
  for (std::size_t i = 0; i < report.found.plans.size(); ++i) {
    const Plan& plan = report.found.plans[i];
    if (!is_rare(plan) && plan.fit == Fit::kFits && plan.keeps_limits()) others.push_back(static_cast<int>(i));
  }
  const Offer& offer = *pick->offer;
  const bool rare = availability_of(offer) >= Availability::kRare;
  const std::string said = offer.availability.empty() ? std::string(name_of(offer.stock)) : offer.availability.str();
  std::string text = "Supply: ";
  if (rare) text += report.name(*pick) + " is " + printable(said, 30);
  if (is_often_away(offer))
    text += (rare ? ", and its host" : "the host of " + report.name(*pick)) + " was up " +
            percent_text(offer.reliability) + " of the time";
  text += ".";
  if (others.empty()) return text;
  const Plan& next = report.plan(pick_of(report.job, report.found.plans, others, report.compared()));
  return text + " Next best: " + report.name(next) + ", " + hours_words(next.hours.p50) + ", " +
         to_text(next.cost.p50) + ".";
}

std::string break_even_words(const PlanReport& report) {
  const auto& price = report.break_even;
  if (!price) return "";
  const Offer& offer = *report.pick()->offer;
  return "up to " + to_text(price->price) + " (now " + to_text(price->now) + "; all " + offer.gpu +
         (offer.provider.empty() ? "" : " of " + printable(offer.provider, 40)) + " rising alike); above, " +
         report.name(*price->then);
}

std::string close_words(const PlanReport& report) {
  const auto& plans = report.found.plans;
  std::vector<std::string> chains;  // of neighbours: "A and B", "A to D"
  std::size_t first = 0;
  for (std::size_t i = 1; i <= plans.size(); ++i) {
    if (i < plans.size() && plans[i].on_frontier && plans[i].close_to_previous) continue;
    if (i - first > 1) chains.push_back(report.names[first] + (i - first > 2 ? " to " : " and ") + report.names[i - 1]);
    first = i;
  }
  if (chains.empty()) return "";
  return "Close call, 80% ranges overlap from plan to plan: " + join(chains, "; ") + ".";
}

namespace {

/// Phases of a plan that begin anew when their machines are taken, by name.
std::vector<std::string> begun_anew(const Job& job, const Plan& plan) {
  std::vector<std::string> names;
  for (const PhasePlan& part : plan.phases)
    if (can_be_interrupted(job, part) && spot_terms(job, part.estimate, *part.offer).anew)
      names.push_back(printable(job.phases[static_cast<std::size_t>(part.estimate->phase)].name, 60));
  return names;
}

/// What the job says of spot machines that plans do not follow.
std::string not_followed_words(const Job& job, const Plan& plan) {
  std::string text;
  const std::string& policy = job.spot.policy;
  if (!policy.empty() && policy != "auto" && policy != name_of(SpotPolicy::kSpotOnly))
    text += " The plan stays on spot; only gpuplan simulate follows spot.policy: " + policy + ".";
  if (job.spot.trace.empty()) return text;
  for (const PhasePlan& part : plan.phases)
    if (can_be_interrupted(job, part))
      return text + " Counted with " + to_text(interruption_rate(job, *part.offer)->p50) +
             "; only gpuplan simulate replays the trace of spot.interruptions.";
  return text;
}

}  // namespace

std::string interruption_words(const PlanReport& report, const Plan& plan) {
  const bool spot = std::ranges::any_of(plan.leases, &Lease::spot);
  const bool preemptible = std::ranges::any_of(
      plan.leases, [](const Lease& lease) { return lease.offer != nullptr && lease.offer->preemptible; });
  if (!spot && !preemptible)
    return report.found.market.spot_without_rate > 0 && !report.job.spot.trace.empty()
               ? "Spot left out: only gpuplan simulate uses the trace of spot.interruptions; plans need a rate, such "
                 "as "
                 "5%/h"
               : std::string();
  std::string text = spot ? "Spot: " : "Preemptible pool: ";
  if (!spot && plan.uninterrupted >= 1)
    return text + "jobs may be preempted, how often is unknown and not counted (spot.interruptions: 5%/h).";
  text += chance_words(plan.chance_of_interruption()) + " chance of an interruption; ";
  text += "restarts, lost work and extra checkpoints add " + hours_words(plan.spot_loss) + " on average.";
  if (const std::vector<std::string> names = begun_anew(report.job, plan); !names.empty())
    text += " After an interruption, " + listed(names) + (names.size() == 1 ? " restarts" : " restart") +
            " from scratch (checkpoint: {every: 1 h} says otherwise).";
  text += not_followed_words(report.job, plan);
  // Amazon EC2 User Guide, "Spot Instance requests": with a maximum price instances are interrupted more often.
  const bool aws = std::ranges::any_of(
      plan.phases, [](const PhasePlan& part) { return part.offer != nullptr && part.offer->provider == "aws"; });
  if (report.job.spot.max_price && aws)
    text += " AWS interrupts more often when spot.max_price is set; this estimate does not include that.";
  return text + " Policies: gpuplan simulate";
}

std::vector<std::string> asked_words(const PlanReport& report) {
  std::vector<std::string> lines;
  const Plan* pick = report.pick();
  const Job& job = report.job;
  if (pick == nullptr) return lines;
  const auto& plans = report.found.plans;
  const auto met = [&](const std::optional<double>& chance) {
    return chance ? chance_words(*chance) + " chance with " + report.name(*pick) + "; " : std::string();
  };
  const auto of_plans = [&](std::ptrdiff_t keep) {
    return (keep == 0 ? "none" : std::to_string(keep)) + " of " + count_of(static_cast<double>(plans.size()), "plan") +
           (keep == 1 ? " meets it." : " meet it.");
  };
  if (job.limits.deadline) {
    const auto keep = std::ranges::count_if(plans, [](const Plan& p) { return p.meets_deadline; });
    std::string text = "Deadline " + to_text(*job.limits.deadline) + " (wanted with " + percent(job.limits.confidence) +
                       " chance): " + met(pick->chance_in_time) + of_plans(keep);
    if (const Plan* cheapest = other_at(report, report.found.recommendations.within_deadline))
      text += " Cheapest on time: " + report.name(*cheapest) + ", " + cost_words(cheapest->cost) + ".";
    if (keep == 0) {
      const auto fastest = std::ranges::min_element(plans, {}, [](const Plan& p) { return latest_done(p).value; });
      const Seconds late = latest_done(*fastest) - *job.limits.deadline;
      text += " Fastest: " + report.name(*fastest) + ", up to " + hours_words(latest_done(*fastest)) + " (P90), " +
              (late > Seconds{} ? hours_words(late) + " late."
                                : chance_words(fastest->chance_in_time.value_or(0)) + " chance to be on time.");
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
                       met(pick->chance_in_budget) + of_plans(keep);
    if (const Plan* fastest = other_at(report, report.found.recommendations.within_budget))
      text += " Fastest within budget: " + report.name(*fastest) + ", " + hours_words(fastest->hours.p50) + ".";
    if (keep == 0) {
      const auto cheapest = std::ranges::min_element(plans, {}, [](const Plan& p) { return p.cost.p90.value; });
      text += " Cheapest: " + report.name(*cheapest) + ", up to " + to_text(cheapest->cost.p90 + job.contingency) +
              " (P90).";
    }
    lines.push_back(text);
  }
  if (std::string line = not_both_words(report); !line.empty()) lines.push_back(std::move(line));
  for (std::string& line : target_lines(report)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> limit_words(const PlanReport& report) {
  std::vector<std::string> lines = asked_words(report);
  const Plan* pick = report.pick();
  const Job& job = report.job;
  if (pick == nullptr) return lines;
  if (job.contingency > Dollars{})
    lines.push_back("With the " + short_money(job.contingency) +
                    " contingency: " + to_text(pick->cost.p50 + job.contingency) + " (P90 " +
                    to_text(pick->cost.p90 + job.contingency) + ").");
  if (pick->buffer > Seconds{})
    lines.push_back("Includes a " + percent(job.buffer) + " time buffer (" + hours_words(pick->buffer) + ").");
  if (std::string words = interruption_words(report, *pick); !words.empty()) lines.push_back(std::move(words));
  return lines;
}

}  // namespace gpuplan
