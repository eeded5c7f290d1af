#include "input/measured/run_cells.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "base/whole.h"
#include "domain/work/phase.h"
#include "input/measured/plan_words.h"
#include "input/models/usual_shape.h"

namespace gpuplan {
namespace {

constexpr int kMostCount = 10'000'000;
constexpr double kMostParameters = 1e14;

/// What the totals leave beside the routed experts goes into leading dense layers and shared experts.
void share_experts(double params, double active, ModelShape& shape) {
  complete(shape);
  const double expert = (shape.gated ? 3.0 : 2.0) * shape.hidden * shape.expert_ffn;
  if (params <= 0 || active <= 0 || expert <= 0) return;
  const auto missing = [&] { return active - count_parameters(shape).active; };
  const double shared = missing() / (expert * std::max(1, shape.moe_layers()));
  if (shared >= 0.5) shape.shared_ffn = clamped<int>(shape.expert_ffn * std::floor(shared + 0.5));
}

/// Whether embedding and output share their weights, by what comes closer to the parameters stated.
void guess_tied(double params, ModelShape& shape) {
  if (params <= 0 || shape.vocab <= 0) return;
  const auto off = [&](bool tied) {
    ModelShape tried = shape;
    tried.published = 0;
    tried.tied = tied;
    complete(tried);
    return std::abs(count_parameters(tried).total() - params);
  };
  shape.tied = off(true) < off(false);
}

void from_size(double params, ModelKind kind, MeasuredRun& run) {
  if (params < 1e6) return;
  ModelShape shape;
  shape.kind = kind == ModelKind::kVit ? ModelKind::kEncoder : kind;
  const UsualShape usual = usual_shape(kind == ModelKind::kDit ? params * 12 / 18 : params);
  shape.layers = usual.layers;
  shape.hidden = usual.hidden;
  shape.vocab = kind == ModelKind::kDit ? 0 : usual.vocab;
  shape.tied = usual.tied;
  shape.gated = false;
  shape.name = run.model;
  run.shape = shape;
  run.assumptions.push_back("a usual shape for " + count_short(params) + " parameters: " + count_text(usual.layers) +
                            " layers x " + count_text(usual.hidden));
}

/// 7e9 of "some-7b"; 0 when the name does not say.
double size_in_name(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char unit = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    const bool ends = i + 1 == name.size() || std::isalnum(static_cast<unsigned char>(name[i + 1])) == 0;
    if ((unit != 'b' && unit != 'm') || !ends) continue;
    std::size_t first = i;
    while (first > 0 && (is_digit(name[first - 1]) || name[first - 1] == '.')) --first;
    const bool starts = first == 0 || std::isalnum(static_cast<unsigned char>(name[first - 1])) == 0;
    if (first == i || !starts) continue;
    if (const auto value = parse_amount(name.substr(first, i - first), AmountKind::kCount))
      return *value * (unit == 'b' ? 1e9 : 1e6);
  }
  return 0;
}

/// Empties a line so that the next attempt skips it; lines keep their numbers.
void empty_line(std::string& text, int line) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos) return;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  text.erase(at, end - at);
}

}  // namespace

RunColumns::RunColumns(CsvReader& cells) {
  const std::pair<CsvReader::Column*, std::string_view> all[] = {
      {&id, "id"},
      {&source, "source"},
      {&gpu, "gpu"},
      {&gpu_power_w, "gpu_power_w"},
      {&gpus, "gpus"},
      {&gpus_per_node, "gpus_per_node"},
      {&intra_node, "intra_node"},
      {&inter_node_gbps, "inter_node_gbps"},
      {&framework, "framework"},
      {&arch, "arch"},
      {&model, "model"},
      {&layers, "layers"},
      {&hidden, "hidden"},
      {&heads, "heads"},
      {&kv_heads, "kv_heads"},
      {&head_dim, "head_dim"},
      {&ffn_hidden, "ffn_hidden"},
      {&vocab, "vocab"},
      {&params_b, "params_b"},
      {&active_params_b, "active_params_b"},
      {&experts, "experts"},
      {&experts_per_token, "experts_per_token"},
      {&moe_ffn_hidden, "moe_ffn_hidden"},
      {&shared_ffn, "shared_ffn"},
      {&dense_layers, "dense_layers"},
      {&gated_mlp, "gated_mlp"},
      {&tied_embeddings, "tied_embeddings"},
      {&kv_lora_rank, "kv_lora_rank"},
      {&qk_rope_dim, "qk_rope_dim"},
      {&window, "window"},
      {&window_layers, "window_layers"},
      {&peak_memory_gib, "peak_memory_gib"},
      {&memory_kind, "memory_kind"},
      {&distrust, "distrust"},
      {&networks, "networks"},
      {&link_kind, "link_kind"},
      {&link, "link_gb_per_second"},
      {&peer_access, "peer_access"},
  };
  for (const auto& [column, name] : all) *column = cells.optional_column(name);
}

