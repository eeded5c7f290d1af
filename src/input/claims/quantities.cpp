#include "input/claims/quantities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "input/text/untidy/loose_number.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostAmounts = 200;  // of one line

/// Bytes of other alphabets belong to words, but for the signs that are used with numbers.
constexpr std::array<std::string_view, 3> kDashes = {"\xE2\x80\x93", "\xE2\x80\x94", "\xE2\x88\x92"};

std::size_t blanks_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size()) {
    if (text[end] == ' ') ++end;
    else if (text.substr(end).starts_with("\xC2\xA0") || text.substr(end).starts_with("\xE2\x80\xAF"))
      end += text[end] == '\xC2' ? 2 : 3;
    else break;
  }
  return end - at;
}

/// Lakhs and crores of India: the length of "10,00,000", a million; 0: it is none.
std::size_t lakhs_at(std::string_view text) {
  std::size_t at = 0, digits = 0, groups = 0;
  for (;; ++at, ++groups) {
    digits = 0;
    while (at < text.size() && is_digit(text[at])) ++at, ++digits;
    const bool more = at + 1 < text.size() && text[at] == ',' && is_digit(text[at + 1]);
    if (!more) break;
    if (digits > 2 || digits < (groups > 0 ? 2U : 1U)) return 0;
  }
  return groups >= 2 && digits == 3 ? at : 0;
}

struct Number {
  double value = 0, step = 1;
  bool whole = true;
  std::size_t length = 0;
};

/// Longer ones of the same beginning first.
struct CountWord {
  std::string_view name;
  double worth;
};
constexpr CountWord kCountWords[] = {{"millions", 1e6}, {"million", 1e6},    {"billions", 1e9},   {"billion", 1e9},
                                     {"thousand", 1e3}, {"trillions", 1e12}, {"trillion", 1e12},  {"Millionen", 1e6},
                                     {"Mio.", 1e6},     {"Mio", 1e6},        {"Milliarden", 1e9}, {"Milliarde", 1e9},
                                     {"Mrd.", 1e9},     {"Mrd", 1e9},        {"milliards", 1e9},  {"milliard", 1e9},
                                     {"Tsd.", 1e3},     {"mille", 1e3},      {"millones", 1e6},   {"Billionen", 1e12}};

