// Where the parsers of single formats write what they find; makes one record of it: restarts, doubled lines of several
// ranks, and the same quantity told by two formats are settled here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "evidence/log/run_log.h"
#include "input/logs/book/epoch_steps.h"
#include "input/logs/book/record_count.h"
#include "input/logs/book/scan.h"
#include "input/logs/book/skipped_steps.h"
#include "input/logs/book/step_record.h"

namespace gpuplan {

/// Where a time of a step comes from, the better the higher.
enum class TimeSource : std::uint8_t { kNone, kMean, kBar, kClock, kSaid };

/// Figures of the preamble that only help to understand others.
struct LogFacts {
  std::optional<double> device_batch;   ///< sequences of one GPU and pass
  std::optional<double> accumulation;   ///< passes of a step
  std::optional<double> device_tokens;  ///< tokens of one GPU and pass
  std::optional<double> peak_flops;     ///< what an MFU is a share of
  std::optional<double> epochs, examples;
  RecordCount records;                           ///< of Hugging Face's Trainer
  std::optional<double> bar_total;               ///< steps of the progress bar that is the training's
  std::optional<double> first_epoch, bar_epoch;  ///< of bars that have an epoch before them: 0 or 1; the last one
  double epoch = scan::kUnknown, epochs_told = scan::kUnknown;  ///< of the last line that names one and no step
  bool serving_benchmark = false;                               ///< bars without a label are of requests
  double pass = 0, pass_step = 0;                               ///< of the last step of LitGPT
  double pass_seconds = 0, passes_told = 0;                     ///< of its passes since
  int fastai = 0;                           ///< columns of losses in fastai's table; 0: none has begun
  std::optional<double> block;              ///< the step of the lines of values that follow (Composer)
  double bar_done = 0, steps_before = 0;    ///< of bars without a length: of this one, of those of epochs before
  double bar_elapsed = 0, bars_before = 0;  ///< seconds of that bar; of those of epochs before
  double bar_validation = scan::kUnknown;   ///< that a bar told last
  double sample_batch = 0;                  ///< samples of a step, of programs that count samples
  bool run_over = false;                    ///< Hugging Face's Trainer has told its summary
  double next_done = 0, next_total = 0;     ///< of the bar after that
  double time_told = 0;                     ///< of a step or of all so far, as its line does not say
  int times_told = 0, times_less = 0;       ///< so many of them; those that were less than the one before
  double clocked_step = 0;                  ///< of the last line that has one
  int clock_fits = 0;                       ///< lines whose time grew as their step did; below 0: one that did not
  bool block_of_names = false;              ///< lines of that block are "name: value" (EasyR1)
  bool stage_without_loss = false;          ///< of torchtitan's ranks some print -1 for want of a loss
  int dmon_busy = -1, dmon_memory = -1;     ///< columns of `nvidia-smi dmon`; -1: it has none
  std::optional<StepRecord> wandb_summary;  ///< as far as it was read
  double batch_told = scan::kUnknown, batches_told = scan::kUnknown;  ///< of the last "Batch 0/100"
  double bracket_told = scan::kUnknown;                               ///< of the last "[100] loss = 2.1"
  int bracket_grows = 0;                                              ///< lines on which it grew; below 0: it fell
  bool batch_behind = false;                                          ///< the step is what stands behind the slash
  double line_time = scan::kUnknown;  ///< the clock of the last line that has a duration
  StepRecord listed;                  ///< values of lines of one each, as far as their step is not told
  bool listing = false;               ///< lines of names and values follow (Ray)
  bool listed_held_out = false;       ///< of held-out data (Coqui)
  double epoch_bar_total = 0;         ///< epochs of a bar over them
  double loss_bar_total = 0;          ///< of the first bar that only its loss tells of
  double mlperf_batch = 0;            ///< samples of a step of MLPerf's logs
  int generation_column = -1;         ///< of llama-batched-bench; -1: its table has not begun
  bool bench_generates = false;       ///< the record of llama-bench is of generating
  PlainBlock plain{};
  double resumed_at = 0;  ///< the step that Hugging Face's Trainer went on from
};

/// What a line says of the traceback behind it: Python goes on (`Exception ignored in`); a thread of its own ends.
enum class Noise : std::uint8_t { kNone, kIgnored, kThread };

/// What the sentences of one line tell together: it has the words "step" and "epoch", and the signs of a program.
struct LineMarks {
  bool step = false, epoch = false, loss = false, rate = false;
  bool from_zero = false;  ///< its steps count so (MaxText)
  std::size_t step_at = 0;
  std::optional<LogFormat> sign;
  Noise noise = Noise::kNone;

