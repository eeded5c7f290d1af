#include "cli/options/help.h"

#include <algorithm>

#include "base/text.h"
#include "cli/options/reference.h"
#include "output/text/table.h"

namespace gpuplan::cli {
namespace {

constexpr int kHelpWidth = 96;

struct Entry {
  std::string name, help;
};

/// Lists of commands stand in one line under each other, whatever their group.
constexpr int kCommandWidth = 13;

/// Two columns, the first at least so wide; long help goes on below itself.
std::string two_columns(const std::vector<Entry>& entries, int widest = 0) {
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

std::string as_it_is(std::string_view text) { return std::string(text); }

Entry entry_of(const OptionSpec& option) { return {option_words(option, as_it_is, as_it_is), option.help}; }

/// A paragraph as wide as the help.
std::string filled(std::string_view words) {
  std::string text;
  for (const std::string& line : wrapped(words, kHelpWidth)) text += line + '\n';
  return text;
}

std::vector<Entry> option_entries(const std::vector<OptionSpec>& options) {
  std::vector<Entry> entries{{"-h, --help", "show this help"}};
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

std::string usage_words(const CommandSpec& command, Face value) {
  std::string usage;
  if (!command.actions.empty()) usage += ' ' + value("ACTION");
  for (const OptionSpec& word : command.words)
    usage += word.required ? " " + value(word.value) : " [" + value(word.value) + "]";
  return usage + " [" + value("OPTIONS") + "]";
}

std::string option_words(const OptionSpec& option, Face name, Face value) {
  std::string words;
  for (const std::string& one : names_of(option)) (words += words.empty() ? "" : ", ") += name(one);
  return option.value.empty() ? words : words + ' ' + value(option.value);
}

std::string command_help(const CommandSpec& command) {
  std::string text = command.summary + "\n\nExamples:\n" + command.examples + "\nUsage: gpuplan " + full_name(command) +
                     usage_words(command, as_it_is) + '\n';
  std::vector<Entry> words;
  for (const CommandSpec& action : command.actions) words.push_back({action.name, action.summary});
  if (!words.empty()) text += "\nActions:\n" + two_columns(words);
  words.clear();
  for (const OptionSpec& word : command.words) words.push_back({word.value, word.help});
  if (!words.empty()) text += '\n' + two_columns(words);
  text += grouped_options(command.options) + "\nOptions:\n" + two_columns(option_entries(command.options));
  if (!command.notes.empty()) text += '\n' + command.notes;
  if (!command.actions.empty()) text += "\nFor details: gpuplan " + command.name + " ACTION --help\n";
  return text;
}

std::string program_help(const std::vector<CommandSpec>& commands) {
  std::string text = filled(program_description()) + "\nExamples:\n";
  for (const Meaning& example : first_examples())
    text += "  # " + std::string(example.name) + "\n  " + std::string(example.what) + '\n';
  text += "\nUsage: gpuplan COMMAND [OPTIONS]\n";
  for (const CommandGroup& group : grouped(commands)) {
    std::vector<Entry> entries;
    for (const CommandSpec* command : group.commands) entries.push_back({command->name, command->summary});
    text += '\n' + std::string(group.title) + ":\n" + two_columns(entries, kCommandWidth);
  }
  std::vector<Entry> options = option_entries({});
  options.push_back({"-V, --version", "show the version"});
  text += "\nOptions:\n" + two_columns(options, kCommandWidth);
  return text + "\nFor details: gpuplan COMMAND --help\n";
}

}  // namespace gpuplan::cli
