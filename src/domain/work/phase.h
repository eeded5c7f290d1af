// One stage of a job.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/interval.h"
#include "base/names.h"
#include "base/units.h"
#include "domain/hardware/per_gpu.h"
#include "domain/work/model_use.h"
#include "domain/work/prose.h"
#include "domain/work/rollouts.h"
#include "domain/work/strategy.h"

namespace gpuplan {

/// A figure the user expects for time or speed: a single one is read as +-20 % unless marked exact.
template <class T>
struct Expected {
  Interval<T> range{};
};

enum class Method { kFull, kLora, kQlora, kFrozen };
template <>
struct Names<Method> {
  static constexpr std::array entries = {
      Named<Method>{Method::kFull, "full"},
      Named<Method>{Method::kLora, "lora"},
      Named<Method>{Method::kQlora, "qlora"},
      Named<Method>{Method::kFrozen, "frozen"},
  };
};

/// What training minimises: the loss of the next token; that of direct preference optimization (Rafailov et al. 2023,
/// arXiv:2305.18290) over pairs of a better and a worse answer, held against the network as it was before; or that of
/// group relative policy optimization (domain/work/rollouts.h), over answers that it gives itself.
enum class Objective { kNextToken, kDpo, kGrpo };
template <>
struct Names<Objective> {
  static constexpr std::array entries = {
      Named<Objective>{Objective::kNextToken, "next_token"},
      Named<Objective>{Objective::kDpo, "dpo"},
      Named<Objective>{Objective::kGrpo, "grpo"},
      Named<Objective>{Objective::kNextToken, "sft"},
  };
};

/// What is known of each stands in data/optimizers.csv.
enum class Optimizer { kAdamW, kAdam8bit, kMuon, kLion, kLamb, kSgd, kAdafactor, kPagedAdamW8bit, kPagedAdamW32bit };
template <>
struct Names<Optimizer> {
  static constexpr std::array entries = {
      Named<Optimizer>{Optimizer::kAdamW, "adamw"},
      Named<Optimizer>{Optimizer::kAdam8bit, "adam8bit"},
      Named<Optimizer>{Optimizer::kMuon, "muon"},
      Named<Optimizer>{Optimizer::kLion, "lion"},
      Named<Optimizer>{Optimizer::kLamb, "lamb"},
      Named<Optimizer>{Optimizer::kSgd, "sgd"},
      Named<Optimizer>{Optimizer::kAdafactor, "adafactor"},
      Named<Optimizer>{Optimizer::kPagedAdamW8bit, "paged_adamw_8bit"},
      Named<Optimizer>{Optimizer::kPagedAdamW32bit, "paged_adamw_32bit"},
      Named<Optimizer>{Optimizer::kAdamW, "adam"},
      Named<Optimizer>{Optimizer::kAdam8bit, "adamw8bit"},
      Named<Optimizer>{Optimizer::kAdam8bit, "adamw_8bit"},
      Named<Optimizer>{Optimizer::kAdam8bit, "adamw_bnb_8bit"},
      Named<Optimizer>{Optimizer::kPagedAdamW32bit, "paged_adamw"},
  };
};

struct TrainData {
  std::optional<double> samples;
  std::optional<Length> tokens_per_sample;
  bool packing = false;  ///< samples are joined to full sequences
  std::optional<Tokens> tokens;
};

struct BatchSize {
  std::optional<double> sequences;
  std::optional<Tokens> tokens;
};

/// Matrices that low-rank adapters may sit at: projections by their Hugging Face names, and groups of them.
inline constexpr std::array<std::string_view, 10> kLoraTargets = {
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "attention", "mlp", "all"};

struct Lora {
  int rank = 16;
  std::vector<std::string> targets;  ///< of kLoraTargets; empty: all linear layers
};

/// Degrees the user fixes; nullopt: gpuplan chooses.
struct Parallel {
  std::optional<int> dp, tp, pp, cp, ep;
  std::optional<Sharding> sharding;
};

struct OptimizerChoice {
  Optimizer matrices = Optimizer::kAdamW;
  Optimizer rest = Optimizer::kAdamW;  ///< embeddings, norms, biases
  bool stated = false;  ///< by the job; else fine-tuning may take a lighter one (plan/strategy/practice.h)
};

/// What training starts from.
enum class StartFrom { kWeights, kScratch };
template <>
struct Names<StartFrom> {
  static constexpr std::array entries = {
      Named<StartFrom>{StartFrom::kWeights, "weights"},
      Named<StartFrom>{StartFrom::kScratch, "scratch"},
  };
};

struct TrainPhase {
  std::vector<ModelUse> models;
  TrainData data;
  std::optional<double> epochs;
  std::optional<double> steps;
  std::optional<double> steps_at_batch;  ///< the work is steps x this many sequences, whatever the batch
  std::optional<int> sequence;           ///< tokens; from the data when absent
  std::optional<BatchSize> batch;        ///< nullopt: auto
  PerGpu<int> batch_by_gpu;              ///< sequences, when the batch depends on the hardware
  PerGpu<int> micro, accumulate;
  PerGpu<Precision> precision;
  OptimizerChoice optimizer;
  Method method = Method::kFull;
  Objective objective = Objective::kNextToken;
  std::optional<Rollouts> rollouts;  ///< of grpo, where samples are prompts, and batch and steps count answers
  Lora lora;
  std::optional<double> trainable;  ///< parameters that learn whole, beside what is frozen
  PerGpu<Recompute> recompute;
  PerGpu<Offload> offload;
  Parallel parallel;
  std::optional<AttentionKernel> attention;
  PerGpu<bool> compile;
  std::optional<StartFrom> start;  ///< nullopt: as data and model suggest
  std::string framework;           ///< catalogue name; empty: auto
  // Number formats that the framework decides unless a run says otherwise: fp32 or bf16.
  std::optional<Format> master_weights;   ///< of the weights that the optimizer updates
  std::optional<Format> optimizer_state;  ///< of its moments; kInt8: 8-bit states

