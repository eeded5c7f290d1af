// Reads the shape of a network from a Hugging Face config.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/work/model_shape.h"

namespace gpuplan {

struct ModelConfig {
  ModelShape shape;  ///< without a name; `native` is how the weights are stored, quantisation included
  std::string model_type;
  std::vector<std::string> notes;  ///< what was assumed or left out, a sentence each
};

/// `file` is the name used in places. An error says which key is missing or wrong and what was expected. Language
/// models inside multimodal ones (text_config) are read; what stands beside them is left out with a note.
Result<ModelConfig> read_model_config(std::string_view json, const std::string& file);

}  // namespace gpuplan
