// How long machines live that can be taken away.
#pragma once

#include <span>
#include <vector>

#include "base/interval.h"
#include "base/random.h"
#include "base/units.h"
#include "domain/market/preemption.h"

namespace gpuplan {

/// Time from the start of machines that work together to the first interruption of one of them, which stops all.
class Lifetimes {
 public:
  /// Poisson interruptions: machines forget their age, n of them have n times the rate of one. REQUIRES: machines > 0.
  static Lifetimes exponential(PerSecond rate, int machines = 1);

  /// Lives of a day at most; of n machines 1 - (1 - F)^n are interrupted by an age (all or nothing).
  static Lifetimes bathtub(const Bathtub& shape, int machines = 1);

  bool memoryless() const { return ages_.empty(); }
  /// Of all machines together. REQUIRES: memoryless().
  PerSecond rate() const { return PerSecond{rate_}; }

  /// Chance that the first interruption comes before this age.
  double taken_by(Seconds age) const;
  /// Expectation of the smaller of life and `age`: time that machines are there until `age`.
  Seconds mean_until(Seconds age) const;
  /// Expected life; 1e300 s without interruptions.
  Seconds mean() const;

  /// A random life, by the inverse of the distribution function.
  Seconds draw(Random& random) const {
    if (memoryless()) return Seconds{random.exponential(mean_)};
    return age_at(random.uniform01());
  }

 private:
  Seconds age_at(double chance) const;

  double rate_ = 0;
  double mean_ = 0;
  // Bathtub: the distribution function, a straight line between equal steps of age; taken_[i] belongs to ages i *
  // step_.
  std::vector<double> ages_, taken_;
  std::vector<double> there_;  ///< integral of 1 - taken_ up to the age
  std::vector<int> guide_;     ///< first knot above each of equal steps of chance
  double step_ = 0;
};

/// Distribution function of a bathtub, of one machine (Kadupitiya, Jadhao and Sharma, "Modeling the temporally
/// constrained preemptions of transient cloud VMs", HPDC 2020): A (1 - exp(-t/tau1) + exp((t - b)/tau2)), kept in
/// 0 … 1 and 0 at the start; 1 from the cap on.
double taken_by(const Bathtub& shape, Seconds age);

/// An uncertain rate as equally likely values: the one where it is exact, else the middles of 17 strata of the
/// lognormal (p10 above zero) or normal distribution, never below zero. Fixed, so that expectations and simulations
/// mean the same rates; what the whole tail of a lognormal would add has no bound (the expectation of exp(rate x time)
/// is infinite).
std::vector<PerSecond> rate_levels(const Interval<PerSecond>& rate);

/// Chance of at least one interruption in `time`: 1 - exp(-rate time). A chance p in one hour is the rate -ln(1 - p)
/// an hour, so for h hours this is 1 - (1 - p)^h.
double chance_of_interruption(PerSecond rate, Seconds time);

}  // namespace gpuplan
