// Names numbered as they are met.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace gpuplan {

class Numbered {
 public:
  /// The number of a name: 0, 1, ... in the order of first use.
  std::size_t of(const std::string& name) {
    const auto found = std::ranges::find(names_, name);
    const auto number = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(name);
    return number;
  }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

}  // namespace gpuplan
