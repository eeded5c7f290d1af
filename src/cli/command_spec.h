// What a command takes, declared once: parsing, --help, hints, completions and manual pages all come from it.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpuplan::cli {

/// Where the text of an option goes. Lists: an option may be given again; lists of numbers also take "1,2,4".
using Target = std::variant<bool*, std::string*, std::vector<std::string>*, int*, std::uint64_t*, std::vector<int>*>;

/// What a shell offers after an option.
enum class Completes { kNothing, kFiles, kFolders, kGpus, kModels };

/// A flag ("--json", "-o,--output") or, without dashes, a word of the command line.
struct OptionSpec {
  std::string names;
  Target target;
  std::string help;
  std::string value{};                 ///< what stands for its value in texts: "FILE.csv"; empty for flags
  std::vector<std::string> choices{};  ///< the values allowed; empty: any
  Completes completes = Completes::kNothing;
  bool required = false;
  int least = INT_MIN, most = INT_MAX;  ///< of whole numbers
};

struct CommandSpec {
  std::string name;
  std::string summary;   ///< one line
  std::string examples;  ///< lines of two blanks and a command
  std::string notes{};   ///< how to read the result; last in the help
  std::vector<OptionSpec> words{};
  std::vector<OptionSpec> options{};
  std::function<int()> run{};  ///< with the targets filled; returns the exit code
};

}  // namespace gpuplan::cli
