// Where the models of a phase come from (the hub, a folder, or what an earlier phase left), and which of them the
// written programs load.
#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "domain/facts/limits.h"
#include "input/models/hub_names.h"
#include "launch/work/parts.h"

namespace gpuplan {
namespace {

/// "MODEL_OLMO_3_7B_THINK".
std::string upper_slug(std::string_view text) {
  std::string result = slug_of(text, 60, "X");
  for (char& c : result) c = c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

/// Positions in launch.phases of all that come before this phase, nearest first.
std::vector<int> before(const WorkPlace& place) {
  std::vector<int> all = place.laid.needs;
  std::vector<char> met(place.launch.phases.size(), 0);
  for (const int need : all) met[static_cast<std::size_t>(need)] = 1;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const int need : place.launch.phases[static_cast<std::size_t>(all[i])].needs)
      if (std::exchange(met[static_cast<std::size_t>(need)], char{1}) == 0) all.push_back(need);
  return all;
}

/// Frameworks whose phases leave the model in the folder `final`, as transformers reads it.
constexpr std::array<std::string_view, 8> kLeaveModel = {"torch",      "hf-trainer", "accelerate", "deepspeed",
                                                         "torchtitan", "unsloth",    "axolotl",    "llama-factory"};

/// The training of a phase for which gpuplan writes the program, where it is of this model; else null.
const TrainPhase* written_training(const LaunchPhase& laid, std::string_view model) {
  const auto* train = std::get_if<TrainPhase>(&laid.phase->work);
  const bool written = train != nullptr && laid.phase->command.empty() && train->models.size() == 1 &&
                       train->models.front().name == model && untrainable(*train).empty();
  return written ? train : nullptr;
}

/// Whether its program leaves the model in the folder `final`.
bool leaves_model(const LaunchPhase& laid) {
  const Framework* framework = laid.part->estimate->framework;
  return framework == nullptr || std::ranges::find(kLeaveModel, framework->name) != kLeaveModel.end();
}

/// Why a name does not say where the weights are: nobody knows it, or they are what an earlier phase trained and only
/// the user can convert. "" where it does.
std::string must_name(const WorkPlace& place, const ModelUse& use) {
  const bool anew = std::holds_alternative<TrainPhase>(place.phase().work) && place.from_scratch();
  if (const std::string own = own_form(place, use); !anew && !own.empty())
    return "folder of " + printable(use.name, 60) + " as transformers reads it, made of " + own;
  const bool known = use.drawn || source_of(use).find('/') != std::string::npos || !trained_by(place, use).empty();
  return known ? "" : "Hugging Face name, or folder, of " + printable(use.name, 60);
}

/// Whether the phase goes on with what an earlier one trained of the model.
bool takes_over(const WorkPlace& place, const ModelUse& use) {
  const bool anew = std::holds_alternative<TrainPhase>(place.phase().work) && place.from_scratch();
  return !anew && (!trained_by(place, use).empty() || !own_form(place, use).empty());
}

/// The models of a phase for which gpuplan writes the program.
const std::vector<ModelUse>& models_of(const WorkPlace& place) {
  static const std::vector<ModelUse> kNone;
  if (!trim(place.phase().command).empty()) return kNone;
  if (std::holds_alternative<TrainPhase>(place.phase().work)) return place.train().models;
  const auto* generate = std::get_if<GeneratePhase>(&place.phase().work);
  return generate != nullptr ? generate->models : kNone;
}

/// MODEL, or MODEL_OLMO_3_7B_THINK where a phase has several.
std::string plain_variable(const std::vector<ModelUse>& models, std::size_t which) {
  if (models.size() == 1) return "MODEL";
  std::string name = "MODEL_" + upper_slug(models[which].name);
  const auto first = models.begin() + static_cast<std::ptrdiff_t>(which);
  if (std::any_of(models.begin(), first, [&](const ModelUse& use) { return "MODEL_" + upper_slug(use.name) == name; }))
    name += "_" + std::to_string(which + 1);
  return name;
}

/// Whether another phase begins with another model under the same variable.
bool shared_variable(const WorkPlace& place, const ModelUse& use, const std::string& name) {
  return std::ranges::any_of(place.launch.phases, [&](const LaunchPhase& laid) {
    const WorkPlace other{place.launch, laid};
    const std::vector<ModelUse>& models = models_of(other);
    for (std::size_t i = 0; i < models.size(); ++i)
      if (models[i].name != use.name && plain_variable(models, i) == name && source_of(models[i]) != source_of(use) &&
          !takes_over(other, models[i]))
        return true;
    return false;
  });
}

/// What transformers calls a network of this shape, with its keys; false when there is none of it.
bool write_config(JsonWriter& json, const ModelShape& s, int sequence) {
  if (s.kind != ModelKind::kDecoder || s.moe() || s.mla() || s.window > 0 || s.qk_norm != QkNorm::kNone) return false;
  const int context = std::max({s.max_context, s.positions, sequence});
  if (s.gated && s.norm == NormKind::kRms && s.positions == 0) {
    json.begin_object().member("model_type", "llama").member("hidden_size", s.hidden);
    json.member("intermediate_size", s.ffn).member("num_hidden_layers", s.layers);
    json.member("num_attention_heads", s.heads)
        .member("num_key_value_heads", s.kv_heads)
        .member("head_dim", s.head_dim);
    json.member("vocab_size", s.vocab).member("tie_word_embeddings", s.tied).member("max_position_embeddings", context);
    json.member("attention_bias", s.attention_bias != BiasKind::kNone).member("mlp_bias", s.mlp_bias).end();
    return true;
  }
  if (!s.gated && s.norm == NormKind::kLayer && s.kv_heads == s.heads && s.head_dim * s.heads == s.hidden) {
    json.begin_object().member("model_type", "gpt2").member("n_embd", s.hidden).member("n_inner", s.ffn);
    json.member("n_layer", s.layers).member("n_head", s.heads).member("vocab_size", s.vocab);
    json.member("n_positions", context).member("tie_word_embeddings", s.tied).end();
    return true;
  }
  return false;
}

/// "a vision tower": without its size.
std::string towers(const ModelShape& shape) {
  std::string what = printable(shape.uncounted.substr(0, shape.uncounted.find(" of ")), 40);
  if (what.ends_with("s")) return what;
  return (what.starts_with("a") ? "an " : "a ") + what;
}

}  // namespace

std::string phase_variable(std::string_view name, const LaunchPhase& laid) {
  return std::string(name) + "_" + upper_slug(laid.slug);
}

std::string model_variable(const WorkPlace& place, const std::vector<ModelUse>& models, std::size_t which) {
  const std::string name = plain_variable(models, which);
  // What MODEL names is where the job begins. A later phase must not begin there again.
  const bool own = takes_over(place, models[which]) || shared_variable(place, models[which], name);
  return own ? phase_variable(name, place.laid) : name;
}

std::string source_of(const ModelUse& use) {
  const std::string hub = hub_name(use.name);
  return hub.empty() ? use.name : hub;
}

std::vector<Trained> trained_by(const WorkPlace& place, const ModelUse& model) {
  const bool trains = std::holds_alternative<TrainPhase>(place.phase().work);
  std::vector<Trained> left;
  for (const int position : before(place)) {
    const LaunchPhase& other = place.launch.phases[static_cast<std::size_t>(position)];
    if (const TrainPhase* train = written_training(other, model.name); train != nullptr && leaves_model(other))
      left.push_back({other.slug, trains && trains_adapters(*train) ? "merged" : "final"});
  }
  return left;
}

std::string own_form(const WorkPlace& place, const ModelUse& model) {
  for (const int position : before(place)) {
    const LaunchPhase& other = place.launch.phases[static_cast<std::size_t>(position)];
    if (written_training(other, model.name) == nullptr) continue;
    if (leaves_model(other)) return "";
    return "runs/" + other.slug + "/checkpoints, which " + printable(other.part->estimate->framework->name, 40) +
           " writes in a form of its own";
  }
  return "";
}

const LaunchPhase* merged_for(const WorkPlace& place) {
  const std::string& model = place.train().models.front().name;
  if (!trains_adapters(place.train())) return nullptr;
  for (const LaunchPhase& later : place.launch.phases) {
    const TrainPhase* train = written_training(later, model);
    const WorkPlace other{place.launch, later};
    if (train == nullptr || other.from_scratch()) continue;
    for (const Trained& left : trained_by(other, train->models.front()))
      if (left.slug == place.laid.slug) return &later;
  }
  return nullptr;
}

std::vector<std::string> check_merged(const WorkPlace& place) {
  const std::vector<Trained> left = trained_by(place, place.train().models.front());
  if (place.from_scratch() || std::ranges::find(left, "merged", &Trained::folder) == left.end()) return {};
  std::string all;
  for (const Trained& one : left) all += " " + one.path();
  const std::string variable = model_variable(place, place.train().models, 0);
  const std::string told =
      "${left%/*} left adapters in final that are not merged (no folder merged); start it again, which merges them, or "
      "set " +
      variable;
  return {"for left in" + all + "; do",
          "  [ -z \"${" + variable + ":-}\" ] && [ -e \"$GPUPLAN_RUN_DIR/../${left%/*}/final\" ] || continue",
          "  [ ! -e \"$GPUPLAN_RUN_DIR/../$left\" ] || break",
          "  echo \"" + told + "\" >&2",
          "  exit 78",
          "done"};
}

bool write_model(JsonWriter& json, const WorkPlace& place, const std::vector<ModelUse>& models, std::size_t which,
                 Work& work) {
  const ModelUse& use = models[which];
  const std::string variable = model_variable(place, models, which);
  const std::vector<Trained> earlier = trained_by(place, use);
  std::vector<std::string> folders;
  for (const Trained& one : earlier) folders.push_back(one.path());
  // Names that come to the same are told apart by their position.
  std::string slug = slug_of(use.name, 50, "model");
  for (std::size_t i = 0; i < which; ++i)
    if (slug_of(models[i].name, 50, "model") == slug) slug += "-" + std::to_string(which + 1);
  const std::string source = use.drawn ? use.name : source_of(use);
  json.begin_object().member("name", source).member("slug", slug);
  json.member("variable", variable).member("trained_by", folders);
  bool good = true;
  json.key("config");
  if (!use.drawn) json.null();
  else
    good = write_config(
        json, use.shape,
        std::holds_alternative<TrainPhase>(place.phase().work) ? longest_row(place) : place.estimate().sequence);
  if (!good) json.null();
  if (std::holds_alternative<GeneratePhase>(place.phase().work)) json.member("attention", fused_attention(use.shape));
  json.end();
  if (const std::string what = must_name(place, use); !what.empty()) work.required.push_back(variable + ": " + what);
  else if (!earlier.empty())
    work.notes.push_back("The model is the output of " + earlier.front().slug + " (folder " + earlier.front().folder +
                         "), unless " + variable + " names another.");
  else if (!use.drawn && source != use.name)
    work.notes.push_back("The weights are " + source + " of the Hugging Face hub, unless " + variable +
                         " names another model or a folder.");
  return good;
}

std::vector<std::string> model_lines(const WorkPlace& place, std::string_view shell_name, std::string_view first,
                                     Work& work) {
  const ModelUse& model = place.train().models.front();
  const std::vector<Trained> earlier = trained_by(place, model);
  const std::string name(shell_name);
  std::vector<std::string> lines = {name + "=" + std::string(first)};
  for (const Trained& left : earlier | std::views::reverse) {
    const std::string folder = "\"$GPUPLAN_RUN_DIR/../" + left.path() + "\"";
    lines.emplace_back("[ ! -e ");
    lines.back().append(folder).append(" ] || ").append(name).append("=").append(folder);
  }
  if (!earlier.empty())
    work.notes.push_back("The model is the output of " + earlier.front().slug + " (folder " + earlier.front().folder +
                         ") where that is there.");
  return lines;
}

void take_model(const WorkPlace& place, Work& work) {
  const ModelUse& model = place.train().models.front();
  std::ranges::move(model_lines(place, "model", bash_value(source_of(model)), work), std::back_inserter(work.command));
  const std::string variable = model_variable(place, place.train().models, 0);
  work.command.push_back("export GPUPLAN_BASE_MODEL=\"${" + variable + ":-$model}\"");
  const std::string what = must_name(place, model);
  const bool told =
      std::ranges::any_of(work.required, [&](const std::string& line) { return line.starts_with(variable + ":"); });
  if (!what.empty() && !told) work.required.push_back(variable + ": " + what);
}

void leave_out_unfinished(Work& work) {
  work.command.emplace_back(
      "if [ \"$GPUPLAN_NODE_RANK\" = 0 ]; then\n"
      "  for checkpoint in \"$GPUPLAN_RUN_DIR/checkpoints\"/checkpoint-*; do\n"
      "    [ -d \"$checkpoint\" ] || continue\n"
      "    ! tail -c 3 \"$checkpoint/trainer_state.json\" 2>/dev/null | grep -q '}' || continue\n"
      "    rm -rf \"$GPUPLAN_RUN_DIR/checkpoints/cut-off\"\n"
      "    mv \"$checkpoint\" \"$GPUPLAN_RUN_DIR/checkpoints/cut-off\"\n"
      "    echo \"${checkpoint##*/} was cut off: it is now cut-off, and an earlier one is taken\"\n"
      "  done\n"
      "fi");
}

void leave_final(Work& work, std::string_view folder) {
  const std::string from = "\"$GPUPLAN_RUN_DIR/" + std::string(folder) + "\"";
  work.command.push_back("if [ \"$GPUPLAN_NODE_RANK\" = 0 ]; then");
  for (std::string& line : final_lines(std::string(folder), from)) work.command.push_back("  " + std::move(line));
  work.command.emplace_back("fi");
}

std::vector<std::string> final_lines(const std::string& link, const std::string& from) {
  return {"ln -sfn \"" + link + "\" \"$GPUPLAN_RUN_DIR/final\" 2>/dev/null || {",
          "  # A bucket that is mounted has no links.", "  mkdir -p \"$GPUPLAN_RUN_DIR/final\"",
          "  find " + from + " -maxdepth 1 -type f -exec cp {} \"$GPUPLAN_RUN_DIR/final\" ';'", "}"};
}

std::string_view fused_attention(const ModelShape& shape) {
  // Networks of states alone have no attention to fuse, and transformers refuses sdpa for them as for what comes next:
  // gpt-oss (biases of experts, and sinks) and Gemma 2 (four norms without those of heads, and capped scores).
  const bool lacks = shape.attention_layers() == 0 || shape.expert_bias ||
                     (shape.norms_per_layer == 4 && shape.qk_norm == QkNorm::kNone);
  return lacks ? "eager" : "sdpa";
}

std::string without_words(const ModelShape& shape) {
  if (shape.labels > 0)
    return "Its model ends in a classifier or a score, and the generated scripts load language models only; trl reward "
           "trains a reward model on pairs of answers.";
  if (shape.headless)
    return "Its model has no output for tokens (an embedding model), and the generated scripts load language models "
           "only; sentence-transformers trains it.";
  return "";
}

std::string towers_unloaded(const WorkPlace& place, bool trl) {
  const TrainPhase& train = place.train();
  const ModelShape& shape = train.models.front().shape;
  if (shape.uncounted.empty()) return "";
  const std::string has = "Its model has " + towers(shape);
  const std::string others = "framework: axolotl or llama-factory, which freeze that part";
  if (!trl)
    return has + ", and the generated train.py loads models of text only; set " + others +
           ", or framework: hf-trainer with method: lora and data: {packing: false}.";
  if (separate_samples(train)) return has + ", with which TRL packs no samples: set data: {packing: false}.";
  // Weights that no text reaches get no gradients, which DDP waits for and sharding counts with.
  if (!trains_adapters(train) && place.laid.distributed())
    return has + ", which TRL cannot freeze on several GPUs; set method: lora, or " + others + ".";
  return "";
}

std::string target_pattern(const TrainPhase& train) {
  const ModelShape& shape = train.models.front().shape;
  const bool sees = !shape.uncounted.empty(), experts = experts_are_modules(shape);
  const std::vector<std::string> targets = adapter_targets(train);
  const auto of_experts = [](const std::string& target) {
    return target == "gate_proj" || target == "up_proj" || target == "down_proj";
  };
  if (!sees && (!experts || (!targets.empty() && std::ranges::none_of(targets, of_experts)))) return "";
  const std::string every = sees ? "[a-z]+_proj" : "[a-z_]+_proj(_with_mqa)?";
  return std::string(experts ? "(?!.*\\.experts\\.)" : "") + (sees ? ".*language_model.*" : ".*") + "\\.(" +
         (targets.empty() ? every : join(targets, "|")) + ")";
}

std::vector<std::string> target_paths(const TrainPhase& train) {
  std::vector<std::string> targets = adapter_targets(train);
  if (!experts_are_modules(train.models.front().shape)) return targets;
  if (targets.empty())
    targets = {"q_proj",    "k_proj",   "v_proj",    "o_proj",  "q_a_proj", "q_b_proj", "kv_a_proj_with_mqa",
               "kv_b_proj", "qkv_proj", "gate_proj", "up_proj", "down_proj"};
  std::vector<std::string> paths;
  for (const std::string& target : targets) {
    if (target != "gate_proj" && target != "up_proj" && target != "down_proj") {
      paths.push_back(target);
      continue;
    }
    for (const std::string_view part : {"mlp.", "shared_expert.", "shared_experts."})
      paths.push_back(std::string(part) + target);
  }
  return paths;
}

Result<void> keeps_states_apart(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  if (train.models.front().shape.states.layers == 0 || !separate_samples(train)) return {};
  return place.wrong("data has packing: true, but the state of the model's " +
                     count_of(train.models.front().shape.states.layers, "state-space layer") +
                     " goes on from one packed sample into the next; set packing: false");
}

}  // namespace gpuplan
