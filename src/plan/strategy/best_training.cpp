// What comes of the best strategy of a training phase (training_search.cpp): on all GPUs or fewer, with what the job
// asks for or lighter.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "model/training/rollouts.h"
#include "model/training/training.h"
#include "plan/strategy/given.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/software.h"
#include "plan/strategy/step_batch.h"
#include "plan/strategy/training_choice.h"

namespace gpuplan {

namespace {

/// The model that comes out: networks that learn as they are published, or what learnt beside frozen ones.
Bytes learnt(const TrainingWork& work, double weight_bytes) {
  if (work.phase->method != Method::kFull) return Bytes{work.trainable * weight_bytes};
  double bytes = 0;
  for (const ModelUse& use : work.phase->models)
    if (!use.frozen) bytes += use.params() * (use.custom ? weight_bytes : bytes_of(use.shape.native));
  return Bytes{bytes};
}

/// The same on another training; nullopt where there is none.
std::optional<PhaseWorkload> changed(const PhaseWorkload& workload, const Phase& phase) {
  auto work = training_work(std::get<TrainPhase>(phase.work));
  if (!work) return std::nullopt;
  PhaseWorkload other = workload;
  other.phase = &phase;
  other.training = *std::move(work);
  return other;
}

struct Found {
  PhaseEstimate estimate;
  Seconds weighed{};   ///< its time with the care that it takes (practice.h)
  bool plain = false;  ///< a way that cuts neither layers nor sequences fits on the GPUs
};

/// The best way on exactly so many GPUs.
std::optional<Found> on_gpus(const PhaseWorkload& asked, const Catalogue& catalogue, const Machines& machines, int gpus,
                             const StepBatch& batch, bool ignore_given, const Sooner* sooner, Tally& tally) {
  // Each of them gives its part of a step's answers.
  std::optional<PhaseWorkload> shared;
  if (asked.training->rollouts && batch.sequences > 0) {
    shared = asked;
    pad_answers(*shared->training, batch.sequences / gpus);
  }
  const PhaseWorkload& workload = shared ? *shared : asked;
  const Phase& phase = *workload.phase;
  const Given* given = ignore_given ? nullptr : given_for(phase, machines.node.gpu->name, gpus, gpus);
  const auto [best, plain] =
      search_training(workload, catalogue, machines, gpus, batch.sequences, given, sooner, tally);
  if (!best.any) return std::nullopt;

  const TrainingWork& work = *workload.training;
  PhaseEstimate estimate = modelled(workload, machines, gpus, best.strategy, best.fits, best.time, best.spread);
  estimate.framework = best.rates.framework;
  estimate.steps = best.steps;
  estimate.units = work.samples_total;
  estimate.tokens = work.sequences_total * work.mean_tokens;
  estimate.memory = best.estimate.memory;
  estimate.memory_total = best.memory;
  estimate.host_memory = best.estimate.host_memory;
  estimate.rollouts = best.estimate.rollouts;
  estimate.batch = best.batch;
  estimate.batch_wanted = batch.wanted;
  estimate.batch_usual = batch.usual;
  estimate.mean_tokens = work.mean_tokens;
  estimate.sequence = static_cast<int>(std::ceil(work.sequence / work.rows));
  estimate.rows = static_cast<int>(work.rows);
  if (given != nullptr)
    apply_given(*given, {work.samples_total, estimate.tokens, best.steps}, given_units(*given, gpus, gpus),
                phase.overhead.share, estimate);
  const double saved = best.rates.weight_bytes + best.rates.master_bytes + best.rates.state_bytes;
  estimate.checkpoint_bytes = Bytes{work.trainable * saved};
  estimate.results_bytes = learnt(work, best.rates.weight_bytes);
  add_terms(workload, catalogue, estimate);
  return Found{estimate, best.weighed, plain};
}

/// What the job asks for; where that does not fit without the host's memory or cuts of layers, and the job leaves it
/// open, with a lighter optimizer if nothing else fits or it is faster, the care considered. Formats cost quality,
/// so a lighter one is not taken for speed where the full one fits, on these GPUs or (`full_fits`) on more of them.
std::optional<Found> on_gpus_or_lighter(const PhaseWorkload& workload, const Catalogue& catalogue,
                                        const Machines& machines, int gpus, const StepBatch& batch, bool ignore_given,
                                        bool full_fits, const Sooner* sooner, Tally& tally) {
  auto first = on_gpus(workload, catalogue, machines, gpus, batch, ignore_given, sooner, tally);
  const bool fits = first && first->estimate.fit == Fit::kFits;
  if (full_fits || (first && first->plain)) return first;
  const auto& train = std::get<TrainPhase>(workload.phase->work);
  const PracticeConstants& practice = catalogue.practice_constants;
  const Precision precision = training_precision(train, *machines.node.gpu, gpus);
  // Who asks for offload asks for a plan with it; who refuses it may have this one.
  const auto offload = train.offload.on(machines.node.gpu->name, gpus);
  if (offload.value_or(Offload::kNone) != Offload::kNone) return first;
  if (!may_be_lighter(practice, *workload.training, precision)) return first;
  Phase phase = *workload.phase;
  TrainPhase& other = std::get<TrainPhase>(phase.work);
  other = lighter(train);
  other.offload = {Offload::kNone, {}};
  const auto light = changed(workload, phase);
  if (!light) return first;
  Tally tried;
  auto second = on_gpus(*light, catalogue, machines, gpus, batch, ignore_given, sooner, tried);
  tally.same_for.narrow(tried.same_for);
  if (!second || second->estimate.fit != Fit::kFits) return first;
  PhaseEstimate& found = second->estimate;
  const double asked = lighter_asks(practice, *workload.training);
  if (fits && second->weighed * asked > first->weighed) return first;
  // A job that states the optimizer hears what did not fit; this one hears of what it asked for.
  tried.nearest = {};
  tried.host = {};
  tally.add(tried);
  found.lighter = true;
  return second;
}

}  // namespace

namespace {

std::optional<PhaseEstimate> best_as_asked(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  const auto& train = std::get<TrainPhase>(phase.work);
  // Fewer GPUs than there are only when all of them can not be used (a batch of 4 on 8 GPUs, a framework of one machine
  // on two), may run out of memory where fewer do not, or are slowed by the host's memory more than fewer are.
  std::optional<PhaseEstimate> best;
  Seconds weighed{};
  bool full_fits = false;
  bool uneven = false;  // the best so far cuts layers, as the batch does not divide by its GPUs
  for (int gpus = machines.gpus; gpus >= 1;) {
    const StepBatch batch =
        step_batch(catalogue.practice_constants, *workload.training, train, machines.node.gpu->name, gpus);
    const int here = gpus;
    // Launchers start as many processes on each machine.
    do gpus = machines.exact ? 0 : fewer_gpus(batch, gpus);
    while (gpus >= 1 && gpus % machines.node.machines_for(gpus) != 0);
    // With the host's memory on both, fewer GPUs are odd, and both are guesses: they must be faster beyond doubt.
    constexpr double kClearly = 1.5;
    std::optional<Sooner> sooner;
    if (best && best->fit == Fit::kFits && !uneven)
      sooner = {best->work_by_model, best->work_by_model / kClearly, best->strategy.micro_batch};
    const auto found = on_gpus_or_lighter(workload, catalogue, machines, here, batch, ignore_given, full_fits,
                                          sooner ? &*sooner : nullptr, tally);
    if (!found) continue;
    full_fits = full_fits || (found->plain && !found->estimate.lighter);
    const PhaseEstimate& estimate = found->estimate;
    const bool fits = estimate.fit == Fit::kFits, holds = fits && estimate.strategy.offload == Offload::kNone;
    const double asked = holds ? 1 : kClearly;
    const Strategy& s = estimate.strategy;
    const bool cut = s.tp * s.pp * s.cp > 1;
    const bool faster =
        uneven ? !cut && found->weighed < weighed : best && estimate.work_by_model * asked < best->work_by_model;
    if (!best || (fits && (best->fit != Fit::kFits || faster))) {
      best = estimate;
      weighed = found->weighed;
    }
    const Parallel& fixed = train.parallel;
    const bool open = !fixed.tp && !fixed.pp && !fixed.cp;
    const bool first = !uneven && here == machines.gpus && machines.nodes == 1;
    uneven = first && holds && cut && open && batch.sequences > 0 && std::fmod(batch.sequences, here) != 0;
    // A count that it divides by may do without.
    if (uneven && gpus >= 1) continue;
    // What the job says of so many GPUs is not held against a prediction for fewer.
    if (fits && (holds || train.offload.given() || best->model_interval)) break;
  }
  return best;
}

}  // namespace

std::optional<PhaseEstimate> best_training(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  auto best = best_as_asked(workload, catalogue, machines, ignore_given, tally);
  const auto& train = std::get<TrainPhase>(workload.phase->work);
  const Gpu& gpu = *machines.node.gpu;
  const bool fits = best && best->fit == Fit::kFits;
  const bool slow_halves = training_precision(train, gpu, machines.gpus) == Precision::kFp32 && gpu.fp16.value > 0;
  if (fits || train.precision.given() || !slow_halves) return best;
  // What has no room in 32 bit may have it in 16, slow as they are there.
  Phase phase = *workload.phase;
  TrainPhase& half = std::get<TrainPhase>(phase.work);
  half.precision = {Precision::kFp16, {}};
  const auto other = changed(workload, phase);
  if (!other) return best;
  auto in_half = best_as_asked(*other, catalogue, machines, ignore_given, tally);
  return in_half && (!best || in_half->fit == Fit::kFits) ? in_half : best;
}

}  // namespace gpuplan
