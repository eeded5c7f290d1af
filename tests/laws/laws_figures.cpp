// What holds of one answer by itself.
#include "base/text.h"
#include "laws/figures.h"
#include "laws/laws.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan::laws {
namespace {

template <std::string (*kWrong)(const Answer&)>
Verdict check(const Answer& base, Random&) {
  if (base.plans().empty()) return silent();
  std::string words = kWrong(base);
  return words.empty() ? holds() : broken(std::move(words));
}

/// What a job says is at work at once is so over the whole plan: replicas share it.
std::string wrong_requests(const Answer& answer) {
  for (const Plan& plan : answer.plans())
    for (const PhasePlan& part : plan.phases) {
      const PhaseEstimate& estimate = part.estimate;
      const Phase& phase = answer.searched.job.phases[static_cast<std::size_t>(estimate.phase)];
      const auto* generate = std::get_if<GeneratePhase>(&phase.work);
      if (generate == nullptr || generate->situation != Situation::kConcurrency) continue;
      const double asked = *generate->concurrency;
      if (estimate.batch > asked * (1 + 1e-9) || (estimate.gpus > 0 && estimate.strategy.dp > asked))
        return plan_words(plan) + ": " + number_text(estimate.batch) + " requests at work in " +
               std::to_string(estimate.strategy.dp) + " replicas, of " + number_text(asked);
    }
  return "";
}

/// Of a box, a pool or a single machine no more GPUs are held at one time than it has, by the medians.
std::string wrong_booking(const Answer& answer) {
  constexpr Seconds kTouch{1};
  for (const Plan& plan : answer.plans())
    for (const Lease& lease : plan.leases) {
      const Offer& offer = *lease.offer;
      const bool limited = offer.kind != OfferKind::kRented || is_single(offer);
      int held = 0;
      for (const Lease& other : plan.leases)
        if (other.offer == lease.offer && other.from <= lease.from &&
            (&other == &lease || other.to > lease.from + kTouch))
          held += other.gpus;
      const int has = offer.kind == OfferKind::kRented ? offer.gpus : offer.gpus * offer.nodes;
      if (limited && held > has)
        return plan_words(plan) + ": " + std::to_string(held) + " GPUs held at one time, of " + std::to_string(has);
    }
  return "";
}

/// Nobody is told to take what another beats that is as easy to get and to run.
std::string wrong_pick(const Answer& answer) {
  const Plan* pick = answer.pick();
  const Job& job = answer.searched.job;
  if (pick == nullptr || answer.found().recommendations.limits_missed || job.goal == Goal::kFewestGpus) return "";
  constexpr double kClearly = 0.899;
  const Contends contends(answer.plans());
  for (const Plan& other : answer.plans())
    if (contends(other) && other.keeps_limits() && other.cost.p50 <= pick->cost.p50 && other.done() <= pick->done() &&
        (other.done() <= pick->done() * kClearly ||
         (other.cost.p50 < pick->cost.p50 && other.cost.p50 <= pick->cost.p50 * kClearly)) &&
        offers_in(other) <= offers_in(*pick) && is_rare(other) <= is_rare(*pick) &&
        is_other_stack(other) <= is_other_stack(*pick))
      return plan_words(other) + " beats the pick, " + plan_words(*pick);
  return "";
}

Verdict document(const Answer& base, Random&) {
  std::string words = wrong_document(plan_document(base, true));
  return words.empty() ? holds() : broken(std::move(words));
}

Verdict page(const Answer& base, Random&) {
  std::string words = wrong_words(plan_page(base, Screen{}, true));
  return words.empty() ? holds() : broken(std::move(words));
}

constexpr Law kLaws[] = {
    {"sums", "phases, leases and idle time add up to the totals", check<wrong_sums>},
    {"chances", "chances lie between 0 and 1, and interruptions give nothing back", check<wrong_chances>},
    {"dominance", "ids are unique, nobody dominates himself, and the frontier is one", check<wrong_dominance>},
    {"unbeaten", "no other plan is as cheap and as fast as the pick, one of both clearly, and as easy to have",
     check<wrong_pick>},
    {"booking", "no more GPUs of a box or a pool are held at one time than it has", check<wrong_booking>},
    {"requests", "no more requests are at work than the job says, and no replica is idle", check<wrong_requests>},
    {"document", "no figure of --json is below zero, out of order or missing", document},
    {"page", "no sentence says nan or inf", page},
};

}  // namespace

std::span<const Law> figure_laws() { return kLaws; }

}  // namespace gpuplan::laws
