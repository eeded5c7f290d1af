// Where the models of a phase come from: the hub, a folder, or what an earlier phase left.
#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "base/shell_text.h"
#include "base/text.h"
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

/// Whether gpuplan writes that phase's training program, and it leaves the model in the folder `final`.
bool leaves_model(const LaunchPhase& laid, std::string_view model) {
  const auto* train = std::get_if<TrainPhase>(&laid.phase->work);
  if (train == nullptr || !laid.phase->command.empty() || train->models.size() != 1 ||
      train->models.front().name != model || !untrainable(*train).empty())
    return false;
  const Framework* framework = laid.part->estimate->framework;
  return framework == nullptr || std::ranges::find(kLeaveModel, framework->name) != kLeaveModel.end();
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

bool on_hub(const std::string& source) { return source.find('/') != std::string::npos; }

}  // namespace

std::string phase_variable(std::string_view name, const LaunchPhase& laid) {
  return std::string(name) + "_" + upper_slug(laid.slug);
}

std::string model_variable(const std::vector<ModelUse>& models, std::size_t which) {
  if (models.size() == 1) return "MODEL";
  std::string name = "MODEL_" + upper_slug(models[which].name);
  const auto first = models.begin() + static_cast<std::ptrdiff_t>(which);
  if (std::any_of(models.begin(), first, [&](const ModelUse& use) { return "MODEL_" + upper_slug(use.name) == name; }))
    name += "_" + std::to_string(which + 1);
  return name;
}

std::string source_of(const ModelUse& use) {
  const std::string hub = hub_name(use.name);
  return hub.empty() ? use.name : hub;
}

std::vector<std::string> trained_by(const WorkPlace& place, const ModelUse& model) {
  std::vector<std::string> slugs;
  for (const int position : before(place)) {
    const LaunchPhase& other = place.launch.phases[static_cast<std::size_t>(position)];
    if (leaves_model(other, model.name)) slugs.push_back(other.slug);
  }
  return slugs;
}

bool write_model(JsonWriter& json, const WorkPlace& place, const std::vector<ModelUse>& models, std::size_t which,
                 Work& work) {
  const ModelUse& use = models[which];
  const std::string variable = model_variable(models, which);
  const std::vector<std::string> earlier = trained_by(place, use);
  // Names that come to the same are told apart by their position.
  std::string slug = slug_of(use.name, 50, "model");
  for (std::size_t i = 0; i < which; ++i)
    if (slug_of(models[i].name, 50, "model") == slug) slug += "-" + std::to_string(which + 1);
  const std::string source = use.drawn ? use.name : source_of(use);
  json.begin_object().member("name", source).member("slug", slug);
  json.member("variable", variable).member("trained_by", earlier);
  bool good = true;
  json.key("config");
  if (!use.drawn) json.null();
  else good = write_config(json, use.shape, place.estimate().sequence);
  if (!good) json.null();
  json.end();
  const bool known = on_hub(source);
  if (!use.drawn && known && earlier.empty() && source != use.name)
    work.notes.push_back("The weights are " + source + " of the Hugging Face hub, unless " + variable +
                         " names another model or a folder.");
  if (!use.drawn && !known && earlier.empty())
    work.required.push_back(variable + ": Hugging Face name, or folder, of " + printable(use.name, 60));
  else if (!earlier.empty())
    work.notes.push_back("The model is the output of " + earlier.front() + " (folder final), unless " + variable +
                         " names another.");
  return good;
}

std::vector<std::string> model_lines(const WorkPlace& place, std::string_view shell_name, std::string_view first,
                                     Work& work) {
  const ModelUse& model = place.train().models.front();
  const std::vector<std::string> earlier = trained_by(place, model);
  const std::string name(shell_name);
  std::vector<std::string> lines = {name + "=" + std::string(first)};
  for (const std::string& slug : earlier | std::views::reverse) {
    const std::string final = "\"$GPUPLAN_RUN_DIR/../" + slug + "/final\"";
    lines.emplace_back("[ ! -e ");
    lines.back().append(final).append(" ] || ").append(name).append("=").append(final);
  }
  if (!earlier.empty())
    work.notes.push_back("The model is the output of " + earlier.front() + " (folder final) where that is there.");
  return lines;
}

void take_model(const WorkPlace& place, Work& work) {
  const ModelUse& model = place.train().models.front();
  const std::string source = source_of(model);
  std::ranges::move(model_lines(place, "model", bash_value(source), work), std::back_inserter(work.command));
  work.command.emplace_back("export GPUPLAN_BASE_MODEL=\"${MODEL:-$model}\"");
  if (!on_hub(source) && trained_by(place, model).empty())
    work.required.push_back("MODEL: Hugging Face name, or folder, of " + printable(model.name, 60));
}

void leave_final(Work& work, std::string_view folder) {
  work.command.push_back("if [ \"$GPUPLAN_NODE_RANK\" = 0 ]; then ln -sfn " + std::string(folder) +
                         " \"$GPUPLAN_RUN_DIR/final\"; fi");
}

}  // namespace gpuplan
