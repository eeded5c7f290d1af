// Words within what a document says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/text.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

/// The word alone: "tax" is in "tax (19%)", and not in "taxonomy". Both in lower case.
inline bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || word.empty() || !is_letter(word[0]) || !is_letter(text[at - 1]);
    if (begins && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

/// The text without blanks around it is one of these.
inline bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, trim(text)) != words.end();
}
inline bool has_word_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return has_word(text, word); });
}
inline bool has_word_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return has_word(text, word); });
}
/// The last word is one of these: "net" of "It is $20 net", and not of "cabinet".
inline bool ends_with_word(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return text.ends_with(word) && (text.size() == word.size() || !is_letter(text[text.size() - word.size() - 1]));
  });
}
inline bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

/// Costs and times of such documents are the middle of a range each: the product of two middles is none of the third.
inline bool says_percentiles(std::string_view lower) {
  return has_any(lower, {"8 in 10", "80% range", "p90", "percentile", "median"});
}

/// "VAT", "MwSt. 19 %", "sales tax": what is added to a bill for the state.
inline bool says_tax(std::string_view lower) {
  for (const std::string_view word :
       {"tax", "taxes", "vat", "mwst", "ust", "steuer", "umsatzsteuer", "mehrwertsteuer", "iva", "tva", "gst"})
    if (has_word(lower, word)) return true;
  return false;
}

/// "if your time counts $5/h", "$20 per hour saved": no price of a machine.
inline bool is_value_of_time(std::string_view text, const ClaimAmount& price) {
  constexpr std::size_t kNear = 48;
  const std::string behind = to_lower(text.substr(std::min(price.to, text.size()), kNear));
  if (behind.starts_with(" saved") ||
      has_any(behind, {"value of time", "value_of_time", "of your time", "of my time", "of our time", "of your hour"}))
    return true;
  const std::size_t from = price.from > kNear ? price.from - kNear : 0;
  return has_any(to_lower(text.substr(from, price.from - from)),
                 {"your time", "your hour", "hour of yours", "time is worth", "hour is worth", "time counts",
                  "per hour of my time", "per hour of our time", "value of time", "value_of_time", "value-of-time",
                  "value of your", "value of an hour", "my time", "our time"});
}

}  // namespace gpuplan
