#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "base/amount.h"
#include "base/digits/decimal.h"
#include "base/math.h"
#include "base/text.h"

namespace gpuplan {
namespace {

struct PrintedUnit {
  std::string_view name;
  double factor;
};

/// The value rounded to three digits, so that 999.9 MB is printed as 1 GB.
double three_digits(double value) {
  double rounded = value;
  const std::string text = significant_text(value, 3);
  read_number(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

/// Three digits in the largest unit that leaves at least one before the point.
std::string with_prefix(double value, std::span<const PrintedUnit> prefixes) {
  const double rounded = three_digits(value);
  const double size = rounded < 0 ? -rounded : rounded;
  const PrintedUnit* best = &prefixes[0];
  // A size that would take four digits goes to the next unit: 0.977 GiB, not 1000 MiB.
  for (std::size_t i = 1; i < prefixes.size(); ++i)
    if (size >= prefixes[i - 1].factor * 1000) best = &prefixes[i];
  return significant_text(value / best->factor, 3) + " " + std::string(best->name);
}

std::string money_text(double dollars) {
  const double size = dollars < 0 ? -dollars : dollars;
  const std::string sign = dollars < 0 ? "-$" : "$";
  if (!std::isfinite(dollars)) return sign + number_text(size);
  if (size >= 999.995) return sign + count_text(size);
  if (size > 0 && size < 0.00995) return sign + significant_text(size, 2);
  return (size == 0 ? "$" : sign) + fixed_text(size, 2);
}

}  // namespace

std::string to_text(Seconds time) {
  constexpr std::array kUnits = {PrintedUnit{"us", 1e-6}, PrintedUnit{"ms", 1e-3}, PrintedUnit{"s", 1},
                                 PrintedUnit{"min", 60}, PrintedUnit{"h", units::hour.value}};
  const double size = three_digits(time.value < 0 ? -time.value : time.value);
  if (size == 0) return "0 s";
  const PrintedUnit* best = &kUnits[0];
  for (const PrintedUnit& unit : kUnits)
    if (size >= unit.factor) best = &unit;
  const double shown = time.value / best->factor;
  return (size >= 1000 * units::hour.value ? count_text(shown) : significant_text(shown, 3)) + " " +
         std::string(best->name);
}

std::string to_text(Bytes size) {
  constexpr std::array kUnits = {PrintedUnit{"B", 1}, PrintedUnit{"KiB", 1024.0}, PrintedUnit{"MiB", units::MiB.value},
                                 PrintedUnit{"GiB", units::GiB.value}, PrintedUnit{"TiB", units::TiB.value}};
  return with_prefix(size.value, kUnits);
}

std::string to_text(Dollars money) { return money_text(money.value); }

std::string to_text(BytesPerSecond rate) {
  constexpr std::array kUnits = {PrintedUnit{"B/s", 1}, PrintedUnit{"kB/s", 1e3}, PrintedUnit{"MB/s", 1e6},
                                 PrintedUnit{"GB/s", 1e9}, PrintedUnit{"TB/s", 1e12}};
  return with_prefix(rate.value, kUnits);
}

std::string to_text(PerSecond rate) {
  const double hourly = rate * units::hour;
  if (hourly >= 2) return significant_text(hourly, 3) + "/h";
  return significant_text(-math::expm1(-hourly) * 100, 3) + "%/h";
}

std::string to_text(FlopsPerSecond rate) {
  constexpr std::array kUnits = {PrintedUnit{"FLOP/s", 1},     PrintedUnit{"kFLOP/s", 1e3},
                                 PrintedUnit{"MFLOP/s", 1e6},  PrintedUnit{"GFLOP/s", 1e9},
                                 PrintedUnit{"TFLOP/s", 1e12}, PrintedUnit{"PFLOP/s", 1e15},
                                 PrintedUnit{"EFLOP/s", 1e18}};
  return with_prefix(rate.value, kUnits);
}

std::string to_text(Flops work) {
  constexpr std::array kUnits = {PrintedUnit{"FLOP", 1},     PrintedUnit{"kFLOP", 1e3},  PrintedUnit{"MFLOP", 1e6},
                                 PrintedUnit{"GFLOP", 1e9},  PrintedUnit{"TFLOP", 1e12}, PrintedUnit{"PFLOP", 1e15},
                                 PrintedUnit{"EFLOP", 1e18}, PrintedUnit{"ZFLOP", 1e21}, PrintedUnit{"YFLOP", 1e24}};
  return with_prefix(work.value, kUnits);
}

std::string to_text(DollarsPerSecond price) { return money_text((price * units::hour).value) + "/h"; }

std::string hours_text(Seconds time) {
  const double hours = time / units::hour;
  const double size = hours < 0 ? -hours : hours;
  if (size >= 99.95) return count_text(hours);
  if (size >= 0.95 || size == 0) return fixed_text(hours, 1);
  return significant_text(hours, size >= 0.095 ? 2 : 1);
}

std::string count_short(double count) {
  constexpr std::array kUnits = {PrintedUnit{"k", 1e3}, PrintedUnit{"M", 1e6}, PrintedUnit{"B", 1e9},
                                 PrintedUnit{"T", 1e12}};
  if (!std::isfinite(count) || (count < 10000 && count > -10000)) {
    return count == std::floor(count) ? number_text(count) : significant_text(count, 4);
  }
  const double rounded = three_digits(count);
  const PrintedUnit* best = &kUnits[0];
  for (const PrintedUnit& unit : kUnits)
    if (rounded >= unit.factor || -rounded >= unit.factor) best = &unit;
  return significant_text(count / best->factor, 3) + std::string(best->name);
}

std::string rate_text(double rate) {
  const std::string digits = significant_text(rate, 3);
  return rate >= 999.5 ? count_text(parse_amount(digits, AmountKind::kCount).value_or(rate)) : digits;
}

}  // namespace gpuplan
