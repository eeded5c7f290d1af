// docs/accuracy.md: how accurate predictions are on published runs, and how that is found out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/runs/validate_report.h"

namespace gpuplan {

struct AccuracyPage {
  const ValidationReport* fitted = nullptr;  ///< all runs, with the constants in data/
  /// The same runs, each source with constants fitted without it; null: not known. Pairs and own runs are those of
  /// this one where it is there.
  const ValidationReport* left_out = nullptr;
  const FirstContact* contact = nullptr;   ///< null: not known
  std::vector<FigureOwnRuns> contact_own;  ///< the runs of first contact, some of each source known
  std::vector<std::pair<std::string, std::string>> publications;  ///< of each source, in the order of their names
};

/// The whole page, Markdown.
std::string accuracy_page(const AccuracyPage& page);

}  // namespace gpuplan
