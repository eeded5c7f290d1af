#include "cli/help.h"

#include <algorithm>

#include "base/text.h"

namespace gpuplan::cli {
namespace {

constexpr int kHelpWidth = 96;

struct Entry {
  std::string name, help;
};

/// Two columns; long help goes on below itself.
std::string two_columns(const std::vector<Entry>& entries) {
  int widest = 0;
  for (const Entry& entry : entries) widest = std::max(widest, display_width(entry.name));
  const int indent = std::min(widest, 26) + 4;
  std::string text;
  for (const Entry& entry : entries) {
    std::string line = "  " + entry.name;
    int column = display_width(line);
    if (column + 2 > indent) {
      text += line + '\n';
      line.clear();
      column = 0;
    }
    line.append(static_cast<std::size_t>(indent - column), ' ');
    column = indent;
    bool first = true;
    for (const std::string_view word : split(entry.help, ' ')) {
      const int size = display_width(word);
      if (!first && column + 1 + size > kHelpWidth) {
        text += line + '\n';
        line.assign(static_cast<std::size_t>(indent), ' ');
        column = indent;
        first = true;
      }
      if (!first) line += ' ';
      column += size + (first ? 0 : 1);
      line += word;
      first = false;
    }
    text += line + '\n';
  }
  return text;
}

/// "-o, --output FILE"
Entry entry_of(const OptionSpec& option) {
  std::string name;
  for (const std::string_view one : split(option.names, ',')) (name += name.empty() ? "" : ", ") += one;
  if (!option.value.empty()) name += " " + option.value;
  return {name, option.help};
}

std::vector<Entry> option_entries(const std::vector<OptionSpec>& options) {
  std::vector<Entry> entries{{"-h, --help", "this text"}};
  for (const OptionSpec& option : options)
    if (option.group.empty()) entries.push_back(entry_of(option));
  return entries;
}

/// The groups in order of appearance, each under its heading.
std::string grouped_options(const std::vector<OptionSpec>& options) {
  std::vector<std::string> done;
  std::string text;
  for (const OptionSpec& first : options) {
    if (first.group.empty() || std::ranges::find(done, first.group) != done.end()) continue;
    done.push_back(first.group);
    std::vector<Entry> entries;
    for (const OptionSpec& option : options)
      if (option.group == first.group) entries.push_back(entry_of(option));
    text += '\n' + first.group + ":\n" + two_columns(entries);
  }
  return text;
}

}  // namespace

std::string usage_line(const CommandSpec& command) {
  std::string usage = command.name;
  for (const OptionSpec& word : command.words) usage += word.required ? " " + word.value : " [" + word.value + "]";
  return usage + " [OPTIONS]";
}

std::string command_help(const CommandSpec& command) {
  std::string text =
      command.summary + "\n\nExamples:\n" + command.examples + "\nUsage: gpuplan " + usage_line(command) + '\n';
  std::vector<Entry> words;
  for (const OptionSpec& word : command.words) words.push_back({word.value, word.help});
  if (!words.empty()) text += '\n' + two_columns(words);
  text += grouped_options(command.options) + "\nOptions:\n" + two_columns(option_entries(command.options));
  if (!command.notes.empty()) text += '\n' + command.notes;
  return text;
}

std::string program_help(const std::vector<CommandSpec>& commands) {
  std::vector<Entry> entries;
  for (const CommandSpec& command : commands) entries.push_back({command.name, command.summary});
  std::vector<Entry> options = option_entries({});
  options.push_back({"--version", "print the version"});
  return "gpuplan predicts memory, time and cost of training and generation on GPUs that can be rented or are at\n"
         "hand, keeps the plans that nothing else beats, recommends one and says why. It works offline.\n"
         "\nExamples:\n"
         "  gpuplan plan examples/collection.yaml       which GPUs to rent for a job, and why\n"
         "  gpuplan plan job.yaml --set limits.deadline=\"12 h\" --explain\n"
         "  gpuplan fit Llama-3.1-8B                    which GPUs hold a model, for training and generation\n"
         "  gpuplan gpus \"memory>=80\"                   hardware; gpuplan offers H100 lists prices\n"
         "  gpuplan model Qwen2.5-7B                    shape, parameters, bytes\n"
         "\nUsage: gpuplan COMMAND [OPTIONS]\n"
         "\nCommands:\n" +
         two_columns(entries) + "\nOptions:\n" + two_columns(options) +
         "\nExit codes: 0 done, 1 internal failure, 2 usage, 3 nothing fits, 4 fits but misses the deadline or "
         "budget,\n"
         "5 bad input, 130 interrupted. Results go to standard output, messages to standard error.\n";
}

}  // namespace gpuplan::cli