std::optional<double> RunCells::number(Column column, double low, double high) {
  if (empty(column)) return std::nullopt;
  return cells_.number(row_, column, low, high);
}

std::optional<int> RunCells::whole(Column column, int low) {
  if (empty(column)) return std::nullopt;
  return cells_.whole(row_, column, low, kMostCount);
}

std::optional<bool> RunCells::flag(Column column) {
  const std::string_view cell = text(column);
  if (cell == "1") return true;
  if (cell == "0") return false;
  if (cell.empty()) return std::nullopt;
  return cells_.yes_no(row_, column);
}

void RunCells::read_common(const Catalogue& catalogue, MeasuredRun& run) {
  run.id = text(common_.id);
  run.source = text(common_.source);
  run.gpu = cells_.required(row_, common_.gpu);
  run.gpu_power_w = number(common_.gpu_power_w, 1, 1e5);
  run.gpus = whole(common_.gpus);
  run.gpus_per_node = whole(common_.gpus_per_node);
  if (const auto link = text(common_.intra_node); link == "nvlink" || link == "pcie") {
    run.nvlink = link == "nvlink";
  } else if (!link.empty()) {
    cells_.fail_cell(row_, common_.intra_node, "nvlink or pcie");
  }
  run.inter_node_gbps = number(common_.inter_node_gbps, 0.001, 1e6);
  run.framework = text(common_.framework);
  run.model = text(common_.model);
  if (const auto value = number(common_.peak_memory_gib, 1e-6, 1e6)) run.memory = units::GiB * *value;
  run.memory_kind = cells_.choice(row_, common_.memory_kind, MemoryKind::kUnknown);
  run.distrust = text(common_.distrust);
  read_shape(catalogue, run);
  read_planned(run);
}

std::optional<std::vector<std::string>> RunCells::lora_targets(Column column) {
  if (empty(column)) return std::nullopt;
  std::vector<std::string> targets = cells_.list(row_, column, '+');
  if (targets == std::vector<std::string>{"all"}) return std::vector<std::string>();
  for (const std::string& target : targets)
    if (std::ranges::find(kLoraTargets, target) == kLoraTargets.end())
      cells_.unknown_name(row_, column, target, {kLoraTargets.begin(), kLoraTargets.end()});
  return targets;
}

std::string RunCells::column_name(Column column) const { return "column " + std::string(cells_.name_of(column)); }

/// What plans say beside: networks in full, and how machines are joined.
void RunCells::read_planned(MeasuredRun& run) {
  if (auto networks = words<std::vector<ModelUse>>(common_.networks, read_networks)) {
    run.networks = *std::move(networks);
    run.networks.front().name = run.model;
    run.shape = run.networks.front().shape;
    run.shape->name = run.model;
    run.assumptions.clear();
  }
  run.link_kind = choice<LinkKind>(common_.link_kind);
  if (const auto value = number(common_.link, 0, 1e6)) run.link = BytesPerSecond{*value * 1e9};
  run.peer_access = flag(common_.peer_access);
}

/// The shape from its columns, completed from the catalogue's model of that name, else from the size alone.
void RunCells::read_shape(const Catalogue& catalogue, MeasuredRun& run) {
  const int layers = whole(common_.layers).value_or(0);
  const int hidden = whole(common_.hidden).value_or(0);
  const double params = number(common_.params_b, 1e-6, kMostParameters / 1e9).value_or(0) * 1e9;
  const ModelKind kind = cells_.choice(row_, common_.arch, ModelKind::kDecoder);
  const ModelShape* known = run.model.empty() ? nullptr : catalogue.find_model(run.model);
  if (known != nullptr && (layers == 0 || hidden == 0)) {
    run.shape = *known;
    run.assumptions.emplace_back("the shape of " + known->name);
  } else if (known != nullptr && known->layers == layers && known->hidden == hidden) {
    run.shape = *known;  // with what has no column: latent attention, shared experts, windows
  } else if (layers > 0 && hidden > 0) {
    run.shape = from_columns(layers, hidden, params, kind);
  } else {
    from_size(params > 0 ? params : size_in_name(run.model), kind, run);
  }
  if (!run.shape) return;
  if (const auto tied = flag(common_.tied_embeddings)) run.shape->tied = *tied;
  if (const auto vocab = whole(common_.vocab)) run.shape->vocab = *vocab;
  complete(*run.shape);
  if (const std::string problem = contradiction(*run.shape); !problem.empty()) fail(problem);
}

