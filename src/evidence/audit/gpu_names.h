// GPUs of the catalogue that a plan's short names mean.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"

namespace gpuplan::audit {

class GpuNames {
 public:
  /// The catalogue must outlive it.
  explicit GpuNames(const Catalogue& catalogue) : catalogue_(catalogue) {}

  /// All whose name begins with the words of a GpuMention::key: "a100" is A100 SXM and PCIe, not A1000.
  const std::vector<const Gpu*>& named(const std::string& key);
  /// The key as the catalogue writes it: "RTX 4090"; the key itself where it is no words of a name.
  std::string written(const std::string& key);

 private:
  const Catalogue& catalogue_;
  std::map<std::string, std::vector<const Gpu*>> named_;
};

}  // namespace gpuplan::audit
