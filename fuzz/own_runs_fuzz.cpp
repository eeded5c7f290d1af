// The user's own runs of any bytes: what can be read is predicted and learned from, the rest is told in a line each,
// and what is written back reads as the same rows. seeds: tests/golden/inputs/generation-runs.csv
// tests/golden/inputs/runs-generate.csv fuzz/seeds/own_runs.csv
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "evidence/own/learning.h"
#include "input/measured/own_run_table.h"
#include "output/runs/calibrate_report.h"
#include "validated.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuplan;
  static const Catalogue facts = built_in_catalogue();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = read_own_runs(text, "own_runs.csv", facts);
  auto file = OwnRunFile::parse(text, "own_runs.csv");
  if (table.has_value() != file.has_value()) std::abort();
  if (!table) {
    check_error(table.error());
    return 0;
  }
  for (const Error& line : table->bad_lines) check_error(line);
  constexpr std::size_t kEnough = 100;
  if (table->rows.size() > kEnough) return 0;
  const auto compared = compare_own(facts, table->rows);
  Catalogue learned = facts;
  learn_own(learned, compared);
  for (const LearnedFigure& figure : learned.errors.learned)
    for (const double mean : figure.mean)
      if (!std::isfinite(mean)) std::abort();
  const CalibrateReport report{.rows = compared,
                               .teachings = teachings_of(compared, facts.errors, learned.errors),
                               .contradictions = own_contradictions(compared)};
  own_runs_text(report, {.columns = 80});
  calibrate_json(report);
  for (const OwnRow& row : table->rows) file->add(row);
  const auto again = OwnRunFile::parse(file->text(), "own_runs.csv");
  if (!again || again->text() != file->text()) std::abort();
  return 0;
}
