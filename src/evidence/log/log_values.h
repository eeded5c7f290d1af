// What a series of a log comes to: its end, its middle, how it falls. docs/check.md explains every definition here.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "evidence/log/run_log.h"

namespace gpuplan {

using Points = std::vector<Series::Point>;

/// Steps from the first of a log on in which programs compile, caches fill and clocks settle.
inline constexpr double kWarmUpSteps = 10;

/// The points of a series, its last one among them however it was thinned out.
Points points_of(const Series& series);

/// Without the first value and those of the first kWarmUpSteps steps, as far as something is left.
Points after_warm_up(const Points& points);

/// Of the finite values; nullopt: there are none.
std::optional<double> median_of(const Points& points);
std::optional<double> mean_of(const Points& points);
/// The value that this share (0..1) of the finite values does not exceed; nullopt: there are none.
std::optional<double> quantile_of(const Points& points, double share);

/// Where a series ends: the median of its last twentieth (at least one value, at most 100), or one that is not
/// finite where the last or more than half of these are not. nullopt: no values.
std::optional<double> end_of(const Points& points);

/// Steps until the series comes to `goal`, if it goes on as in its last half; nullopt: it does not come nearer, or no
/// steps are known.
std::optional<double> steps_until(const Points& points, double goal);

/// How a series of losses falls.
struct Fall {
  int windows = 0;             ///< equal parts of the series whose medians are compared
  double first = 0, last = 0;  ///< medians of the first and the last of them
  double rise = 0;             ///< largest step up from one median to the next
  std::size_t spikes = 0;      ///< values that jump out of the ones before them
  double worst = 1;            ///< of all values: how many times the running median before it
  Series::Point worst_at{};
  bool finite = true;

  bool falls() const { return finite && last < first; }
  /// Falls, no median is above the one before by more than a tenth of the whole fall, and nothing spikes.
  bool smoothly() const { return falls() && rise <= kRise * (first - last) && spikes == 0; }

  static constexpr double kRise = 0.1;
  static constexpr double kSpike = 1.2;        ///< times the running median, and ...
  static constexpr double kDeviations = 10;    ///< ... so many median deviations above it: a spike
  static constexpr std::size_t kRunning = 20;  ///< values that the running median is of
  static constexpr std::size_t kFewest = 8;    ///< values that it takes to say anything
};
/// nullopt: fewer than Fall::kFewest values.
std::optional<Fall> fall_of(const Points& points);

}  // namespace gpuplan
