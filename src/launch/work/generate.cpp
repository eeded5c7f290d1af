// Generation and collection: a program for vLLM or transformers that runs the plan's replicas, each on its own GPUs.
#include <algorithm>
#include <cmath>

#include "base/shell/shell_text.h"
#include "base/shell/shell_words.h"
#include "base/text.h"
#include "base/whole.h"
#include "domain/facts/published_weights.h"
#include "launch/command/servers.h"
#include "launch/parts/interfaces.h"
#include "launch/parts/reserved.h"
#include "launch/work/arguments.h"
#include "launch/work/options.h"

namespace gpuplan {
namespace {

int whole(double value) { return clamped<int>(std::clamp(std::ceil(value), 0.0, 2e9)); }

std::string_view torch_name(Format format) {
  switch (format) {
    case Format::kFp32:
      return "float32";
    case Format::kFp16:
      return "float16";
    case Format::kBf16:
      return "bfloat16";
    default:
      return "auto";
  }
}

/// Arguments of vllm.LLM, by vllm-project/vllm's documentation of its engine arguments.
void write_engine_arguments(JsonWriter& json, const WorkPlace& place) {
  const GeneratePhase& generate = place.generate();
  const Strategy& s = place.strategy();
  json.begin_object().member("tensor_parallel_size", s.tp).member("pipeline_parallel_size", s.pp);
  json.member("max_num_seqs", s.micro_batch).member("max_model_len", whole(longest_request(generate)));
  json.member("dtype", torch_name(s.weights));
  if (s.weights == Format::kFp8 && generate.models.front().shape.native != Format::kFp8)
    json.member("quantization", "fp8");
  if (s.weights == Format::kNf4) json.member("quantization", "bitsandbytes");
  json.member("kv_cache_dtype", generate.kv_cache == Format::kFp8 ? "fp8" : "auto");
  json.member("gpu_memory_utilization", reserved_share(place.launch.catalogue, place.estimate())).member("seed", 0);
  if (generate.speculation && generate.speculation->draft) {
    json.key("speculative_config").begin_object().member("model", generate.speculation->draft->name);
    json.member("num_speculative_tokens", generate.speculation->tokens).end();
  } else if (generate.speculation) {
    json.key("speculative_config").begin_object().member("method", "ngram").member("prompt_lookup_max", 4);
    json.member("num_speculative_tokens", generate.speculation->tokens).end();
  }
  json.end();
}

void write_data(JsonWriter& json, const GeneratePhase& generate) {
  json.key("data").begin_array();
  std::vector<std::string> slugs;
  for (const Prompts& prompts : generate.data) {
    std::string slug = slug_of(prompts.name, 50, "prompts");
    if (std::ranges::find(slugs, slug) != slugs.end()) slug += "-" + std::to_string(slugs.size() + 1);
    slugs.push_back(slug);
    json.begin_object().member("name", prompts.name).member("slug", slug).member("samples", prompts.samples);
    json.member("max_prompt_tokens", whole(prompts.prompt_tokens.max));
    json.member("max_new_tokens", std::max(whole(prompts.new_tokens.max), 1)).end();
  }
  json.end();
}

void write_store(JsonWriter& json, const GeneratePhase& generate) {
  json.key("store");
  if (!generate.store) {
    json.null();
    return;
  }
  constexpr const char* kKept[] = {"all", "prompt", "new", "last"};
  const Store& store = *generate.store;
  json.begin_object().member("layers", store.layers).member("width", store.width).member("dtype", name_of(store.dtype));
  json.member("to", store.to).member("tokens", kKept[static_cast<std::size_t>(store.tokens)]).end();
}

/// DATA, which an earlier phase's answers may be.
void require_prompts(const WorkPlace& place, Work& work) {
  const GeneratePhase& generate = place.generate();
  std::vector<std::string> names;
  for (const Prompts& prompts : generate.data) names.push_back(slug_of(prompts.name, 50, "prompts") + ".jsonl");
  for (const int need : place.laid.needs) {
    const LaunchPhase& other = place.launch.phases[static_cast<std::size_t>(need)];
    const auto* before = std::get_if<GeneratePhase>(&other.phase->work);
    if (before == nullptr || !other.phase->command.empty() || before->forward_only) continue;
    // Not DATA itself: that names what an earlier phase reads.
    const std::string variable = phase_variable("DATA", place.laid);
    work.command.push_back("export DATA=\"${" + variable + ":-$(dirname \"$GPUPLAN_RUN_DIR\")/" + other.slug +
                           "/results}\"");
    work.notes.push_back("DATA is the output of " + other.slug + ", unless " + variable + " is set.");
    return;
  }
  const std::string rows = generate.forward_only ? "\"text\", or \"prompt\" and \"completion\""
                                                 : "\"prompt\", or \"messages\" (a list of role and content)";
  work.required.push_back("DATA: a JSON-lines file" +
                          (names.size() > 1 ? ", or a folder with " + join(names, ", ") : std::string()) +
                          "; each row has " + rows);
}

/// Why gpuplan writes no program; "" where it does.
std::string unwritten(const WorkPlace& place, bool vllm, bool transformers) {
  const GeneratePhase& generate = place.generate();
  const Strategy& s = place.strategy();
  const Framework* engine = place.estimate().framework;
  if (!vllm && !transformers)
    return "gpuplan writes scripts for vllm and hf, and none for " +
           (engine != nullptr ? printable(engine->name, 40) : std::string("this engine")) + ".";
  if (generate.forward_only && !generate.store)
    return "What to do with the texts that are read is not in the job file.";
  for (const ModelUse& use : generate.models) {
    if (use.drawn || use.custom) return "There are no published weights for a model that the job defines by its shape.";
    if (use.shape.kind != ModelKind::kDecoder) return "Its model is not a text decoder.";
  }
  if (is_gguf(s.weights) || s.weights == Format::kExl2) return "vLLM and transformers do not read these weights.";
  if (s.ep > 1)
    return "Replicas with shared experts need a server (vllm serve --data-parallel-size --enable-expert-parallel).";
  if (s.tp * s.pp * s.cp > place.laid.gpus) return "A replica over several nodes needs a Ray cluster.";
  if (s.cp > 1) return "Context parallelism is not supported by the generated script.";
  if (vllm && generate.collect && generate.store) return "vLLM gives no access to activations.";
  if (transformers && s.tp > 1) return "Tensor parallelism in transformers is not supported by the generated script.";
  if (generate.store && generate.store->dtype != Format::kFp32 && generate.store->dtype != Format::kFp16 &&
      generate.store->dtype != Format::kBf16)
    return "Activations can be stored only as fp32, fp16 or bf16.";
  if (transformers && generate.speculation)
    return "Speculative decoding in transformers is not supported by the generated script.";
  return "";
}

}  // namespace

double reserved_share(const Catalogue& catalogue, const PhaseEstimate& estimate) {
  const EngineProfile& profile = engine_profile(catalogue, *estimate.framework);
  constexpr double kSame = 1.005;  // requests fill what there is
  const double needed = estimate.memory.total() / estimate.node->gpu->usable;
  if (needed <= kSame * profile.memory_share || !(profile.most_share > profile.memory_share))
    return profile.memory_share;
  return std::min(std::ceil(needed * 100) / 100, profile.most_share);
}

Result<void> check_servers(const WorkPlace& place, const std::string& command, Work& work) {
  const GeneratePhase& generate = place.generate();
  const Strategy& s = place.strategy();
  const bool whole = s.weights == Format::kBf16 || s.weights == Format::kFp16 || s.weights == Format::kFp32;
  const bool fp8 = generate.kv_cache == Format::kFp8;
  const ServerPlan planned{s.tp, s.pp, s.dp, s.micro_batch, longest_request(generate), fp8, whole};
  for (const ShellSpan& span : shell_commands(command)) {
    const std::vector<CommandWord> words = words_of(command, span);
    const auto server = server_of(words);
    if (!server) continue;
    if (const std::string wrong = served_wrongly(words, *server, planned); !wrong.empty())
      return place.wrong("its command " + wrong);
    std::vector<std::string_view> now, once;
    for (const InterfaceRow* row : interface_rows(server->program, server->section))
      (row->until.empty() ? now : once).emplace_back(row->name);
    for (const std::string& flag : flags_of(words, *server)) {
      if (is_flag_of(now, flag)) continue;
      const std::string shown = printable(flag, 60) + " of " + std::string(server->name);
      if (is_flag_of(once, flag)) {
        work.notes.push_back(shown + " is a flag of older versions only.");
        continue;
      }
      if (const std::string near = did_you_mean(flag, now); !near.empty())
        return place.wrong("its command has " + printable(flag, 60) + ", which " + std::string(server->name) +
                           " does not have" + near);
      work.notes.push_back(shown + " is not known: the flags that gpuplan knows are of " +
                           interface_of(server->program)->date + ".");
    }
  }
  return {};
}

Result<Work> generation_work(const WorkPlace& place) {
  const GeneratePhase& generate = place.generate();
  const Strategy& s = place.strategy();
  const Framework* engine = place.estimate().framework;
  const bool vllm = engine != nullptr && engine->name == "vllm";
  const bool transformers = engine != nullptr && (engine->name == "hf" || engine->name == "hf-compiled");
  if (const std::string why = unwritten(place, vllm, transformers); !why.empty()) return placeholder(place, why);
  if (const auto good = check_arguments(place); !good) return std::unexpected(good.error());
  Work work;
  JsonWriter json;
  json.begin_object().member("job", place.launch.job.name).member("phase", place.phase().name);
  bool quantized = false;
  json.key("models").begin_array();
  for (std::size_t i = 0; i < generate.models.size(); ++i) {
    const std::size_t told = work.notes.size();
    write_model(json, place, generate.models, i, work);
    const bool brought = !made_while_loading(s.weights, engine->name) && generate.models[i].shape.native != s.weights;
    quantized = quantized || !made_while_loading(s.weights, engine->name);
    const std::string variable = model_variable(place, generate.models, i);
    const bool asked =
        std::ranges::any_of(work.required, [&](const std::string& r) { return r.starts_with(variable + ":"); });
    if (brought) work.notes.resize(told);  // of weights that are not these
    if (brought && !asked)
      work.required.push_back(variable + ": Hugging Face name, or folder, of " +
                              printable(generate.models[i].name, 60) + " quantized to " +
                              std::string(name_of(s.weights)));
  }
  json.end();
  write_data(json, generate);
  json.member("replicas", s.dp).member("gpus_of_replica", s.tp * s.pp).member("gpus", place.laid.gpus);
  json.member("one_model_per_gpu", s.placement == Placement::kOneModelPerGpu);
  json.member("in_flight", std::max(s.micro_batch, 1)).member("weights", name_of(s.weights));
  // Replicas that do not all take the same share of what may be at work at once.
  if (generate.situation == Situation::kConcurrency && s.dp > 1)
    if (const auto most = clamped<int>(*generate.concurrency); most < s.dp * std::max(s.micro_batch, 1))
      json.member("in_flight_together", most);
  json.member("quantized", quantized).member("compile", s.compile || (engine->name == "hf-compiled"));
  json.member("forward_only", generate.forward_only);
  constexpr double kGreedy = 0;
  json.member("temperature", number_argument(place, "temperature", kGreedy));
  int rank = 16;
  for (const Phase& other : place.launch.job.phases)
    if (const auto* train = std::get_if<TrainPhase>(&other.work)) rank = std::max(rank, train->lora.rank);
  json.member("lora_rank", rank);
  write_store(json, generate);
  if (vllm) {
    json.key("engine_arguments");
    write_engine_arguments(json, place);
    json.key("arguments").begin_object();
    write_arguments(json, passed_on(place));
    json.end();
  }
  json.end();
  // vLLM's LLM class runs pipelines offline since 0.10; logits_to_keep is so named since transformers 4.48, `dtype`
  // since 4.56.
  std::vector<std::string> packages = {torch_requirement(place, "2.6"), requirement("transformers"),
                                       requirement("accelerate"), requirement("peft"), "safetensors>=0.4"};
  if (vllm) packages = {requirement("vllm")};
  if (vllm && !pip_has_vllm(place)) {
    packages.clear();
    work.prepare.push_back(needs_vllm());
  }
  if (s.weights == Format::kInt8 || s.weights == Format::kNf4) packages.emplace_back("bitsandbytes>=0.45");
  if (!packages.empty()) work.prepare.push_back(pip_install(packages));
  for (const char* name : {"phase_parts.py", "chat_template.py", "replicas.py"})
    work.files.push_back(program(place, name));
  if (!vllm) work.files.push_back(program(place, "decoder_layers.py"));
  work.files.push_back(program(place, vllm ? "generate_vllm.py" : "generate_hf.py", "generate.py"));
  work.files.push_back({place.path("settings.json"), json.take(), false});
  require_prompts(place, work);
  work.notes.emplace_back("Outputs are stored in results/ of the run folder as JSONL; a restart continues after them.");
  if (generate.store && generate.store->to == "memory")
    work.notes.emplace_back(
        "Activations stay in memory until a model is done; put your code into use() of "
        "generate.py.");
  else if (generate.store)
    work.notes.emplace_back(
        "Activations are stored next to them: a safetensors file per batch, a tensor (layers, tokens, width) per row.");
  if (s.dp > 1)
    work.notes.push_back(std::to_string(s.dp) + " replicas, one process each; the first writes to this log.");
  ask_first(place, generate.models, work);
  work.command.push_back(supervised(place, work, "python3 " + file_word("generate.py")));
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