  /// Sequences of tokens that one sample is.
  int rows() const { return objective == Objective::kDpo ? 2 : 1; }
  /// Tokens of the longest sequence: `sequence`, or the longest sample where samples are not joined and all are
  /// shorter. 0: the phase leaves it open.
  double row_tokens() const {
    const auto& length = data.tokens_per_sample;
    const double longest = length ? std::max(length->max, length->mean) : 0;
    if (!sequence) return longest;
    return longest > 0 && !data.packing ? std::min<double>(*sequence, longest) : *sequence;
  }
};

struct Prompts {
  std::string name;
  double samples = 0;
  Length prompt_tokens;
  Length new_tokens;
};

enum class Situation { kSingle, kStatic, kConcurrency, kSaturated };
template <>
struct Names<Situation> {
  static constexpr std::array entries = {
      Named<Situation>{Situation::kSingle, "single"},
      Named<Situation>{Situation::kStatic, "static"},
      Named<Situation>{Situation::kConcurrency, "concurrency"},
      Named<Situation>{Situation::kSaturated, "saturated"},
  };
};

/// Tokens of a sample whose activations are kept.
enum class KeptTokens { kAll, kPrompt, kNew, kLast };
template <>
struct Names<KeptTokens> {
  static constexpr std::array entries = {
      Named<KeptTokens>{KeptTokens::kAll, "all"},
      Named<KeptTokens>{KeptTokens::kPrompt, "prompt"},
      Named<KeptTokens>{KeptTokens::kNew, "new"},
      Named<KeptTokens>{KeptTokens::kLast, "last"},
  };
};

/// Activations kept by a `collect` phase.
struct Store {
  double layers = 0;
  double width = 0;
  Format dtype = Format::kFp16;
  std::string to = "disk";  ///< disk or memory
  KeptTokens tokens = KeptTokens::kAll;
  std::optional<BytesPerSecond> disk_rate{};         ///< of one machine; nullopt: assumed
  std::optional<DollarsPerByteSecond> disk_price{};  ///< where an offer states none
};

/// A draft guesses several tokens at once, and the model checks them in one pass.
struct Speculation {
  int tokens = 0;                 ///< guessed for each pass
  double acceptance = 0;          ///< chance that a guess holds when those before it did
  std::optional<ModelUse> draft;  ///< nullopt: heads or n-grams, whose cost is small
};

/// What the answer must reach; all replicas together for tokens, the middle of requests for latencies.
struct GenerationTarget {
  std::optional<TokensPerSecond> tokens_per_second;  ///< new tokens
  std::optional<Seconds> time_to_first_token;
  std::optional<Seconds> time_per_output_token;

