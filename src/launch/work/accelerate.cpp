#include "launch/work/accelerate.h"

#include <algorithm>

#include "domain/facts/limits.h"
#include "launch/work/arguments.h"

namespace gpuplan {
namespace {

std::string_view yes(bool value) { return value ? "true" : "false"; }

/// As accelerate names it.
std::string_view type_of(Backend backend) {
  switch (backend) {
    case Backend::kOne:
      return "'NO'";
    case Backend::kDdp:
      return "MULTI_GPU";
    case Backend::kFsdp:
      return "FSDP";
    case Backend::kDeepSpeed:
      return "DEEPSPEED";
  }
  return "MULTI_GPU";
}

void write_device(JsonWriter& json, std::string_view name, bool host) {
  if (host) json.key(name).begin_object(true).member("device", "cpu").member("pin_memory", true).end();
}

}  // namespace

Backend backend_of(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const bool host = includes(s.offload, Offload::kOptimizer) || includes(s.offload, Offload::kParams);
  if (runs_under(place, "deepspeed")) return Backend::kDeepSpeed;
  // FSDP has neither ZeRO-1 nor states in host memory without sharding.
  if (s.sharding == Sharding::kZero1) return Backend::kDeepSpeed;
  if (host && s.sharding == Sharding::kNone) return Backend::kDeepSpeed;
  if (s.sharding == Sharding::kNone) return place.laid.distributed() ? Backend::kDdp : Backend::kOne;
  return Backend::kFsdp;
}

namespace {

/// Copies of shards; and a model that DPO or GRPO compares with, which TRL would hand to version 2 as one unit, that
/// each pass gathers whole, and with the weights of the first rank only (trl/models/utils.py, prepare_fsdp). Version 1
/// takes it layer by layer and hands the weights on. Experts that are modules have gradients on the ranks that use them
/// alone: version 1 has those of a layer in one tensor, version 2 would add up different ones.
bool needs_fsdp1(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const bool whole = !trains_adapters(train);
  const bool compares = train.objective == Objective::kDpo || (train.rollouts && train.rollouts->beta > 0);
  return place.strategy().sharding == Sharding::kHsdp || (compares && whole) ||
         (whole && experts_are_modules(train.models.front().shape));
}

std::string_view fsdp1_strategy(Sharding sharding) {
  if (sharding == Sharding::kHsdp) return "HYBRID_SHARD";
  return sharding == Sharding::kZero3 ? "FULL_SHARD" : "SHARD_GRAD_OP";
}

}  // namespace

bool shards_by_dtensors(const WorkPlace& place) { return backend_of(place) == Backend::kFsdp && !needs_fsdp1(place); }

bool trainer_recomputes(const WorkPlace& place, Backend backend) {
  if (place.strategy().recompute == Recompute::kNone) return false;
  return backend != Backend::kFsdp || (trains_adapters(place.train()) && adapter_numbers(place).dropout > 0);
}

bool leaves_weights_unused(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  return experts_are_modules(train.models.front().shape) && (!trains_adapters(train) || adapts_experts(train));
}

std::vector<std::string> name_layers(const WorkPlace& place, Work& work, bool trl) {
  return backend_of(place) == Backend::kFsdp ? name_all_layers(place, work, trl) : std::vector<std::string>{};
}

std::vector<std::string> name_all_layers(const WorkPlace& place, Work& work, bool by_architecture) {
  for (const char* name : {"decoder_layers.py", "wrapped_layers.py"}) work.files.push_back(program(place, name));
  return {"layers=$(python3 " + file_word("wrapped_layers.py") + (by_architecture ? " --by-architecture" : "") + ")",
          "export FSDP_TRANSFORMER_CLS_TO_WRAP=\"$layers\""};
}

std::string for_dtensors(const std::string& optimizer) {
  return optimizer == "adamw_bnb_8bit" ? "adamw_torch_8bit" : optimizer;
}

int deepspeed_stage(const Strategy& s) {
  if (includes(s.offload, Offload::kParams)) return 3;
  const int stage = std::min(static_cast<int>(s.sharding), 3);
  return includes(s.offload, Offload::kOptimizer) ? std::max(stage, 1) : stage;
}

/// Keys by huggingface/accelerate's documentation of `accelerate launch` and its FSDP guide.
std::string accelerate_yaml(const WorkPlace& place, Backend backend, States states) {
  const Strategy& s = place.strategy();
  std::string text = "compute_environment: LOCAL_MACHINE\ndebug: false\n";
  text += "distributed_type: " + std::string(type_of(backend)) + "\n";
  text += "enable_cpu_affinity: false\n";
  if (backend == Backend::kFsdp) {
    const bool host = includes(s.offload, Offload::kOptimizer) || includes(s.offload, Offload::kParams);
    const bool first = needs_fsdp1(place);
    text += "fsdp_config:\n";
    text += "  fsdp_version: " + std::string(first ? "1" : "2") + "\n";
    // Version 1 names a strategy, version 2 says whether weights are given back after the forward pass.
    // Beside adapters version 1 saves memory only where weights that learn are units of their own (peft's documentation
    // of FSDP); the Trainer makes them so.
    text += first ? "  fsdp_sharding_strategy: " + std::string(fsdp1_strategy(s.sharding)) +
                        "\n  fsdp_use_orig_params: " + std::string(yes(!trains_adapters(place.train()))) +
                        "\n  fsdp_sync_module_states: true\n"
                  : "  fsdp_reshard_after_forward: " + std::string(yes(s.sharding == Sharding::kZero3)) + "\n";
    text += "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_cpu_ram_efficient_loading: true\n";
    text += "  fsdp_offload_params: " + std::string(yes(host)) + "\n";
    text += "  fsdp_activation_checkpointing: " +
            std::string(yes(s.recompute != Recompute::kNone && !trainer_recomputes(place, backend))) + "\n";
    text += "  fsdp_state_dict_type: " + std::string(states == States::kWhole ? "FULL" : "SHARDED") + "_STATE_DICT\n";
  }
  if (backend == Backend::kDeepSpeed)
    text += "deepspeed_config:\n  deepspeed_multinode_launcher: standard\n  zero3_init_flag: " +
            std::string(yes(deepspeed_stage(s) == 3)) + "\n";
  text += "machine_rank: 0\nmain_training_function: main\n";
  const std::string precision =
      s.precision == Precision::kFp32 || s.precision == Precision::kTf32 ? "'no'" : std::string(name_of(s.precision));
  // ds_config.json says it, and accelerate takes no second word beside that file.
  if (backend != Backend::kDeepSpeed) text += "mixed_precision: " + precision + "\n";
  text += "num_machines: " + std::to_string(place.laid.nodes) + "\n";
  text += "num_processes: " + std::to_string(place.laid.nodes * place.laid.gpus) + "\n";
  return text +
         "rdzv_backend: static\nsame_network: true\ntpu_use_cluster: false\ntpu_use_sudo: false\nuse_cpu: false\n";
}

/// Keys by deepspeedai/DeepSpeed's documentation of its configuration; "auto" is filled in by the Trainer, which has
/// the same numbers.
std::string deepspeed_json(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const bool host_states = includes(s.offload, Offload::kOptimizer);
  const bool host_weights = includes(s.offload, Offload::kParams);
  const int stage = deepspeed_stage(s);
  JsonWriter json;
  json.begin_object().member("train_batch_size", batch_of(place));
  json.member("train_micro_batch_size_per_gpu", s.micro_batch).member("gradient_accumulation_steps", s.grad_accum);
  json.member("gradient_clipping", "auto");
  json.key("bf16").begin_object(true).member("enabled", s.precision == Precision::kBf16).end();
  json.key("fp16").begin_object(true).member("enabled", s.precision == Precision::kFp16).end();
  json.key("zero_optimization").begin_object().member("stage", stage);
  json.member("overlap_comm", true).member("contiguous_gradients", true);
  write_device(json, "offload_optimizer", host_states);
  write_device(json, "offload_param", host_weights);
  if (stage == 3) json.member("stage3_gather_16bit_weights_on_model_save", true);
  // Which experts a rank uses differs, and with it the order in which it would gather them: the block of all experts is
  // gathered as one (deepspeed/runtime/zero/leaf_module_config.py).
  if (stage == 3 && experts_are_modules(place.train().models.front().shape)) {
    json.key("leaf_module").begin_object(true);
    json.member("name_suffixes", std::vector<std::string>{"mlp", "block_sparse_moe", "feed_forward"}).end();
  }
  json.end();
  // AdamW on GPUs is the Trainer's own, which torch has fused: DeepSpeed's would be compiled when training starts, by
  // nvcc, which few images have (runtime/engine.py, _configure_basic_optimizer).
  const Optimizer optimizer = place.train().optimizer.matrices;
  if (optimizer == Optimizer::kLamb || (optimizer == Optimizer::kAdamW && host_states)) {
    json.key("optimizer").begin_object().member("type", optimizer == Optimizer::kLamb ? "Lamb" : "AdamW");
    json.key("params").begin_object(true).member("lr", "auto").member("betas", "auto").member("eps", "auto");
    json.member("weight_decay", "auto").end().end();
  } else {
    json.member("zero_allow_untested_optimizer", true);
  }
  return json.member("wall_clock_breakdown", false).end().take();
}

void ask_compilers(const WorkPlace& place, Work& work) {
  const bool host = includes(place.strategy().offload, Offload::kOptimizer);
  const bool lamb = place.train().optimizer.matrices == Optimizer::kLamb;
  const auto& node = place.estimate().node;
  if (!(host || lamb) || (node && node->gpu->vendor != "nvidia")) return;
  const std::string what = host ? "optimizer for CPU memory" : "LAMB";
  const std::string missing =
      " is not here, and DeepSpeed compiles its " + what +
      " with it when training starts: start from an image with the CUDA toolkit (nvidia/cuda or pytorch/pytorch, those "
      "called devel)' >&2; exit 78; }";
  work.checks.push_back(
      "command -v nvcc >/dev/null || [ -x \"${CUDA_HOME:-/usr/local/cuda}/bin/nvcc\" ] || { echo 'nvcc" + missing);
  work.checks.push_back("command -v g++ >/dev/null || { echo 'g++" + missing);
}

std::string accelerate_flags(const WorkPlace& place) {
  std::string flags = " --num_processes " + std::to_string(place.laid.nodes * place.laid.gpus);
  if (place.laid.nodes > 1)
    flags +=
        " --num_machines \"$GPUPLAN_NODES\" --machine_rank \"$GPUPLAN_NODE_RANK\" --main_process_ip "
        "\"$GPUPLAN_MASTER_ADDR\" --main_process_port \"$GPUPLAN_MASTER_PORT\"";
  return flags;
}

std::vector<std::string> trainer_packages(const WorkPlace& place, Backend backend, Trains trains) {
  const TrainPhase& train = place.train();
  const bool trl = trains == Trains::kTrl;
  // accelerate knows fsdp_version since 1.6; `dtype` took the place of `torch_dtype` in transformers 4.56; bitsandbytes
  // has bnb_4bit_quant_storage for sharded 4-bit weights since 0.43.
  std::vector<std::string> packages = {torch_requirement(place, "2.6"), requirement("transformers"),
                                       trl ? "datasets>=4.7" : "datasets>=2.20", requirement("accelerate")};
  // Its extras bring the versions of vLLM that it knows, and what its accuracy rewards compare with.
  const std::string_view extras = !train.rollouts ? "" : pip_has_vllm(place) ? "vllm,math_verify" : "math_verify";
  if (trl) packages.push_back(requirement("trl", extras));
  if (trains_adapters(train)) packages.push_back(requirement("peft"));
  // FSDP2 beside adapters and 4-bit weights: before, frozen weights were widened or their state was lost.
  const bool dtensors = shards_by_dtensors(place) && trains_adapters(train);
  if (dtensors) packages.emplace_back("accelerate>=1.14");
  const OptimizerFacts* facts = place.launch.catalogue.find_optimizer(train.optimizer.matrices);
  const bool bytes = facts != nullptr && (facts->eight_bit || facts->paged);
  if (train.method == Method::kQlora || bytes || train.optimizer.matrices == Optimizer::kLion)
    packages.emplace_back(dtensors ? "bitsandbytes>=0.46" : "bitsandbytes>=0.45");
  if (shards_by_dtensors(place) && train.optimizer.matrices == Optimizer::kAdam8bit)
    packages.emplace_back("torchao>=0.14");  // for_dtensors()
  if (backend == Backend::kDeepSpeed) packages.push_back(requirement("deepspeed"));
  // It has leaf_module since.
  if (backend == Backend::kDeepSpeed && experts_are_modules(train.models.front().shape))
    packages.emplace_back("deepspeed>=0.18.2");
  return packages;
}

}  // namespace gpuplan
