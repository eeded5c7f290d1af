#include "plan/advice/profiles.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/threads/parallel.h"
#include "base/whole.h"
#include "plan/capacity/given_evidence.h"
#include "plan/capacity/largest_batch.h"
#include "plan/notes/command_text.h"

namespace gpuplan {

namespace {

/// Sequences at once for a test without a GPU: enough to see a batch, few enough to be done soon.
constexpr int kCpuMicroBatch = 8;

CpuProfile cpu_profile(const PhaseWorkload& workload) {
  CpuProfile cpu;
  constexpr double kFp32 = 4;
  if (workload.training) {
    const TrainingWork& work = *workload.training;
    // Weights of everything; gradients and two states of AdamW for what learns.
    cpu.state = Bytes{work.params * kFp32 + work.trainable * 3 * kFp32};
    cpu.micro_batch = kCpuMicroBatch;
    if (work.batch > 0 && work.batch < cpu.micro_batch) cpu.micro_batch = whole<int>(work.batch);
    return cpu;
  }
  for (const ParameterCount& params : workload.generation->params)
    cpu.state = std::max(cpu.state, Bytes{params.total() * kFp32});
  return cpu;
}

/// Fills what a profile says beyond the estimate. `most`: sequences there are in all.
void look_closer(const Job& job, int phase, const Catalogue& catalogue, double most, Profile& profile) {
  const PhaseEstimate& best = *profile.best;
  OpenBatch open(job, phase, catalogue, profile.machines, best);
  profile.largest = whole<int>(std::min<double>(open.largest(), most));
  if (profile.used() >= kUnderUsed || profile.largest <= best.strategy.micro_batch) return;
  int power = 1;
  while (power * 2 <= profile.largest) power *= 2;
  profile.largest_tried = power > best.strategy.micro_batch ? power : profile.largest;
  const auto larger = open.with(profile.largest_tried);
  if (!larger || larger->work_by_model <= Seconds{}) return;
  profile.gain = best.work_by_model / larger->work_by_model - 1;
  profile.larger_recomputes = larger->strategy.recompute > best.strategy.recompute;
}

}  // namespace

double Profile::used() const { return best && best->node ? best->memory_total.p50 / best->node->gpu->usable : 0; }

std::string profile_name(const std::string& gpu, int gpus, int nodes) {
  std::string name = gpus > 1 ? std::to_string(gpus) + "x-" : "";
  for (const char c : gpu) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || is_digit(c);
    if (upper) name += static_cast<char>(c - 'A' + 'a');
    else if (plain) name += c;
    else if (!name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return nodes > 1 ? name + "-" + std::to_string(nodes) + "-nodes" : name;
}

Result<PhaseProfiles> profiles_of(const Job& job, int phase, const Catalogue& catalogue,
                                  const std::vector<Machines>& machines, bool ignore_given, int threads) {
  auto workloads = prepare(job);
  if (!workloads) return std::unexpected(workloads.error());
  const auto taught = ignore_given ? std::nullopt : learned_from_given(*workloads, catalogue);
  PhaseWorkload& workload = (*workloads)[static_cast<std::size_t>(phase)];
  if (taught) workload.errors = &*taught;
  PhaseProfiles result;
  result.phase = phase;
  result.cpu = cpu_profile(workload);
  result.profiles.resize(machines.size());
  const double most = workload.training ? workload.training->sequences_total : workload.generation->samples;
  // The phase alone: what stands beside it changes nothing here, and is worked out for every number that is tried.
  Job alone = job;
  alone.phases = {job.phases[static_cast<std::size_t>(phase)]};
  auto task = [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    Profile& profile = result.profiles[i];
    profile.machines = machines[i];
    profile.best = best_estimate(workload, catalogue, profile.machines, ignore_given, profile.tally);
    profile.name = profile_name(profile.machines.node.gpu->name, profile.machines.gpus, profile.machines.nodes);
    if (profile.best) look_closer(alone, 0, catalogue, std::max(most, 1.0), profile);
  };
  parallel_for(static_cast<int>(machines.size()), threads, task);
  return result;
}

std::optional<double> gain_by_compiling(const Job& job, int phase, const Catalogue& catalogue, const Machines& machines,
                                        const PhaseEstimate& best) {
  if (best.framework == nullptr || !best.framework->compile || best.strategy.compile) return std::nullopt;
  Job changed = job;
  auto* train = std::get_if<TrainPhase>(&changed.phases[static_cast<std::size_t>(phase)].work);
  if (train == nullptr) return std::nullopt;
  train->compile = {true, {}};
  train->framework = best.framework->name;
  Tally ignored;
  const auto compiled = try_phase(changed, phase, catalogue, machines, ignored);
  if (!compiled || compiled->work_by_model <= Seconds{}) return std::nullopt;
  return best.work_by_model / compiled->work_by_model - 1;
}

std::string filled_command(const Phase& phase, const PhaseEstimate& estimate, const std::string& profile) {
  return fill_command(phase, estimate, profile).text;
}

}  // namespace gpuplan
