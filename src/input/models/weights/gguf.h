// Reads the beginning of a GGUF file, as llama.cpp keeps models: shape, parameters and bits of a weight.
// Format: github.com/ggml-org/ggml, docs/gguf.md, versions 2 and 3, little endian.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "domain/work/model_shape.h"

namespace gpuplan {

struct GgufModel {
  ModelShape shape;  ///< without a name; `native` is the format nearest to the bits of a weight, `published` is exact
  std::string architecture;
  std::size_t tensors = 0;
  double parameters = 0;  ///< elements of the tensors in this file
  Bytes bytes{};          ///< of the same
  double bits_per_weight = 0;
  int parts = 1;  ///< files the model is cut into; the tensors of one are counted here
  std::vector<std::string> notes;
};

/// `start` is the file or as much of its beginning as there is; the tokenizer and the list of tensors must be in it.
/// Errors say what is wrong and at which byte.
Result<GgufModel> read_gguf(std::string_view start, const std::string& file);

}  // namespace gpuplan
