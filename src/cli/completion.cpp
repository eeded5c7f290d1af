#include "cli/completion.h"

#include "base/text.h"

namespace gpuplan::cli {

std::vector<std::string> names_of(const OptionSpec& option) {
  std::vector<std::string> names;
  for (const std::string_view name : split(option.names, ',')) names.emplace_back(name);
  return names;
}

bool takes_value(const OptionSpec& option) { return !std::holds_alternative<bool*>(option.target); }

}  // namespace gpuplan::cli
