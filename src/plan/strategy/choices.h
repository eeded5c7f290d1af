// Where a job may run: machines with what each phase does on them, and the offers that rent them out.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plan/strategy/phase_search.h"

namespace gpuplan {

/// Machines that several offers share: estimated once.
struct MachineOption {
  Machines machines;
  std::size_t alike =
      0;  ///< the first option whose estimates are these, but for the node: they differ in host memory and disk
  std::vector<std::optional<Shared<PhaseEstimate>>> phases;  ///< in the job's order; nullopt: cannot run there
  Tally tally;
  bool complete = false;  ///< every phase runs
};

/// An offer in a number of machines, on demand or as spot.
struct Choice {
  const Offer* offer = nullptr;
  std::size_t option = 0;
  bool spot = false;
};

}  // namespace gpuplan
