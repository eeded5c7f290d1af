#include "input/declaration/reader.h"

#include <utility>

#include "base/text.h"

namespace gpuplan {

std::string_view Reader::folder() const {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(file).substr(0, slash == 0 ? 1 : slash);
}

bool Reader::keep(const Tree& at, std::string_view message, int line, int column) {
  if (!at.flag.empty()) {
    error_ = {std::string(at.flag) + ": " + std::string(message), {}, true};
    return false;
  }
  std::string text = address();
  if (!text.empty()) text += ": ";
  text += message;
  if (at.from_setting) {
    error_ = {"--set " + text, {}, true};
  } else {
    error_ = {std::move(text), {file, line, column}, false};
  }
  return false;
}

bool Reader::fail(const Tree& at, std::string_view message) { return keep(at, message, at.line, at.column); }

bool Reader::fail_at_key(const Tree& at, std::string_view message) {
  return keep(at, message, at.key_line, at.key_column);
}

std::string Reader::address() const {
  std::string text;
  for (const Step& step : path_) {
    if (step.name.empty()) {
      text += '[';
      text += std::to_string(step.index);
      text += ']';
    } else {
      if (!text.empty()) text += '.';
      text += printable(step.name, 60);
    }
  }
  return text;
}

}  // namespace gpuplan
