// torchtitan 0.2, which reads TOML: later versions have configurations in Python.
#include <algorithm>
#include <array>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "domain/facts/limits.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/arguments.h"

namespace gpuplan {
namespace {

std::string_view name_of_form(TitanForm form) {
  if (form == TitanForm::kQwen3) return "qwen3";
  return form == TitanForm::kDeepSeek ? "deepseek_v3" : "llama3";
}

/// What is left of a run whose products are in 16 bits and fewer is in bf16, as models are published.
bool sixteen_bit(Precision precision) { return precision != Precision::kFp32 && precision != Precision::kTf32; }

/// What titan_network.py reads.
std::string network_json(const WorkPlace& place) {
  const ModelShape& s = place.train().models.front().shape;
  JsonWriter json;
  json.begin_object().member("form", name_of_form(titan_form(s))).member("from_scratch", place.from_scratch());
  json.member("sequence", place.estimate().sequence).member("layers", s.layers).member("hidden", s.hidden);
  json.member("heads", s.heads).member("kv_heads", s.kv_heads).member("head_dim", s.head_dim).member("ffn", s.ffn);
  json.member("dtype", sixteen_bit(place.strategy().precision) ? "bfloat16" : "float32");
  json.member("vocab", s.vocab).member("tied", s.tied).member("qk_norm", s.qk_norm == QkNorm::kHead);
  json.member("experts", s.experts).member("experts_per_token", s.experts_per_token);
  if (s.moe()) json.member("expert_ffn", s.expert_ffn);
  if (s.mla()) {
    json.member("shared_ffn", s.shared_ffn).member("dense_layers", s.dense_layers);
    json.member("q_lora_rank", s.q_lora_rank).member("kv_lora_rank", s.kv_lora_rank);
    json.member("qk_nope_dim", s.qk_nope_dim).member("qk_rope_dim", s.qk_rope_dim).member("v_dim", s.v_dim);
  }
  return json.end().take();
}

std::string entry(std::string_view key, const std::string& value) { return std::string(key) + " = " + value + "\n"; }
std::string entry(std::string_view key, int value) { return entry(key, std::to_string(value)); }
std::string entry(std::string_view key, bool value) { return entry(key, std::string(value ? "true" : "false")); }
std::string text_entry(std::string_view key, std::string_view value) { return entry(key, string_literal(value)); }

/// A number with a point: TOML tells whole numbers from others.
std::string real(double value) {
  const std::string text = number_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// Below the run's checkpoints, and made by torchtitan alone: where the folder exists, it takes no weights from
/// elsewhere (components/checkpoint.py, load()).
constexpr std::string_view kOwnFolder = "torchtitan";

/// dp is shared out over shards and copies; gradients of plain DDP are those of copies.
int copies_of(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const int inside = std::max(place.laid.gpus / std::max(s.tp * s.pp * s.cp, 1), 1);
  if (s.sharding == Sharding::kNone) return s.dp;
  return s.sharding == Sharding::kHsdp ? std::max(s.dp / inside, 1) : 1;
}

/// The rank that prints the loss: the first one of the last stage (distributed/utils.py, ensure_pp_loss_visible).
/// Others print -1.
int loss_rank(const WorkPlace& place) {
  const int pp = std::max(place.strategy().pp, 1);
  return place.laid.gpus * place.laid.nodes / pp * (pp - 1);
}

constexpr int kCollectiveSeconds = 3600;

std::string toml(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  const ModelShape& shape = place.train().models.front().shape;
  const bool scratch = place.from_scratch();
  const int steps = steps_of(place);
  std::string text = "[job]\n" + text_entry("description", place.launch.job.name + ", " + place.phase().name);
  text += "\n[model]\n" + text_entry("name", "gpuplan") + text_entry("flavor", "plan");
  if (is_eight_bit(s.precision))
    text += entry("converters", std::string(s.precision == Precision::kMxfp8 ? "[\"quantize.linear.mx\"]"
                                                                             : "[\"quantize.linear.float8\"]"));
  const double rate = number_argument(place, "learning_rate", scratch ? 3e-4 : 1e-5);
  text += "\n[optimizer]\n" + text_entry("name", "AdamW") + entry("lr", real(rate));
  if (const auto decay = argument(place, "weight_decay")) text += entry("weight_decay", real(*decay));
  text += "\n[lr_scheduler]\n" + entry("warmup_steps", warm_up_steps(place, std::clamp(steps / 50, 1, 2000))) +
          text_entry("decay_type", "cosine") + entry("min_lr_factor", real(0.1));
  // What a pipeline takes in one step are all micro-batches of it.
  text += "\n[training]\n" + entry("local_batch_size", s.pp > 1 ? s.micro_batch * s.grad_accum : s.micro_batch) +
          entry("global_batch_size", batch_of(place));
  text += entry("seq_len", place.estimate().sequence) + entry("steps", steps);
  text += entry("max_norm", real(number_argument(place, "grad_clip", 1.0)));
  // Where FSDP shards, products are in bf16 unless it is told otherwise.
  if (s.precision == Precision::kFp32) text += text_entry("mixed_precision_param", "float32");
  text += entry("enable_cpu_offload", s.offload != Offload::kNone);
  const int copies = copies_of(place);
  text += "\n[parallelism]\n" + entry("data_parallel_replicate_degree", copies);
  text += entry("data_parallel_shard_degree", s.dp / copies);
  text += text_entry("fsdp_reshard_after_forward", s.sharding == Sharding::kZero2 ? "never" : "always");
  text += entry("tensor_parallel_degree", s.tp) + entry("pipeline_parallel_degree", s.pp);
  if (s.pp > 1)
    text += text_entry("pipeline_parallel_schedule", s.interleave > 1 ? "Interleaved1F1B" : "1F1B") +
            entry("pipeline_parallel_microbatch_size", s.micro_batch);
  // It would take two parts a rank, and one layer less for the first and the last.
  if (s.interleave > 1)
    text += entry("pipeline_parallel_layers_per_stage", shape.layers / (s.pp * s.interleave)) +
            entry("pipeline_parallel_first_stage_less_layers", 0) +
            entry("pipeline_parallel_last_stage_less_layers", 0);
  text += entry("context_parallel_degree", s.cp) + entry("expert_parallel_degree", s.ep);
  text += "\n[checkpoint]\n" + entry("enable", true) + text_entry("folder", "checkpoints/" + std::string(kOwnFolder));
  text += entry("interval", std::max(checkpoint_steps(place.launch, place.laid), 1));
  const int keep = place.estimate().keep_checkpoints;
  text += entry("keep_latest_k", keep > 0 ? std::max(keep, 2) : 0);
  if (!scratch) text += entry("initial_load_in_hf", true);
  // The last one is the model alone as safetensors, which transformers, vLLM and later phases read.
  text += entry("last_save_model_only", true) + entry("last_save_in_hf", true);
  // In fp32 it would be twice the plan's size on the disk, and twice as long in the writing.
  if (sixteen_bit(s.precision)) text += text_entry("export_dtype", "bfloat16");
  // One rank joins the last one's parts, or a few of them do, and the others wait in a collective: of a large model
  // longer than the 100 s that it waits by itself, and reading weights from a slow disk longer than 300.
  text += "\n[comm]\n" + entry("init_timeout_seconds", kCollectiveSeconds) +
          entry("train_timeout_seconds", kCollectiveSeconds);
  text += "\n[activation_checkpoint]\n" + text_entry("mode", name_of(s.recompute));
  if (s.recompute == Recompute::kSelective) text += text_entry("selective_ac_option", "op");
  text += "\n[compile]\n" + entry("enable", s.compile || is_eight_bit(s.precision));
  text += "\n[metrics]\n" + entry("log_freq", log_steps(place));
  text += "\n[experimental]\n" + text_entry("custom_import", "titan_network");
  return text;
}

}  // namespace

Result<Work> torchtitan_work(const WorkPlace& place) {
  Work work;
  work.files.push_back({place.path("train.toml"), toml(place), false});
  work.files.push_back(program(place, "titan_network.py"));
  work.files.push_back({place.path("network.json"), network_json(place), false});
  // The last versions that read TOML; 0.2.1 and later import torch.nn.attention.varlen, which came with torch 2.10.
  work.prepare = {pip_install({"torch>=2.10", requirement("torchtitan")})};
  if (is_eight_bit(place.strategy().precision)) work.prepare.push_back(pip_install({"torchao>=0.14"}));
  const std::string own = place.from_scratch() ? "" : own_form(place, place.train().models.front());
  work.required = {"ASSETS: folder with the tokenizer of " + printable(place.train().models.front().name, 60) +
                       (place.from_scratch() ? ""
                        : own.empty()        ? ", its weights and its config.json"
                                             : ", its config.json and its weights, made of " + own + "; the rest") +
                       ", from torchtitan's scripts/download_hf_assets.py",
                   "DATASET: a dataset that torchtitan knows, or one registered in its hf_datasets/text_datasets.py, "
                   "and where its files "
                   "lie if not on the hub (c4, c4:/data/c4)"};
  const int shown = loss_rank(place);
  work.log_machine = shown / std::max(place.laid.gpus, 1);
  std::string line = torchrun(place) + " --local-ranks-filter " + std::to_string(shown % std::max(place.laid.gpus, 1)) +
                     " -m torchtitan.train --job.config_file " + file_word("train.toml") +
                     " --job.dump_folder \"$GPUPLAN_RUN_DIR\" --model.hf_assets_path \"$ASSETS\" --training.dataset "
                     "\"$named\" ${folder:+--training.dataset_path \"$folder\"}";
  if (!place.from_scratch()) line += " --checkpoint.initial_load_path \"$weights\"";
  for (const std::string& word : flag_words(place)) line += " " + word;
  const std::string no_whole =
      "  [ -z \"$(find \"$saved\" -mindepth 2 -maxdepth 2 \\( -name .metadata -o -name "
      "'model.safetensors*' \\))\" ]; then";
  // torchtitan imports titan_network.py by its name.
  work.command = {"export ASSETS PYTHONPATH=\"$GPUPLAN_FILES${PYTHONPATH:+:$PYTHONPATH}\"",
                  "IFS=: read -r named folder <<<\"$DATASET\""};
  work.command.insert(
      work.command.end(),
      {"saved=\"$GPUPLAN_CHECKPOINTS/" + std::string(kOwnFolder) + "\"",
       "# What an interrupted first checkpoint left would keep it from reading the weights.",
       "if [ \"$GPUPLAN_NODE_RANK\" = 0 ] && [ -d \"$saved\" ] &&", no_whole, "  rm -rf \"$saved\"", "fi"});
  if (!place.from_scratch()) {
    std::ranges::move(model_lines(place, "weights", "$ASSETS", work), std::back_inserter(work.command));
    std::ranges::move(check_merged(place), std::back_inserter(work.checks));
  }
  // What it saves last are the weights alone, which it does not start from again.
  const std::string over = "\"$saved/step-" + std::to_string(steps_of(place)) + "/model.safetensors.index.json\"";
  work.command.push_back("[ -e " + over + " ] || " + line);
  // Configuration and tokenizer; beside a foreign tokenizer lies the configuration of another network.
  const std::string completes =
      "  find -L \"$ASSETS\" -maxdepth 1 -type f \\( -name '*.json' -o -name 'tokenizer*' -o -name '*.txt' \\) "
      "! -name '*.safetensors.index.json'" +
      std::string(place.from_scratch() ? " ! -name '*config.json'" : "") + " -exec cp -n {} \"$last\" ';'";
  const std::string configuration =
      "  [ ! -e \"$GPUPLAN_RUN_DIR/config.json\" ] || cp \"$GPUPLAN_RUN_DIR/config.json\" \"$last\"";
  // step-1000: the model alone. Configuration and tokenizer make it a folder that transformers reads.
  work.command.insert(work.command.end(),
                      {
                          "if [ \"$GPUPLAN_NODE_RANK\" = 0 ]; then",
                          "  last=$(find \"$saved\" -maxdepth 1 -name 'step-*' | sort -V | tail -n 1)",
                          completes,
                          configuration,
                          "  rm -rf \"$last/sharded\"  # its parts, joined since",
                      });
  for (std::string& line : final_lines("checkpoints/" + std::string(kOwnFolder) + "/${last##*/}", "\"$last\""))
    work.command.push_back("  " + std::move(line));
  work.command.emplace_back("fi");
  if (is_eight_bit(place.strategy().precision) && !place.strategy().compile)
    work.notes.emplace_back("torch.compile is on: torchtitan's fp8 is meant for it.");
  work.notes.emplace_back("The trained model is left in the folder final, as safetensors" +
                          std::string(sixteen_bit(place.strategy().precision) ? " in bf16." : "."));
  work.notes.emplace_back("For torchtitan 0.2: later versions read no TOML.");
  if (place.phase().evaluate)
    work.notes.emplace_back("It does not evaluate, although the plan has time for it: see [validation] of torchtitan.");
  if (place.train().data.samples)
    work.notes.emplace_back(
        "torchtitan reads plain texts one after the other: it learns all of their tokens, and samples that share a "
        "sequence see each other. For conversations take framework: hf-trainer.");
  work.notes.emplace_back("It resumes from the newest checkpoint, and writes none when stopped.");
  if (place.estimate().keep_checkpoints == 1)
    work.notes.emplace_back("torchtitan keeps at least two checkpoints; the plan has disk space for one.");
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
