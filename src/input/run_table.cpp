#include "input/run_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "input/csv.h"
#include "input/usual_shape.h"

namespace gpuplan {
namespace {

using Column = CsvReader::Column;

constexpr int kMostCount = 10'000'000;
constexpr double kMostParameters = 1e14;

/// Every column that is read, found once.
struct Columns {
  Column id, source, gpu, gpu_power_w, gpus, gpus_per_node, intra_node, inter_node_gbps, framework, arch, model, layers,
      hidden, heads, kv_heads, head_dim, ffn_hidden, vocab, params_b, active_params_b, experts, experts_per_token,
      moe_ffn_hidden, gated_mlp, tied_embeddings, seq_len, micro_batch, grad_accum, global_batch, dp, tp, pp, vpp, cp,
      ep, sequence_parallel, sharding, recompute, precision, master_weights, optimizer, optimizer_state, offload,
      method, lora_rank, attention, compile, step_seconds, token_rate, peak_memory_gib, memory_kind;

  explicit Columns(CsvReader& cells) {
    const std::pair<Column*, std::string_view> all[] = {
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
        {&gated_mlp, "gated_mlp"},
        {&tied_embeddings, "tied_embeddings"},
        {&seq_len, "seq_len"},
        {&micro_batch, "micro_batch"},
        {&grad_accum, "grad_accum"},
        {&global_batch, "global_batch"},
        {&dp, "dp"},
        {&tp, "tp"},
        {&pp, "pp"},
        {&vpp, "vpp"},
        {&cp, "cp"},
        {&ep, "ep"},
        {&sequence_parallel, "sequence_parallel"},
        {&sharding, "sharding"},
        {&recompute, "recompute"},
        {&precision, "precision"},
        {&master_weights, "master_weights"},
        {&optimizer, "optimizer"},
        {&optimizer_state, "optimizer_state"},
        {&offload, "offload"},
        {&method, "method"},
        {&lora_rank, "lora_rank"},
        {&attention, "attention"},
        {&compile, "compile"},
        {&step_seconds, "step_seconds"},
        {&token_rate, "tokens_per_second_per_gpu"},
        {&peak_memory_gib, "peak_memory_gib"},
        {&memory_kind, "memory_kind"},
    };
    for (const auto& [column, name] : all) *column = cells.optional_column(name);
  }
};

/// Reads the cells of one row; what is empty stays without a value.
class Row {
 public:
  Row(const CsvTable& table, const Columns& columns, std::size_t row) : c_(columns), cells_(table), row_(row) {}

