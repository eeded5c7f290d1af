#include "plan/strategy/training_choice.h"
#include "model/training/host_memory.h"
#include "model/training/rollouts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "plan/strategy/practice.h"

namespace gpuplan {

namespace {

constexpr Bytes kNoBytes{std::numeric_limits<double>::infinity()};

LayerCut cut_of(const Strategy& s) { return {s.tp, s.cp, s.ep, s.micro_batch, s.recompute, s.attention}; }

}  // namespace

TrainingChoice::TrainingChoice(const PhaseWorkload& workload, const PracticeConstants& practice,
                               const Machines& machines, int gpus, const Given* memory_given, Tally& tally)
    : workload_(workload),
      work_(*workload.training),
      practice_(practice),
      weigh_(practice, gpus),
      node_(machines.node),
      gpus_(gpus),
      nodes_(machines.node.machines_for(gpus)),
      memory_given_(memory_given),
      tally_(&tally),
      same_for_(tally.same_for),
      usable_(machines.node.gpu->usable),
      least_need_(kNoBytes) {}

void TrainingChoice::start(Bytes usable, Seconds faster_than) {
  best_ = {};
  usable_ = usable;
  least_need_ = kNoBytes;
  faster_than_ = faster_than;
  faster_.reset();
  tally_ = &uncounted_;
}

void TrainingChoice::use(const TrainingRates& rates, const Habit& habit, std::vector<Spread>& spreads) {
  rates_ = &rates;
  habit_ = habit;
  spreads_ = &spreads;
  labelled_ = {};
}

/// Candidates of one cut come one after the other.
const detail::Stages& TrainingChoice::stages_of(const Strategy& s) {
  if (staged_.tp != s.tp || staged_.pp != s.pp || staged_.ep != s.ep)
    staged_ = {s.tp, s.pp, s.ep, detail::stages_of(work_, s)};
  return staged_.stages;
}

/// With one framework on one GPU, circumstances and the octave of tokens make the difference, and there are few.
const Spread& TrainingChoice::spread_of(const Strategy& strategy) {
  // Most have those of the one before.
  const bool cut = strategy.tp > 1 || strategy.pp > 1, offloads = strategy.offload != Offload::kNone;
  if (labelled_.micro_batch == strategy.micro_batch && labelled_.cp == strategy.cp && labelled_.ep == strategy.ep &&
      labelled_.cut == cut && labelled_.offloads == offloads)
    return (*spreads_)[labelled_.spread];
  const ErrorLabels labels = training_labels(work_, *rates_, strategy, nodes_);
  const auto known = std::ranges::find_if(*spreads_, [&](const Spread& spread) {
    return spread.labels.circumstances == labels.circumstances && spread.labels.amount == labels.amount;
  });
  labelled_ = {strategy.micro_batch,
               strategy.cp,
               strategy.ep,
               cut,
               offloads,
               static_cast<std::size_t>(known - spreads_->begin())};
  if (known == spreads_->end()) spreads_->push_back(training_spread(*rates_->errors, labels));
  return (*spreads_)[labelled_.spread];
}

// What the machine's own memory may hold. Where nobody states it, state that is moved there gets what machines with
// such GPUs commonly have.
Bytes TrainingChoice::host_room(const Strategy& strategy) const {
  if (node_.ram > Bytes{}) return node_.ram;
  if (strategy.offload == Offload::kNone) return kNoBytes;
  return unstated_host_memory(*rates_->constants, node_, usable_ / node_.gpu->usable);
}

bool TrainingChoice::holds_on_host(const Strategy& strategy, Bytes wanted) {
  const bool used = strategy.offload != Offload::kNone;
  same_for_.usual_counts = same_for_.usual_counts || used;
  const Bytes room = host_room(strategy);
  if (!used || node_.ram > Bytes{}) same_for_.ram.asked(wanted, room);
  return wanted <= room;
}

// Without activations, which the micro-batch and recomputation go by, it is the least that such a way needs.
std::optional<bool> TrainingChoice::short_of_host(const Strategy& strategy) {
  const Bytes wanted = training_host_memory(work_, *rates_, LayerCost{}, strategy, stages_of(strategy)).total();
  if (wanted <= host_room(strategy)) return false;
  const HostMiss& told = tally_->host;
  const bool counted = tally_ != &uncounted_;
  if (counted && (told.phase < 0 || wanted / host_room(strategy) < told.shortfall())) return std::nullopt;
  return !holds_on_host(strategy, wanted);
}

/// Where the host's memory goes with that of the GPUs, it may be what asks for larger ones.
Bytes TrainingChoice::need_of(const Strategy& strategy, Bytes memory, Bytes host) const {
  if (node_.ram > Bytes{} || strategy.offload == Offload::kNone) return memory;
  return std::max(memory, usable_ * (host / host_room(strategy)));
}

Interval<Bytes> TrainingChoice::total(Bytes median, double spread) const {
  return memory_given_ != nullptr ? *memory_given_->memory : lognormal(median, spread);
}

/// What the driver will see: with what the allocator holds beyond its tensors, as far as there is room.
Interval<Bytes> TrainingChoice::held(const Need& need, const Interval<Bytes>& needed, bool fits) const {
  if (memory_given_ != nullptr) return needed;
  const Interval<Bytes> all = needed * (need.use.total() / need.use.needed());
  return fits ? at_most(all, node_.gpu->usable) : all;
}

/// The time of a way that may run out of memory: half the chance to fit must save three quarters of it.
Seconds TrainingChoice::with_risk(Seconds weighed, Bytes need, const Interval<Bytes>& memory) const {
  const double to_p90 = math::log(memory.p90 / memory.p50);
  if (!(to_p90 > 0)) return weighed * (need / usable_);
  // Of a lognormal one whose p90 is what it needs.
  const double p90 = math::normal_quantile(0.9);
  const double chance = math::normal_cdf(p90 - math::log(need / usable_) / to_p90 * p90);
  return weighed / std::max(chance * chance, 1e-6);
}

/// What the host's memory could not hold either did not come close, unless the job leaves nothing else.
void TrainingChoice::missed(const NearMiss& miss, const LayerCost& layer) {
  const NearMiss& nearest = tally_->nearest;
  if (nearest.phase >= 0 && miss.strategy.offload != Offload::kNone) {
    if (miss.shortfall() >= nearest.shortfall()) return;
    const HostMemory host = training_host_memory(work_, *rates_, layer, miss.strategy, stages_of(miss.strategy));
    if (!holds_on_host(miss.strategy, host.total())) return;
  }
  tally_->near_miss(miss);
}

TrainingChoice::Need TrainingChoice::needed(const Strategy& strategy, const LayerCost& layer) {
  Need need;
  need.use = training_memory(work_, *rates_, layer, strategy, stages_of(strategy));
  // Own runs move the median: what they teach is asked first where there are any.
  need.scale = memory_scale(need.use);
  if (rates_->errors->own_runs > 0) correct(need.use, at_scale(spread_of(strategy), need.scale).memory_factor);
  need.median = memory_given_ != nullptr ? memory_given_->memory->p50 : need.use.needed();
  return need;
}

bool TrainingChoice::too_big(const Strategy& strategy, const LayerCost& layer, const Need& need) {
  if (need.median <= usable_) return false;
  // A p90 is no less than the median: most of what is too large needs no more than a look.
  if (need.median < least_need_)
    least_need_ = std::min(least_need_, total(need.median, spread_of(strategy).memory * need.scale).p90);
  tally_->reject(Misfit::kMemory);
  if (tally_ != &uncounted_)
    missed({workload_.index, node_.gpu, gpus_, strategy, need.median, node_.gpu->usable, need.use}, layer);
  return true;
}

bool TrainingChoice::too_big(const Strategy& strategy, LayerTable& layers, std::size_t micro) {
  const LayerCost& layer = layers.memory_at(cut_of(strategy), micro);
  return too_big(strategy, layer, needed(strategy, layer));
}

TrainingChoice::Judgement TrainingChoice::consider(const Strategy& strategy, LayerTable& layers, std::size_t micro) {
  const LayerCut cut = cut_of(strategy);
  const LayerCost& layer = layers.memory_at(cut, micro);
  const Need need = needed(strategy, layer);
  if (too_big(strategy, layer, need)) return {Verdict::kTooBig};
  TrainingEstimate estimate =
      training_estimate(work_, *rates_, layers.at(cut, micro), strategy, nodes_, need.use, stages_of(strategy));
  const Spread& spread = spread_of(strategy);
  if (spread.time_factor != 1) estimate.step.stretch(spread.time_factor);
  const Interval<Bytes> needed_memory = total(need.median, spread.memory * need.scale);
  const Bytes p90 = needed_memory.p90;
  const Bytes least = need_of(strategy, p90, estimate.host_memory);
  least_need_ = std::min(least_need_, least);
  if (!holds_on_host(strategy, estimate.host_memory)) {
    tally_->reject(Misfit::kHostMemory);
    if (tally_ != &uncounted_ && p90 < usable_)
      tally_->host_miss({workload_.index, estimate.host_memory, host_room(strategy),
                         strategy.offload != Offload::kNone ? HostUse::kOffload : HostUse::kLoading});
    return {Verdict::kOther};
  }
  tally_->accept();
  const double batch = static_cast<double>(strategy.micro_batch) * strategy.grad_accum * strategy.dp;
  // Small tolerance: 2.56 M sequences in batches of 256 are 10,000 steps, whatever the rounding of the division.
  const double steps = std::max(1.0, std::ceil(work_.sequences_total / batch - 1e-9));
  const Seconds time = estimate.step.total() * steps;
  const bool fits = p90 < usable_;
  if (fits && time < faster_than_) faster_ = std::min(faster_.value_or(p90), p90);
  const Judgement judgement{fits ? Verdict::kFits : Verdict::kTight, time,
                            estimate.step.bubble / estimate.step.total()};
  // Care only makes it longer.
  if (best_.any && best_.fits && time >= at_risk_) return judgement;
  const Seconds weighed = weigh_(time, care_of(practice_, strategy, node_, habit_));
  // Of ways that fit the fastest, care considered; of those that may not the fastest for its chance.
  const bool none = !fits && best_.any && best_.fits;
  const Seconds at_risk = fits || none ? weighed : with_risk(weighed, least, needed_memory);
  if (!best_.any || (best_.fits == fits ? at_risk < at_risk_ : fits)) {
    best_ = {true,
             fits,
             time,
             weighed,
             least,
             strategy,
             estimate,
             *rates_,
             with_rollouts(at_scale(spread, need.scale), work_, *rates_, strategy, estimate),
             held(need, needed_memory, fits),
             batch,
             steps,
             gpus_};
    at_risk_ = at_risk;
  }
  return judgement;
}

}  // namespace gpuplan
