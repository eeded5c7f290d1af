#include "input/measured/generation_run_table.h"

#include <string>
#include <utility>

#include "input/measured/plan_words.h"
#include "input/measured/run_cells.h"
#include "input/text/csv.h"

namespace gpuplan {

GenerationColumns::GenerationColumns(CsvReader& cells) {
  const std::pair<CsvReader::Column*, std::string_view> all[] = {
      {&tp, "tp"},
      {&pp, "pp"},
      {&ep, "ep"},
      {&replicas, "replicas"},
      {&weights, "weights"},
      {&bits_per_weight, "bits_per_weight"},
      {&kv_cache, "kv_cache"},
      {&input_tokens, "input_tokens"},
      {&output_tokens, "output_tokens"},
      {&cache_tokens, "cache_tokens"},
      {&batch, "batch"},
      {&mode, "mode"},
      {&rate_counts, "rate_counts"},
      {&attention, "attention"},
      {&output_tokens_per_second, "output_tokens_per_second"},
      {&total_tokens_per_second, "total_tokens_per_second"},
      {&prefill_tokens_per_second, "prefill_tokens_per_second"},
      {&ttft_ms, "ttft_ms"},
      {&tpot_ms, "tpot_ms"},
      {&requests, "requests"},
      {&longest_output, "longest_output"},
      {&in_flight, "in_flight"},
      {&parts_attention, "parts_attention"},
      {&placement, "placement"},
      {&store, "store"},
      {&speculation, "speculation"},
  };
  for (const auto& [column, name] : all) *column = cells.optional_column(name);
}

bool GenerationColumns::measured() const {
  return output_tokens_per_second || total_tokens_per_second || prefill_tokens_per_second || ttft_ms || tpot_ms;
}

namespace {

constexpr std::string_view kFigures =
    "output_tokens_per_second, total_tokens_per_second, prefill_tokens_per_second, ttft_ms, tpot_ms or peak_memory_gib";

}  // namespace

Result<GenerationRun> read_generation_run(RunCells& cells, const GenerationColumns& c, const Catalogue& catalogue) {
  const auto rate = [&](CsvReader::Column column) -> std::optional<TokensPerSecond> {
    const auto value = cells.number(column, 1e-9, 1e12);
    return value ? std::optional(TokensPerSecond{*value}) : std::nullopt;
  };
  const auto milliseconds = [&](CsvReader::Column column) -> std::optional<Seconds> {
    const auto value = cells.number(column, 1e-9, 1e12);
    return value ? std::optional(*value * units::millisecond) : std::nullopt;
  };
  GenerationRun run;
  cells.read_common(catalogue, run);
  run.tp = cells.whole(c.tp);
  run.pp = cells.whole(c.pp);
  run.ep = cells.whole(c.ep);
  run.replicas = cells.whole(c.replicas);
  run.weights = cells.choice<Format>(c.weights);
  run.bits_per_weight = cells.number(c.bits_per_weight, 0.5, 64);
  run.kv_cache = cells.choice<Format>(c.kv_cache);
  run.input_tokens = cells.number(c.input_tokens, 0, 1e9);
  run.output_tokens = cells.number(c.output_tokens, 0, 1e9);
  run.cache_tokens = cells.number(c.cache_tokens, 1, 1e9);
  run.batch = cells.number(c.batch, 1, 1e7);
  run.mode = cells.choice<GenerationMode>(c.mode);
  run.rate_counts = cells.choice<RateCounts>(c.rate_counts);
  run.attention = cells.choice<AttentionKernel>(c.attention);
  run.requests = cells.number(c.requests, 1e-3, 1e15);
  run.longest_output = cells.number(c.longest_output, 0, 1e9);
  run.in_flight = cells.whole(c.in_flight);
  run.parts_attention = cells.flag(c.parts_attention);
  run.placement = cells.choice<Placement>(c.placement);
  run.store = cells.words<Store>(c.store, read_store);
  run.speculation = cells.words<Speculation>(c.speculation, read_speculation);
  run.output_rate = rate(c.output_tokens_per_second);
  run.total_rate = rate(c.total_tokens_per_second);
  run.prefill_rate = rate(c.prefill_tokens_per_second);
  run.first_token = milliseconds(c.ttft_ms);
  run.per_token = milliseconds(c.tpot_ms);
  const bool stated =
      run.output_rate || run.total_rate || run.prefill_rate || run.first_token || run.per_token || run.memory;
  if (!cells.error() && !stated) cells.fail("no measured figure: give " + std::string(kFigures));
  if (cells.error()) return std::unexpected(*cells.error());
  return run;
}

Result<GenerationRunTable> read_generation_runs(std::string_view text, std::string_view file,
                                                const Catalogue& catalogue) {
  CutTable cut;
  if (auto done = cut_lines(text, file, cut); !done) return std::unexpected(std::move(done.error()));
  GenerationRunTable out;
  out.bad_lines = std::move(cut.bad_lines);
  const CsvTable& table = *cut.table;
  CsvReader header(table);
  header.column("gpu");
  if (!header.ok()) return std::unexpected(*header.error());
  const RunColumns common(header);
  const GenerationColumns columns(header);
  if (!columns.measured() && !common.peak_memory_gib)
    return failure("no column holds a measured figure: expected " + std::string(kFigures), {std::string(file), 1, 0});
  read_rows(table, common, [&](RunCells& cells) { return read_generation_run(cells, columns, catalogue); }, out);
  return out;
}

}  // namespace gpuplan
