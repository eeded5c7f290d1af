// Joint samples of uncertain quantities: the same draw of a shared factor enters everything it touches, so that totals
// have the spread they really have.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/interval.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Number of joint samples of a plan; a prime, which the lattice below needs.
inline constexpr int kSamples = 257;

using Samples = std::array<double, static_cast<std::size_t>(kSamples)>;
using Strata = std::array<int, static_cast<std::size_t>(kSamples)>;

/// Standard normal scores of independent factors, from a centred rank-1 lattice (Korobov 1959): every factor takes
/// each of 257 equally likely strata once, and pairs of factors fill the plane evenly. Point and mirror image are both
/// in it, so the median of a product of lognormals is exact; p10 and p90 of one factor are good to 0.1 %, of a
/// product to 0.06 of its spread (tested).
class Scores {
 public:
  /// The seed chooses among equally good lattices.
  explicit Scores(std::uint64_t seed);
  /// Factor 0 comes in rising order. REQUIRES: factor >= 0.
  Samples of(int factor) const;
  /// The stratum of each sample, 0 ... kSamples - 1 in rising order of the score.
  Strata strata(int factor) const;

 private:
  int generator_;
  Samples rising_;
};

/// The factors of a plan by what draws from them, each a stream of scores of its own (Scores::of). They stand one after
/// the other so that no two things share one by accident: those of times, as they are met; then the prices; then the
/// queues. A number that changes changes every range that is told.
class Streams {
 public:
  explicit Streams(std::size_t phases) : phases_(static_cast<int>(phases)) {}
  /// Times by the number of what they depend on, from 0 on: phases whose error is one share it. A phase has three at
  /// most: its work, what stands beside it, and its luck on spot.
  int of_time(std::size_t number) const { return static_cast<int>(number); }
  /// Prices are independent of all times, and of each other by offer. A phase holds machines of one offer.
  int of_price(std::ptrdiff_t offer) const { return kTimes * phases_ + static_cast<int>(offer); }
  /// Time in queues, all of them together: beyond the prices.
  int of_queues() const { return (kTimes + 1) * phases_ + 1; }
  /// What several phases' errors have in common (error_factors.h): beyond everything else.
  int of_error(std::size_t number) const { return of_queues() + 1 + static_cast<int>(number); }

 private:
  static constexpr int kTimes = 3;
  int phases_;
};

/// p10, p50, p90 (interpolated) and mean.
struct Quantiles {
  double p10 = 0, p50 = 0, p90 = 0, mean = 0;
};
Quantiles quantiles(const Samples& samples);
/// The same of samples that follow one factor, at least nearly: its strata bring them in order.
Quantiles quantiles(const Samples& samples, const Strata& strata);

template <class T>
Outcome<T> outcome(const Quantiles& q) {
  return {T{q.p10}, T{q.p50}, T{q.p90}, T{q.mean}};
}

/// The p50 of quantiles().
double median(const Samples& samples);

template <class T>
Outcome<T> outcome(const Samples& samples) {
  return outcome<T>(quantiles(samples));
}

/// Adds the quantity's value at each score to `sum`.
template <class T>
void add_samples(const Interval<T>& interval, const Samples& scores, Samples& sum) {
  if (interval.exact()) {
    for (double& value : sum) value += interval.p50.value;
    return;
  }
  if (interval.p10 > T{}) {
    const double sigma = sigma_of(interval);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += interval.p50.value * math::exp(scores[i] * sigma);
    return;
  }
  // Of a range that begins at nothing: no time and no price is less, however far below p10 a score lies.
  const bool from_zero = interval.p10 >= T{};
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const T drawn = at(interval, scores[i]);
    sum[i] += (from_zero ? std::max(drawn, T{}) : drawn).value;
  }
}

/// The same by the factor that the quantity depends on, which an exact one does not.
template <class T>
void add_samples(const Interval<T>& interval, const Scores& scores, int factor, Samples& sum) {
  if (interval.exact()) add_samples(interval, Samples{}, sum);
  else add_samples(interval, scores.of(factor), sum);
}

}  // namespace gpuplan
