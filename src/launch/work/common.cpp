#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "base/whole.h"
#include "input/text/embedded_data.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/parts/interfaces.h"
#include "launch/work/arguments.h"
#include "launch/work/options.h"

namespace gpuplan {
namespace {

/// Operations of a token forward and backward: six for each parameter it meets outside of tables, and attention over
/// half of a sequence of that many tokens on both sides of the softmax (Chowdhery et al. 2022, appendix B). Weights
/// that do not learn need no gradients: four.
double flops_per_token(const TrainPhase& train, double sequence) {
  const ModelUse& use = train.models.front();
  const ParameterCount params = count_parameters(use.shape);
  const bool frozen = trains_adapters(train);
  const double matrices = params.active - (use.shape.tied ? 0 : params.embedding);
  return (frozen ? 4 : 6) * matrices + 12.0 * use.shape.layers * use.shape.q_width() * sequence;
}

/// Passes of a step from one look at the request to stop to the next: about ten seconds, since all ranks wait for it.
int stop_passes(const WorkPlace& place) {
  constexpr Seconds kApart = 10 * units::second;
  const int passes = std::max(place.strategy().grad_accum, 1);
  const Seconds step = place.laid.part->seconds_per_step.p50;
  if (step <= kApart) return passes;
  return std::max(clamped<int>(std::ceil(passes * (kApart / step))), 1);
}

bool muon(const TrainPhase& train) { return train.optimizer.matrices == Optimizer::kMuon; }

}  // namespace

std::unexpected<Error> WorkPlace::wrong(const std::string& what) const {
  return failure("phases." + printable(phase().name, 64) + ": " + what);
}

std::string file_word(std::string_view name) { return "\"$GPUPLAN_FILES/" + std::string(name) + "\""; }

LaunchFile program(const WorkPlace& place, std::string_view name, std::string_view as) {
  LaunchFile file{place.path(as.empty() ? name : as), "", name.ends_with(".sh")};
  if (!place.launch.without_programs) file.text = embedded_data("templates/" + std::string(name));
  return file;
}

std::string supervised(const WorkPlace& place, Work& work, const std::string& command, Asked asked) {
  work.files.push_back(program(place, "supervise.sh"));
  return "exec bash " + file_word("supervise.sh") + (asked == Asked::kBySignal ? " --workers " : " ") +
         std::to_string(stop_seconds(*place.laid.part)) + " " + command;
}

std::string torchrun(const WorkPlace& place) {
  if (place.laid.nodes <= 1) return "torchrun --standalone --nproc-per-node=\"$GPUPLAN_GPUS\"";
  return "torchrun --nnodes=\"$GPUPLAN_NODES\" --node-rank=\"$GPUPLAN_NODE_RANK\" --nproc-per-node=\"$GPUPLAN_GPUS\" "
         "--master-addr=\"$GPUPLAN_MASTER_ADDR\" --master-port=\"$GPUPLAN_MASTER_PORT\"";
}

std::string pip_install(const std::vector<std::string>& packages) {
  std::string line = "python3 -m pip install --quiet";
  for (const std::string& package : packages) line += " " + shell_quoted(package);
  return line;
}

bool pip_has_vllm(const WorkPlace& place) {
  const auto& node = place.estimate().node;
  return !node || node->gpu->vendor != "amd";
}

std::string needs_vllm() {
  return "python3 -c 'import vllm' || { echo 'vLLM for AMD GPUs is not installed by pip: start from an image of "
         "rocm/vllm' >&2; exit 78; }";
}

bool torch_bounded(const WorkPlace& place) {
  const auto& node = place.estimate().node;
  return node && node->gpu->vendor == "nvidia" && node->gpu->compute_capability < 7.5;
}

std::string torch_requirement(const WorkPlace& place, std::string_view least) {
  return "torch>=" + std::string(least) + (torch_bounded(place) ? ",<2.11" : "");
}

void install_attention(const WorkPlace& place, Work& work) {
  switch (place.strategy().attention) {
    case AttentionKernel::kFlash1:
    case AttentionKernel::kFlash2:
      // Built without isolation, against the torch that is there: what builds it has to be there too.
      work.prepare.push_back(pip_install({"packaging", "ninja", "setuptools", "wheel"}));
      work.prepare.emplace_back("python3 -m pip install --quiet --no-build-isolation 'flash-attn>=2.6'");
      work.notes.emplace_back(kBuiltFromSource);
      return;
    case AttentionKernel::kFlash3:
      work.notes.emplace_back(
          "flash_attention_3 comes from Dao-AILab/flash-attention (hopper/), by setup.run of the job.");
      return;
    case AttentionKernel::kEager:
    case AttentionKernel::kFlash:
    case AttentionKernel::kCudnn:
      return;
  }
}

std::string requirement(std::string_view program, std::string_view extras) {
  const Interface* known = interface_of(program);
  if (known == nullptr) return std::string(program);
  std::string text = known->package;
  if (!extras.empty()) text += "[" + std::string(extras) + "]";
  if (!known->from.empty()) text += ">=" + known->from;
  if (!known->before.empty()) text += (known->from.empty() ? "<" : ",<") + known->before;
  return text;
}

std::string check_version(const WorkPlace& place, Work& work, std::string_view program_name, std::string_view shown,
                          std::string_view version, std::string_view least) {
  const Interface* known = interface_of(program_name);
  work.files.push_back(program(place, "version.sh"));
  std::string from(least), before;
  if (known != nullptr) {
    if (from.empty()) from = known->from;
    before = known->before;
    if (before.empty()) {  // without versions: the day after that of the source
      before = known->date + ".1";
      std::ranges::replace(before, '-', '.');
    }
  }
  return "bash " + file_word("version.sh") + " " + shell_quoted(shown) + " " + std::string(version) + " " +
         shell_quoted(from) + " " + shell_quoted(before) + " || exit";
}

Work placeholder(const WorkPlace& place, const std::string& lacks) {
  Work work;
  const std::string why = lacks.empty() ? "No command for this phase." : lacks;
  const std::string variable = phase_variable("GPUPLAN_COMMAND", place.laid);
  work.required.push_back(variable + ": the command of this phase, as the job file has none (`command:`)" +
                          (lacks.empty() ? "" : ". " + lacks));
  work.notes.push_back(why + " The phase stops until `command:` is set.");
  work.unwritten = why;
  work.command.push_back("exec bash -c \"$" + variable + "\"");
  return work;
}

std::vector<std::string> adapter_targets(const TrainPhase& train) {
  std::vector<std::string> targets;
  // peft refuses adapters at out_proj of Mamba, and its kernels pass by those at x_proj and dt_proj.
  if (train.models.front().shape.attention_layers() == 0) return {"in_proj"};
  for (const std::string& target : train.lora.targets) {
    if (target == "all") return {};
    if (target == "attention") targets.insert(targets.end(), {"q_proj", "k_proj", "v_proj", "o_proj"});
    else if (target == "mlp") targets.insert(targets.end(), {"gate_proj", "up_proj", "down_proj"});
    else targets.push_back(target);
  }
  return targets;
}

int pruned_to(const WorkPlace& place) {
  const int keep = place.estimate().keep_checkpoints;
  return with_due_checkpoints(place.launch, place.laid).checkpoints > keep ? keep : 0;
}

std::string pruned_note(std::string_view program, int keep) {
  return std::string(program) + " keeps every checkpoint; beside it the script removes all but the " +
         (keep == 1 ? std::string("newest one") : std::to_string(keep) + " newest") + " that " +
         (keep == 1 ? "is" : "are") + " whole.";
}

double tenth_of(double rate) {
  constexpr double kPlaces = 1e15;
  return std::round(rate * kPlaces / 10) / kPlaces;
}

int log_steps(const WorkPlace& place) {
  constexpr double kLines = 2000;  // enough for curves, few enough to read
  return clamped<int>(std::clamp(std::ceil(place.estimate().steps / kLines), 1.0, 100.0));
}

int batch_of(const WorkPlace& place) {
  const Strategy& s = place.strategy();
  return s.dp * s.micro_batch * s.grad_accum;
}

int steps_of(const WorkPlace& place) {
  return clamped<int>(std::clamp(std::ceil(place.estimate().steps - 1e-6), 1.0, 2e9));
}

double longest_request(const GeneratePhase& generate) {
  double longest = 0;
  for (const Prompts& prompts : generate.data)
    longest = std::max(longest, prompts.prompt_tokens.max + prompts.new_tokens.max);
  return std::ceil(longest);
}

int longest_row(const WorkPlace& place) {
  const auto& length = place.train().data.tokens_per_sample;
  const bool longest_known = length && length->max > length->mean;
  return std::max(place.estimate().sequence, longest_known ? 0 : place.train().sequence.value_or(0));
}

void tell_longest(const WorkPlace& place, Work& work) {
  const TrainData& data = place.train().data;
  if (const int planned = place.estimate().sequence; longest_row(place) > planned)
    work.notes.push_back("Rows are cut at " + count_text(longest_row(place)) +
                         " tokens (sequence); the plan counts with the memory of rows of at most " +
                         count_text(planned) + ", as tokens_per_sample says.");
  else if (data.samples && !data.packing)
    work.notes.push_back("Rows longer than " + count_text(planned) + " tokens are cut there" +
                         (place.train().sequence
                              ? "."
                              : ", as tokens_per_sample says: sequence: in the job (--sequence) takes longer ones."));
}

void tell_texts_alone(const WorkPlace& place, Work& work) {
  if (!place.train().models.front().shape.uncounted.empty())
    work.notes.emplace_back("It learns texts alone: what DATA shows beside them is no part of the plan.");
}

std::string optimizer_name(const WorkPlace& place, Optimizer optimizer, std::string OptimizerFacts::* program) {
  const OptimizerFacts* facts = place.launch.catalogue.find_optimizer(optimizer);
  return facts == nullptr ? "" : facts->*program;
}

Format master_weights(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Framework* framework = place.estimate().framework;
  if (train.master_weights) return *train.master_weights;
  return framework == nullptr || framework->master_fp32 ? Format::kFp32 : Format::kBf16;
}

std::string_view attention_name(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::kEager:
      return "eager";
    case AttentionKernel::kFlash1:
    case AttentionKernel::kFlash2:
      return "flash_attention_2";
    case AttentionKernel::kFlash3:
      return "flash_attention_3";
    case AttentionKernel::kFlash:
    case AttentionKernel::kCudnn:
      return "sdpa";
  }
  return "sdpa";
}

