// Names numbered as they are met.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

namespace gpuplan {

class Numbered {
 public:
  /// The number of a name: 0, 1, ... in the order of first use.
  std::size_t of(const std::string& name) { return numbers_.emplace(name, numbers_.size()).first->second; }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace gpuplan
