// The choice of a machine for each phase, as machine_choice.h wants it, of what a market offers for a job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domain/work/job.h"
#include "plan/billing/bill.h"
#include "plan/machines/machine_choice.h"
#include "plan/machines/rooms.h"
#include "plan/strategy/choices.h"

namespace gpuplan {

struct MixedProblem {
  explicit MixedProblem(const std::vector<std::pair<std::string, int>>& quota) : rooms(quota) {}

  std::vector<const Choice*> offers;  ///< by machine of the problem; empty: there is none, and no problem
  ChoiceProblem problem;              ///< its stages are the phases in the order of the biller
  Rooms rooms;
};

/// `plans`: all phases on one offer each, billed; `needs`: by stage, the stages before it.
MixedProblem mixed_problem(const Job& job, const std::vector<PhaseWorkload>& workloads,
                           const std::vector<MachineOption>& machine_options, const std::vector<Choice>& choices,
                           const Biller& biller, const std::vector<Plan>& plans,
                           const std::vector<std::vector<int>>& needs);

/// Whether a phase holds machines, rented or those of another.
bool on_machine(const PhaseWorkload& workload);

/// The machines of a choice, for no phase yet.
LeaseRequest request_of(const std::vector<MachineOption>& machine_options, const Choice& choice);

}  // namespace gpuplan
