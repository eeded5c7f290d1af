// What W&B prints when a run is over (wandb/sdk/lib/printer.py): the last value of each name, below "Run summary:". It
// counts where the program itself printed nothing.
#include <utility>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/formats/fields.h"
#include "input/logs/others/others.h"

namespace gpuplan {

/// "wandb:          train/loss 2.1234"; the sparkline of "Run history:" is no number.
void wandb_line(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!line.text.starts_with("wandb: ")) return;
  std::optional<StepRecord>& summary = book.facts.wandb_summary;
  const std::string_view text = trim(rest);
  if (text == "Run summary:") {
    summary = StepRecord{};
    return;
  }
  if (!summary) return;
  const std::size_t blank = text.find(' ');
  const std::string_view name = text.substr(0, blank);
  const auto value = blank == std::string_view::npos ? std::nullopt : scan::number(trim(text.substr(blank)));
  if (value) {
    if (name == "_step" || name == "step") summary->step = *value;
    else if (!note_value(book, *summary, name, *value)) note_value(book, *summary, meaning_of_key(name), *value);
    return;
  }
  const StepRecord record = *std::exchange(summary, std::nullopt);
  if (book.told_by() || record.known == 0) return;
  book.record(LogFormat::kWandb, record, line);
}

}  // namespace gpuplan
