#include "input/logs/book/record_count.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpuplan {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// The one whole number of the range; else the one that people give for logging_steps; 0: neither.
double interval_in(double least, double most) {
  constexpr double kSlack = 1e-6;
  const double first = std::max(1.0, std::ceil(least - kSlack)), last = std::floor(most + kSlack);
  if (first == last) return first;
  constexpr std::array kUsual = {1.0, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0, 200.0, 250.0, 500.0, 1000.0};
  double found = 0;
  for (const double usual : kUsual) {
    if (usual < first || usual > last) continue;
    if (found > 0) return 0;
    found = usual;
  }
  return found;
}

/// Epochs are printed with two decimals, by newer versions with four digits.
double rounding_of(double epoch) {
  constexpr double kTwoDecimals = 0.005, kFourDigits = 5e-4, kExact = 1e-9;
  const double hundredths = 100 * epoch;
  return std::abs(hundredths - std::round(hundredths)) < kExact ? kTwoDecimals : kFourDigits * epoch;
}

void number_all(RunLog& log, double interval) {
  const std::size_t count = log.loss.count();
  for (Series* series : {&log.loss, &log.grad_norm, &log.learning_rate, &log.tokens_per_second_per_gpu})
    if (series->count() == count) series->number_steps(interval);
  log.last_step = interval * static_cast<double>(count);
}

}  // namespace

double RecordCount::add(RunLog& log, double epoch, bool loss, double per_epoch) {
  const double estimate = epoch * per_epoch;
  if (!loss) return per_epoch > 0 ? std::max(std::round(estimate), interval_ * static_cast<double>(count_)) : kNotKnown;
  ++count_;
  epoch_ = epoch;
  if (!(per_epoch > 0)) return kNotKnown;
  if (uneven_) return estimate >= 1 ? std::round(estimate) : kNotKnown;
  const double unsure = rounding_of(epoch) * per_epoch, count = static_cast<double>(count_);
  const double at_least = estimate - unsure >= 1 ? std::floor(estimate - unsure) : kNotKnown;
  least_ = std::max(least_, (estimate - unsure) / count);
  most_ = count_ == 1 ? estimate + unsure : std::min(most_, (estimate + unsure) / count);
  const double interval = interval_in(least_, most_);
  if (std::floor(most_ + 1e-6) < std::max(1.0, std::ceil(least_ - 1e-6))) {
    // Not every so many steps: logging_first_step, or a run that was begun before this log.
    uneven_ = true;
    return std::round(estimate);
  }
  if (interval == 0) return at_least;
  if (interval != interval_ && count_ > 1) number_all(log, interval);
  interval_ = interval;
  return interval * count;
}

void RecordCount::number(RunLog& log, double per_epoch) const {
  if (count_ == 0 || log.loss.count() != count_) return;
  const double interval = std::round(epoch_ * per_epoch / static_cast<double>(count_));
  if (interval >= 1) number_all(log, interval);
}

}  // namespace gpuplan
