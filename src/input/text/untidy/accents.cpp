#include "input/text/untidy/accents.h"

#include <cstddef>

namespace gpuplan {

std::string without_accents(std::string_view text) {
  // Of U+00C0 to U+00FF, the letter or letters that stand in for each; a blank: no letter.
  static constexpr std::string_view kPlain = "AAAAAA\1CEEEEIIIIDNOOOOO OUUUUYTSaaaaaa\2ceeeeiiiidnooooo ouuuuyty";
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
    if (first == 0xC3 && second >= 0x80 && second < 0xC0 && kPlain[second - 0x80] != ' ') {
      const char letter = kPlain[second - 0x80];
      if (letter == '\1' || letter == '\2') plain += letter == '\1' ? "Ae" : "ae";
      else plain += letter;
      ++at;
    } else if (first == 0xC5 && (second == 0x92 || second == 0x93)) {
      plain += second == 0x92 ? "Oe" : "oe";
      ++at;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

}  // namespace gpuplan
