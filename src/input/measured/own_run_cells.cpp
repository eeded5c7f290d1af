#include "input/measured/own_run_cells.h"

#include <optional>

#include "base/text.h"
#include "base/units.h"
#include "input/measured/plan_words.h"

namespace gpuplan {
namespace {

/// Collects the cells of one run.
class Cells {
 public:
  void text(std::string_view column, std::string_view value) {
    if (!value.empty()) all_.emplace_back(column, printable(value, kMostText));
  }
  void words(std::string_view column, std::string value) {
    if (!value.empty()) all_.emplace_back(column, std::move(value));
  }
  void number(std::string_view column, double value) { all_.emplace_back(column, exact_text(value)); }
  template <class T>
  void number(std::string_view column, const std::optional<T>& value) {
    if (value) number(column, static_cast<double>(*value));
  }
  void positive(std::string_view column, double value) {
    if (value > 0) number(column, value);
  }
  void flag(std::string_view column, const std::optional<bool>& value) {
    if (value) all_.emplace_back(column, *value ? "1" : "0");
  }
  template <HasNames E>
  void name(std::string_view column, const std::optional<E>& value) {
    if (value) all_.emplace_back(column, name_of(*value));
  }
  NamedCells take() { return std::move(all_); }

 private:
  static constexpr std::size_t kMostText = 120;
  NamedCells all_;
};

void add_shape(const ModelShape& s, Cells& cells) {
  cells.name("arch", std::optional(s.kind));
  if (s.layers <= 0) return;
  cells.number("layers", s.layers);
  cells.number("hidden", s.hidden);
  cells.positive("heads", s.heads);
  cells.positive("kv_heads", s.kv_heads);
  cells.positive("head_dim", s.head_dim);
  cells.positive("ffn_hidden", s.ffn);
  cells.number("vocab", s.vocab);
  const ParameterCount count = count_parameters(s);
  cells.positive("params_b", count.total() / 1e9);
  cells.positive("active_params_b", count.active / 1e9);
  cells.positive("experts", s.experts);
  cells.positive("experts_per_token", s.experts_per_token);
  cells.positive("moe_ffn_hidden", s.expert_ffn);
  cells.positive("shared_ffn", s.shared_ffn);
  cells.positive("dense_layers", s.dense_layers);
  cells.flag("gated_mlp", s.gated);
  cells.flag("tied_embeddings", s.tied);
  cells.positive("kv_lora_rank", s.kv_lora_rank);
  cells.positive("qk_rope_dim", s.qk_rope_dim);
  cells.positive("window", s.window);
  cells.positive("window_layers", s.window_layers);
}

void add_common(const MeasuredRun& run, Cells& cells) {
  cells.text("gpu", run.gpu);
  cells.number("gpu_power_w", run.gpu_power_w);
  cells.number("gpus", run.gpus);
  cells.number("gpus_per_node", run.gpus_per_node);
  if (run.nvlink) cells.text("intra_node", *run.nvlink ? "nvlink" : "pcie");
  cells.number("inter_node_gbps", run.inter_node_gbps);
  cells.text("framework", run.framework);
  cells.text("model", run.model);
  if (run.shape) add_shape(*run.shape, cells);
  if (run.memory) cells.number("peak_memory_gib", *run.memory / units::GiB);
  if (run.memory) cells.name("memory_kind", std::optional(run.memory_kind));
  if (!run.networks.empty()) cells.words("networks", network_words(run.networks));
  cells.name("link_kind", run.link_kind);
  if (run.link) cells.number("link_gb_per_second", run.link->value / 1e9);
  cells.flag("peer_access", run.peer_access);
}

void add(const TrainingRun& run, Cells& cells) {
  cells.number("seq_len", run.sequence);
  cells.number("micro_batch", run.micro_batch);
  cells.number("grad_accum", run.grad_accum);
  cells.number("global_batch", run.global_batch);
  cells.number("dp", run.dp);
  cells.number("tp", run.tp);
  cells.number("pp", run.pp);
  cells.number("vpp", run.vpp);
  cells.number("cp", run.cp);
  cells.number("ep", run.ep);
  cells.flag("sequence_parallel", run.sequence_parallel);
  cells.name("sharding", run.sharding);
  cells.name("recompute", run.recompute);
  cells.name("precision", run.precision);
  cells.name("master_weights", run.master_weights);
  cells.name("optimizer", run.optimizer);
  cells.name("optimizer_state", run.optimizer_state);
  cells.name("offload", run.offload);
  if (run.from_scratch) cells.text("method", "pretrain");
  else cells.name("method", run.method);
  cells.number("lora_rank", run.lora_rank);
  cells.name("attention", run.attention);
  cells.flag("compile", run.compile);
  if (run.step) cells.number("step_seconds", run.step->value);
  if (run.token_rate) cells.number("tokens_per_second_per_gpu", run.token_rate->value);
  cells.number("mean_tokens", run.mean_tokens);
  cells.name("optimizer_rest", run.optimizer_rest);
  if (run.lora_targets) cells.words("lora_targets", run.lora_targets->empty() ? "all" : join(*run.lora_targets, "+"));
  cells.number("trainable", run.trainable);
}

void add(const GenerationRun& run, Cells& cells) {
  cells.number("tp", run.tp);
  cells.number("pp", run.pp);
  cells.number("ep", run.ep);
  cells.number("replicas", run.replicas);
  cells.name("weights", run.weights);
  cells.number("bits_per_weight", run.bits_per_weight);
  cells.name("kv_cache", run.kv_cache);
  cells.number("input_tokens", run.input_tokens);
  cells.number("output_tokens", run.output_tokens);
  cells.number("cache_tokens", run.cache_tokens);
  cells.number("batch", run.batch);
  cells.name("mode", run.mode);
  cells.name("rate_counts", run.rate_counts);
  const auto rate = [&](std::string_view column, const std::optional<TokensPerSecond>& value) {
    if (value) cells.number(column, value->value);
  };
  rate("output_tokens_per_second", run.output_rate);
  rate("total_tokens_per_second", run.total_rate);
  rate("prefill_tokens_per_second", run.prefill_rate);
  if (run.first_token) cells.number("ttft_ms", *run.first_token / units::millisecond);
  if (run.per_token) cells.number("tpot_ms", *run.per_token / units::millisecond);
  cells.number("requests", run.requests);
  cells.number("longest_output", run.longest_output);
  cells.number("in_flight", run.in_flight);
  cells.flag("parts_attention", run.parts_attention);
  cells.name("placement", run.placement);
  if (run.store) cells.words("store", store_words(*run.store));
  if (run.speculation) cells.words("speculation", speculation_words(*run.speculation));
}

}  // namespace

NamedCells cells_of(const AnyRun& run) {
  Cells cells;
  add_common(common_of(run), cells);
  std::visit([&](const auto& one) { add(one, cells); }, run);
  return cells.take();
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace gpuplan
