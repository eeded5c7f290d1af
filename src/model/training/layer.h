// Costs of a layer in parts, for whoever keeps those of many cuts (plan/strategy/layer_table.h).
#pragma once

#include <array>

#include "model/training/training.h"

namespace gpuplan {

/// By recomputation.
using LayerCosts = std::array<LayerCost, 3>;

/// Adds what layer_memory() says.
void add_layer_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut, LayerCost& cost);

/// Adds the times of a cut under every recomputation: what it changes nothing of, which is most, is worked out once.
void add_layer_times(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut, LayerCosts& costs);

}  // namespace gpuplan
