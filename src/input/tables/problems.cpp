#include "input/tables/problems.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

/// GPUs are stored by their names in the catalogue, so that an alias will do; architectures as they are.
void check_hardware(CsvReader& cells, std::size_t row, const Catalogue& catalogue, KnownProblem& problem) {
  for (std::string& name : problem.hardware) {
    if (catalogue.gpus.empty()) return;
    if (std::ranges::any_of(catalogue.gpus, [&](const Gpu& gpu) { return gpu.architecture == name; })) continue;
    if (const Gpu* gpu = catalogue.find_gpu(name)) name = gpu->name;
    else cells.fail(row, "column hardware: '" + printable(name, 60) + "' is no GPU and no architecture of gpus.csv");
  }
}

void check_frameworks(CsvReader& cells, std::size_t row, const Catalogue& catalogue, KnownProblem& problem) {
  for (std::string& name : problem.frameworks) {
    if (catalogue.frameworks.empty()) return;
    if (const Framework* framework = catalogue.find_framework(name)) name = framework->name;
    else cells.fail(row, "column frameworks: '" + printable(name, 60) + "' is not in frameworks.csv");
  }
}

bool has_condition(const KnownProblem& problem) {
  return !problem.frameworks.empty() || !problem.hardware.empty() || !problem.features.empty() ||
         problem.capability_from > 0 || problem.capability_below > 0;
}

}  // namespace

Result<void> read_known_problems(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto id = cells.column("id"), what = cells.column("problem"), kind = cells.column("kind"),
             frameworks = cells.column("frameworks"), hardware = cells.column("hardware"),
             capability_from = cells.column("capability_from"), capability_below = cells.column("capability_below"),
             gpus_from = cells.column("gpus_from"), features = cells.column("features"), from = cells.column("from"),
             fixed_in = cells.column("fixed_in"), effect = cells.column("effect"), remedy = cells.column("remedy"),
             source = cells.column("source"), as_of = cells.column("as_of"), confidence = cells.column("confidence");

  catalogue.problems.reserve(catalogue.problems.size() + table->rows());
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    KnownProblem problem;
    problem.id = cells.required(row, id);
    problem.what = cells.required(row, what);
    if (!cells.text(row, kind).empty()) problem.kind = cells.choice(row, kind, KnownProblem::Kind::kTrain);
    problem.frameworks = cells.list(row, frameworks, '|');
    problem.hardware = cells.list(row, hardware, '|');
    problem.capability_from = cells.number(row, capability_from, 0, 99);
    problem.capability_below = cells.number(row, capability_below, 0, 99);
    problem.gpus_from = cells.whole(row, gpus_from, 1, 100'000);
    problem.features = cells.choices<ProblemFeature>(row, features);
    problem.from = cells.text(row, from);
    problem.fixed_in = cells.text(row, fixed_in);
    cells.required(row, effect);
    problem.effect = cells.choice(row, effect, ProblemEffect::kSlower);
    problem.remedy = cells.required(row, remedy);
    problem.source = cells.required(row, source);
    problem.as_of = cells.date(row, as_of);
    cells.required(row, confidence);
    problem.confidence = cells.choice(row, confidence, Confidence::kLow);
    check_hardware(cells, row, catalogue, problem);
    check_frameworks(cells, row, catalogue, problem);
    if (!has_condition(problem))
      cells.fail(row, "no condition; expected frameworks, hardware, features or a compute capability");
    if (std::ranges::any_of(catalogue.problems, [&](const KnownProblem& other) { return other.id == problem.id; }))
      cells.fail(row, "the id '" + printable(problem.id, 60) + "' comes twice");
    catalogue.problems.push_back(std::move(problem));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