/// A number with what it shows: digits, and a suffix such as K or M.
std::optional<Number> number_at(std::string_view text, char decimal) {
  constexpr std::size_t kLongest = 40;
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  text = text.substr(0, kLongest);
  LooseNumbers numbers;
  numbers.read(decimal == ',' ? "0,5" : "0.5");
  // "2.03e20": the digits that count are those before the power.
  const std::size_t power_at = text.find_first_of("eE");
  const bool power = power_at != std::string_view::npos && power_at > 0 && is_digit(text[power_at - 1]);
  auto read = numbers.read(power ? text.substr(0, power_at) : text);
  if (const std::size_t length = decimal == '.' ? lakhs_at(text) : 0; !read && length > 0) {
    std::string whole(text.substr(0, length));
    std::erase(whole, ',');
    whole += text.substr(length);
    read = numbers.read(whole);
    if (read) read->length += text.size() - whole.size();
  }
  if (!read) {
    // "8.5.1", "1,2,3": the first part alone.
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    read = numbers.read(text.substr(0, digits));
    if (!read) return std::nullopt;
  }
  Number number;
  number.value = read->value;
  number.length = read->length;
  std::string digits;
  int last = 0;  // digits after the last sign
  for (const char c : text.substr(0, read->length)) {
    if (is_digit(c)) digits += c, ++last;
    else last = 0;
  }
  double whole = 0;
  for (const char c : digits) whole = whole * 10 + (c - '0');
  if (whole != read->value && last < 18 && last > 0) {
    for (int i = 0; i < last; ++i) number.step /= 10;
    number.whole = false;
  }
  std::string_view rest = text.substr(number.length);
  // "7.2e23"
  if (rest.size() > 1 && (rest[0] == 'e' || rest[0] == 'E')) {
    const bool minus = rest[1] == '-';
    const std::size_t from = minus || rest[1] == '+' ? 2 : 1;
    std::size_t to = from;
    int power = 0;
    while (to < rest.size() && to < from + 2 && is_digit(rest[to])) power = power * 10 + (rest[to++] - '0');
    constexpr int kMostPower = 30;  // operations of the largest training are 1e27
    if (to > from && power <= kMostPower && (to == rest.size() || !in_name(rest[to]))) {
      const double factor = std::pow(10.0, minus ? -power : power);
      number.value *= factor;
      number.step *= factor;
      number.whole = number.whole && !minus;
      number.length += to;
      rest = text.substr(number.length);
    }
  }
  constexpr std::pair<char, double> kSuffixes[] = {{'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
  double factor = 1;
  for (const auto& [sign, worth] : kSuffixes)
    if (!rest.empty() && rest[0] == sign && (rest.size() == 1 || !in_name(rest[1]))) {
      factor = worth;
      ++number.length;
      break;
    }
  if (factor == 1)
    for (const CountWord& word : kCountWords) {
      const std::size_t blank = blanks_at(rest, 0);
      const std::string_view behind = rest.substr(blank);
      if (blank == 0 || !behind.starts_with(word.name) ||
          (behind.size() > word.name.size() && is_letter(behind[word.name.size()])))
        continue;
      factor = word.worth;
      number.length += blank + word.name.size();
      // "1,2 million de jetons"
      const std::string_view of = text.substr(number.length);
      if (of.starts_with(" de ") || of.starts_with(" d'")) number.length += 3;
      break;
    }
  if (factor != 1) {
    number.value *= factor;
    number.step *= factor;
    number.whole = false;
  }
  return number;
}

/// Bytes of a dash or "to" between the ends of a range.
std::size_t range_sign_at(std::string_view text) {
  const std::size_t at = blanks_at(text, 0);
  std::size_t length = 0;
  for (const std::string_view dash : kDashes)
    if (text.substr(at).starts_with(dash)) length = dash.size();
  if (length == 0 && text.substr(at).starts_with('-')) length = 1;
  if (length == 0 && text.substr(at).starts_with("..")) length = text.substr(at).starts_with("...") ? 3 : 2;
  if (length == 0 && at > 0 && (text.substr(at).starts_with("to ") || text.substr(at).starts_with("bis "))) {
    length = text[at] == 't' ? 2 : 3;
  }
  if (length == 0) return 0;
  return at + length + blanks_at(text, at + length);
}

// Dollar, euro, pound, yen, rupee.
constexpr std::array<std::string_view, 5> kSigns = {"$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5", "\xE2\x82\xB9"};
constexpr std::array<std::string_view, 5> kCodes = {"USD", "EUR", "CHF", "GBP", "INR"};

bool is_money_sign(std::string_view text) { return text.starts_with('$'); }
/// A currency behind a number: sign or code.
std::string_view currency_at(std::string_view text) {
  for (const std::string_view name : kSigns)
    if (text.starts_with(name)) return name;
  for (const std::string_view name : kCodes)
    if (iequals(text.substr(0, name.size()), name)) return text.substr(0, name.size());
  return "";
}
std::size_t foreign_sign(std::string_view text) {
  for (const std::string_view sign : kSigns)
    if (sign != "$" && text.starts_with(sign)) return sign.size();
  return 0;
}
/// A currency in front of a number: "$20", "CHF 20.10". What is left of the text goes to `front`.
std::string_view currency_before(std::string_view& front) {
  for (const std::string_view sign : kSigns)
    if (front.ends_with(sign)) {
      front.remove_suffix(sign.size());
      return sign;
    }
  std::string_view text = front;
  while (text.ends_with(' ') || text.ends_with("\xC2\xA0")) text.remove_suffix(text.ends_with(' ') ? 1 : 2);
  for (const std::string_view code : kCodes) {
    if (!text.ends_with(code)) continue;
    const std::string_view rest = text.substr(0, text.size() - code.size());
    if (!rest.empty() && in_name(rest.back())) continue;
    front = rest;
    return code;
  }
  return "";
}

struct Before {
  bool approximate = false, at_most = false, at_least = false, added = false, taken = false;
};

/// What the signs and words in front of an amount say of it.
Before before(std::string_view text) {
  Before said;
  for (;;) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    const auto take = [&](std::string_view sign) {
      if (!text.ends_with(sign)) return false;
      text.remove_suffix(sign.size());
      return true;
    };
    // "add up to" is no limit.
    if (text.ends_with("add up to") || text.ends_with("adds up to") || text.ends_with("adding up to") ||
        text.ends_with("sum up to") || text.ends_with("sums up to"))
      return said;
    if (take("~") || take("\xE2\x89\x88") || take("approx.") || take("approx") || take("about") || take("roughly") ||
        take("around") || take("ca.") || take("circa") || take("etwa"))
      said.approximate = true;
    else if (take("<") || take("\xE2\x89\xA4") || take("under") || take("below") || take("less than") ||
             take("at most") || take("up to") || take("max"))
      said.at_most = true;
    else if (take(">") || take("\xE2\x89\xA5") || take("over") || take("above") || take("more than") ||
             take("at least") || take("exceeds") || take("from") || take(">="))
      said.at_least = true;
    else if (take("+")) said.added = true;
    else return said;
  }
}

/// "-$20": a sign that touches the amount and nothing before it.
bool is_taken(std::string_view front) {
  for (const std::string_view sign : {std::string_view("-"), kDashes[0], kDashes[2]})
    if (front.ends_with(sign)) {
      front.remove_suffix(sign.size());
      return front.empty() || front.ends_with(' ');
    }
  return false;
}

/// "30,000 examples" in a document whose decimal sign is the comma: nobody writes three digits behind the point of what
/// is counted. The number without its signs; nullopt: it is of another form.
std::optional<double> counted_in_thousands(std::string_view digits) {
  double value = 0;
  std::size_t group = 0, groups = 0;
  for (const char c : digits) {
    if (is_digit(c)) {
      value = value * 10 + (c - '0');
      ++group;
      continue;
    }
    constexpr std::size_t kOfGroup = 3;
    if ((c != ',' && c != '.') || group == 0 || group > kOfGroup || (groups > 0 && group != kOfGroup))
      return std::nullopt;
    ++groups;
    group = 0;
  }
  return groups == 1 && group == 3 && !digits.starts_with('0') ? std::optional(value) : std::nullopt;
}

bool is_counted(ClaimDimension dimension) {
  return dimension == ClaimDimension::kSamples || dimension == ClaimDimension::kTokens ||
         dimension == ClaimDimension::kSteps || dimension == ClaimDimension::kGpus;
}

/// Nothing but numbers, of which the first tells the unit, and signs of multiplication between them.
bool is_product(std::string_view text, const ClaimText& said) {
  if (said.quantities.size() < 2 || !said.gpus.empty()) return false;
  std::size_t from = 0;
  for (std::size_t i = 0; i < said.quantities.size(); ++i) {
    const ClaimAmount& one = said.quantities[i];
    const std::string_view gap = trim(text.substr(from, one.from - from));
    if (one.range() || !one.whole || (i == 0 ? !gap.empty() : gap != "x" && gap != "\xC3\x97" && gap != "*"))
      return false;
    from = one.to;
  }
  return trim(text.substr(from)).empty();
}

/// "2 h 30 min" is one time.
bool goes_on(const ClaimAmount& larger, const ClaimAmount& one, std::string_view text) {
  return larger.dimension == ClaimDimension::kTime && one.dimension == ClaimDimension::kTime && !larger.range() &&
         !one.range() && larger.whole && one.unit < larger.unit && one.high < larger.unit && !one.approximate &&
         one.from > larger.to && trim(text.substr(larger.to, one.from - larger.to)).empty();
}

}  // namespace

