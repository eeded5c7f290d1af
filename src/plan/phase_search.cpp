#include "plan/phase_search.h"

#include <algorithm>
#include <cmath>

namespace gpuplan {

namespace {

/// Where a phase runs; nothing of how long.
PhaseEstimate placed(const PhaseWorkload& workload, const Machines& machines, int gpus) {
  PhaseEstimate estimate;
  estimate.phase = workload.index;
  if (gpus > 0) estimate.node = machines.node;
  estimate.overhead_share = workload.phase->overhead.share;
  estimate.nodes = gpus > 0 ? machines.node.machines_for(gpus) : 0;
  estimate.gpus = gpus;
  return estimate;
}

/// A phase whose duration the user stated: no model is asked.
PhaseEstimate stated(const PhaseWorkload& workload, const Machines& machines, int gpus, const Interval<Seconds>& time) {
  PhaseEstimate estimate = placed(workload, machines, gpus);
  estimate.strategy.dp = std::max(gpus, 1);
  estimate.evidence = Evidence::kGiven;
  estimate.work = time * (1 + workload.phase->overhead.share);
  estimate.extra = stated_extras(*workload.phase, 1, 0, estimate.work.p50);
  return estimate;
}

}  // namespace

PhaseEstimate modelled(const PhaseWorkload& workload, const Machines& machines, int gpus, const Strategy& strategy,
                       bool fits, Seconds time, const Spread& spread) {
  PhaseEstimate estimate = placed(workload, machines, gpus);
  estimate.strategy = strategy;
  estimate.fit = fits ? Fit::kFits : Fit::kTight;
  estimate.work = lognormal(time * (1 + estimate.overhead_share), spread.time);
  estimate.work_is_model = true;
  estimate.regime = spread.regime;
  estimate.work_by_model = time;
  return estimate;
}

std::optional<int> PhaseWorkload::fixed_gpus() const {
  if (let_go) return 0;
  if (const auto* fixed = std::get_if<FixedPhase>(&phase->work)) return fixed->gpus;
  if (const auto* work = std::get_if<WorkPhase>(&phase->work)) return work->gpus;
  if (std::holds_alternative<CpuPhase>(phase->work)) return 0;
  return std::nullopt;
}

bool let_go(const Job& job, const Phase& phase) {
  const auto* fixed = std::get_if<FixedPhase>(&phase.work);
  return fixed != nullptr && fixed->human && job.schedule == Schedule::kStopWhenIdle && phase.on.empty();
}

Result<std::vector<PhaseWorkload>> prepare(const Job& job) {
  std::vector<PhaseWorkload> all;
  all.reserve(job.phases.size());
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    PhaseWorkload workload;
    workload.phase = &job.phases[i];
    workload.index = static_cast<int>(i);
    workload.let_go = let_go(job, job.phases[i]);
    const auto at_phase = [&](Error error) {
      error.message = "phases." + job.phases[i].name + ": " + error.message;
      error.place.line = job.phases[i].line;
      return std::unexpected<Error>(std::move(error));
    };
    if (const auto* train = std::get_if<TrainPhase>(&workload.phase->work)) {
      auto work = training_work(*train);
      if (!work) return at_phase(std::move(work.error()));
      workload.training = std::move(*work);
    } else if (const auto* generate = std::get_if<GeneratePhase>(&workload.phase->work)) {
      auto work = generation_work(*generate);
      if (!work) return at_phase(std::move(work.error()));
      workload.generation = std::move(*work);
    }
    all.push_back(std::move(workload));
  }
  return all;
}

Interval<Seconds> stated_extras(const Phase& phase, double rounds, double steps, Seconds work) {
  Interval<Seconds> total = phase.overhead.time.range + phase.overhead.each_model.range * rounds;
  if (phase.setup) total = total + phase.setup->time.range;
  if (phase.before) total = total + phase.before->time.range;
  if (phase.evaluate) {
    double evaluations = 0;
    if (phase.evaluate->every_steps > 0) evaluations = std::floor(steps / phase.evaluate->every_steps);
    else if (phase.evaluate->every_time) evaluations = std::floor(work / *phase.evaluate->every_time);
    total = total + phase.evaluate->time.range * evaluations;
  }
  return total;
}

std::optional<PhaseEstimate> best_estimate(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  if (workload.training) return best_training(workload, catalogue, machines, ignore_given, tally);
  if (workload.generation) return best_generation(workload, catalogue, machines, ignore_given, tally);
  if (const auto* cpu = std::get_if<CpuPhase>(&phase.work)) return stated(workload, machines, 0, cpu->time.range);

  const int gpus = *workload.fixed_gpus();
  if (gpus > machines.gpus) {
    tally.reject(Misfit::kGpus);
    return std::nullopt;
  }
  tally.accept();
  if (const auto* fixed = std::get_if<FixedPhase>(&phase.work))
    return stated(workload, machines, gpus, fixed->time.range);

  const auto& work = std::get<WorkPhase>(phase.work);
  Interval<Seconds> item{};
  for (const auto& stage : work.each) item = item + stage.second.range;
  // The last worker to finish decides: whole items, shared out as evenly as they divide.
  return stated(workload, machines, gpus, item * std::ceil(work.items / std::max(work.workers, 1)));
}

}  // namespace gpuplan
