// The Trainer of transformers, with peft for adapters: started by accelerate (DDP, FSDP) or by torchrun (DeepSpeed).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "launch/work/parts.h"

namespace gpuplan {
namespace {

/// What starts the processes and shares out the states.
enum class Backend { kOne, kDdp, kFsdp, kDeepSpeed };

Backend backend_of(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const Framework* framework = place.estimate().framework;
  const bool host = includes(s.offload, Offload::kOptimizer) || includes(s.offload, Offload::kParams);
  if (framework != nullptr && framework->name == "deepspeed") return Backend::kDeepSpeed;
  // FSDP has neither ZeRO-1 nor states in host memory without sharding.
  if (s.sharding == Sharding::kZero1) return Backend::kDeepSpeed;
  if (host && s.sharding == Sharding::kNone) return Backend::kDeepSpeed;
  if (s.sharding == Sharding::kNone) return place.laid.distributed() ? Backend::kDdp : Backend::kOne;
  return Backend::kFsdp;
}

std::string_view yes(bool value) { return value ? "true" : "false"; }

/// Keys by huggingface/accelerate's documentation of `accelerate launch` and its FSDP guide.
std::string accelerate_yaml(const WorkPlace& place, Backend backend) {
  const Strategy& s = place.strategy();
  std::string text = "compute_environment: LOCAL_MACHINE\ndebug: false\n";
  text += "distributed_type: " + std::string(backend == Backend::kFsdp ? "FSDP" : "MULTI_GPU") + "\n";
  text += "enable_cpu_affinity: false\n";
  if (backend == Backend::kFsdp) {
    const bool host = includes(s.offload, Offload::kOptimizer) || includes(s.offload, Offload::kParams);
    const bool copies = s.sharding == Sharding::kHsdp;
    text += "fsdp_config:\n";
    text += "  fsdp_version: " + std::string(copies ? "1" : "2") + "\n";
    // Version 1 names a strategy, version 2 says whether weights are given back after the forward pass.
    text +=
        copies
            ? "  fsdp_sharding_strategy: HYBRID_SHARD\n  fsdp_use_orig_params: true\n  fsdp_sync_module_states: true\n"
            : "  fsdp_reshard_after_forward: " + std::string(yes(s.sharding == Sharding::kZero3)) + "\n";
    text += "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_cpu_ram_efficient_loading: true\n";
    text += "  fsdp_offload_params: " + std::string(yes(host)) + "\n";
    text += "  fsdp_activation_checkpointing: " + std::string(yes(s.recompute != Recompute::kNone)) + "\n";
    text += "  fsdp_state_dict_type: SHARDED_STATE_DICT\n";
  }
  const std::string precision =
      s.precision == Precision::kFp32 || s.precision == Precision::kTf32 ? "'no'" : std::string(name_of(s.precision));
  text += "machine_rank: 0\nmain_training_function: main\nmixed_precision: " + precision + "\n";
  text += "num_machines: " + std::to_string(place.laid.nodes) + "\n";
  text += "num_processes: " + std::to_string(place.laid.nodes * place.laid.gpus) + "\n";
  return text +
         "rdzv_backend: static\nsame_network: true\ntpu_use_cluster: false\ntpu_use_sudo: false\nuse_cpu: false\n";
}

void write_device(JsonWriter& json, std::string_view name, bool host) {
  if (host) json.key(name).begin_object(true).member("device", "cpu").member("pin_memory", true).end();
}

/// Keys by deepspeedai/DeepSpeed's documentation of its configuration; "auto" is filled in by the Trainer, which has
/// the same numbers.
std::string deepspeed_json(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const bool host_states = includes(s.offload, Offload::kOptimizer);
  const bool host_weights = includes(s.offload, Offload::kParams);
  int stage = static_cast<int>(s.sharding);
  // States go to the host from stage 1 on, weights in stage 3 only.
  if (host_states) stage = std::max(stage, 1);
  if (host_weights) stage = 3;
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
  json.end();
  const Optimizer optimizer = place.train().optimizer.matrices;
  if (optimizer == Optimizer::kAdamW || optimizer == Optimizer::kLamb) {
    json.key("optimizer").begin_object().member("type", optimizer == Optimizer::kLamb ? "Lamb" : "AdamW");
    json.key("params").begin_object(true).member("lr", "auto").member("betas", "auto").member("eps", "auto");
    json.member("weight_decay", "auto").end().end();
  } else {
    json.member("zero_allow_untested_optimizer", true);
  }
  return json.member("wall_clock_breakdown", false).end().take();
}

std::string launch_line(const WorkPlace& place, Backend backend) {
  const std::string target = file_word("train.py");
  if (backend == Backend::kOne) return "python3 " + target;
  if (backend == Backend::kDeepSpeed) return torchrun(place) + " " + target;
  std::string line = "accelerate launch --config_file " + file_word("accelerate.yaml");
  line += " --num_processes " + std::to_string(place.laid.nodes * place.laid.gpus);
  if (place.laid.nodes > 1)
    line +=
        " --num_machines \"$GPUPLAN_NODES\" --machine_rank \"$GPUPLAN_NODE_RANK\" --main_process_ip "
        "\"$GPUPLAN_MASTER_ADDR\" --main_process_port \"$GPUPLAN_MASTER_PORT\"";
  return line + " " + target;
}

}  // namespace

Result<Work> trainer_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Strategy& s = place.strategy();
  if (s.tp * s.pp * s.cp > 1 || s.ep > 1)
    return placeholder(place, "The generated Trainer script has no tensor, pipeline, context or expert parallelism.");
  std::string optimizer = optimizer_name(place, train.optimizer.matrices, &OptimizerFacts::trainer);
  // DeepSpeed brings one that the Trainer lacks (deepspeed_json()).
  if (train.optimizer.matrices == Optimizer::kLamb && backend_of(place) == Backend::kDeepSpeed)
    optimizer = optimizer_name(place, Optimizer::kAdamW, &OptimizerFacts::trainer);
  if (optimizer.empty())
    return placeholder(place, "The Trainer has no " + std::string(name_of(train.optimizer.matrices)) + ".");
  if (s.precision > Precision::kBf16) return placeholder(place, "The Trainer trains only in 16 and 32 bit.");
  const bool unsloth = place.estimate().framework != nullptr && place.estimate().framework->name == "unsloth";
  if (unsloth && place.laid.distributed())
    return placeholder(place, "The generated script runs Unsloth on one GPU only.");
  const Backend backend = backend_of(place);
  const bool deepspeed = backend == Backend::kDeepSpeed;
  if (deepspeed && s.sharding == Sharding::kHsdp) return placeholder(place, "DeepSpeed has no sharding with copies.");
  const std::vector<std::string_view> known(kTrainArguments.begin(), kTrainArguments.end());
  Work work;
  JsonWriter json;
  json.begin_object();
  const bool good = write_training(json, place, work);
  json.member("sharding", name_of(s.sharding)).member("fsdp", backend == Backend::kFsdp).member("deepspeed", deepspeed);
  json.member("unsloth", unsloth);
  json.member("optim", optimizer);
  json.key("arguments").begin_object();
  write_arguments(json, place, known);
  json.end().end();
  if (!good) return placeholder(place, "No transformers class has the shape of its model.");
  // accelerate knows fsdp_version since 1.6; `dtype` took the place of `torch_dtype` in transformers 4.56; bitsandbytes
  // has bnb_4bit_quant_storage for sharded 4-bit weights since 0.43.
  std::vector<std::string> packages = {"torch>=2.6", requirement("transformers"), "datasets>=2.20",
                                       requirement("accelerate")};
  const bool lora = train.method == Method::kLora || train.method == Method::kQlora;
  if (lora) packages.push_back(requirement("peft"));
  const OptimizerFacts* facts = place.launch.catalogue.find_optimizer(train.optimizer.matrices);
  const bool bytes = facts != nullptr && (facts->eight_bit || facts->paged);
  if (train.method == Method::kQlora || bytes || train.optimizer.matrices == Optimizer::kLion)
    packages.emplace_back("bitsandbytes>=0.45");
  if (deepspeed) packages.push_back(requirement("deepspeed"));
  if (unsloth) packages = {"unsloth", "datasets>=2.20"};  // brings all others in the versions that it needs
  work.prepare.push_back(pip_install(packages));
  if (s.attention == AttentionKernel::kFlash1 || s.attention == AttentionKernel::kFlash2)
    work.prepare.push_back("python3 -m pip install --quiet --no-build-isolation 'flash-attn>=2.6'");
  for (const char* name : {"phase_parts.py", "run_parts.py", "training_data.py"})
    work.files.push_back(program(place, name));
  work.files.push_back(program(place, "train_trainer.py", "train.py"));
  work.files.push_back({place.path("settings.json"), json.take(), false});
  if (deepspeed) work.files.push_back({place.path("ds_config.json"), deepspeed_json(place), false});
  if (backend == Backend::kDdp || backend == Backend::kFsdp)
    work.files.push_back({place.path("accelerate.yaml"), accelerate_yaml(place, backend), false});
  require_data(place, work);
  work.notes.emplace_back("train.py resumes from the newest checkpoint; a stop writes one first.");
  if (lora)
    work.notes.emplace_back("LoRA: alpha is twice the rank, no dropout. The folder final contains only the adapter.");
  if (deepspeed && place.estimate().framework != nullptr && place.estimate().framework->name != "deepspeed")
    work.notes.emplace_back("The Trainer uses DeepSpeed for sharding and CPU offload.");
  if (backend == Backend::kFsdp && s.offload != Offload::kNone && s.offload != Offload::kActivations)
    work.notes.emplace_back("FSDP offloads weights, gradients and optimizer states to CPU memory together.");
  work.command.push_back(supervised(place, work, launch_line(place, backend)));
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
