#include "plan/capacity/longest_context.h"

#include <algorithm>

#include "plan/strategy/software.h"

namespace gpuplan {
namespace {

/// Where the model does not say how much it reads.
constexpr int kLongestContext = 1 << 24;

int most_tokens(const GeneratePhase& phase) {
  int most = 0;
  for (const ModelUse& model : phase.models)
    if (model.shape.max_context > 0)
      most = most > 0 ? std::min(most, model.shape.max_context) : model.shape.max_context;
  return most;
}

}  // namespace

LongestContext longest_context(const PhaseWorkload& workload, const Catalogue& catalogue, const PhaseEstimate& best,
                               int sequences) {
  LongestContext found{sequences, 0, false};
  if (!workload.generation || !best.node || best.framework == nullptr) return found;
  const auto& phase = std::get<GeneratePhase>(workload.phase->work);
  const auto rates = serving_rates(catalogue, *best.node, *best.framework, phase, best.strategy.weights);
  if (!rates) return found;
  GenerationWork work = *workload.generation;
  const double answer = work.longest_new;
  // All at once, or the samples would be the limit.
  work.samples = std::max(work.samples, 1.0 * sequences * best.strategy.dp);
  Strategy strategy = best.strategy;
  strategy.micro_batch = sequences;
  const auto fits = [&](int tokens) {
    work.longest = tokens;
    work.longest_new = std::min(answer, tokens - 1.0);
    work.prompt_tokens = tokens - work.longest_new;
    work.new_tokens = work.longest_new;
    const GenerationEstimate estimate = generation_estimate(work, *rates, strategy);
    const Spread spread =
        generation_spread(work, *rates, strategy, estimate.waiting, serving_memory_scale(estimate.memory));
    return estimate.batch >= sequences &&
           lognormal(estimate.memory.total() * spread.memory_factor, spread.memory).p90 < best.node->gpu->usable;
  };
  const int known = most_tokens(phase);
  int high = known > 0 ? known : kLongestContext;
  if (high < 2 || fits(high)) return {sequences, high, known > 0};
  int low = 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  found.tokens = low > 1 ? low : 0;
  return found;
}

}  // namespace gpuplan
