#include "domain/facts/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/text.h"
#include "base/whole.h"

namespace gpuplan {
namespace {

bool host_states(const Strategy& s) {
  return includes(s.offload, Offload::kOptimizer) || includes(s.offload, Offload::kParams);
}

std::string_view lacks_sharding(Sharding sharding) {
  switch (sharding) {
    case Sharding::kNone:
      break;
    case Sharding::kZero1:
      return "has no sharding of optimizer states alone (zero1)";
    case Sharding::kZero2:
      return "has no sharding of gradients and optimizer states (zero2)";
    case Sharding::kZero3:
      return "has no full sharding (zero3)";
    case Sharding::kHsdp:
      return "has no sharding with copies (hsdp)";
  }
  return "";
}

std::string_view lacks_offload(Offload has, Offload asked) {
  for (const Offload one : {Offload::kOptimizer, Offload::kParams, Offload::kActivations}) {
    if (!includes(asked, one) || includes(has, one)) continue;
    if (one == Offload::kOptimizer) return "keeps no optimizer states in CPU memory";
    if (one == Offload::kParams) return "keeps no weights in CPU memory";
    return "keeps no activations in CPU memory";
  }
  return "";
}

bool like_gpt2(const ModelShape& s) {
  return s.kind == ModelKind::kDecoder && !s.gated && s.kv_heads == s.heads && s.norm != NormKind::kRms;
}

/// gpt2, gpt2-medium, gpt2-large and gpt2-xl.
bool weights_of_gpt2(const ModelShape& s) {
  constexpr int kVocabulary = 50257, kPositions = 1024;
  return s.vocab == kVocabulary && s.positions == kPositions;
}

/// scripts/base_train.py builds its network from depth, width and head alone.
bool like_nanochat(const ModelShape& s) {
  const bool own_mlp = !s.gated && s.ffn == 4 * s.hidden;
  return s.kind == ModelKind::kDecoder && s.layers > 0 && s.hidden % s.layers == 0 && s.kv_heads == s.heads &&
         (own_mlp || s.ffn_guessed) && s.window == 0 && !s.moe() && !s.mla() && s.plain();
}

/// Published experts go by Qwen's names of weights. DeepSeek's weights it would continue with other rotary positions
/// (deepseek_v3/model/model.py stretches them beyond 4096 tokens only, those who published them always).
bool titan_trains(const ModelShape& s, StartFrom start) {
  const TitanForm form = titan_form(s);
  if (form == TitanForm::kNone || start == StartFrom::kScratch) return form != TitanForm::kNone;
  if (form == TitanForm::kDeepSeek) return false;
  return !s.moe() || s.qk_norm == QkNorm::kHead;
}

/// Its flags have one norm before attention and one before the MLP, norms of each head's queries and keys, and biases
/// everywhere, nowhere, or of queries, keys and values (megatron/training/arguments.py).
bool like_megatron(const ModelShape& s) {
  const bool norms = s.norms_per_layer == 2 && s.final_norm && s.qk_norm != QkNorm::kFull &&
                     (s.norm == NormKind::kRms || s.norm == NormKind::kLayer);
  const bool biases = s.mlp_bias == (s.attention_bias == BiasKind::kAll) && !s.expert_bias;
  return norms && biases && s.plain();
}

/// Any of the networks that have a shape; of those known by totals nobody knows what they are.
template <class Kind>
bool any_shape(const TrainPhase& train, const Kind& kind) {
  return std::ranges::any_of(train.models, [&](const ModelUse& use) { return !use.custom && kind(use.shape.kind); });
}

/// Those that torch and torchao do not have.
bool of_bitsandbytes(Optimizer optimizer) {
  return optimizer == Optimizer::kLion || optimizer == Optimizer::kPagedAdamW8bit ||
         optimizer == Optimizer::kPagedAdamW32bit;
}

/// Those whose states DeepSpeed updates in host memory by a kernel of their own; all others accelerate replaces by
/// AdamW (utils/deepspeed.py, map_pytorch_optim_to_deepspeed).
bool on_cpu(Optimizer optimizer) { return optimizer == Optimizer::kAdamW || optimizer == Optimizer::kLion; }

/// Samples that the plan counts one by one, below the length of a sequence: joined they would be fewer sequences.
bool alone_and_shorter(const TrainPhase& train) {
  const auto& length = train.data.tokens_per_sample;
  if (!train.data.samples || train.data.packing || train.data.tokens || !length) return false;
  const double longest = length->max > 0 ? length->max : length->mean;
  return length->mean < std::min(longest, train.sequence ? static_cast<double>(*train.sequence) : longest);
}

/// Whether the ranks that share a sequence get even parts of it: under context parallelism one of the first and one of
/// the last parts each, which tensor-parallel ranks share once more (megatron/training/arguments.py).
bool even_parts(const TrainPhase& train, const Strategy& s) {
  const int parts = (s.cp > 1 ? 2 * s.cp : 1) * s.tp;
  return clamped<int>(std::ceil(train.row_tokens())) % parts == 0;
}

bool met(FrameworkLimit limit, const TrainPhase& train, StartFrom start, const Strategy& s) {
  const ModelUse& use = train.models.front();
  const ModelShape& shape = use.shape;
  const bool fused = s.attention != AttentionKernel::kEager;
  switch (limit) {
    case FrameworkLimit::kDecoders:
      return any_shape(train, [](ModelKind kind) { return kind != ModelKind::kDecoder; });
    case FrameworkLimit::kText:
      return any_shape(train, [](ModelKind kind) { return kind == ModelKind::kVit || kind == ModelKind::kDit; });
    case FrameworkLimit::kPublished:
      return use.drawn || use.custom.has_value();
    case FrameworkLimit::kScratch:
      return start != StartFrom::kScratch;
    case FrameworkLimit::kGpt2:
      return use.custom || !like_gpt2(shape) || (start != StartFrom::kScratch && !weights_of_gpt2(shape));
    case FrameworkLimit::kNanochat:
      return use.custom || !like_nanochat(shape);
    case FrameworkLimit::kTorchtitan:
      return !use.custom && !titan_trains(shape, start);
    case FrameworkLimit::kMegatron:
      return !use.custom && !like_megatron(shape);
    case FrameworkLimit::kLlamaKin:
      return use.custom || shape.kind != ModelKind::kDecoder || !shape.gated || shape.norm != NormKind::kRms ||
             shape.positions > 0 || !shape.plain();
    case FrameworkLimit::kRegularWindows:
      return !use.custom && !full_every(shape);
    case FrameworkLimit::kLlamaPipeline:
      return s.pp > 1 && titan_form(shape) == TitanForm::kQwen3;
    case FrameworkLimit::kNextToken:
      return train.objective != Objective::kNextToken;
    case FrameworkLimit::kWideMaster:
      return train.master_weights && *train.master_weights != Format::kFp32;
    case FrameworkLimit::kJoins:
      return alone_and_shorter(train);
    case FrameworkLimit::kCutsShard:
      return s.sharding <= Sharding::kZero1 && s.cp == 1 && s.dp > 1 && s.tp * s.pp > 1;
    case FrameworkLimit::kPipelineWhole:
      return s.pp > 1 && s.dp > 1 && s.sharding >= Sharding::kZero2;
    case FrameworkLimit::kOffloadShards:
      return host_states(s) && s.cp == 1 && (s.sharding == Sharding::kNone || s.dp == 1);
    case FrameworkLimit::kEvenParts:
      return s.interleave > 1 && !use.custom && shape.layers % (s.pp * s.interleave) != 0;
    case FrameworkLimit::kOffloadAdam:
      return includes(s.offload, Offload::kOptimizer) && train.optimizer.matrices != Optimizer::kAdamW;
    case FrameworkLimit::kOffloadCpuAdam:
      return includes(s.offload, Offload::kOptimizer) && !on_cpu(train.optimizer.matrices);
    case FrameworkLimit::kOffloadCpuAdamWhole:
      return includes(s.offload, Offload::kOptimizer) && !on_cpu(train.optimizer.matrices) &&
             s.sharding <= Sharding::kZero1;
    case FrameworkLimit::kContextFlash:
      return s.cp > 1 && !fused;
    case FrameworkLimit::kContextPacked:
      return s.cp > 1 && s.micro_batch > 1 && (train.data.packing || train.data.tokens.has_value());
    case FrameworkLimit::kShardsBytes:
      return s.sharding >= Sharding::kZero2 && of_bitsandbytes(train.optimizer.matrices);
    case FrameworkLimit::kTensorPaged:
      return s.tp > 1 && train.optimizer.matrices == Optimizer::kPagedAdamW8bit;
    case FrameworkLimit::kAdaptersWhole:
      return s.tp * s.pp > 1 && trains_adapters(train);
    case FrameworkLimit::kShardsExperts:
      return !use.custom && experts_are_modules(shape) &&
             (s.sharding >= Sharding::kZero2 || host_states(s) || (s.tp > 1 && s.dp > 1));
    case FrameworkLimit::kShardsAdaptedExperts:
      return !use.custom && experts_are_modules(shape) && trains_adapters(train) && adapts_experts(train) &&
             s.sharding >= Sharding::kZero2;
    case FrameworkLimit::kWideCuts: {
      const bool wide = !trains_adapters(train) && train.master_weights.value_or(Format::kFp32) == Format::kFp32 &&
                        (s.precision == Precision::kBf16 || s.precision == Precision::kFp16);
      const bool shares_states = s.sharding == Sharding::kZero1 || includes(s.offload, Offload::kOptimizer);
      const bool no_fsdp = s.sharding <= Sharding::kZero1;
      if (no_fsdp && s.cp > 1 && (s.dp > 1 || shares_states)) return true;
      // DeepSpeed shares out states without FSDP, and keeps 32-bit weights in any case.
      if (train.optimizer.matrices == Optimizer::kMuon && (wide || (no_fsdp && shares_states))) return true;
      return wide && (s.tp > 1 || s.cp > 1 || s.sharding == Sharding::kHsdp);
    }
    case FrameworkLimit::kEvenSequence:
      return !even_parts(train, s);
    case FrameworkLimit::kOldGpus:
    case FrameworkLimit::kAmd:
      return false;  // of hardware, whatever the work: why_not_on()
  }
  return false;
}

/// What of a strategy a framework lacks by its columns.
enum class Lack : std::uint8_t {
  kNothing,
  kRecompute,
  kSharding,
  kTensor,
  kPipeline,
  kInterleave,
  kContext,
  kExpert,
  kOffload,
  kRolloutsMethod,  ///< of answers that a network gives itself, whatever the framework can do
  kRolloutsOffload
};

/// The first; asked of every way that a search looks at, so without words.
Lack lack_of(const Framework& f, const TrainPhase& train, const Strategy& s) {
  if (!recomputes(f, s.recompute)) return Lack::kRecompute;
  if (!f.zero[static_cast<std::size_t>(s.sharding)]) return Lack::kSharding;
  if (s.tp > 1 && !f.tensor) return Lack::kTensor;
  if (s.pp > 1 && !f.pipeline) return Lack::kPipeline;
  if (s.interleave > 1 && !f.interleave) return Lack::kInterleave;
  if (s.cp > 1 && !f.context) return Lack::kContext;
  if (s.ep > 1 && !f.expert) return Lack::kExpert;
  if (!includes(f.offload, s.offload)) return Lack::kOffload;
  if (!train.rollouts) return Lack::kNothing;
  if (train.method == Method::kQlora) return Lack::kRolloutsMethod;
  return s.offload == Offload::kNone ? Lack::kNothing : Lack::kRolloutsOffload;
}

struct LackWords {
  std::string_view key;
  std::string_view words;  ///< as they follow the framework's name
};

/// REQUIRES: the framework lacks it.
LackWords words_of(Lack lack, const Framework& f, const Strategy& s) {
  switch (lack) {
    case Lack::kNothing:
      break;
    case Lack::kRecompute:
      return {"recompute", s.recompute == Recompute::kFull ? "has no recomputation" : "has no selective recomputation"};
    case Lack::kSharding:
      return {"parallel.sharding", lacks_sharding(s.sharding)};
    case Lack::kTensor:
      return {"parallel.tp", "has no tensor parallelism"};
    case Lack::kPipeline:
      return {"parallel.pp", "has no pipeline parallelism"};
    case Lack::kInterleave:
      return {"parallel.pp", "has no interleaved pipeline"};
    case Lack::kContext:
      return {"parallel.cp", "has no context parallelism"};
    case Lack::kExpert:
      return {"parallel.ep", "has no expert parallelism"};
    case Lack::kOffload:
      return {"offload", lacks_offload(f.offload, s.offload)};
    case Lack::kRolloutsMethod:
      return {"method", "is planned with full training or LoRA for objective: grpo"};
    case Lack::kRolloutsOffload:
      return {"offload", "is planned without CPU offload for objective: grpo"};
  }
  return {};
}

std::optional<Optimizer> missing_optimizer(const Framework& framework, const TrainPhase& train) {
  for (const Optimizer one : {train.optimizer.matrices, train.optimizer.rest})
    if (std::ranges::find(framework.optimizers, one) == framework.optimizers.end()) return one;
  return std::nullopt;
}

bool has_method(const Framework& framework, Method method) {
  switch (method) {
    case Method::kFull:
      return framework.full;
    case Method::kLora:
      return framework.lora;
    case Method::kQlora:
      return framework.qlora;
    case Method::kFrozen:
      return framework.frozen;
  }
  return false;
}

}  // namespace

bool recomputes(const Framework& framework, Recompute recompute) {
  if (recompute == Recompute::kNone) return true;
  return recompute == Recompute::kFull ? framework.recompute_full : framework.recompute_selective;
}

const LimitRow* limit_met(const Framework& framework, const TrainPhase& train, StartFrom start, const Strategy& s) {
  for (const LimitRow& row : framework.limits)
    if (met(row.limit, train, start, s)) return &row;
  return nullptr;
}

bool can_run(const Framework& framework, const TrainPhase& train, StartFrom start, const Strategy& s) {
  return lack_of(framework, train, s) == Lack::kNothing && limit_met(framework, train, start, s) == nullptr;
}

bool can_train(const Framework& framework, const TrainPhase& train, StartFrom start, const Strategy& s) {
  return has_method(framework, train.method) && !missing_optimizer(framework, train) &&
         can_run(framework, train, start, s);
}

std::optional<Obstacle> obstacle(const Framework& framework, const TrainPhase& train, StartFrom start,
                                 const Strategy& s) {
  const std::string& name = framework.name;
  if (!has_method(framework, train.method))
    return Obstacle{"method", name + " has no " + std::string(name_of(train.method)) + " training", ""};
  if (const auto missing = missing_optimizer(framework, train))
    return Obstacle{"optimizer", name + " has no " + std::string(name_of(*missing)), ""};
  if (const Lack lack = lack_of(framework, train, s); lack != Lack::kNothing) {
    const LackWords lacking = words_of(lack, framework, s);
    return Obstacle{lacking.key, name + " " + std::string(lacking.words), ""};
  }
  if (const LimitRow* row = limit_met(framework, train, start, s))
    return Obstacle{"framework", name + " " + row->what, row->instead};
  return std::nullopt;
}

std::string why_not_run(const Framework& framework, const TrainPhase& train, StartFrom start, const Strategy& s) {
  const auto found = obstacle(framework, train, start, s);
  if (!found) return "";
  return found->what + (found->instead.empty() ? "" : ": write " + found->instead);
}

bool runs_on(const Framework& framework, const Gpu& gpu) {
  if (std::ranges::find(framework.vendors, gpu.vendor) == framework.vendors.end()) return false;
  return gpu.compute_capability == 0 || gpu.compute_capability >= framework.min_compute_capability;
}

std::string why_not_on(const Framework& framework, const Gpu& gpu) {
  const bool foreign = std::ranges::find(framework.vendors, gpu.vendor) == framework.vendors.end();
  std::string why = framework.name + " does not run on " + gpu.name;
  const auto row =
      std::ranges::find(framework.limits, foreign ? FrameworkLimit::kAmd : FrameworkLimit::kOldGpus, &LimitRow::limit);
  if (row != framework.limits.end() && (!foreign || gpu.vendor == "amd"))
    return why + ": it " + row->what + "; write " + row->instead;
  if (!foreign)
    why += ": it needs compute capability " + number_text(framework.min_compute_capability) + ", and the GPU has " +
           number_text(gpu.compute_capability);
  return why;
}

std::string who_trains(const Catalogue& catalogue, const TrainPhase& train, StartFrom start, const Strategy& s) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (const Framework& other : catalogue.frameworks)
    if (other.trains && names.size() < kNamed && can_train(other, train, start, s)) names.push_back(other.name);
  return names.empty() ? "" : listed(names, "or");
}

