// Strategies for a training phase: framework x tensor x pipeline x expert cut, then recomputation, micro-batch,
// sharding and offload. Nothing is allocated inside the loops.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "model/training.h"
#include "plan/given.h"
#include "plan/layer_table.h"
#include "plan/phase_search.h"
#include "plan/software.h"

namespace gpuplan {

namespace {

/// More sequences a step than this, or more tokens, no recipe uses: the limit of `batch: auto`.
constexpr int kLargestAutoMicro = 4096;
constexpr double kLargestAutoTokens = 4e6;  // tokens a step; GPT-3 (Brown et al. 2020) and Llama 2 trained with 3-4 M

/// From here on tensor and pipeline parallelism are tried although data parallelism with full sharding fits.
constexpr double kLargeParams = 20e9;

/// Of two candidates within this share of each other, the simpler one is taken.
constexpr double kSameTime = 0.005;

/// A way of cutting the work that takes more care must promise this much more speed than a plain one that fits: below
/// it the model can not tell them apart, and a person would not set it up.
double handicap(const Strategy& s) {
  return (s.tp > 1 ? 1.08 : 1.0) * (s.pp > 1 ? 1.08 : 1.0) * (s.offload != Offload::kNone ? 1.05 : 1.0);
}

/// The best candidate so far, as little as the loop needs.
struct Best {
  bool any = false;
  bool fits = false;
  Seconds time{};
  int complexity = 0;
  Strategy strategy;
  TrainingEstimate estimate;
  TrainingRates rates;
  Spread spread;
  Interval<Bytes> memory{};
  double batch = 0;
  double steps = 0;
  int gpus = 0;
};

/// How much a person has to understand to run it: the tie-breaker.
int complexity(const Strategy& s) {
  return (s.tp > 1 ? 2 : 0) + (s.pp > 1 ? 3 : 0) + (s.ep > 1 ? 2 : 0) + (s.offload != Offload::kNone ? 2 : 0) +
         (s.recompute != Recompute::kNone ? 1 : 0) + static_cast<int>(s.sharding) + (s.compile ? 1 : 0);
}

class TrainingSearch {
 public:
  TrainingSearch(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines,
                 const Given* memory_given, Tally& tally)
      : workload_(workload),
        work_(*workload.training),
        phase_(std::get<TrainPhase>(workload.phase->work)),
        catalogue_(catalogue),
        machines_(machines),
        gpu_(*machines.node.gpu),
        memory_given_(memory_given),
        tally_(tally) {}

  Best run(int gpus) {
    gpus_ = gpus;
    nodes_ = machines_.node.machines_for(gpus);
    best_ = {};
    read_batch();
    if (micros_.empty()) {
      tally_.reject(Misfit::kUneven);
      return best_;
    }
    Software choice = training_software(catalogue_, phase_, gpu_, gpus_, nodes_);
    if (choice.frameworks.empty()) {
      tally_.reject(choice.why);
      if (tally_.unsupported_reason.empty()) tally_.unsupported_reason = std::move(choice.reason);
      return best_;
    }
    const Parallel& fixed = phase_.parallel;
    LayerTable table(work_, micros_.size(), fixed.tp.value_or(std::min(gpus_, machines_.node.gpus)),
                     fixed.ep.value_or(experts() > 0 ? gpus_ : 1));
    for (const bool cuts : {false, true}) {
      if (cuts && !tries_cuts()) break;
      cuts_ = cuts;
      for (std::size_t i = 0; i < choice.frameworks.size(); ++i) {
        const Framework* framework = choice.frameworks[i];
        preferred_ = std::span(choice.frameworks).first(i);
        rates_ = training_rates(catalogue_, machines_.node, *framework, choice.precision, choice.compile, work_);
        table.use(rates_);
        base_ = {};
        base_.precision = choice.precision;
        base_.compile = choice.compile;
        base_.attention = phase_.attention.value_or(AttentionKernel::kFlash);
        base_.framework = static_cast<std::int16_t>(framework - catalogue_.frameworks.data());
        for_each_cut(*framework, table);
      }
    }
    return best_;
  }