  Result<TrainingRun> read(const Catalogue& catalogue) {
    TrainingRun run;
    run.id = cells_.text(row_, c_.id);
    run.source = cells_.text(row_, c_.source);
    run.gpu = cells_.required(row_, c_.gpu);
    run.gpu_power_w = number(c_.gpu_power_w, 1, 1e5);
    run.gpus = whole(c_.gpus);
    run.gpus_per_node = whole(c_.gpus_per_node);
    if (const auto link = cells_.text(row_, c_.intra_node); link == "nvlink" || link == "pcie") {
      run.nvlink = link == "nvlink";
    } else if (!link.empty()) {
      cells_.fail_cell(row_, c_.intra_node, "nvlink or pcie");
    }
    run.inter_node_gbps = number(c_.inter_node_gbps, 0.001, 1e6);
    run.framework = cells_.text(row_, c_.framework);
    run.model = cells_.text(row_, c_.model);
    run.sequence = number(c_.seq_len, 1, 1e9);
    run.micro_batch = number(c_.micro_batch, 1, 1e9);
    run.grad_accum = number(c_.grad_accum, 1, 1e9);
    run.global_batch = number(c_.global_batch, 1, 1e9);
    run.dp = whole(c_.dp);
    run.tp = whole(c_.tp);
    run.pp = whole(c_.pp);
    run.vpp = whole(c_.vpp);
    run.cp = whole(c_.cp);
    run.ep = whole(c_.ep);
    run.sequence_parallel = flag(c_.sequence_parallel);
    run.sharding = choice<Sharding>(c_.sharding);
    run.recompute = choice<Recompute>(c_.recompute);
    run.precision = choice<Precision>(c_.precision);
    run.master_weights = choice<Format>(c_.master_weights);
    run.optimizer = choice<Optimizer>(c_.optimizer);
    run.optimizer_state = cells_.text(row_, c_.optimizer_state) == "8bit" ? std::optional(Format::kInt8)
                                                                          : choice<Format>(c_.optimizer_state);
    run.offload = choice<Offload>(c_.offload);
    run.method = cells_.text(row_, c_.method) == "pretrain" ? std::optional(Method::kFull) : choice<Method>(c_.method);
    run.from_scratch = cells_.text(row_, c_.method) == "pretrain" || empty(c_.method);
    run.lora_rank = whole(c_.lora_rank);
    run.attention = choice<AttentionKernel>(c_.attention);
    run.compile = flag(c_.compile);
    if (const auto value = number(c_.step_seconds, 1e-9, 1e9)) run.step = Seconds{*value};
    if (const auto value = number(c_.token_rate, 1e-9, 1e12)) run.token_rate = TokensPerSecond{*value};
    if (const auto value = number(c_.peak_memory_gib, 1e-6, 1e6)) run.memory = units::GiB * *value;
    run.memory_kind = cells_.choice(row_, c_.memory_kind, MemoryKind::kUnknown);
    read_shape(catalogue, run);
    if (cells_.ok() && !run.step && !run.token_rate && !run.memory)
      cells_.fail(row_, "no measured figure: give step_seconds, tokens_per_second_per_gpu or peak_memory_gib");
    if (!cells_.ok()) return std::unexpected(*cells_.error());
    return run;
  }

 private:
  bool empty(Column column) const { return cells_.text(row_, column).empty(); }
  std::optional<double> number(Column column, double low, double high) {
    if (empty(column)) return std::nullopt;
    return cells_.number(row_, column, low, high);
  }
  std::optional<int> whole(Column column, int low = 1) {
    if (empty(column)) return std::nullopt;
    return cells_.whole(row_, column, low, kMostCount);
  }
  std::optional<bool> flag(Column column) {
    const std::string_view cell = cells_.text(row_, column);
    if (cell == "1") return true;
    if (cell == "0") return false;
    if (cell.empty()) return std::nullopt;
    return cells_.yes_no(row_, column);
  }
  template <HasNames E>
  std::optional<E> choice(Column column) {
    if (empty(column)) return std::nullopt;
    return cells_.choice(row_, column, E{});
  }

  /// The shape from its columns, completed from the catalogue's model of that name, else from the size alone.
  void read_shape(const Catalogue& catalogue, TrainingRun& run) {
    const int layers = whole(c_.layers).value_or(0);
    const int hidden = whole(c_.hidden).value_or(0);
    const double params = number(c_.params_b, 1e-6, kMostParameters / 1e9).value_or(0) * 1e9;
    const ModelKind kind = cells_.choice(row_, c_.arch, ModelKind::kDecoder);
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
    if (const auto tied = flag(c_.tied_embeddings)) run.shape->tied = *tied;
    if (const auto vocab = whole(c_.vocab)) run.shape->vocab = *vocab;
    complete(*run.shape);
    if (const std::string problem = contradiction(*run.shape); !problem.empty()) cells_.fail(row_, problem);
  }

