#include "plan/billing/samples.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// Samples by their rank. Most of the work of a bill is here, so hardly any of it is sorted: they are laid out by equal
/// parts of their range, and only the part that a rank lies in is put in order.
class Ranked {
 public:
  explicit Ranked(const Samples& samples) {
    const auto [low, high] = std::ranges::minmax(samples);
    const double scale = kParts / (high - low);
    if (!std::isfinite(high - low) || !std::isfinite(scale)) {  // all the same, or without an end: one part
      by_part_ = samples;
      end_.fill(kSamples);
      return;
    }
    std::array<std::uint8_t, static_cast<std::size_t>(kSamples)> part;
    for (std::size_t i = 0; i < samples.size(); ++i)
      part[i] = static_cast<std::uint8_t>(std::min((samples[i] - low) * scale, kParts - 1.0));
    for (const std::uint8_t one : part) ++end_[one];
    std::uint16_t before = 0;
    for (std::uint16_t& end : end_) before += std::exchange(end, before);  // where each begins, until it is filled
    for (std::size_t i = 0; i < samples.size(); ++i) by_part_[end_[part[i]]++] = samples[i];
  }

  double at(std::size_t rank) {
    const auto end = std::ranges::upper_bound(end_, rank);
    const auto begin = end == end_.begin() ? std::uint16_t{} : *(end - 1);
    const auto place = [&](std::size_t position) { return by_part_.begin() + static_cast<std::ptrdiff_t>(position); };
    std::nth_element(place(begin), place(rank), place(*end));
    return by_part_[rank];
  }

 private:
  static constexpr int kParts = 128;

  Samples by_part_;
  std::array<std::uint16_t, kParts> end_{};  ///< of each part, and the next begins
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