 private:
  /// Micro-batches to try: the divisors of a fixed batch, powers of two for a free one.
  void read_batch() {
    micros_.clear();
    batch_ = work_.batch;
    if (const auto by_gpu = phase_.batch_by_gpu.on(gpu_.name, gpus_)) batch_ = *by_gpu;
    const auto micro = phase_.micro.on(gpu_.name, gpus_);
    if (micro) {
      micros_.push_back(*micro);
    } else if (batch_ > 0) {
      const int whole = static_cast<int>(std::min(batch_, 65536.0));
      for (int m = 1; m <= whole && m <= kLargestAutoMicro; ++m)
        if (whole % m == 0) micros_.push_back(m);
    } else {
      for (int m = 1; m <= kLargestAutoMicro; m *= 2) micros_.push_back(m);
    }
  }

  int experts() const {
    const ModelUse& use = *work_.models.front().use;
    return use.custom ? 0 : use.shape.experts;
  }

  /// Tensor and pipeline cuts are looked at where they are practice: very large networks, a job that asks for them,
  /// and where nothing else fits.
  bool tries_cuts() const {
    return phase_.parallel.tp || phase_.parallel.pp || work_.params >= kLargeParams || !best_.any || !best_.fits;
  }

  void for_each_cut(const Framework& framework, LayerTable& table) {
    const Parallel& fixed = phase_.parallel;
    const bool custom = work_.models.front().use->custom.has_value();
    const int cp = fixed.cp.value_or(1);
    const bool cuts = cuts_ && !custom;
    const int most_tp = cuts && framework.tensor ? std::min(gpus_, machines_.node.gpus) : 1;
    const int most_pp = cuts && framework.pipeline ? gpus_ : 1;
    for (int tp = fixed.tp.value_or(1); tp <= fixed.tp.value_or(most_tp); tp *= 2) {
      for (int pp = fixed.pp.value_or(1); pp <= fixed.pp.value_or(most_pp); pp *= 2) {
        const int cut = tp * pp * cp;
        if (cut > gpus_) break;
        if (gpus_ % cut != 0 || !divides(tp, pp)) {
          tally_.reject(Misfit::kUneven);
          continue;
        }
        const int dp = gpus_ / cut;
        if (fixed.dp && *fixed.dp != dp) {
          tally_.reject(Misfit::kGiven);
          continue;
        }
        if (cuts_ && tp * pp == 1 && !phase_.parallel.tp && !phase_.parallel.pp) continue;  // looked at before
        const int most_ep = framework.expert ? std::max(1, std::min(dp, experts())) : 1;
        for (int ep = fixed.ep.value_or(1); ep <= fixed.ep.value_or(most_ep) && dp % ep == 0; ep *= 2) {
          base_.tp = tp;
          base_.pp = pp;
          base_.cp = cp;
          base_.ep = ep;
          base_.dp = dp;
          for_each_batch(framework, table);
        }
      }
    }
  }

  /// Heads over tensor ranks, layers over stages.
  bool divides(int tp, int pp) const {
    for (const ModelWork& model : work_.models) {
      if (model.use->custom) {
        if (tp * pp > 1) return false;
        continue;
      }
      const ModelShape& shape = model.use->shape;
      if (shape.heads % tp != 0 || shape.layers % pp != 0 || (shape.ffn > 0 && shape.ffn % tp != 0)) return false;
    }
    return true;
  }

