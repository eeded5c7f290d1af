// machines_on() (machines.h) for whoever asks of many offers: what the facts say of their GPUs is looked up once.
#pragma once

#include <vector>

#include "domain/facts/machine_rows.h"
#include "plan/capacity/machines.h"

namespace gpuplan {

std::vector<Machines> machines_on(const Job& job, const Catalogue& catalogue, MachineRows& rows, const Offer& offer);

}  // namespace gpuplan
