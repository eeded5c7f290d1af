#include "plan/strategy/generation/generation_trial.h"

#include <algorithm>
#include <cmath>

#include "base/whole.h"
#include "model/generation/cuts.h"
#include "model/generation/step.h"
#include "plan/strategy/given.h"

namespace gpuplan {

std::pair<int, double> rank_of(const GenerationCandidate& c) {
  if (!c.fits) return {2, c.need.value};
  return c.reaches() ? std::pair(0, c.estimate.parts.total().value) : std::pair(1, c.shortfall);
}

GenerationTrial::GenerationTrial(const PhaseWorkload& workload, const Given* given)
    : workload_(workload),
      work_(*workload.generation),
      phase_(std::get<GeneratePhase>(workload.phase->work)),
      given_(given) {}

GenerationTrial::Placed GenerationTrial::with_room(const GenerationRates& rates, const Strategy& strategy) const {
  const Bytes usable = rates.node->gpu->usable;
  GenerationCandidate found = tried(rates, strategy);
  Bytes least = found.memory.p50;
  // Requests that find no room wait, however many the job sends at once.
  const bool filled = strategy.micro_batch == 0 || phase_.situation == Situation::kConcurrency;
  if (filled) {
    // The engine fills what there is; what must fit is one sequence.
    Strategy one = strategy;
    one.micro_batch = 1;
    const MemoryUse alone = generation_memory(work_, rates, one);
    const Spread spread = at_scale(found.spread, serving_memory_scale(alone));
    const Interval<Bytes> need = lognormal(alone.total() * spread.memory_factor, spread.memory);
    least = need.p50;
    found.need = need.p90;
    found.fits = need.p90 < usable;
    found.memory = at_most(found.memory, usable);
  }
  found.any = least <= usable && found.estimate.batch >= 1;
  if (found.any && strategy.micro_batch == 0 && too_late(found) > 1) {
    const GenerationCandidate full = found;
    found = within_latency(rates, full);
    found.need = full.need;
  }
  found.strategy.micro_batch = strategy.micro_batch;
  return {found, least};
}

GenerationCandidate GenerationTrial::with_more_room(const GenerationRates& rates, GenerationCandidate fewer) const {
  Strategy strategy = fewer.strategy;
  if (strategy.micro_batch == 0) strategy.micro_batch = clamped<std::int32_t>(std::floor(fewer.estimate.batch));
  fewer.estimate.memory = generation_memory(work_, rates, strategy);
  // Where all their whole answers find no room at once, some wait: an engine holds no more than it was given.
  Strategy filled = strategy;
  filled.micro_batch = 0;
  const MemoryUse most = generation_memory(work_, rates, filled);
  if (most.total() < fewer.estimate.memory.total()) fewer.estimate.memory = most;
  correct(fewer.estimate.memory, fewer.spread.memory_factor);
  if (given_ != nullptr && given_->memory) return fewer;
  fewer.memory = at_most(lognormal(fewer.estimate.memory.total(), fewer.spread.memory), rates.node->gpu->usable);
  return fewer;
}

GenerationCandidate GenerationTrial::with_fewer(const GenerationRates& rates, const GenerationCandidate& full,
                                                int sequences) const {
  Strategy strategy = full.strategy;
  strategy.micro_batch = sequences;
  GenerationCandidate fewer = tried(rates, strategy);
  fewer.strategy.micro_batch = full.strategy.micro_batch;
  fewer.fits = full.fits;
  fewer.need = full.need;
  if (given_ == nullptr || !given_->memory) fewer.memory = at_most(fewer.memory, rates.node->gpu->usable);
  return fewer;
}

Bytes GenerationTrial::weights_alone(const GenerationRates& rates, const Strategy& strategy) const {
  const GenerationCut cut = generation_cut(work_, rates, strategy);
  Bytes most{};
  for (const NetworkWork& network : work_.networks) most = std::max(most, weight_memory(network, rates, cut));
  return most;
}

GenerationCandidate GenerationTrial::tried(const GenerationRates& rates, const Strategy& strategy) const {
  const GenerationEstimate estimate = generation_estimate(work_, rates, strategy);
  GenerationCandidate found{
      true, false, strategy, estimate,
      generation_spread(work_, rates, strategy, estimate.waiting, serving_memory_scale(estimate.memory))};
  correct(found.estimate, found.spread);
  found.memory = lognormal(found.estimate.memory.total(), found.spread.memory);
  if (given_ != nullptr && given_->memory) found.memory = *given_->memory;
  found.need = found.memory.p90;
  found.fits = found.memory.p90 < rates.node->gpu->usable;
  found.shortfall = shortfall(phase_.target, found.estimate, found.spread, workload_.defaults.confidence);
  return found;
}

double GenerationTrial::too_late(const GenerationCandidate& c) const {
  return latency_shortfall(phase_.target, c.estimate, c.spread, workload_.defaults.confidence);
}

GenerationCandidate GenerationTrial::within_latency(const GenerationRates& rates,
                                                    const GenerationCandidate& full) const {
  const auto with = [&](int sequences) {
    Strategy strategy = full.strategy;
    strategy.micro_batch = sequences;
    return tried(rates, strategy);
  };
  const auto quick = [&](const GenerationCandidate& c) { return too_late(c) <= 1; };
  GenerationCandidate best = with(1);
  if (!quick(best)) return best.shortfall < full.shortfall ? best : full;
  int low = 1;
  int high = clamped<int>(full.estimate.batch);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    const GenerationCandidate candidate = with(middle);
    if (quick(candidate)) best = candidate;
    (quick(candidate) ? low : high) = middle;
  }
  return best;
}

}  // namespace gpuplan
