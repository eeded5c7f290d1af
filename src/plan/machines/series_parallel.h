// Phases and what they need, taken apart: what runs one after the other, and what runs side by side.
#pragma once

#include <optional>
#include <vector>

namespace gpuplan {

/// A phase, or parts that follow each other, or parts that have nothing to do with each other.
struct Module {
  enum class Kind { kPhase, kSeries, kParallel };
  Kind kind = Kind::kPhase;
  int phase = 0;              ///< of kPhase
  std::vector<Module> parts;  ///< of the others, two at least; of kSeries in their order
};

/// `needs` of each phase: positions of phases that must have ended. nullopt when the order is not series-parallel (it
/// holds a < c, b < c, b < d and nothing else between the four: Valdes, Tarjan and Lawler 1982), or when there is a
/// cycle. Chains, trees and diamonds are series-parallel. REQUIRES: at least one phase.
std::optional<Module> series_parallel(const std::vector<std::vector<int>>& needs);

/// Its phases, those that come first first.
std::vector<int> phases_of(const Module& module);

}  // namespace gpuplan