  ModelShape from_columns(int layers, int hidden, double params, ModelKind kind) {
    ModelShape shape;
    // Patches are counted by the sequence, so a vision model is an encoder of as many tokens.
    shape.kind = kind == ModelKind::kVit ? ModelKind::kEncoder : kind;
    shape.layers = layers;
    shape.hidden = hidden;
    shape.heads = whole(c_.heads).value_or(0);
    shape.kv_heads = whole(c_.kv_heads).value_or(0);
    shape.head_dim = whole(c_.head_dim).value_or(0);
    shape.ffn = whole(c_.ffn_hidden).value_or(0);
    // Networks with a gate in the MLP come with root-mean-square norms and rotary embeddings, the others with layer
    // norms.
    shape.norm = flag(c_.gated_mlp).value_or(kind == ModelKind::kDecoder) ? NormKind::kRms : NormKind::kLayer;
    shape.gated = flag(c_.gated_mlp).value_or(kind == ModelKind::kDecoder);
    shape.vocab = whole(c_.vocab, 0).value_or(0);
    shape.tied = flag(c_.tied_embeddings).value_or(kind == ModelKind::kEncoder);
    shape.experts = whole(c_.experts, 0).value_or(0);
    shape.experts_per_token = whole(c_.experts_per_token, 0).value_or(0);
    shape.expert_ffn = whole(c_.moe_ffn_hidden, 0).value_or(0);
    if (shape.moe() && shape.expert_ffn == 0) shape.expert_ffn = shape.ffn;
    if (shape.moe() && shape.experts_per_token == 0) shape.experts_per_token = std::min(2, shape.experts);
    const double active = number(c_.active_params_b, 1e-6, kMostParameters / 1e9).value_or(0) * 1e9;
    if (shape.moe()) share_experts(params, active, shape);
    else shape.published = params;
    return shape;
  }

  /// What the totals leave beside the routed experts goes into leading dense layers and shared experts.
  static void share_experts(double params, double active, ModelShape& shape) {
    complete(shape);
    const double expert = (shape.gated ? 3.0 : 2.0) * shape.hidden * shape.expert_ffn;
    if (params <= 0 || active <= 0 || expert <= 0) return;
    const auto missing = [&] { return active - count_parameters(shape).active; };
    const double shared = missing() / (expert * std::max(1, shape.moe_layers()));
    if (shared >= 0.5) shape.shared_ffn = shape.expert_ffn * static_cast<int>(std::lround(shared));
  }

  void from_size(double params, ModelKind kind, TrainingRun& run) {
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
  static double size_in_name(std::string_view name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      const char unit = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
      const bool ends = i + 1 == name.size() || std::isalnum(static_cast<unsigned char>(name[i + 1])) == 0;
      if ((unit != 'b' && unit != 'm') || !ends) continue;
      std::size_t first = i;
      while (first > 0 && (std::isdigit(static_cast<unsigned char>(name[first - 1])) != 0 || name[first - 1] == '.'))
        --first;
      const bool starts = first == 0 || std::isalnum(static_cast<unsigned char>(name[first - 1])) == 0;
      if (first == i || !starts) continue;
      if (const auto value = parse_amount(name.substr(first, i - first), AmountKind::kCount))
        return *value * (unit == 'b' ? 1e9 : 1e6);
    }
    return 0;
  }

  const Columns& c_;
  CsvReader cells_;
  std::size_t row_;
};

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

Result<RunTable> read_training_runs(std::string_view text, std::string_view file, const Catalogue& catalogue) {
  constexpr std::size_t kMostBadLines = 200;
  RunTable out;
  std::string kept(text);
  auto table = CsvTable::parse(kept, file);
  while (!table && table.error().place.line > 1 && out.bad_lines.size() < kMostBadLines) {
    const int line = table.error().place.line;
    out.bad_lines.push_back(std::move(table.error()));
    empty_line(kept, line);
    table = CsvTable::parse(kept, file);
  }
  if (!table) return std::unexpected(std::move(table.error()));
  CsvReader header(*table);
  header.column("gpu");
  if (!header.ok()) return std::unexpected(*header.error());
  const Columns columns(header);
  if (!columns.step_seconds && !columns.token_rate && !columns.peak_memory_gib) {
    return failure(
        "no column holds a measured figure: expected step_seconds, tokens_per_second_per_gpu or peak_memory_gib",
        {std::string(file), 1, 0});
  }
  for (std::size_t row = 0; row < table->rows(); ++row) {
    auto run = Row(*table, columns, row).read(catalogue);
    if (!run) {
      out.bad_lines.push_back(std::move(run.error()));
      continue;
    }
    run->place = table->place(row);
    if (run->id.empty()) run->id = "line " + std::to_string(run->place.line);
    out.runs.push_back(*std::move(run));
  }
  std::ranges::stable_sort(out.bad_lines, {}, [](const Error& error) { return error.place.line; });
  return out;
}

}  // namespace gpuplan
