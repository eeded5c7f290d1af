#include "input/logs/book/epoch_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpuplan {

double EpochSteps::count(const StepPlace& place, bool begins) {
  const double step = place.step;
  if (place.of > 0) of_ = length_ = place.of;
  if (place.epochs > 0) epochs_ = place.epochs;
  anew_ = anew_ || (place.of_epoch && !whole_);
  if (!last_) from_zero_ = step == 0;
  bool passed = true;
  if (place.epoch >= 0 && place.epoch == std::floor(place.epoch)) {
    const double before = passes_;
    if (!epoch_) first(place);
    else if (place.epoch > *epoch_) next(place);
    else passes_ = std::max(0.0, passes_ - (*epoch_ - place.epoch));
    epoch_ = place.epoch;
    passed = passes_ != before;
  } else if (!epoch_ && last_ && step < *last_) {
    // Without a word of epochs: a loop that came to its end and begins from its start.
    passed = !begins && place.of > 0 && *last_ + interval_ >= place.of && 2 * step < *last_;
    if (passed) anew_ = true;
    passes_ = passed ? passes_ + 1 : begins ? 0 : passes_;
  }
  if (last_ && !passed && step > *last_) interval_ = step - *last_;
  last_ = step;
  return whole_ ? step : passes_ * length_ + step;
}

void EpochSteps::first(const StepPlace& place) {
  if (last_) return next(place);  // the name of an epoch stands behind its steps, or the log begins before it
  const double before = place.epoch - (place.epoch > 0 ? 1 : 0);
  if (before <= 0 || !(place.of > 0)) return;
  // An excerpt, or a run that went on: a step that is as far in the run as its epoch may be one of the run.
  const double far = place.step / place.of * epochs_;
  if (epochs_ > 1 && !anew_ && far >= before && far <= before + 1) whole_ = true;
  else if (epochs_ > 1 || anew_) passes_ = before;
}

void EpochSteps::next(const StepPlace& place) {
  const double last = last_.value_or(place.step);
  // Lines of a log that says no lengths may be of one step and yet of two epochs: its mean behind the last step.
  const bool fell = place.of > 0 ? place.step < last || place.step == place.of : 2 * place.step <= last && last > 0;
  if (whole_ || (!fell && !anew_)) {
    whole_ = whole_ || place.step > last;
    if (whole_) passes_ = 0;
    return;
  }
  if (length_ == 0) length_ = last + (from_zero_ ? std::max(interval_, 1.0) : 0);
  anew_ = true;
  passes_ += epoch_ ? place.epoch - *epoch_ : 1;
}

double EpochSteps::planned() const {
  if (whole_ || !many()) return of_;
  return epochs_ > 0 ? of_ * std::max(epochs_, passes_ + 1) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace gpuplan
