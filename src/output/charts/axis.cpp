#include "output/charts/axis.h"

#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/math.h"
#include "base/text.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// What one of the unit that people count in is on the axis, by how far the axis reaches.
double counted_in(double end, AxisUnit unit) {
  if (unit == AxisUnit::kHours) return end >= 0.95 ? 1.0 : end >= 1.0 / 60 ? 1.0 / 60 : 1.0 / 3600;
  if (unit == AxisUnit::kSeconds)
    return end >= 2 * 3600 ? 3600 : end >= 10 * 60 ? 60 : end >= 1 ? 1 : end >= 1e-3 ? 1e-3 : 1e-6;
  return 1;
}

bool sexagesimal(double one, AxisUnit unit) {
  return (unit == AxisUnit::kHours && one < 1) || (unit == AxisUnit::kSeconds && (one == 1 || one == 60));
}

/// The least round number that is not below the value: 1, 2, 2.5 and 5 times powers of ten; minutes and seconds go by
/// 15 and 30, hours by 6, 12 and 24.
double round_step(double least, bool sixty, bool hours) {
  if (sixty && least > 10 && least <= 30) return least <= 15 ? 15 : 30;
  if (sixty && least > 30 && least <= 60) return 60;
  if (hours && least > 5 && least <= 24) return least <= 6 ? 6 : least <= 12 ? 12 : 24;
  const double power = math::pow(10, std::floor(math::log(least) / math::log(10.0) + 1e-9));
  for (const double step : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    if (step == 2.5 && power < 10) continue;  // a tick that needs a digit more than its neighbours
    if (step * power >= least * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

std::vector<double> linear_ticks(double low, double high, AxisUnit unit) {
  const double one = counted_in(high, unit);
  const double step = one * round_step((high - low) / one / static_cast<double>(kMostTicks - 1), sexagesimal(one, unit),
                                       unit == AxisUnit::kHours && one == 1);
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; ticks.size() < kMostTicks; ++i) {
    const double tick = (first + i) * step;
    if (tick > high * (1 + 1e-12)) break;
    ticks.push_back(std::max(tick, low));
  }
  return ticks;
}

/// Values that people call round, within [low, high].
std::vector<double> round_values(double low, double high, AxisUnit unit) {
  std::vector<double> values;
  if (unit == AxisUnit::kHours) {
    static constexpr double kHours[] = {1.0 / 3600,  2.0 / 3600, 5.0 / 3600, 10.0 / 3600, 15.0 / 3600,
                                        30.0 / 3600, 1.0 / 60,   2.0 / 60,   5.0 / 60,    0.1666666666666666666,
                                        0.25,        0.5,        1,          2,           3,
                                        4,           5,          6,          8,           10,
                                        12,          16,         24,         36,          48,
                                        72,          120,        240};
    if (high <= 600) {
      for (const double value : kHours)
        if (value >= low && value <= high) values.push_back(value);
      return values;
    }
  }
  double power = math::pow(10, std::floor(math::log(low) / math::log(10.0) - 1e-9));
  while (power <= high) {
    for (const double step : {1.0, 2.0, 5.0})
      if (const double value = step * power; value >= low && value <= high) values.push_back(value);
    power *= 10;
  }
  return values;
}

/// Of round values as many as there may be, about as far apart as each other.
std::vector<double> log_ticks(double low, double high, AxisUnit unit) {
  constexpr double kLinearTo = 3;  // below, steps of one size are as readable and rounder
  if (high / low < kLinearTo) return linear_ticks(low, high, unit);
  const std::vector<double> all = round_values(low, high, unit);
  if (all.size() < 3) return linear_ticks(low, high, unit);
  double least = math::log(high / low) / static_cast<double>(kMostTicks + 3);
  std::vector<double> ticks;
  do {
    ticks.clear();
    for (const double value : all)
      if (ticks.empty() || math::log(value / ticks.back()) >= least) ticks.push_back(value);
    least *= 1.15;
  } while (ticks.size() > kMostTicks);
  return ticks;
}

void add_ticks(const std::vector<double>& ticks, AxisUnit unit, PlotAxis& axis) {
  for (const double tick : ticks) {
    std::string text = tick_text(tick, unit);
    // Two ticks that read alike say nothing.
    if (!axis.ticks.empty() && axis.ticks.back().text == text) continue;
    axis.ticks.push_back({tick, std::move(text)});
  }
}

}  // namespace

std::string tick_text(double value, AxisUnit unit) {
  switch (unit) {
    case AxisUnit::kHours:
      return hours_label(value);
    case AxisUnit::kSeconds:
      return value == 0 ? "0" : to_text(Seconds{value});
    case AxisUnit::kDollars:
      return money_label(value);
    case AxisUnit::kGiB:
      return number_text(value) + " GiB";
    case AxisUnit::kShare:
      return value == 0 ? "0%" : value == 1 ? "100%" : percent(value);
    case AxisUnit::kDays:
      return value == 0 ? "today" : count_of(value, "day");
  }
  return number_text(value);
}

PlotAxis scattered_axis(std::string title, std::span<const double> values, AxisUnit unit) {
  PlotAxis axis{std::move(title), PlotScale::kLinear, 0, 1, {}};
  if (values.empty()) return axis;
  const auto [least, most] = std::ranges::minmax(values);
  if (least > 0) {
    axis.scale = PlotScale::kLog;
    constexpr double kMargin = 0.04, kNarrowest = 1.2;
    const double ratio = std::max(most / least, kNarrowest);
    const double spare = math::pow(ratio / (most / least), 0.5) * math::pow(ratio, kMargin);
    axis.min = least / spare;
    axis.max = most * spare;
    add_ticks(log_ticks(axis.min, axis.max, unit), unit, axis);
    return axis;
  }
  axis.min = std::min(least, 0.0);
  axis.max = most > axis.min ? axis.min + (most - axis.min) * 1.06 : axis.min + 1;
  add_ticks(linear_ticks(axis.min, axis.max, unit), unit, axis);
  return axis;
}

PlotAxis linear_axis(std::string title, double start, double end, AxisUnit unit) {
  PlotAxis axis{std::move(title), PlotScale::kLinear, start, end > start ? end : start + 1, {}};
  add_ticks(linear_ticks(axis.min, axis.max, unit), unit, axis);
  return axis;
}

PlotAxis row_axis(const std::vector<std::string>& rows) {
  PlotAxis axis{"", PlotScale::kCategory, -0.5, static_cast<double>(std::max<std::size_t>(rows.size(), 1)) - 0.5, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) axis.ticks.push_back({static_cast<double>(i), rows[i]});
  return axis;
}

std::string short_name(const std::string& name, int columns) { return shortened(printable(name, 200), columns); }

}  // namespace gpuplan
