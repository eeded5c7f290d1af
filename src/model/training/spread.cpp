// What the error of a training prediction shares with others, and so how wide its range is.
#include <cmath>

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
                     .software_measured = r.software_row->measured,
                     .card_measured = r.efficiency->measured};
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

void correct(TrainingEstimate& estimate, const Spread& spread) {
  if (spread.time_factor != 1) estimate.step.stretch(spread.time_factor);
  correct(estimate.memory, spread.memory_factor);
}

}  // namespace gpuplan
