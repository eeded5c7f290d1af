#include "domain/facts/published_weights.h"

#include <algorithm>
#include <array>

namespace gpuplan {
namespace {

/// Engines that round to 8 bits while they load, by their documentation: vLLM's and SGLang's --quantization fp8, TGI's
/// --quantize fp8 and bitsandbytes, BitsAndBytesConfig of transformers.
constexpr std::array<std::string_view, 3> kMakeFp8 = {"vllm", "sglang", "tgi"};
constexpr std::array<std::string_view, 3> kMakeInt8 = {"hf", "hf-compiled", "tgi"};

}  // namespace

bool made_while_loading(Format weights, std::string_view engine) {
  const auto among = [&](const auto& names) { return std::ranges::find(names, engine) != names.end(); };
  switch (weights) {
    case Format::kFp32:
    case Format::kFp16:
    case Format::kBf16:
    case Format::kNf4:  // bitsandbytes, everywhere
      return true;
    case Format::kFp8:
      return among(kMakeFp8);
    case Format::kInt8:
      return among(kMakeInt8);
    default:
      return false;
  }
}

Format published_format(Format native, Format weights, std::string_view engine) {
  // What is smaller than asked for is taken as it is.
  if (made_while_loading(weights, engine) || bits_of(native) <= bits_of(weights)) return native;
  return weights;
}

}  // namespace gpuplan
