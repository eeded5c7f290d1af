// What the log of a run says, whatever program wrote it: a bounded record, however long the log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/names.h"
#include "base/units.h"
#include "domain/hardware/precision.h"
#include "domain/work/strategy.h"

namespace gpuplan {

enum class LogFormat {
  kNanochat,
  kNanogpt,
  kTorchtitan,
  kMegatron,
  kTrainerState,
  kTrainerOutput,
  kTorchtune,
  kLightning,
  kTensorBoard,
  kWandb,
  kNvidiaSmi,
  kDcgm,
  kVllm,
  kDeepSpeed,
  kModdedNanogpt,
  kLlmC,
  kLlmq,
  kLitgpt,
  kComposer,
  kNemo,
  kSglang,
  kLlamaCpp,
  kVerl,
  kNemoRl,
  kOlmo,
  kMmengine,
  kTimm,
  kOpenClip,
  kUltralytics,
  kKeras,
  kFairseq,
  kClu,
  kFastai,
  kBars,
  kTable,
  kFields
};
template <>
struct Names<LogFormat> {
  static constexpr std::array entries = {
      Named<LogFormat>{LogFormat::kNanochat, "nanochat"},
      Named<LogFormat>{LogFormat::kNanogpt, "nanoGPT"},
      Named<LogFormat>{LogFormat::kTorchtitan, "torchtitan"},
      Named<LogFormat>{LogFormat::kMegatron, "Megatron-LM"},
      Named<LogFormat>{LogFormat::kTrainerState, "trainer_state.json"},
      Named<LogFormat>{LogFormat::kTrainerOutput, "Hugging Face Trainer"},
      Named<LogFormat>{LogFormat::kTorchtune, "torchtune"},
      Named<LogFormat>{LogFormat::kLightning, "Lightning CSV"},
      Named<LogFormat>{LogFormat::kTensorBoard, "TensorBoard events"},
      Named<LogFormat>{LogFormat::kWandb, "W&B CSV"},
      Named<LogFormat>{LogFormat::kNvidiaSmi, "nvidia-smi CSV"},
      Named<LogFormat>{LogFormat::kDcgm, "DCGM"},
      Named<LogFormat>{LogFormat::kVllm, "vLLM"},
      Named<LogFormat>{LogFormat::kDeepSpeed, "DeepSpeed"},
      Named<LogFormat>{LogFormat::kModdedNanogpt, "modded-nanogpt"},
      Named<LogFormat>{LogFormat::kLlmC, "llm.c"},
      Named<LogFormat>{LogFormat::kLlmq, "LLMQ"},
      Named<LogFormat>{LogFormat::kLitgpt, "LitGPT"},
      Named<LogFormat>{LogFormat::kComposer, "Composer"},
      Named<LogFormat>{LogFormat::kNemo, "NeMo"},
      Named<LogFormat>{LogFormat::kSglang, "SGLang"},
      Named<LogFormat>{LogFormat::kLlamaCpp, "llama.cpp"},
      Named<LogFormat>{LogFormat::kVerl, "verl"},
      Named<LogFormat>{LogFormat::kNemoRl, "NeMo RL"},
      Named<LogFormat>{LogFormat::kOlmo, "OLMo"},
      Named<LogFormat>{LogFormat::kMmengine, "MMEngine"},
      Named<LogFormat>{LogFormat::kTimm, "timm"},
      Named<LogFormat>{LogFormat::kOpenClip, "OpenCLIP"},
      Named<LogFormat>{LogFormat::kUltralytics, "Ultralytics"},
      Named<LogFormat>{LogFormat::kKeras, "Keras"},
      Named<LogFormat>{LogFormat::kFairseq, "fairseq"},
      Named<LogFormat>{LogFormat::kClu, "CLU (Flax)"},
      Named<LogFormat>{LogFormat::kFastai, "fastai"},
      Named<LogFormat>{LogFormat::kBars, "progress bars"},
      Named<LogFormat>{LogFormat::kTable, "metrics table"},
      Named<LogFormat>{LogFormat::kFields, "key-value lines"},
  };
};

/// How a peak of memory was counted: by the allocator, with what it holds in reserve, or of the whole device.
enum class LoggedMemory { kAllocated, kReserved, kDevice };

/// Values of one quantity in the order of the log, thinned out evenly when they become many (every second one is
/// dropped each time), so that a log of any length takes the same memory.
class Series {
 public:
  struct Point {
    double step = 0;  ///< NaN: the log does not say
    double value = 0;
    std::uint32_t line = 0;  ///< of the log, counted from 1
  };
  static constexpr std::size_t kMost = 16384;

  void add(double step, double value, std::uint32_t line);
  /// Leaves out what was met at `step` or later: a run that was started again does those steps again.
  void rewind(double step);
  /// The values were met every `interval` steps.
  void number_steps(double interval);
  void clear() { *this = {}; }
  const std::vector<Point>& points() const { return points_; }
  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }  ///< values met, dropped ones too (about, after a rewind)
  const Point& first() const { return first_; }
  const Point& last() const { return last_; }
  double least() const { return least_; }  ///< of all values met, NaN aside; NaN: none
  double most() const { return most_; }

 private:
  std::vector<Point> points_;
  std::size_t count_ = 0, stride_ = 1;
  Point first_{}, last_{};
  double least_ = std::numeric_limits<double>::quiet_NaN(), most_ = least_;
};

/// What nvidia-smi or DCGM saw of one GPU.
struct GpuUse {
  std::string gpu;  ///< its number, as the log has it
  std::uint64_t samples = 0;
  double busy = 0;  ///< mean of all samples, 0..1
  Bytes memory{};   ///< most of it that was in use
};

