#include "spot/preemption.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace gpuplan {

namespace {

constexpr int kSteps = 256;               // of age, and of chance: 6 min in a day
constexpr double kBeyondAllTime = 1e300;  // seconds; finite, so that nothing times it is no number

}  // namespace

double taken_by(const Bathtub& shape, Seconds age) {
  if (age >= shape.cap) return 1;
  if (age <= Seconds{}) return 0;
  // What the formula has at age 0, A exp(-b/tau2), is taken off: no machine is gone before it starts.
  const double at_start = math::exp(-(shape.bend / shape.late));
  const double gone =
      shape.share * (-math::expm1(-(age / shape.early)) + math::exp((age - shape.bend) / shape.late) - at_start);
  return std::clamp(gone, 0.0, 1.0);
}

Lifetimes Lifetimes::exponential(PerSecond rate, int machines) {
  Lifetimes lives;
  lives.rate_ = rate.value * machines;
  lives.mean_ = lives.rate_ > 0 ? 1 / lives.rate_ : kBeyondAllTime;
  return lives;
}

Lifetimes Lifetimes::bathtub(const Bathtub& shape, int machines) {
  Lifetimes lives;
  lives.step_ = shape.cap.value / kSteps;
  lives.ages_.reserve(kSteps + 1);
  lives.taken_.reserve(kSteps + 1);
  lives.there_.reserve(kSteps + 1);
  double there = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double age = lives.step_ * i;
    // Just before the cap, where who is left is taken at once.
    const double alone =
        i < kSteps ? gpuplan::taken_by(shape, Seconds{age}) : gpuplan::taken_by(shape, Seconds{age * (1 - 1e-12)});
    const double left = alone < 1 ? math::exp(machines * math::log1p(-alone)) : 0.0;
    if (i > 0) there += lives.step_ * (left + 1 - lives.taken_.back()) / 2;
    lives.ages_.push_back(age);
    lives.taken_.push_back(1 - left);
    lives.there_.push_back(there);
  }
  lives.mean_ = there;
  lives.rate_ = 1 / there;
  lives.guide_.reserve(kSteps + 1);
  int knot = 1;
  for (int i = 0; i <= kSteps; ++i) {
    while (knot < kSteps && lives.taken_[static_cast<std::size_t>(knot)] * kSteps <= i) ++knot;
    lives.guide_.push_back(knot);
  }
  return lives;
}

double Lifetimes::taken_by(Seconds age) const {
  if (age <= Seconds{}) return 0;
  if (memoryless()) return -math::expm1(-rate_ * age.value);
  if (age.value > ages_.back()) return 1;  // at the cap itself who is left is still there
  const double position = age.value / step_;
  const auto below = std::min(static_cast<std::size_t>(position), static_cast<std::size_t>(kSteps - 1));
  return taken_[below] + (position - static_cast<double>(below)) * (taken_[below + 1] - taken_[below]);
}

Seconds Lifetimes::mean_until(Seconds age) const {
  if (age <= Seconds{}) return {};
  if (memoryless()) return rate_ > 0 ? Seconds{-math::expm1(-rate_ * age.value) / rate_} : age;
  if (age.value >= ages_.back()) return Seconds{mean_};
  const auto below = std::min(static_cast<std::size_t>(age.value / step_), static_cast<std::size_t>(kSteps - 1));
  const double rest = age.value - ages_[below];
  const double left = 1 - taken_[below];
  const double left_at_age = 1 - taken_by(age);
  return Seconds{there_[below] + rest * (left + left_at_age) / 2};
}

Seconds Lifetimes::mean() const { return Seconds{mean_}; }

Seconds Lifetimes::age_at(double chance) const {
  if (chance >= taken_.back()) return Seconds{ages_.back()};
  const auto bucket = static_cast<std::size_t>(chance * kSteps);
  // The knot is between those of the bucket's ends; where hardly anybody is taken that is many.
  const auto from = taken_.begin() + guide_[bucket];
  const auto to = taken_.begin() + std::min(guide_[bucket + 1] + 1, kSteps + 1);
  const auto above = std::upper_bound(from, to, chance);
  const auto knot = static_cast<std::size_t>(above - taken_.begin());
  const double low = taken_[knot - 1];
  return Seconds{ages_[knot - 1] + step_ * (chance - low) / (taken_[knot] - low)};
}

std::vector<PerSecond> rate_levels(const Interval<PerSecond>& rate) {
  if (rate.exact()) return {rate.p50};
  constexpr int kLevels = 17;
  std::vector<PerSecond> levels;
  levels.reserve(kLevels);
  for (int i = 0; i < kLevels; ++i)
    levels.push_back(std::max(at(rate, math::normal_quantile((i + 0.5) / kLevels)), PerSecond{}));
  return levels;
}

double chance_of_interruption(PerSecond rate, Seconds time) { return -math::expm1(-(rate * time)); }

}  // namespace gpuplan