  void for_each_batch(const Framework& framework, LayerTable& table) {
    if (batch_ > 0 && std::fmod(batch_, base_.dp) != 0) {
      tally_.reject(Misfit::kUneven);
      return;
    }
    std::array<std::array<std::array<bool, 2>, 4>, 3> full_up{};  // by recompute, sharding, offload: memory ran out
    const auto accumulate = phase_.accumulate.on(gpu_.name, gpus_);
    for (std::size_t m = 0; m < micros_.size(); ++m) {
      const int micro = micros_[m];
      double accumulation = accumulate.value_or(1);
      if (batch_ > 0) {
        const double each = batch_ / base_.dp;
        if (std::fmod(each, micro) != 0 || (accumulate && each / micro != *accumulate)) {
          tally_.reject(Misfit::kUneven);
          continue;
        }
        accumulation = each / micro;
      } else if (micro > 1) {
        const double sequences = static_cast<double>(micro) * base_.dp * accumulation;
        if (sequences * work_.sequence > kLargestAutoTokens || sequences > work_.sequences_total) break;
      }
      base_.micro_batch = micro;
      base_.grad_accum = static_cast<std::int32_t>(accumulation);
      for_each_memory_choice(framework, table, m, full_up);
    }
  }

  static bool recomputes(const Framework& framework, Recompute what) {
    return what == Recompute::kNone ||
           (what == Recompute::kFull ? framework.recompute_full : framework.recompute_selective);
  }

  /// A framework of higher preference can run it: what a later one is asked for is only what it adds.
  bool left_to_preferred(const Strategy& s) const {
    return std::ranges::any_of(preferred_, [&](const Framework* f) {
      return f->zero[static_cast<std::size_t>(s.sharding)] && (s.tp == 1 || f->tensor) && (s.pp == 1 || f->pipeline) &&
             (s.cp == 1 || f->context) && (s.ep == 1 || f->expert) &&
             (s.offload == Offload::kNone || f->offload_optimizer) && recomputes(*f, s.recompute);
    });
  }

  template <class Full>
  void for_each_memory_choice(const Framework& framework, LayerTable& table, std::size_t micro, Full& full_up) {
    const auto recompute_fixed = phase_.recompute.on(gpu_.name, gpus_);
    const auto offload_fixed = phase_.offload.on(gpu_.name, gpus_);
    // Offload, recomputation and sharding only cost time: once the plainer choice fits, the next is not looked at.
    bool fits = false;
    for (const Offload offload : {Offload::kNone, Offload::kOptimizer}) {
      if (offload_fixed ? offload != *offload_fixed : offload != Offload::kNone && !framework.offload_optimizer)
        continue;
      if (fits) return;
      for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
        if (recompute_fixed ? recompute != *recompute_fixed : !recomputes(framework, recompute)) continue;
        if (fits) return;
        Strategy strategy = base_;
        strategy.offload = offload;
        strategy.recompute = recompute;
        fits = for_each_sharding(framework, table, micro, full_up, strategy);
      }
    }
  }

  /// True when a candidate fits.
  template <class Full>
  bool for_each_sharding(const Framework& framework, LayerTable& table, std::size_t micro, Full& full_up,
                         Strategy strategy) {
    const auto& fixed = phase_.parallel.sharding;
    const LayerCost* layer = nullptr;
    bool fits = false;
    for (std::size_t stage = 0; stage < 4; ++stage) {
      strategy.sharding = static_cast<Sharding>(stage);
      if (fixed ? strategy.sharding != *fixed : !framework.zero[stage]) continue;
      if (!fixed && stage > 0 && strategy.dp == 1) continue;
      if (!fixed && stage > 1 && strategy.pp > 1) continue;  // gradients would be gathered every micro-batch
      if (stage > 1 && fits) break;                          // stage 1 only shares the optimizer's work
      if (left_to_preferred(strategy)) continue;
      bool& full =
          full_up[static_cast<std::size_t>(strategy.recompute)][stage][static_cast<std::size_t>(strategy.offload)];
      if (full) {  // a smaller micro-batch did not fit either
        tally_.reject(Misfit::kMemory);
        continue;
      }
      if (layer == nullptr) {
        const LayerCut cut{strategy.tp,          strategy.cp,        strategy.ep,
                           strategy.micro_batch, strategy.recompute, strategy.attention};
        layer = &table.at(cut, micro);
      }
      const Verdict verdict = consider(strategy, *layer);
      full = verdict == Verdict::kTooBig;
      fits = fits || verdict == Verdict::kFits;
    }
    return fits;
  }

  enum class Verdict { kTooBig, kTight, kFits, kOther };

