#include "input/models/config_storage.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace gpuplan {
namespace {

std::optional<Format> format_named(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  if (name.starts_with("float8")) return Format::kFp8;
  return from_name<Format>(name);
}

/// What quantization_config says, by quant_method; nullopt for one that is not known.
std::optional<Format> quantised_format(const Fields& from) {
  const std::string_view method = from.word({"quant_method"});
  if (method == "bitsandbytes") {
    if (from.flag("load_in_8bit", false)) return Format::kInt8;
    if (from.flag("load_in_4bit", false)) return Format::kNf4;
  }
  if (method == "gptq" || method == "awq") return from.integer({"bits"}, 4, 64) == 8 ? Format::kInt8 : Format::kInt4;
  if (method == "fp8" || method == "fbgemm_fp8") return Format::kFp8;
  if (method == "exl2") return Format::kExl2;
  if (method == "mxfp4") return Format::kMxfp4;
  if (method == "compressed-tensors") {
    const Fields group = from.inside("config_groups").first_inside();
    const Fields weights = group.inside("weights");
    const Fields inputs = group.inside("input_activations");
    if (inputs.valid() && inputs.word({"type"}) == "int" && inputs.integer({"num_bits"}, 0, 64) == 8)
      return weights.integer({"num_bits"}, 8, 64) == 4 ? Format::kW4A8 : Format::kW8A8;
    const bool real = weights.word({"type"}) == "float";
    const int bits = weights.integer({"num_bits"}, 0, 64);
    if (bits == 8) return real ? Format::kFp8 : Format::kInt8;
    if (bits == 4) return real ? Format::kNvfp4 : Format::kInt4;
  }
  if (method == "modelopt") {
    const std::string_view algorithm = from.word({"quant_algo"});
    if (algorithm.starts_with("FP8")) return Format::kFp8;
    if (algorithm.starts_with("NVFP4")) return Format::kNvfp4;
  }
  return std::nullopt;
}

}  // namespace

void read_storage(const Fields& fields, const Fields& top, ModelConfig& out) {
  const auto dtype_of = [](const Fields& from) { return from.word({"dtype", "torch_dtype"}); };
  const std::string_view dtype = dtype_of(fields).empty() ? dtype_of(top) : dtype_of(fields);
  out.shape.native = format_named(dtype).value_or(Format::kBf16);
  if (!dtype.empty() && !format_named(dtype))
    out.notes.push_back("dtype '" + printable(dtype, 40) + "' is unknown: bf16 assumed");

  const Fields inner = fields.inside("quantization_config");
  const Fields quantised = inner.valid() ? inner : top.inside("quantization_config");
  if (!quantised.valid()) return;
  const std::string method = printable(quantised.word({"quant_method"}), 40);
  const auto format = quantised_format(quantised);
  if (!format) {
    out.notes.push_back("quantization_config '" + method + "' is unknown and ignored");
    return;
  }
  out.shape.native = *format;
  out.notes.push_back("weights are stored as " + std::string(name_of(*format)) + " (" + method +
                      "): for training that means a frozen base");
}

}  // namespace gpuplan
