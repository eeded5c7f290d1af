// Which layers of a Hugging Face configuration see only a sliding window.
#pragma once

#include "input/models/config_fields.h"
#include "input/models/config_states.h"
#include "input/models/model_config.h"
#include "input/models/model_families.h"

namespace gpuplan {

/// Sets `window` and `window_layers` of the shape, whose layers are known: those listed, else by the family's rule.
void read_windows(const Fields& fields, const ModelFamily& family, const LayerKinds& kinds, ModelConfig& out);

}  // namespace gpuplan
