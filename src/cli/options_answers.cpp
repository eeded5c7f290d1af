#include "cli/options_answers.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace gpuplan::cli {
namespace {

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return did_you_mean(word, candidates);
}

std::string unexpected(const CLI::App& app, const std::string& word) {
  const std::string flag = word.substr(0, word.find('='));
  if (!flag.starts_with('-')) return "unexpected '" + printable(word) + "': one subject at a time";
  const std::vector<std::string> known = flags_of(app);
  if (std::ranges::find(known, flag) != known.end()) return "write " + flag + " after the command";
  return "unknown option '" + printable(flag) + "'" + suggestion(flag, known);
}

}  // namespace

Answer answer_to(const CLI::ParseError& error, const CLI::App& program, const CLI::App& app) {
  const std::string name = &app == &program ? "gpuplan" : "gpuplan " + app.get_name();
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (error.get_name() == "CallForHelp") return {kDone, app.help(&app == &program ? "" : "gpuplan")};
  if (error.get_name() == "CallForVersion") return {kDone, program.version() + "\n"};
  std::string message;
  const std::vector<std::string> extra = program.remaining(true);
  if (kind == CLI::ExitCodes::ExtrasError && !extra.empty()) {
    message = unexpected(app, extra.front());
  } else if (kind == CLI::ExitCodes::RequiredError) {
    for (const CLI::Option* option : app.get_options())
      if (option->get_required() && option->count() == 0)
        message = option->get_option_text() + " is missing: " + option->get_description();
  }
  if (message.empty()) message = printable(error.what());
  return {kUsage, name + ": " + message + (message.ends_with('?') ? " See " : "; see ") + name + " --help"};
}

std::string unknown_command(const std::string& word, const std::vector<std::string>& commands) {
  std::string hint = suggestion(word, commands);
  // The commonest slip: the job without the verb.
  const std::string lower = to_lower(word);
  if (lower.ends_with(".yaml") || lower.ends_with(".yml") || lower.ends_with(".json"))
    hint = "; did you mean gpuplan plan " + printable(word) + "?";
  return "gpuplan: unknown command '" + printable(word) + "'" + (hint.empty() ? "." : hint) +
         " Commands: " + join(commands, ", ");
}

}  // namespace gpuplan::cli
