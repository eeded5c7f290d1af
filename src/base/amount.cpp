#include "base/amount.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/amount_units.h"
#include "base/digits/decimal.h"
#include "base/math.h"
#include "base/text.h"

namespace gpuplan {
namespace {

/// Number and unit as written; `unit` is empty for a bare number.
struct Written {
  double number = 0;
  std::string_view unit;
  bool dollar = false;
};

/// Why a text is no amount. Static texts.
using Reason = std::string_view;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(trim(text)) {}

  bool done() const { return rest_.empty(); }

  /// "..", "-" or an en dash between the ends of a range.
  bool take_range_sign() {
    skip_spaces();
    const bool taken = take("..") || take("-") || take("–");
    skip_spaces();
    return taken;
  }

  bool at_digit() const { return starts_number(rest_); }

  std::expected<Written, Reason> amount() {
    Written written;
    const bool minus = take("-");
    if (!minus) take("+");
    if (take("$")) {
      written.dollar = true;
    } else if (rest_.size() > 3 && iequals(rest_.substr(0, 3), "usd")) {
      rest_.remove_prefix(3);
      written.dollar = true;
    }
    skip_spaces();
    const auto value = number();
    if (!value) return std::unexpected(value.error());
    written.number = minus ? -*value : *value;
    written.unit = unit();
    return written;
  }

 private:
  void skip_spaces() { rest_ = trim(rest_); }

  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  static bool starts_number(std::string_view text) {
    return !text.empty() && (is_digit(text[0]) || (text.size() > 1 && text[0] == '.' && is_digit(text[1])));
  }

  std::expected<double, Reason> number() {
    if (!starts_number(rest_)) return std::unexpected(Reason(""));
    std::array<char, 64> digits{};
    std::size_t used = 0;
    std::size_t since_comma = 0;
    bool comma = false, point = false;
    std::size_t at = 0;
    const auto next_is_digit = [&] { return at + 1 < rest_.size() && is_digit(rest_[at + 1]); };
    for (; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (is_digit(c)) {
        ++since_comma;
      } else if (c == '_' && used > 0 && next_is_digit()) {
        continue;
      } else if (c == ',' && used > 0 && next_is_digit()) {
        if (point || (comma && since_comma != 3) || since_comma > 3) return std::unexpected(kComma);
        comma = true;
        since_comma = 0;
        continue;
      } else if (c == '.' && !point && next_is_digit()) {
        if (comma && since_comma != 3) return std::unexpected(kComma);
        point = true;
      } else if ((c == 'e' || c == 'E') && used > 0) {
        const bool sign =
            at + 2 < rest_.size() && (rest_[at + 1] == '-' || rest_[at + 1] == '+') && is_digit(rest_[at + 2]);
        if (!sign && !next_is_digit()) break;
        if (used + 2 >= digits.size()) return std::unexpected(Reason("it has too many digits"));
        digits[used++] = 'e';
        if (sign) digits[used++] = rest_[++at];
        for (++at; at < rest_.size() && is_digit(rest_[at]); ++at) {
          if (used >= digits.size()) return std::unexpected(Reason("it has too many digits"));
          digits[used++] = rest_[at];
        }
        break;
      } else {
        break;
      }
      if (used >= digits.size()) return std::unexpected(Reason("it has too many digits"));
      digits[used++] = c;
    }
    if (comma && !point && since_comma != 3) return std::unexpected(kComma);
    rest_.remove_prefix(at);
    // from_chars reads "1e+5" but no '+' in front; no sign was copied there.
    double value = 0;
    const auto end = read_number(digits.data(), digits.data() + used, value);
    if (end.ec == std::errc::result_out_of_range)
      return std::unexpected(Reason("it is too large or too small for a number"));
    if (end.ec != std::errc() || end.ptr != digits.data() + used) return std::unexpected(Reason(""));
    return value;
  }

