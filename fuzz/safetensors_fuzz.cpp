// Any bytes as the beginning of a safetensors file, and as the index of several: a shape that can be counted with, or
// one clear line.
// seeds: fuzz/seeds/*.safetensors
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "input/models/weights/safetensors.h"
#include "one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = gpuplan::read_safetensors(text, "model.safetensors");
  if (!result) check_error(result.error());
  if (result && result->shape && !(gpuplan::count_parameters(*result->shape).total() >= 0)) std::abort();
  if (const auto index = gpuplan::read_safetensors_index(text, "model.safetensors.index.json"); !index)
    check_error(index.error());
  return 0;
}
