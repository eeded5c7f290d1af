// Gates in the money: what a job costs when it stops at a phase that does not pass (`chance_to_pass`), and what it
// costs in expectation when somebody looks at every gate before the next phase starts.
#pragma once

#include <optional>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// The job ends early: one gate does not pass, all others that are reached do. Phases that need it, directly or not,
/// are not run; all others are.
struct EarlyEnd {
  int phase = 0;      ///< position in the plan
  double passes = 1;  ///< its chance_to_pass
  double chance = 0;  ///< that the gate is reached and does not pass
  Outcome<Seconds> hours{};
  Outcome<Dollars> cost{};
  std::vector<int> not_run;  ///< positions in the plan
};

/// Means over everything that the gates can do; they pass or not independently of each other and of time and prices.
struct Gates {
  double chance = 1;         ///< that the whole job goes through
  Seconds expected_hours{};  ///< when the job stops at gates
  Dollars expected_cost{};
  Dollars saved{};             ///< mean of the whole plan less expected_cost: what never stopping would waste
  std::vector<EarlyEnd> ends;  ///< one for each gate, in the order of the phases
};

/// nullopt when every phase is sure to pass. A phase runs to its end before its gate is looked at; machines are given
/// back when the last phase that still runs on them ends, and billed by their offer's rules. Medians and means follow
/// the plan's schedule: phases do not move forward because others are not run. The spread of what is spent comes from
/// the phases that decide the end and from the range of the price.
std::optional<Gates> gates_of(const Job& job, const Plan& plan);

}  // namespace gpuplan
