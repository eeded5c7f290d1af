// Values that stand one a line below a line that is nothing but their step, as programs print them that have a print()
// for each: fms-fsdp (fms_fsdp/utils/train_utils.py), rsl_rl (rsl_rl/utils/logger.py).
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/fields/fields.h"
#include "input/logs/fields/line_shape.h"
#include "input/logs/fields/step_line.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

constexpr int kMostOthers = 60;
constexpr unsigned kBlockSettings =
    quantity_bit(StepValue::kLearningRate) | quantity_bit(StepValue::kGradNorm) | quantity_bit(StepValue::kClock);

/// Whether what the lines tell may be steps of the run: no other form tells them.
bool has_no_other_steps(const LogBook& book) {
  const auto told = book.told_by();
  return !told || (*told == LogFormat::kFields && (book.facts.plain.sure || !book.step_format()));
}

/// "#### Learning iteration 3/1500 ####" holds no more than one count, its name and what it is adorned with.
bool is_step_alone(std::string_view text) {
  constexpr std::string_view kAdorns = " \t#=*-:[]<>";
  const std::size_t begin = text.find_first_not_of(kAdorns), last = text.find_last_not_of(kAdorns);
  if (begin == std::string_view::npos || !is_digit(text[last])) return false;
  text = text.substr(begin, last + 1 - begin);
  const std::size_t number = text.find_first_of("0123456789");
  constexpr std::ptrdiff_t kMostBlanks = 1;  // "Saved checkpoint at step 100" tells of something else
  return std::ranges::count(trim(text.substr(0, number)), ' ') <= kMostBlanks &&
         text.substr(number).find_first_not_of("0123456789/,") == std::string_view::npos;
}

void file_block(LogBook& book) {
  const PlainBlock& block = book.facts.plain;
  const std::string_view none;
  LogLine line = block.head;
  line.text = none;
  if (block.allocated > Bytes{}) book.memory(LoggedMemory::kAllocated, block.allocated);
  if (block.reserved > Bytes{}) book.memory(LoggedMemory::kReserved, block.reserved);
  if (block.record.known != 0 && has_no_other_steps(book)) book.record(LogFormat::kFields, block.record, line);
}

}  // namespace

void heads_plain_values(LogBook& book, const LogLine& line, const StepRecord& head) {
  PlainBlock& block = book.facts.plain;
  if (!is_step_alone(line.text) || !has_no_other_steps(book)) return;
  const bool told = (block.record.known & ~kBlockSettings) != 0;
  block.sure = block.sure || (block.open && told && head.step > block.record.step);
  if (block.open && block.sure) file_block(book);
  block = {.open = true, .sure = block.sure};
  block.record.step = head.step;
  block.record.of = head.of;
  block.head = {.number = line.number, .rank = line.rank, .time = line.time};
  book.at(line.number);
}

bool plain_value(LogBook& book, const LogLine& line) {
  PlainBlock& block = book.facts.plain;
  if (line.rank != block.head.rank) return false;
  if (++block.others > kMostOthers) {
    plain_end(book);
    return false;
  }
  LogFields fields(line.text);
  LogField field, more;
  if (!fields.next(field) || field.name.empty() || fields.next(more)) return false;
  const std::string_view text = trim(line.text);
  if (!is_digit(text.back()) && (field.unit.empty() || !text.ends_with(field.unit))) return false;  // code: "= 0.5 * x"
  const NamedValue named = meaning_of(field);
  const Bytes bytes{field.value * named.scale};
  switch (named.kind) {
    case NamedValue::Kind::kAllocated:
      block.allocated = std::max(block.allocated, bytes);
      break;
    case NamedValue::Kind::kReserved:
      block.reserved = std::max(block.reserved, bytes);
      break;
    case NamedValue::Kind::kQuantity:
    case NamedValue::Kind::kStepRate: {
      const bool loss = named.kind == NamedValue::Kind::kQuantity && named.quantity == StepValue::kLoss;
      const bool alone = loss && iequals(field.name, "loss");
      const bool rate = named.kind == NamedValue::Kind::kStepRate;  // gives way to the time of a step
      if ((loss && !field.fraction) || (rate && !field.fraction)) return false;
      // The first of them counts: "overall step time" stands below "current step time".
      if (block.record.has(named.quantity) && !(alone && !block.loss_alone)) break;
      block.loss_alone = block.loss_alone || alone;
      note_value(book, block.record, named, field.value);
      break;
    }
    default:
      book.log.rewards = book.log.rewards || (block.sure && tells_rewards(field.name));
      return false;
  }
  --block.others;
  return true;
}

void plain_end(LogBook& book) {
  PlainBlock& block = book.facts.plain;
  if (!block.open) return;
  block.open = false;
  if (block.sure) {
    file_block(book);
  } else if (block.record.has(StepValue::kLoss) && !book.step_format()) {
    block.record.step = block.record.of = scan::kUnknown;  // one number of steps alone may be anything
    block.record.keep_only(StepValue::kLoss);
    file_block(book);
  }
  block.record = {};
}

}  // namespace gpuplan
