// Further answers of `gpuplan fit`: memory by the number of sequences at once, and by how GPUs share the work.
#pragma once

#include <string>
#include <vector>

#include "output/fit/report.h"
#include "output/text/table.h"
#include "plan/capacity/batch_memory.h"
#include "plan/capacity/placements.h"

namespace gpuplan {

/// Where less than this share of a card is needed, the card is far larger than the work.
inline constexpr double kFarTooLarge = 0.25;

struct BatchSection {
  std::string name, title;
  int count = 1;  ///< GPUs in a machine
  std::vector<BatchRow> rows;

  bool held() const;  ///< a GPU holds one of the batches
};

/// A row for each batch: what it needs and which GPUs hold it, all of them with `all`, else the smallest cards.
Table batch_table(const BatchSection& section, bool all);
/// A row for each GPU: the share of its memory that each batch takes.
Table share_table(const BatchSection& section);

std::string batches_text(const FitReport& report, const std::vector<BatchSection>& sections, const FitLook& look);
std::string batches_json(const FitReport& report, const std::vector<BatchSection>& sections);  ///< "gpuplan/fit@1"

struct PlacementSection {
  std::string name, title;
  Placements found;

  bool held() const;
};

Table placement_table(const PlacementSection& section);
std::string placements_text(const FitReport& report, const std::vector<PlacementSection>& sections,
                            const FitLook& look);
std::string placements_json(const FitReport& report, const std::vector<PlacementSection>& sections);

}  // namespace gpuplan
