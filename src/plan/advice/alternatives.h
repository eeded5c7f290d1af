// Why a phase runs the way it does: what else a person would try on the same machines, and what came of it.
#pragma once

#include <vector>

#include "base/names.h"
#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/strategy/practice.h"

namespace gpuplan {

/// What another way changes; everything else is free to follow, but for what the job fixes. The framework stays, so
/// that no gain of one is told as a gain of a cut, unless the framework is what changes.
enum class Aspect {
  kSharding,
  kRecompute,
  kMicroBatch,
  kTensor,
  kPipeline,
  kContext,
  kExpert,
  kOffload,
  kCompile,
  kFramework,
  kOptimizer  ///< pure bf16 weights and AdamW in 8 bit, which cost precision
};

template <>
struct Names<Aspect> {
  static constexpr std::array entries = {
      Named<Aspect>{Aspect::kSharding, "sharding"},      Named<Aspect>{Aspect::kRecompute, "recompute"},
      Named<Aspect>{Aspect::kMicroBatch, "micro_batch"}, Named<Aspect>{Aspect::kTensor, "tensor"},
      Named<Aspect>{Aspect::kPipeline, "pipeline"},      Named<Aspect>{Aspect::kContext, "context"},
      Named<Aspect>{Aspect::kExpert, "expert"},          Named<Aspect>{Aspect::kOffload, "offload"},
      Named<Aspect>{Aspect::kCompile, "compile"},        Named<Aspect>{Aspect::kFramework, "framework"},
      Named<Aspect>{Aspect::kOptimizer, "optimizer"},
  };
};

/// So many times as fast, another framework is worth a word however short the run and great the care.
inline constexpr double kFarFaster = 1.5;

/// Why it is not the one chosen.
enum class WhyNot {
  kMemory,      ///< the least it needs is more than there is
  kTight,       ///< only the median of its memory fits
  kHostMemory,  ///< what it moves to the host does not fit there
  kSlower,      ///< it fits and takes longer
  kNotWorthIt,  ///< it is as fast or faster, by less than the care that it takes (plan/strategy/practice.h); compiling
                ///< is faster, and for pretraining only done unasked
  kImpossible,  ///< it does not divide, or no framework does it
};

template <>
struct Names<WhyNot> {
  static constexpr std::array entries = {
      Named<WhyNot>{WhyNot::kMemory, "memory"},           Named<WhyNot>{WhyNot::kTight, "tight"},
      Named<WhyNot>{WhyNot::kHostMemory, "host_memory"},  Named<WhyNot>{WhyNot::kSlower, "slower"},
      Named<WhyNot>{WhyNot::kNotWorthIt, "not_worth_it"}, Named<WhyNot>{WhyNot::kImpossible, "impossible"},
  };
};

struct Alternative {
  Aspect aspect = Aspect::kSharding;
  WhyNot why = WhyNot::kSlower;
  Strategy strategy;                     ///< the best of its kind; of those that do not fit, the smallest
  const Framework* framework = nullptr;  ///< null when it is not known
  double time = 0;                       ///< working time over that of the way chosen, by the model; 0: it does not fit
  Interval<Bytes> memory{};              ///< a GPU; zero when it is impossible
  double complexity_penalty = 1;         ///< what it would have had to be faster by
  std::vector<CareFactor> factors,
      factors_chosen;  ///< complexity_factors() of both; empty: it does not fit

  /// `time`, care considered: below 1 it is faster by more than it asks for.
  double weighed() const { return time * complexity_penalty; }
  /// The phase run so, for its words: its figures are still those of the way chosen.
  PhaseEstimate in_place_of(PhaseEstimate chosen) const;
};

/// What was tried beside the way chosen for a training phase, nearest first: the next plainer way of each kind, and the
/// next harder one. Empty for other phases, and for a phase whose machines are not known. Each is the best of a search
/// of its own, so the chosen one is never beaten but by care.
std::vector<Alternative> alternatives(const Job& job, const PhaseEstimate& chosen, const Catalogue& catalogue);

}  // namespace gpuplan
