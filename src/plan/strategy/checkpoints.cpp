#include "plan/strategy/checkpoints.h"

#include <algorithm>
#include <cmath>

namespace gpuplan {
namespace {

/// A checkpoint that is whole and the one being written after it.
constexpr int kUsuallyKept = 2;

/// What is written for want of a word may take so much of the time that it saves.
constexpr double kLittle = 0.01;

/// Machines that stay break down: the root of twice the time of a checkpoint and the time between failures (Young
/// 1974). Runs also end otherwise, at a time limit or by hand, and many programs save nothing then: so at least as
/// often as takes a hundredth of the time, and not more than once an hour. Zero: not before the end.
Seconds worth_between(const PracticeConstants& practice, const PhaseEstimate& estimate) {
  if (estimate.steps < 1 || estimate.checkpoint_rate <= BytesPerSecond{}) return {};
  const Seconds one = estimate.checkpoint_bytes / estimate.checkpoint_rate;
  const Seconds between = units::hour * (practice.gpu_hours_to_failure / std::max(1, estimate.gpus));
  const Seconds young{std::sqrt(2 * one.value * between.value)};
  const Seconds apart = std::max(1 * units::hour, std::min(young, one / kLittle));
  return apart < estimate.work.p50 ? apart : Seconds{};
}

}  // namespace

bool says_how_often(const CheckpointRule& rule) {
  return (rule.every_steps && *rule.every_steps > 0) || (rule.every_time && *rule.every_time > Seconds{});
}

bool leaves_machine(const CheckpointRule& rule) { return rule.to.find("://") != std::string::npos; }

int checkpoint_writers(const PhaseEstimate& estimate) {
  const Strategy& s = estimate.strategy;
  const bool cut = s.sharding != Sharding::kNone || s.tp * s.pp * s.ep > 1;
  return cut ? std::max(1, estimate.nodes) : 1;
}

double checkpoints_of(const CheckpointRule& rule, const PracticeConstants& practice, const PhaseEstimate& estimate) {
  constexpr double kWhole = 1e-9;  // 1000 steps by 200 are five, not six
  double count = 1;
  if (rule.every_steps && *rule.every_steps > 0) count = std::ceil(estimate.steps / *rule.every_steps - kWhole);
  else if (rule.every_time && *rule.every_time > Seconds{})
    count = std::ceil(estimate.work.p50 / *rule.every_time - kWhole);
  else if (const Seconds apart = worth_between(practice, estimate); apart > Seconds{})
    count = std::min(std::ceil(estimate.work.p50 / apart - kWhole), estimate.steps);
  return std::max(1.0, count);
}

void set_checkpoints(const CheckpointRule& rule, double count, PhaseEstimate& estimate) {
  estimate.checkpoints = count;
  estimate.checkpoints_asked = says_how_often(rule);
  estimate.keep_checkpoints = rule.keep < 0 ? 0 : rule.keep > 0 ? rule.keep : kUsuallyKept;
  const auto most = static_cast<double>(estimate.keep_checkpoints);
  estimate.kept_checkpoints = most > 0 ? std::min(count, most) : count;
  // Machines that may be taken away write more of them than the end's.
  const bool more = !estimate.checkpoints_asked && estimate.steps > 1 && !leaves_machine(rule);
  estimate.spare_disk_bytes =
      more && most > 0 ? estimate.checkpoint_bytes * (most - estimate.kept_checkpoints) : Bytes{};
}

void recount_checkpoints(const CheckpointRule& rule, double count, PhaseEstimate& estimate) {
  const Bytes before = kept_bytes(rule, estimate);
  set_checkpoints(rule, count, estimate);
  const Bytes more = kept_bytes(rule, estimate) - before;
  estimate.disk_bytes += more;
  estimate.machine_disk_bytes += more / checkpoint_writers(estimate);
}

Bytes kept_bytes(const CheckpointRule& rule, const PhaseEstimate& estimate) {
  return leaves_machine(rule) ? Bytes{} : estimate.checkpoint_bytes * estimate.kept_checkpoints;
}

Seconds longest_apart(const PhaseEstimate& estimate, int jobs) {
  const Seconds quarter = estimate.work.p50 / (4.0 * jobs);
  return estimate.checkpoints_asked ? quarter : std::min(quarter, 1 * units::hour);
}

}  // namespace gpuplan
