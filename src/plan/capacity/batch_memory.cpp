#include "plan/capacity/batch_memory.h"

#include <algorithm>
#include <limits>

#include "base/sorting.h"
#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"

namespace gpuplan {

namespace {

/// The phase with so many sequences at once and, when `plain`, nothing that saves memory unless the job asks for it.
Job with_batch(Job job, int phase, int sequences, int count, bool plain) {
  Phase& changed = job.phases[static_cast<std::size_t>(phase)];
  changed.given.clear();
  if (auto* train = std::get_if<TrainPhase>(&changed.work)) {
    if (train->steps && !train->steps_at_batch) train->steps_at_batch = sequences;
    train->micro = {sequences, {}};
    train->batch.reset();
    train->batch_by_gpu = {};
    train->accumulate = {1, {}};
    if (plain) {
      train->optimizer.stated = true;
      if (!train->recompute.given()) train->recompute.value = Recompute::kNone;
      if (!train->offload.given()) train->offload.value = Offload::kNone;
      if (!train->parallel.sharding) train->parallel.sharding = Sharding::kNone;
      if (!train->parallel.tp && !train->parallel.pp) train->parallel.tp = train->parallel.pp = 1;
      if (!train->parallel.cp) train->parallel.cp = 1;
    }
    // Fewer samples than sequences in a step would be no step at all.
    if (train->data.samples) *train->data.samples = std::max(*train->data.samples, 1.0 * sequences * count);
  }
  if (auto* generate = std::get_if<GeneratePhase>(&changed.work)) {
    generate->batch = {sequences, {}};
    if (generate->situation == Situation::kSingle) generate->situation = Situation::kSaturated;
    for (Prompts& prompts : generate->data) prompts.samples = std::max(prompts.samples, 1.0 * sequences * count);
  }
  return job;
}

/// The framework of the largest card, as a plan chooses it there, for all cards and batches: what is needed then grows
/// with the batch alone. Of a job that does not fit as it stands, what the smallest batch takes.
std::optional<std::string> held_framework(const Job& job, int phase, const Catalogue& catalogue,
                                          const std::vector<const Gpu*>& gpus, const std::vector<int>& batches,
                                          int count) {
  if (!std::holds_alternative<TrainPhase>(job.phases[static_cast<std::size_t>(phase)].work) || gpus.empty()) return {};
  Tally ignored;
  const Machines machines{common_box(catalogue, *gpus.back(), count), 1, count, true};
  auto best = try_phase(job, phase, catalogue, machines, ignored);
  if (!best && !batches.empty()) {
    const int smallest = *std::min_element(batches.begin(), batches.end());
    best = try_phase(with_batch(job, phase, smallest, count, true), phase, catalogue, machines, ignored);
  }
  if (!best || best->framework == nullptr) return {};
  return best->framework->name;
}

}  // namespace

Result<std::vector<BatchRow>> memory_by_batch(const Job& job, int phase, const Catalogue& catalogue,
                                              const std::vector<int>& batches, int count) {
  if (const auto workloads = prepare(job); !workloads) return std::unexpected(workloads.error());
  std::vector<const Gpu*> gpus = wanted_gpus(job, catalogue);
  sort_stably(gpus, {}, [](const Gpu* gpu) { return std::pair(gpu->usable.value, gpu->name); });

  const auto framework = held_framework(job, phase, catalogue, gpus, batches, count);
  std::vector<BatchRow> rows;
  // What is too much for a card, whatever saves memory there, is too much with more sequences as well.
  std::vector<int> too_many(gpus.size(), std::numeric_limits<int>::max());
  for (const int sequences : batches) {
    BatchRow row;
    row.sequences = sequences;
    Job plain = with_batch(job, phase, sequences, count, true);
    if (framework) std::get<TrainPhase>(plain.phases[static_cast<std::size_t>(phase)].work).framework = *framework;
    const Job free = with_batch(job, phase, sequences, count, false);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const Gpu* gpu = gpus[i];
      const Machines machines{common_box(catalogue, *gpu, count), 1, count, true};
      BatchHolder holder{gpu, std::nullopt};
      Tally tally;
      holder.best = try_phase(plain, phase, catalogue, machines, tally);
      // What it needs is no matter of the card; the largest is the one on which most strategies run.
      if (holder.best) row.needed = holder.best->memory_total;
      else if (tally.nearest.phase >= 0) row.needed = exactly(tally.nearest.needed);
      if (!holder.fits() && sequences < too_many[i]) {
        Tally ignored;
        if (const auto best = try_phase(free, phase, catalogue, machines, ignored); best && best->fit == Fit::kFits) {
          holder.best = best;
          holder.at_a_price = true;
        } else {
          too_many[i] = sequences;
        }
      }
      row.gpus.push_back(holder);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gpuplan