ModelShape RunCells::from_columns(int layers, int hidden, double params, ModelKind kind) {
  ModelShape shape;
  // Patches are counted by the sequence, so a vision model is an encoder of as many tokens.
  shape.kind = kind == ModelKind::kVit ? ModelKind::kEncoder : kind;
  shape.layers = layers;
  shape.hidden = hidden;
  shape.heads = whole(common_.heads).value_or(0);
  shape.kv_heads = whole(common_.kv_heads).value_or(0);
  shape.head_dim = whole(common_.head_dim).value_or(0);
  shape.ffn = whole(common_.ffn_hidden).value_or(0);
  // Networks with a gate in the MLP come with root-mean-square norms and rotary embeddings, the others with layer
  // norms.
  shape.norm = flag(common_.gated_mlp).value_or(kind == ModelKind::kDecoder) ? NormKind::kRms : NormKind::kLayer;
  shape.gated = flag(common_.gated_mlp).value_or(kind == ModelKind::kDecoder);
  shape.vocab = whole(common_.vocab, 0).value_or(0);
  shape.tied = flag(common_.tied_embeddings).value_or(kind == ModelKind::kEncoder);
  shape.experts = whole(common_.experts, 0).value_or(0);
  shape.experts_per_token = whole(common_.experts_per_token, 0).value_or(0);
  shape.expert_ffn = whole(common_.moe_ffn_hidden, 0).value_or(0);
  if (shape.moe() && shape.expert_ffn == 0) shape.expert_ffn = shape.ffn;
  if (shape.moe() && shape.experts_per_token == 0) shape.experts_per_token = std::min(2, shape.experts);
  const double active = number(common_.active_params_b, 1e-6, kMostParameters / 1e9).value_or(0) * 1e9;
  shape.dense_layers = shape.moe() ? whole(common_.dense_layers, 0).value_or(0) : 0;
  shape.shared_ffn = shape.moe() ? whole(common_.shared_ffn, 0).value_or(0) : 0;
  shape.window = whole(common_.window, 0).value_or(0);
  shape.window_layers = std::min(whole(common_.window_layers, 0).value_or(0), layers);
  set_latent(shape);
  if (shape.moe() && shape.shared_ffn == 0) share_experts(params, active, shape);
  if (!shape.moe()) shape.published = params;
  if (!flag(common_.tied_embeddings) && kind == ModelKind::kDecoder && !shape.moe()) guess_tied(params, shape);
  return shape;
}

/// Multi-head latent attention, of which tables state the width of the cache; head_dim is that of the values.
void RunCells::set_latent(ModelShape& shape) {
  shape.kv_lora_rank = whole(common_.kv_lora_rank, 0).value_or(0);
  if (!shape.mla()) return;
  complete(shape);
  shape.qk_rope_dim = whole(common_.qk_rope_dim, 0).value_or(64);
  shape.qk_nope_dim = shape.head_dim;
  shape.v_dim = shape.head_dim;
}

Result<void> cut_lines(std::string_view text, std::string_view file, CutTable& into) {
  constexpr std::size_t kMostBadLines = 200;
  into.text = text;
  auto table = CsvTable::parse(into.text, file);
  while (!table && table.error().place.line > 1 && into.bad_lines.size() < kMostBadLines) {
    const int line = table.error().place.line;
    into.bad_lines.push_back(std::move(table.error()));
    empty_line(into.text, line);
    table = CsvTable::parse(into.text, file);
  }
  if (!table) return std::unexpected(std::move(table.error()));
  into.table.emplace(*std::move(table));
  return {};
}

void sort_by_line(std::vector<Error>& bad_lines) {
  sort_stably(bad_lines, {}, [](const Error& error) { return error.place.line; });
}

}  // namespace gpuplan