char decimal_sign_of(std::string_view document) {
  int points = 0, commas = 0;
  for (std::size_t i = 0; i < document.size();) {
    if (!is_digit(document[i]) || (i > 0 && in_name(document[i - 1]))) {
      ++i;
      continue;
    }
    const std::string_view rest = document.substr(i, 40);
    LooseNumbers numbers;
    if (const auto read = numbers.read(rest); read && read->length > 0) {
      const std::string_view text = rest.substr(0, read->length);
      if (text.find_first_of(".,") != std::string_view::npos) {
        const auto probe = numbers.read("1,234");
        if (probe && !probe->two_ways) ++(probe->value > 1000 ? points : commas);
      }
      i += read->length;
    }
    while (i < document.size() && (is_digit(document[i]) || document[i] == '.' || document[i] == ',')) ++i;
  }
  return commas > points ? ',' : '.';
}

bool give_unit(ClaimAmount& amount, const UnitHint& hint) {
  const bool money_for_hours = amount.dimension == ClaimDimension::kMoney && hint.dimension == ClaimDimension::kPrice;
  const bool bare = amount.dimension == ClaimDimension::kBare && !amount.odd && hint.dimension != ClaimDimension::kBare;
  if (money_for_hours || bare) {
    amount.dimension = hint.dimension;
    amount.per_gpu = hint.per_gpu;
    amount.per_node = hint.per_node;
    for (double* value : {&amount.low, &amount.high, &amount.low_step, &amount.high_step}) *value *= hint.unit;
    amount.unit *= hint.unit;
  }
  if (hint.per_gpu && amount.dimension == hint.dimension) amount.per_gpu = true;
  return money_for_hours || bare;
}

