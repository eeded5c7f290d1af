#include "plan/billing/samples.h"

#include <algorithm>
#include <cmath>

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

namespace {

/// Samples by their rank. Most of the work of a bill is here, so none of it is sorted: equal parts of the range tell
/// where a rank is, and only what lies in its part is put in order.
class Ranked {
 public:
  explicit Ranked(const Samples& samples) : samples_(samples) {
    const auto [low, high] = std::ranges::minmax(samples);
    const double scale = kParts / (high - low);
    if (!std::isfinite(high - low) || !std::isfinite(scale)) {  // all the same, or without an end: one part
      below_.fill(samples.size());
      below_.front() = 0;
      return;
    }
    for (std::size_t i = 0; i < samples.size(); ++i)
      part_[i] = static_cast<std::uint8_t>(std::min((samples[i] - low) * scale, kParts - 1.0));
    for (const std::uint8_t part : part_) ++below_[part + 1U];
    for (std::size_t part = 1; part < below_.size(); ++part) below_[part] += below_[part - 1];
  }

  double at(std::size_t rank) {
    if (rank < below_[gathered_] || rank >= below_[gathered_ + 1] || size_ == 0) gather(rank);
    const auto wanted = inside_.begin() + static_cast<std::ptrdiff_t>(rank - below_[gathered_]);
    std::nth_element(inside_.begin(), wanted, inside_.begin() + static_cast<std::ptrdiff_t>(size_));
    return *wanted;
  }

 private:
  static constexpr int kParts = 128;

  /// Brings together what lies in the part of a rank.
  void gather(std::size_t rank) {
    gathered_ = 0;
    while (below_[gathered_ + 1] <= rank) ++gathered_;
    size_ = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      inside_[size_] = samples_[i];
      size_ += part_[i] == gathered_ ? 1 : 0;
    }
  }

  const Samples& samples_;
  std::array<std::uint8_t, static_cast<std::size_t>(kSamples)> part_{};
  std::array<std::size_t, kParts + 1> below_{};  ///< samples in the parts before
  std::array<double, static_cast<std::size_t>(kSamples) + 1> inside_;
  std::size_t gathered_ = 0, size_ = 0;  ///< the part, and how many it has: none before the first
};

/// Several sums side by side, which a processor adds at once.
double mean(const Samples& samples) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= samples.size(); i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += samples[i + lane];
  for (; i < samples.size(); ++i) sums[0] += samples[i];
  return (sums[0] + sums[1] + (sums[2] + sums[3])) / kSamples;
}

/// `at` gives the sample of a rank.
template <class At>
Quantiles told(At at, const Samples& samples) {
  // Sample i stands for the probability (i + 1/2) / n.
  const auto quantile = [&](double p) {
    const double position = p * kSamples - 0.5;
    const auto below = static_cast<std::size_t>(position);
    const double low = at(below), beyond = position - static_cast<double>(below);
    return beyond > 0 ? low + beyond * (at(below + 1) - low) : low;
  };
  return {quantile(0.1), quantile(0.5), quantile(0.9), mean(samples)};
}

}  // namespace

double median(const Samples& samples) {
  static_assert(kSamples % 2 == 1);
  return std::ranges::is_sorted(samples) ? samples[kHalf] : Ranked(samples).at(kHalf);
}

Quantiles quantiles(const Samples& samples) {
  if (std::ranges::is_sorted(samples)) return told([&](std::size_t rank) { return samples[rank]; }, samples);
  Ranked ranked(samples);
  return told([&](std::size_t rank) { return ranked.at(rank); }, samples);
}

Quantiles quantiles(const Samples& samples, const Strata& strata) {
  Samples by_stratum;
  for (std::size_t i = 0; i < samples.size(); ++i) by_stratum[static_cast<std::size_t>(strata[i])] = samples[i];
  return quantiles(by_stratum);
}

}  // namespace gpuplan
