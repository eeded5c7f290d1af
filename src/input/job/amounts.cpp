#include "input/job/amounts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/digits/decimal.h"
#include "base/math.h"
#include "base/text.h"
#include "base/units.h"

namespace gpuplan {

namespace {

using Kind = ValueType::Kind;

/// Twelve digits: what is behind them is the noise of binary fractions.
std::string digits(double value, int most = 12) { return general_digits(value, most); }

struct Unit {
  std::string_view before, after;
  double size = 1;  ///< in base units
};

constexpr double kHour = units::hour.value;
constexpr std::array kTimes = {Unit{"", " h", kHour}, Unit{"", " min", 60}, Unit{"", " s", 1}, Unit{"", " ms", 1e-3}};
constexpr std::array kSizes = {Unit{"", " TB", 1e12}, Unit{"", " GiB", units::GiB.value},
                               Unit{"", " GB", 1e9},  Unit{"", " MiB", units::MiB.value},
                               Unit{"", " MB", 1e6},  Unit{"", " B", 1}};
constexpr std::array kSpeeds = {Unit{"", " GB/s", 1e9}, Unit{"", " Mbit/s", 125e3}, Unit{"", " B/s", 1}};
constexpr std::array kShares = {Unit{"", "%", 0.01}};
constexpr std::array kMoney = {Unit{"$", "", 1}};
constexpr std::array kPrices = {Unit{"$", "/h", 1 / kHour}};
constexpr std::array kCounts = {Unit{}};
constexpr std::array kTokenRates = {Unit{"", " tokens/s", 1}};
constexpr std::array kSampleRates = {Unit{"", " samples/s", 1}};
constexpr std::array kStoragePrices = {Unit{"$", "/GB-month", 1 / (units::GB.value * units::month.value)}};
constexpr std::array kTrafficPrices = {Unit{"$", "/GB", 1 / units::GB.value}};
constexpr std::array kPowers = {Unit{"", " kW", 1e3}, Unit{"", " W", 1}};

std::span<const Unit> units_of(AmountKind kind) {
  switch (kind) {
    case AmountKind::kTime:
    case AmountKind::kSeconds:
      return kTimes;
    case AmountKind::kBytes:
      return kSizes;
    case AmountKind::kBytesPerSecond:
      return kSpeeds;
    case AmountKind::kShare:
      return kShares;
    case AmountKind::kMoney:
      return kMoney;
    case AmountKind::kPrice:
      return kPrices;
    case AmountKind::kTokensPerSecond:
      return kTokenRates;
    case AmountKind::kSamplesPerSecond:
      return kSampleRates;
    case AmountKind::kDollarsPerByteMonth:
      return kStoragePrices;
    case AmountKind::kDollarsPerByte:
      return kTrafficPrices;
    case AmountKind::kPower:
      return kPowers;
    case AmountKind::kRate:  // not linear: rate_in_words
    case AmountKind::kCount:
    case AmountKind::kTokens:
      break;
  }
  return kCounts;
}

/// The largest unit in which the value is at least one and takes at most so many digits; else the smallest.
const Unit& unit_for(AmountKind kind, double value, std::size_t most_digits) {
  const std::span<const Unit> units = units_of(kind);
  for (const Unit& unit : units)
    if (value / unit.size >= 1 && digits(value / unit.size).size() <= most_digits) return unit;
  return value == 0 || units.size() == 1 ? units.front() : units.back();
}

std::string in_unit(double value, const Unit& unit) {
  return std::string(unit.before) + digits(value / unit.size) + std::string(unit.after);
}

/// "5%/h", the chance in one hour, as it is written and read; what happens more often is "2.5/h".
std::string rate_in_words(double value, int precision) {
  const double hourly = value * kHour;
  return hourly < 2 ? digits(-math::expm1(-hourly) * 100, precision) + "%/h" : digits(hourly, precision) + "/h";
}

/// The number in front of " steps"; nullopt for other texts.
std::optional<double> steps_in(std::string_view text) {
  text = trim(text);
  for (const std::string_view noun : {"steps", "step"}) {
    if (text.size() <= noun.size() || !iequals(text.substr(text.size() - noun.size()), noun)) continue;
    const auto count = parse_amount(text.substr(0, text.size() - noun.size()), AmountKind::kCount);
    return count ? std::optional(*count) : std::nullopt;
  }
  return std::nullopt;
}

bool is_choice(const ValueType& type) { return type.kind == Kind::kOneOf || type.kind == Kind::kByGpu; }

/// A record that may be written as one amount; null when there is none.
const ValueType* record_beside_amount(const ValueType& type) {
  if (type.kind != Kind::kOneOf || !takes_amount(type)) return nullptr;
  for (std::size_t i = 0; i < type.option_count; ++i)
    if (type.options[i]->kind == Kind::kRecord) return type.options[i];
  return nullptr;
}

std::unexpected<Error> no_number(const Tree& tree) { return failure(got_text(tree) + " is none"); }

}  // namespace

std::optional<double> relative_factor(std::string_view text) {
  text = trim(text);
  if (text.size() < 2) return std::nullopt;
  const char sign = text.front();
  const std::string_view rest = trim(text.substr(1));
  const bool digit = !rest.empty() && (is_digit(rest.front()) || rest.front() == '.');
  if (!digit) return std::nullopt;
  if (sign == 'x' || sign == 'X') {
    const auto factor = parse_amount(rest, AmountKind::kCount);
    return factor ? std::optional(*factor) : std::nullopt;
  }
  if ((sign != '+' && sign != '-') || !rest.ends_with('%')) return std::nullopt;
  const auto share = parse_amount(rest, AmountKind::kShare);
  if (!share) return std::nullopt;
  return sign == '+' ? 1 + *share : 1 - *share;
}

bool takes_amount(const ValueType& type) {
  if (type.kind == Kind::kAmount || type.kind == Kind::kSteps) return true;
  if (type.kind == Kind::kByGpu) return takes_amount(*type.of);
  if (type.kind != Kind::kOneOf) return false;
  for (std::size_t i = 0; i < type.option_count; ++i)
    if (takes_amount(*type.options[i])) return true;
  return false;
}

std::optional<Amount> amount_in(const Tree& tree, const ValueType& type) {
  if (!tree.is_scalar()) return std::nullopt;
  if (type.kind == Kind::kByGpu) return amount_in(tree, *type.of);
  if (type.kind == Kind::kOneOf) {
    for (std::size_t i = 0; i < type.option_count; ++i) {
      // Beside another kind of amount a share shows its sign ("2" GPUs or "25%" of them).
      const bool share = type.options[i]->kind == Kind::kAmount && type.options[i]->amount == AmountKind::kShare;
      if (share && tree.text.find('%') == std::string::npos) continue;
      if (auto found = amount_in(tree, *type.options[i])) return found;
    }
    return std::nullopt;
  }
  if (type.kind == Kind::kSteps) {
    const auto count = steps_in(tree.text);
    if (!count) return std::nullopt;
    return Amount{.kind = AmountKind::kCount, .value = exactly(*count), .whole = true, .steps = true};
  }
  if (type.kind != Kind::kAmount) return std::nullopt;
  Amount amount{.kind = type.amount, .figure = type.figure, .whole = type.whole};
  if (type.range) {
    const auto range = parse_interval(tree.text, type.amount);
    if (!range) return std::nullopt;
    amount.value = *range;
  } else {
    const auto value = parse_amount(tree.text, type.amount);
    if (!value) return std::nullopt;
    amount.value = exactly(*value);
  }
  return amount;
}

std::string written(const Amount& amount) {
  if (amount.steps) return digits(amount.value.p50) + " steps";
  if (amount.kind == AmountKind::kRate) {
    const std::string from = rate_in_words(amount.value.p10, 12);
    return amount.value.exact() ? from : from + ".." + rate_in_words(amount.value.p90, 12);
  }
  const Unit& unit = unit_for(amount.kind, amount.value.p90, 6);
  if (amount.value.exact()) return in_unit(amount.value.p50, unit);
  return in_unit(amount.value.p10, unit) + ".." + in_unit(amount.value.p90, unit);
}

std::string brief(const Amount& amount) {
  if (amount.kind == AmountKind::kRate) return rate_in_words(amount.value.p50, 4);
  const Unit& unit = amount.steps ? kCounts.front() : unit_for(amount.kind, amount.value.p50, 32);
  const double value = amount.value.p50 / unit.size;
  const std::string text = value >= 999.95 ? count_text(value) : digits(value, 4);
  return std::string(unit.before) + text + std::string(amount.steps ? " steps" : unit.after);
}

Result<void> multiply(Tree& tree, const ValueType& type, double factor) {
  if (tree.is_scalar()) {
    auto amount = amount_in(tree, type);
    if (!amount) return no_number(tree);
    const double before = amount->value.p50;
    amount->value = amount->value * factor;
    if (amount->whole) {
      amount->value = exactly(std::max(1.0, std::floor(amount->value.p50 + 0.5)));
      if (amount->value.p50 == before && factor != 1)
        return failure(got_text(tree) + " is a whole number, of which that is less than one");
    }
    tree.text = written(*amount);
    tree.quoted = false;
    return {};
  }
  if (!tree.is_map() || !is_choice(type)) return no_number(tree);
  Tree* cases = tree.find("by_gpu");
  const ValueType* record = record_beside_amount(type);
  const bool by_gpu = cases != nullptr && cases->is_map();
  if (!by_gpu && record == nullptr) return no_number(tree);
  bool any = false;
  for (Tree& child : by_gpu ? cases->children : tree.children) {
    const Key* key = by_gpu ? nullptr : record->find(child.key);
    if (!by_gpu && key == nullptr) return no_number(child);
    const ValueType& inner = by_gpu ? type : *key->type;
    if (child.is_scalar() && !amount_in(child, inner)) continue;  // "auto" for some GPUs
    if (auto done = multiply(child, inner, factor); !done) return done;
    any = true;
  }
  if (!any) return no_number(tree);
  return {};
}

}  // namespace gpuplan
