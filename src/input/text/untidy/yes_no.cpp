#include "input/text/untidy/yes_no.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 13> kYes = {"yes", "true", "y",  "ja",        "j",         "wahr",     "oui",
                                                   "o",   "vrai", "si", "s\xC3\xAD", "s\xC3\x8D", "verdadero"};
constexpr std::array<std::string_view, 11> kNo = {"no",    "false",  "n",   "none", "nein", "kein",
                                                  "keine", "falsch", "non", "faux", "falso"};

}  // namespace

std::optional<bool> read_yes_no(std::string_view text) {
  const std::string word = to_lower(trim(text));
  if (std::ranges::find(kYes, word) != kYes.end()) return true;
  if (std::ranges::find(kNo, word) != kNo.end()) return false;
  return std::nullopt;
}

}  // namespace gpuplan
