// Tables of measured generation runs as values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/validation/generation_run.h"
#include "input/measured/run_cells.h"
#include "input/measured/run_table.h"
#include "input/text/csv.h"

namespace gpuplan {

using GenerationRunTable = RunTableOf<GenerationRun>;

/// Every column of a generation run's own that is read, found once.
struct GenerationColumns {
  CsvReader::Column tp, pp, ep, replicas, weights, bits_per_weight, kv_cache, input_tokens, output_tokens, cache_tokens,
      batch, mode, rate_counts, attention, output_tokens_per_second, total_tokens_per_second, prefill_tokens_per_second,
      ttft_ms, tpot_ms, requests, longest_output, in_flight, parts_attention, placement, store, speculation;

  explicit GenerationColumns(CsvReader& cells);
  bool measured() const;  ///< one of them holds a measured figure
};
/// One row. Errors name its line.
Result<GenerationRun> read_generation_run(RunCells& cells, const GenerationColumns& columns,
                                          const Catalogue& catalogue);

/// Reads a table of generation runs: columns by name, in any order, those that are missing count as not stated. Shapes
/// come from the columns; what these leave open from the catalogue's model of that name, else from the size.
/// Errors: no header, or none of the columns that hold a measured figure.
Result<GenerationRunTable> read_generation_runs(std::string_view text, std::string_view file,
                                                const Catalogue& catalogue);

}  // namespace gpuplan