  void add(LogFormat format) {
    if (!sign) sign = format;
  }
};

class LogNames;

class LogBook {
 public:
  RunLog log;
  const LogNames* own_names = nullptr;  ///< what the user says of names; null: nothing
  /// Their values in the line that is read, of which its own format tells the step: the next record takes them, and
  /// nothing else for `quantities` (bits by StepValue).
  struct Mapped {
    StepRecord record;
    std::uint32_t quantities = 0;
  };
  std::optional<Mapped> mapped{};
  LogFacts facts;
  LineMarks marks;

  /// One line of progress of the given format.
  void record(LogFormat format, StepRecord record, const LogLine& line, TimeSource time = TimeSource::kSaid);
  /// The optimizer did not do so many steps.
  void leaves_out(double steps);
  /// A line that shows the format without being about a step.
  void shows(LogFormat format);
  /// Lines that were of any format.
  std::uint64_t told() const { return told_; }
  /// The line that is being read.
  void at(std::uint32_t line) { line_ = line; }
  void memory(LoggedMemory kind, Bytes peak);
  void gpu_sample(std::string_view gpu, std::optional<double> busy, std::optional<Bytes> memory, std::uint32_t line);
  /// One of vLLM's engines says how fast it generates; what all of them say at one time is one value.
  void engine_rate(int engine, double rate, double time, const LogLine& line);
  void metric(std::size_t index, double value, const LogLine& line);
  /// A line that the metric finds, without a number where it should be.
  void no_number(std::size_t metric, std::string_view found);
  /// The kind of event is told once a line.
  void event(LogEvent::Kind kind, const LogLine& line, std::string_view text, bool stopped = false);
  /// A sign of work: errors before this line were got over.
  void works(const LogLine& line);
  /// A rate of generation, in tokens a second; one of none is left out.
  void generates(double rate, LogFormat format, const LogLine& line);
  /// The run says that training ended.
  void ends(const LogLine& line);
  /// A bar of prompts; one that starts anew is of more prompts.
  void prompts(double done, double total);
  /// A program says hello: steps that come again after this are done again.
  void starts() {
    hello_ = true;
    started_ = line_;
  }
  /// A checkpoint is read: behind an error the run was started again, wherever it goes on.
  void resumes(const LogLine& line);
  void clock(double seconds);
  /// The run says how long it runs already.
  void elapsed(Seconds passed);
  /// The run has come to this epoch.
  void epoch(double epoch);
  /// So many steps are done, as a state file says that counts each of them.
  void reached(double step);
  /// What was taken for steps of the format was something else.
  void forget_steps(LogFormat format);
  /// What has been told is a benchmark of a server: steps of bars were requests.
  void benchmarks_server();
  void next_file();
  /// A run that had ended is followed by another one, which the log is of from here on.
  void another_run();

  /// Prefixed lines of other ranks than the first seen (or 0) are copies.
  void take_mapped(StepRecord& record);
  bool takes(LogFormat format, int rank);
  bool takes_metrics(int rank) { return takes(metric_rank_, rank); }
  /// Whose steps the log counts; nullopt: none were met.
  std::optional<LogFormat> step_format() const { return step_owner_; }
  /// The same, or whose losses they are where nobody tells steps.
  std::optional<LogFormat> told_by() const;
  /// Whose held-out losses the log has; nullopt: there are none.
  std::optional<LogFormat> held_out_by() const { return owners_[static_cast<std::size_t>(StepValue::kValidation)]; }
  /// A program that tells its steps, but no losses (DeepSpeed's engine, bars of loops that people write): lines of any
  /// form may have them.
  bool lacks_loss() const;
  double step() const { return log.last_step.value_or(scan::kUnknown); }
  /// Writes into `told`, a copy of `log` or itself where nothing more comes, what is known only by all lines so far:
  /// its formats, how far it came, how it ends. Reading on does not depend on it.
  void settle(RunLog& told) const;
  /// Nothing more comes: steps that were held back as copies of other ranks' may have been a short last segment.
  void finish();

