#include "evidence/log/log_values.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace gpuplan {
namespace {

constexpr std::size_t kEndPart = 20, kEndMost = 100;
constexpr std::size_t kWindows = 10, kWindowFewest = 4;
constexpr std::size_t kRunningFewest = 5;

std::vector<double> finite_values(std::span<const Series::Point> points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Series::Point& point : points)
    if (std::isfinite(point.value)) values.push_back(point.value);
  return values;
}

/// Of values that may be put in another order. REQUIRES: there are some, all finite.
double median(std::span<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<double> median_in(std::span<const Series::Point> points) {
  std::vector<double> values = finite_values(points);
  if (values.empty()) return std::nullopt;
  return median(values);
}

void compare_windows(std::span<const Series::Point> points, Fall& fall) {
  const std::size_t windows = std::clamp(points.size() / kWindowFewest, std::size_t{2}, kWindows);
  fall.windows = static_cast<int>(windows);
  double before = 0;
  for (std::size_t i = 0; i < windows; ++i) {
    const std::size_t from = points.size() * i / windows, to = points.size() * (i + 1) / windows;
    const double middle = median_in(points.subspan(from, to - from)).value_or(before);
    if (i == 0) fall.first = middle;
    else fall.rise = std::max(fall.rise, middle - before);
    before = middle;
  }
  fall.last = before;
}

void look_for_spikes(std::span<const Series::Point> points, Fall& fall) {
  std::vector<double> running, deviations;
  for (std::size_t i = kRunningFewest; i < points.size(); ++i) {
    const std::size_t from = i > Fall::kRunning ? i - Fall::kRunning : 0;
    running = finite_values(points.subspan(from, i - from));
    const double value = points[i].value;
    if (running.size() < kRunningFewest || !std::isfinite(value)) continue;
    const double middle = median(running);
    if (middle <= 0 || value <= middle * fall.worst) continue;  // no larger than what is known already
    fall.worst = value / middle;
    fall.worst_at = points[i];
  }
  if (fall.worst <= Fall::kSpike) return;
  for (std::size_t i = kRunningFewest; i < points.size(); ++i) {
    const std::size_t from = i > Fall::kRunning ? i - Fall::kRunning : 0;
    running = finite_values(points.subspan(from, i - from));
    const double value = points[i].value;
    if (running.size() < kRunningFewest || !std::isfinite(value)) continue;
    const double middle = median(running);
    deviations.clear();
    for (const double one : running) deviations.push_back(std::abs(one - middle));
    if (value > Fall::kSpike * middle && value > middle + Fall::kDeviations * median(deviations)) ++fall.spikes;
  }
}

}  // namespace

Points points_of(const Series& series) {
  Points points = series.points();
  if (!series.empty() && (points.empty() || points.back().line != series.last().line)) points.push_back(series.last());
  return points;
}

Points after_warm_up(const Points& points) {
  if (points.size() < 2) return points;
  const double end = points.front().step + kWarmUpSteps;
  Points kept;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (!(points[i].step < end)) kept.push_back(points[i]);  // those without a step count
  if (kept.empty()) kept.assign(points.begin() + 1, points.end());
  return kept;
}

std::optional<double> median_of(const Points& points) { return median_in(points); }

std::optional<double> mean_of(const Points& points) {
  const std::vector<double> values = finite_values(points);
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::optional<double> quantile_of(const Points& points, double share) {
  std::vector<double> values = finite_values(points);
  if (values.empty()) return std::nullopt;
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::clamp(std::round(share * last), 0.0, last));
  std::ranges::nth_element(values, at);
  return *at;
}

std::optional<double> end_of(const Points& points) {
  if (points.empty()) return std::nullopt;
  if (!std::isfinite(points.back().value)) return points.back().value;
  const std::size_t count = std::clamp((points.size() + kEndPart - 1) / kEndPart, std::size_t{1}, kEndMost);
  const std::span window = std::span(points).last(count);
  const auto bad =
      std::ranges::find_if_not(window, [](const Series::Point& point) { return std::isfinite(point.value); });
  const auto all =
      std::ranges::count_if(window, [](const Series::Point& point) { return !std::isfinite(point.value); });
  if (2 * all > std::ssize(window)) return bad->value;
  return median_in(window);
}

std::optional<double> steps_until(const Points& points, double goal) {
  if (points.size() < Fall::kFewest) return std::nullopt;
  const std::span all(points);
  const std::size_t half = points.size() / 2, quarter = (points.size() - half) / 2;
  const auto before = all.subspan(half, quarter), after = all.subspan(half + quarter);
  const auto from = median_in(before), to = median_in(after), end = end_of(points);
  const double steps = after[after.size() / 2].step - before[before.size() / 2].step;
  if (!from || !to || !std::isfinite(*end) || !(steps > 0)) return std::nullopt;
  const double pace = (*to - *from) / steps;
  const double needed = (goal - *end) / pace;
  return std::isfinite(needed) && needed > 0 ? std::optional(needed) : std::nullopt;
}

std::optional<Fall> fall_of(const Points& points) {
  if (points.size() < Fall::kFewest) return std::nullopt;
  Fall fall;
  fall.finite = std::ranges::all_of(points, [](const Series::Point& point) { return std::isfinite(point.value); });
  compare_windows(points, fall);
  look_for_spikes(points, fall);
  return fall;
}

}  // namespace gpuplan
