#include "plan/training_choice.h"

#include <algorithm>
#include <cmath>

#include "plan/practice.h"

namespace gpuplan {

namespace {

/// Of two candidates within this share of each other, the simpler one is taken.
constexpr double kSameTime = 0.005;

}  // namespace

TrainingChoice::TrainingChoice(const PhaseWorkload& workload, const Machines& machines, int gpus,
                               const Given* memory_given, Tally& tally)
    : workload_(workload),
      work_(*workload.training),
      node_(machines.node),
      gpus_(gpus),
      nodes_(machines.node.machines_for(gpus)),
      memory_given_(memory_given),
      tally_(tally) {}

void TrainingChoice::use(const TrainingRates& rates, bool usual) {
  rates_ = &rates;
  usual_ = usual;
}

TrainingChoice::Verdict TrainingChoice::consider(const Strategy& strategy, const LayerCost& layer) {
  const Gpu& gpu = *node_.gpu;
  const MemoryUse need = training_memory(work_, *rates_, layer, strategy);
  const Bytes median = memory_given_ != nullptr ? memory_given_->memory->p50 : need.total();
  if (median > gpu.usable) {
    tally_.reject(Misfit::kMemory);
    tally_.near_miss({workload_.index, &gpu, gpus_, strategy, median, gpu.usable, need});
    return Verdict::kTooBig;
  }
  const TrainingEstimate estimate = training_estimate(work_, *rates_, layer, strategy, nodes_, need);
  const Spread spread = training_spread(work_, *rates_, strategy, nodes_);
  const Interval<Bytes> memory = memory_given_ != nullptr ? *memory_given_->memory : lognormal(median, spread.memory);
  if (node_.ram > Bytes{} && estimate.host_memory > node_.ram) {
    tally_.reject(Misfit::kHostMemory);
    return Verdict::kOther;
  }
  tally_.accept();
  const double batch = static_cast<double>(strategy.micro_batch) * strategy.grad_accum * strategy.dp;
  // Small tolerance: 2.56 M sequences in batches of 256 are 10,000 steps, whatever the rounding of the division.
  const double steps = std::max(1.0, std::ceil(work_.sequences_total / batch - 1e-9));
  const Seconds time = estimate.step.total() * steps;
  last_ = time;
  last_bubble_ = estimate.step.bubble / estimate.step.total();
  const bool fits = memory.p90 < gpu.usable;
  const Verdict verdict = fits ? Verdict::kFits : Verdict::kTight;
  const int effort = complexity(strategy);
  const double caution = care(strategy, node_, usual_);
  if (best_.any) {
    if (best_.fits && !fits) return verdict;
    if (best_.fits == fits) {
      const double ratio = time * caution / (best_.time * best_.care);
      if (ratio > 1 + kSameTime || (ratio > 1 - kSameTime && effort >= best_.complexity)) return verdict;
    }
  }
  best_ = {true, fits, time, caution, effort, strategy, estimate, *rates_, spread, memory, batch, steps, gpus_};
  return verdict;
}

}  // namespace gpuplan