  /// All up to the end, the sign of a range, or the next number ("1 h 30 min").
  std::string_view unit() {
    skip_spaces();
    std::size_t end = 0;
    while (end < rest_.size()) {
      const std::string_view here = rest_.substr(end);
      if (here.starts_with("..") || starts_number(here)) break;
      if (here.starts_with("-") || here.starts_with("–")) {
        std::string_view after = trim(here.substr(here[0] == '-' ? 1 : std::string_view("–").size()));
        if (after.starts_with('-')) after.remove_prefix(1);
        if (starts_number(after) || after.starts_with('$')) break;
      }
      ++end;
    }
    const std::string_view taken = trim(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return taken;
  }

  static constexpr Reason kComma = "a comma separates thousands; decimals have a point";
  std::string_view rest_;
};

std::unexpected<Error> not_expected(std::string_view text, AmountKind kind, std::string_view detail) {
  std::string message = "expected ";
  message += expectation(kind);
  message += ", got '";
  message += printable(trim(text), 60);
  message += '\'';
  if (!detail.empty()) {
    message += " (";
    message += detail;
    message += ')';
  }
  return failure(std::move(message));
}

/// "EUR" or a sign of money.
bool is_currency(std::string_view unit) {
  const bool code = unit.size() == 3 && std::ranges::all_of(unit, [](char c) { return c >= 'A' && c <= 'Z'; });
  constexpr std::array<std::string_view, 10> kSigns = {"€", "£", "¥", "₽", "₩", "₹", "kr", "zł", "元", "Kč"};
  return code || std::ranges::find(kSigns, unit) != kSigns.end();
}

/// Says what the amount is when its unit belongs to another kind, and asks back where it has none.
std::string wrong_unit(const Written& written) {
  if (written.unit.empty() && !written.dollar) {
    const std::string number = number_text(written.number);
    return number + " h, " + number + " min or " + number + " s?";
  }
  if (const std::string_view other = kind_of_unit(written.unit, written.dollar); !other.empty())
    return "that is " + std::string(other);
  if (written.unit.empty()) return "";
  if (written.unit == "USD") return "write $" + number_text(written.number);
  if (is_currency(written.unit))
    return "amounts are in US dollars; a price list in " + std::string(written.unit) +
           " says so in its column currency, and --rate CODE=DOLLARS converts it";
  return "unknown unit '" + printable(written.unit, 30) + "'";
}

constexpr bool is_time(AmountKind kind) { return kind == AmountKind::kTime || kind == AmountKind::kSeconds; }

/// An amount as written: one number and unit, or several for a time ("1 h 30 min").
using Quoted = std::vector<Written>;

Result<Quoted> read_amount(Scanner& scanner, std::string_view text, AmountKind kind) {
  Quoted parts;
  do {
    const auto part = scanner.amount();
    if (!part) return not_expected(text, kind, part.error());
    parts.push_back(*part);
  } while (is_time(kind) && !parts.back().unit.empty() && scanner.at_digit() && parts.size() < 4);
  return parts;
}

/// "5%/h", not "0.05/h".
bool is_chance(AmountKind kind, std::string_view unit) {
  return kind == AmountKind::kRate && (unit.starts_with('%') || unit.starts_with('p') || unit.starts_with('P'));
}

/// The rate of a Poisson process that has at least one event in a time T with chance p. `p` over T in seconds, as read
/// linearly from the unit: one percent of it is `factor`.
Result<double> rate_of_chance(const Written& part, double factor, std::string_view text) {
  const double chance = part.number / 100;
  if (chance >= 1)
    return not_expected(text, AmountKind::kRate, "a chance must be below 100%; for more, give events per hour: 1.5/h");
  return -math::log1p(-chance) * 100 * factor;
}

Result<double> value_of(const Quoted& parts, std::string_view text, AmountKind kind) {
  double value = 0;
  double last_factor = 0;
  for (const Written& part : parts) {
    // Nothing is nothing in every unit.
    const bool nothing = is_time(kind) && part.number == 0 && part.unit.empty() && !part.dollar;
    const auto factor = nothing ? std::optional(1.0) : unit_factor(part.unit, kind, part.dollar);
    if (!factor) return not_expected(text, kind, wrong_unit(part));
    if (is_chance(kind, part.unit)) return rate_of_chance(part, *factor, text);
    const bool follows = &part != &parts.front();
    if (follows && (part.unit.empty() || part.number < 0 || *factor >= last_factor))
      return not_expected(text, kind, "");
    // Parts after the first share its sign: -1 h 30 min is -90 min.
    value += (follows && parts.front().number < 0 ? -part.number : part.number) * *factor;
    last_factor = *factor;
  }
  if (!std::isfinite(value)) return not_expected(text, kind, "it is too large");
  return value;
}

/// A bare number means so many, not so many of the other end's unit.
constexpr bool counts(AmountKind kind) { return kind == AmountKind::kCount || kind == AmountKind::kTokens; }

}  // namespace

Result<double> parse_amount(std::string_view text, AmountKind kind) {
  Scanner scanner(text);
  const Result<Quoted> parts = read_amount(scanner, text, kind);
  if (!parts) return std::unexpected(parts.error());
  if (scanner.done()) return value_of(*parts, text, kind);
  const bool range = scanner.take_range_sign() && !scanner.done();
  return not_expected(text, kind, range ? "one figure, not a range" : "");
}

Result<Interval<double>> parse_interval(std::string_view text, AmountKind kind) {
  Scanner scanner(text);
  Result<Quoted> first = read_amount(scanner, text, kind);
  if (!first) return std::unexpected(first.error());
  if (scanner.done()) {
    const Result<double> value = value_of(*first, text, kind);
    if (!value) return std::unexpected(value.error());
    return exactly(*value);
  }
  if (!scanner.take_range_sign()) return not_expected(text, kind, "");
  Result<Quoted> second = read_amount(scanner, text, kind);
  if (!second) return std::unexpected(second.error());
  if (!scanner.done()) return not_expected(text, kind, "");

  // What one end leaves out the other says: "10-20 min", "$4-6/h".
  Written& low = first->front();
  Written& high = second->front();
  if (low.unit.empty()) {
    low.unit = high.unit;
    low.dollar = low.dollar || high.dollar;
  } else if (high.unit.empty() && !counts(kind)) {
    return not_expected(text, kind, "the unit of a range stands at its end");
  }
  high.dollar = high.dollar || low.dollar;

  const Result<double> p10 = value_of(*first, text, kind);
  if (!p10) return std::unexpected(p10.error());
  const Result<double> p90 = value_of(*second, text, kind);
  if (!p90) return std::unexpected(p90.error());
  if (*p10 > *p90) return not_expected(text, kind, "the range starts above its end");
  if (*p10 == *p90) return exactly(*p10);
  const double median = *p10 > 0 ? std::sqrt(*p10) * std::sqrt(*p90) : *p10 / 2 + *p90 / 2;
  return Interval<double>{*p10, std::clamp(median, *p10, *p90), *p90};  // rounding stays inside
}

}  // namespace gpuplan
