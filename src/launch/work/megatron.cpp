// Megatron-LM: pretrain_gpt.py of a clone, with the complete shape of the network and all parallel degrees as flags.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "base/whole.h"
#include "domain/facts/limits.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/arguments.h"

namespace gpuplan {
namespace {

/// Flags by NVIDIA/Megatron-LM's argument parser (megatron/training/arguments.py).
class Flags {
 public:
  void group() { text_ += " \\\n    "; }
  void set(std::string_view name) { add(name); }
  void set(std::string_view name, int value) {
    add(name);
    text_ += " " + std::to_string(value);
  }
  void set(std::string_view name, double value) {
    add(name);
    text_ += " " + number_text(value);
  }
  /// `value` is a word of the shell.
  void set(std::string_view name, std::string_view value) {
    add(name);
    text_ += " " + std::string(value);
  }
  void set(std::string_view name, const char* value) { set(name, std::string_view(value)); }
  void words(const std::vector<std::string>& words) {
    for (const std::string& word : words) text_ += " " + word;
  }
  std::string take() { return std::move(text_); }

 private:
  void add(std::string_view name) {
    if (!text_.ends_with(' ')) text_ += ' ';
    text_ += "--" + std::string(name);
  }
  std::string text_;
};

void experts(Flags& flags, const ModelShape& s) {
  flags.group();
  flags.set("num-experts", s.experts);
  flags.set("moe-router-topk", s.experts_per_token);
  flags.set("moe-ffn-hidden-size", s.expert_ffn);
  if (s.shared_ffn > 0) flags.set("moe-shared-expert-intermediate-size", s.shared_ffn);
  // A list in Python's notation: no experts in the first layers, then in all.
  if (s.dense_layers > 0)
    flags.set("moe-layer-freq",
              "'([0]*" + std::to_string(s.dense_layers) + "+[1]*" + std::to_string(s.layers - s.dense_layers) + ")'");
  flags.set("moe-grouped-gemm");
  flags.set("moe-token-dispatcher-type", "alltoall");
  flags.set("moe-router-load-balancing-type", "aux_loss");
  flags.set("moe-aux-loss-coeff", 1e-3);
}

void network(Flags& flags, const ModelShape& s, int sequence) {
  flags.group();
  flags.set("use-mcore-models");
  flags.set("transformer-impl", "transformer_engine");
  flags.set("num-layers", s.layers);
  flags.set("hidden-size", s.hidden);
  flags.set("ffn-hidden-size", s.ffn);
  flags.set("num-attention-heads", s.heads);
  if (s.mla()) {
    flags.set("multi-latent-attention");
    if (s.q_lora_rank > 0) flags.set("q-lora-rank", s.q_lora_rank);
    flags.set("kv-lora-rank", s.kv_lora_rank);
    flags.set("qk-head-dim", s.qk_nope_dim);
    flags.set("qk-pos-emb-head-dim", s.qk_rope_dim);
    flags.set("v-head-dim", s.v_dim);
  } else {
    flags.set("kv-channels", s.head_dim);
    if (s.kv_heads != s.heads) {
      flags.set("group-query-attention");
      flags.set("num-query-groups", s.kv_heads);
    }
  }
  flags.group();
  flags.set("seq-length", sequence);
  flags.set("max-position-embeddings", std::max({sequence, s.positions, s.max_context}));
  flags.set("position-embedding-type", s.positions > 0 ? "learned_absolute" : "rope");
  flags.set("normalization", s.norm == NormKind::kRms ? "RMSNorm" : "LayerNorm");
  if (s.gated) flags.set("swiglu");
  if (!s.tied) flags.set("untie-embeddings-and-output-weights");
  if (!s.mlp_bias) flags.set("disable-bias-linear");
  if (s.attention_bias == BiasKind::kQkv) flags.set("add-qkv-bias");
  // DeepSeek's latent vectors are normalized, by the same flag.
  if (s.qk_norm == QkNorm::kHead || s.mla()) flags.set("qk-layernorm");
  if (s.window > 0) {
    flags.set("window-size", "'(" + std::to_string(s.window - 1) + ",0)'");
    if (const int every = full_every(s).value_or(0); every > 0) flags.set("window-attn-skip-freq", every);
  }
  flags.set("attention-dropout", 0);
  flags.set("hidden-dropout", 0);
  if (s.moe()) experts(flags, s);
}

void cut(Flags& flags, const Strategy& s, const ModelShape& shape) {
  flags.group();
  flags.set("tensor-model-parallel-size", s.tp);
  if (s.tp > 1) flags.set("sequence-parallel");
  flags.set("pipeline-model-parallel-size", s.pp);
  // Layers that do not divide: the last stage, which has the output matrix too, holds fewer.
  if (const int each = (shape.layers + s.pp - 1) / s.pp; s.interleave == 1 && each * s.pp != shape.layers)
    flags.set("decoder-last-pipeline-num-layers", shape.layers - each * (s.pp - 1));
  if (s.interleave > 1) flags.set("num-layers-per-virtual-pipeline-stage", shape.layers / (s.pp * s.interleave));
  flags.set("context-parallel-size", s.cp);
  if (shape.moe()) flags.set("expert-model-parallel-size", s.ep);
  // What keeps states in CPU memory is part of the distributed optimizer (core/optimizer/__init__.py), also on one GPU.
  const bool host = includes(s.offload, Offload::kOptimizer);
  if (s.sharding == Sharding::kZero1 || host) flags.set("use-distributed-optimizer");
  // Context-parallel ranks have the same weights and share out states with the data-parallel ones (core/optimizer:
  // groups with_context_parallel). Megatron asserts the first flag only beside the second.
  const bool copies = s.dp * s.cp > 1;
  if (s.sharding == Sharding::kZero1 && copies) flags.set("overlap-param-gather");
  if (copies) flags.set("overlap-grad-reduce");
  if (s.recompute == Recompute::kFull) {
    flags.set("recompute-granularity", "full");
    flags.set("recompute-method", "uniform");
    flags.set("recompute-num-layers", 1);
  } else if (s.recompute == Recompute::kSelective) {
    flags.set("recompute-granularity", "selective");
  }
  if (host) {
    flags.set("optimizer-cpu-offload");
    flags.set("use-precision-aware-optimizer");
  }
}

void precision(Flags& flags, Precision precision) {
  switch (precision) {
    case Precision::kFp32:
    case Precision::kTf32:
      return;
    case Precision::kFp16:
      return flags.set("fp16");
    case Precision::kBf16:
      return flags.set("bf16");
    case Precision::kFp8:
      flags.set("bf16");
      return flags.set("fp8-format", "hybrid");
    case Precision::kMxfp8:
      flags.set("bf16");
      flags.set("fp8-format", "e4m3");
      return flags.set("fp8-recipe", "mxfp8");
    case Precision::kNvfp4:
      flags.set("bf16");
      return flags.set("fp4-format", "e2m1");
  }
}

/// The first version that has what the plan uses: windows and fp4 came with 0.15; before 0.18 Muon was dist_muon
/// wherever states are sharded or gradients overlap.
std::string oldest_core(const ModelShape& shape, const Strategy& s, bool muon) {
  if (muon) return "0.18";
  return shape.window > 0 || s.precision == Precision::kNvfp4 ? "0.15" : "0.12";
}

}  // namespace

Result<Work> megatron_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const ModelShape& shape = train.models.front().shape;
  const Strategy& s = place.strategy();
  const std::string optimizer = optimizer_name(place, train.optimizer.matrices, &OptimizerFacts::megatron);
  if (includes(s.offload, Offload::kActivations))
    return placeholder(
        place,
        "Offload of activations is not supported by the generated script: plan it with offload: optimizer, "
        "or none.");
  const bool muon = optimizer == "muon";
  const bool scratch = place.from_scratch();
  const int steps = steps_of(place);
  const int sequence = place.estimate().sequence;
  const double rate = number_argument(place, "learning_rate", scratch ? 3e-4 : 1e-5);
  Flags flags;
  network(flags, shape, sequence);
  cut(flags, s, shape);
  flags.group();
  flags.set("micro-batch-size", s.micro_batch);
  flags.set("global-batch-size", batch_of(place));
  flags.set("train-iters", steps);
  precision(flags, s.precision);
  flags.set("optimizer", optimizer);
  flags.set("lr", rate);
  flags.set("min-lr", tenth_of(rate));
  flags.set("lr-decay-style", "cosine");
  flags.set("lr-warmup-iters", warm_up_steps(place, clamped<int>(std::clamp(std::ceil(steps / 50.0), 1.0, 2000.0))));
  flags.set("weight-decay", number_argument(place, "weight_decay", scratch ? 0.1 : 0.0));
  flags.set("adam-beta1", 0.9);
  flags.set("adam-beta2", 0.95);
  flags.set("clip-grad", number_argument(place, "grad_clip", 1.0));
  flags.group();
  flags.set("tokenizer-type", "HuggingFaceTokenizer");
  flags.set("tokenizer-model", "\"$TOKENIZER\"");
  flags.set("make-vocab-size-divisible-by", 128);
  flags.set("data-path", "\"$DATA\"");
  const double evaluations = place.phase().evaluate ? place.phase().evaluate->every_steps : 0;
  flags.set("split", evaluations >= 1 ? "99,1,0" : "100,0,0");
  flags.group();
  const int every = std::max(checkpoint_steps(place.launch, place.laid), 1);
  flags.set("save", "\"$GPUPLAN_CHECKPOINTS\"");
  flags.set("save-interval", every);
  flags.set("ckpt-format", "torch_dist");
  flags.set("exit-signal-handler");
  flags.set("log-interval", log_steps(place));
  flags.set("log-throughput");
  flags.set("eval-interval", evaluations >= 1 ? clamped<int>(std::round(evaluations)) : steps);
  flags.set("eval-iters", evaluations >= 1 ? 10 : 0);
  flags.words(flag_words(place));
  Work work;
  const ModelUse& model = train.models.front();
  const std::string core = oldest_core(shape, s, muon);
  work.required = {"MEGATRON: folder with a clone of github.com/NVIDIA/Megatron-LM (core " + core + " or later)",
                   "DATA: output of its tools/preprocess_data.py, the path without .bin and .idx",
                   "TOKENIZER: Hugging Face name, or folder, of the tokenizer used for DATA"};
  const std::vector<Trained> left = trained_by(place, model);
  const std::string own = own_form(place, model);
  std::string from = " (NVIDIA-NeMo/Megatron-Bridge imports them from ";
  from += left.empty() ? "the hub)" : "runs/" + left.front().path() + ", what that phase trained)";
  if (!scratch)
    work.required.push_back("PRETRAINED: folder of the weights as a Megatron checkpoint" +
                            (own.empty() ? from : ", of " + own));
  if (!model.drawn && source_of(model).find('/') == std::string::npos)
    work.required.push_back("MODEL: Hugging Face name, or folder with config.json, of " + printable(model.name, 60));
  work.prepare = {
      "python3 -c 'import torch, transformer_engine' || { echo 'Megatron needs torch and transformer_engine: "
      "start from an image of nvcr.io/nvidia/pytorch' >&2; exit 1; }",
      // Of HuggingFaceTokenizer, which Megatron names nowhere among what it needs.
      "python3 -c 'import transformers' 2>/dev/null || " + pip_install({requirement("transformers")})};
  work.prepare.insert(
      work.prepare.begin(),
      check_version(place, work, "megatron", "Megatron core",
                    "\"$(sed -n 's/^M[AI][JN]OR = \\([0-9]*\\).*/\\1/p' \"$MEGATRON/megatron/core/package_info.py\" | "
                    "paste -sd.)\"",
                    core));
  if (muon)
    work.prepare.push_back("python3 -c 'import emerging_optimizers' 2>/dev/null || " +
                           pip_install({"git+https://github.com/NVIDIA-NeMo/Emerging-Optimizers.git@v0.2.0"}));
  // --load finds the newest by latest_checkpointed_iteration.txt; a folder without it would end the run.
  std::string start =
      "load=()\nif [ -f \"$GPUPLAN_CHECKPOINTS/latest_checkpointed_iteration.txt\" ]; then\n"
      "  load=(--load \"$GPUPLAN_CHECKPOINTS\")\n";
  if (!scratch) start += "else\n  load=(--load \"$PRETRAINED\" --finetune)\n";
  start += "fi";
  // The layers outside of Transformer Engine sum gradients by a kernel of APEX, and end without it
  // (megatron/core/tensor_parallel/layers.py, ColumnParallelLinear).
  start +=
      "\npython3 -c 'import fused_weight_gradient_mlp_cuda' 2>/dev/null ||\n"
      "  load+=(--no-gradient-accumulation-fusion)";
  std::string words = " \"$MEGATRON/pretrain_gpt.py\" \"${load[@]}\"";
  work.command = {start, "export CUDA_DEVICE_MAX_CONNECTIONS=1"};
  if (!model.drawn) {
    work.files.push_back(program(place, "megatron_shape.py"));
    work.command.push_back("model=" + bash_value(source_of(model)));
    work.command.push_back("positions=$(python3 " + file_word("megatron_shape.py") + " \"${MODEL:-$model}\")");
    work.command.emplace_back("mapfile -t positions <<<\"$positions\"");
    words += " \"${positions[@]}\"";
    work.notes.emplace_back(
        "Rotary positions, norms and routing of experts are those of the model's config.json (megatron_shape.py).");
  }
  if (const int keep = pruned_to(place); keep > 0) {
    work.files.push_back(program(place, "megatron_keep.sh", "keep.sh"));
    work.command.emplace_back("me=$BASHPID");
    work.command.push_back("bash " + file_word("keep.sh") + " " + std::to_string(keep) + " \"$me\" &");
    work.notes.push_back(pruned_note("Megatron", keep));
  }
  // The last rank prints the losses (megatron/training/training.py, training_log: print_rank_last).
  work.log_machine = place.laid.nodes - 1;
  work.command.push_back(supervised(place, work, torchrun(place) + words + flags.take(), Asked::kBySignal));
  work.notes.emplace_back("A stop writes a checkpoint after the current step (--exit-signal-handler).");
  if (train.data.samples)
    work.notes.emplace_back(
        "Megatron reads plain texts one after the other: it learns all of their tokens, prompts too, and samples that "
        "share a sequence see each other. For conversations take framework: hf-trainer.");
  if (s.precision == Precision::kNvfp4) work.notes.emplace_back("fp4 needs Blackwell.");
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
