#include "input/text/untidy/jsonp.h"

#include <algorithm>

#include "base/text.h"

namespace gpuplan {
namespace {

std::size_t past_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

/// Behind "window.name(" after comments; 0: the text begins with something else.
std::size_t past_call(std::string_view text) {
  std::size_t at = past_blanks(text, 0);
  while (text.substr(at).starts_with("/*")) {
    const std::size_t end = text.find("*/", at + 2);
    if (end == std::string_view::npos) return 0;
    at = past_blanks(text, end + 2);
  }
  const std::size_t name = at;
  while (at < text.size() && (is_letter(text[at]) || text[at] == '_' || text[at] == '$' ||
                              (at > name && (is_digit(text[at]) || text[at] == '.'))))
    ++at;
  if (at == name) return 0;
  at = past_blanks(text, at);
  if (at == text.size() || text[at] != '(') return 0;
  ++at;
  const std::size_t value = past_blanks(text, at);
  return value < text.size() && (text[value] == '{' || text[value] == '[') ? at : 0;
}

}  // namespace

void WithoutJsonp::begin(std::string& head) {
  const std::size_t end = past_call(head);
  found_ = end > 0;
  for (std::size_t i = 0; i < end; ++i)
    if (head[i] != '\n' && head[i] != '\r') head[i] = ' ';
}

}  // namespace gpuplan
