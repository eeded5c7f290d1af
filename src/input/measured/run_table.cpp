#include "input/measured/run_table.h"

#include <string>
#include <utility>

#include "base/amount.h"
#include "input/measured/run_cells.h"
#include "input/text/csv.h"

namespace gpuplan {

TrainingColumns::TrainingColumns(CsvReader& cells) {
  const std::pair<CsvReader::Column*, std::string_view> all[] = {
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
      {&compiled_loss, "compiled_loss"},
      {&fused_kernels, "fused_kernels"},
      {&fused_optimizer, "fused_optimizer"},
      {&recomputed_layers, "recomputed_layers"},
      {&step_seconds, "step_seconds"},
      {&token_rate, "tokens_per_second_per_gpu"},
      {&mean_tokens, "mean_tokens"},
      {&optimizer_rest, "optimizer_rest"},
      {&lora_targets, "lora_targets"},
      {&trainable, "trainable"},
  };
  for (const auto& [column, name] : all) *column = cells.optional_column(name);
}

Result<TrainingRun> read_training_run(RunCells& cells, const TrainingColumns& c, const Catalogue& catalogue) {
  TrainingRun run;
  cells.read_common(catalogue, run);
  run.sequence = cells.number(c.seq_len, 1, 1e9);
  run.micro_batch = cells.number(c.micro_batch, 1, 1e9);
  run.grad_accum = cells.number(c.grad_accum, 1, 1e9);
  run.global_batch = cells.number(c.global_batch, 1, 1e9);
  run.dp = cells.whole(c.dp);
  run.tp = cells.whole(c.tp);
  run.pp = cells.whole(c.pp);
  run.vpp = cells.whole(c.vpp);
  run.cp = cells.whole(c.cp);
  run.ep = cells.whole(c.ep);
  run.sequence_parallel = cells.flag(c.sequence_parallel);
  run.sharding = cells.choice<Sharding>(c.sharding);
  run.recompute = cells.choice<Recompute>(c.recompute);
  run.precision = cells.choice<Precision>(c.precision);
  run.master_weights = cells.choice<Format>(c.master_weights);
  run.optimizer = cells.choice<Optimizer>(c.optimizer);
  run.optimizer_state =
      cells.text(c.optimizer_state) == "8bit" ? std::optional(Format::kInt8) : cells.choice<Format>(c.optimizer_state);
  run.offload = cells.choice<Offload>(c.offload);
  run.method = cells.text(c.method) == "pretrain" ? std::optional(Method::kFull) : cells.choice<Method>(c.method);
  run.from_scratch = cells.text(c.method) == "pretrain" || cells.empty(c.method);
  run.lora_rank = cells.whole(c.lora_rank);
  run.attention = cells.choice<AttentionKernel>(c.attention);
  run.compile = cells.flag(c.compile);
  run.compiled_loss = cells.flag(c.compiled_loss);
  run.fused_kernels = cells.flag(c.fused_kernels);
  run.fused_optimizer = cells.flag(c.fused_optimizer);
  run.recomputed_layers = cells.number(c.recomputed_layers, 0, 1);
  run.mean_tokens = cells.number(c.mean_tokens, 1e-3, 1e9);
  run.optimizer_rest = cells.choice<Optimizer>(c.optimizer_rest);
  run.lora_targets = cells.lora_targets(c.lora_targets);
  run.trainable = cells.number(c.trainable, 1, 1e14);
  if (const auto value = cells.number(c.step_seconds, 1e-9, 1e9)) run.step = Seconds{*value};
  if (const auto value = cells.number(c.token_rate, 1e-9, 1e12)) run.token_rate = TokensPerSecond{*value};
  if (!cells.error() && !run.step && !run.token_rate && !run.memory)
    cells.fail("no measured figure: give step_seconds, tokens_per_second_per_gpu or peak_memory_gib");
  if (cells.error()) return std::unexpected(*cells.error());
  return run;
}

Result<RunTable> read_training_runs(std::string_view text, std::string_view file, const Catalogue& catalogue) {
  CutTable cut;
  if (auto done = cut_lines(text, file, cut); !done) return std::unexpected(std::move(done.error()));
  RunTable out;
  out.bad_lines = std::move(cut.bad_lines);
  const CsvTable& table = *cut.table;
  CsvReader header(table);
  header.column("gpu");
  if (!header.ok()) return std::unexpected(*header.error());
  const RunColumns common(header);
  const TrainingColumns columns(header);
  if (!columns.step_seconds && !columns.token_rate && !common.peak_memory_gib) {
    return failure(
        "no column holds a measured figure: expected step_seconds, tokens_per_second_per_gpu or peak_memory_gib",
        {std::string(file), 1, 0});
  }
  read_rows(table, common, [&](RunCells& cells) { return read_training_run(cells, columns, catalogue); }, out);
  return out;
}

}  // namespace gpuplan
