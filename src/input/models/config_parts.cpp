#include "input/models/config_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 3> kLanguageParts = {"text_config", "llm_config", "language_config"};

struct Default {
  std::string type, key, value;
};

std::vector<Default> read_defaults() {
  std::vector<Default> found;
  const auto table = CsvTable::parse(embedded_data("model_defaults.csv"), "model_defaults.csv");
  if (!table) return found;  // tests/data would tell
  CsvReader cells(*table);
  const auto type = cells.column("model_type"), key = cells.column("key"), value = cells.column("value");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row)
    found.push_back({std::string(cells.required(row, type)), std::string(cells.required(row, key)),
                     std::string(cells.required(row, value))});
  return found;
}

void add_to(Tree& part, const std::string& where, std::vector<std::string>& notes) {
  static const std::vector<Default> defaults = read_defaults();
  const Tree* type = part.find("model_type");
  if (type == nullptr || !type->is_scalar()) return;
  const std::string wanted = type->text;
  std::vector<std::string> added;
  for (const Default& row : defaults) {
    if (row.type != wanted || part.find(row.key) != nullptr) continue;
    Tree value = scalar_tree(row.value);
    value.key = row.key;
    part.children.push_back(std::move(value));
    added.push_back(row.key + " " + row.value);
  }
  if (!added.empty()) notes.push_back(where + " leaves out what " + wanted + " has by default: " + listed(added));
}

}  // namespace

std::vector<std::string> add_defaults(Tree& config) {
  std::vector<std::string> notes;
  for (Tree& part : config.children)
    if (part.is_map() &&
        (part.key == "vision_config" || std::ranges::find(kLanguageParts, part.key) != kLanguageParts.end()))
      add_to(part, part.key, notes);
  return notes;
}

Fields language_part(const Fields& top) {
  for (const std::string_view key : kLanguageParts)
    if (const Fields inner = top.inside(key);
        inner.valid() && inner.has_any({"hidden_size", "n_embd", "d_model", "n_embed", "dim"}))
      return inner;
  return top;
}

double vision_parameters(const Fields& top, int hidden) {
  constexpr int kMost = 1'000'000;
  const Fields from = top.inside("vision_config");
  if (!from.valid()) return 0;
  // Qwen2-VL calls the width of what comes out hidden_size, and its own embed_dim.
  const double width = from.integer({"embed_dim", "hidden_size"}, 0, kMost);
  const double layers = from.integer({"depth", "num_hidden_layers", "num_layers"}, 0, 10'000);
  const double patch = from.integer({"patch_size"}, 0, kMost);
  if (width <= 0 || layers <= 0 || patch <= 0) return 0;
  const double stated = from.integer({"intermediate_size"}, 0, kMost);
  const double ffn = stated > 0 ? stated : width * from.real("mlp_ratio", 4);
  const std::string_view type = from.word({"model_type"});
  const bool gated = type.starts_with("qwen2_5") || type == "pixtral";
  double size = layers * (4 * width * width + (gated ? 3 : 2) * width * ffn);
  size += width * patch * patch * 3 * std::max(1, from.integer({"temporal_patch_size"}, 1, 100));
  const double image = from.integer({"image_size"}, 0, kMost);
  if (image > 0) size += width * (image / patch) * (image / patch);
  if (const double merged = from.integer({"spatial_merge_size"}, 0, 100); merged > 1) {
    // Neighbouring patches become one token, through an MLP as wide as they are together; Qwen3-VL has more of them.
    const double joined = width * merged * merged;
    return size + (1 + from.length_of("deepstack_visual_indexes")) * joined * (joined + hidden);
  }
  // LLaVA's projector has two matrices, Gemma's one.
  return size + width * hidden + (type.starts_with("clip") ? static_cast<double>(hidden) * hidden : 0);
}

}  // namespace gpuplan