 private:
  static constexpr std::size_t kFormats = Names<LogFormat>::entries.size();
  static constexpr std::size_t kSeries = kStepValues - 1;  // the clock is none
  struct Held {
    StepRecord record;
    LogLine line;
    TimeSource time;
  };
  struct Segment {
    double step = scan::kUnknown;  ///< the highest so far
    double clock = scan::kUnknown, clock_step = scan::kUnknown;
    double first_clock = scan::kUnknown, first_clock_step = scan::kUnknown;
    double last_clock = scan::kUnknown, last_clock_step = scan::kUnknown;
    double time = scan::kUnknown;  ///< of day, of the last record
    EpochSteps epochs;
    std::vector<Held> held;  ///< records of earlier steps: of another rank, or of a new start?
  };

  /// vLLM's engines that spoke at one time.
  struct Engines {
    std::vector<int> numbers;
    double rate = 0, time = scan::kUnknown;
    std::uint32_t line = 0;
  };

  static bool takes(int& chosen, int rank);
  /// Leaves out what other ranks told of this step and later ones, now that rank 0 tells of it.
  void forget_other_ranks(LogFormat format, double step);
  void add_engines();
  /// Of a run too short to print a loss before its summary.
  void add_mean_loss();
  Segment& segment(LogFormat format);
  void forget_reached();
  void give_way(double step);
  void place_in_run(LogFormat format, StepRecord& record);
  void start_again(LogFormat format, double step, const LogLine& line);
  bool repeats(const Segment& now) const;
  void note_left_out(const StepRecord& record);
  void report_not_finite(const StepRecord& record, const LogLine& line);
  void apply(LogFormat format, const StepRecord& record, const LogLine& line, TimeSource time);
  void add(LogFormat format, StepValue quantity, double step, double value, const LogLine& line);
  void add_time(LogFormat format, double step, double seconds, const LogLine& line, TimeSource source);
  void add_clock(LogFormat format, double step, double clock, const LogLine& line);
  void add_mean_of_clocks();
  Series& series(StepValue quantity);

  std::array<FormatLines, kFormats> records_{};
  std::array<int, kFormats> ranks_ = [] {
    std::array<int, kFormats> none{};
    none.fill(-1);
    return none;
  }();
  std::array<bool, kFormats> others_first_{};  ///< another rank's records were taken before those of rank 0
  int metric_rank_ = -1;
  std::vector<int> metric_ranks_;  ///< by metric: whose values it has
  Engines engines_;
  std::vector<std::pair<LogFormat, Segment>> segments_;
  std::array<std::optional<LogFormat>, kSeries> owners_;
  std::optional<LogFormat> step_owner_;
  std::optional<double> planned_before_;  ///< steps that were told before lines of any form stood in
  bool steps_trained_ = false;            ///< its records say more than settings
  SkippedSteps skipped_;
  TimeSource time_source_ = TimeSource::kNone;
  bool hello_ = false, restart_said_ = false;
  std::optional<double> reached_;
  double prompts_before_ = 0, bar_done_ = 0, bar_total_ = 0;
  double first_clock_ = scan::kUnknown;
  bool steps_clocked_ = false;                       ///< lines of steps have times
  bool whole_seconds_ = true;                        ///< all of these
  std::optional<Seconds> clocked_;                   ///< by the clocks of the log
  double told_seconds_ = 0;                          ///< all steps together, by the times that the log says of them
  std::uint32_t file_ = 0, line_ = 1, started_ = 0;  ///< where a program said hello last
  std::uint64_t told_ = 0;
  std::array<std::pair<std::uint32_t, std::uint32_t>, 5> last_event_{};  ///< file and line by kind
};

}  // namespace gpuplan
