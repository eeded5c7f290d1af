// "Fits" judged: every measured run did fit on its card, so each that would have been said not to fit is a mistake.
#pragma once

#include <cstddef>
#include <span>

#include "evidence/validation/validation.h"

namespace gpuplan {

/// Shares of runs whose predicted memory is more than the card's usable one. Of sources: mean over them.
struct FitsJudged {
  std::size_t runs = 0, sources = 0;
  double no_median = 0, no_p90 = 0;                ///< said at the median, at the p90
  double source_no_median = 0, source_no_p90 = 0;  ///< the same, sources weighing alike
};

/// Runs of training, or of generation, that count and are predicted, whether or not they state their memory; without
/// those whose batch is whatever fits, which would fit in any case.
FitsJudged fits_judged(std::span<const PredictedRun> runs, bool training);

}  // namespace gpuplan
