// One result in the form that was asked for: text for the terminal, Markdown, JSON or CSV.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io/system.h"
#include "cli/options/common_options.h"
#include "output/text/style.h"

namespace gpuplan::cli {

enum class Form { kText, kMarkdown, kJson, kCsv };

/// The form that a flag asks for, else the end of the file's name (.json, .csv, .md); text when neither says.
Form form_of(const Common& common);

/// Refuses a name for -o that promises another form than any that is written, such as report.html. The command's
/// options must be filled.
Result<void> known_ending(const CommandSpec& command);

/// How text has to look for these options: the terminal at stdout, a file, or Markdown.
Screen screen_of(System& system, const Common& common);

/// A result that is made: to stdout or the file of -o (cli/deliver/deliver.h). Returns the exit code.
int deliver_made(System& system, const Common& common, std::string text, int code);

/// Makes the form asked for, and no other, and delivers it. `text` takes a Screen, which asks for Markdown too; `json`
/// and `csv` take nothing; all return a std::string. Returns the exit code.
template <class Text, class Json, class Csv>
int deliver_form(System& system, const Common& common, int code, Text&& text, Json&& json, Csv&& csv) {
  const Form form = form_of(common);
  if (form == Form::kJson) return deliver_made(system, common, json(), code);
  if (form == Form::kCsv) return deliver_made(system, common, csv(), code);
  return deliver_made(system, common, text(screen_of(system, common)), code);
}

}  // namespace gpuplan::cli
