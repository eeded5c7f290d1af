#include "output/text/markdown_sign.h"

#include "base/text.h"

namespace gpuplan {

bool is_markdown_sign(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  const auto in_word = [](char c) { return is_letter(c) || is_digit(c); };
  switch (text[at]) {
    case '\\':
    case '`':
    case '*':
    case '|':
    case '[':
    case ']':
      return true;
    case '_':  // inside a word it is a letter
      return at == 0 || !in_word(text[at - 1]) || !in_word(next);
    case '<':
    case '~':
      return next != ' ';
    default:
      return false;
  }
}

}  // namespace gpuplan
