// How far the model is off: predicted against measured runs, in sum and by group.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/names.h"
#include "evidence/validation/figure.h"
#include "evidence/validation/generation_prediction.h"
#include "evidence/validation/run_prediction.h"
#include "evidence/validation/training_run.h"

namespace gpuplan {

/// What runs are grouped by. kTrait: what makes runs hard; a run may have several or none of them. A run is in no group
/// of what its kind does not have: precision is of training, mode, weights, experts, parallel, length and batch of
/// generation.
enum class Grouping {
  kSource,
  kGpu,
  kSize,
  kMethod,
  kPrecision,
  kMachines,
  kFramework,
  kKnown,
  kMode,
  kWeights,
  kExperts,
  kParallel,
  kLength,
  kBatch,
  kRegime,
  kTrait
};
template <>
struct Names<Grouping> {
  static constexpr std::array entries = {
      Named<Grouping>{Grouping::kSource, "source"},       Named<Grouping>{Grouping::kGpu, "gpu"},
      Named<Grouping>{Grouping::kSize, "size"},           Named<Grouping>{Grouping::kMethod, "method"},
      Named<Grouping>{Grouping::kPrecision, "precision"}, Named<Grouping>{Grouping::kMachines, "machines"},
      Named<Grouping>{Grouping::kFramework, "framework"}, Named<Grouping>{Grouping::kKnown, "known"},
      Named<Grouping>{Grouping::kMode, "mode"},           Named<Grouping>{Grouping::kWeights, "weights"},
      Named<Grouping>{Grouping::kExperts, "experts"},     Named<Grouping>{Grouping::kParallel, "parallel"},
      Named<Grouping>{Grouping::kLength, "length"},       Named<Grouping>{Grouping::kBatch, "batch"},
      Named<Grouping>{Grouping::kRegime, "regime"},       Named<Grouping>{Grouping::kTrait, "trait"},
  };
};

/// A run and what the model says of it. Refers to the run and to the catalogue it was predicted with.
struct PredictedRun {
  PredictedRun(const TrainingRun* of, RunPrediction made) : run(of), training(of), prediction(std::move(made)) {}
  PredictedRun(const GenerationRun* of, RunPrediction made) : run(of), generation(of), prediction(std::move(made)) {}

  const MeasuredRun* run = nullptr;
  const TrainingRun* training = nullptr;      ///< the same when it is one of these, else null
  const GenerationRun* generation = nullptr;  ///< the same
  RunPrediction prediction;

  /// False of a run that can not have been as it is labelled: it is shown, and counts in no error.
  bool counts() const { return run->distrust.empty(); }
};

std::vector<PredictedRun> predict_runs(const Catalogue& catalogue, std::span<const TrainingRun> runs);
std::vector<PredictedRun> predict_runs(const Catalogue& catalogue, std::span<const GenerationRun> runs);

/// The figures that the run states, in their own units: s, tokens/s, ms, GiB.
FigureList measured_figures(const TrainingRun& run);
FigureList measured_figures(const PredictedRun& run);

/// The prediction that is judged; null when the run does not state such a figure, or it was not predicted.
const MetricPrediction* judged_figure(const PredictedRun& run, Judged what);
/// The prediction of that figure; null when there is none.
const MetricPrediction* prediction_of(const PredictedRun& run, Metric metric);
/// True when the run states a figure of this kind, predicted or not.
bool states(const PredictedRun& run, Judged what);
/// The same of kinds of figure taken together: rates of generated tokens are one, however requests came.
const MetricPrediction* judged_figure(const PredictedRun& run, ErrorFigure figure);
bool states(const PredictedRun& run, ErrorFigure figure);

/// Why a figure of this run is missing; "" when all of them are there.
std::string refusal_of(const PredictedRun& run);
/// What reading and predicting the run had to assume, each thing once.
std::vector<std::string> assumptions_of(const PredictedRun& run);

/// One prediction compared.
struct Miss {
  double error = 0;     ///< ln(predicted / measured) of time or memory: positive when too slow or too large
  bool inside = false;  ///< measured within p10 ... p90
  bool above = false;   ///< took more time or memory than the p90
};
Miss miss_of(const MetricPrediction& figure);

/// Errors of several. All zero when there are none.
struct Misses {
  std::size_t runs = 0;
  double median = 0, p90 = 0;             ///< quantiles of |error|
  double relative = 0, p90_relative = 0;  ///< the same of |predicted / measured - 1|
  double bias = 0, mean_bias = 0;         ///< median and mean of the error
  double inside = 0, above = 0;           ///< shares of the runs
};
Misses misses_of(std::span<const Miss> misses);

/// Quantile of values in ascending order, between neighbours by straight line; 0 when there are none.
double quantile(std::span<const double> ascending, double share);
/// The median of values in any order; 0 when there are none.
double middle_of(std::vector<double> values);

/// What is left of a source's errors once the model is corrected by one of its own runs: the others' errors less that
/// of the one. `any`: mean over the runs as the one of the median error of the others. `middle`: the one is that of the
/// middle error. REQUIRES: at least two.
struct Calibrated {
  double any = 0, middle = 0;
};
Calibrated calibrated(std::span<const double> errors);

/// The figures that an accuracy is quoted by.
struct Headline {
  Judged what = Judged::kTime;
  std::size_t stated = 0, predicted = 0;  ///< runs that count and state such a figure; those that the model predicts
  Misses all;
  std::size_t sources = 0;             ///< with a prediction
  double source_median = 0;            ///< median over sources of each one's median |error|
  double source_inside = 0;            ///< mean over sources of each one's share within p10 ... p90
  std::size_t calibrated_sources = 0;  ///< with two predictions or more
  Calibrated calibrated;               ///< medians over those sources
};
Headline headline(std::span<const PredictedRun> runs, Judged what);
/// The same of kinds of figure taken together; `what` is then the first of them.
Headline headline(std::span<const PredictedRun> runs, ErrorFigure figure);

struct GroupMisses {
  std::string name;
  std::size_t stated = 0;
  Misses misses;
};
/// Groups that have a run with such a figure, in their natural order, else by name.
std::vector<GroupMisses> by_group(std::span<const PredictedRun> runs, Judged what, Grouping grouping);

/// Runs that nothing was predicted of, by reason, the commonest first.
struct RefusedGroup {
  std::string reason;
  std::vector<const MeasuredRun*> runs;
};
std::vector<RefusedGroup> refused_groups(std::span<const PredictedRun> runs);

/// Runs that count nowhere, by the reason, the commonest first.
std::vector<RefusedGroup> distrusted_groups(std::span<const PredictedRun> runs);

/// Positions of runs that count with such a figure, the largest |error| first.
std::vector<std::size_t> worst_first(std::span<const PredictedRun> runs, Judged what);

}  // namespace gpuplan
