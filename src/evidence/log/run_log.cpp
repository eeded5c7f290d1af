#include "evidence/log/run_log.h"

#include <cmath>

namespace gpuplan {

void Series::add(double step, double value, std::uint32_t line) {
  const Point point{step, value, line};
  if (count_ == 0) first_ = point;
  last_ = point;
  // Comparisons with NaN are false: the first number takes the place of "none", and NaN changes nothing.
  if (!(value >= least_) && !std::isnan(value)) least_ = value;
  if (!(value <= most_) && !std::isnan(value)) most_ = value;
  // The stride is a power of two: a division would take longer than all else here.
  if ((count_ & (stride_ - 1)) == 0) {
    if (points_.size() == kMost) {
      for (std::size_t i = 0; 2 * i < kMost; ++i) points_[i] = points_[2 * i];
      points_.resize(kMost / 2);
      stride_ *= 2;
    }
    if ((count_ & (stride_ - 1)) == 0) points_.push_back(point);
  }
  ++count_;
}

void Series::rewind(double step) {
  const bool last_goes = last_.step >= step;
  std::erase_if(points_, [step](const Point& point) { return point.step >= step; });
  if (points_.empty()) {
    clear();
    return;
  }
  if (!last_goes) return;
  count_ = (points_.size() - 1) * stride_ + 1;
  last_ = points_.back();
  least_ = most_ = std::numeric_limits<double>::quiet_NaN();
  for (const Point& point : points_) {
    if (!(point.value >= least_) && !std::isnan(point.value)) least_ = point.value;
    if (!(point.value <= most_) && !std::isnan(point.value)) most_ = point.value;
  }
}

void Series::number_steps(double interval) {
  for (std::size_t i = 0; i < points_.size(); ++i) points_[i].step = interval * static_cast<double>(i * stride_ + 1);
  first_.step = interval;
  last_.step = interval * static_cast<double>(count_);
}

}  // namespace gpuplan
