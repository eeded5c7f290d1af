#include "plan/strategy/generation/serving.h"

#include <algorithm>

#include "base/math.h"

namespace gpuplan {
namespace {

template <class T>
double chance_of_at_most(const Interval<T>& value, T most) {
  if (value.exact()) return value.p50 <= most ? 1 : 0;
  return math::normal_cdf(math::log(most / value.p50) / sigma_of(value));
}

}  // namespace

double latency_shortfall(const GenerationTarget& target, const GenerationEstimate& estimate, const Spread& spread,
                         double confidence) {
  if (!target.any()) return 0;
  const double z = math::normal_quantile(confidence);
  const auto late = [&](double sigma) { return math::exp(z * sigma); };
  double most = 0;
  if (target.time_to_first_token)
    most = std::max(most, estimate.time_to_first_token / *target.time_to_first_token * late(spread.first_token));
  if (target.time_per_output_token)
    most = std::max(most, estimate.time_per_output_token / *target.time_per_output_token * late(spread.next_token));
  return most;
}

double shortfall(const GenerationTarget& target, const GenerationEstimate& estimate, const Spread& spread,
                 double confidence) {
  double most = latency_shortfall(target, estimate, spread, confidence);
  if (target.tokens_per_second && estimate.tokens_per_second > 0) {
    const double slow = math::exp(math::normal_quantile(confidence) * spread.time);
    most = std::max(most, target.tokens_per_second->value / estimate.tokens_per_second * slow);
  }
  return most;
}

Serving serving_of(const GenerationWork& work, const GenerationEstimate& estimate, const Spread& spread,
                   const PhaseEstimate& phase, double confidence) {
  Serving serving;
  serving.in_flight = phase.batch;
  const double unshared = 1 / (1 + phase.overhead_share);
  const bool reads_only = work.phase->forward_only;
  const double whole = work.prompt_tokens + (reads_only ? 0 : work.new_tokens);
  const auto rates = [&](double tokens) {
    const auto rate = [&](Seconds time) { return Tokens{tokens} / (time * unshared); };
    return Interval<TokensPerSecond>{rate(phase.work.p90), rate(phase.work.p50), rate(phase.work.p10)};
  };
  if (!reads_only) serving.output = rates(phase.units * work.new_tokens);
  serving.processed = rates(phase.units * whole);
  serving.time_to_first_token = lognormal(estimate.time_to_first_token, spread.first_token);
  if (!reads_only) serving.time_per_output_token = lognormal(estimate.time_per_output_token, spread.next_token);

  const GenerationTarget& target = work.phase->target;
  if (!target.any()) return serving;
  // The model's error is one factor: where the speed is high, tokens come fast as well.
  double chance = 1;
  serving.shortfall = latency_shortfall(target, estimate, spread, confidence);
  const Interval<TokensPerSecond>& speed = reads_only ? serving.processed : serving.output;
  if (target.tokens_per_second) {
    chance = 1 - chance_of_at_most(speed, *target.tokens_per_second);
    if (speed.exact()) chance = speed.p50 >= *target.tokens_per_second ? 1 : 0;
    serving.shortfall =
        std::max(serving.shortfall, *target.tokens_per_second / at(speed, -math::normal_quantile(confidence)));
  }
  if (target.time_to_first_token)
    chance = std::min(chance, chance_of_at_most(serving.time_to_first_token, *target.time_to_first_token));
  if (target.time_per_output_token && !reads_only)
    chance = std::min(chance, chance_of_at_most(serving.time_per_output_token, *target.time_per_output_token));
  serving.chance = chance;
  serving.reaches_target = serving.shortfall <= 1;
  return serving;
}

}  // namespace gpuplan
