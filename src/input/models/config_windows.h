// Which layers of a Hugging Face configuration see only a sliding window.
#pragma once

#include "input/models/config_fields.h"
#include "input/models/model_config.h"
#include "input/models/model_families.h"

namespace gpuplan {

/// Sets `window` and `window_layers` of the shape, whose layers are known, from layer_types or by the family's rule.
void read_windows(const Fields& fields, const ModelFamily& family, ModelConfig& out);

}  // namespace gpuplan
