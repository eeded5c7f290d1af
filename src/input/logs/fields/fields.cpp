#include "input/logs/fields/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "input/logs/fields/field_units.h"

namespace gpuplan {
namespace {

constexpr bool is_name_letter(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

bool LogFields::next(LogField& field) {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool signed_digit = (c == '-' || c == '+' || c == '.') && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    if (is_digit(c) || signed_digit) {
      if (number(field)) return true;
    } else if (is_letter(c) || c == '_') {
      const char small = small_letter(c);
      if ((small == 'n' || small == 'i') && not_finite(field)) return true;
      word();
    } else if ((c == '-' || c == '+') && not_finite(field)) {
      return true;
    } else {
      sign();
    }
  }
  return false;
}

/// "loss: nan", "loss nan", "loss=-inf": a word of its own behind a name.
bool LogFields::not_finite(LogField& field) {
  const char c = text_[at_];
  std::string_view rest = text_.substr(at_);
  const std::size_t sign = c == '-' || c == '+' ? 1 : 0;
  if (name_end_ == name_begin_ || rest.size() < sign + 3) return false;
  const char first = small_letter(rest[sign]);
  if ((first != 'n' && first != 'i') || is_name_letter(before(at_))) return false;
  double value = 0;
  if (!scan::take_number(rest, value) || (!rest.empty() && is_name_letter(rest.front()))) return false;
  field = {.name = text_.substr(name_begin_, name_end_ - name_begin_), .value = value, .fraction = true};
  mark(FieldMark::Kind::kOther, at_, rest);
  at_ = text_.size() - rest.size();
  name_begin_ = name_end_ = at_;
  separated_ = false;
  return true;
}

bool LogFields::skip_joined(std::string_view& rest) {
  const auto joined = [&rest] {
    return rest.size() > 1 && (rest[0] == ':' || rest[0] == '-' || rest[0] == '.') && is_digit(rest[1]);
  };
  if (!joined()) return false;
  while (!rest.empty() && (is_digit(rest.front()) || joined())) rest.remove_prefix(1);
  return true;
}

namespace {

/// "step 10 loss 3.2 tok/s 51000": what has no such unit is followed by the name of the next number.
bool names_next(const LogField& field, std::string_view behind) {
  scan::skip_spaces(behind);
  if (field.name.empty() || behind.empty() || !is_digit(behind.front())) return false;
  const NamedValue named = meaning_of_key(field.name);
  if (named.kind == NamedValue::Kind::kStep || named.kind == NamedValue::Kind::kEpoch) return true;
  constexpr std::array kWithout{StepValue::kLoss, StepValue::kGradNorm, StepValue::kLearningRate,
                                StepValue::kValidation};
  return named.kind == NamedValue::Kind::kQuantity && std::ranges::find(kWithout, named.quantity) != kWithout.end();
}

}  // namespace

bool LogFields::number(LogField& field) {
  std::string_view rest = text_.substr(at_);
  const std::size_t begin = at_;
  double value = 0;
  if (!scan::take_count(rest, value)) {
    ++at_;
    return false;
  }
  std::string_view written = text_.substr(begin, text_.size() - begin - rest.size());
  if (written.ends_with('.') && (rest.empty() || rest.front() == ' ')) {  // "Finished step 10. Loss: 2.1"
    written.remove_suffix(1);
    rest = text_.substr(begin + written.size());
  }
  if (skip_joined(rest)) {
    mark(FieldMark::Kind::kSkipped, begin, rest);
    name_begin_ = name_end_ = at_ = text_.size() - rest.size();
    return false;
  }
  const std::size_t marked = marks_ == nullptr ? 0 : marks_->size();
  mark(FieldMark::Kind::kValue, begin, rest);
  // One by one: a whole one that is copied costs a third of the time of reading such lines.
  field.name = {text_.data() + name_begin_, name_end_ - name_begin_};
  field.value = value;
  field.unit = unit_;
  field.measure.reset();
  field.meaning = nullptr;
  field.total = scan::kUnknown;
  field.mebi = field.gibi = field.bracketed = false;
  field.fraction = std::ranges::any_of(written, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
  if (rest.size() > 3 && (rest[0] == '/' || (rest[0] == ' ' && rest[1] == '/' && rest[2] == ' '))) {
    // "12/90", "1/  90", "1 / 90"
    std::string_view peek = rest.substr(rest[0] == '/' ? 1 : 2);
    scan::skip_spaces(peek);
    const std::size_t total = text_.size() - peek.size();
    if (!peek.empty() && is_digit(peek.front()) && scan::take_count(peek, field.total)) {
      rest = peek;
      mark(FieldMark::Kind::kTotal, total, rest);
    }
  } else if (rest.size() > 1 && rest[0] == '/' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    const std::size_t total = text_.size() - rest.size();
    scan::take_count(rest, field.total);
    mark(FieldMark::Kind::kTotal, total, rest);
  } else if (rest.size() > 4 && rest.starts_with(" of ") && is_digit(rest[4])) {  // "step 12 of 90"
    rest.remove_prefix(4);
    const std::size_t total = text_.size() - rest.size();
    scan::take_count(rest, field.total);
    mark(FieldMark::Kind::kTotal, total, rest);
  }
  if (!std::isnan(field.total) && rest.starts_with(']')) {
    const std::size_t open = begin == 0 ? std::string_view::npos : text_.find_last_not_of(' ', begin - 1);
    field.bracketed = open != std::string_view::npos && text_[open] == '[';
  }
  if (!rest.empty() && (rest.front() == 'k' || rest.front() == 'K') && (rest.size() == 1 || !is_name_letter(rest[1]))) {
    field.value *= 1e3;
    if (marks_ != nullptr) (*marks_)[marked].scale = 1e3;
    rest.remove_prefix(1);
  } else if (rest.size() > 2 && rest.front() == 'M' && is_rate_unit(rest.substr(1))) {
    field.value *= 1e6;
    if (marks_ != nullptr) (*marks_)[marked].scale = 1e6;
    rest.remove_prefix(1);
  }
  // A unit, with a blank before it or without.
  std::string_view peek = rest;
  scan::skip_spaces(peek);
  std::size_t size = 0;
  while (size < peek.size() && (is_letter(peek[size]) || peek[size] == '%' || is_inside_unit(peek, size))) ++size;
  std::optional<FieldMeasure> rate;
  if (size > 1 && peek.substr(size).starts_with(" per ")) rate = unit_in_words(peek, size);
  // "12 s: 4" is a name, and so is "loss 3.1 m 2"
  const char next = size < peek.size() ? peek[size] : ' ';
  const bool ends_part = size == peek.size() || next == ',' || next == ';' || next == '|';  // "0.49 s, ips: 259"
  const bool close = size > 0 && (peek.size() == rest.size() || size > 1 || (ends_part && peek.front() == 's'));
  if (close && next != ':' && next != '=' && !is_name_letter(next)) {
    field.mebi = peek.substr(0, size) == "M";  // which is no minute
    field.gibi = peek.substr(0, size) == "G";
    if (!field.mebi) field.measure = rate ? rate : field_measure(peek.substr(0, size));
    if (field.measure && peek.size() < rest.size() && names_next(field, peek.substr(size))) field.measure.reset();
    if (field.measure) {
      field.unit = peek.substr(0, size);
      rest = peek.substr(size);
    }
  }
  add_smaller(field, rest);
  at_ = text_.size() - rest.size();
  name_begin_ = name_end_ = at_;
  unit_ = {};
  separated_ = false;
  return true;
}

/// "1m 9s" and "2h 5m" are one time.
void LogFields::add_smaller(LogField& field, std::string_view& rest) {
  constexpr double kMinute = 60;
  while (field.measure && field.measure->unit == FieldUnit::kTime && field.measure->scale >= kMinute) {
    std::string_view peek = rest;
    scan::skip_spaces(peek);
    double value = 0;
    if (peek.empty() || !is_digit(peek.front()) || !scan::take_number(peek, value)) return;
    std::size_t size = 0;
    while (size < peek.size() && is_letter(peek[size])) ++size;
    const auto smaller = field_measure(peek.substr(0, size));
    if (!smaller || smaller->unit != FieldUnit::kTime || smaller->scale >= field.measure->scale) return;
    mark(FieldMark::Kind::kOther, text_.size() - rest.size(), peek);
    field.value = (field.value * field.measure->scale + value * smaller->scale) / smaller->scale;
    field.measure = smaller;
    field.unit = peek.substr(0, size);
    rest = peek.substr(size);
  }
}

void LogFields::word() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool inside = (c == '/' || c == '-' || c == '.') && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
    if (!is_name_letter(c) && !inside) break;
    ++at_;
  }
  // "loss=tensor(2.3, device='cuda:0')", "loss=np.float64(2.3)": the number in it is the value.
  const std::string_view written = text_.substr(begin, at_ - begin);
  if (separated_ && name_end_ > name_begin_ && at_ < text_.size() && text_[at_] == '(' &&
      (written == "tensor" || written == "Tensor" || written == "array" || written.contains("float"))) {
    ++at_;
    return;
  }
  // "loss is 2.3", of MindSpore: a word for a colon
  if (name_end_ > name_begin_ && !separated_ && (written == "is" || written == "was")) {
    const std::size_t next = text_.find_first_not_of(' ', at_);
    separated_ = next != std::string_view::npos && (is_digit(text_[next]) || text_.substr(next).starts_with("nan"));
    if (separated_) return;
  }
  if (separated_ || name_end_ == name_begin_) name_begin_ = begin;
  name_end_ = at_;
  unit_ = {};
  separated_ = false;
}

void LogFields::sign() {
  const char c = text_[at_];
  ++at_;
  if (c == ' ' || c == '\t' || c == '\'' || c == '"') return;
  if (c == '.' && is_letter(before(at_ - 1)) && at_ < text_.size() && text_[at_] == ' ') return;  // "Peak Mem. 61.2"
  // "Step... (100 | Loss: 6.5" of transformers' examples for Flax
  if (c == '.' && name_end_ + 1 == at_ && text_.substr(at_).starts_with(".. (")) {
    at_ += 2;
    separated_ = true;
    return;
  }
  // "train CrossEntropyLoss |  3.21" (Trax), "|  loss  | 5.74 |": a cell beside its name
  const bool drawn = text_.substr(at_ - 1).starts_with("│");
  if (drawn) at_ += 2;
  if ((c == '|' || drawn) && name_end_ > name_begin_ && !separated_ && before(at_ - (drawn ? 3 : 1)) == ' ') {
    const std::size_t value = text_.find_first_not_of(' ', at_);
    if (value != std::string_view::npos && value > at_ && (is_digit(text_[value]) || text_[value] == '-')) {
      const std::size_t end = std::min(text_.size(), text_.find_first_of(" |", value));
      const std::size_t next = text_.find_first_not_of(' ', end);
      separated_ = next == std::string_view::npos || text_[next] == '|' ||
                   text_.substr(next).starts_with("│");  // "MFU | 645277 tok/s" is another cell
      if (separated_) return;
    }
  }
  if (c == ':' || c == '=') {
    separated_ = true;
    return;
  }
  if ((c == '[' || c == '(') && separated_) return;  // "lr=[0.0001]", "loss: tensor(2.3)"
  // "Step [50/1000], Loss: 3.4"
  if (c == '[' && name_end_ > name_begin_ && at_ < text_.size() && is_digit(text_[at_])) {
    separated_ = true;
    return;
  }
  if ((c == '[' || c == '(') && name_end_ > name_begin_) {
    const char close = c == '[' ? ']' : ')';
    const std::size_t end = text_.substr(at_, 24).find(close);
    const std::string_view inside = end == std::string_view::npos ? std::string_view() : text_.substr(at_, end);
    if (!inside.empty() && field_measure(inside)) {
      unit_ = inside;
      at_ += end + 1;
      return;
    }
  }
  if (c == '(' && name_end_ > name_begin_ && before(at_ - 1) != ' ') return;  // "tensor(2.3"
  name_begin_ = name_end_ = at_;
  separated_ = false;
}

}  // namespace gpuplan
