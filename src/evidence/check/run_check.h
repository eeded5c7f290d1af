// A run's log held against what was planned of it. docs/check.md explains every definition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "domain/work/phase.h"
#include "evidence/check/expectation.h"
#include "evidence/conditions/conditions.h"
#include "evidence/log/log_values.h"
#include "evidence/log/run_log.h"

namespace gpuplan {

enum class Verdict { kPassed, kNotPassed, kRunning };
template <>
struct Names<Verdict> {
  static constexpr std::array entries = {
      Named<Verdict>{Verdict::kPassed, "passed"},
      Named<Verdict>{Verdict::kNotPassed, "not passed"},
      Named<Verdict>{Verdict::kRunning, "still running"},
  };
};

/// A figure of the run. Names are members of the JSON: with the unit.
enum class Measured {
  kThroughput,
  kStepTime,
  kFirstToken,  ///< means of a benchmark of a server
  kPerToken,
  kAllocated,
  kReserved,
  kDevice,
  kModelFlops,
  kGpuBusy
};
template <>
struct Names<Measured> {
  static constexpr std::array entries = {
      Named<Measured>{Measured::kThroughput, "tokens_per_second"},
      Named<Measured>{Measured::kStepTime, "seconds_per_step"},
      Named<Measured>{Measured::kFirstToken, "seconds_to_first_token"},
      Named<Measured>{Measured::kPerToken, "seconds_per_output_token"},
      Named<Measured>{Measured::kAllocated, "allocated_gib"},
      Named<Measured>{Measured::kReserved, "reserved_gib"},
      Named<Measured>{Measured::kDevice, "device_gib"},
      Named<Measured>{Measured::kModelFlops, "model_tflops_per_gpu"},
      Named<Measured>{Measured::kGpuBusy, "gpu_busy"},
  };
};

/// Where a figure lies, seen from the 80 % interval of the prediction.
enum class Agreement { kInside, kBelow, kAbove, kNoPrediction };
template <>
struct Names<Agreement> {
  static constexpr std::array entries = {
      Named<Agreement>{Agreement::kInside, "inside"},
      Named<Agreement>{Agreement::kBelow, "below"},
      Named<Agreement>{Agreement::kAbove, "above"},
      Named<Agreement>{Agreement::kNoPrediction, "no_prediction"},
  };
};

/// One figure beside its prediction, both in base units: tokens a second, seconds, bytes, FLOP/s, a share.
struct RunFigure {
  Measured what = Measured::kThroughput;
  double value = 0;                     ///< rates and times: the median after the warm-up; memory: the peak
  std::optional<double> low{}, high{};  ///< P10 and P90 of the values
  std::optional<Interval<double>> expected{};
  std::optional<double> of{};  ///< memory: usable; FLOP/s: the peak of the GPU

  Agreement agreement() const;
  /// Over the predicted median; nullopt: there is none.
  std::optional<double> ratio() const;
};

/// What a series of the log did.
struct SeriesSummary {
  double first = 0, end = 0;             ///< its first value, and its end as conditions have it
  double median = 0, low = 0, high = 0;  ///< median, P10 and P90 after the warm-up
  double least = 0, most = 0;
  std::size_t count = 0;
  std::optional<Fall> fall{};  ///< nullopt: too few values
};

/// Where the run will be done, at the pace of its steps so far.
struct Projection {
  double steps_left = 0;
  Interval<Seconds> left{};   ///< from now on
  Interval<Seconds> hours{};  ///< of the whole phase
  Interval<Dollars> cost{};   ///< of the whole phase, with what its machines cost by the hour
};

/// What is to be checked.
struct CheckedRun {
  const Expectation& expected;
  const Phase& phase;
  const PhaseConditions& conditions;
  const RunLog& log;
  std::string gpu{};                       ///< the log's, as the catalogue names it; empty: not known
  double parameters = 0;                   ///< of all models that learn in full; 0: not known
  double fewest_parameters = 0;            ///< the same without embeddings; 0: not known
  double most_parameters = 0;              ///< the same with those that input and output share counted twice
  std::optional<FlopsPerSecond> peak{};    ///< of one GPU at the precision planned
  std::vector<double> slow_steps_every{};  ///< steps between evaluations, between checkpoints
  bool exact_steps = false;                ///< the job states the number of steps
};

struct RunCheck {
  Verdict verdict = Verdict::kNotPassed;
  std::vector<std::string> reasons;         ///< why it is not passed; the conditions stand for themselves
  std::vector<std::string> contradictions;  ///< the log is of something else than what was planned

  std::optional<double> steps;  ///< done
  double planned_steps = 0;     ///< 0: it is no training
  bool all_steps = false;       ///< as far as a log that says something every few steps can tell
  bool done = false;            ///< all steps, or the log says that training ended
  bool open_end = false;        ///< generation, and nothing says that it ended
  bool surely_done = false;     ///< without those that may have come after the last line
  std::optional<Seconds> elapsed;
  std::uint64_t restarts = 0, bad_losses = 0, out_of_memory = 0, errors = 0;

  std::vector<RunFigure> figures;
  std::optional<SeriesSummary> loss, validation, grad_norm;
  std::optional<Projection> projection;
  std::vector<Judgement> conditions;
  std::vector<MetricValue> metrics;

  /// Null when the log does not say it.
  const RunFigure* figure(Measured what) const;
};

RunCheck check_run(const CheckedRun& run);
/// nullopt: it is done, or the log tells no pace.
std::optional<Projection> project(const CheckedRun& run, const RunCheck& check);

/// What in the log can not be of this phase of the plan: "the log plans 5,000 steps, the phase 1,000".
std::vector<std::string> contradictions(const CheckedRun& run);
/// How many figures of the log are those of the phase: steps, tokens or sequences of a step, GPUs.
int agreements(const CheckedRun& run);

/// "in line 1,033", with the file where several were read.
std::string place_of(const LogEvent& event, bool several_files);
/// The last event of a kind; null: there is none.
const LogEvent* last_event(const RunLog& log, LogEvent::Kind kind);
std::uint64_t count_of(const RunLog& log, LogEvent::Kind kind);

}  // namespace gpuplan
