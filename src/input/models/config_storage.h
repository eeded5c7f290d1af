// How the weights that a Hugging Face configuration describes are stored.
#pragma once

#include "input/models/config_fields.h"
#include "input/models/model_config.h"

namespace gpuplan {

/// Sets `native` of the shape from dtype (torch_dtype before transformers 5) and quantization_config, of the language
/// model's part or of the whole, and notes what that means.
void read_storage(const Fields& fields, const Fields& top, ModelConfig& out);

}  // namespace gpuplan
