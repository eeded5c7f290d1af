// What the error of a training prediction shares with others, and so how wide its range is.
#include <cmath>

#include "base/math.h"
#include "model/error/error.h"
#include "model/training/training.h"

namespace gpuplan {

ErrorLabels training_labels(const TrainingWork& work, const TrainingRates& r, const Strategy& s, int nodes) {
  const Gpu& gpu = *r.node->gpu;
  const double tokens = work.mean_tokens * s.micro_batch / s.cp;
  ErrorLabels labels{.software = r.framework->name,
                     .card = gpu.name,
                     .architecture = gpu.architecture,
                     .memory_type = gpu.memory_type,
                     .model = model_number(work.params),
                     .amount = amount_octave(tokens),
                     .software_publishers = r.software_row->publishers,
                     .card_publishers = gpu.training_publishers,
                     .generation_publishers = r.efficiency->training_publishers};
  labels.add(nodes > 1, ErrorPart::kMachines);
  labels.add(nodes > 1 && r.node->network.value <= 0, ErrorPart::kNetwork);
  labels.add(s.tp > 1 || s.pp > 1, ErrorPart::kCut);
  labels.add(is_eight_bit(r.precision), ErrorPart::kEightBit);
  labels.add(r.precision == Precision::kNvfp4 || work.quantised_base, ErrorPart::kFourBit);
  labels.add(work.sequence / work.rows >= 16384, ErrorPart::kLong);
  labels.add(work.moe, ErrorPart::kExperts);
  labels.add(work.moe && s.ep > r.link_span, ErrorPart::kExpertsApart);
  labels.add(work.adapters, ErrorPart::kAdapters);
  labels.add(s.attention == AttentionKernel::kEager, ErrorPart::kScores);
  labels.add(gpu.compute_capability > 0 && gpu.compute_capability < 8, ErrorPart::kOld);
  labels.add(gpu.vendor != "nvidia", ErrorPart::kVendor);
  labels.add(s.offload != Offload::kNone, ErrorPart::kOffload);
  labels.add(tokens <= 512, ErrorPart::kFewTokens);
  labels.add(work.models.size() > 1 || work.phase->method == Method::kFrozen, ErrorPart::kNetworks);
  labels.add(work.custom, ErrorPart::kCustom);
  return labels;
}

Spread training_spread(const ErrorModel& errors, const ErrorLabels& labels) {
  Spread spread;
  spread.labels = labels;
  const ExpectedError time = expected_error(errors, ErrorFigure::kTime, labels);
  const ExpectedError memory = expected_error(errors, ErrorFigure::kMemory, labels);
  spread.time = std::sqrt(time.variance);
  spread.memory = std::sqrt(memory.variance);
  spread.time_factor = factor_of(time);
  spread.memory_factor = factor_of(memory);
  spread.regime = regime_of(errors, ErrorFigure::kTime, labels);
  return spread;
}

Spread training_spread(const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy, int nodes) {
  return training_spread(*rates.errors, training_labels(work, rates, strategy, nodes));
}

// Of 209 published runs with adapters, predicted without their publisher, ln(measured / predicted) is the smaller the
// more of the memory is frozen weights, by about the root of the share that is not: medians 13, 13, 10, 9, 7 and 4 %
// where frozen weights are up to 0.3, 0.5, 0.65, 0.8, 0.9 and 1 of it. Were what is left equally uncertain however
// little it is, the last two would be 3 and 1 %: what is left then is contexts, workspaces and holes.
double memory_scale(const MemoryUse& use) { return use.frozen > Bytes{} ? std::sqrt(use.open_share()) : 1; }

void correct(TrainingEstimate& estimate, const Spread& spread) {
  if (spread.time_factor != 1) estimate.step.stretch(spread.time_factor);
  correct(estimate.memory, spread.memory_factor);
}

}  // namespace gpuplan
