// Plans whose phases run on machines of several offers.
#pragma once

#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/billing/bill.h"
#include "plan/strategy/choices.h"

namespace gpuplan {

/// Plans of several machines that are worth showing beside `plans`, which run on one each: those that are best at some
/// value of an hour, or for one of the questions that recommendations answer. With `schedule: each_phase` every phase
/// has machines of its own. `same_share`: by how much worse fewer different machines may be. `note` says, for the user,
/// when machines could not be chosen for each phase.
std::vector<Plan> mixed_plans(const Job& job, const std::vector<PhaseWorkload>& workloads,
                              const std::vector<MachineOption>& machine_options, const std::vector<Choice>& choices,
                              const Biller& biller, double same_share, const std::vector<Plan>& plans,
                              std::string& note);

/// Phases that hold rented machines: mixed plans need two.
int phases_on_machines(const std::vector<PhaseWorkload>& workloads);

}  // namespace gpuplan
