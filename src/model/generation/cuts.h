// Over how many GPUs the matrices of a network can be cut.
#pragma once

#include <vector>

#include "domain/work/model_shape.h"

namespace gpuplan {

/// What keeps a network from being cut over so many tensor-parallel GPUs: query heads must share out evenly, KV heads
/// must share out or be copied evenly, and so must the widths of the MLPs. kNone: it can be cut.
enum class CutProblem { kNone, kHeads, kKvHeads, kWidth, kExpertWidth };
CutProblem tensor_problem(const ModelShape& shape, int tp);
/// The same for training, where KV heads are copied as they are needed.
CutProblem training_cut_problem(const ModelShape& shape, int tp);

/// The largest degree below `tp` and the smallest above it that the network can be cut over; 1 is always one.
std::vector<int> nearest_tensor_degrees(const ModelShape& shape, int tp);

/// True when experts share out evenly over so many GPUs.
bool experts_divide(const ModelShape& shape, int gpus);
/// The same for experts.
std::vector<int> nearest_expert_degrees(const ModelShape& shape, int gpus);

}  // namespace gpuplan
