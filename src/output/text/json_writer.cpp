#include "output/text/json_writer.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "base/shell/shell_text.h"

namespace gpuplan {
void JsonWriter::quote(std::string_view text) { text_ += json_literal(text); }

void JsonWriter::break_line() {
  text_ += '\n';
  text_.append(levels_.size(), ' ');
}

/// Comma and blank before the next member or element.
void JsonWriter::separate() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += ',';
  if (indented_ && level.on_one_line && !level.empty) text_ += ' ';
  if (indented_ && !level.on_one_line) break_line();
  level.empty = false;
}

void JsonWriter::before_value() {
  assert(after_key_ == (!levels_.empty() && levels_.back().close == '}'));
  if (!after_key_) separate();
  after_key_ = false;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  assert(!levels_.empty() && levels_.back().close == '}' && !after_key_);
  separate();
  quote(name);
  text_ += indented_ ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::open(char open, char close, bool on_one_line) {
  before_value();
  text_ += open;
  // What is inside of one line stays on it.
  levels_.push_back({close, on_one_line || (!levels_.empty() && levels_.back().on_one_line)});
  return *this;
}

JsonWriter& JsonWriter::end() {
  assert(!levels_.empty() && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (indented_ && !level.on_one_line && !level.empty) break_line();
  text_ += level.close;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  before_value();
  text_ += text;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) { return std::isfinite(number) ? raw(number_text(number)) : null(); }

JsonWriter& JsonWriter::member(std::string_view name, const std::vector<std::string>& texts) {
  key(name);
  begin_array(true);
  for (const std::string& text : texts) value(std::string_view(text));
  return end();
}

std::string JsonWriter::take() {
  assert(levels_.empty());
  text_ += '\n';
  return std::exchange(text_, {});
}

}  // namespace gpuplan
