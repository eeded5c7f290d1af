#include "base/safe_text.h"

#include <algorithm>

#include "base/sign_run.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr SignSet kPlain = SignSet::printable_ascii("", "\n\t");

/// Bytes at `at` that stay together as they are; 0: what stands there is not safe.
std::size_t safe_length(std::string_view text, std::size_t at) {
  if (const std::size_t plain = kPlain.run(text, at); plain > 0) return plain;
  if (text[at] == '\x1b' && text.substr(at).starts_with("\x1b[")) {
    const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 - at : 0;
  }
  const std::size_t length = utf8_length(text, at);
  const std::string_view character = text.substr(at, length);
  return length > 0 && printable(character) == character ? length : 0;
}

}  // namespace

bool is_safe_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = safe_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string safe_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = safe_length(text, at);
    if (length > 0) result += text.substr(at, length);
    else result += '?';
    at += length > 0 ? length : std::max<std::size_t>(utf8_length(text, at), 1);
  }
  return result;
}

}  // namespace gpuplan