/// One thing worth a line that the log says or shows.
struct LogEvent {
  enum class Kind { kOutOfMemory, kNotFinite, kError, kRestart, kCheckpoint };
  Kind kind = Kind::kError;
  std::uint32_t line = 0;  ///< of its file, counted from 1
  std::uint32_t file = 0;  ///< counted from 0
  double step = 0;         ///< NaN: not known
  std::string text;        ///< printable, at most 200 bytes
  bool stopped = false;    ///< of a restart: it was stopped to be started again, the new start is not told of yet
};

/// A line of one of the files that were read.
struct LogPlace {
  std::uint32_t file = 0, line = 0;  ///< counted from 0 and from 1
};

/// The lines of one format: how many of its records there are, and the first and last of them.
struct FormatLines {
  LogFormat format = LogFormat::kFields;
  std::uint64_t records = 0;
  LogPlace first, last;
};

/// A name with numbers behind it, in lines of any form.
struct LogColumn {
  std::string name;  ///< printable
  std::uint64_t count = 0;
  double first = 0, last = 0;
  LogPlace at;  ///< of the first
};

/// The network and its layout, as far as a log states them.
struct LoggedSetup {
  std::optional<double> layers, hidden;
  std::optional<double> tp, pp, cp, ep;
  std::optional<double> micro_batch;  ///< sequences of one pass of a model replica
  std::optional<Precision> precision;
  std::optional<Recompute> recompute;
};

/// When the run was started again, rates (step_seconds, tokens_per_second...) are those of its last segment, and of
/// the other series the steps that were done again are left out. Warm-up and steps with evaluations or checkpoints are
/// in them (evidence decides what to leave out).
struct RunLog {
  std::vector<LogFormat> formats;         ///< recognised, the one with most records first; empty: none
  std::vector<FormatLines> format_lines;  ///< of the same formats, in the same order
  std::vector<LogColumn> columns;         ///< where the reader was asked for them, at most 64, the most frequent first
  std::uint64_t bytes = 0, lines = 0;
  bool cut_off = false;          ///< the last record is not complete
  bool quoted = false;           ///< a file that is a document or a program with lines of a log in it
  std::uint64_t long_lines = 0;  ///< lines of which only the first MiB was read

  Series loss, grad_norm, learning_rate, validation;  ///< validation: a validation loss or bpb
  std::optional<double> mean_loss;                    ///< of the whole run, by the summary at its end
  bool loss_is_mean = false;                          ///< for want of others it is the only value of `loss`
  Series step_seconds;                                ///< of one optimizer step
  Series tokens_per_second;                           ///< of all GPUs, where the log says so or counts GPUs
  Series tokens_per_second_per_gpu;
  Series sequences_per_second;      ///< samples a second of all GPUs
  Series model_flops;               ///< FLOP/s a GPU that the log reports
  Series output_tokens_per_second;  ///< of generation
  Series gpu_busy;                  ///< 0..1, nvidia-smi or DCGM, all GPUs
  std::vector<GpuUse> gpus;         ///< by nvidia-smi or DCGM, at most 64

  std::array<std::optional<Bytes>, 3> peak_memory;  ///< by LoggedMemory, of the fullest GPU
  std::optional<Bytes> kv_cache;                    ///< available to vLLM
  std::optional<double> kv_cache_tokens;

  // What a run says of itself before it starts.
  std::optional<double> planned_steps, tokens_per_step, sequences_per_step, sequence_length, processes;
  std::optional<double> parameters, trainable_parameters;
  LoggedSetup setup{};
  std::string gpu;                   ///< as the log spells it
  std::optional<Seconds> run_time;   ///< whole training time, of finished runs
  std::optional<Seconds> elapsed;    ///< so far: a bar, its own count, times of day, or its steps' times added up
  std::uint32_t clock_back = 0;      ///< line of the first step that is told of before the step before it; 0: none is
  std::optional<double> last_step;   ///< reached
  std::optional<double> first_step;  ///< the least that the log tells of, before any restart too
  std::optional<double> epoch;       ///< reached, where the log says no steps
  std::optional<double> most_steps;  ///< there, what they can be at most by the time they took
  bool every_step_counted = false;   ///< last_step is what was reached, not the last that a line was written for
  double skipped_steps = 0;          ///< that the optimizer left out because gradients were not finite
  bool end_skipped = false;          ///< most of those at the end
  bool finished = false;             ///< the log says that training ended
  bool rewards = false;              ///< of learning by rewards or preferences, whose loss may lie below zero
  int runs_before = 0;               ///< that ended before this one began, in the same log
  bool generated = false;            ///< the log says that generation ended
  std::optional<double> prompts, prompts_done;    ///< of the bars of generation
  bool benchmark = false;                         ///< of a server: its prompts are a sample
  std::optional<Seconds> first_token, per_token;  ///< means over its requests
  /// The last sign of work in each file that has one (a step, a rate, a metric, the end), in the order of the files.
  std::vector<LogPlace> work;

  std::vector<std::pair<std::string, Series>> metrics;          ///< of the job's own regular expressions, by name
  std::vector<std::pair<std::string, std::string>> no_numbers;  ///< metric, and the first its group found that is none
  std::vector<LogEvent> events;                                 ///< of each kind the first 99 or 100, and the last
  std::array<std::uint64_t, 5> event_counts{};                  ///< by LogEvent::Kind, all of them
  std::uint64_t lost_norms = 0;  ///< of those that are not finite: norms of gradients beside a loss that is
};

}  // namespace gpuplan
