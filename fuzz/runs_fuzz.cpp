// Tables of measured runs of any bytes: an answer or an error, never a crash; every figure that is predicted is finite
// and its range in order, every other has a reason.
// seeds: tests/golden/inputs/runs.csv tests/golden/inputs/runs-generate.csv
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input/run_table.h"
#include "one_line.h"
#include "validated.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuplan::Catalogue catalogue = built_in_catalogue();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = gpuplan::read_training_runs(text, "runs.csv", catalogue);
  if (!table) {
    check_error(table.error());
    return 0;
  }
  for (const gpuplan::Error& line : table->bad_lines) check_error(line);
  gpuplan::ValidationReport report;
  report.name = "runs.csv";
  report.judged = {gpuplan::kTrainingFigures.begin(), gpuplan::kTrainingFigures.end()};
  report.runs = gpuplan::predict_runs(catalogue, table->runs);
  check_report(report);
  return 0;
}
