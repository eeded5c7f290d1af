#include "cli/options/sketch_options.h"

#include <algorithm>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "domain/work/job.h"

namespace gpuplan::cli {
namespace {

template <HasNames E>
std::vector<std::string> choices() {
  const auto names = all_names<E>();
  return {names.begin(), names.end()};
}

Completes completion_of(std::string_view flag) {
  if (flag == "--model") return Completes::kModels;
  return flag == "--gpu" ? Completes::kGpus : Completes::kNothing;
}

/// Names that a shell can offer; what is wrong is told by the reader of jobs.
std::vector<std::string> choices_of(std::string_view flag) {
  if (flag == "--method") return choices<Method>();
  if (flag == "--situation") return choices<Situation>();
  if (flag == "--spot") return choices<SpotUse>();
  if (flag == "--goal") return choices<Goal>();
  return {};
}

void add(CommandSpec& command, std::string_view name, Target target, std::string_view help, std::string_view value,
         std::string group, bool commas) {
  OptionSpec option{.names = std::string(name), .target = target, .help = std::string(help)};
  option.value = value;
  option.choices = choices_of(name);
  if (!option.choices.empty()) option.help += ": " + listed(option.choices, "or");
  std::vector<std::string> others;
  for (const FlagAlias& alias : flag_aliases())
    if (alias.flag == name) others.emplace_back(alias.name);
  if (!others.empty()) option.help += " (also " + join(others, ", ") + ")";
  option.loose = true;
  option.completes = completion_of(name);
  option.group = std::move(group);
  option.commas = commas;
  command.options.push_back(std::move(option));
}

}  // namespace

void add_sketch_options(CommandSpec& command, Sketch& sketch) {
  const std::string group = "Describe the job (instead of a job file)";
  bool generate = false;
  for (const SketchFlag& flag : sketch_flags()) {
    if (flag.part == SketchFlag::Part::kGeneration && !generate) {
      generate = true;
      command.options.push_back(
          {.names = "--generate", .target = &sketch.generate, .help = "generate text instead of training"});
      command.options.back().group = group;
      command.options.push_back({.names = "--forward-only",
                                 .target = &sketch.forward_only,
                                 .help = "read the prompts and write nothing, as for embeddings (--new 0)"});
      command.options.back().group = group;
    }
    add(command, flag.name, &(sketch.*flag.text), flag.help, flag.value, group, false);
  }
}

void add_aliases(CommandSpec& command) {
  const auto names = flags_of(command);
  const auto has = [&](std::string_view flag) { return std::ranges::find(names, flag) != names.end(); };
  for (const FlagAlias& alias : flag_aliases())
    if (has(alias.flag) && !has(alias.name))
      command.aliases.push_back({std::string(alias.name), std::string(alias.flag), std::string(alias.value)});
}

void add_wish_options(CommandSpec& command, Wishes& wishes) {
  const std::string group = "Constraints and preferences";
  for (const WishFlag& flag : wish_flags()) {
    // A region may have a comma of its own, "Secaucus, United States": who reads the job takes lists apart.
    const bool commas = flag.list != &Wishes::regions;
    if (flag.list != nullptr) add(command, flag.name, &(wishes.*flag.list), flag.help, flag.value, group, commas);
    else add(command, flag.name, &(wishes.*flag.text), flag.help, flag.value, group, false);
  }
}

std::string flag_words(const Sketch& sketch, const Wishes& wishes) {
  std::string text;
  const auto add_word = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += " " + std::string(name) + " " + shell_word(value);
  };
  bool work = false;
  for (const SketchFlag& flag : sketch_flags()) {
    if (flag.part != SketchFlag::Part::kModel && !work) {
      work = true;
      if (sketch.generate) text += " --generate";
      if (sketch.forward_only) text += " --forward-only";
    }
    add_word(flag.name, sketch.*flag.text);
  }
  for (const WishFlag& flag : wish_flags())
    for (const std::string& value : said_by(wishes, flag)) add_word(flag.name, value);
  return text;
}

}  // namespace gpuplan::cli