  bool any() const { return tokens_per_second || time_to_first_token || time_per_output_token; }
};

/// `generate`, and `collect` when `store` is set.
struct GeneratePhase {
  std::vector<ModelUse> models;
  std::vector<Prompts> data;  ///< for each model
  Situation situation = Situation::kSaturated;
  std::optional<double> concurrency;  ///< requests in flight, situation concurrency
  PerGpu<int> batch;                  ///< sequences a replica
  std::optional<Format> weights;      ///< nullopt: the model's own
  std::optional<double> weight_bits;  ///< bits that a weight takes, scales included; nullopt: as usual for the format
  std::optional<Format> kv_cache;
  std::optional<Speculation> speculation;
  GenerationTarget target;
  std::string engine;  ///< catalogue name; empty: auto
  Parallel parallel;
  std::optional<Placement> place;
  std::optional<Store> store;
  bool collect = false;
  bool forward_only = false;
};

/// Stages of a test or evaluation pipeline: every item passes all of them on one worker.
struct WorkPhase {
  double items = 0;
  std::vector<std::pair<std::string, Expected<Seconds>>> each;
  int workers = 1;
  int gpus = 0;
};

struct FixedPhase {
  int gpus = 0;
  Expected<Seconds> time;
  bool human = false;  ///< somebody works; the GPUs wait for him, unless the schedule lets them go
};

struct CpuPhase {
  Expected<Seconds> time;
  std::string command;
};

using PhaseWork = std::variant<TrainPhase, GeneratePhase, WorkPhase, FixedPhase, CpuPhase>;

/// The user's own figure for some hardware. Without `gpus` a rate is that of one GPU or replica.
struct Given {
  std::string gpu;  ///< catalogue name; empty: any
  int gpus = 0;     ///< 0: not said
  std::optional<Interval<TokensPerSecond>> tokens_per_second;
  std::optional<Interval<PerSecond>> samples_per_second;
  std::optional<Interval<Seconds>> seconds_per_step;
  std::optional<Interval<Seconds>> seconds_per_sample;
  std::optional<Interval<Seconds>> time;
  std::optional<Interval<Bytes>> memory;
};

struct Overhead {
  Expected<Seconds> time;
  Expected<Seconds> each_model;
  double share = 0;     ///< of the work, added
  bool stated = false;  ///< the job gives a time, if only that it is none
};

struct Evaluate {
  double every_steps = 0;
  std::optional<Seconds> every_time;
  Expected<Seconds> time;
};

struct CheckpointRule {
  std::optional<Seconds> every_time;  ///< neither: auto
  std::optional<double> every_steps;
  int keep = 0;  ///< 0: not said, -1: all
  std::string to;
};

/// `{run, time}` before a phase, `{note, time}` for a manual step.
struct Step {
  std::string text;
  Expected<Seconds> time;
};

struct Phase {
  std::string name;
  PhaseWork work;
  std::vector<std::string> needs;  ///< names; empty: the phase before it has no say
  std::string on;                  ///< stay on that phase's nodes
  std::optional<Step> setup;
  std::optional<Step> before;
  std::string command;
  std::vector<std::pair<std::string, std::string>> args;
  std::vector<std::pair<std::string, std::string>> profiles;  ///< GPU or profile -> what the program calls it
  Overhead overhead;
  std::optional<Evaluate> evaluate;
  std::optional<CheckpointRule> checkpoint;
  std::vector<Given> given;
  std::vector<std::pair<std::string, std::string>> metrics;
  std::vector<std::string> succeed_when;
  std::optional<double> chance_to_pass;
  std::string yields;
  std::string note;  ///< one line, shown in scripts
  PhaseProse prose;
  int line = 0;  ///< in the job file
};

/// The networks that a phase trains or runs; null where it does neither.
inline std::vector<ModelUse>* models_of(Phase& phase) {
  if (auto* train = std::get_if<TrainPhase>(&phase.work)) return &train->models;
  if (auto* generate = std::get_if<GeneratePhase>(&phase.work)) return &generate->models;
  return nullptr;
}
inline const std::vector<ModelUse>* models_of(const Phase& phase) {
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) return &train->models;
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work)) return &generate->models;
  return nullptr;
}

}  // namespace gpuplan
