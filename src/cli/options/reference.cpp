#include "cli/options/reference.h"

#include <array>

namespace gpuplan::cli {

std::span<const Meaning> exit_codes() {
  static constexpr std::array kCodes = {
      Meaning{"0", "done"},
      Meaning{"1", "internal error, or the result could not be written"},
      Meaning{"2", "wrong usage: unknown flag, word or value on the command line"},
      Meaning{"3", "nothing fits, no offer is left, or no row matches a filter"},
      Meaning{"4", "it fits, but misses the deadline, the budget or a target"},
      Meaning{"5", "bad input: a job, model, price list or data file that cannot be used"},
      Meaning{"130", "interrupted"},
  };
  return kCodes;
}

std::span<const Meaning> environment_variables() {
  static constexpr std::array kVariables = {
      Meaning{"GPUPLAN_CONFIG", "the only settings file to read; empty: none"},
      Meaning{"GPUPLAN_RUNS", "the file of your own runs, which predictions learn from; empty: none"},
      Meaning{"GPUPLAN_STORE", "the file of stored prices (gpuplan prices import); empty: none"},
      Meaning{"GPUPLAN_VALUE_OF_TIME",
              "what an hour of your time costs, such as $40/h; overrides gpuplan.toml; a job or --value-of-time "
              "overrides it"},
      Meaning{"GPUPLAN_TODAY", "today's date for the age of prices, such as 2026-11-22 (default: the clock's)"},
      Meaning{"GPUPLAN_PAGER", "pager for results longer than the terminal, instead of PAGER; empty or cat: no pager"},
      Meaning{"PAGER", "pager if GPUPLAN_PAGER is not set (default: less -FIRX)"},
      Meaning{"NO_COLOR", "disable color, whatever the value"},
      Meaning{"FORCE_COLOR, CLICOLOR_FORCE", "color even when the output is not a terminal; 0: no effect"},
      Meaning{"CLICOLOR", "0: disable color on a terminal"},
      Meaning{"TERM", "dumb: no color, no pager, no progress line"},
      Meaning{"COLUMNS, LINES", "screen size, instead of the terminal's own; 120 columns if there is no terminal"},
      Meaning{"XDG_CONFIG_HOME", "folder for settings (default: ~/.config)"},
      Meaning{"XDG_DATA_HOME", "folder for your own runs and stored prices (default: ~/.local/share)"},
  };
  return kVariables;
}

std::span<const Meaning> files() {
  static constexpr std::array kFiles = {
      Meaning{"gpuplan.toml",
              "defaults of a person or team: own machines, cluster pools, regions, providers, quotas, value of time; "
              "read from the working folder or the nearest parent folder"},
      Meaning{
          "$XDG_CONFIG_HOME/gpuplan/gpuplan.toml",
          "the same, for everything you plan; if it is missing, gpuplan/config.toml or gpuplan.toml in that folder"},
      Meaning{"$XDG_DATA_HOME/gpuplan/prices.db", "stored prices; prices.db.ready beside it can always be deleted"},
  };
  return kFiles;
}

std::string_view program_description() {
  return "gpuplan predicts the memory, time and cost of training or running a model on GPUs you can rent or own, and "
         "recommends a plan. It works offline and never rents anything.";
}

std::span<const Meaning> first_examples() {
  static constexpr std::array kExamples = {
      Meaning{"which GPU for my LoRA run?", "gpuplan plan --model Qwen2.5-7B --tokens 10M --method lora"},
      Meaning{"what would it cost on spot?", "gpuplan plan --model Qwen2.5-7B --tokens 10M --method lora --spot only"},
      Meaning{"does it fit on my 4090?", "gpuplan fit Qwen2.5-7B --gpu \"RTX 4090\""},
      Meaning{"save the job as a file you can edit",
              "gpuplan init --model Qwen2.5-7B --tokens 10M --method lora -o job.yaml"},
      Meaning{"what if I double the data?", "gpuplan whatif job.yaml --set tokens=x2"},
      Meaning{"can it finish in 12 hours? show the reasoning",
              "gpuplan plan job.yaml --set deadline=\"12 h\" --explain"},
  };
  return kExamples;
}

std::vector<CommandGroup> grouped(const std::vector<CommandSpec>& commands) {
  struct Title {
    Group group;
    std::string_view title;
  };
  static constexpr std::array kTitles = {Title{Group::kPlans, "Plan"}, Title{Group::kFacts, "Look up"},
                                         Title{Group::kTools, "Set up"}};
  std::vector<CommandGroup> groups;
  for (const auto& [group, title] : kTitles) {
    CommandGroup& one = groups.emplace_back(CommandGroup{title, {}});
    for (const CommandSpec& command : commands)
      if (command.group == group) one.commands.push_back(&command);
    if (one.commands.empty()) groups.pop_back();
  }
  return groups;
}

}  // namespace gpuplan::cli
