#include "output/answer/answer_head.h"

#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/explain/own_terms_words.h"
#include "output/words/collection_words.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// What is to be rented or used, and what an hour of it costs.
std::string machine_words(const Plan& plan) {
  std::string text = label_of(plan);
  if (plan.offer == nullptr) return text + ", a machine for each phase";
  const Offer& offer = *plan.offer;
  if (offer.kind == OfferKind::kRented) {
    const std::string place = place_words(offer);
    if (!place.empty()) text += " at " + place;
    if (!offer.instance.empty()) text += " (" + printable(offer.instance, 40) + ")";
    if (!plan.spot) text += ", on demand";
  } else if (!offer.partition.empty()) {
    text += ", partition " + printable(offer.partition, 40);
  }
  const auto& price = plan.spot ? offer.spot_price : offer.price;
  if (!price || price->p90 <= DollarsPerSecond{}) return text + ", no charge";
  text += ", " + paid_price_words(plan);
  // Pools and own boxes have their price by the GPU.
  return text + (offer.kind == OfferKind::kRented && (plan.nodes > 1 || plan.at_once > 1) ? " per machine" : "");
}

/// "80% range" in front of the range in brackets.
std::string with_share(std::string text) {
  if (const std::size_t at = text.find('('); at != std::string::npos) text.insert(at + 1, "80% range ");
  return text;
}

std::string cost_range(const Outcome<Dollars>& cost) {
  if (cost.p90 <= Dollars{}) return "no charge";
  std::string range = outcome_text(cost);
  if (const std::size_t dash = range.find(kRangeDash); dash != std::string::npos)
    range.insert(dash + std::string_view(kRangeDash).size(), "$");
  return cost.p10 == cost.p90 ? to_text(cost.p50) : to_text(cost.p50) + " (80% range $" + range + ")";
}

/// As it was given: "$50", "$13.40".
std::string budget_text(Dollars budget) {
  const bool whole = std::abs(std::remainder(budget / units::dollar * 100, 100)) < 0.5;
  return whole ? short_money(budget) : to_text(budget);
}

/// ", 90% asked" where it is less.
std::string asked_words(const Job& job, bool met) {
  return met ? "" : ", " + percent(job.limits.confidence) + " asked";
}

std::string time_line(const PlanReport& report, const Plan& plan) {
  const Job& job = report.job;
  std::string text = with_share(range_words(Interval<Seconds>{plan.hours.p10, plan.hours.p50, plan.hours.p90}));
  text += wait_words(plan);
  if (plan.buffer > Seconds{}) text += ", with a " + percent(job.buffer) + " buffer";
  if (job.limits.deadline && plan.chance_in_time)
    text += "; " + chance_words(*plan.chance_in_time, plan.meets_deadline) + " chance to meet the " +
            to_text(*job.limits.deadline) + " deadline" + asked_words(job, plan.meets_deadline);
  return text;
}

std::string cost_line(const PlanReport& report, const Plan& plan) {
  const Job& job = report.job;
  std::string text = cost_range(plan.cost);
  if (const std::string credits = credit_words(job, plan); !credits.empty()) text += ", " + credits;
  if (plan.offer != nullptr && plan.offer->kind == OfferKind::kRented && plan.cost.p90 > Dollars{})
    text += ", billed " + billing_words(plan.offer->billing);
  for (const std::string& words : beside_machines_words(plan, report.catalogue.answer_constants.beside_machines_share))
    text += "; " + words;
  if (job.contingency > Dollars{})
    text +=
        "; " + to_text(plan.cost.p50 + job.contingency) + " with the " + short_money(job.contingency) + " contingency";
  if (job.limits.budget && plan.chance_in_budget)
    text += "; " + chance_words(*plan.chance_in_budget, plan.meets_budget) + " chance to stay within the " +
            budget_text(*job.limits.budget) + " budget" + asked_words(job, plan.meets_budget);
  return text;
}

