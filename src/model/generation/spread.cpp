// What the error of a prediction of generation shares with others, and so how wide its range is.
#include <algorithm>
#include <cmath>

#include "model/error/error.h"
#include "model/generation/generation.h"

namespace gpuplan {

ErrorLabels generation_labels(const GenerationWork& work, const GenerationRates& r, const Strategy& s) {
  const GeneratePhase& phase = *work.phase;
  const Gpu& gpu = *r.node->gpu;
  const bool prompts = phase.forward_only;
  const bool served =
      r.profile->continuous && (phase.situation == Situation::kSaturated || phase.situation == Situation::kConcurrency);
  const bool batch = !prompts && !served && phase.situation != Situation::kSingle;
  // As many as the job or the engine has at work at once; where memory decides, nobody knows yet.
  const double at_once = s.micro_batch > 0 ? s.micro_batch : served ? std::min(r.slots, r.most_in_flight) : 0;
  const bool crowded =
      !prompts && r.profile->publishers > 0 && r.profile->most_measured > 0 && at_once > r.profile->most_measured;
  ErrorLabels labels{.software = r.engine->name,
                     .card = gpu.name,
                     .architecture = gpu.architecture,
                     .memory_type = gpu.memory_type,
                     .model = model_number(work.parameters()),
                     .amount = amount_octave(at_once),
                     .software_publishers = r.profile->publishers,
                     .card_publishers = gpu.serving_publishers,
                     .generation_publishers = r.efficiency->serving_publishers};
  labels.add(r.weight_bytes < 2 && r.weight_bytes >= 0.9, ErrorPart::kEightBit);
  labels.add(r.weight_bytes < 0.9, ErrorPart::kFourBit);
  labels.add(s.tp > 1 || s.pp > 1, ErrorPart::kCut);
  labels.add(s.tp > 1 && !r.node->direct_link(), ErrorPart::kPcie);
  labels.add(s.gpus() >= 16, ErrorPart::kWide);
  labels.add(work.any_moe(), ErrorPart::kExperts);
  labels.add(!prompts && r.host_per_layer.value > 0, ErrorPart::kHost);
  labels.add(work.prompt_tokens >= 16384, ErrorPart::kLong);
  labels.add(prompts && work.prompt_tokens <= 512, ErrorPart::kFewTokens);
  labels.add(!prompts && !served, ErrorPart::kStatic);
  labels.add(batch && s.micro_batch <= 0, ErrorPart::kLargest);
  labels.add(!prompts && work.stored_per_sample.value > 0, ErrorPart::kHooks);
  labels.add(phase.speculation.has_value() && !prompts, ErrorPart::kSpeculative);
  labels.add(crowded, ErrorPart::kCrowded);
  labels.add(gpu.compute_capability > 0 && gpu.compute_capability < 8, ErrorPart::kOld);
  labels.add(gpu.vendor != "nvidia", ErrorPart::kVendor);
  return labels;
}

bool waits_in_turn(const GeneratePhase& phase, const GenerationRates& rates, const Strategy& strategy) {
  const bool alone = phase.situation == Situation::kSingle ||
                     (phase.situation == Situation::kConcurrency && *phase.concurrency <= strategy.dp);
  return rates.profile->continuous && !alone;
}

double first_token_scale(const ErrorModel& errors, const ErrorLabels& labels, double waiting) {
  const double wait = prior_variance(errors, ErrorFigure::kFirstToken, labels);
  const double prompt = prior_variance(errors, ErrorFigure::kPrefill, labels);
  if (!(wait > 0)) return 1;
  // Variances of the two shares; a prompt is no wider than waiting, or load would narrow the range.
  const double own = (1 - waiting) * (1 - waiting) * math::smaller(prompt / wait, 1);
  return std::sqrt(waiting * waiting + own);
}

Spread generation_spread(const ErrorModel& errors, const ErrorLabels& labels, bool prompts, bool queued) {
  Spread spread;
  spread.labels = labels;
  spread.figure = prompts ? ErrorFigure::kPrefill : ErrorFigure::kRate;
  // Alone, the first token takes as long as its prompt; in company arrivals decide how long it waits for others.
  const ErrorFigure first = queued ? ErrorFigure::kFirstToken : ErrorFigure::kPrefill;
  const auto take = [&](ErrorFigure figure, double& deviation, double& factor) {
    const ExpectedError error = expected_error(errors, figure, labels);
    deviation = std::sqrt(error.variance);
    factor = factor_of(error);
  };
  take(spread.figure, spread.time, spread.time_factor);
  take(ErrorFigure::kPerToken, spread.next_token, spread.next_token_factor);
  take(first, spread.first_token, spread.first_token_factor);
  take(ErrorFigure::kServingMemory, spread.memory, spread.memory_factor);
  spread.regime = regime_of(errors, spread.figure, labels);
  return spread;
}

// Of 97 published runs, ln(measured / predicted) is in proportion to the share of the memory that is not weights: root
// mean squares of 27, 18, 16, 14, 9, 6, 5 and 1.5 % where weights are 0.3, 0.48, 0.6, 0.67, 0.75, 0.83, 0.91 and 0.95
// of it.
double serving_memory_scale(const MemoryUse& use) {
  constexpr double kLeast = 0.05;  // files hold more than weights, and formats are mixed
  return std::max(use.open_share(), kLeast);
}

Spread generation_spread(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy,
                         double waiting, double memory_scale) {
  const GeneratePhase& phase = *work.phase;
  ErrorLabels labels = generation_labels(work, rates, strategy);
  const bool queued = waits_in_turn(phase, rates, strategy);
  if (queued) labels.first_scale = first_token_scale(*rates.errors, labels, waiting);
  labels.memory_scale = memory_scale;
  return generation_spread(*rates.errors, labels, phase.forward_only, queued);
}

void correct(GenerationEstimate& estimate, const Spread& spread) {
  if (spread.time_factor != 1) {
    estimate.parts.stretch(spread.time_factor);
    estimate.tokens_per_second /= spread.time_factor;
    estimate.replica_tokens_per_second /= spread.time_factor;
  }
  estimate.time_to_first_token = estimate.time_to_first_token * spread.first_token_factor;
  estimate.time_per_output_token = estimate.time_per_output_token * spread.next_token_factor;
  correct(estimate.memory, spread.memory_factor);
}

}  // namespace gpuplan
