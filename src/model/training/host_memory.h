// Memory of machines beside their GPUs, where nobody states it.
#pragma once

#include "base/units.h"
#include "domain/facts/training_constants.h"
#include "domain/hardware/hardware.h"

namespace gpuplan {

/// Memory of a machine that nobody states: as much as that of its GPUs, of small ones `host_memory` times that, up to
/// 96 GiB a GPU. Most machines that state it have no less (lower quartiles by GPU over data/nodes.csv: 1.9 to 3.5
/// times up to 48 GiB, 1.8 and more at 80 GiB, 0.95 to 1.3 beyond; data/offers.csv has less for slices, which state
/// it). Never less where the GPUs have more. `share`: as if they had only so much of their memory.
Bytes unstated_host_memory(const TrainingConstants& constants, const NodeShape& node, double share = 1);

}  // namespace gpuplan
