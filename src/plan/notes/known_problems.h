// Which known problems touch a plan.
#pragma once

#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// True when every condition of the problem holds for the phase as estimated: its kind, software, hardware and
/// strategy.
bool touches(const KnownProblem& problem, const Phase& phase, const PhaseEstimate& estimate);

struct TouchedPhases {
  const KnownProblem* problem = nullptr;
  std::vector<int> phases;  ///< positions in the job
};

/// The catalogue's problems that touch a phase of the plan: those without a fix first, then by effect from "fails" to
/// "slower", the better known first, then in the order of the table. They point into the catalogue.
std::vector<TouchedPhases> known_problems(const Plan& plan, const Job& job, const Catalogue& catalogue);

}  // namespace gpuplan
