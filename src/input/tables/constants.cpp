#include "input/tables/constants.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "input/tables/complete.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

template <class Constants, class Constant, std::size_t count>
Result<void> read_constants(std::string_view text, std::string_view file, const std::array<Constant, count>& known,
                            std::string_view kind, Constants& into) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), value = cells.column("value"), least = cells.column("least"),
             most = cells.column("most"), unit = cells.column("unit"), meaning = cells.column("meaning"),
             source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kLargest = 1e12;
  std::vector<std::string_view> seen;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const std::string_view wanted = cells.required(row, name);
    const auto constant = std::ranges::find(known, wanted, &Constant::name);
    if (constant == known.end()) {
      cells.fail_cell(row, name, kind);
      break;
    }
    if (std::ranges::find(seen, wanted) != seen.end()) cells.fail_cell(row, name, "given once");
    seen.push_back(wanted);
    for (const auto column : {value, least, most}) cells.required(row, column);
    const double low = cells.number(row, least, 0, kLargest);
    const double high = cells.number(row, most, low, kLargest);
    into.*constant->field = cells.number(row, value, low, high);
    for (const auto column : {unit, meaning, source}) cells.required(row, column);
    cells.date(row, as_of);
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  std::vector<std::string_view> missing;
  for (const Constant& constant : known)
    if (std::ranges::find(seen, constant.name) == seen.end()) missing.push_back(constant.name);
  return every_row(file, missing, kind);
}

}  // namespace

Result<void> read_training_constants(std::string_view text, std::string_view file, Catalogue& catalogue) {
  return read_constants(text, file, kTrainingConstants, "a constant of the training model",
                        catalogue.training_constants);
}

Result<void> read_generation_constants(std::string_view text, std::string_view file, Catalogue& catalogue) {
  return read_constants(text, file, kGenerationConstants, "a constant of the generation model",
                        catalogue.generation_constants);
}

Result<void> read_practice_constants(std::string_view text, std::string_view file, Catalogue& catalogue) {
  return read_constants(text, file, kPracticeConstants, "a constant of practice", catalogue.practice_constants);
}

Result<void> read_answer_constants(std::string_view text, std::string_view file, Catalogue& catalogue) {
  return read_constants(text, file, kAnswerConstants, "a constant of the answer", catalogue.answer_constants);
}

Result<void> read_error_components(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto figure = cells.column("figure"), component = cells.column("component"),
             deviation = cells.column("deviation"), unmeasured = cells.column("unmeasured"),
             source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kWidest = 3;  // a factor of 20
  auto& all = catalogue.errors.components;
  for (auto& parts : all) parts.fill({0, 0});
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    cells.required(row, figure);
    cells.required(row, component);
    const auto what = cells.choice(row, figure, ErrorFigure{});
    const auto part = cells.choice(row, component, ErrorPart{});
    ErrorComponent& into = all[index_of(what)][index_of(part)];
    if (into.deviation > 0) cells.fail_cell(row, component, "given once for each figure");
    cells.required(row, deviation);
    into.deviation = cells.number(row, deviation, 1e-4, kWidest);
    const bool labelled = part <= ErrorPart::kGeneration;
    if (labelled) cells.required(row, unmeasured);
    else if (!cells.text(row, unmeasured).empty())
      cells.fail_cell(row, unmeasured, "empty: only software, card and generation have it");
    if (labelled) into.unmeasured = cells.number(row, unmeasured, into.deviation, kWidest);
    cells.required(row, source);
    cells.date(row, as_of);
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  std::vector<std::string> names;
  for (const auto& entry : Names<ErrorFigure>::entries)
    for (const ErrorPart part :
         {ErrorPart::kSoftware, ErrorPart::kCard, ErrorPart::kGeneration, ErrorPart::kSite, ErrorPart::kConfiguration})
      if (all[index_of(entry.value)][index_of(part)].deviation <= 0)
        names.push_back(std::string(entry.name) + " " + std::string(name_of(part)));
  const std::vector<std::string_view> missing(names.begin(), names.end());
  return every_row(file, missing, "a part of the error");
}

}  // namespace gpuplan
