#include "cli/options/manual.h"

#include <array>
#include <cstdint>

#include "base/text.h"
#include "cli/options/help.h"
#include "cli/options/reference.h"
#include "output/words/plan_words.h"

namespace gpuplan::cli {
namespace {

/// A character outside ASCII by its number, which roff understands in every encoding.
std::string by_number(std::string_view character) {
  auto number = static_cast<std::uint32_t>(static_cast<unsigned char>(character[0]));
  number &= character.size() == 2 ? 0x1FU : character.size() == 3 ? 0x0FU : 0x07U;
  for (const char c : character.substr(1)) number = (number << 6) | (static_cast<unsigned char>(c) & 0x3FU);
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (; number > 0 || digits.size() < 4; number /= 16) digits.insert(digits.begin(), kDigits[number % 16]);
  return "\\[u" + digits + "]";
}

/// Text that roff prints as it is.
std::string plain(std::string_view text) {
  std::string result;
  bool line_starts = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const char c = text[at];
    if (line_starts && (c == '.' || c == '\'')) result += "\\&";
    line_starts = c == '\n';
    if (c == '\\') result += "\\e";
    else if (c == '-') result += "\\-";
    else if (c == '\'') result += "\\(aq";
    else if (c == '`') result += "\\(ga";
    else if (c == '^') result += "\\(ha";
    else if (c == '~') result += "\\(ti";
    else if (text.substr(at, length) == "✔") result += "\\(OK";  // its number is not in the fonts of terminals
    else if (length > 1) result += by_number(text.substr(at, length));
    else result += c;
    at += length > 0 ? length : 1;
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string slanted(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string section(std::string_view title) { return ".SH " + std::string(title) + '\n'; }

std::string entry(const std::string& name, std::string_view what) { return ".TP\n" + name + '\n' + plain(what) + '\n'; }

std::string entries(std::span<const Meaning> list) {
  std::string text;
  for (const Meaning& one : list) text += entry(bold(one.name), one.what);
  return text;
}

/// Lines kept as they are.
std::string kept(std::string_view lines) { return ".EX\n" + plain(lines) + ".EE\n"; }

std::string header(const std::string& name) {
  std::string title;
  for (const char c : name) title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return ".\\\" Written by gpuplan man.\n.TH " + plain(title) +
         " 1 \"" GPUPLAN_DATE "\" \"gpuplan " GPUPLAN_VERSION "\" \"gpuplan\"\n";
}

std::string name_line(const std::string& name, std::string_view summary) {
  return section("NAME") + plain(name) + " \\- " + plain(summary) + '\n';
}

std::string option_help(const OptionSpec& option) {
  if (option.choices.empty() || option.loose) return option.help;  // loose ones name them in words
  return option.help + " (" + join(option.choices, ", ") + ")";
}

std::string ends() {
  return section("EXIT STATUS") + entries(exit_codes()) + section("ENVIRONMENT") + entries(environment_variables()) +
         section("FILES") + entries(files());
}

/// What an action does, its words and notes.
std::string action_manual(const CommandSpec& action) {
  std::string text = ".SS " + plain(full_name(action)) + '\n' + plain(upper_first(action.summary)) + ".\n";
  for (const OptionSpec& word : action.words) text += entry(slanted(word.value), option_help(word));
  if (!action.notes.empty()) text += ".PP\n" + kept(action.notes);
  return text + ".PP\n" + kept(action.examples);
}

/// The options of an action, under its name.
std::string action_options(const CommandSpec& action) {
  std::string text = ".SS " + plain(full_name(action)) + '\n';
  for (const OptionSpec& option : action.options)
    text += entry(option_words(option, bold, slanted), option_help(option));
  return text;
}

std::string page_name(const CommandSpec& command) { return "gpuplan-" + command.name; }

std::string see_also(const std::vector<std::string>& pages) {
  std::string text = section("SEE ALSO");
  for (std::size_t i = 0; i < pages.size(); ++i)
    text += ".BR " + plain(pages[i]) + (i + 1 < pages.size() ? " (1),\n" : " (1)\n");
  return text;
}

}  // namespace

std::string program_manual(const std::vector<CommandSpec>& commands) {
  std::string text =
      header("gpuplan") + name_line("gpuplan", "plans for GPU jobs: memory, time, cost, and what to rent");
  text += section("SYNOPSIS") + bold("gpuplan") + ' ' + slanted("COMMAND") + " [" + slanted("OPTIONS") + "]\n";
  text += section("DESCRIPTION") + plain(program_description()) + '\n';
  text += section("EXAMPLES");
  for (const Meaning& example : first_examples())
    text += ".TP\n" + plain(example.name) + '\n' + bold(example.what) + '\n';
  text += section("COMMANDS");
  std::vector<std::string> pages;
  for (const CommandGroup& group : grouped(commands)) {
    text += ".SS " + plain(group.title) + '\n';
    for (const CommandSpec* command : group.commands) {
      text += entry(bold("gpuplan " + command->name), command->summary);
      pages.push_back(page_name(*command));
    }
  }
  text += section("OPTIONS") + entry(bold("-h") + ", " + bold("--help"), "the help, of a command when after one");
  text += entry(bold("-V") + ", " + bold("--version"), "print the version");
  return text + ends() + see_also(pages);
}

std::string command_manual(const CommandSpec& command, const std::vector<CommandSpec>& commands) {
  std::string text = header(page_name(command)) + name_line(page_name(command), command.summary);
  text += section("SYNOPSIS");
  for (const CommandSpec* one : doers(command))
    text += (one == doers(command).front() ? "" : ".br\n") + bold("gpuplan " + full_name(*one)) +
            usage_words(*one, slanted) + '\n';
  text += section("DESCRIPTION") + plain(upper_first(command.summary)) + ".\n";
  for (const OptionSpec& word : command.words) text += entry(slanted(word.value), option_help(word));
  for (const CommandSpec& action : command.actions) text += action_manual(action);
  if (!command.notes.empty()) text += ".PP\n" + kept(command.notes);
  text += section("EXAMPLES") + kept(command.examples);
  text += section("OPTIONS") + entry(bold("-h") + ", " + bold("--help"), "the help");
  for (const OptionSpec& option : command.options)
    text += entry(option_words(option, bold, slanted), option_help(option));
  for (const CommandSpec& action : command.actions) text += action_options(action);
  std::vector<std::string> pages = {"gpuplan"};
  for (const CommandSpec& other : commands)
    if (other.name != command.name && other.group == command.group) pages.push_back(page_name(other));
  return text + ends() + see_also(pages);
}

}  // namespace gpuplan::cli
