#include "cli/deliver_form.h"

#include "base/text.h"
#include "cli/deliver.h"
#include "cli/terminal.h"
#include "output/table.h"

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

Screen screen_of(const Common& common) {
  constexpr int kNoEnd = 1000;  // pages scroll: no report has to be brief
  if (form_of(common) == Form::kMarkdown) return {.columns = kNoEnd, .colour = false, .markup = Markup::kMarkdown};
  return screen(common.no_color || !common.output.empty());
}

int deliver_made(const Common& common, std::string text, int code) {
  if (form_of(common) == Form::kMarkdown) text = tidy_markdown(text);
  return deliver(text, common.output, code, !common.no_pager);
}

}  // namespace gpuplan::cli
