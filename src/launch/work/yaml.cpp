// axolotl and LLaMA-Factory: one YAML file each, whose keys their documentation lists.
#include <algorithm>

#include "base/text.h"
#include "base/whole.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/parts/named_templates.h"
#include "launch/work/accelerate.h"
#include "launch/work/arguments.h"
#include "launch/work/options.h"
#include "launch/work/setting_lines.h"

namespace gpuplan {
namespace {

constexpr double kEvaluationShare = 0.02;

/// Rows of plain text, joined to full sequences: as the work is counted.
bool plain_text(const WorkPlace& place) { return place.from_scratch() || place.train().data.tokens.has_value(); }
bool packed(const TrainPhase& train) { return train.data.packing || train.data.tokens.has_value(); }

/// DeepSpeed's settings for a stage; both take the path of such a file.
std::string deepspeed_json(const Strategy& s, int stage) {
  JsonWriter json;
  json.begin_object().member("train_micro_batch_size_per_gpu", "auto").member("gradient_accumulation_steps", "auto");
  json.member("gradient_clipping", "auto");
  json.key("bf16").begin_object(true).member("enabled", "auto").end();
  json.key("fp16").begin_object(true).member("enabled", "auto").end();
  json.key("zero_optimization").begin_object().member("stage", stage).member("overlap_comm", true);
  if (includes(s.offload, Offload::kOptimizer))
    json.key("offload_optimizer").begin_object(true).member("device", "cpu").end();
  if (includes(s.offload, Offload::kParams)) json.key("offload_param").begin_object(true).member("device", "cpu").end();
  if (stage == 3) json.member("stage3_gather_16bit_weights_on_model_save", true);
  return json.end().member("zero_allow_untested_optimizer", true).end().take();
}

bool is_bitsandbytes(const std::string& optimizer) {
  return optimizer.find("8bit") != std::string::npos || optimizer.starts_with("paged_") || optimizer == "lion_32bit";
}

/// What axolotl calls the attention that the plan counts with (utils/schemas/enums.py, CANONICAL_ATTN_IMPLS). Only
/// flash attention keeps packed samples apart in all its versions, and context parallelism needs it.
std::string_view axolotl_attention(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const std::string_view name = attention_of(place);
  return name == "sdpa" && (s.cp > 1 || packed(place.train())) ? "flash_attention_2" : name;
}

/// "" where the tokenizer's own is to be taken, as of what an earlier phase made of a model that had none.
std::string template_by_name(const WorkPlace& place) {
  const ModelUse& model = place.train().models.front();
  const std::string source = source_of(model);
  const std::string name = to_lower(source.substr(source.rfind('/') + 1));
  if (model.drawn || (!trained_by(place, model).empty() && !converses(name))) return "";
  return std::string(named_template(name));
}

/// Without `template` it takes the tokenizer's, and where that has none it writes messages without any sign of who
/// speaks and where an answer ends (data/template.py). Base models are then not started: false.
bool choose_template(SettingLines& lines, const WorkPlace& place, Work& work) {
  const std::string asked = word_argument(place, kTemplateArgument);
  const std::string chosen = asked.empty() ? template_by_name(place) : asked;
  if (!chosen.empty()) {
    lines.set("template", chosen);
    work.notes.push_back(
        "Messages are written in LLaMA-Factory's template " + chosen +
        (asked.empty() ? ", taken by the name of the model: args: {template: ...} takes another." : "."));
    return true;
  }
  work.notes.emplace_back(
      "Messages are written in the tokenizer's own chat template. Where it has none, or LLaMA-Factory would write it "
      "otherwise, the phase stops and asks for args: {template: ...}.");
  return false;
}

/// And a template that it takes apart wrongly teaches what nobody asks the model with.
void look_at_template(const WorkPlace& place, Work& work) {
  work.files.push_back(program(place, "parsed_template.py"));
  work.command.push_back("python3 " + file_word("parsed_template.py"));
}

/// Both keep a share of the data out of training.
void evaluate(SettingLines& lines, const WorkPlace& place, std::string_view share) {
  const int steps = evaluation_steps(place);
  if (steps == 0) return;
  lines.set("eval_strategy", "steps").set("eval_steps", steps).set(share, kEvaluationShare);
}

/// What neither program is told unless somebody asks for it.
void set_asked(SettingLines& lines, const WorkPlace& place) {
  if (const auto decay = argument(place, "weight_decay")) lines.set("weight_decay", *decay);
  if (const auto seed = argument(place, "seed")) lines.set("seed", clamped<int>(*seed));
}

/// REPORT_TO as axolotl has it: a key for each.
void axolotl_reports(Work& work) {
  const std::string into = " >>\"$GPUPLAN_RUN_DIR/axolotl.yaml\"";
  work.command.push_back(
      "[[ \",${REPORT_TO:-},\" != *,wandb,* ]] || printf 'use_wandb: true\\nwandb_project: \"%s\"\\nwandb_name: "
      "\"%s\"\\n' \"$WANDB_PROJECT\" \"$WANDB_NAME\"" +
      into);
  work.command.push_back("[[ \",${REPORT_TO:-},\" != *,tensorboard,* ]] || echo 'use_tensorboard: true'" + into);
}

/// Ends the phase where a row of DATA has a picture, or nothing that is learnt, and puts answers that stand beside
/// their conversations where both programs read them. `layers`: they are asked for, too.
void look_at_rows(const WorkPlace& place, Work& work, bool layers = false) {
  for (const char* name : {"phase_parts.py", "data_sources.py", "data_rows.py", "first_row.py"})
    work.files.push_back(program(place, name));
  JsonWriter json;
  json.begin_object().member("seed", training_numbers(place).seed);
  if (layers) {  // wrapped_layers.py asks for them
    json.key("model");
    write_model(json, place, place.train().models, 0, work);
  }
  work.files.push_back({place.path("settings.json"), json.end().take(), false});
  work.command.push_back("python3 " + file_word("first_row.py") + (plain_text(place) ? " text" : " messages"));
  if (!plain_text(place))
    work.command.emplace_back(
        "[ ! -e \"$GPUPLAN_RUN_DIR/answered.jsonl\" ] || export DATA=\"$GPUPLAN_RUN_DIR/answered.jsonl\" DATA_CONFIG=");
}

void notes(const WorkPlace& place, Work& work) {
  tell_longest(place, work);
  tell_texts_alone(place, work);
  if (const int steps = evaluation_steps(place); steps > 0)
    work.notes.push_back("Evaluated every " + count_of(steps, "step") + " on " + percent_text(kEvaluationShare) +
                         " of DATA that it is not trained on.");
  work.notes.emplace_back("It resumes from the newest checkpoint, and writes none when stopped.");
  if (!argument(place, "learning_rate"))
    work.notes.emplace_back("No learning_rate in the job: a common default is used.");
  work.resumes = true;
  work.saves_late = true;
}

}  // namespace

Result<Work> axolotl_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Strategy& s = place.strategy();
  std::string optimizer = optimizer_name(place, train.optimizer.matrices, &OptimizerFacts::axolotl);
  // By itself it trains all weights in 16 bit (utils/config/__init__.py, torch_dtype): DeepSpeed keeps those of 32 bit.
  const bool sixteen = s.precision == Precision::kBf16 || s.precision == Precision::kFp16;
  const bool wide = !trains_adapters(train) && sixteen && master_weights(place) == Format::kFp32;
  // Ranks of one tensor-parallel group alone have nothing to shard over: accelerate's mesh would lack that dimension.
  const bool whole = s.tp > 1 && s.dp * s.cp == 1 && s.offload == Offload::kNone;
  const bool fsdp = s.sharding >= Sharding::kZero2 && !wide && !whole;
  const int stage = fsdp ? 0 : std::max(whole ? 0 : deepspeed_stage(s), wide ? 1 : 0);
  if (fsdp || s.tp > 1) optimizer = for_dtensors(optimizer);
  const AdapterNumbers adapters = adapter_numbers(place);
  Work work;
  SettingLines lines;
  lines.set("base_model", kModelMark).set("sequence_len", longest_row(place));
  // By itself it leaves out rows that are longer.
  lines.set("excess_length_strategy", "truncate");
  lines.set("sample_packing", packed(train)).set("pad_to_sequence_len", packed(train));
  lines.set("reinit_weights", place.from_scratch());
  lines.set("micro_batch_size", s.micro_batch).set("gradient_accumulation_steps", s.grad_accum);
  lines.set("max_steps", steps_of(place)).set("num_epochs", 1);
  if (trains_adapters(train)) {
    lines.set("adapter", name_of(train.method)).set("lora_r", train.lora.rank).set("lora_alpha", adapters.alpha);
    lines.set("lora_dropout", adapters.dropout);
    if (adapters.rslora) lines.set("peft_use_rslora", true);
    if (adapters.dora) lines.set("peft_use_dora", true);
    if (const std::string pattern = target_pattern(train); !pattern.empty()) lines.set("lora_target_modules", pattern);
    else if (const auto targets = adapter_targets(train); targets.empty()) lines.set("lora_target_linear", true);
    else lines.raw("lora_target_modules", "[" + join(targets, ", ") + "]");
    lines.set("load_in_4bit", train.method == Method::kQlora);
  } else if (!train.models.front().shape.uncounted.empty()) {
    lines.set("freeze_mm_modules", true);  // what no text reaches would get no gradients, which DDP waits for
  }
  lines.set("optimizer", optimizer).set("lr_scheduler", "cosine");
  lines.set("learning_rate", training_numbers(place).learning_rate);
  lines.set("warmup_steps", warm_up_steps(place, std::clamp(steps_of(place) / 50, 1, 2000)));
  lines.set("max_grad_norm", training_numbers(place).grad_clip);
  set_asked(lines, place);
  // Products in fp8 are beside bf16, and only under compile (utils/schemas/validation.py).
  const bool eight = is_eight_bit(s.precision);
  lines.set("bf16", eight || s.precision == Precision::kBf16).set("fp16", s.precision == Precision::kFp16);
  if (eight) lines.set("fp8", true);
  lines.set("tf32", s.precision == Precision::kTf32).set("gradient_checkpointing", s.recompute != Recompute::kNone);
  const std::string_view attention = axolotl_attention(place);
  lines.set("attn_implementation", attention).set("torch_compile", eight || s.compile);
  if (s.tp > 1) lines.set("tensor_parallel_size", s.tp);
  // The rest of the GPUs has to be named where others than FSDP share the work, copies of shards among them: accelerate
  // ends where the product is not the number of processes (parallelism_config.py, _validate_accelerator).
  const bool copies = s.sharding == Sharding::kHsdp;
  if ((s.tp > 1 || s.cp > 1 || copies) && s.sharding >= Sharding::kZero2 && s.dp > 1)
    lines.set("dp_shard_size", copies ? std::max(s.dp / place.laid.nodes, 1) : s.dp);
  if (s.cp > 1) lines.set("context_parallel_size", s.cp);
  const bool host = s.offload != Offload::kNone;
  if (fsdp) {
    lines.set("fsdp_version", 2).head("fsdp_config").set("  offload_params", host);
    lines.set("  reshard_after_forward", s.sharding != Sharding::kZero2).set("  state_dict_type", "FULL_STATE_DICT");
    lines.set("  auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
    // By itself every rank moves the whole model to its GPU before it is sharded (loaders/model.py,
    // skip_move_to_device).
    lines.set("  cpu_ram_efficient_loading", true);
    if (copies) lines.set("dp_replicate_size", place.laid.nodes);
  } else if (stage > 0) {
    lines.set("deepspeed", std::string(kFilesMark) + "/ds_config.json");
    work.files.push_back({place.path("ds_config.json"), deepspeed_json(s, stage), false});
    ask_compilers(place, work);
  }
  if (wide)
    work.notes.emplace_back(
        "DeepSpeed keeps the 32-bit weights that the plan counts: axolotl by itself trains in pure bf16.");
  lines.head("datasets").raw("  - path", "\"@GPUPLAN_DATA@\"");
  lines.raw("    split", "\"@GPUPLAN_SPLIT@\"").raw("    name", "\"@GPUPLAN_CONFIG@\"");
  lines.set("    type", plain_text(place) ? "completion" : "chat_template");
  lines.set("output_dir", std::string(kRunMark) + "/checkpoints");
  lines.set("save_steps", std::max(checkpoint_steps(place.launch, place.laid), 1));
  keep_checkpoints(lines, place);
  lines.set("logging_steps", log_steps(place));
  lines.set("auto_resume_from_checkpoints", true);
  evaluate(lines, place, "val_set_size");
  work.files.push_back({place.path("axolotl.yaml"), lines.take(), false});
  work.required = {std::string("DATA: JSONL file or Hugging Face dataset; each row has ") +
                   (plain_text(place) ? "\"text\"" : "\"messages\" (a list of role and content)")};
  // flash-attn is built against the torch that is there, which must be axolotl's. attn_implementation came with 0.17.
  std::string extras = "deepspeed";
  if (s.cp > 1) extras += ",ring-flash-attn";
  else if (attention.starts_with("flash")) extras += ",flash-attn";
  if (extras != "deepspeed") {
    work.prepare = {pip_install({requirement("axolotl", "deepspeed"), "packaging", "ninja", "setuptools", "wheel"})};
    work.notes.emplace_back(kBuiltFromSource);
  }
  std::vector<std::string> axolotl = {requirement("axolotl", extras)};
  if (extras != "deepspeed") axolotl.insert(axolotl.begin(), "--no-build-isolation");
  work.prepare.push_back(pip_install(axolotl));
  // Rows as Arrow; tokens, labels and a mask in 8 bytes each, in the cache and in its folder of prepared data.
  work.data = {.fetches = true, .copies = 1, .bytes_a_token = 48};
  take_model(place, work);
  ask_first(place, train.models, work);
  lead_reports(place, work);
  look_at_rows(place, work, fsdp);
  place_settings(place, "axolotl.yaml", work);
  if (!plain_text(place)) {
    for (const char* name : {"chat_template.py", "axolotl_template.py"}) work.files.push_back(program(place, name));
    work.command.push_back("python3 " + file_word("axolotl_template.py") + " >>\"$GPUPLAN_RUN_DIR/axolotl.yaml\"");
  }
  axolotl_reports(work);
  leave_out_unfinished(work);
  if (fsdp) {
    std::ranges::move(name_all_layers(place, work, false), std::back_inserter(work.command));
    // It hands on what is true (utils/trainer.py, setup_fsdp_envs); accelerate takes true where nothing is said.
    if (s.sharding == Sharding::kZero2) work.command.emplace_back("export FSDP_RESHARD_AFTER_FORWARD=false");
  }
  work.command.push_back(
      "axolotl train \"$GPUPLAN_RUN_DIR/axolotl.yaml\" --launcher torchrun -- --nproc_per_node=\"$GPUPLAN_GPUS\" "
      "--nnodes=\"$GPUPLAN_NODES\" --node_rank=\"$GPUPLAN_NODE_RANK\" --master_addr=\"$GPUPLAN_MASTER_ADDR\" "
      "--master_port=\"$GPUPLAN_MASTER_PORT\"");
  leave_final(work, "checkpoints");
  finish_model(place, work);
  if (eight && !s.compile) work.notes.emplace_back("torch.compile is on: axolotl's fp8 is meant for it.");
  if (attention == "flash_attention_3")
    work.notes.emplace_back(
        "flash_attention_3 comes from Dao-AILab/flash-attention (hopper/), by setup.run of the job.");
  notes(place, work);
  return work;
}

Result<Work> llama_factory_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Strategy& s = place.strategy();
  const std::string optimizer = optimizer_name(place, train.optimizer.matrices, &OptimizerFacts::trainer);
  const AdapterNumbers adapters = adapter_numbers(place);
  Work work;
  SettingLines lines;
  const bool scratch = place.from_scratch();
  lines.set("model_name_or_path", kModelMark).set("trust_remote_code", false);
  lines.set("stage", plain_text(place) ? "pt" : "sft").set("do_train", true).set("train_from_scratch", scratch);
  lines.set("finetuning_type", trains_adapters(train) ? "lora" : "full");
  if (trains_adapters(train))
    lines.set("lora_rank", train.lora.rank)
        .set("lora_alpha", adapters.alpha)
        .set("lora_target", target_paths(train).empty() ? "all" : join(target_paths(train), ","));
  if (adapters.dropout > 0) lines.set("lora_dropout", adapters.dropout);
  if (adapters.rslora) lines.set("use_rslora", true);
  if (adapters.dora) lines.set("use_dora", true);
  if (train.method == Method::kQlora) lines.set("quantization_bit", 4).set("quantization_method", "bnb");
  // The file that names the data lies beside: dataset_info.json of LLaMA-Factory.
  lines.set("dataset", "plan").set("dataset_dir", kFilesMark);
  const bool known = plain_text(place) || choose_template(lines, place, work);
  lines.set("cutoff_len", longest_row(place)).set("packing", packed(train));
  // Without it samples that share a sequence see each other.
  if (separate_samples(train)) lines.set("neat_packing", true);
  lines.set("output_dir", std::string(kRunMark) + "/checkpoints").set("overwrite_output_dir", false);
  lines.set("per_device_train_batch_size", s.micro_batch).set("gradient_accumulation_steps", s.grad_accum);
  lines.set("max_steps", steps_of(place)).set("optim", optimizer);
  lines.set("learning_rate", training_numbers(place).learning_rate);
  lines.set("lr_scheduler_type", "cosine");
  lines.set("warmup_steps", warm_up_steps(place, std::clamp(steps_of(place) / 50, 1, 2000)));
  if (argument(place, "grad_clip")) lines.set("max_grad_norm", training_numbers(place).grad_clip);
  set_asked(lines, place);
  lines.set("bf16", s.precision == Precision::kBf16).set("fp16", s.precision == Precision::kFp16);
  // By itself it widens weights that learn to 32 bit (model/adapter.py); DeepSpeed keeps those of 32 bit in any case.
  if (!trains_adapters(train) && s.precision == Precision::kBf16 && master_weights(place) == Format::kBf16 &&
      deepspeed_stage(s) == 0)
    lines.set("pure_bf16", true);
  lines.set("disable_gradient_checkpointing", s.recompute == Recompute::kNone);
  lines.set("flash_attn", attention_of(place) == "eager" ? "disabled" : "sdpa");
  lines.set("save_steps", std::max(checkpoint_steps(place.launch, place.laid), 1));
  keep_checkpoints(lines, place);
  lines.set("logging_steps", log_steps(place));
  lines.set("report_to", std::vector<std::string>{std::string(kReportsMark)}).set("run_name", run_name(place));
  lines.set("ddp_timeout", 180000000);
  evaluate(lines, place, "val_size");
  // By itself eight rows, whatever the memory has room for.
  if (evaluation_steps(place) > 0) lines.set("per_device_eval_batch_size", s.micro_batch);
  if (deepspeed_stage(s) > 0) {
    lines.set("deepspeed", std::string(kFilesMark) + "/ds_config.json");
    work.files.push_back({place.path("ds_config.json"), deepspeed_json(s, deepspeed_stage(s)), false});
    ask_compilers(place, work);
  }
  work.files.push_back({place.path("llama_factory.yaml"), lines.take(), false});
  JsonWriter info;
  info.begin_object().key("plan").begin_object().member("file_name", "data.jsonl");
  if (!plain_text(place)) {
    info.member("formatting", "sharegpt").key("columns").begin_object(true).member("messages", "messages").end();
    info.key("tags").begin_object().member("role_tag", "role").member("content_tag", "content");
    info.member("user_tag", "user").member("assistant_tag", "assistant").member("system_tag", "system").end();
  } else {
    info.key("columns").begin_object(true).member("prompt", "text").end();
  }
  work.files.push_back({place.path("dataset_info.json"), info.end().end().take(), false});
  work.required = {std::string("DATA: JSONL file; each row has ") +
                   (plain_text(place) ? "\"text\"" : "\"messages\" (a list of role and content)")};
  work.prepare = {pip_install({requirement("llama-factory")})};
  if (torch_bounded(place))
    work.prepare = {pip_install({requirement("llama-factory"), torch_requirement(place, "2.6")})};
  // Neither comes with it: requirements/bitsandbytes.txt, requirements/deepspeed.txt.
  if (train.method == Method::kQlora || is_bitsandbytes(optimizer))
    work.prepare.push_back(pip_install({"bitsandbytes>=0.43"}));
  if (deepspeed_stage(s) > 0) work.prepare.push_back(pip_install({"deepspeed>=0.16,<=0.18.4"}));
  if (!plain_text(place)) work.files.push_back(program(place, "chat_template.py"));  // finish_model.py
  // A file, as Arrow and once more in the form of its own; tokens, labels and a mask in 8 bytes each.
  work.data = {.copies = 2, .bytes_a_token = 24};
  take_model(place, work);
  ask_first(place, train.models, work);
  lead_reports(place, work);
  // The link that stands for it among the settings is made in any case, and says what kind of file it is.
  work.checks.emplace_back(
      "[[ -f \"$DATA\" && \"$DATA\" == *.json* ]] || { echo \"DATA: $DATA is no file here whose name ends in "
      ".jsonl or "
      ".json, with which LLaMA-Factory is started\" >&2; exit 78; }");
  place_settings(place, "llama_factory.yaml", work);
  look_at_rows(place, work);
  if (!known) look_at_template(place, work);
  work.command.emplace_back(
      "[ \"$DATA\" -ef \"$GPUPLAN_FILES/data.jsonl\" ] || "
      "ln -sfn \"$(realpath \"$DATA\")\" \"$GPUPLAN_FILES/data.jsonl\"");
  work.command.emplace_back(
      "export FORCE_TORCHRUN=1 NPROC_PER_NODE=\"$GPUPLAN_GPUS\" NNODES=\"$GPUPLAN_NODES\" "
      "NODE_RANK=\"$GPUPLAN_NODE_RANK\" "
      "MASTER_ADDR=\"$GPUPLAN_MASTER_ADDR\" MASTER_PORT=\"$GPUPLAN_MASTER_PORT\"");
  leave_out_unfinished(work);
  // Its launcher takes words apart at blanks (launcher.py), so that the file has no folder.
  work.command.emplace_back("cd \"$GPUPLAN_RUN_DIR\" || exit");
  work.command.emplace_back("llamafactory-cli train llama_factory.yaml");
  leave_final(work, "checkpoints");
  finish_model(place, work);
  notes(place, work);
  return work;
}

}  // namespace gpuplan
