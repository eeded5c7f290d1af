#include "input/logs/fields/line_shape.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace gpuplan {
namespace {

/// Sentences that end in blanks tell one from two and more.
constexpr std::size_t kSeveral = 2;

bool begins_number(std::string_view text) {
  if (text.empty()) return false;
  const char c = text.front();
  return is_digit(c) || ((c == '-' || c == '+' || c == '.') && text.size() > 1 && is_digit(text[1]));
}

bool is_fraction(std::string_view written) {
  return std::ranges::any_of(written, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
}

std::uint16_t narrow(std::ptrdiff_t value) { return static_cast<std::uint16_t>(value); }

}  // namespace

bool LineShape::learn(std::string_view text, std::span<const FieldMark> marks, std::span<const LogField> fields) {
  constexpr std::size_t kLongest = 4096;
  forget();
  found_.clear();
  if (marks.empty() || marks.size() > kMost || text.size() > kLongest) return false;
  text_ = text;
  fields_.assign(fields.begin(), fields.end());
  std::size_t at = 0, field = 0;
  for (const FieldMark& mark : marks) {
    Number number{.kind = mark.kind, .digit = is_digit(text[mark.begin])};
    std::size_t end = mark.begin;
    while (end > at && text[end - 1] == ' ') --end;
    number.spaces = static_cast<std::uint8_t>(std::min(mark.begin - end, kSeveral));
    number.literal = static_cast<std::uint16_t>(at);
    number.literal_size = static_cast<std::uint16_t>(end - at);
    const bool value = mark.kind == FieldMark::Kind::kValue;
    if (mark.kind == FieldMark::Kind::kOther ||
        (value ? field == fields.size() : field == 0 && mark.kind == FieldMark::Kind::kTotal))
      return forget(), false;
    if (value) {
      number.scale = mark.scale;
      number.name = narrow(fields[field].name.data() - text.data() - static_cast<std::ptrdiff_t>(at));
      number.meaning = meaning_of(fields[field++]);
      if (number.name > number.literal_size) return forget(), false;
    }
    number.field = static_cast<std::uint16_t>(field - 1);
    starts_[numbers_.size()] = static_cast<std::uint32_t>(at);
    numbers_.push_back(number);
    at = mark.end;
  }
  starts_[numbers_.size()] = static_cast<std::uint32_t>(at);
  tail_ = at;
  own_fields(text);
  return true;
}

/// Units are those of the text that is kept, and meanings are known, but of memory: there the number may tell the unit.
void LineShape::own_fields(std::string_view text) {
  for (const Number& number : numbers_) {
    if (number.kind != FieldMark::Kind::kValue) continue;
    LogField& field = fields_[number.field];
    if (std::string_view& unit = field.unit; !unit.empty())
      unit = std::string_view(text_).substr(static_cast<std::size_t>(unit.data() - text.data()), unit.size());
    const std::string_view name = field.name;
    if (name.size() < 3 || !iequals(name.substr(name.size() - 3), "mem")) field.meaning = &number.meaning;
  }
}

bool LineShape::add(std::uint16_t what, std::size_t at, std::size_t size) {
  std::size_t i = numbers_.size();
  while (i > 0 && starts_[i] > at) --i;
  const Found found{what, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(at - starts_[i])};
  found_.push_back(found);
  if (i == numbers_.size()) return true;
  Number& number = numbers_[i];
  const std::size_t end = std::size_t{found.offset} + size;
  if (end <= number.literal_size) return true;
  const std::size_t spaces = end - number.literal_size;  // the last letters of what was found
  if (text_.substr(number.literal + number.literal_size, spaces).find_first_not_of(' ') != std::string::npos)
    return false;
  number.spaces = static_cast<std::uint8_t>(std::max<std::size_t>(number.spaces, spaces));
  return true;
}

bool LineShape::take_spaces(const Number& number, std::string_view& rest) {
  const std::size_t spaces = std::min(rest.size(), rest.find_first_not_of(' '));
  rest.remove_prefix(spaces);
  return number.spaces < kSeveral ? spaces == number.spaces : spaces >= number.spaces;
}

bool LineShape::take_value(const Number& number, std::string_view& rest) {
  const char* const begin = rest.data();
  double value = 0;
  if (!begins_number(rest) || is_digit(rest.front()) != number.digit || !scan::take_count(rest, value)) return false;
  if (number.kind == FieldMark::Kind::kSkipped) return LogFields::skip_joined(rest);
  LogField& field = fields_[number.field];
  if (number.kind == FieldMark::Kind::kTotal) {
    field.total = value;
    return true;
  }
  field.value = value * number.scale;
  return is_fraction({begin, static_cast<std::size_t>(rest.data() - begin)}) == field.fraction;
}

bool LineShape::read(std::string_view text) {
  if (numbers_.empty()) return false;
  std::string_view rest = text;
  const auto takes = [&](std::size_t from, std::size_t size) {
    if (rest.size() < size || std::memcmp(rest.data(), text_.data() + from, size) != 0) return false;
    rest.remove_prefix(size);
    return true;
  };
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const Number& number = numbers_[i];
    const char* const begin = rest.data();
    starts_[i] = static_cast<std::uint32_t>(begin - text.data());
    if (!takes(number.literal, number.literal_size) || !take_spaces(number, rest) || !take_value(number, rest))
      return false;
    if (number.kind != FieldMark::Kind::kValue) continue;
    std::string_view& name = fields_[number.field].name;  // what stands around it may be asked for
    name = {begin + number.name, name.size()};
  }
  starts_[numbers_.size()] = static_cast<std::uint32_t>(rest.data() - text.data());
  return takes(tail_, text_.size() - tail_) && rest.empty();
}

const LineShape* LineShapes::find(std::string_view text) {
  read_ = learning_ = {};
  for (std::size_t i = 0; i < kShapes; ++i) {
    const std::size_t at = (last_ + i) % kShapes;
    if (!shapes_[at].read(text)) continue;
    last_ = at;
    in_vain_ = 0;
    read_ = text;
    return &shapes_[at];
  }
  return nullptr;
}

void LineShapes::learn(std::string_view text, std::span<const Finding> findings) {
  ++in_vain_;
  if (in_vain_ > kPatience && in_vain_ % kSeldom != 0) return;
  learning_ = text;
  findings_.assign(findings.begin(), findings.end());
}

const std::vector<LogField>& LineShapes::fields(std::string_view text) {
  const auto is = [text](std::string_view other) { return text.data() == other.data() && text.size() == other.size(); };
  if (is(read_)) return shapes_[last_].fields();
  const bool learns = is(learning_);
  read_ = learning_ = {};
  fields_.clear();
  marks_.clear();
  LogFields all(text, learns ? &marks_ : nullptr);
  for (LogField field; all.next(field);) fields_.push_back(field);
  if (!learns) return fields_;
  LineShape& shape = shapes_[next_];
  const bool learnt = shape.learn(text, marks_, fields_);
  const auto add = [&shape](const Finding& one) { return shape.add(one.what, one.at, one.size); };
  if (!learnt || !std::ranges::all_of(findings_, add)) shape.forget();
  else next_ = (next_ + 1) % kShapes;
  return fields_;
}

LineShapes& line_shapes() {
  thread_local LineShapes shapes;
  return shapes;
}

}  // namespace gpuplan