  Verdict consider(const Strategy& strategy, const LayerCost& layer) {
    const MemoryUse need = training_memory(work_, rates_, layer, strategy);
    const Bytes median = memory_given_ != nullptr ? memory_given_->memory->p50 : need.total();
    if (median > gpu_.usable) {
      tally_.reject(Misfit::kMemory);
      tally_.near_miss({workload_.index, &gpu_, gpus_, strategy, median, gpu_.usable, need});
      return Verdict::kTooBig;
    }
    const TrainingEstimate estimate = training_estimate(work_, rates_, layer, strategy, nodes_);
    const Spread spread = training_spread(work_, rates_, strategy, nodes_);
    const Interval<Bytes> memory = memory_given_ != nullptr ? *memory_given_->memory : lognormal(median, spread.memory);
    if (machines_.node.ram > Bytes{} && estimate.host_memory > machines_.node.ram) {
      tally_.reject(Misfit::kHostMemory);
      return Verdict::kOther;
    }
    tally_.accept();
    const double batch = static_cast<double>(strategy.micro_batch) * strategy.grad_accum * strategy.dp;
    // Small tolerance: 2.56 M sequences in batches of 256 are 10,000 steps, whatever the rounding of the division.
    const double steps = std::max(1.0, std::ceil(work_.sequences_total / batch - 1e-9));
    const Seconds time = estimate.step.total() * steps;
    const bool fits = memory.p90 < gpu_.usable;
    const Verdict verdict = fits ? Verdict::kFits : Verdict::kTight;
    const int effort = complexity(strategy);
    if (best_.any) {
      if (best_.fits && !fits) return verdict;
      if (best_.fits == fits) {
        const double ratio = time * handicap(strategy) / (best_.time * handicap(best_.strategy));
        if (ratio > 1 + kSameTime || (ratio > 1 - kSameTime && effort >= best_.complexity)) return verdict;
      }
    }
    best_ = {true, fits, time, effort, strategy, estimate, rates_, spread, memory, batch, steps, gpus_};
    return verdict;
  }

  const PhaseWorkload& workload_;
  const TrainingWork& work_;
  const TrainPhase& phase_;
  const Catalogue& catalogue_;
  const Machines& machines_;
  const Gpu& gpu_;
  const Given* memory_given_;
  Tally& tally_;
  int gpus_ = 1, nodes_ = 1;
  double batch_ = 0;
  std::vector<int> micros_;
  std::span<const Framework* const> preferred_;
  bool cuts_ = false;  ///< this pass looks at tensor and pipeline cuts
  TrainingRates rates_;
  Strategy base_;
  Best best_;
};

}  // namespace

std::optional<PhaseEstimate> best_training(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  // Fewer GPUs than there are only when all of them can not be used (a batch of 4 on 8 GPUs).
  for (int gpus = machines.gpus; gpus >= 1; gpus = machines.exact ? 0 : gpus / 2) {
    const Given* given = ignore_given ? nullptr : given_for(phase, machines.node.gpu->name, gpus, gpus);
    TrainingSearch search(workload, catalogue, machines, given != nullptr && given->memory ? given : nullptr, tally);
    const Best best = search.run(gpus);
    if (!best.any) continue;

    const TrainingWork& work = *workload.training;
    PhaseEstimate estimate = modelled(workload, machines, gpus, best.strategy, best.fits, best.time, best.spread);
    estimate.framework = best.rates.framework;
    estimate.steps = best.steps;
    estimate.units = work.samples_total;
    estimate.tokens = work.sequences_total * work.mean_tokens;
    estimate.memory = best.estimate.memory;
    estimate.memory_total = best.memory;
    estimate.host_memory = best.estimate.host_memory;
    estimate.batch = best.batch;
    if (given != nullptr)
      apply_given(*given, {work.samples_total, estimate.tokens, best.steps}, given_units(*given, gpus, gpus),
                  phase.overhead.share, estimate);
    estimate.extra = stated_extras(phase, 1, best.steps, estimate.work.p50);
    return estimate;
  }
  return std::nullopt;
}

}  // namespace gpuplan
