// `gpuplan fit`: memory by part, largest batch, and which GPUs hold a model or the phases of a job.
#pragma once

#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "output/explain/explain.h"
#include "output/text/style.h"
#include "plan/capacity/fit.h"

namespace gpuplan {

class JsonWriter;

/// One question: a phase, and the GPUs it was tried on.
struct FitSection {
  std::string name;          ///< "full", "lora", or the phase's name
  std::string title;         ///< what is asked, in words
  Job job;                   ///< the phase alone, as asked
  bool sized = true;         ///< how many samples is said, so that the whole phase has a time
  std::vector<FitRow> rows;  ///< for each GPU the smallest count that holds it (else the largest tried), or all counts
  std::vector<Remedy> remedies;  ///< when no row holds it

  bool held() const;
};

struct FitReport {
  std::string subject;
  double params = 0;         ///< of the model; 0 for a job
  std::vector<int> counts;   ///< GPUs in a machine that were tried
  bool every_count = false;  ///< rows hold all counts, not the smallest
  std::vector<FitSection> sections;
};

const Phase& phase_of(const FitSection& section, const FitRow& row);
/// The row a reader starts from: fewest GPUs, then the smallest card; null when nothing holds it.
const FitRow* smallest(const FitSection& section);
/// The terms of a row that runs; they refer to `storage`.
std::vector<PhaseTerms> terms_of(const FitSection& section, const FitRow& row, const Catalogue& catalogue,
                                 Plan& storage);

struct FitLook {
  Screen screen{};
  bool all = false;      ///< rows that nothing fits on too
  bool details = false;  ///< every component of the memory
  bool explain = false;  ///< the terms of the first row that holds it, for each section
};

/// What to know of the models before believing the figures, a sentence each.
std::vector<std::string> fit_warnings(const FitReport& report);
/// "Llama-3.1-8B (8.03B parameters): predicted memory per GPU", and the warnings.
std::string fit_heading(const FitReport& report, const Screen& screen);
/// Opens the object and its array "sections", which the caller fills and ends.
void begin_fit_json(JsonWriter& json, const FitReport& report);

std::string fit_table(const FitReport& report, const Catalogue& catalogue, const FitLook& look);
/// One row for each question, GPU and count, with the memory by part.
std::string fit_csv(const FitReport& report, const FitLook& look);
std::string fit_json(const FitReport& report, const Catalogue& catalogue, const FitLook& look);  ///< "gpuplan/fit@1"

}  // namespace gpuplan
