// GPUs and models of the catalogue that a plan's names mean.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"

namespace gpuplan::audit {

/// GPUs that are sold together under this one's name: 2 of an MI250X, whose data sheet is that of both, 4 on an A16.
int gpus_of_package(const Gpu& gpu);

/// Memory that such a card is said to have: its own, that of its package, and what its other names say. GB.
std::vector<double> sizes_of(const Gpu& gpu);
/// So close to one of them that it is the same: lists state 1000 for 1024, and what is left of a card.
bool has_size(const Gpu& gpu, double gigabytes);

/// A model of the catalogue with the bytes of its name in a text.
struct NamedModel {
  const ModelShape* model = nullptr;  ///< nullptr: none, or several
  std::size_t from = 0, to = 0;
};
/// The one model that a text names: "Llama-3.1-8B", "Mixtral 8x7B".
NamedModel model_in(const Catalogue& catalogue, std::string_view text);

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
