// What a command takes, declared once: parsing, --help, hints, completions and manual pages all come from it.
#pragma once

#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// Where the text of an option goes. Lists: an option may be given again; lists of numbers also take "1,2,4".
using Target = std::variant<bool*, std::string*, std::vector<std::string>*, int*, std::uint64_t*, std::vector<int>*>;

/// What a shell offers after an option.
enum class Completes { kNothing, kFiles, kFolders, kGpus, kModels, kCommands };

/// Which question of the reader a command is for; the help lists them by this.
enum class Group { kPlans, kFacts, kTools };

/// A flag ("--json", "-o,--output") or, without dashes, a word of the command line.
struct OptionSpec {
  std::string names;
  Target target;
  std::string help;
  std::string value{};                 ///< what stands for its value in texts: "FILE.csv"; empty for flags
  std::vector<std::string> choices{};  ///< the values allowed; empty: any
  Completes completes = Completes::kNothing;
  bool required = false;
  std::string group{};                  ///< heading that it stands under in help; empty: "Options"
  bool loose = false;                   ///< choices are what a shell offers; the command itself checks the value
  bool commas = false;                  ///< a list of texts may be written with commas
  int least = INT_MIN, most = INT_MAX;  ///< of whole numbers
  std::string one_of{};                 ///< at most one of the flags that share this word may be given
};

/// Another spelling: "--seq-len 512" is "--sequence 512"; with a value, "--lora" is "--method lora".
struct AliasSpec {
  std::string name, flag, value{};
};

struct CommandSpec {
  std::string name;
  Group group = Group::kPlans;
  std::string summary;   ///< one line
  std::string examples;  ///< lines of two blanks and a command
  std::string notes{};   ///< how to read the result; last in the help
  std::vector<OptionSpec> words{};
  std::vector<OptionSpec> options{};
  std::vector<AliasSpec> aliases{};
  /// What the word after the command chooses from, each with words and options of its own; the command has none then.
  std::vector<CommandSpec> actions{};
  std::string of{};  ///< of an action: its command, "prices"

  std::shared_ptr<const void> filled{};        ///< the struct that holds the targets
  int (*run)(System&, const void*) = nullptr;  ///< with the targets filled; returns the exit code
};

/// "plan"; of an action "prices import".
std::string full_name(const CommandSpec& command);
/// What a command does: itself, or each of its actions.
std::vector<const CommandSpec*> doers(const CommandSpec& command);
/// The names of its actions, one by one.
std::vector<std::string> action_names(const CommandSpec& command);
/// The names of an option, "-o,--output", one by one.
std::vector<std::string> names_of(const OptionSpec& option);
/// True when a value follows the option.
bool takes_value(const OptionSpec& option);
/// "--help" and the long names of every option.
std::vector<std::string> flags_of(const CommandSpec& command);

/// Makes `action` one of the command's.
void add_action(CommandSpec& command, CommandSpec action);

/// What the command does with its options.
template <auto kRun, class Options>
void set_run(CommandSpec& command, std::shared_ptr<Options> options) {
  command.filled = std::move(options);
  command.run = [](System& system, const void* filled) { return kRun(system, *static_cast<const Options*>(filled)); };
}

}  // namespace gpuplan::cli
