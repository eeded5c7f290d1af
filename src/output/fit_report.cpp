#include "output/fit_report.h"

#include <algorithm>

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
  return explain_phases(storage, section.job, catalogue);
}

}  // namespace gpuplan
