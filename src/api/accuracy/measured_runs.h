// Measured runs and what belongs to them: compiled in, or a table that somebody brings.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/questions/prices.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/scores/first_contact.h"
#include "evidence/validation/generation_run.h"
#include "evidence/validation/left_out.h"
#include "evidence/validation/training_run.h"

namespace gpuplan::api {

/// Runs of both kinds, those of one kind in the order of their table.
struct MeasuredRuns {
  std::string name{};  ///< of the table, as messages call it; empty: those compiled in
  std::vector<TrainingRun> training{};
  std::vector<GenerationRun> generation{};
  std::vector<Error> bad_lines{};  ///< which could not be read

  bool empty() const { return training.empty() && generation.empty(); }
  template <class F>
  void for_each(const F& use) const {
    for (const TrainingRun& run : training) use(run);
    for (const GenerationRun& run : generation) use(run);
  }
  template <class F>
  void erase_if(const F& drops) {
    std::erase_if(training, drops);
    std::erase_if(generation, drops);
  }
};

/// `kind`: "training" or "generation"; empty: both. Fails where none are compiled in.
Result<MeasuredRuns> built_in_runs(std::string_view kind, const Catalogue& catalogue);
/// A table, of the kind that its columns say unless `kind` does. Fails where it can not be read as a whole, or has no
/// row.
Result<MeasuredRuns> read_measured_runs(const NamedText& table, std::string_view kind, const Catalogue& catalogue);

/// Whether constants fitted without each source are compiled in.
bool has_left_out();
/// Those constants. `catalogue` must outlive them. Fails where there are none.
Result<LeftOut> built_in_left_out(const Catalogue& catalogue);
/// Whether predictions made at first contact are compiled in.
bool has_first_contact();
/// What was predicted for runs before anybody had looked at them. Fails where none is compiled in.
Result<std::vector<ContactFigure>> built_in_first_contact();
/// What was published where: of each source its publication, in the order of their names.
Result<std::vector<std::pair<std::string, std::string>>> built_in_publications();

}  // namespace gpuplan::api
