#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Bytes of a number by the names of its formats.
constexpr std::array<std::pair<std::string_view, double>, 20> kFormats = {{
    {"fp32", 4},   {"float32", 4}, {"32-bit", 4},  {"bf16", 2},    {"fp16", 2},    {"float16", 2}, {"bfloat16", 2},
    {"16-bit", 2}, {"16 bit", 2},  {"fp8", 1},     {"int8", 1},    {"8-bit", 1},   {"8 bit", 1},   {"int4", 0.5},
    {"fp4", 0.5},  {"nf4", 0.5},   {"4-bit", 0.5}, {"4 bit", 0.5}, {"nvfp4", 0.5}, {"mxfp4", 0.5},
}};

/// "70B in bf16 needs 140 GB": never less than its weights.
class Weights {
 public:
  explicit Weights(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.code) continue;
      const std::string lower = to_lower(line.said.text);
      // A part of them, or what is trained beside them.
      if (has_any(lower,
                  {"per gpu",  "each gpu", "per card", "per device", "shard",   "split",    "offload", "lora",
                   "adapter",  "expert",   "moe",      "active",     "fsdp",    "zero",     "tensor",  "pipeline",
                   "parallel", "prun",     "spars",    "distil",     "not ",    "n't",      "cache",   "layer",
                   "gradient", "optimi",   "saves",    "less",       "instead", "compress", "beyond"}))
        continue;
      const auto& all = line.said.quantities;
      for (std::size_t i = 0; i + 1 < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) needs(line, lower, all[i], all[j]);
    }
  }

 private:
  void needs(const ClaimLine& line, const std::string& lower, const ClaimAmount& parameters,
             const ClaimAmount& memory) {
    constexpr double kLeast = 1e8;  // parameters
    const bool bare = parameters.dimension == ClaimDimension::kBare && parameters.text.ends_with('B');
    if ((!bare && parameters.dimension != ClaimDimension::kParameters) || parameters.low < kLeast ||
        parameters.range() || parameters.odd || memory.dimension != ClaimDimension::kBytes || memory.range() ||
        memory.odd || memory.from < parameters.to || memory.at_least)
      return;
    const std::string_view between = std::string_view(lower).substr(parameters.to, memory.from - parameters.to);
    constexpr std::size_t kLongest = 60;
    if (between.size() > kLongest || has_any(between, {".", ";", "(", " and ", "+", "/", "=", "\xC3\x97", "*"})) return;
    const bool verb =
        std::ranges::any_of(std::array<std::string_view, 12>{"needs", "need", "takes", "take", "requires", "require",
                                                             "is", "are", "uses", "weighs", "occupies", "fits in"},
                            [&](std::string_view word) { return has_word(between, word); });
    const std::string_view behind = std::string_view(lower).substr(memory.to);
    for (const std::string_view more : {" more", " extra", " additional", " less", " free", " of free"})
      if (behind.starts_with(more)) return;
    double width = 0;
    std::string_view format;
    for (const auto& [name, bytes] : kFormats) {
      if (!lower.contains(name)) continue;
      if (width != 0 && width != bytes) return;  // which of them is not said
      if (between.contains(name)) format = name;
      width = bytes;
    }
    if (!verb || format.empty()) return;
    const double weights = parameters.low * width;
    bench_.use(parameters);
    bench_.use(memory);
    // GiB are a little fewer, and 70B are 69.5.
    constexpr double kRoom = 0.9;
    if (memory.high >= kRoom * weights) return;
    bench_.find(FindingKind::kWrong, line.line, line.label, memory.text,
                "at least " + told(ClaimDimension::kBytes, weights),
                "the weights alone: " + parameters.text + " \xC3\x97 " + told(ClaimDimension::kWidth, width));
  }

  Bench& bench_;
};

}  // namespace

void check_weights(Bench& bench) { Weights(bench).check(); }

}  // namespace gpuplan::audit
