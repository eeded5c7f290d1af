#include "base/amount_units.h"

#include <array>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

struct Unit {
  std::string_view name;  ///< lower case
  double factor;
};

constexpr double kHour = units::hour.value;
constexpr double kMonth = units::month.value;

constexpr std::array kTimeUnits = {
    Unit{"s", 1},
    Unit{"sec", 1},
    Unit{"secs", 1},
    Unit{"second", 1},
    Unit{"seconds", 1},
    Unit{"ms", 1e-3},
    Unit{"us", 1e-6},
    Unit{"µs", 1e-6},
    Unit{"μs", 1e-6},
    Unit{"m", 60},
    Unit{"min", 60},
    Unit{"mins", 60},
    Unit{"minute", 60},
    Unit{"minutes", 60},
    Unit{"h", kHour},
    Unit{"hr", kHour},
    Unit{"hrs", kHour},
    Unit{"hour", kHour},
    Unit{"hours", kHour},
    Unit{"d", 24 * kHour},
    Unit{"day", 24 * kHour},
    Unit{"days", 24 * kHour},
    Unit{"w", 168 * kHour},
    Unit{"wk", 168 * kHour},
    Unit{"week", 168 * kHour},
    Unit{"weeks", 168 * kHour},
};
constexpr std::array kMonthUnits = {Unit{"month", kMonth}, Unit{"mo", kMonth}, Unit{"year", 12 * kMonth}};

constexpr std::array kScales = {
    Unit{"k", 1e3},  Unit{"m", 1e6},        Unit{"b", 1e9},       Unit{"g", 1e9},       Unit{"t", 1e12},
    Unit{"bn", 1e9}, Unit{"thousand", 1e3}, Unit{"million", 1e6}, Unit{"billion", 1e9}, Unit{"trillion", 1e12},
};

constexpr std::array kByteUnits = {
    Unit{"b", 1},
    Unit{"byte", 1},
    Unit{"bytes", 1},
    Unit{"kb", 1e3},
    Unit{"mb", 1e6},
    Unit{"gb", 1e9},
    Unit{"tb", 1e12},
    Unit{"pb", 1e15},
    Unit{"kib", 1024.0},
    Unit{"mib", units::MiB.value},
    Unit{"gib", units::GiB.value},
    Unit{"tib", units::TiB.value},
    Unit{"pib", 1024 * units::TiB.value},
};

constexpr std::array kPowerUnits = {Unit{"w", 1}, Unit{"watt", 1}, Unit{"watts", 1}, Unit{"kw", 1e3}};

std::optional<double> look_up(std::string_view name, std::span<const Unit> table) {
  for (const Unit& unit : table)
    if (iequals(unit.name, name)) return unit.factor;
  return std::nullopt;
}

/// "tokens/s", "tokens per second", "tokens / s" -> {"tokens", "s"}; the second part is empty without a quotient.
std::pair<std::string_view, std::string_view> split_quotient(std::string_view unit) {
  if (const std::size_t slash = unit.find('/'); slash != std::string_view::npos)
    return {trim(unit.substr(0, slash)), trim(unit.substr(slash + 1))};
  for (std::size_t at = 0; at + 4 <= unit.size(); ++at)
    if (iequals(unit.substr(at, 4), "per ") && (at == 0 || unit[at - 1] == ' '))
      return {trim(unit.substr(0, at)), trim(unit.substr(at + 4))};
  return {unit, {}};
}

/// "k", "M tokens", "million", "tokens" for the nouns given; nullopt when it is none of these.
std::optional<double> scaled_noun(std::string_view unit, std::span<const std::string_view> nouns) {
  const auto is_noun = [&](std::string_view word) {
    for (const std::string_view noun : nouns)
      if (iequals(noun, word)) return true;
    return false;
  };
  if (unit.empty()) return 1.0;
  if (is_noun(unit)) return 1.0;
  if (const auto scale = look_up(unit, kScales)) return scale;
  const std::size_t space = unit.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto scale = look_up(unit.substr(0, space), kScales);
  return scale && is_noun(trim(unit.substr(space + 1))) ? scale : std::nullopt;
}

