// When a run that goes on will be done: its steps, and the evaluations between them.
#include <algorithm>
#include <cmath>

#include "evidence/check/run_check.h"

namespace gpuplan {
namespace {

/// Parts that the log is cut into, for the range of its pace.
constexpr std::size_t kPaceWindows = 10;

/// The time of a line is of that step alone, not the mean since the line before.
bool times_are_of_single_steps(const RunLog& log) {
  if (!log.formats.empty())
    if (log.formats.front() == LogFormat::kNanogpt || log.formats.front() == LogFormat::kTorchtune) return true;
  const Series& times = log.step_seconds;
  return times.count() >= 2 && times.last().step - times.first().step <= static_cast<double>(times.count());
}

/// Steps from one evaluation to the next, as the job says it, or else the validation losses of the log; 0: none.
double evaluated_every(const CheckedRun& run) {
  if (run.phase.evaluate && run.phase.evaluate->every_steps > 0) return run.phase.evaluate->every_steps;
  const Series& losses = run.log.validation;
  if (losses.count() < 2) return 0;
  const double every = (losses.last().step - losses.first().step) / static_cast<double>(losses.count() - 1);
  return every > 0 ? every : 0;  // no steps known
}

/// What the steps of a log take. An evaluation is often inside the time of a step; of a log with a line every few steps
/// the mean would weigh it as many times as there are steps between two lines.
struct Pace {
  Points steps;            ///< those that `evaluation` comes on top of
  double every = 0;        ///< steps between evaluations
  Seconds evaluation{};    ///< more than a plain step takes, of one with an evaluation; 0: none is to be seen, or it is
                           ///< in the mean
  bool evaluated = false;  ///< the evaluations of the job are among the times of the log

  double due(double from, double to) const {
    return evaluation > Seconds{} ? std::max(0.0, std::floor(to / every) - std::floor(from / every)) : 0;
  }
};

Pace pace_of(const CheckedRun& run, const Points& points) {
  Pace pace{points, evaluated_every(run)};
  if (pace.every < 2) return pace;
  Points plain, slow;
  for (const Series::Point& point : points) (std::fmod(point.step, pace.every) == 0 ? slow : plain).push_back(point);
  const auto middle = median_of(points), mean = mean_of(points), of_plain = mean_of(plain), of_slow = mean_of(slow);
  if (!middle) return pace;
  constexpr double kClearly = 0.5;
  if (run.phase.evaluate && run.phase.evaluate->every_steps > 0)
    pace.evaluated = *mean - *middle > kClearly * run.phase.evaluate->time.range.p50.value / pace.every;
  if (!of_plain || !of_slow || !times_are_of_single_steps(run.log)) return pace;
  if (*of_slow - *of_plain <= kClearly * *of_plain) return pace;
  pace.evaluation = Seconds{*of_slow - *of_plain};
  pace.steps = plain;
  return pace;
}

/// The mean, and the range of the means of parts of the log.
Interval<Seconds> step_of(const Points& points) {
  const double mean = mean_of(points).value_or(0);
  Points windows;
  const std::size_t count = std::min(kPaceWindows, points.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](std::size_t part) {
      return points.begin() + static_cast<std::ptrdiff_t>(points.size() * part / count);
    };
    if (const auto one = mean_of(Points(at(i), at(i + 1)))) windows.push_back({0, *one, 0});
  }
  constexpr double kLow = 0.1, kHigh = 0.9;
  return {Seconds{std::min(mean, quantile_of(windows, kLow).value_or(mean))}, Seconds{mean},
          Seconds{std::max(mean, quantile_of(windows, kHigh).value_or(mean))}};
}

}  // namespace

std::optional<Projection> project(const CheckedRun& run, const RunCheck& check) {
  const Expectation& expected = run.expected;
  const LogView view{run.log, expected.gpus, expected.tokens_per_step};
  const Points points = after_warm_up(step_points(view));
  if (check.done || !check.steps || !mean_of(points) || check.planned_steps <= 0 || !expected.seconds_per_step)
    return std::nullopt;
  const Pace pace = pace_of(run, points);
  const Interval<Seconds> step = step_of(pace.steps);
  Projection projection;
  projection.steps_left = std::max(0.0, check.planned_steps - *check.steps);
  const Seconds evaluations = pace.evaluation * pace.due(*check.steps, check.planned_steps);
  const Interval<Seconds> steps = step * projection.steps_left;
  projection.left = {steps.p10 + evaluations, steps.p50 + evaluations, steps.p90 + evaluations};
  // What the phase takes beside its steps stays as planned, but for evaluations that the times of steps hold already; a
  // log that tells more time than that is believed.
  Seconds beside = expected.hours.p50 - expected.seconds_per_step->p50 * expected.steps;
  if (pace.evaluated) beside = beside - run.phase.evaluate->time.range.p50 * std::floor(expected.steps / pace.every);
  beside = std::max(Seconds{}, beside);
  const Seconds steps_done = step.p50 * *check.steps + pace.evaluation * pace.due(0, *check.steps);
  const Seconds done = std::max(beside + steps_done, check.elapsed.value_or(Seconds{}));
  projection.hours = {done + projection.left.p10, done + projection.left.p50, done + projection.left.p90};
  const auto cost = [&](Seconds hours) {
    return std::max(Dollars{}, expected.cost.p50 + expected.machines_cost(hours) -
                                   expected.machines_cost(expected.hours.p50) -
                                   expected.credits_left.value_or(Dollars{}));
  };
  projection.cost = {cost(projection.hours.p10), cost(projection.hours.p50), cost(projection.hours.p90)};
  return projection;
}

}  // namespace gpuplan
