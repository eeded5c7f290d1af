#include "evidence/audit/figures/span.h"

#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "base/units.h"

namespace gpuplan {
namespace {

bool is_counted(ClaimDimension dimension) {
  switch (dimension) {
    case ClaimDimension::kGpus:
    case ClaimDimension::kSteps:
    case ClaimDimension::kEpochs:
    case ClaimDimension::kSamples:
    case ClaimDimension::kTokens:
    case ClaimDimension::kBare:
      return true;
    default:
      return false;
  }
}

/// How far a value may lie from what is written: "~120" is 115 to 125, "~90" 85.5 to 94.5.
double half_of(double value, double step, const ClaimAmount& quantity) {
  const double half = step / 2;
  if (!quantity.approximate) return half;
  constexpr double kMostShare = 0.05;
  double zeros = step;
  while (zeros * 10 <= value && std::fabs(std::remainder(value, zeros * 10)) < zeros / 1000) zeros *= 10;
  return std::max(half, std::min(zeros / 2, kMostShare * value));
}

ClaimSpan around(double value, double half) { return {std::max(value - half, 0.0), value + half}; }

/// Room for sums of doubles.
bool overlap(ClaimSpan a, ClaimSpan b) {
  const double room = 1e-9 * (std::fabs(a.high) + std::fabs(b.high));
  return a.low <= b.high + room && b.low <= a.high + room;
}

/// Where three digits and more are shown the last may have been cut off in place of rounded.
ClaimSpan stated_span(double value, double step, const ClaimAmount& quantity) {
  constexpr double kCut = 100;
  const double half = value >= kCut * step ? step * (1 - 1e-6) : step / 2;
  return around(value, std::max(half, half_of(value, step, quantity)));
}

std::string one(ClaimDimension dimension, double value) {
  constexpr double kHour = 3600;
  switch (dimension) {
    case ClaimDimension::kTime:
      return to_text(Seconds{value});
    case ClaimDimension::kStepTime:
      return to_text(Seconds{value}) + "/step";
    case ClaimDimension::kMoney:
      return to_text(Dollars{value});
    case ClaimDimension::kPrice:
      return to_text(Dollars{value}) + "/h";
    case ClaimDimension::kBytes:
      return value >= 1e8   ? significant_text(value / 1e9, 3) + " GB"
             : value >= 1e6 ? significant_text(value / 1e6, 3) + " MB"
                            : significant_text(value / 1e3, 3) + " KB";
    case ClaimDimension::kWidth:
      return number_text(value) + (value == 1 ? " byte" : " bytes");
    case ClaimDimension::kPower:
      return value >= 1e3 ? significant_text(value / 1e3, 3) + " kW" : significant_text(value, 3) + " W";
    case ClaimDimension::kEnergy:
      return significant_text(value / (1e3 * kHour), 4) + " kWh";
    case ClaimDimension::kOperations:
      return significant_text(value, 3) + " FLOPs";
    case ClaimDimension::kOperationRate:
      return value >= 1e15 ? significant_text(value / 1e15, 3) + " PFLOP/s"
                           : significant_text(value / 1e12, 3) + " TFLOP/s";
    case ClaimDimension::kByteRate:
      return significant_text(value / 1e9, 3) + " GB/s";
    case ClaimDimension::kShare:
      return significant_text(value * 100, 3) + "%";
    case ClaimDimension::kTimes:
      return significant_text(value, 3) + "x";
    case ClaimDimension::kGpuTime:
      return significant_text(value / kHour, 3) + " GPU-hours";
    case ClaimDimension::kNodeTime:
      return significant_text(value / kHour, 3) + " node-hours";
    case ClaimDimension::kTokenRate:
      return significant_text(value, 3) + " tokens/s";
    case ClaimDimension::kSampleRate:
      return significant_text(value, 3) + " samples/s";
    case ClaimDimension::kTokens:
      return count_text(value) + " tokens";
    case ClaimDimension::kSamples:
      return count_text(value) + " samples";
    case ClaimDimension::kSteps:
      return count_text(value) + " steps";
    default:
      return value >= 1000 && value == std::floor(value) ? count_text(value) : significant_text(value, 4);
  }
}

}  // namespace

ClaimEnds ends_of(const ClaimAmount& quantity, bool written) {
  // A number is stored in half a byte, not in about one.
  const bool exact = quantity.dimension == ClaimDimension::kWidth ||
                     (quantity.whole && !quantity.approximate && (written || is_counted(quantity.dimension)));
  // "1B tokens" in a product is no 0.5 to 1.5 billion.
  constexpr double kMostOfCount = 0.05;
  const bool counted = written && quantity.dimension != ClaimDimension::kBare && is_counted(quantity.dimension);
  const auto end = [&](double value, double step) {
    const double half = half_of(value, step, quantity);
    return exact ? ClaimSpan{value, value} : around(value, counted ? std::min(half, kMostOfCount * value) : half);
  };
  return {end(quantity.low, quantity.low_step), end(quantity.high, quantity.high_step)};
}

ClaimEnds ends_of(double value) { return {{value, value}, {value, value}}; }

double zeros_of(const ClaimAmount& amount) {
  if (!amount.whole || amount.low <= 0 || amount.range()) return 0;
  constexpr double kMostShare = 0.005;
  double zeros = 1;
  while (std::fmod(amount.low, zeros * 10) == 0) zeros *= 10;
  return std::min(zeros / 2 / amount.low, kMostShare);
}

ClaimEnds with_zeros(const ClaimAmount& rate) {
  ClaimEnds ends = ends_of(rate);
  const double room = zeros_of(rate);
  for (ClaimSpan* one : {&ends.low, &ends.high})
    *one = {std::min(one->low, rate.low * (1 - room)), std::max(one->high, rate.high * (1 + room))};
  return ends;
}

bool fits(const ClaimAmount& stated, const ClaimEnds& computed) {
  const ClaimSpan low = stated_span(stated.low, stated.low_step, stated);
  const ClaimSpan high = stated_span(stated.high, stated.high_step, stated);
  if (stated.at_most) return computed.least() <= high.high;
  if (stated.at_least) return computed.most() >= low.low;
  const bool range = computed.low_middle() < computed.high_middle() * (1 - 1e-12);
  if (stated.range() && range) return overlap(low, computed.low) && overlap(high, computed.high);
  return overlap({low.low, high.high}, {computed.least(), computed.most()});
}

bool fits_at_least(const ClaimAmount& stated, const ClaimEnds& computed, double slack) {
  if (fits(stated, computed)) return true;
  const ClaimSpan low = stated_span(stated.low, stated.low_step, stated);
  const ClaimSpan high = stated_span(stated.high, stated.high_step, stated);
  if (!stated.range()) return high.high >= computed.least() && low.low <= computed.most() * slack;
  return low.high >= computed.low.low && low.low <= computed.low.high * slack && high.high >= computed.high.low &&
         high.low <= computed.high.high * slack;
}

bool may_be_same(const ClaimAmount& a, const ClaimAmount& b) {
  const auto end = [](double x, double x_step, double y, double y_step) {
    const double gap = std::fabs(x - y), room = (x_step + y_step) / 2;
    return gap < room * (1 - 1e-9);
  };
  return end(a.low, a.low_step, b.low, b.low_step) && end(a.high, a.high_step, b.high, b.high_step);
}

std::string told(ClaimDimension dimension, double low, double high) {
  std::string first = one(dimension, low);
  if (high - low <= 1e-9 * std::fabs(high)) return first;
  return range_text(first, one(dimension, high));
}

std::string told(ClaimDimension dimension, const ClaimEnds& ends) {
  return told(dimension, ends.low_middle(), ends.high_middle());
}

std::string told(const ClaimAmount& as, const ClaimEnds& ends) {
  std::string text = told(as.dimension, ends);
  // In cents, as the one that it is held against.
  constexpr double kCents = 100, kLong = 1000;
  const double low = ends.low_middle(), high = ends.high_middle();
  if (as.dimension == ClaimDimension::kMoney && !as.whole && as.low_step < 0.02 && low >= kLong && low < 1e12 &&
      high - low <= 1e-9 * high) {
    const double cents = std::round(low * kCents), dollars = std::floor(cents / kCents);
    const int rest = static_cast<int>(cents - dollars * kCents);
    text = "$" + count_text(dollars) + (rest < 10 ? ".0" : ".") + std::to_string(rest);
  }
  const bool money = as.dimension == ClaimDimension::kMoney || as.dimension == ClaimDimension::kPrice;
  if (!money || as.currency == "$") return text;
  const std::string sign = as.currency + (as.currency.size() == 3 && is_letter(as.currency[0]) ? " " : "");
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + sign.size()))
    text.replace(at, 1, sign);
  return text;
}

}  // namespace gpuplan
