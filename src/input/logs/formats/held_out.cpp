// Held-out losses in lines of any form, of programs that are known by their lines of steps: what measures the loss is
// often not what writes these.
#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "input/logs/fields/fields.h"
#include "input/logs/fields/step_line.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

/// "Best val loss: 2.1" is not the loss of now; W&B's summary has a reader of its own.
bool is_of_another_time(std::string_view text) {
  constexpr std::array<std::string_view, 4> kOthers = {"best", "Best", "owest", "wandb: "};
  return std::ranges::any_of(kOthers, [text](std::string_view word) { return text.contains(word); });
}

bool is_loss_of(const NamedValue& named, StepValue quantity) {
  return named.kind == NamedValue::Kind::kQuantity && named.quantity == quantity;
}

}  // namespace

bool held_out_beside(LogBook& book, const LogLine& line) {
  const auto owner = book.held_out_by();
  if (owner && *owner != LogFormat::kFields) return false;
  const std::string_view text = line.text;
  if (!text.contains("val") && !text.contains("Val") && !text.contains("est")) return false;
  if (!(book.step() >= 0) || is_of_another_time(text) || text.contains('{')) return false;
  const auto head = static_cast<std::ptrdiff_t>(std::min(text.find('|'), text.size()));
  LogFields fields(text);
  for (LogField field; fields.next(field);) {
    // "Eval Epoch: 1 [512 / 50000] Loss: 3.2": a part of the data
    if (field.bracketed && field.value < field.total) return false;
    if (!field.fraction || field.name.empty() || field.name.contains("rain")) continue;
    const NamedValue named = meaning_of(field);
    // "validation results at iteration 100 | lm_loss value: 3.2": the head of the line is of all its parts.
    const auto speaks = [&] {
      return speaks_of_validation(words_before(text, field.name, true)) ||
             (head < field.name.data() - text.data() && speaks_of_validation(text.substr(0, text.find('|'))));
    };
    if (!is_loss_of(named, StepValue::kValidation) && !(is_loss_of(named, StepValue::kLoss) && speaks())) continue;
    StepRecord record;
    record.step = book.step();
    record.of_run = true;
    record.set(StepValue::kValidation, field.value);
    book.record(LogFormat::kFields, record, line);
    return true;
  }
  return false;
}

}  // namespace gpuplan
