// How long steps took, by what lines say of it and by clocks, and how long the run.
#include <cmath>

#include "input/logs/book/book.h"

namespace gpuplan {

void LogBook::add_time(LogFormat format, double step, double seconds, const LogLine& line, TimeSource source) {
  std::optional<LogFormat>& owner = owners_[static_cast<std::size_t>(StepValue::kStepSeconds)];
  if (!(seconds > 0) || !std::isfinite(seconds)) return;
  if (source > time_source_) {
    log.step_seconds.clear();
    time_source_ = source;
    owner = format;
  }
  if (source < time_source_ || owner != format) return;
  if (!log.step_seconds.empty() && step == log.step_seconds.last().step) return;
  // The first line of a log tells of one step at least; a later one of all since the line before.
  const double since = log.step_seconds.empty() ? 1 : step - log.step_seconds.last().step;
  if (source == TimeSource::kSaid && since > 0) told_seconds_ += seconds * since;
  log.step_seconds.add(step, seconds, line.number);
}

/// The time of a step by the clocks of two lines. Those that come close together for how finely the clock is written
/// wait for a later one.
void LogBook::add_clock(LogFormat format, double step, double clock, const LogLine& line) {
  steps_clocked_ = true;
  Segment& now = segment(format);
  // Times of day begin anew at midnight.
  constexpr double kHalfDay = 43'200;
  if (clock < now.last_clock && now.last_clock - clock < kHalfDay && step > now.last_clock_step && log.clock_back == 0)
    log.clock_back = line.number;
  if (step <= now.last_clock_step) return;
  now.last_clock = clock;
  now.last_clock_step = step;
  if (std::isnan(now.first_clock)) {
    now.first_clock = clock;
    now.first_clock_step = step;
  }
  const double fine = whole_seconds_ ? 10 : 0.05;
  if (clock >= now.clock && clock - now.clock < fine) return;
  if (clock > now.clock && step > now.clock_step)
    add_time(format, step, (clock - now.clock) / (step - now.clock_step), line, TimeSource::kClock);
  now.clock = clock;
  now.clock_step = step;
}

/// Of a run whose clocks are all close together, as finely as they are written, the mean time is known.
void LogBook::add_mean_of_clocks() {
  if (time_source_ >= TimeSource::kBar || !step_owner_) return;
  const Segment& now = segment(*step_owner_);
  const double time = now.last_clock - now.first_clock, steps = now.last_clock_step - now.first_clock_step;
  if (!(time > 0) || !(steps > 0)) return;
  const LogLine line{.number = log.work.empty() ? 1 : log.work.back().line};
  add_time(*step_owner_, now.last_clock_step, time / steps, line, TimeSource::kMean);
}

void LogBook::clock(double seconds) {
  if (std::isnan(first_clock_)) first_clock_ = seconds;
  elapsed(Seconds{seconds - first_clock_});
}

void LogBook::elapsed(Seconds passed) {
  if (passed >= clocked_.value_or(Seconds{})) clocked_ = passed;
}

}  // namespace gpuplan
