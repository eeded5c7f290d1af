// The parts of a GGUF file, before anybody asks what they mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/hardware/precision.h"

namespace gpuplan {

/// A value of the metadata. Of arrays only the length and the extremes of their numbers are kept.
struct GgufValue {
  std::string_view key;
  double number = 0;  ///< of an array the largest
  double least = 0;   ///< of an array the smallest, else `number`
  std::string_view text;
  std::uint64_t length = 0;  ///< of an array
  bool is_text = false, is_array = false;
};

struct GgufTensor {
  std::string_view name;
  std::vector<double> dims;  ///< fastest first
  double elements = 0;
  double bytes = 0;
  Format format = Format::kFp16;  ///< nearest one known here
};

/// Views look into the text.
struct GgufFile {
  std::vector<GgufValue> values;
  std::vector<GgufTensor> tensors;

  const GgufValue* find(std::string_view key) const;
};

Result<GgufFile> read_gguf_file(std::string_view start, const std::string& file);

}  // namespace gpuplan
