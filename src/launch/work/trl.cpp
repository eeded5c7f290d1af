// Fine-tuning by TRL's own programs, started through accelerate: `trl sft --config sft.yaml`, `trl dpo` on pairs of
// answers, and `trl grpo` on prompts whose answers it gives itself.
#include "launch/work/trl.h"

#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "base/whole.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/arguments.h"
#include "launch/work/options.h"
#include "launch/work/setting_lines.h"

namespace gpuplan {
namespace {

/// What the settings name the folder with the rows that prepare_trl.py makes of DATA.
constexpr std::string_view kRowsMark = "@GPUPLAN_ROWS@";

bool supervised(const TrainPhase& train) { return train.objective == Objective::kNextToken; }

/// "sft", "dpo" or "grpo": the program, and the name of its settings.
std::string settings_name(const TrainPhase& train) {
  return supervised(train) ? "sft" : std::string(name_of(train.objective));
}

bool flash_by_name(AttentionKernel kernel) { return attention_name(kernel).starts_with("flash_attention"); }

/// What the phase's `args` say: "own", "trl" or "".
std::string asked_program(const WorkPlace& place) {
  std::string asked;
  for (const auto& [name, value] : place.phase().args)
    if (squeeze(name) == kProgramArgument) asked = to_lower(trim(value));
  return asked;
}

/// Why `trl sft` can not run the phase as it is planned; "" where it can.
std::string trl_cannot(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Strategy& s = place.strategy();
  if (!runs_under(place, "hf-trainer")) return "The plan's framework is not hf-trainer.";
  if (place.from_scratch() || train.models.front().drawn) return "TRL starts from published weights.";
  // It learns samples apart from each other only where the attention is told where they end.
  if (separate_samples(train) && !flash_by_name(s.attention))
    return "TRL keeps packed samples apart only with flash_attention_2 or 3; the plan has " +
           std::string(attention_name(s.attention)) + ".";
  // It makes adapters beside 4-bit weights bf16, whose gradients fp16's scaler refuses.
  if (train.method == Method::kQlora && s.precision == Precision::kFp16)
    return "TRL's QLoRA adapters are bf16 in any case.";
  return "";
}

/// Why a run must be able to stop with a checkpoint and go on from it, which `trl sft` does not; "": it need not.
std::string must_resume(const WorkPlace& place) {
  const PhasePlan& part = *place.laid.part;
  if (part.offer == nullptr) return "";
  if (part.spot) return "Spot machines can be interrupted";
  if (part.offer->preemptible) return "Jobs of the pool can be preempted";
  if (part.offer->max_time) return "Jobs of the pool end after " + to_text(*part.offer->max_time);
  return "";
}

std::string_view type_name(Format format) {
  switch (format) {
    case Format::kFp32:
      return "float32";
    case Format::kFp16:
      return "float16";
    default:
      return "bfloat16";
  }
}

/// Weights that learn are as wide as the optimizer's; frozen ones have 16 bit. DeepSpeed keeps the precise copy itself.
std::string_view weights_type(const WorkPlace& place, Backend backend) {
  const Precision precision = place.strategy().precision;
  const std::string_view computed = precision == Precision::kFp16                                    ? "float16"
                                    : precision == Precision::kFp32 || precision == Precision::kTf32 ? "float32"
                                                                                                     : "bfloat16";
  if (trains_adapters(place.train()) || backend == Backend::kDeepSpeed) return computed;
  return type_name(master_weights(place));
}

void set_model(SettingLines& lines, const WorkPlace& place, Backend backend) {
  const TrainPhase& train = place.train();
  const std::string_view type = weights_type(place, backend);
  lines.set("model_name_or_path", kModelMark).set("dtype", type);
  lines.set("attn_implementation", attention_of(place)).set("use_peft", trains_adapters(train));
  if (!trains_adapters(train)) return;
  const std::vector<std::string> targets = adapter_targets(train);
  const AdapterNumbers adapters = adapter_numbers(place);
  lines.set("lora_r", train.lora.rank).set("lora_alpha", adapters.alpha).set("lora_dropout", adapters.dropout);
  if (adapters.rslora) lines.set("use_rslora", true);
  if (adapters.dora) lines.set("use_dora", true);
  const std::string pattern = target_pattern(train);
  if (!pattern.empty()) lines.set("lora_target_modules", std::vector<std::string>{pattern});
  else lines.set("lora_target_modules", targets.empty() ? std::vector<std::string>{"all-linear"} : targets);
  if (train.method != Method::kQlora) return;
  lines.set("load_in_4bit", true).set("bnb_4bit_quant_type", "nf4").set("use_bnb_nested_quant", false);
  lines.set("bnb_4bit_quant_storage", type);
}

/// As the plan has them: all answers of an optimizer step at once (steps_per_generation is gradient_accumulation_steps
/// unless something else is said), each learned from once.
void set_rollouts(SettingLines& lines, const Rollouts& rollouts, const RolloutUse& use) {
  const int prompt = clamped<int>(std::ceil(rollouts.prompt_tokens.max));
  const int answer = clamped<int>(std::ceil(rollouts.new_tokens.max));
  lines.set("reward_funcs", rollouts.reward).set("num_generations", rollouts.generations);
  lines.set("max_completion_length", answer).set("num_iterations", 1).set("beta", rollouts.beta);
  lines.set("use_vllm", true).set("vllm_mode", "colocate").set("vllm_gpu_memory_utilization", use.share);
  lines.set("vllm_tensor_parallel_size", use.tp).set("vllm_max_model_length", prompt + answer);
  lines.set("vllm_enable_sleep_mode", rollouts.sleep).set("vllm_importance_sampling_correction", true);
}

void set_data(SettingLines& lines, const WorkPlace& place) {
  lines.set("dataset_name", kRowsMark).set("dataset_train_split", "train");
  if (const auto& use = place.estimate().rollouts) return set_rollouts(lines, *place.train().rollouts, *use);
  lines.set("max_length", longest_row(place)).set("truncation_mode", "keep_start");
  if (!supervised(place.train())) {
    // The scores of the model as it was are worked out in every step, as the plan counts them.
    lines.set("precompute_ref_log_probs", false);
    return;
  }
  const bool packs = separate_samples(place.train());
  lines.set("packing", packs);
  if (packs) lines.set("packing_strategy", "bfd");
  // The rows say themselves which tokens are learnt; "nll" is the loss that all versions of TRL have.
  lines.set("completion_only_loss", true).set("assistant_only_loss", false).set("loss_type", "nll");
}

void set_training(SettingLines& lines, const WorkPlace& place, Backend backend, const std::string& optimizer) {
  const TrainingNumbers numbers = training_numbers(place);
  const Strategy& s = place.strategy();
  lines.set("output_dir", std::string(kRunMark) + "/checkpoints");
  lines.set("per_device_train_batch_size", s.micro_batch).set("gradient_accumulation_steps", s.grad_accum);
  lines.set("max_steps", steps_of(place)).set("optim", optimizer).set("learning_rate", numbers.learning_rate);
  lines.set("lr_scheduler_type", "cosine").set("warmup_steps", clamped<int>(numbers.warmup_steps));
  lines.set("weight_decay", numbers.weight_decay).set("max_grad_norm", numbers.grad_clip);
  lines.set("seed", clamped<int>(numbers.seed));
  lines.set("bf16", s.precision == Precision::kBf16).set("fp16", s.precision == Precision::kFp16);
  if (s.precision == Precision::kTf32) lines.set("tf32", true);
  lines.set("gradient_checkpointing", trainer_recomputes(place, backend));
  lines.raw("gradient_checkpointing_kwargs", "{use_reentrant: false}");
  if (!place.train().rollouts) lines.set("activation_offloading", includes(s.offload, Offload::kActivations));
  lines.set("torch_compile", s.compile);
  lines.set("logging_steps", log_steps(place)).set("disable_tqdm", false);
  lines.set("save_strategy", "steps").set("save_steps", std::max(checkpoint_steps(place.launch, place.laid), 1));
  keep_checkpoints(lines, place);
  const int evaluations = evaluation_steps(place);
  lines.set("eval_strategy", evaluations > 0 ? "steps" : "no");
  if (evaluations > 0) {
    // Groups of answers stay whole.
    const int each = place.train().rollouts ? place.train().rollouts->generations : 1;
    lines.set("eval_steps", evaluations).set("dataset_test_split", "test").set("per_device_eval_batch_size", each);
    if (supervised(place.train()))
      lines.set("prediction_loss_only", true).set("label_names", std::vector<std::string>{"labels"});
  }
  lines.set("report_to", std::vector<std::string>{std::string(kReportsMark)}).set("run_name", run_name(place));
  lines.set("logging_dir", std::string(kRunMark) + "/tensorboard");
  lines.set("ddp_find_unused_parameters", leaves_weights_unused(place))
      .set("dataloader_num_workers", 2)
      .set("dataloader_drop_last", true);
}

}  // namespace

Result<TrainerProgram> trainer_program(const WorkPlace& place) {
  const std::string asked = asked_program(place);
  if (!asked.empty() && asked != "own" && asked != "trl")
    return place.wrong("args has program: " + printable(asked, 40) + "; expected own (train.py) or trl (trl sft)");
  const std::string cannot = trl_cannot(place);
  const std::string resume = must_resume(place);
  if (asked == "trl" && !cannot.empty()) return place.wrong("args has program: trl, but: " + cannot);
  if (!supervised(place.train())) {
    const std::string objective = "objective: " + std::string(name_of(place.train().objective));
    const std::string program = "trl " + settings_name(place.train());
    if (!cannot.empty()) return place.wrong(objective + " is trained by " + program + " only, but: " + cannot);
    if (asked == "own") return place.wrong("args has program: own, but train.py has no " + objective);
    return TrainerProgram{true, (resume.empty() ? std::string() : resume + ". ") + program +
                                    " neither writes a checkpoint when it is stopped nor goes on from one: it "
                                    "begins anew."};
  }
  if (asked == "own") return TrainerProgram{false, "train.py runs since args has program: own."};
  if (asked == "trl" || (cannot.empty() && resume.empty())) {
    std::string note =
        "TRL runs (trl sft). It neither writes a checkpoint when it is stopped nor goes on from one: "
        "args: {program: own} takes a program that does both.";
    if (!resume.empty()) note = resume + ", and trl sft begins anew then (args has program: trl).";
    return TrainerProgram{true, std::move(note)};
  }
  if (!cannot.empty()) return TrainerProgram{false, "train.py runs instead of trl sft. " + cannot};
  return TrainerProgram{false, resume +
                                   ": train.py runs, which goes on where it was stopped; args: {program: trl} "
                                   "takes trl sft, which does not."};
}

Result<Work> trl_work(const WorkPlace& place, const std::string& optimizer) {
  const Backend backend = backend_of(place);
  Work work;
  JsonWriter json;
  json.begin_object();
  write_training(json, place, work);
  SettingLines lines;
  lines.take_arguments(passed_on(place));
  set_model(lines, place, backend);
  set_data(lines, place);
  set_training(lines, place, backend, optimizer);
  work.prepare = {pip_install(trainer_packages(place, backend, Trains::kTrl))};
  if (place.train().rollouts && !pip_has_vllm(place)) work.prepare.insert(work.prepare.begin(), needs_vllm());
  install_attention(place, work);
  add_data_programs(place, work);
  const std::vector<std::string> layers = name_layers(place, work, true);
  // Rows as Arrow; tokens and a mask in 8 bytes each: as Arrow, as Parquet, and as Arrow again where TRL reads that.
  work.data = {.fetches = true, .copies = 1, .bytes_a_token = 48};
  for (const char* name : {"place_settings.py", "prepare_trl.py"}) work.files.push_back(program(place, name));
  work.files.push_back({place.path("settings.json"), json.end().take(), false});
  const std::string name = settings_name(place.train());
  work.files.push_back({place.path(name + ".yaml"), lines.take(), false});
  work.files.push_back({place.path("accelerate.yaml"), accelerate_yaml(place, backend, States::kWhole), false});
  if (backend == Backend::kDeepSpeed) {
    work.files.push_back({place.path("ds_config.json"), deepspeed_json(place), false});
    ask_compilers(place, work);
  }
  require_data(place, work);
  take_model(place, work);
  ask_first(place, place.train().models, work);
  lead_reports(place, work);
  // Each machine has its own, as each reads DATA by itself.
  work.command.emplace_back("export GPUPLAN_TRL=\"$GPUPLAN_RUN_DIR/trl-$GPUPLAN_NODE_RANK\"");
  work.command.emplace_back("python3 " + file_word("prepare_trl.py"));
  // One process sees one GPU: beside others it would spread the model over them.
  if (backend == Backend::kOne)
    work.command.emplace_back(
        "CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0} && export "
        "CUDA_VISIBLE_DEVICES=\"${CUDA_VISIBLE_DEVICES%%,*}\"");
  work.command.insert(work.command.end(), layers.begin(), layers.end());
  std::string line = "trl " + name + " --config \"$GPUPLAN_TRL/" + name + ".yaml\" --accelerate_config " +
                     file_word("accelerate.yaml");
  line += accelerate_flags(place);
  if (backend == Backend::kDeepSpeed) line += " --deepspeed_config_file " + file_word("ds_config.json");
  work.command.push_back(line);
  tell_texts_alone(place, work);
  if (place.train().models.front().shape.moe())
    work.notes.emplace_back(
        "TRL adds a loss that spreads tokens over experts, since 1.7: args: {router_aux_loss_coef: 0} leaves it out.");
  leave_final(work, "checkpoints");
  work.begins_anew = true;
  finish_model(place, work);
  return work;
}

}  // namespace gpuplan
