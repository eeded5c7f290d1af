#include "plan/strategy/phase_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/error/error.h"
#include "plan/strategy/given.h"
#include "plan/strategy/practice.h"

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
PhaseEstimate stated(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines, int gpus,
                     const Interval<Seconds>& time) {
  PhaseEstimate estimate = placed(workload, machines, gpus);
  estimate.strategy.dp = std::max(gpus, 1);
  estimate.evidence = Evidence::kGiven;
  estimate.work = time * (1 + workload.phase->overhead.share);
  add_terms(workload, catalogue, estimate);
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
  estimate.error_figure = spread.figure;
  estimate.labels = spread.labels;
  // What was tried may have been a copy of the GPU, whose name does not live as long.
  const Gpu& gpu = *machines.node.gpu;
  estimate.labels.card = gpu.name;
  estimate.labels.architecture = gpu.architecture;
  estimate.labels.memory_type = gpu.memory_type;
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

const ErrorModel& PhaseWorkload::errors_with(const Given* given, const Catalogue& catalogue) const {
  // A figure is held against what is predicted without it.
  const bool stated = given != nullptr && states_speed(*given);
  return errors != nullptr && !stated ? *errors : catalogue.errors;
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
    workload.defaults = defaults_of(job, job.phases[i]);
    workload.care = counted_care(job.goal);
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

namespace {

/// Times are finite and not negative, whatever the figures of a job are: nothing may come out free by mistake.
bool a_time(const Interval<Seconds>& time) {
  return time.p10 >= Seconds{} && time.p10 <= time.p50 && time.p50 <= time.p90 && std::isfinite(time.p90.value);
}

/// The best way where a job may take any time.
std::optional<PhaseEstimate> without_limit(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  // Replicas of generation need no network; the search of generation leaves out the ways that do.
  if (workload.training && !machines.joined) {
    tally.reject(Misfit::kNetwork);
    return std::nullopt;
  }
  if (workload.training) return best_training(workload, catalogue, machines, ignore_given, tally);
  if (workload.generation) return best_generation(workload, catalogue, machines, ignore_given, tally);
  if (const auto* cpu = std::get_if<CpuPhase>(&phase.work))
    return stated(workload, catalogue, machines, 0, cpu->time.range);

  const int gpus = *workload.fixed_gpus();
  if (gpus > machines.gpus) {
    tally.reject(Misfit::kGpus);
    return std::nullopt;
  }
  tally.accept();
  if (const auto* fixed = std::get_if<FixedPhase>(&phase.work))
    return stated(workload, catalogue, machines, gpus, fixed->time.range);

  const auto& work = std::get<WorkPhase>(phase.work);
  Interval<Seconds> item{};
  for (const auto& stage : work.each) item = item + stage.second.range;
  // The last worker to finish decides: whole items, shared out as evenly as they divide.
  return stated(workload, catalogue, machines, gpus, item * std::ceil(work.items / std::max(work.workers, 1)));
}

}  // namespace

std::optional<PhaseEstimate> best_estimate(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  const long before = tally.feasible;
  auto estimate = without_limit(workload, catalogue, machines, ignore_given, tally);
  if (estimate && !(a_time(estimate->work) && a_time(estimate->extra))) {
    assert(false && "a phase takes a time");
    tally.rejected[static_cast<std::size_t>(Misfit::kUnsupported)] += tally.feasible - before;
    tally.feasible = before;
    if (tally.unsupported_reason.empty())
      tally.unsupported_reason = "its time cannot be computed: a number in the job is too large";
    return std::nullopt;
  }
  if (estimate && estimate->work_is_model && estimate->evidence == Evidence::kModel) {
    const ErrorModel& errors = workload.errors_with(nullptr, catalogue);
    if (own_runs_on(errors, estimate->error_figure, estimate->labels) > 0 ||
        given_on(errors, estimate->error_figure, estimate->labels) > 0)
      estimate->evidence = Evidence::kCalibrated;
  }
  const Bytes room = SameFor::known(machines.node.disk);
  if (estimate) tally.same_for.disk.asked(estimate->machine_disk_bytes, room);
  if (estimate && estimate->machine_disk_bytes > room) {
    tally.rejected[static_cast<std::size_t>(Misfit::kDisk)] += tally.feasible - before;
    tally.feasible = before;
    return std::nullopt;
  }
  if (!estimate || !machines.max_time || estimate->gpus == 0) return estimate;
  const Seconds uncut = estimate->work.p90 + estimate->extra.p90;
  const auto jobs = cut_into_jobs(workload, catalogue, *machines.max_time, *estimate);
  if (!jobs) {
    tally.too_long({workload.index, uncut * workload.defaults.stretch, *machines.max_time}, tally.feasible - before);
    return std::nullopt;
  }
  estimate->jobs = *jobs;
  return estimate;
}

}  // namespace gpuplan
