#include "input/tables/models.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

/// A column of whole numbers and the field it fills.
struct Size {
  std::string_view name;
  int ModelShape::* field;
  int least, most;
  bool needed = false;
};

constexpr int kMostOfSize = 100'000'000;

constexpr auto kSizeColumns = std::to_array<Size>({
    {"layers", &ModelShape::layers, 1, 10'000, true},
    {"hidden", &ModelShape::hidden, 1, 10'000'000, true},
    {"heads", &ModelShape::heads, 1, 10'000, true},
    {"kv_heads", &ModelShape::kv_heads, 1, 10'000, true},
    {"head_dim", &ModelShape::head_dim, 1, 65'536, true},
    {"ffn", &ModelShape::ffn, 1, kMostOfSize, true},
    {"vocab", &ModelShape::vocab, 0, kMostOfSize},
    {"positions", &ModelShape::positions, 0, kMostOfSize},
    {"token_types", &ModelShape::token_types, 0, kMostOfSize},
    {"max_context", &ModelShape::max_context, 0, 1'000'000'000},
    {"norms_per_layer", &ModelShape::norms_per_layer, 0, 100, true},
    {"experts", &ModelShape::experts, 0, 1'000'000},
    {"experts_per_token", &ModelShape::experts_per_token, 0, 1'000'000},
    {"expert_ffn", &ModelShape::expert_ffn, 0, kMostOfSize},
    {"shared_ffn", &ModelShape::shared_ffn, 0, kMostOfSize},
    {"dense_layers", &ModelShape::dense_layers, 0, 10'000},
    {"q_lora_rank", &ModelShape::q_lora_rank, 0, kMostOfSize},
    {"kv_lora_rank", &ModelShape::kv_lora_rank, 0, kMostOfSize},
    {"qk_nope_dim", &ModelShape::qk_nope_dim, 0, 65'536},
    {"qk_rope_dim", &ModelShape::qk_rope_dim, 0, 65'536},
    {"v_dim", &ModelShape::v_dim, 0, 65'536},
    {"window", &ModelShape::window, 0, 1'000'000'000},
    {"window_layers", &ModelShape::window_layers, 0, 10'000},
    {"image", &ModelShape::image, 0, 100'000},
    {"patch", &ModelShape::patch, 0, 100'000},
    {"channels", &ModelShape::channels, 0, 10'000},
});

std::string_view without_organisation(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace

Result<void> read_models(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  std::array<CsvReader::Column, kSizeColumns.size()> sizes;
  for (std::size_t i = 0; i < kSizeColumns.size(); ++i) sizes[i] = cells.column(kSizeColumns[i].name);
  const auto name = cells.column("name"), aliases = cells.column("aliases"), kind = cells.column("kind"),
             published = cells.column("published", "params"), active = cells.column("active_published", "params"),
             gated = cells.column("gated"), tied = cells.column("tied"),
             attention_bias = cells.column("attention_bias"), mlp_bias = cells.column("mlp_bias"),
             norm = cells.column("norm"), qk_norm = cells.column("qk_norm"), final_norm = cells.column("final_norm"),
             expert_bias = cells.column("expert_bias"), extra = cells.column("extra", "params"),
             uncounted = cells.column("uncounted"), beside = cells.column("beside", "params"),
             native = cells.column("native_dtype"), source = cells.column("source"), as_of = cells.column("as_of");

  constexpr double kMostParameters = 1e15;
  catalogue.models.reserve(catalogue.models.size() + table->rows());
  catalogue.model_names.reserve(8 * table->rows());
  std::vector<std::pair<std::string, int>> without_points;
  const auto add_name = [&](std::size_t row, std::string_view full, int position) {
    const std::string_view bare = without_organisation(full);
    if (squeeze(bare).empty()) return cells.fail(row, "'" + printable(full, 60) + "' has no letter or digit");
    if (!catalogue.model_names.add(bare, position))
      return cells.fail(row, "the name '" + printable(full, 60) + "' already stands for another model");
    if (bare.find('.') == std::string_view::npos) return;
    std::string plain(bare);
    std::erase(plain, '.');
    without_points.emplace_back(std::move(plain), position);
  };

  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    ModelShape shape;
    shape.name = cells.required(row, name);
    for (std::size_t i = 0; i < kSizeColumns.size(); ++i) {
      if (kSizeColumns[i].needed) cells.required(row, sizes[i]);
      shape.*kSizeColumns[i].field = cells.whole(row, sizes[i], kSizeColumns[i].least, kSizeColumns[i].most);
    }
    shape.kind = cells.choice(row, kind, ModelKind::kDecoder);
    shape.published = cells.number(row, published, 0, kMostParameters);
    shape.active_published = cells.number(row, active, 0, kMostParameters);
    shape.gated = cells.yes_no(row, gated);
    shape.tied = cells.yes_no(row, tied);
    shape.attention_bias = cells.choice(row, attention_bias, BiasKind::kNone);
    shape.mlp_bias = cells.yes_no(row, mlp_bias);
    shape.norm = cells.choice(row, norm, NormKind::kRms);
    shape.qk_norm = cells.choice(row, qk_norm, QkNorm::kNone);
    shape.final_norm = cells.yes_no(row, final_norm, true);
    shape.expert_bias = cells.yes_no(row, expert_bias);
    shape.extra = cells.number(row, extra, 0, kMostParameters);
    shape.uncounted = cells.text(row, uncounted);
    shape.beside = cells.number(row, beside, 0, kMostParameters);
    shape.native = cells.choice(row, native, Format::kBf16);
    cells.required(row, source);
    cells.date(row, as_of);
    if (!cells.ok()) break;
    if (shape.kind != ModelKind::kVit && shape.vocab == 0) cells.fail(row, "a model of text needs a vocab");
    if (std::string wrong = contradiction(shape); !wrong.empty()) cells.fail(row, std::move(wrong));

    const int position = static_cast<int>(catalogue.models.size());
    add_name(row, shape.name, position);
    for (const std::string& alias : cells.list(row, aliases, '|')) add_name(row, alias, position);
    catalogue.models.push_back(std::move(shape));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  for (const auto& [plain, position] : without_points) catalogue.model_names.add(plain, position);
  return {};
}

}  // namespace gpuplan
