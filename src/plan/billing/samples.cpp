#include "plan/billing/samples.h"

#include <algorithm>

namespace gpuplan {

namespace {

constexpr int kHalf = (kSamples - 1) / 2;

/// Generators whose powers spread pairs of factors evenly over the plane: of all below 257 those with the smallest
/// error in p10, p50 and p90 of products of two lognormals.
constexpr std::array kGenerators = {10, 41, 163, 19};

}  // namespace

Scores::Scores(std::uint64_t seed) : generator_(kGenerators[seed % kGenerators.size()]) {
  for (int i = 0; i < kSamples; ++i)
    rising_[static_cast<std::size_t>(i)] = math::normal_quantile((i + 0.5) / static_cast<double>(kSamples));
}

Strata Scores::strata(int factor) const {
  int step = 1;
  for (int power = generator_, left = factor; left > 0; left /= 2, power = power * power % kSamples)
    if (left % 2 == 1) step = step * power % kSamples;
  Strata strata{};
  // The centred residues of step * (i - kHalf): the middle one is 0, and each is `step` further than the one before.
  constexpr auto kMiddle = static_cast<std::size_t>(kHalf);
  int residue = 0;
  for (std::size_t i = 0; i <= kMiddle; ++i) {
    strata[kMiddle + i] = kHalf + residue;
    strata[kMiddle - i] = kHalf - residue;
    residue += step;
    if (residue > kHalf) residue -= kSamples;
  }
  return strata;
}

Samples Scores::of(int factor) const {
  if (factor == 0) return rising_;
  Samples scores;
  const auto strata = this->strata(factor);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = rising_[static_cast<std::size_t>(strata[i])];
  return scores;
}

double median(const Samples& samples) {
  static_assert(kSamples % 2 == 1);
  if (std::ranges::is_sorted(samples)) return samples[kHalf];
  Samples some = samples;
  const auto middle = some.begin() + kHalf;
  std::ranges::nth_element(some, middle);
  return *middle;
}

namespace {

Quantiles in_order(const Samples& sorted) {
  // Sample i stands for the probability (i + 1/2) / n.
  const auto quantile = [&](double p) {
    const double position = p * kSamples - 0.5;
    const auto below = static_cast<std::size_t>(position);
    const double share = position - static_cast<double>(below);
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
  };
  double sum = 0;
  for (const double value : sorted) sum += value;
  return {quantile(0.1), quantile(0.5), quantile(0.9), sum / kSamples};
}

}  // namespace

Quantiles quantiles(const Samples& samples) {
  if (std::ranges::is_sorted(samples)) return in_order(samples);
  Samples sorted = samples;
  std::ranges::sort(sorted);
  return in_order(sorted);
}

Quantiles quantiles(const Samples& samples, const Strata& strata) {
  Samples by_stratum;
  for (std::size_t i = 0; i < samples.size(); ++i) by_stratum[static_cast<std::size_t>(strata[i])] = samples[i];
  return quantiles(by_stratum);
}

}  // namespace gpuplan
