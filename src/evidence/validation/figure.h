// Figures that were measured, and what the model says of them.
#pragma once

#include <array>
#include <cstddef>

#include "base/interval.h"
#include "base/names.h"
#include "domain/facts/error_model.h"

namespace gpuplan {

/// A measured figure; names are columns of the tables of runs.
enum class Metric {
  kStepSeconds,
  kTokenRate,
  kOutputRate,
  kTotalRate,
  kPrefillRate,
  kFirstToken,
  kPerToken,
  kPeakMemory
};
template <>
struct Names<Metric> {
  static constexpr std::array entries = {
      Named<Metric>{Metric::kStepSeconds, "step_seconds"},
      Named<Metric>{Metric::kTokenRate, "tokens_per_second_per_gpu"},
      Named<Metric>{Metric::kOutputRate, "output_tokens_per_second"},
      Named<Metric>{Metric::kTotalRate, "total_tokens_per_second"},
      Named<Metric>{Metric::kPrefillRate, "prefill_tokens_per_second"},
      Named<Metric>{Metric::kFirstToken, "ttft_ms"},
      Named<Metric>{Metric::kPerToken, "tpot_ms"},
      Named<Metric>{Metric::kPeakMemory, "peak_memory_gib"},
  };
};

/// True of what is the better the larger it is.
constexpr bool is_rate(Metric metric) {
  return metric == Metric::kTokenRate || metric == Metric::kOutputRate || metric == Metric::kTotalRate ||
         metric == Metric::kPrefillRate;
}

/// What errors are counted of. A run counts once in each that it states, by its first figure of that kind. Time: a
/// training step, else its rate of tokens. Single, static, saturated, concurrency: the rate of generated tokens, by how
/// requests came. Prefill: reading prompts with nothing else under way. Tpot: time per output token where the run
/// states that; ttft: time to first token under load. Memory is counted apart for training and for generation.
enum class Judged {
  kTime,
  kMemory,
  kSingle,
  kStatic,
  kSaturated,
  kConcurrency,
  kPrefill,
  kPerToken,
  kFirstToken,
  kServingMemory
};
template <>
struct Names<Judged> {
  static constexpr std::array entries = {
      Named<Judged>{Judged::kTime, "time"},           Named<Judged>{Judged::kMemory, "memory"},
      Named<Judged>{Judged::kSingle, "single"},       Named<Judged>{Judged::kStatic, "static"},
      Named<Judged>{Judged::kSaturated, "saturated"}, Named<Judged>{Judged::kConcurrency, "concurrency"},
      Named<Judged>{Judged::kPrefill, "prefill"},     Named<Judged>{Judged::kPerToken, "tpot"},
      Named<Judged>{Judged::kFirstToken, "ttft"},     Named<Judged>{Judged::kServingMemory, "generation_memory"},
  };
};

constexpr bool is_memory(Judged what) { return what == Judged::kMemory || what == Judged::kServingMemory; }

inline constexpr std::array kTrainingFigures = {Judged::kTime, Judged::kMemory};
inline constexpr std::array kGenerationFigures = {Judged::kSingle,      Judged::kStatic,       Judged::kSaturated,
                                                  Judged::kConcurrency, Judged::kPrefill,      Judged::kPerToken,
                                                  Judged::kFirstToken,  Judged::kServingMemory};

/// Which numbers of the model of error (domain/facts/error_model.h) are about it.
constexpr ErrorFigure error_figure(Judged what) {
  switch (what) {
    case Judged::kTime:
      return ErrorFigure::kTime;
    case Judged::kMemory:
      return ErrorFigure::kMemory;
    case Judged::kPrefill:
      return ErrorFigure::kPrefill;
    case Judged::kPerToken:
      return ErrorFigure::kPerToken;
    case Judged::kFirstToken:
      return ErrorFigure::kFirstToken;
    case Judged::kServingMemory:
      return ErrorFigure::kServingMemory;
    case Judged::kSingle:
    case Judged::kStatic:
    case Judged::kSaturated:
    case Judged::kConcurrency:
      break;
  }
  return ErrorFigure::kRate;
}

/// A figure that a run states, in the metric's own unit: s, tokens/s, ms, GiB.
struct MeasuredFigure {
  Metric metric = Metric::kStepSeconds;
  double value = 0;
  Judged judged = Judged::kTime;
};

/// The figures of one run, in the order of metrics.
class FigureList {
 public:
  void add(Metric metric, double value, Judged judged) { all_[count_++] = {metric, value, judged}; }
  std::size_t size() const { return count_; }
  const MeasuredFigure* begin() const { return all_.data(); }
  const MeasuredFigure* end() const { return all_.data() + count_; }

 private:
  std::array<MeasuredFigure, Names<Metric>::entries.size()> all_;
  std::size_t count_ = 0;
};

/// Measured and predicted, both in the metric's own unit; the interval holds 80 %.
struct MetricPrediction {
  Metric metric = Metric::kStepSeconds;
  double measured = 0;
  Interval<double> predicted{};
  Judged judged = Judged::kTime;

  bool inside() const { return measured >= predicted.p10 && measured <= predicted.p90; }
  /// ln(predicted / measured) of the time or memory: positive when the prediction is too slow or too large.
  double log_error() const;
};

}  // namespace gpuplan
