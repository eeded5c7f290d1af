// A network as a phase uses it: its shape, and what is done with it.
#pragma once

#include <optional>
#include <string>

#include "domain/work/model_shape.h"

namespace gpuplan {

/// Work of something that is no transformer, per sample.
struct CustomModel {
  double params = 0;
  Flops flops_per_sample{};  ///< forward and backward together
  Bytes activation_bytes_per_sample{};
  double kernels_per_step = 0;  ///< kernel launches of one training step
};

struct ModelUse {
  std::string name;
  ModelShape shape;  ///< unused when `custom` is set
  std::optional<CustomModel> custom;
  bool drawn = false;             ///< the job writes the shape itself: there are no weights to fetch
  bool from_size = false;         ///< of it only the number of parameters: the rest is usual
  bool frozen = false;            ///< weights do not learn
  bool gradient_through = false;  ///< frozen, but gradients pass through to something before it
  double loops = 1;               ///< the layers are run so many times with the same weights
  double supervision_steps = 1;   ///< forward and backward passes for each batch

  /// Times the layers are run with the same weights, by the job's word and the network's own.
  double runs() const { return (loops > 1 ? loops : 1) * shape.repeats; }
  double params() const { return custom ? custom->params : count_parameters(shape).total(); }
};

}  // namespace gpuplan