TrainingNumbers training_numbers(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const bool scratch = place.from_scratch();
  const bool frozen = trains_adapters(train);
  constexpr double kWarmUpShare = 0.02;
  // As the docstring of trl/scripts/dpo.py has it, 5e-7 for all weights and 5e-6 for adapters; for answers of its own
  // TRL's documentation has twice that (docs/source/lora_without_regret.md).
  const double dpo = frozen ? 5e-6 : 5e-7;
  const double grpo = frozen ? 1e-5 : 1e-6;
  const double warm_up = std::clamp(std::ceil(kWarmUpShare * steps_of(place)), 1.0, 2000.0);
  return {number_argument(place, "learning_rate",
                          train.rollouts     ? grpo
                          : train.rows() > 1 ? dpo
                          : scratch          ? 3e-4
                          : frozen           ? 2e-4
                                             : 1e-5),
          number_argument(place, "weight_decay", scratch ? 0.1 : 0.0),
          static_cast<double>(warm_up_steps(place, clamped<int>(warm_up))), number_argument(place, "grad_clip", 1.0),
          number_argument(place, "seed", 1.0)};
}

bool separate_samples(const TrainPhase& train) { return train.data.packing && !train.data.tokens.has_value(); }

bool runs_under(const WorkPlace& place, std::string_view framework) {
  const Framework* chosen = place.estimate().framework;
  return chosen != nullptr && chosen->name == framework;
}

