// What holds of one answer by itself.
#include "base/text.h"
#include "laws/figures.h"
#include "laws/laws.h"

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
    {"requests", "no more requests are at work than the job says, and no replica is idle", check<wrong_requests>},
    {"document", "no figure of --json is below zero, out of order or missing", document},
    {"page", "no sentence says nan or inf", page},
};

}  // namespace

std::span<const Law> figure_laws() { return kLaws; }

}  // namespace gpuplan::laws