/// Of a job of one phase: strategy, speed and memory.
std::string run_line(const PlanReport& report, const Plan& plan) {
  if (plan.phases.size() != 1) return "";
  const PhasePlan& part = plan.phases.front();
  const Phase& phase = report.job.phases[static_cast<std::size_t>(part.estimate->phase)];
  std::string text = strategy_words(part.estimate, phase);
  if (text.empty()) return phase_words(phase);
  if (const std::string rate = rate_words(part, phase); !rate.empty()) text += "; " + rate;
  if (part.estimate->serving && has_target(report.job)) {
    const Serving& serving = *part.estimate->serving;
    text += "; TTFT " + hours_words(serving.time_to_first_token.p50);
    if (serving.time_per_output_token.p50 > Seconds{})
      text += ", TPOT " + hours_words(serving.time_per_output_token.p50);
  }
  text += "; " + memory_words(plan) + " per GPU";
  // More than machines commonly come with.
  constexpr Bytes kMuch = 200 * units::GB;
  if (const Bytes disk = part.estimate->collection.machine_disk; disk > kMuch)
    text += "; " + disk_text(disk) + " of disk" + (part.estimate->nodes > 1 ? " per machine" : "");
  // Nobody starts what misses the limits, and every line counts that says how it does.
  return report.found.recommendations.limits_missed ? text : text + host_words(*part.estimate);
}

std::string rule_words(const PlanReport& report) {
  switch (report.job.goal) {
    case Goal::kBestValue:
      return "lowest total if your time counts " + short_money(report.job.value_of_time * units::hour) + "/h" +
             (report.job.value_of_time_given ? ""
              : report.in_flags              ? " (--value-of-time)"
                                             : " (value_of_time)") +
             queue_words(report, *report.pick());
    case Goal::kCheapest:
      return "lowest cost";
    case Goal::kFastest:
      return "shortest time" + queue_words(report, *report.pick());
    case Goal::kFewestGpus:
      return "fewest GPUs";
  }
  return "";
}

std::string why_line(const PlanReport& report, const Plan& plan) {
  std::string text = tied_rule(report, rule_words(report));
  const std::string limits = limits_asked(report.job);
  const auto keeping = std::ranges::count_if(report.found.plans, &Plan::keeps_limits);
  if (limits.empty()) return report.found.plans.size() == 1 ? "the only plan that runs this job" : text;
  if (keeping == 1) return "the only plan that keeps to " + limits + switching_words(report, plan);
  if (keeping < std::ssize(report.found.plans))
    text += ", of the " + count_of(static_cast<double>(keeping), "plan") + " that keep to " + limits;
  if (const std::string chance = target_chance_words(plan); !chance.empty())
    text += "; " + chance + " chance to reach the target, " + percent(report.job.limits.confidence) +
            " asked (limits.confidence)";
  return text;
}

}  // namespace

std::string limits_asked(const Job& job, const char* last) {
  std::vector<std::string> wanted;
  if (job.limits.deadline) wanted.push_back("the " + to_text(*job.limits.deadline) + " deadline");
  if (job.limits.budget) wanted.push_back("the " + budget_text(*job.limits.budget) + " budget");
  if (has_target(job)) wanted.emplace_back("the target");
  return listed(wanted, last);
}

std::string verdict_words(const PlanReport& report) {
  const Plan& pick = *report.pick();
  if (!report.found.recommendations.limits_missed) return "Recommended: " + machine_words(pick);
  const bool tight = std::ranges::any_of(report.found.plans, &Plan::keeps_limits);
  const std::string verb = has_target(report.job) ? "reaches " : "keeps to ";
  return "No plan " + std::string(tight ? "whose memory fits " : "") + verb + limits_asked(report.job) +
         ". Closest: " + machine_words(pick);
}

std::vector<std::pair<std::string, std::string>> pick_lines(const PlanReport& report) {
  const Plan& pick = *report.pick();
  std::vector<std::pair<std::string, std::string>> lines = {{"Time", time_line(report, pick)},
                                                            {"Cost", cost_line(report, pick)}};
  if (std::string run = run_line(report, pick); !run.empty()) lines.emplace_back("Run", std::move(run));
  if (!report.found.recommendations.limits_missed) lines.emplace_back("Why", why_line(report, pick));
  return lines;
}

}  // namespace gpuplan