std::string_view attention_of(const WorkPlace& place) {
  const std::string_view name = attention_name(place.strategy().attention);
  const ModelShape& shape = place.train().models.front().shape;
  return name == "sdpa" || shape.attention_layers() == 0 ? fused_attention(shape) : name;
}

bool write_training(JsonWriter& json, const WorkPlace& place, Work& work) {
  const TrainPhase& train = place.train();
  const PhaseEstimate& estimate = place.estimate();
  const Strategy& s = place.strategy();
  const bool scratch = place.from_scratch();
  const int steps = steps_of(place);
  json.member("job", place.launch.job.name).member("phase", place.phase().name).member("run_name", run_name(place));
  json.key("model");
  const bool good = write_model(json, place, train.models, 0, work);
  json.member("from_scratch", scratch).member("method", name_of(train.method));
  const AdapterNumbers adapters = adapter_numbers(place);
  json.key("lora").begin_object(true).member("rank", train.lora.rank).member("alpha", adapters.alpha);
  json.member("dropout", adapters.dropout).member("rslora", adapters.rslora).member("dora", adapters.dora);
  json.member("targets", adapter_targets(train)).member("pattern", target_pattern(train)).end();
  json.member("sequence", longest_row(place));
  json.member("objective", name_of(train.objective));
  if (train.rollouts)
    json.member("prompt_tokens", clamped<int>(std::ceil(train.rollouts->prompt_tokens.max)))
        .member("rewards", train.rollouts->reward);
  json.member("packing", train.rows() == 1 && (train.data.packing || train.data.tokens.has_value()));
  json.member("separate", separate_samples(train) && !runs_under(place, "unsloth"))
      .member("mean_tokens", estimate.mean_tokens);
  json.member("gpus", place.laid.gpus).member("nodes", place.laid.nodes);
  json.member("dp", s.dp).member("tp", s.tp).member("pp", s.pp).member("cp", s.cp).member("ep", s.ep);
  json.member("micro_batch", s.micro_batch).member("grad_accum", s.grad_accum).member("batch", batch_of(place));
  json.member("epochs", train.data.samples ? train.epochs.value_or(1) : 0.0);
  json.member("steps", steps).member("log_steps", log_steps(place)).member("stop_passes", stop_passes(place));
  json.member("eval_steps", evaluation_steps(place));
  json.member("checkpoint_steps", std::max(checkpoint_steps(place.launch, place.laid), 1));
  json.member("keep_checkpoints", place.estimate().keep_checkpoints);
  json.member("recompute", name_of(s.recompute)).member("precision", name_of(s.precision));
  json.member("master_weights", name_of(master_weights(place))).member("compile", s.compile);
  json.key("offload").begin_object(true);
  json.member("optimizer", includes(s.offload, Offload::kOptimizer));
  json.member("params", includes(s.offload, Offload::kParams));
  json.member("activations", includes(s.offload, Offload::kActivations)).end();
  json.key("attention").begin_object(true).member("kernel", name_of(s.attention));
  json.member("implementation", attention_of(place)).end();
  json.key("optimizer").begin_object(true).member("matrices", name_of(train.optimizer.matrices));
  json.member("rest", name_of(train.optimizer.rest)).end();
  const TrainingNumbers numbers = training_numbers(place);
  json.member("learning_rate", numbers.learning_rate).member("weight_decay", numbers.weight_decay);
  json.member("warmup_steps", numbers.warmup_steps).member("grad_clip", numbers.grad_clip);
  json.member("seed", numbers.seed);
  json.member("flops_per_token", flops_per_token(train, estimate.mean_tokens));
  json.member("peak_tflops", estimate.node ? peak(*estimate.node->gpu, s.precision).value / 1e12 : 0);
  return good;
}

