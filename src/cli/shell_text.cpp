#include "cli/shell_text.h"

#include <algorithm>

#include "base/text.h"

namespace gpuplan::cli {

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += "'\\''";
    else result += c;
  }
  return result + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./:=,+@%-";
  const auto plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  };
  const std::string shown = printable(text, text.size());
  return !shown.empty() && std::ranges::all_of(shown, plain) ? shown : quoted(shown);
}

}  // namespace gpuplan::cli
