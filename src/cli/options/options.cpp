#include "cli/options/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/options/help.h"
#include "input/declaration/other_words.h"

namespace gpuplan::cli {
namespace {

/// CLI11 reads -1 as a large unsigned number.
std::string whole_number(const std::string& text) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits && text.size() < 20 ? "" : "'" + printable(text, 40) + "' is not a whole number (0 or more)";
}

bool is_word(const OptionSpec& spec) { return !spec.names.starts_with('-'); }

/// Declares one option to CLI11; it fills the target.
struct Declare {
  CLI::App& app;
  const OptionSpec& spec;

  CLI::Option* operator()(bool* target) const { return app.add_flag(spec.names, *target, spec.help); }
  CLI::Option* operator()(std::string* target) const { return once(app.add_option(spec.names, *target, spec.help)); }
  CLI::Option* operator()(std::vector<std::string>* target) const {
    CLI::Option* option = app.add_option(spec.names, *target, spec.help);
    if (spec.commas) option->delimiter(',');
    return is_word(spec) ? option : repeated(option);
  }
  CLI::Option* operator()(int* target) const { return ranged(once(app.add_option(spec.names, *target, spec.help))); }
  CLI::Option* operator()(std::uint64_t* target) const {
    return once(app.add_option(spec.names, *target, spec.help))->check(whole_number);
  }
  CLI::Option* operator()(std::vector<int>* target) const {
    return ranged(repeated(app.add_option(spec.names, *target, spec.help)->delimiter(',')));
  }

