// axolotl and LLaMA-Factory: one YAML file each, whose keys their documentation lists.
#include <algorithm>

#include "base/shell_text.h"
#include "base/text.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/parts.h"

namespace gpuplan {
namespace {

/// Lines "key: value". Texts are literals, so that none becomes a number or a key.
class Lines {
 public:
  Lines& set(std::string_view key, int value) { return raw(key, std::to_string(value)); }
  Lines& set(std::string_view key, double value) { return raw(key, real(value)); }
  Lines& set(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  Lines& set(std::string_view key, std::string_view value) { return raw(key, string_literal(value)); }
  Lines& set(std::string_view key, const char* value) { return set(key, std::string_view(value)); }
  Lines& raw(std::string_view key, const std::string& value) {
    text_ += std::string(key) + ": " + value + "\n";
    return *this;
  }
  Lines& head(std::string_view key) {
    text_ += std::string(key) + ":\n";
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  /// YAML 1.1 reads 2e-05 as a text: a point makes it a number.
  static std::string real(double value) {
    std::string text = number_text(value);
    const std::size_t power = text.find('e');
    if (text.find('.') != std::string::npos) return text;
    return power == std::string::npos ? text + ".0" : text.insert(power, ".0");
  }
  std::string text_;
};

bool adapters(const TrainPhase& train) { return train.method == Method::kLora || train.method == Method::kQlora; }

double usual_rate(const WorkPlace& place) {
  return adapters(place.train()) ? 2e-4 : place.from_scratch() ? 3e-4 : 1e-5;
}

/// Rows of plain text, joined to full sequences: as the work is counted.
bool plain_text(const WorkPlace& place) { return place.from_scratch() || place.train().data.tokens.has_value(); }
bool packed(const TrainPhase& train) { return train.data.packing || train.data.tokens.has_value(); }

/// Without the key everything stays.
void keep_checkpoints(Lines& lines, const WorkPlace& place) {
  if (const int keep = place.estimate().keep_checkpoints; keep > 0) lines.set("save_total_limit", keep);
}

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

int stage_of(const Strategy& s) {
  const int stage = std::min(static_cast<int>(s.sharding), 3);
  if (includes(s.offload, Offload::kParams)) return 3;
  return includes(s.offload, Offload::kOptimizer) ? std::max(stage, 1) : stage;
}

/// Folders that are known when the phase starts: marks in the settings.
constexpr std::string_view kHere = "@GPUPLAN_FILES@";
constexpr std::string_view kRun = "@GPUPLAN_RUN_DIR@";
constexpr std::string_view kModel = "@GPUPLAN_BASE_MODEL@";

/// Puts the folders of this run into the settings; they come from the environment.
void place_settings(const WorkPlace& place, std::string_view file, Work& work) {
  work.files.push_back(program(place, "place_settings.py"));
  work.command.push_back("python3 " + file_word("place_settings.py") + " " + file_word(file) + " \"$GPUPLAN_RUN_DIR/" +
                         std::string(file) + "\"");
}

/// What axolotl calls the attention that the plan counts with (utils/schemas/enums.py, CANONICAL_ATTN_IMPLS). Only
/// flash attention keeps packed samples apart in all its versions, and context parallelism needs it.
std::string_view axolotl_attention(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const std::string_view name = attention_name(s.attention);
  return name == "sdpa" && (s.cp > 1 || packed(place.train())) ? "flash_attention_2" : name;
}

/// What axolotl refuses of the plan (utils/schemas/validation.py); "" where it does all.
std::string axolotl_refuses(const WorkPlace& place, const std::string& optimizer) {
  const Strategy& s = place.strategy();
  if (s.pp > 1 || s.ep > 1) return "axolotl has no pipeline or expert parallelism.";
  if (place.train().models.front().drawn) return "axolotl supports only published models.";
  if (optimizer.empty()) return "axolotl has no " + std::string(name_of(place.train().optimizer.matrices)) + ".";
  if (s.cp > 1 && packed(place.train()) && s.micro_batch > 1)
    return "axolotl packs under context parallelism only with a micro-batch of 1: plan it with batch: {micro: 1}.";
  if (s.cp > 1 && s.attention == AttentionKernel::kEager)
    return "axolotl's context parallelism needs flash attention: plan it with attention: flash.";
  if (s.tp > 1 && optimizer == "paged_adamw_8bit")
    return "axolotl has no paged optimizer under tensor parallelism: plan it with optimizer: adamw.";
  return "";
}

void notes(const WorkPlace& place, Work& work) {
  work.notes.emplace_back("It resumes from the newest checkpoint, and writes none when stopped.");
  if (number_argument(place, {"learning_rate", "lr"}, 0) <= 0)
    work.notes.emplace_back("No learning_rate in the job: a common default is used.");
  work.resumes = true;
}

}  // namespace

Result<Work> axolotl_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Strategy& s = place.strategy();
  std::string optimizer = optimizer_name(place, train.optimizer.matrices, &OptimizerFacts::axolotl);
  if (const std::string why = axolotl_refuses(place, optimizer); !why.empty()) return placeholder(place, why);
  // Kernels of bitsandbytes know no DTensors.
  if ((s.sharding >= Sharding::kZero2 || s.tp > 1) && optimizer == "adamw_bnb_8bit") optimizer = "adamw_torch_8bit";
  Work work;
  Lines lines;
  lines.set("base_model", kModel).set("sequence_len", place.estimate().sequence);
  lines.set("sample_packing", packed(train)).set("pad_to_sequence_len", packed(train));
  lines.set("reinit_weights", place.from_scratch());
  lines.set("micro_batch_size", s.micro_batch).set("gradient_accumulation_steps", s.grad_accum);
  lines.set("max_steps", steps_of(place)).set("num_epochs", 1);
  if (adapters(train)) {
    lines.set("adapter", name_of(train.method)).set("lora_r", train.lora.rank).set("lora_alpha", 2 * train.lora.rank);
    lines.set("lora_dropout", 0.0);
    if (const auto targets = adapter_targets(train); targets.empty()) lines.set("lora_target_linear", true);
    else lines.raw("lora_target_modules", "[" + join(targets, ", ") + "]");
    lines.set("load_in_4bit", train.method == Method::kQlora);
  }
  lines.set("optimizer", optimizer).set("lr_scheduler", "cosine");
  lines.set("learning_rate", number_argument(place, {"learning_rate", "lr"}, usual_rate(place)));
  lines.set("warmup_steps", std::clamp(steps_of(place) / 50, 1, 2000)).set("max_grad_norm", 1.0);
  // Products in fp8 are beside bf16, and only under compile (utils/schemas/validation.py).
  const bool eight = is_eight_bit(s.precision);
  lines.set("bf16", eight || s.precision == Precision::kBf16).set("fp16", s.precision == Precision::kFp16);
  if (eight) lines.set("fp8", true);
  lines.set("tf32", s.precision == Precision::kTf32).set("gradient_checkpointing", s.recompute != Recompute::kNone);
  const std::string_view attention = axolotl_attention(place);
  lines.set("attn_implementation", attention).set("torch_compile", eight || s.compile);
  if (s.tp > 1) lines.set("tensor_parallel_size", s.tp);
  if (s.cp > 1) lines.set("context_parallel_size", s.cp);
  const bool host = s.offload != Offload::kNone;
  if (s.sharding >= Sharding::kZero2) {
    lines.set("fsdp_version", 2).head("fsdp_config").set("  offload_params", host);
    lines.set("  reshard_after_forward", s.sharding != Sharding::kZero2).set("  state_dict_type", "FULL_STATE_DICT");
    lines.set("  auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
    if (s.sharding == Sharding::kHsdp) lines.set("dp_replicate_size", place.laid.nodes);
  } else if (stage_of(s) > 0) {
    lines.set("deepspeed", std::string(kHere) + "/ds_config.json");
    work.files.push_back({place.path("ds_config.json"), deepspeed_json(s, stage_of(s)), false});
  }
  // Models without a template of their own get ChatML; tokenizer_default would end the run there.
  if (!plain_text(place)) lines.set("chat_template", "tokenizer_default_fallback_chatml");
  lines.head("datasets").raw("  - path", "\"@GPUPLAN_DATA@\"");
  lines.set("    type", plain_text(place) ? "completion" : "chat_template");
  lines.set("output_dir", std::string(kRun) + "/checkpoints");
  lines.set("save_steps", std::max(checkpoint_steps(place.launch, place.laid), 1));
  keep_checkpoints(lines, place);
  lines.set("logging_steps", log_steps(place));
  lines.set("auto_resume_from_checkpoints", true);
  for (const std::string& word : other_arguments(place, {"learning_rate", "lr"}))
    return place.wrong("args names " + printable(word, 60) +
                       ", which the generated settings for axolotl do not support (they support learning_rate); set "
                       "command: in the job file");
  work.files.push_back({place.path("axolotl.yaml"), lines.take(), false});
  work.required = {std::string("DATA: JSONL file or Hugging Face dataset; each row has ") +
                   (plain_text(place) ? "\"text\"" : "\"messages\" (a list of role and content)")};
  // flash-attn is built against the torch that is there. attn_implementation came with 0.17.
  std::string extras = "deepspeed";
  if (s.cp > 1) extras += ",ring-flash-attn";
  else if (attention.starts_with("flash")) extras += ",flash-attn";
  if (extras != "deepspeed") work.prepare = {pip_install({"torch>=2.9", "packaging", "ninja", "setuptools", "wheel"})};
  std::vector<std::string> axolotl = {requirement("axolotl", extras)};
  if (extras != "deepspeed") axolotl.insert(axolotl.begin(), "--no-build-isolation");
  work.prepare.push_back(pip_install(axolotl));
  take_model(place, work);
  place_settings(place, "axolotl.yaml", work);
  work.command.push_back(
      "axolotl train \"$GPUPLAN_RUN_DIR/axolotl.yaml\" --launcher torchrun -- --nproc_per_node=\"$GPUPLAN_GPUS\" "
      "--nnodes=\"$GPUPLAN_NODES\" --node_rank=\"$GPUPLAN_NODE_RANK\" --master_addr=\"$GPUPLAN_MASTER_ADDR\" "
      "--master_port=\"$GPUPLAN_MASTER_PORT\"");
  leave_final(work, "checkpoints");
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
  if (s.tp * s.pp * s.cp > 1 || s.ep > 1)
    return placeholder(place, "LLaMA-Factory has no tensor, pipeline, context or expert parallelism.");
  if (train.models.front().drawn) return placeholder(place, "LLaMA-Factory supports only published models.");
  if (s.sharding == Sharding::kHsdp) return placeholder(place, "DeepSpeed has no sharding with copies.");
  const std::string optimizer = optimizer_name(place, train.optimizer.matrices, &OptimizerFacts::trainer);
  if (optimizer.empty())
    return placeholder(place, "LLaMA-Factory has no " + std::string(name_of(train.optimizer.matrices)) + ".");
  for (const std::string& word : other_arguments(place, {"learning_rate", "lr"}))
    return place.wrong("args names " + printable(word, 60) +
                       ", which the generated settings for llama-factory do not support (they support learning_rate); "
                       "set command: in the job file");
  Work work;
  Lines lines;
  const bool scratch = place.from_scratch();
  lines.set("model_name_or_path", kModel).set("trust_remote_code", false);
  lines.set("stage", plain_text(place) ? "pt" : "sft").set("do_train", true).set("train_from_scratch", scratch);
  lines.set("finetuning_type", adapters(train) ? "lora" : "full");
  if (adapters(train))
    lines.set("lora_rank", train.lora.rank)
        .set("lora_alpha", 2 * train.lora.rank)
        .set("lora_target", adapter_targets(train).empty() ? "all" : join(adapter_targets(train), ","));
  if (train.method == Method::kQlora) lines.set("quantization_bit", 4).set("quantization_method", "bnb");
  // The file that names the data lies beside: dataset_info.json of LLaMA-Factory. Without `template` it takes the
  // tokenizer's own.
  lines.set("dataset", "plan").set("dataset_dir", kHere);
  lines.set("cutoff_len", place.estimate().sequence).set("packing", packed(train));
  lines.set("output_dir", std::string(kRun) + "/checkpoints").set("overwrite_output_dir", false);
  lines.set("per_device_train_batch_size", s.micro_batch).set("gradient_accumulation_steps", s.grad_accum);
  lines.set("max_steps", steps_of(place)).set("optim", optimizer);
  lines.set("learning_rate", number_argument(place, {"learning_rate", "lr"}, usual_rate(place)));
  lines.set("lr_scheduler_type", "cosine").set("warmup_steps", std::clamp(steps_of(place) / 50, 1, 2000));
  lines.set("bf16", s.precision == Precision::kBf16).set("fp16", s.precision == Precision::kFp16);
  lines.set("disable_gradient_checkpointing", s.recompute == Recompute::kNone);
  lines.set("flash_attn", s.attention == AttentionKernel::kEager ? "disabled" : "sdpa");
  lines.set("save_steps", std::max(checkpoint_steps(place.launch, place.laid), 1));
  keep_checkpoints(lines, place);
  lines.set("logging_steps", log_steps(place));
  lines.set("report_to", "none").set("ddp_timeout", 180000000);
  if (stage_of(s) > 0) {
    lines.set("deepspeed", std::string(kHere) + "/ds_config.json");
    work.files.push_back({place.path("ds_config.json"), deepspeed_json(s, stage_of(s)), false});
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
  // Neither comes with it: requirements/bitsandbytes.txt, requirements/deepspeed.txt.
  if (train.method == Method::kQlora || is_bitsandbytes(optimizer))
    work.prepare.push_back(pip_install({"bitsandbytes>=0.43"}));
  if (stage_of(s) > 0) work.prepare.push_back(pip_install({"deepspeed>=0.16,<=0.18.4"}));
  take_model(place, work);
  place_settings(place, "llama_factory.yaml", work);
  work.command.emplace_back("ln -sfn \"$(realpath \"$DATA\")\" \"$GPUPLAN_FILES/data.jsonl\"");
  work.command.emplace_back(
      "export FORCE_TORCHRUN=1 NPROC_PER_NODE=\"$GPUPLAN_GPUS\" NNODES=\"$GPUPLAN_NODES\" "
      "NODE_RANK=\"$GPUPLAN_NODE_RANK\" "
      "MASTER_ADDR=\"$GPUPLAN_MASTER_ADDR\" MASTER_PORT=\"$GPUPLAN_MASTER_PORT\"");
  // Its launcher takes words apart at blanks (launcher.py), so that the file has no folder.
  work.command.emplace_back("cd \"$GPUPLAN_RUN_DIR\" || exit");
  work.command.emplace_back("llamafactory-cli train llama_factory.yaml");
  leave_final(work, "checkpoints");
  if (!plain_text(place))
    work.notes.emplace_back(
        "Messages are written in the tokenizer's own chat template; a base model without one needs "
        "a `template` in llama_factory.yaml.");
  notes(place, work);
  return work;
}

}  // namespace gpuplan
