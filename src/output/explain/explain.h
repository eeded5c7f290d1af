// How a plan's numbers come about: the model's terms with their formulas and sources, memory parts, given figures
// beside the model's, and the way from working time to hours and dollars.
#pragma once

#include <string>
#include <vector>

#include "output/text/json_writer.h"
#include "output/text/style.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// The model's terms for one phase of a plan.
struct PhaseTerms {
  const PhasePlan* part = nullptr;
  const Phase* phase = nullptr;
  bool per_step = false;  ///< times are those of one optimizer step; else of the whole phase on the busiest GPU
  std::vector<Term> terms;

  /// Sum of the parts of this kind.
  double total(Term::Kind kind) const;
  /// The largest part of this kind; null when there is none.
  const Term* largest(Term::Kind kind) const;
};

/// The model is asked again for the strategies chosen; phases that it does not predict have no terms.
std::vector<PhaseTerms> explain_phases(const Plan& plan, const Job& job, const Catalogue& catalogue,
                                       const ErrorModel& errors);

/// Text for a terminal, with a heading for each phase.
std::string explain_plan(const PlanReport& report, const Plan& plan, const Screen& screen);

/// [{"kind", "name", "value", "unit", "share", "formula", "source", "part_of_total"}, ...]
void write_term_list(JsonWriter& json, const std::vector<Term>& terms);
/// [{"name", "terms": what write_term_list() writes, "ranges": what write_ranges() writes, ...}]
void write_terms(JsonWriter& json, const std::vector<PhaseTerms>& phases, const ErrorModel& errors);
/// {"plan": ID, "phases": what write_terms() writes, "words": [...]}
void write_explanation(JsonWriter& json, const PlanReport& report, const Plan& plan);

/// The terms of a phase as tables: time, memory, and what only informs.
std::string terms_table(const PhaseTerms& phase, const Screen& screen);

std::string term_value(const Term& term);   ///< "1.2 ms", "16.3 GiB", "1.6e+12/s", "64"
std::string_view unit_of(Term::Kind kind);  ///< "s", "byte", "1/s", "share", "count"

}  // namespace gpuplan
