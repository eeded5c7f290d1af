// What the model says of a measured run, from its configuration alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "domain/catalogue.h"
#include "evidence/training_run.h"
#include "model/training.h"

namespace gpuplan {

/// A measured figure; names are columns of the table of runs.
enum class Metric { kStepSeconds, kTokenRate, kPeakMemory };
template <>
struct Names<Metric> {
  static constexpr std::array entries = {
      Named<Metric>{Metric::kStepSeconds, "step_seconds"},
      Named<Metric>{Metric::kTokenRate, "tokens_per_second_per_gpu"},
      Named<Metric>{Metric::kPeakMemory, "peak_memory_gib"},
  };
};

/// Measured and predicted, both in the metric's own unit (s, tokens/s, GiB); the interval holds 80 %.
struct MetricPrediction {
  Metric metric = Metric::kStepSeconds;
  double measured = 0;
  Interval<double> predicted{};

  bool inside() const { return measured >= predicted.p10 && measured <= predicted.p90; }
  /// ln(predicted / measured) of the time or memory: positive when the prediction is too slow or too large.
  double log_error() const;
};

struct RunPrediction {
  std::vector<MetricPrediction> metrics;  ///< one for each figure measured; empty when refused
  std::string refused;                    ///< why nothing can be computed; "" when something was
  std::vector<std::string> assumptions;   ///< what was not stated and had to be assumed, in words
  const Gpu* gpu = nullptr;
  const Framework* framework = nullptr;
  int nodes = 1;
  double parameters = 0;
  Method method = Method::kFull;
  Strategy strategy;
  TrainingEstimate estimate;
  Spread spread;
};

/// Predicts every figure the run has. Never reads what was measured but to say which figures those are.
RunPrediction predict_run(const Catalogue& catalogue, const TrainingRun& run);

/// The model's terms for that run, as for `plan --explain`; empty when it is refused.
std::vector<Term> explain_run(const Catalogue& catalogue, const TrainingRun& run);

}  // namespace gpuplan
