// Low-rank adapters (Hu et al. 2021, arXiv:2106.09685): how many parameters they add, and what they move.
#pragma once

#include "base/result.h"
#include "domain/work/model_shape.h"
#include "domain/work/phase.h"

namespace gpuplan {

struct AdapterSize {
  double parameters = 0;
  double share = 0;   ///< of a layer's linear layers
  double stream = 0;  ///< elements moved a token forward by their products, which memory bounds
  bool attention_inputs = false, mlp_inputs = false, down_inputs = false;  ///< which linear layers' inputs they need
};

/// Adapters beside the chosen linear layers, or all of them but routed experts (which are adapted only when named:
/// `experts`). Fails on a target that no layer is called.
Result<AdapterSize> adapter_size(const ModelShape& shape, const Lora& lora);

}  // namespace gpuplan
