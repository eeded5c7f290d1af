#include "cli/deliver/deliver_form.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/io/terminal.h"
#include "output/text/table.h"

namespace gpuplan::cli {
Form form_of(const Common& common) {
  if (common.json) return Form::kJson;
  if (common.csv) return Form::kCsv;
  if (common.markdown) return Form::kMarkdown;
  const std::string name = to_lower(common.output);
  if (name.ends_with(".json")) return Form::kJson;
  if (name.ends_with(".csv")) return Form::kCsv;
  return name.ends_with(".md") || name.ends_with(".markdown") ? Form::kMarkdown : Form::kText;
}

Result<void> known_ending(const CommandSpec& command) {
  const std::string* output = nullptr;
  bool has_forms = false;
  bool said = false;
  for (const OptionSpec& option : command.options) {
    if (option.names == "-o,--output" && std::holds_alternative<std::string*>(option.target))
      output = std::get<std::string*>(option.target);
    if (option.one_of != "form") continue;
    has_forms = true;
    said = said || *std::get<bool*>(option.target);
  }
  if (output == nullptr || !has_forms || said || output->starts_with("/dev/") || output->starts_with("/proc/"))
    return {};
  const std::string name = to_lower(output->substr(output->rfind('/') + 1));
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return {};
  const std::string_view ending = std::string_view(name).substr(dot);
  constexpr std::array<std::string_view, 8> kWritten = {".json", ".csv",  ".md",  ".markdown",
                                                        ".txt",  ".text", ".log", ".out"};
  const auto number = [](char c) { return c >= '0' && c <= '9'; };
  if (std::ranges::find(kWritten, ending) != kWritten.end() || std::ranges::all_of(ending.substr(1), number)) return {};
  return wrong_use(
      "-o " + printable(*output, 80) +
      ": unknown format; use a name that ends in .json, .csv, .md or .txt, or add --json, --csv or --markdown");
}

Screen screen_of(System& system, const Common& common) {
  constexpr int kNoEnd = 1000;  // pages scroll: no report has to be brief
  if (form_of(common) == Form::kMarkdown) return {.columns = kNoEnd, .colour = false, .markup = Markup::kMarkdown};
  return screen(system, common.no_color || !common.output.empty());
}

int deliver_made(System& system, const Common& common, std::string text, int code) {
  if (form_of(common) == Form::kMarkdown) text = tidy_markdown(text);
  return deliver(system, text, common.output, code, !common.no_pager);
}

}  // namespace gpuplan::cli
