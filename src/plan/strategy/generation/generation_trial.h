// What comes of one way to generate on the machines at hand: rates, memory, and how far from the phase's target.
#pragma once

#include <utility>

#include "base/interval.h"
#include "model/generation/generation.h"
#include "plan/strategy/generation/serving.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

struct Given;

struct GenerationCandidate {
  bool any = false;  ///< it runs there
  bool fits = false;
  Strategy strategy;
  GenerationEstimate estimate;
  Spread spread;
  Interval<Bytes> memory{};
  Bytes need{};          ///< p90 of the least that it takes
  double shortfall = 0;  ///< from the phase's target; at most 1 when it is reached

  bool reaches() const { return shortfall <= 1; }
};

/// Fits and reaches the target, fits, or neither; then what takes less time, or is nearer to the target.
std::pair<int, double> rank_of(const GenerationCandidate& c);

/// Tries ways to generate, each alone.
class GenerationTrial {
 public:
  /// `given`: measured figures of the job that stand in for the model's; may be null. All outlive the trial.
  GenerationTrial(const PhaseWorkload& workload, const Given* given);

  struct Placed {
    GenerationCandidate found;  ///< none when it can not run
    Bytes least{};              ///< median of the memory that it must have
  };

  /// The strategy with the memory that the GPUs of `rates` have, and with as few sequences in flight as the target
  /// asks.
  [[nodiscard]] Placed with_room(const GenerationRates& rates, const Strategy& strategy) const;
  /// What was laid out for less memory: as many sequences, which may hold more of their answers at once here.
  [[nodiscard]] GenerationCandidate with_more_room(const GenerationRates& rates, GenerationCandidate fewer) const;
  /// So many sequences of those that there is room for.
  [[nodiscard]] GenerationCandidate with_fewer(const GenerationRates& rates, const GenerationCandidate& full,
                                               int sequences) const;
  /// Weights of the largest model on one GPU: where they alone are too much, nothing else has to be worked out.
  [[nodiscard]] Bytes weights_alone(const GenerationRates& rates, const Strategy& strategy) const;

 private:
  [[nodiscard]] GenerationCandidate tried(const GenerationRates& rates, const Strategy& strategy) const;
  [[nodiscard]] double too_late(const GenerationCandidate& c) const;
  /// As many sequences as leave the latencies within the target; the one nearest to it when not even one alone does.
  [[nodiscard]] GenerationCandidate within_latency(const GenerationRates& rates, const GenerationCandidate& full) const;

  const PhaseWorkload& workload_;
  const GenerationWork& work_;
  const GeneratePhase& phase_;
  const Given* given_;
};

}  // namespace gpuplan