 private:
  /// misused_flag tells of a second one, in words of ours.
  static CLI::Option* once(CLI::Option* option) {
    return option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  /// One value each time: in "--provider aws job.yaml" the job is none. Files may follow one another.
  CLI::Option* repeated(CLI::Option* option) const {
    return option->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(spec.completes == Completes::kFiles);
  }
  CLI::Option* ranged(CLI::Option* option) const { return option->check(CLI::Range(spec.least, spec.most)); }
};

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return did_you_mean(word, candidates);
}

/// "TABLE,..." is a list of tables: "table".
std::string noun_of(const OptionSpec& spec) {
  const std::string noun = to_lower(spec.value.substr(0, spec.value.find_first_of(",.")));
  // A value that is its only choice says nothing about its kind.
  return std::ranges::find(spec.choices, noun) == spec.choices.end() ? noun : "value";
}

/// Empty when the text is one of the choices.
std::string wrong_choice(const OptionSpec& spec, const std::string& text) {
  if (std::ranges::find(spec.choices, text) != spec.choices.end()) return "";
  const std::string hint = suggestion(text, spec.choices);
  return "unknown " + noun_of(spec) + " '" + printable(text, 40) + "'" +
         (hint.empty() ? "; expected " + listed(spec.choices, "or") : hint);
}

void declare(CLI::App& app, const OptionSpec& spec) {
  CLI::Option* option = std::visit(Declare{app, spec}, spec.target);
  if (!spec.value.empty()) option->option_text(spec.value);
  if (!spec.choices.empty() && !spec.loose)
    option->check([&spec](const std::string& text) { return wrong_choice(spec, text); });
  option->required(spec.required);
}

/// Of the many options of a command a call names a few, and CLI11 compares each that it is told of with all others.
/// Meant may be what is named in full, and by one dash whatever has a short name: others or a value may follow it
/// ("-oFILE").
bool may_be_meant(const OptionSpec& spec, const std::vector<std::string>& words) {
  if (spec.required) return true;
  const std::vector<std::string> names = names_of(spec);
  const bool is_short = std::ranges::any_of(names, [](const std::string& name) { return !name.starts_with("--"); });
  return std::ranges::any_of(words, [&](const std::string& word) {
    if (!word.starts_with("--")) return is_short && word.starts_with('-');
    return std::ranges::find(names, word.substr(0, word.find('='))) != names.end();
  });
}

/// "give --provider NAME" is none to a command without that flag.
bool can_follow(const CommandSpec& command, std::string_view advice) {
  constexpr std::string_view kGive = "give --";
  if (!advice.starts_with(kGive)) return true;
  const std::string_view flag = advice.substr(kGive.size() - 2, advice.find(' ', kGive.size()) - (kGive.size() - 2));
  const std::vector<std::string> known = flags_of(command);
  return std::ranges::find(known, flag) != known.end();
}

std::string unexpected_word(const CommandSpec& command, const std::string& word) {
  const std::string flag = word.substr(0, word.find('='));
  if (!flag.starts_with('-')) return "unexpected '" + printable(word) + "': only one at a time";
  for (const AliasSpec& alias : command.aliases)
    if (alias.name == flag) return flag + " takes no value, got '" + printable(word, 60) + "'";
  const std::string unknown = "unknown option '" + printable(flag) + "'";
  if (const std::string_view advice = advice_on("flag", flag); !advice.empty() && can_follow(command, advice)) {
    const std::string_view sign = advice.ends_with('?') ? "; " : ": ";
    return unknown + std::string(sign) + std::string(advice);
  }
  const std::size_t name = flag.find_first_not_of('-');
  if (name != std::string::npos)
    if (const std::string_view advice = advice_on("key", flag.substr(name)); !advice.empty())
      return unknown + "; in a job file: " + std::string(advice);
  std::vector<std::string> known = flags_of(command);
  for (const AliasSpec& alias : command.aliases) known.push_back(alias.name);
  std::string hint = suggestion(flag, known);
  // "--pager" where there is only --no-pager.
  if (hint.empty() && flag.starts_with("--")) hint = suggestion("--no-" + flag.substr(2), known);
  return unknown + hint;
}

/// The words with the flags that other spellings stand for.
std::vector<std::string> without_aliases(std::vector<std::string> words, const CommandSpec& command) {
  std::vector<std::string> spelt;
  bool flags = true;
  for (std::string& word : words) {
    flags = flags && word != "--";
    const std::size_t equals = word.find('=');
    const auto alias = std::ranges::find(command.aliases, word.substr(0, equals), &AliasSpec::name);
    // "--lora=8": no such thing
    const bool stays = alias == command.aliases.end() || (!alias->value.empty() && equals != std::string::npos);
    if (!flags || stays) {
      spelt.push_back(std::move(word));
    } else if (alias->value.empty()) {
      spelt.push_back(alias->flag + (equals == std::string::npos ? "" : word.substr(equals)));
    } else {
      spelt.push_back(alias->flag);
      spelt.push_back(alias->value);
    }
  }
  return spelt;
}

Answer wrong_call(const CommandSpec& command, const std::string& message) {
  const std::string name = "gpuplan " + full_name(command);
  return {kUsage, name + ": " + message + (message.ends_with('?') ? " See " : "; see ") + name + " --help"};
}

/// Of flags that exclude one another, the first two given; empty when there are none.
std::string excluding_flags(const CLI::App& app, const CommandSpec& command) {
  const auto given = [&](const OptionSpec& spec) {
    const CLI::Option* option = app.get_option_no_throw(spec.names);
    return option != nullptr && option->count() > 0;
  };
  for (const OptionSpec& one : command.options)
    for (const OptionSpec& other : command.options) {
      if (&one == &other) break;
      if (one.one_of.empty() || one.one_of != other.one_of) continue;
      if (given(other) && given(one)) return other.names + " and " + one.names + " cannot be combined; use one of them";
    }
  return "";
}

/// "-o,--output": the long one, as people name it.
std::string shown_flag(const OptionSpec& spec) { return names_of(spec).back(); }

/// What was given twice where once is meant, or with nothing in it; empty when there is none. A list may come again.
std::string misused_flag(const CLI::App& app, const CommandSpec& command) {
  for (const auto* list : {&command.words, &command.options})
    for (const OptionSpec& spec : *list) {
      const CLI::Option* option = app.get_option_no_throw(shown_flag(spec));
      if (option == nullptr || option->count() == 0) continue;
      const bool is_list = std::holds_alternative<std::vector<std::string>*>(spec.target) ||
                           std::holds_alternative<std::vector<int>*>(spec.target);
      if (!is_list && option->count() > 1) return shown_flag(spec) + " is repeated; use it once";
      if (std::holds_alternative<bool*>(spec.target)) continue;
      for (const std::string& value : option->results())
        if (trim(value).empty())
          return (is_word(spec) && spec.completes == Completes::kFiles ? "the name of the " : "") + shown_flag(spec) +
                 " is empty; expected " + (spec.value.empty() ? "a value" : spec.value) + ": " + spec.help;
    }
  return "";
}

const OptionSpec* option_named(const CommandSpec& command, std::string_view name) {
  for (const OptionSpec& option : command.options)
    for (const std::string& one : names_of(option))
      if (one == name) return &option;
  return nullptr;
}

bool takes_commas(const OptionSpec& spec) {
  return spec.commas || std::holds_alternative<std::vector<int>*>(spec.target);
}

/// What CLI11 would take without a word: a value for a flag ("--json=false"), and lists with holes ("1,,2"); and what
/// it would tell in words of its own: no value at all. Empty when there is none.
std::string misspelt_flag(const std::vector<std::string>& words, const CommandSpec& command) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const OptionSpec* spec = name.starts_with('-') ? option_named(command, name) : nullptr;
    if (spec == nullptr) continue;
    if (!takes_value(*spec)) {
      if (equals != std::string::npos) return name + " takes no value: '" + printable(words[i], 60) + "'";
      continue;
    }
    if (equals == std::string::npos && i + 1 == words.size())
      return name + " needs a value: " + spec->value + ", " + spec->help;
    const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    if (!takes_commas(*spec) || value.find(',') == std::string::npos) continue;
    const std::vector<std::string_view> parts = split(value, ',');
    if (std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); }))
      return name + ": '" + printable(value, 60) + "' has an empty item between commas or at an end";
  }
  return "";
}

