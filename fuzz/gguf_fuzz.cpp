// Any bytes as the beginning of a GGUF file: a shape that can be counted with, or one clear line.
// seeds: fuzz/seeds/*.gguf
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "input/models/weights/gguf.h"
#include "one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = gpuplan::read_gguf(text, "model.gguf");
  if (!result) check_error(result.error());
  if (result && !(gpuplan::count_parameters(result->shape).total() >= 0)) std::abort();
  return 0;
}
