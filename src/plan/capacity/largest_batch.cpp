#include "plan/capacity/largest_batch.h"
#include "plan/strategy/practice.h"

#include <algorithm>

namespace gpuplan {

namespace {

/// Replicas share the samples: enough for the most sequences on the largest machine.
constexpr int kLargestBatch = 1 << 16;

}  // namespace

std::optional<PhaseEstimate> try_phase(const Job& job, int phase, const Catalogue& catalogue, const Machines& machines,
                                       Tally& tally) {
  const auto workloads = prepare(job);
  if (!workloads) return std::nullopt;
  return best_estimate((*workloads)[static_cast<std::size_t>(phase)], catalogue, machines, true, tally);
}

bool computes(const Phase& phase) {
  return std::holds_alternative<TrainPhase>(phase.work) || std::holds_alternative<GeneratePhase>(phase.work);
}

bool fills_memory(const Phase& phase) {
  const auto* generate = std::get_if<GeneratePhase>(&phase.work);
  return generate != nullptr && !generate->batch.given() && generate->situation != Situation::kSingle &&
         !(generate->situation == Situation::kConcurrency && generate->concurrency);
}

OpenBatch::OpenBatch(Job job, int phase, const Catalogue& catalogue, const Machines& machines,
                     const PhaseEstimate& best, FrameworkOf framework)
    : job_(std::move(job)), phase_(phase), framework_(best.framework), catalogue_(catalogue), machines_(machines) {
  Phase& changed = job_.phases[static_cast<std::size_t>(phase)];
  fills_ = fills_memory(changed);
  changed.given.clear();
  if (auto* generate = std::get_if<GeneratePhase>(&changed.work)) {
    generate->parallel.tp = best.strategy.tp;
    generate->parallel.pp = best.strategy.pp;
    generate->parallel.ep = best.strategy.ep > 1 ? best.strategy.ep * best.strategy.tp : 1;
    generate->situation = Situation::kSaturated;
    generate->target = {};  // memory is asked for, whatever the speed
    generate->place = best.strategy.placement;
    generate->batch = {};
  }
  if (auto* train = std::get_if<TrainPhase>(&changed.work)) {
    train->parallel = {best.strategy.dp, best.strategy.tp, best.strategy.pp,
                       best.strategy.cp, best.strategy.ep, best.strategy.sharding};
    *train = as_run(*train, best);
    train->optimizer.stated = true;  // every probe with the same
    train->offload = {best.strategy.offload, {}};
    train->batch.reset();
    train->batch_by_gpu = {};
    // What accumulates gradients holds them meanwhile: two micro-batches take what more of them do.
    train->accumulate = {best.strategy.grad_accum > 1 ? 2 : 1, {}};
    train->micro = {1, {}};  // each probe sets it
    if (framework == FrameworkOf::kEstimate) train->framework = best.framework->name;
    if (train->steps && !train->steps_at_batch) train->steps_at_batch = best.batch;
  }
  workload_ = workload_of(job_);
}

std::optional<PhaseWorkload> OpenBatch::workload_of(const Job& job) const {
  auto workloads = prepare(job);
  if (!workloads) return std::nullopt;
  PhaseWorkload& workload = (*workloads)[static_cast<std::size_t>(phase_)];
  workload.usual = workload.training && framework_ != nullptr &&
                   thought_of(catalogue_.practice_constants, *framework_, *workload.training);
  return std::move(workload);
}

std::optional<PhaseEstimate> OpenBatch::run(Job& job, const std::optional<PhaseWorkload>& workload, int sequences,
                                            NearMiss* nearest) const {
  if (!workload) return std::nullopt;
  Phase& probe = job.phases[static_cast<std::size_t>(phase_)];
  if (auto* train = std::get_if<TrainPhase>(&probe.work)) train->micro.value = sequences;
  if (auto* generate = std::get_if<GeneratePhase>(&probe.work)) generate->batch.value = sequences;
  Tally tally;
  auto estimate = best_estimate(*workload, catalogue_, machines_, true, tally);
  if (nearest != nullptr) *nearest = tally.nearest;
  return estimate;
}

std::optional<PhaseEstimate> OpenBatch::with(int sequences) { return run(job_, workload_, sequences); }

std::optional<PhaseEstimate> OpenBatch::with(int sequences, NearMiss& nearest) {
  return run(job_, workload_, sequences, &nearest);
}

int OpenBatch::largest() {
  Job job = job_;
  // Never fewer samples than are tried at once: no memory is taken for those that are not there.
  if (auto* generate = std::get_if<GeneratePhase>(&job.phases[static_cast<std::size_t>(phase_)].work))
    for (Prompts& prompts : generate->data)
      prompts.samples = std::max(prompts.samples, 1.0 * kLargestBatch * machines_.gpus);
  const auto workload = workload_of(job);
  if (fills_) {  // the engine finds the largest itself
    Tally ignored;
    const auto estimate = workload ? best_estimate(*workload, catalogue_, machines_, true, ignored) : std::nullopt;
    return estimate ? estimate->strategy.micro_batch : 0;
  }
  const auto fits = [&](int sequences) {
    const auto estimate = run(job, workload, sequences);
    return estimate && estimate->fit == Fit::kFits;
  };
  int low = 0;
  int high = 1;
  while (high <= kLargestBatch && fits(high)) {
    low = high;
    high *= 2;
  }
  if (low == 0 || high > kLargestBatch) return low;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace gpuplan
