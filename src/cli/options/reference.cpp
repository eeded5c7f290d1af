#include "cli/options/reference.h"

#include <array>

namespace gpuplan::cli {

std::span<const Meaning> exit_codes() {
  static constexpr std::array kCodes = {
      Meaning{"0", "done"},
      Meaning{"1", "internal failure, or the result could not be written"},
      Meaning{"2", "usage: a flag or word that is not understood"},
      Meaning{"3", "nothing fits, there is nothing to rent, or no row matches a filter"},
      Meaning{"4", "it fits, but misses the deadline or the budget"},
      Meaning{"5", "bad input: a job, model, price list or data file that can not be used"},
      Meaning{"130", "interrupted"},
  };
  return kCodes;
}

std::span<const Meaning> environment_variables() {
  static constexpr std::array kVariables = {
      Meaning{"GPUPLAN_CONFIG", "the only configuration file; empty: none"},
      Meaning{"GPUPLAN_VALUE_OF_TIME",
              "what an hour is worth, such as $40/h; over the configuration, below a job and --value-of-time"},
      Meaning{"GPUPLAN_PAGER", "pager for results longer than the terminal, in place of PAGER; empty or cat: no pager"},
      Meaning{"PAGER", "pager where GPUPLAN_PAGER is not set; less -FIRX where neither is"},
      Meaning{"NO_COLOR", "no colour, whatever it holds"},
      Meaning{"FORCE_COLOR, CLICOLOR_FORCE", "colour off a terminal, too; 0: does not ask for it"},
      Meaning{"CLICOLOR", "0: no colour on a terminal"},
      Meaning{"TERM", "dumb: no colour, no pager, no line that tells how far the work is"},
      Meaning{"COLUMNS, LINES", "size of the screen, in place of the terminal's own; 120 columns off a terminal"},
      Meaning{"XDG_CONFIG_HOME", "folder of the configuration; ~/.config where it is not set"},
  };
  return kVariables;
}

std::span<const Meaning> files() {
  static constexpr std::array kFiles = {
      Meaning{"gpuplan.toml",
              "what a person or team always means: own boxes, pools, regions, providers, quotas, value of time; looked "
              "for in the working folder and upwards"},
      Meaning{"$XDG_CONFIG_HOME/gpuplan/gpuplan.toml",
              "the same for everything that a person plans; where it is missing, gpuplan/config.toml or gpuplan.toml "
              "of that "
              "folder"},
  };
  return kFiles;
}

std::string_view program_description() {
  return "gpuplan predicts memory, time and cost of training and generation on GPUs that can be rented or are at hand, "
         "keeps the plans that nothing else beats, recommends one and says why. It works offline, rents nothing and "
         "sends nothing anywhere.";
}

std::span<const Meaning> first_examples() {
  static constexpr std::array kExamples = {
      Meaning{"which GPU for my LoRA run?", "gpuplan plan --model Qwen2.5-7B --tokens 10M --method lora"},
      Meaning{"what would it cost on spot?", "gpuplan plan --model Qwen2.5-7B --tokens 10M --method lora --spot only"},
      Meaning{"does it fit on my 4090?", "gpuplan fit Qwen2.5-7B --gpu \"RTX 4090\""},
      Meaning{"the job as a file, to go on with",
              "gpuplan init --model Qwen2.5-7B --tokens 10M --method lora -o job.yaml"},
      Meaning{"what if I double the data?", "gpuplan whatif job.yaml --set tokens=x2"},
      Meaning{"by tomorrow, and why?", "gpuplan plan job.yaml --set deadline=\"12 h\" --explain"},
  };
  return kExamples;
}

std::vector<CommandGroup> grouped(const std::vector<CommandSpec>& commands) {
  struct Title {
    Group group;
    std::string_view title;
  };
  static constexpr std::array kTitles = {Title{Group::kPlans, "Plans"}, Title{Group::kFacts, "Facts"},
                                         Title{Group::kTools, "Files and shell"}};
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
