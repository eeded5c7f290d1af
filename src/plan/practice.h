// What people who train models do: which ways of cutting work they reach for first, and how much a harder one has to
// promise before they take it. The time model can not tell ways apart that differ by a few percent, and knows nothing
// of the days that a harder set-up costs.
#pragma once

#include "domain/framework.h"
#include "domain/hardware.h"
#include "domain/strategy.h"

namespace gpuplan {

/// A harder way must be faster than a plainer one that fits by this factor (at least 1).
double care(const Strategy& strategy, const NodeShape& node);

/// The same for leaving the framework that comes first where the job names none.
inline constexpr double kOtherFramework = 1.15;

/// How much a person has to understand to run it: decides between ways that are equally fast.
int complexity(const Strategy& strategy);

/// Whether a framework can run it at all, going by data/frameworks.csv.
bool can_run(const Framework& framework, const Strategy& strategy);

/// True when tensor-parallel ranks of a machine talk over its own fast links (NVLink, xGMI and the like) and not over
/// PCIe.
bool fast_links(const NodeShape& node);

}  // namespace gpuplan
