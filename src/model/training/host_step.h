// Time that state in host memory takes, on one GPU's share of the machine. Shared by the estimate of a step and by what
// the search rules out before it makes one.
#pragma once

#include "model/training/training.h"

namespace gpuplan {

/// The optimizer's step on the CPU: gradients down and 16-bit weights up over PCIe, and 28 bytes a parameter of host
/// memory (CPU Adam of Ren et al. 2021, arXiv:2101.06840).
inline Seconds host_optimizer_time(const TrainingRates& rates, double parameters) {
  const BytesPerSecond host_memory{rates.constants->host_adam_rate * 1e9};
  return Bytes{28 * parameters} / host_memory + Bytes{6 * parameters} / rates.host_link;
}

/// Weights that pass PCIe forward and backward, for one micro-batch.
inline Seconds host_weights_time(const TrainingRates& rates, Bytes weights) { return weights * 2 / rates.host_link; }

}  // namespace gpuplan
