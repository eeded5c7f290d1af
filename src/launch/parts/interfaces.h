// interfaces/index.csv: programs whose flags and keys launch scripts write, and the versions that are known to have
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpuplan {

/// What stands in data/interfaces/NAME.csv was read from `from` on and before `before`; either may be empty.
struct Interface {
  std::string name;
  std::string package;  ///< as pip calls it; empty: none
  std::string from, before;
  std::string date;  ///< of the source that was read; empty: documentation
};

Result<std::vector<Interface>> read_interfaces(std::string_view text, std::string_view file);

/// nullptr: no such program. The table is compiled in.
const Interface* interface_of(std::string_view name);

}  // namespace gpuplan
