// What runs are grouped by when errors are counted.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "evidence/validation/validation.h"

namespace gpuplan {

/// A group's name, and its place before groups of a later one; groups of the same place stand by name.
struct GroupLabel {
  int place = 0;
  std::string name;
  auto operator<=>(const GroupLabel&) const = default;
};

/// The groups that the run is in: one, but for traits; none of what its kind of run does not have.
std::vector<GroupLabel> labels_of(const PredictedRun& run, Grouping grouping);

}  // namespace gpuplan
