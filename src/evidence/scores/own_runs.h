// What a few own runs do for the predictions of others: each source is taken as somebody's site, some of its runs as
// his own, and the others are predicted with what those teach.
#pragma once

#include <cstddef>
#include <span>

#include "domain/facts/error_model.h"
#include "evidence/validation/validation.h"

namespace gpuplan {

/// Sums over sources that have more runs of the figure than are taken as own.
struct OwnRunSums {
  int own = 1;              ///< runs that are taken
  std::size_t sources = 0;  ///< that have enough
  std::size_t runs = 0;     ///< of these sources
  double before = 0;        ///< median over sources of the median |error| without own runs
  double after = 0;  ///< median over sources of the mean, over what is taken, of the median |error| of the others
  double p90 = 0;    ///< nine of ten errors stay below, with own runs; a source weighs as it has runs
  double inside_before = 0;  ///< share within the 80 % range, sources weighing alike
  double inside = 0;         ///< the same with own runs
};

/// Own runs are taken as they come: each in turn where it is one, else draws that are the same each time.
/// REQUIRES: own >= 1.
OwnRunSums after_own_runs(const ErrorModel& model, std::span<const PredictedRun> runs, ErrorFigure figure, int own);

}  // namespace gpuplan
