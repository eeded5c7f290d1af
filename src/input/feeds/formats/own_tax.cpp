#include "input/feeds/formats/own_tax.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "input/text/untidy/accents.h"

namespace gpuplan {
namespace {

// Words in lower case without accents: English, German, French, Spanish.
constexpr std::string_view kTax =
    "vat|tax|taxes|mwst|ust|mehrwertsteuer|umsatzsteuer|steuer|steuern|tva|taxe|iva|impuesto|impuestos|moms|btw|gst";
constexpr std::string_view kWith =
    "incl|inc|including|inclusive|included|includes|with|after|inkl|inklusive|mit|enthalten|compris|comprise|comprises|"
    "avec|toutes|con|incluido|incluida|incluidos|includo";
constexpr std::string_view kWithout =
    "excl|exc|excluding|exclusive|excluded|ex|without|before|plus|pre|no|not|exkl|exklusive|ohne|zzgl|zuzuglich|"
    "zuzueglich|hors|sans|sin";
constexpr std::string_view kAloneWith = "ttc|brutto|gross|bruto", kAloneWithout = "ht|htva|netto|net|neto";
constexpr double kHighestRate = 0.5;

/// A word, or a figure with a percent sign behind it.
struct TaxWord {
  std::size_t begin = 0, end = 0;
  std::string word{};
  double share = 0;

  bool tells() const {
    return share > 0 || one_of(word, kTax) || one_of(word, kWith) || one_of(word, kWithout) ||
           one_of(word, kAloneWith) || one_of(word, kAloneWithout);
  }
};

bool is_word_part(char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

std::vector<TaxWord> tax_words(std::string_view text) {
  std::vector<TaxWord> words;
  for (std::size_t at = 0; at < text.size();) {
    TaxWord word{.begin = at};
    if (is_word_part(text[at])) {
      while (at < text.size() && is_word_part(text[at])) {
        // "priceInclVAT", but "MwSt"
        const bool hump =
            at > word.begin && text[at] >= 'A' && text[at] <= 'Z' && text[at - 1] >= 'a' && text[at - 1] <= 'z';
        if (hump && text.substr(word.begin, at - word.begin) != "Mw") break;
        ++at;
      }
      word.word = to_lower(without_accents(text.substr(word.begin, at - word.begin)));
    } else if (is_digit(text[at])) {
      double value = 0;
      const auto end = std::from_chars(text.data() + at, text.data() + text.size(), value);
      if (end.ec == std::errc()) at = static_cast<std::size_t>(end.ptr - text.data());
      else ++at;
      std::size_t sign = at;
      while (sign < text.size() && text[sign] == ' ') ++sign;
      if (sign == text.size() || text[sign] != '%') continue;
      at = sign + 1;
      if (value / 100 <= kHighestRate) word.share = value / 100;
    } else {
      ++at;
      continue;
    }
    word.end = at;
    words.push_back(std::move(word));
  }
  return words;
}

OwnTax tax_in(const std::vector<TaxWord>& words) {
  const auto any = [&](std::string_view wanted) {
    return std::ranges::any_of(words, [&](const TaxWord& word) { return one_of(word.word, wanted); });
  };
  OwnTax tax;
  const bool named = any(kTax);
  if (any(kAloneWithout) || (named && any(kWithout))) tax.said = OwnTax::Said::kWithout;
  else if (any(kAloneWith) || (named && any(kWith))) tax.said = OwnTax::Said::kWith;
  if (tax.said == OwnTax::Said::kWith)
    for (const TaxWord& word : words) tax.rate = std::max(tax.rate, word.share);
  return tax;
}

}  // namespace

bool one_of(std::string_view word, std::string_view words) {
  for (const std::string_view one : split(words, '|'))
    if (one == word) return true;
  return false;
}

bool is_tax_word(std::string_view word) { return one_of(word, kTax); }

OwnTax read_own_tax(std::string_view text) { return tax_in(tax_words(text)); }

OwnTax take_own_tax(std::string& text) {
  const std::vector<TaxWord> words = tax_words(text);
  const OwnTax tax = tax_in(words);
  if (tax.said == OwnTax::Said::kNothing) return tax;
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    if (word->tells()) text.replace(word->begin, word->end - word->begin, " ");
  while (!text.empty() && std::string_view(" .,()*+").find(text.back()) != std::string_view::npos) text.pop_back();
  return tax;
}

}  // namespace gpuplan