Strategy asked_strategy(const TrainPhase& train, const std::string& gpu, int gpus) {
  const Parallel& fixed = train.parallel;
  Strategy s;
  s.dp = fixed.dp.value_or(1);
  s.tp = fixed.tp.value_or(1);
  s.pp = fixed.pp.value_or(1);
  s.cp = fixed.cp.value_or(1);
  s.ep = fixed.ep.value_or(1);
  s.sharding = fixed.sharding.value_or(Sharding::kNone);
  s.recompute = train.recompute.on(gpu, gpus).value_or(Recompute::kNone);
  s.offload = train.offload.on(gpu, gpus).value_or(Offload::kNone);
  return s;
}

bool trains_adapters(const TrainPhase& train) {
  return train.method == Method::kLora || train.method == Method::kQlora;
}

bool experts_are_modules(const ModelShape& shape) { return shape.moe() && !shape.expert_bias; }

bool adapts_experts(const TrainPhase& train) {
  return std::ranges::find(train.lora.targets, "experts") != train.lora.targets.end();
}

TitanForm titan_form(const ModelShape& s) {
  const bool plain = s.kind == ModelKind::kDecoder && s.gated && s.norm == NormKind::kRms && s.positions == 0 &&
                     s.norms_per_layer == 2 && s.final_norm && s.attention_bias == BiasKind::kNone && !s.mlp_bias &&
                     s.window == 0 && s.qk_norm != QkNorm::kFull && s.plain();
  if (!plain) return TitanForm::kNone;
  if (s.mla()) return s.moe() && s.qk_norm == QkNorm::kNone && !s.tied ? TitanForm::kDeepSeek : TitanForm::kNone;
  if (s.moe()) return s.shared_ffn == 0 && s.dense_layers == 0 ? TitanForm::kQwen3 : TitanForm::kNone;
  const bool own = s.tied || s.qk_norm == QkNorm::kHead || s.head_dim * s.heads != s.hidden;
  return own ? TitanForm::kQwen3 : TitanForm::kLlama3;
}

std::optional<int> full_every(const ModelShape& s) {
  const int full = s.window > 0 ? s.layers - s.window_layers : 0;
  if (full <= 0) return 0;
  if (s.layers % full == 0) return s.layers / full;
  std::optional<int> every;
  for (int n = 2; n <= s.layers; ++n) {
    if (s.layers / n != full) continue;
    if (every) return std::nullopt;
    every = n;
  }
  return every;
}

}  // namespace gpuplan
