// Reads the header of a safetensors file: which tensors it holds, without their values.
// Format: github.com/huggingface/safetensors, README.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "domain/work/model_shape.h"

namespace gpuplan {

struct SafetensorsHeader {
  std::size_t tensors = 0;
  double elements = 0;  ///< of all tensors; one element of a packed tensor holds several weights
  Bytes bytes{};
  std::vector<std::pair<std::string, double>> by_type;  ///< elements by dtype as the file names it, most first
  std::optional<ModelShape> shape;  ///< what the tensors' names and sizes tell, when they are named as usual
  /// Every element is one weight: no integer tensors, in which quantisers pack several.
  bool plain() const;
  Format format() const;  ///< of most elements
};

inline constexpr std::size_t kMaxSafetensorsHeader = 100'000'000;  ///< as the reference reader allows

/// `start` is the file or as much of its beginning as there is, at least the header (8 bytes and the length they say).
Result<SafetensorsHeader> read_safetensors(std::string_view start, const std::string& file);

/// Length of the header that the first 8 bytes announce, these 8 included; the error says what is wrong with it.
Result<std::size_t> safetensors_header_bytes(std::string_view start, const std::string& file);

struct SafetensorsIndex {
  Bytes total{};
  double parameters = 0;  ///< 0: not said
  std::size_t tensors = 0;
};

/// model.safetensors.index.json of weights cut into several files.
Result<SafetensorsIndex> read_safetensors_index(std::string_view json, const std::string& file);

}  // namespace gpuplan
