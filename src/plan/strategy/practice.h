// What people who train models do: which ways of cutting work they reach for first, and how much a harder one has to
// promise before they take it. The time model can not tell ways apart that differ by a few percent, and knows nothing
// of the days that a harder set-up costs. The factors are rows of data/practice_constants.csv.
#pragma once

#include <vector>

#include "domain/facts/framework.h"
#include "domain/facts/practice_constants.h"
#include "domain/hardware/hardware.h"
#include "domain/work/strategy.h"

namespace gpuplan {

/// A harder way must be faster than a plainer one that fits by this factor (at least 1). `usual`: it runs in a
/// framework that people would take for such a model anyway, or that the job names. Care is work that people do once
/// and what it saves grows with the GPUs: large runs ask for less.
double complexity_penalty(const PracticeConstants& practice, const Strategy& strategy, const NodeShape& node,
                          bool usual);

/// What it is the product of, but for the bounds and the number of GPUs.
std::vector<double PracticeConstants::*> complexity_factors(const Strategy& strategy, const NodeShape& node,
                                                            bool usual);

/// The most that complexity_penalty() asks for with so many GPUs.
double most_care(const PracticeConstants& practice, double gpus);

/// Whether people would take this framework: the first in the order of preference or, for mixtures of experts, any that
/// knows experts.
bool usual(const Framework& framework, const Framework& first, bool moe);

/// How much a person has to understand to run it: decides between ways that are equally fast.
int complexity(const Strategy& strategy);
/// More points than any strategy has.
inline constexpr int kMostPoints = 20;
/// What so many points make a strategy look longer by.
double weight_of_points(const PracticeConstants& practice, int points);

/// Whether a framework can run it at all, going by data/frameworks.csv.
bool can_run(const Framework& framework, const Strategy& strategy);

/// True when tensor-parallel ranks of a machine talk over its own fast links (NVLink, xGMI and the like) and not over
/// PCIe.
bool fast_links(const NodeShape& node);

}  // namespace gpuplan
