// Tables of measured runs of any bytes: an answer or an error, never a crash; every figure that is predicted is finite
// and its range in order, every other has a reason.
// seeds: tests/golden/inputs/runs.csv tests/golden/inputs/runs-generate.csv
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/validation.h"
#include "input/catalogue_files.h"
#include "input/embedded_data.h"
#include "input/run_table.h"
#include "one_line.h"
#include "output/validate_report.h"

namespace {

gpuplan::Catalogue built_in() {
  std::vector<gpuplan::DataFile> files;
  for (const std::string_view name : gpuplan::kDataFiles)
    files.push_back({name, std::string(name), gpuplan::embedded_data(name)});
  return gpuplan::parse_catalogue(files).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuplan::Catalogue catalogue = built_in();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = gpuplan::read_training_runs(text, "runs.csv", catalogue);
  if (!table) {
    check_error(table.error());
    return 0;
  }
  for (const gpuplan::Error& line : table->bad_lines) check_error(line);
  gpuplan::ValidationReport report;
  report.name = "runs.csv";
  report.judged = {gpuplan::Judged::kTime, gpuplan::Judged::kMemory};
  report.runs = gpuplan::predict_runs(catalogue, table->runs);
  for (const gpuplan::PredictedRun& run : report.runs) {
    for (const gpuplan::MeasuredFigure& figure : gpuplan::measured_figures(*run.run)) {
      const gpuplan::MetricPrediction* p = gpuplan::prediction_of(run, figure.metric);
      if (p == nullptr && gpuplan::refusal_of(run).empty()) std::abort();
      if (p == nullptr) continue;
      if (!(p->predicted.p10 > 0) || !(p->predicted.p10 <= p->predicted.p50) ||
          !(p->predicted.p50 <= p->predicted.p90) || !std::isfinite(p->predicted.p90))
        std::abort();
    }
  }
  const gpuplan::Screen screen{.columns = 80};
  gpuplan::validate_text(report, {.by = {gpuplan::Grouping::kSource, gpuplan::Grouping::kTrait}, .all = true}, screen);
  gpuplan::validate_json(report, {});
  return 0;
}
