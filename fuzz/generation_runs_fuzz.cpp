// Tables of measured generation runs of any bytes: what fuzz/runs_fuzz.cpp asks of training runs.
// seeds: tests/golden/inputs/generation-runs.csv tests/golden/inputs/runs-generate.csv
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input/generation_run_table.h"
#include "one_line.h"
#include "validated.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuplan::Catalogue catalogue = built_in_catalogue();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = gpuplan::read_generation_runs(text, "runs.csv", catalogue);
  if (!table) {
    check_error(table.error());
    return 0;
  }
  for (const gpuplan::Error& line : table->bad_lines) check_error(line);
  gpuplan::ValidationReport report;
  report.name = "runs.csv";
  report.judged = {gpuplan::kGenerationFigures.begin(), gpuplan::kGenerationFigures.end()};
  report.runs = gpuplan::predict_runs(catalogue, table->runs);
  check_report(report);
  return 0;
}
