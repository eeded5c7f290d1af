// data/interfaces. index.csv: programs whose flags and keys launch scripts write, and the versions that are known to
// have them.
#pragma once

#include <array>
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

/// A flag or key of one of kArgumentTables, in the versions that scripts install.
struct InterfaceRow {
  std::string section, name;
  std::string type;     ///< "int", "int|float", "flag", "any", ...
  std::string choices;  ///< "a|b"; empty: any
  std::string until;    ///< the last version that has it; empty: the newest that was read has it too
};

/// Tables of data/interfaces that arguments of a job are held against; compiled in, too.
inline constexpr std::array<std::string_view, 7> kArgumentTables = {"megatron",     "nanochat", "sglang", "torchtitan",
                                                                    "transformers", "trl",      "vllm"};
/// Rows of a table. What stands below another section is written along with that row's name before it:
/// "training.seq_len". Fails for a table that is none.
Result<std::vector<InterfaceRow>> read_interface_rows(std::string_view text, std::string_view file);

/// The row of that name, however it is spelled (warmup_steps, --warmup-steps); nullptr: the program has none.
const InterfaceRow* interface_row(std::string_view program, std::string_view section, std::string_view name);
/// The rows of a section, those that only older versions have among them.
std::vector<const InterfaceRow*> interface_rows(std::string_view program, std::string_view section);

}  // namespace gpuplan