void require_data(const WorkPlace& place, Work& work) {
  const TrainPhase& train = place.train();
  const bool scratch = place.from_scratch();
  work.required.emplace_back(
      train.rollouts ? "DATA: file or folder of JSONL, JSON or Parquet, or Hugging Face dataset owner/name[:split] "
                       "(columns: prompt, and those that the reward functions read)"
      : train.objective == Objective::kDpo ? "DATA: file or folder of JSONL, JSON or Parquet, or Hugging Face dataset "
                                             "owner/name[:split] (columns: chosen + "
                                             "rejected, texts after a prompt or conversations)"
      : scratch ? "DATA: file or folder of JSONL, JSON, Parquet or text, or Hugging Face dataset (column: text)"
                : "DATA: file or folder of JSONL, JSON, Parquet or text, or Hugging Face dataset owner/name[:split] "
                  "(columns: "
                  "text; prompt + completion; messages; or instruction + input + output)");
  if (train.models.front().drawn)
    work.required.emplace_back("TOKENIZER: Hugging Face name, or folder, of a tokenizer of at most " +
                               std::to_string(train.models.front().shape.vocab) + " tokens");
  tell_longest(place, work);
  if (!argument(place, "learning_rate"))
    work.notes.emplace_back(
        "No learning_rate in the job: settings.json has a common default (args: {learning_rate: ...} in the job "
        "changes it).");
  if (const int steps = evaluation_steps(place); steps > 0)
    work.notes.push_back("Evaluated every " + count_of(steps, "step") +
                         " on EVAL_DATA, or on one of 50 rows of DATA that it is not trained on.");
  if (separate_samples(train) && runs_under(place, "unsloth"))
    work.notes.emplace_back("Packed samples see each other: Unsloth does not tell them apart by positions.");
  else if (separate_samples(train) && !attention_name(place.strategy().attention).starts_with("flash"))
    work.notes.emplace_back(
        "Packed samples are kept apart by a mask, which takes time that the plan does not count: attention: flash2 in "
        "the job does it without.");
  const ModelShape& shape = train.models.front().shape;
  if (shape.attention_layers() == 0 && trains_adapters(train))
    work.notes.emplace_back("Adapters sit at in_proj of each layer: peft takes no other matrix of Mamba's.");
  if (shape.states.layers > 0)
    work.notes.emplace_back(
        "State-space layers need their kernels to be as fast as planned: mamba-ssm and causal-conv1d (Mamba), or "
        "flash-linear-attention (gated delta nets), in setup.run of the job.");
  if (shape.attention_layers() > 0 && attention_of(place) == "eager" &&
      place.strategy().attention != AttentionKernel::kEager)
    work.notes.emplace_back(
        "Attention is eager, slower and larger than planned: torch's fused kernel does not have this network's. "
        "attention: flash2 in the job where that has it.");
  if (muon(train)) work.notes.emplace_back("Muon is torch.optim.Muon, scaled to use AdamW's learning rate.");
}

std::string untrainable(const TrainPhase& train) {
  if (train.models.size() != 1) return "It trains several models together, which the generated scripts do not support.";
  if (train.models.front().custom) return "Only the totals of its model are known.";
  if (train.models.front().shape.kind != ModelKind::kDecoder) return "Its model is not a text decoder.";
  if (std::string why = without_words(train.models.front().shape); !why.empty()) return why;
  if (train.method == Method::kFrozen) return "It trains its own modules next to frozen weights.";
  if (train.models.front().loops > 1 || train.models.front().supervision_steps > 1)
    return "Its model runs its layers several times, which the generated scripts do not support.";
  return "";
}

}  // namespace gpuplan
