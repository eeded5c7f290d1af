// What must hold of every validation: each figure is predicted, finite and with its range in order, or has a reason why
// not; and it can be shown.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/validation/validation.h"
#include "input/tables/catalogue_files.h"
#include "input/text/embedded_data.h"
#include "one_line.h"
#include "output/runs/validate_report.h"

inline gpuplan::Catalogue built_in_catalogue() {
  std::vector<gpuplan::DataFile> files;
  for (const std::string_view name : gpuplan::kDataFiles)
    files.push_back({name, std::string(name), gpuplan::embedded_data(name)});
  return gpuplan::parse_catalogue(files).value();
}

inline void check_report(const gpuplan::ValidationReport& report) {
  for (const gpuplan::PredictedRun& run : report.runs) {
    for (const gpuplan::MeasuredFigure& figure : gpuplan::measured_figures(run)) {
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
}

/// Whatever a table holds is read, predicted and shown, or refused in a line; `read(text, file, catalogue)` is the
/// reader.
template <class Read, class Figures>
int check_table(const Read& read, const Figures& figures, const std::uint8_t* data, std::size_t size) {
  static const gpuplan::Catalogue catalogue = built_in_catalogue();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = read(text, "runs.csv", catalogue);
  if (!table) {
    check_error(table.error());
    return 0;
  }
  for (const gpuplan::Error& line : table->bad_lines) check_error(line);
  gpuplan::ValidationReport report;
  report.name = "runs.csv";
  report.judged = {figures.begin(), figures.end()};
  report.runs = gpuplan::predict_runs(catalogue, table->runs);
  check_report(report);
  return 0;
}
