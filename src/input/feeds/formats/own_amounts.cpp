#include "input/feeds/formats/own_amounts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "input/feeds/formats/own_columns.h"
#include "input/text/untidy/accents.h"

namespace gpuplan {
namespace {

constexpr std::string_view kNoNumber = "a price that is no number", kTwoWays = "a price that reads in two ways (1,234)",
                           kCurrencyTwice = "a price in two currencies";

/// Dashes between two figures.
std::size_t dash_at(std::string_view text) {
  for (const std::string_view dash : {"-", "\xE2\x80\x93", "\xE2\x80\x94", ".."})
    if (text.starts_with(dash)) return dash.size();
  return 0;
}

std::string_view word_at(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_letter(text[length])) ++length;
  return text.substr(0, length);
}

/// False: it contradicts one that was named.
bool take_currency(std::string_view code, OwnPrice& price) {
  // A dollar is any country's that names its own.
  const bool dollar = price.currency == "USD" && code.ends_with('D');
  if (!dollar) return settle_currency(price.currency, code);
  price.currency = code;
  return true;
}

/// A word beside the figure; false: it says something else.
bool take_word(std::string_view word, OwnPrice& price) {
  if (const std::string_view code = currency_of(word); !code.empty()) return take_currency(code, price);
  if (hours_of(word) > 0) price.hours = hours_of(word);
  else if (is_gpu_word(word)) price.per_gpu = true;
  else if (is_cent_word(word)) price.cents = true;
  else if (word == "from" || word == "ab" || word == "starting" || word == "desde" || word == "des") price.from = true;
  else return is_joining_word(word) || word == "ca" || word == "about" || word == "us" || word == "at";
  return true;
}

}  // namespace

bool says_none(std::string_view lower) {
  constexpr std::array<std::string_view, 37> kNone = {"-",
                                                      "--",
                                                      "\xE2\x80\x93",
                                                      "\xE2\x80\x94",
                                                      "n/a",
                                                      "na",
                                                      "n.a.",
                                                      "none",
                                                      "null",
                                                      "nan",
                                                      "unknown",
                                                      "tbd",
                                                      "tba",
                                                      "sold out",
                                                      "contact us",
                                                      "contact",
                                                      "contact sales",
                                                      "call",
                                                      "call us",
                                                      "ask",
                                                      "quote",
                                                      "custom",
                                                      "on request",
                                                      "request a quote",
                                                      "unavailable",
                                                      "not available",
                                                      "auf anfrage",
                                                      "sur demande",
                                                      "sur devis",
                                                      "indisponible",
                                                      "consultar",
                                                      "a consultar",
                                                      "agotado",
                                                      "no disponible",
                                                      "ausverkauft",
                                                      "talk to sales",
                                                      "upon request"};
  return lower.empty() || std::ranges::find(kNone, lower) != kNone.end();
}

OwnPrice read_own_price(std::string_view written, LooseNumbers& numbers) {
  OwnPrice price;
  if (says_none(to_lower(written))) return price;
  std::string plain;
  std::string_view cell = written;
  if (std::ranges::any_of(written, is_letter)) {
    plain = without_accents(written);
    price.tax = take_own_tax(plain);
    cell = plain;
  }
  const auto fail = [](std::string_view problem) {
    OwnPrice none;
    none.problem = problem;
    return none;
  };
  std::vector<double> figures;
  bool dashed = false;
  for (std::string_view rest = cell; !rest.empty();) {
    // "GPU-hour"
    const std::size_t at = cell.size() - rest.size();
    if (rest.front() == '-' && at > 0 && is_letter(cell[at - 1]) && rest.size() > 1 && is_letter(rest[1])) {
      rest.remove_prefix(1);
      continue;
    }
    if (const std::size_t dash = figures.size() == 1 && !dashed ? dash_at(rest) : 0; dash > 0) {
      dashed = true;
      rest.remove_prefix(dash);
      continue;
    }
    if (const auto [code, length] = currency_sign(rest); length > 0) {
      if (!take_currency(code, price)) return fail(kCurrencyTwice);
      rest.remove_prefix(length);
      continue;
    }
    if (const std::string_view word = word_at(rest); !word.empty()) {
      for (const std::string& part : price_words(word))
        if (!take_word(part, price)) return fail(currency_of(part).empty() ? kNoNumber : kCurrencyTwice);
      rest.remove_prefix(word.size());
      continue;
    }
    if (const auto number = numbers.read(rest)) {
      if (number->two_ways) return fail(kTwoWays);
      if (figures.size() == (dashed ? 2U : 1U)) return fail(kNoNumber);
      figures.push_back(number->value);
      rest.remove_prefix(number->length);
      continue;
    }
    if (rest.starts_with("\xC2\xA2")) {
      price.cents = true;
      rest.remove_prefix(2);
      continue;
    }
    constexpr std::string_view kPassed = " /~().*+\xC2\xA0\t";
    if (kPassed.find(rest.front()) == std::string_view::npos) return fail(kNoNumber);
    rest.remove_prefix(1);
  }
  if (figures.empty() || (dashed && figures.size() != 2)) return fail(kNoNumber);
  price.range = figures.size() == 2;
  price.value = (price.range ? (figures[0] + figures[1]) / 2 : figures[0]) / (price.cents ? 100 : 1);
  if (!std::isfinite(price.value)) return fail(kNoNumber);
  // As accountants write what is below zero.
  const std::string_view whole = trim(cell);
  if (whole.starts_with('(') && whole.ends_with(')') && !price.range && !price.from) price.value = -price.value;
  return price;
}

double read_own_number(std::string_view cell, LooseNumbers& numbers, bool low_end, bool& known) {
  known = true;
  if (says_none(to_lower(cell))) return std::numeric_limits<double>::quiet_NaN();
  if (cell.starts_with('x') || cell.starts_with('~')) cell = trim(cell.substr(1));
  const auto number = numbers.read(cell);
  known = number && !number->two_ways;
  if (!known) return std::numeric_limits<double>::quiet_NaN();
  const std::string unit = to_lower(trim(cell.substr(number->length)));
  if (unit.starts_with("tb") || unit.starts_with("tib")) return number->value * 1024;
  if (unit.starts_with("mb") || unit.starts_with("mib")) return number->value / 1024;
  if (low_end && dash_at(unit) > 0) return number->value;
  known = unit.empty() || is_letter(unit.front()) || unit.front() == '(' || unit.starts_with("\xC3\x97");
  return number->value;
}

}  // namespace gpuplan
