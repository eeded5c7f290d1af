// Two runs of one source and one model compared: how far the predicted ratio is from the measured one. What a source
// has of its own (its loop, its machine room, its way of counting) is in both and cancels, as it does when one chooses
// among plans for one's own job.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "domain/facts/error_model.h"
#include "evidence/validation/validation.h"

namespace gpuplan {

/// What two runs differ in, the first of these that they do. kGpu: the card, its power limit or its links. kCount: the
/// number of GPUs. kStrategy: software, degrees, sharding, recompute, precision, offload, attention, compile, method,
/// optimizer, format of weights or cache. kBatch: batch, lengths and load alone.
enum class Differs { kGpu, kCount, kStrategy, kBatch };
template <>
struct Names<Differs> {
  static constexpr std::array entries = {
      Named<Differs>{Differs::kGpu, "gpu"},
      Named<Differs>{Differs::kCount, "count"},
      Named<Differs>{Differs::kStrategy, "strategy"},
      Named<Differs>{Differs::kBatch, "batch"},
  };
};
/// nullopt of runs that differ in nothing that is stated: repeats.
std::optional<Differs> difference(const PredictedRun& a, const PredictedRun& b);

struct RunPair {
  std::size_t a = 0, b = 0;  ///< positions among the runs
  Differs differs = Differs::kGpu;
  double error = 0;      ///< ln(predicted ratio / measured ratio), of times or memory
  double deviation = 0;  ///< standard deviation that is predicted for it
  /// ln of the measured ratio a : b of the time that a unit of work takes on all GPUs together, or of memory; nullopt
  /// where the work is not stated.
  std::optional<double> measured{};

  bool inside() const;
  /// Measured far enough apart that one is surely faster (or smaller): by more than 15 %.
  bool apart() const;
  /// The faster one (or smaller) was predicted to be that. REQUIRES: `measured`.
  bool named() const;
};

/// Pairs of runs that count and have a prediction of that figure, measured in the same way; at most some hundreds of
/// each source and model, spread evenly over all there are.
std::vector<RunPair> pairs_of(const ErrorModel& model, std::span<const PredictedRun> runs, ErrorFigure figure);

/// Sums over pairs. Of sources: of each source first, then over these, so that all weigh alike.
struct PairSums {
  std::size_t pairs = 0, sources = 0;
  double source_median = 0;  ///< median over sources of the median |error|
  double median = 0, p90 = 0;
  double inside = 0, source_inside = 0;  ///< share within the 80 % range
  std::size_t apart = 0;                 ///< pairs whose faster one is beyond doubt
  double named = 0, source_named = 0;    ///< of these, those whose faster one was named
};
PairSums pair_sums(std::span<const PredictedRun> runs, std::span<const RunPair> pairs,
                   std::optional<Differs> differs = std::nullopt);

}  // namespace gpuplan