/// Units of a rate of something: "tokens/s", "k tok/s", "samples/min"; a bare count or "k" is a second's.
std::optional<double> rate_of(std::string_view unit, std::span<const std::string_view> nouns) {
  if (const auto count = scaled_noun(unit, {})) return count;
  const auto [what, time] = split_quotient(unit);
  const auto scale = scaled_noun(what, nouns);
  const auto seconds = look_up(time, kTimeUnits);
  if (!scale || !seconds) return std::nullopt;
  return *scale / *seconds;
}

/// Case tells bits from bytes here and only here: 100 Mb/s is an eighth of 100 MB/s.
std::optional<double> data_rate(std::string_view unit) {
  auto [data, time] = split_quotient(unit);
  if (time.empty() && data.size() > 2 && iequals(data.substr(data.size() - 2), "ps")) {  // Gbps, MBps
    time = "s";
    data.remove_suffix(2);
  }
  const auto seconds = look_up(time, kTimeUnits);
  if (!seconds || data.empty()) return std::nullopt;
  double bits = 8;
  const std::string lower = to_lower(data);
  std::string_view stem = lower;
  if (stem.ends_with("bits") || stem.ends_with("bit")) {
    stem.remove_suffix(stem.ends_with('s') ? 4 : 3);
    bits = 1;
  } else if (stem.ends_with("bytes") || stem.ends_with("byte")) {
    stem.remove_suffix(stem.ends_with('s') ? 5 : 4);
  } else if (stem.ends_with('b')) {
    bits = data.back() == 'b' ? 1 : 8;
    stem.remove_suffix(1);
  } else {
    return std::nullopt;
  }
  const auto size = look_up(std::string(stem) + "b", kByteUnits);
  if (!size) return std::nullopt;
  return *size * (bits / 8) / *seconds;
}

/// The part of a money unit after the sign of the currency: "", "k", "/h", "k/month".
std::optional<double> money_scale(std::string_view unit) {
  constexpr std::array<std::string_view, 4> kDollar = {"$", "usd", "dollar", "dollars"};
  return scaled_noun(unit, kDollar);
}

/// In the order in which they are tried: "B" is more likely bytes than billions.
constexpr std::array kKinds = {
    std::pair{AmountKind::kTime, std::string_view("a time")},
    std::pair{AmountKind::kBytes, std::string_view("an amount of memory")},
    std::pair{AmountKind::kCount, std::string_view("a count")},
    std::pair{AmountKind::kMoney, std::string_view("an amount of money")},
    std::pair{AmountKind::kPrice, std::string_view("a price by the hour")},
    std::pair{AmountKind::kShare, std::string_view("a share")},
    std::pair{AmountKind::kRate, std::string_view("a rate")},
    std::pair{AmountKind::kTokens, std::string_view("a number of tokens")},
    std::pair{AmountKind::kBytesPerSecond, std::string_view("a data rate")},
    std::pair{AmountKind::kTokensPerSecond, std::string_view("a speed in tokens")},
    std::pair{AmountKind::kSamplesPerSecond, std::string_view("a speed in samples")},
    std::pair{AmountKind::kDollarsPerByteMonth, std::string_view("a price of storage")},
    std::pair{AmountKind::kDollarsPerByte, std::string_view("a price of traffic")},
    std::pair{AmountKind::kPower, std::string_view("an electric power")},
};

}  // namespace

std::string_view expectation(AmountKind kind) {
  switch (kind) {
    case AmountKind::kCount:
      return "a number such as 1500, 50_000 or 25M";
    case AmountKind::kShare:
      return "a share such as 30% or 0.3";
    case AmountKind::kTime:
      return "a time such as 12 h or 45 min";
    case AmountKind::kSeconds:
      return "a time such as 0.5 s or 300 ms";
    case AmountKind::kMoney:
      return "an amount of money such as $50";
    case AmountKind::kPrice:
      return "a price such as $0.35/h";
    case AmountKind::kRate:
      return "a rate such as 5%/h";
    case AmountKind::kBytes:
      return "a size such as 80 GiB or 200 GB";
    case AmountKind::kBytesPerSecond:
      return "a data rate such as 200 Mbit/s or 3 GB/s";
    case AmountKind::kTokens:
      return "a number of tokens such as 11.2B tokens or 300M";
    case AmountKind::kTokensPerSecond:
      return "a speed such as 70 tokens/s";
    case AmountKind::kSamplesPerSecond:
      return "a speed such as 3.5 samples/s";
    case AmountKind::kDollarsPerByteMonth:
      return "a price of storage such as $0.10/GB-month";
    case AmountKind::kDollarsPerByte:
      return "a price of traffic such as $0.09/GB";
    case AmountKind::kPower:
      return "a power such as 350 W";
  }
  return "an amount";
}

