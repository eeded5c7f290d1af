#include "cli/options_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace gpuplan::cli {
namespace {

constexpr int kHelpWidth = 96;

constexpr char kNotesBegin = '\f';

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

std::string placeholder(const CLI::Option& option) {
  const std::string type = option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  return option.get_expected_max() == 0 || type.empty() ? "" : " " + type;
}

Entry option_entry(const CLI::Option& option) {
  std::string name;
  for (const std::string& letter : option.get_snames()) name += (name.empty() ? "-" : ", -") + letter;
  for (const std::string& word : option.get_lnames()) name += (name.empty() ? "--" : ", --") + word;
  return {name + placeholder(option), option.get_description()};
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::string usage = name;
    std::vector<Entry> positionals, options, commands;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group().empty()) continue;
      if (option->nonpositional()) {
        options.push_back(option_entry(*option));
      } else {
        const std::string word = option->get_option_text();
        usage += option->get_required() ? " " + word : " [" + word + "]";
        positionals.push_back({word, option->get_description()});
      }
    }
    for (const CLI::App* command : app->get_subcommands({})) {
      commands.push_back({command->get_name(), command->get_description()});
    }
    usage += commands.empty() ? " [OPTIONS]" : " COMMAND [OPTIONS]";

    const std::string footer = app->get_footer();
    const std::size_t notes = footer.find(kNotesBegin);
    std::string text =
        app->get_description() + "\n\nExamples:\n" + footer.substr(0, notes) + "\nUsage: " + usage + '\n';
    if (!positionals.empty()) text += '\n' + two_columns(positionals);
    if (!commands.empty()) text += "\nCommands:\n" + two_columns(commands);
    if (!options.empty()) text += "\nOptions:\n" + two_columns(options);
    if (!commands.empty()) {
      text +=
          "\nExit codes: 0 done, 1 internal failure, 2 usage, 3 nothing fits, 4 fits but misses the deadline or "
          "budget,\n"
          "5 bad input, 130 interrupted. Results go to standard output, messages to standard error.\n";
    }
    if (notes != std::string::npos) text += '\n' + footer.substr(notes + 1);
    return text;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

std::string with_notes(const std::string& notes) { return kNotesBegin + notes; }

}  // namespace gpuplan::cli
