// A setting that may be left to gpuplan, fixed, or fixed for some hardware only.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpuplan {

/// `auto`, one value, or `{by_gpu: {"8x H100 SXM": 32, "A100 SXM 80GB": 28, else: 16}}`.
template <class T>
struct PerGpu {
  struct Case {
    std::string gpu;  ///< catalogue name
    int count = 0;    ///< 0: any number
    T value{};
  };
  std::optional<T> value;  ///< for every GPU without a case; nullopt: auto
  std::vector<Case> cases;

  bool given() const { return value.has_value() || !cases.empty(); }
  /// The value for `count` GPUs of this kind; a case with a count wins over one without. Nullopt: auto.
  std::optional<T> on(const std::string& gpu, int count) const {
    const Case* best = nullptr;
    for (const Case& c : cases)
      if (c.gpu == gpu && (c.count == count || (c.count == 0 && best == nullptr))) best = &c;
    return best != nullptr ? std::optional<T>(best->value) : value;
  }
};

}  // namespace gpuplan
