// What one micro-batch of a network keeps in memory on one rank.
#pragma once

#include "model/training/training.h"

namespace gpuplan::detail {

/// Tokens of a micro-batch on this rank, and of one of its sequences, both as long as they can be.
struct MicroBatch {
  double tokens = 0, length = 0;
};

/// Adds activations, the working set of one layer, logits and stage boundary of one network to `cost`.
void add_activations(const TrainingRates& rates, const LayerCut& cut, const ModelWork& model, MicroBatch batch,
                     LayerCost& cost);

}  // namespace gpuplan::detail
