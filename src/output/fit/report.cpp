#include "output/fit/report.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "plan/notes/model_notes.h"

namespace gpuplan {

bool FitSection::held() const { return std::ranges::any_of(rows, holds); }

const Phase& phase_of(const FitSection& section, const FitRow& row) {
  return section.job.phases[static_cast<std::size_t>(row.best ? row.best->phase : 0)];
}

const FitRow* smallest(const FitSection& section) {
  const FitRow* best = nullptr;
  for (const FitRow& row : section.rows) {
    if (!holds(row)) continue;
    if (best == nullptr || row.gpus < best->gpus ||
        (row.gpus == best->gpus && row.node.gpu->usable < best->node.gpu->usable))
      best = &row;
  }
  return best;
}

std::vector<PhaseTerms> terms_of(const FitSection& section, const FitRow& row, const Catalogue& catalogue,
                                 Plan& storage) {
  storage.phases.push_back({.estimate = *row.best});
  std::vector<PhaseTerms> phases = explain_phases(storage, section.job, catalogue, catalogue.errors);
  for (PhaseTerms& phase : phases)
    if (!section.sized && !phase.per_step)
      std::erase_if(phase.terms, [](const Term& term) { return term.kind == Term::Kind::kTime; });
  return phases;
}

std::vector<std::string> fit_warnings(const FitReport& report) {
  std::vector<std::string> lines;
  for (const FitSection& section : report.sections)
    for (std::string& line : model_notes(section.job))
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  return lines;
}

std::string fit_heading(const FitReport& report, const Screen& screen) {
  std::string heading = printable(report.subject, 100);
  if (report.params > 0) heading += " (" + count_short(report.params) + " parameters)";
  std::string text = paragraph(heading + ": predicted memory per GPU", screen, 0, 0);
  for (const std::string& line : fit_warnings(report)) text += paragraph("! " + line, screen, 2, 4, Paint::kYellow);
  return text;
}

void begin_fit_json(JsonWriter& json, const FitReport& report) {
  json.begin_object().member("schema", "gpuplan/fit@1").member("subject", report.subject);
  if (report.params > 0) json.member("params", report.params);
  else json.null_member("params");
  json.key("counts").begin_array(true);
  for (const int count : report.counts) json.value(count);
  json.end().member("warnings", fit_warnings(report)).key("sections").begin_array();
}

}  // namespace gpuplan
