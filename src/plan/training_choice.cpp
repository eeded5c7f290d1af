#include "plan/training_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// What the machine's own memory may hold. Where nobody states it, state that is moved there gets three times the memory
// of the GPUs, as machines are commonly sold (p4d 3.6, 8x H100 boxes 3.2, desktops with one card 2.7 to 5).
Bytes TrainingChoice::host_room(const Strategy& strategy) const {
  constexpr double kUsual = 3;
  if (node_.ram > Bytes{}) return node_.ram;
  if (strategy.offload == Offload::kNone) return Bytes{std::numeric_limits<double>::infinity()};
  return node_.gpu->memory * (kUsual * node_.gpus);
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
  if (estimate.host_memory > host_room(strategy)) {
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
