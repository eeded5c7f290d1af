#include "plan/answer/phase_speed.h"

namespace gpuplan {

std::optional<double> samples_per_second(const PhaseEstimate& estimate) {
  if (estimate.units <= 0 || estimate.work.p50 <= Seconds{} || !estimate.node) return std::nullopt;
  return estimate.units / estimate.work.p50.value;
}

std::optional<Seconds> epoch_time(const Phase& phase, const PhaseEstimate& estimate) {
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  if (train == nullptr || !train->epochs || *train->epochs <= 0 || estimate.work.p50 <= Seconds{}) return std::nullopt;
  return estimate.work.p50 * (1 / *train->epochs);
}

std::optional<Seconds> model_unit_time(const PhaseEstimate& estimate) {
  if (estimate.evidence != Evidence::kGiven || estimate.work_by_model <= Seconds{}) return std::nullopt;
  const double count = estimate.steps > 0 ? estimate.steps : estimate.units;
  return count > 0 ? std::optional(estimate.work_by_model * (1 / count)) : std::nullopt;
}

}  // namespace gpuplan