/// CLI11's exception as one line that says what to do.
Answer complaint(const CLI::ParseError& error, const CLI::App& app, const CommandSpec& command) {
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  std::string message;
  const std::vector<std::string> extra = app.remaining(true);
  if (kind == CLI::ExitCodes::ExtrasError && !extra.empty()) {
    message = unexpected_word(command, extra.front());
  } else if (kind == CLI::ExitCodes::RequiredError) {
    for (const CLI::Option* option : app.get_options())
      if (option->get_required() && option->count() == 0)
        message = option->get_option_text() + " is missing: " + option->get_description();
  }
  if (message.empty()) message = printable(error.what());
  return wrong_call(command, message);
}

/// The line for a first word that is none of the commands.
Answer unknown_command(const std::string& word, const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) names.push_back(command.name);
  const std::string shown = "'" + printable(word) + "'";
  if (word.starts_with('-')) {
    const std::string flag = word.substr(0, word.find('='));
    const bool of_a_command = std::ranges::any_of(commands, [&](const CommandSpec& command) {
      return std::ranges::any_of(doers(command), [&](const CommandSpec* doer) {
        const std::vector<std::string> flags = flags_of(*doer);
        return std::ranges::find(flags, flag) != flags.end();
      });
    });
    if (of_a_command) return {kUsage, "gpuplan: put " + printable(flag) + " after the command; see gpuplan --help"};
    return {kUsage, "gpuplan: unknown option " + shown + "; see gpuplan --help"};
  }
  std::string hint = suggestion(word, names);
  // The commonest slip: the job without the verb.
  const std::string lower = to_lower(word);
  if (lower.ends_with(".yaml") || lower.ends_with(".yml") || lower.ends_with(".json"))
    hint = ". Did you mean 'gpuplan plan " + printable(word) + "'?";
  return {kUsage, "gpuplan: unknown command " + shown + (hint.empty() ? "; see gpuplan --help" : hint)};
}

/// The action that the first word names, which is taken away then; else what to say.
std::expected<const CommandSpec*, Answer> chosen_action(const CommandSpec& command, std::vector<std::string>& words) {
  const std::vector<std::string> names = action_names(command);
  if (words.empty()) return std::unexpected(wrong_call(command, "an action is missing: " + listed(names, "or")));
  const std::string word = words.front();
  if (word == "-h" || word == "--help") return std::unexpected(Answer{kDone, command_help(command)});
  const auto action = std::ranges::find(command.actions, word, &CommandSpec::name);
  if (action == command.actions.end()) {
    const std::string shown = "'" + printable(word, 60) + "'";
    if (word.starts_with('-'))
      return std::unexpected(wrong_call(command, "put " + shown + " after the action: " + listed(names, "or")));
    const std::string hint = suggestion(word, names);
    return std::unexpected(
        wrong_call(command, "unknown action " + shown + (hint.empty() ? "; expected " + listed(names, "or") : hint)));
  }
  words.erase(words.begin());
  return &*action;
}

}  // namespace

std::expected<const CommandSpec*, Answer> read_options(std::span<const char* const> arguments,
                                                       const std::vector<CommandSpec>& commands) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (words.empty()) return std::unexpected(Answer{kDone, program_help(commands)});
  if (words.front() == "help") {  // "gpuplan help plan" is what some programs understand
    words.erase(words.begin());
    const auto named = words.empty() ? commands.end() : std::ranges::find(commands, words.front(), &CommandSpec::name);
    const bool has_actions = named != commands.end() && !named->actions.empty();
    words.resize(std::min<std::size_t>(words.size(), has_actions ? 2 : 1));
    words.emplace_back("--help");
  }
  const std::string first = words.front();
  if (first == "-h" || first == "--help") return std::unexpected(Answer{kDone, program_help(commands)});
  const auto found = std::ranges::find(commands, first, &CommandSpec::name);
  if (found == commands.end()) return std::unexpected(unknown_command(first, commands));
  words.erase(words.begin());
  const CommandSpec* command = &*found;
  if (!command->actions.empty()) {
    const auto action = chosen_action(*command, words);
    if (!action) return action;
    command = *action;
  }
  words = without_aliases(std::move(words), *command);
  if (const std::string wrong = misspelt_flag(words, *command); !wrong.empty())
    return std::unexpected(wrong_call(*command, wrong));

  CLI::App app;
  app.set_help_flag("-h,--help");
  for (const OptionSpec& word : command->words) declare(app, word);
  for (const OptionSpec& option : command->options)
    if (may_be_meant(option, words)) declare(app, option);
  try {
    std::ranges::reverse(words);  // CLI11 takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(Answer{kDone, command_help(*command)});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(complaint(error, app, *command));
  }
  if (const std::string wrong = misused_flag(app, *command); !wrong.empty())
    return std::unexpected(wrong_call(*command, wrong));
  if (const std::string wrong = excluding_flags(app, *command); !wrong.empty())
    return std::unexpected(wrong_call(*command, wrong));
  return command;
}

}  // namespace gpuplan::cli