QuantityReader::QuantityReader(const Catalogue& catalogue, char decimal) : mentions_(catalogue), decimal_(decimal) {}

ClaimText QuantityReader::read_head(std::string text) {
  ClaimText said;
  said.text = std::move(text);
  said.gpus = mentions_.in(said.text);
  return said;
}

ClaimText QuantityReader::read_terms(std::string text) {
  const int counted = next_;
  ClaimText said = read(std::move(text));
  next_ = counted;
  for (ClaimAmount& amount : said.quantities) amount.id = -1;
  return said;
}

ClaimText QuantityReader::read(std::string text, const UnitHint& hint) {
  ClaimText said;
  said.text = std::move(text);
  const std::string_view all = said.text;
  said.gpus = mentions_.in(all);
  std::size_t mention = 0;
  for (std::size_t at = 0; at < all.size() && said.quantities.size() < kMostAmounts;) {
    while (mention < said.gpus.size() && said.gpus[mention].to <= at) ++mention;
    if (mention < said.gpus.size() && at >= said.gpus[mention].from) {
      at = said.gpus[mention].to;
      continue;
    }
    if (!is_digit(all[at])) {
      // Words with digits in them are names: p5.48xlarge, step_0, a100-40.
      if (is_letter(all[at]) || all[at] == '_') {
        const bool sign = (all[at] == 'x' || all[at] == 'X') && at > 0 && is_digit(all[at - 1]) &&
                          at + 1 < all.size() && (is_digit(all[at + 1]) || all[at + 1] == ' ');
        ++at;
        if (sign) continue;
        while (at < all.size() &&
               (in_name(all[at]) ||
                ((all[at] == '.' || all[at] == '-') && at + 1 < all.size() && is_digit(all[at + 1]) &&
                 is_letter(all[at - 1]) == (all[at] == '-')) ||
                (all[at] == '.' && is_digit(all[at - 1]) && at + 1 < all.size() && in_name(all[at + 1]))))
          ++at;
        continue;
      }
      ++at;
      continue;
    }
    // "a100-40": the rest of a name.
    const bool of_name = mention > 0 && all[at - 1] == '-' && said.gpus[mention - 1].to == at - 1;
    auto first = of_name ? std::nullopt : number_at(all.substr(at), decimal_);
    if (!first) {
      while (at < all.size() && is_digit(all[at])) ++at;
      continue;
    }
    ClaimAmount one;
    one.id = next_++;
    one.from = at;
    std::string_view front = all.substr(0, at);
    if (const std::string_view currency = currency_before(front); !currency.empty())
      one.currency = iequals(currency, "USD") ? "$" : std::string(currency);
    const bool money = !one.currency.empty();
    const Before signs = before(front);
    one.approximate = signs.approximate;
    one.at_most = signs.at_most;
    one.at_least = signs.at_least;
    one.added = signs.added;
    one.taken = is_taken(front);
    one.from = front.size();
    std::size_t end = at + first->length;
    Number second = *first;
    const std::string_view digits = all.substr(at, first->length);
    // "20-40 min", "$17-$33", "1.5 h to 2 h"
    const auto unit_behind = [&](std::size_t from) -> std::pair<const ClaimUnit*, std::size_t> {
      std::size_t start = from + blanks_at(all, from);
      if (start == from && start < all.size() && all[start] == '-') ++start;
      if (all.substr(start).starts_with("\xC3\x97")) return {nullptr, from};
      const ClaimUnit* unit = unit_at(all.substr(start));
      return {unit, unit == nullptr ? from : start + unit->name.size()};
    };
    const std::string_view ahead = trim(front);
    const bool in_sum = !ahead.empty() && (ahead.ends_with('+') || ahead.ends_with('-') || ahead.ends_with(kDashes[2]));
    const auto [unit_between, after_unit] = unit_behind(end);
    const std::size_t tries[] = {end, after_unit};
    for (const std::size_t from : tries) {
      const std::size_t sign = range_sign_at(all.substr(from));
      // "+ 7% - 29%": a sum, not from 7 to 29.
      if (sign == 0 || (in_sum && all.substr(from).starts_with(' '))) continue;
      std::size_t other = from + sign;
      if (all.substr(other).starts_with('~')) ++other;
      if (is_money_sign(all.substr(other))) ++other;
      else other += foreign_sign(all.substr(other));
      const auto last = number_at(all.substr(other), decimal_);
      if (!last) continue;
      const ClaimUnit* larger = unit_behind(other + last->length).first;
      // "$10 - 15%", "10 h - 20%" take something off.
      if (larger != nullptr && larger->dimension == ClaimDimension::kShare &&
          (money || (from != end && unit_between->dimension != ClaimDimension::kShare)))
        continue;
      if (last->value < first->value) {
        // "30 s - 2 min": a larger unit of the same kind.
        if (from == end || larger == nullptr || unit_between == nullptr ||
            larger->dimension != unit_between->dimension ||
            last->value * larger->factor < first->value * unit_between->factor)
          continue;
      }
      // "8-GPU 4090 - 24 GB": blanks around a dash part things, unless both ends share the unit.
      second = *last;
      end = other + last->length;
      break;
    }
    double factor = 1;
    const auto [unit, unit_end] = unit_behind(end);
    const auto take_money = [&] {
      one.dimension = ClaimDimension::kMoney;
      one.foreign = one.currency != "$";
      if (const PricePer* per = price_per_at(all.substr(end))) {
        one.dimension = ClaimDimension::kPrice;
        one.per_gpu = per->per_gpu;
        one.per_node = per->per_node;
        factor = 1 / per->hours;
        end += per->name.size();
      } else if (all.substr(end).starts_with('/')) {
        one.dimension = ClaimDimension::kBare;  // dollars for something else
        one.odd = true;
      } else {
        one.odd = odd_unit_at(all.substr(end), true);
      }
    };
    if (money) {
      take_money();
    } else if (unit != nullptr) {
      one.dimension = unit->dimension;
      one.per_gpu = unit->per_gpu;
      factor = unit->factor;
      end = unit_end;
      if (unit->dimension == ClaimDimension::kTokenRate && to_lower(all.substr(end, 4)) == "/gpu") {
        one.per_gpu = true;
        end += 4;
      }
      one.odd = odd_unit_at(all.substr(end), true);
      if (const auto whole =
              is_counted(one.dimension) && second.value == first->value ? counted_in_thousands(digits) : std::nullopt)
        second = *first = Number{*whole, 1, true, first->length};
    } else {
      const std::size_t next = end + blanks_at(all, end);
      const bool sign = all.substr(end).starts_with("\xC3\x97") || all.substr(end).starts_with('x') ||
                        all.substr(end).starts_with('X');
      const std::size_t length = sign ? (all[end] == '\xC3' ? 2U : 1U) : 0U;
      if (sign && (end + length == all.size() ||
                   (!in_name(all[end + length]) && (all[end + length] != ' ' || end + length + 1 >= all.size() ||
                                                    !is_digit(all[end + length + 1]))))) {
        one.dimension = ClaimDimension::kTimes;
        end += length;
      } else if (const std::string_view currency = currency_at(all.substr(next)); !currency.empty()) {
        one.currency = iequals(currency, "usd") ? "$" : std::string(currency);
        end = next + currency.size();
        take_money();
      } else if (hint.dimension != ClaimDimension::kBare) {
        one.dimension = hint.dimension;
        one.per_gpu = hint.per_gpu;
        one.per_node = hint.per_node;
        factor = hint.unit;
      } else {
        one.odd = odd_unit_at(all.substr(end), false);
      }
    }
    if (one.dimension == ClaimDimension::kMoney && hint.dimension == ClaimDimension::kPrice) {
      one.dimension = ClaimDimension::kPrice;
      one.per_gpu = hint.per_gpu;
      one.per_node = hint.per_node;
      factor = hint.unit;
    }
    if (hint.per_gpu && one.dimension == hint.dimension) one.per_gpu = true;
    one.unit = factor;
    // "30 s - 2 min": the first end has its own unit.
    const bool own = unit_between != nullptr && unit != nullptr && after_unit < end && second.value != first->value &&
                     unit_between->dimension == unit->dimension;
    const double first_factor = own ? unit_between->factor : factor;
    one.low = first->value * first_factor;
    one.low_step = first->step * first_factor;
    one.high = second.value * factor;
    one.high_step = second.step * factor;
    if (one.high < one.low) one.high = one.low, one.high_step = one.low_step;
    one.whole = first->whole && second.whole;
    one.to = end;
    one.text = std::string(trim(all.substr(one.from, end - one.from)));
    if (!said.quantities.empty() && goes_on(said.quantities.back(), one, all)) {
      ClaimAmount& larger = said.quantities.back();
      larger.low = larger.high = larger.low + one.low;
      larger.low_step = larger.high_step = one.low_step;
      larger.to = end;
      larger.text = std::string(trim(all.substr(larger.from, end - larger.from)));
      --next_;
    } else {
      said.quantities.push_back(std::move(one));
    }
    at = std::max(end, at + 1);
  }
  if (is_product(all, said) && (hint.dimension == ClaimDimension::kTime || hint.dimension == ClaimDimension::kGpuTime ||
                                hint.dimension == ClaimDimension::kMoney)) {
    // "6 x 20" below "Hours" are 120.
    ClaimAmount& whole = said.quantities.front();
    for (std::size_t i = 1; i < said.quantities.size(); ++i) {
      const double times = said.quantities[i].low / said.quantities[i].unit;
      for (double* value : {&whole.low, &whole.high, &whole.low_step, &whole.high_step}) *value *= times;
      whole.to = said.quantities[i].to;
      --next_;
    }
    whole.text = said.text;
    said.quantities.resize(1);
  }
  // Bookkeepers' "($20)".
  if (said.quantities.size() == 1 && all.starts_with('(') && all.ends_with(')') && said.quantities[0].from == 1 &&
      said.quantities[0].to + 1 == all.size())
    said.quantities[0].taken = true;
  return said;
}

}  // namespace gpuplan
