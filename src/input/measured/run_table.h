// Tables of measured runs as values.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/validation/training_run.h"
#include "input/measured/run_cells.h"
#include "input/text/csv.h"

namespace gpuplan {

template <class Run>
struct RunTableOf {
  std::vector<Run> runs;
  std::vector<Error> bad_lines;  ///< rows that could not be read, each with its place; the others are in `runs`
};
using RunTable = RunTableOf<TrainingRun>;

/// Every column of a training run's own that is read, found once.
struct TrainingColumns {
  CsvReader::Column seq_len, micro_batch, grad_accum, global_batch, dp, tp, pp, vpp, cp, ep, sequence_parallel,
      sharding, recompute, precision, master_weights, optimizer, optimizer_state, offload, method, lora_rank, attention,
      compile, compiled_loss, fused_kernels, fused_optimizer, recomputed_layers, step_seconds, token_rate, mean_tokens,
      optimizer_rest, lora_targets, trainable;

  explicit TrainingColumns(CsvReader& cells);
};
/// One row. Errors name its line.
Result<TrainingRun> read_training_run(RunCells& cells, const TrainingColumns& columns, const Catalogue& catalogue);

/// Reads a table of training runs: columns by name, in any order, those that are missing count as not stated. Shapes
/// come from the columns; what these leave open from the catalogue's model of that name, else from the size.
/// Errors: no header, or none of the columns that hold a measured figure.
Result<RunTable> read_training_runs(std::string_view text, std::string_view file, const Catalogue& catalogue);

}  // namespace gpuplan
