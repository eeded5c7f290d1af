#include "plan/interruptions.h"

#include <algorithm>

namespace gpuplan {

namespace {

// Until checkpoints are modelled by storage: what a network disk of a rented machine takes, and a restart of machine,
// container and framework.
constexpr BytesPerSecond kCheckpointDisk{1e9};
constexpr Seconds kRestart{300};
constexpr double kCheckpointBytesPerParameter = 2 + 12;  // 16-bit weights, fp32 master and two AdamW states

Seconds checkpoint_time(const Phase& phase) {
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  if (train == nullptr) return Seconds{};  // samples are stored as they come
  double bytes = 0;
  for (const ModelUse& model : train->models)
    bytes += model.frozen || train->method == Method::kLora || train->method == Method::kQlora
                 ? 0
                 : model.params() * kCheckpointBytesPerParameter;
  return Bytes{bytes} / kCheckpointDisk;
}

}  // namespace

std::optional<PerSecond> interruption_rate(const Job& job, const Offer& offer) {
  if (offer.interruptions) return offer.interruptions;
  return job.spot.interruptions;
}

ExpectedRun with_interruptions(const Job& job, const Phase& phase, Seconds work, PerSecond rate) {
  Interruptible how;
  how.rate = rate;
  how.checkpoint = checkpoint_time(phase);
  how.restart = job.spot.restart ? job.spot.restart->range.p50 : kRestart;
  const CheckpointRule& rule = phase.checkpoint ? *phase.checkpoint : job.checkpoint;
  const Seconds interval = rule.every_time ? std::min(*rule.every_time, work) : checkpoint_interval(how, work);
  return expected_run(how, work, interval);
}

}  // namespace gpuplan
