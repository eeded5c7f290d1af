// Tax in prices: what heads, titles and cells of lists of one's own say of it. A price with tax can not be compared
// with the prices of clouds, which are all without.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpuplan {

struct OwnTax {
  enum class Said : std::uint8_t { kNothing, kWithout, kWith } said = Said::kNothing;
  double rate = 0;  ///< 0.19; 0: not said
};

/// "Price incl. 19% VAT", "prix TTC", "Brutto", "zzgl. MwSt", "sin IVA".
OwnTax read_own_tax(std::string_view text);
/// The same; words and figures that say it are taken out of the text, where something is said.
OwnTax take_own_tax(std::string& text);
/// A word without accents, in lower case: "vat", "mwst", "tva", "iva".
bool is_tax_word(std::string_view word);

/// Whether a word is one of those between bars.
bool one_of(std::string_view word, std::string_view words);

}  // namespace gpuplan