std::optional<double> unit_factor(std::string_view unit, AmountKind kind, bool dollar) {
  const bool bare = unit.empty() && !dollar;
  switch (kind) {
    case AmountKind::kCount:
      return dollar ? std::nullopt : scaled_noun(unit, {});
    case AmountKind::kShare:
      if (bare) return 1.0;
      return !dollar && (unit == "%" || iequals(unit, "percent")) ? std::optional(0.01) : std::nullopt;
    case AmountKind::kTime:
      return dollar || bare ? std::nullopt : look_up(unit, kTimeUnits);
    case AmountKind::kSeconds:
      if (bare) return 1.0;
      return dollar ? std::nullopt : look_up(unit, kTimeUnits);
    case AmountKind::kMoney:
      return money_scale(unit);
    case AmountKind::kPrice: {
      if (bare) return 1 / kHour;
      const auto [money, time] = split_quotient(unit);
      const auto scale = money_scale(money);
      auto seconds = look_up(time, kTimeUnits);
      if (!seconds) seconds = look_up(time, kMonthUnits);
      return scale && seconds ? std::optional(*scale / *seconds) : std::nullopt;
    }
    case AmountKind::kRate: {
      if (bare) return 1 / kHour;
      const auto [share, time] = split_quotient(unit);
      auto seconds = look_up(time, kTimeUnits);
      if (!seconds) seconds = look_up(time, kMonthUnits);
      if (dollar || !seconds || !(share.empty() || share == "%" || iequals(share, "percent"))) return std::nullopt;
      return (share.empty() ? 1 : 0.01) / *seconds;
    }
    case AmountKind::kBytes:
      if (bare) return 1.0;
      return dollar ? std::nullopt : look_up(unit, kByteUnits);
    case AmountKind::kBytesPerSecond:
      if (bare) return 1.0;
      return dollar ? std::nullopt : data_rate(unit);
    case AmountKind::kTokens: {
      constexpr std::array<std::string_view, 4> kNouns = {"tokens", "token", "tok", "toks"};
      return dollar ? std::nullopt : scaled_noun(unit, kNouns);
    }
    case AmountKind::kTokensPerSecond: {
      constexpr std::array<std::string_view, 4> kNouns = {"tokens", "token", "tok", "toks"};
      return dollar ? std::nullopt : rate_of(unit, kNouns);
    }
    case AmountKind::kSamplesPerSecond: {
      constexpr std::array<std::string_view, 5> kNouns = {"samples", "sample", "sequences", "sequence", "seq"};
      return dollar ? std::nullopt : rate_of(unit, kNouns);
    }
    case AmountKind::kDollarsPerByteMonth:
    case AmountKind::kDollarsPerByte: {
      const bool monthly = kind == AmountKind::kDollarsPerByteMonth;
      if (bare || (dollar && unit.empty())) return 1e-9 / (monthly ? kMonth : 1);
      const auto [money, rest] = split_quotient(unit);
      const auto scale = money_scale(money);
      if (!monthly) {
        const auto size = look_up(rest, kByteUnits);
        return scale && size ? std::optional(*scale / *size) : std::nullopt;
      }
      const std::size_t bound = rest.find_first_of("-/ ");
      if (!scale || bound == std::string_view::npos) return std::nullopt;
      const auto size = look_up(rest.substr(0, bound), kByteUnits);
      auto seconds = look_up(trim(rest.substr(bound + 1)), kMonthUnits);
      if (!seconds) seconds = look_up(trim(rest.substr(bound + 1)), kTimeUnits);
      return size && seconds ? std::optional(*scale / *size / *seconds) : std::nullopt;
    }
    case AmountKind::kPower:
      if (bare) return 1.0;
      return dollar ? std::nullopt : look_up(unit, kPowerUnits);
  }
  return std::nullopt;
}

std::string_view kind_of_unit(std::string_view unit, bool dollar) {
  if (unit.empty() && !dollar) return "";
  for (const auto& [kind, words] : kKinds)
    if (unit_factor(unit, kind, dollar)) return words;
  return "";
}

}  // namespace gpuplan
