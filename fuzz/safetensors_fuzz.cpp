// Any bytes as the beginning of a safetensors file, and as the index of several: a shape that can be counted with, or
// one clear line. seeds: fuzz/seeds/*.safetensors
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "input/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = gpuplan::read_safetensors(text, "model.safetensors");
  if (!result && (result.error().message.empty() || result.error().message.find('\n') != std::string::npos))
    std::abort();
  if (result && result->shape && !(gpuplan::count_parameters(*result->shape).total() >= 0)) std::abort();
  (void)gpuplan::read_safetensors_index(text, "model.safetensors.index.json");
  return 0;
}
