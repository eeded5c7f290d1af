#include "api/accuracy/own_runs.h"

#include <utility>

#include "base/text.h"
#include "evidence/own/learning.h"
#include "input/measured/own_run_table.h"

namespace gpuplan::api {

Result<std::vector<Error>> learn_from(const NamedText& own_runs, Catalogue& catalogue) {
  auto table = read_own_runs(own_runs.text, own_runs.name, catalogue);
  if (!table) return std::unexpected(std::move(table.error()));
  const std::vector<ComparedRow> compared = compare_own(catalogue, table->rows);
  for (const ComparedRow& row : compared)
    if (row.row->use && !row.prediction.refused.empty())
      table->bad_lines.push_back({row.prediction.refused, row.row->place});
  learn_own(catalogue, compared);
  return std::move(table->bad_lines);
}

}  // namespace gpuplan::api
