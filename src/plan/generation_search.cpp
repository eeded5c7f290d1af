// Strategies for a generation phase: format, tensor and layer split, replicas, placement of several models.

#include <algorithm>
#include <cmath>

#include "model/generation.h"
#include "plan/given.h"
#include "plan/phase_search.h"
#include "plan/software.h"

namespace gpuplan {

namespace {

/// Of two candidates within this share of each other, the one with smaller replicas is taken.
constexpr double kSameTime = 0.005;

struct Best {
  bool any = false;
  bool fits = false;
  Strategy strategy;
  GenerationEstimate estimate;
  Spread spread;
  Interval<Bytes> memory{};
};

Format natural_format(const GenerationWork& work, const Gpu& gpu) {
  const Format native = work.phase->models.front().shape.native;
  if (native == Format::kBf16 && gpu.bf16 <= FlopsPerSecond{}) return Format::kFp16;
  if (native == Format::kFp32) return gpu.bf16 > FlopsPerSecond{} ? Format::kBf16 : Format::kFp16;
  return native;
}

class GenerationSearch {
 public:
  GenerationSearch(const PhaseWorkload& workload, const Machines& machines, const Given* given, Tally& tally)
      : workload_(workload),
        work_(*workload.generation),
        phase_(std::get<GeneratePhase>(workload.phase->work)),
        machines_(machines),
        gpu_(*machines.node.gpu),
        given_(given),
        tally_(tally) {}

  Best run(int gpus, const GenerationRates& rates, const Framework& engine, std::int16_t engine_index) {
    best_ = {};
    const Parallel& fixed = phase_.parallel;
    const int most_tp = engine.tensor ? std::min(gpus, machines_.node.gpus) : 1;
    for (const int pp_limit : {1, gpus}) {
      // Layers are split over GPUs only when nothing else holds the model: one request gains nothing by it.
      if (pp_limit > 1 && (best_.any || !engine.pipeline || fixed.pp)) break;
      for (int tp = fixed.tp.value_or(1); tp <= fixed.tp.value_or(most_tp); tp *= 2) {
        for (int pp = fixed.pp.value_or(pp_limit > 1 ? 2 : 1); pp <= fixed.pp.value_or(pp_limit); pp *= 2) {
          if (tp * pp > gpus) break;
          if (gpus % (tp * pp) != 0 || !divides(tp, pp)) {
            tally_.reject(Misfit::kUneven);
            continue;
          }
          const int dp = gpus / (tp * pp);
          if ((fixed.dp && *fixed.dp != dp) || contradicts_given(tp * pp, gpus)) {
            tally_.reject(Misfit::kGiven);
            continue;
          }
          for_each_placement(rates, engine_index, tp, pp, dp);
        }
      }
    }
    return best_;
  }

 private:
  bool divides(int tp, int pp) const {
    return std::ranges::all_of(
        phase_.models, [&](const ModelUse& model) { return model.shape.heads % tp == 0 && pp <= model.shape.layers; });
  }

  /// A rate stated for one replica says nothing of larger ones: replicas have the stated size, or, where none is
  /// stated, the smallest that holds the model.
  bool contradicts_given(int replica, int gpus) const {
    if (given_ == nullptr || given_->time || phase_.parallel.tp) return false;
    if (given_->gpus == 0) return best_.any && replica > best_.strategy.tp * best_.strategy.pp;
    return given_->gpus < gpus && replica != given_->gpus;
  }

  void for_each_placement(const GenerationRates& rates, std::int16_t engine, int tp, int pp, int dp) {
    for (const Placement placement : {Placement::kInTurn, Placement::kOneModelPerGpu}) {
      if (phase_.place ? placement != *phase_.place : placement == Placement::kOneModelPerGpu && work_.models == 1)
        continue;
      Strategy strategy;
      strategy.dp = dp;
      strategy.tp = tp;
      strategy.pp = pp;
      strategy.placement = placement;
      strategy.weights = rates.weights;
      strategy.framework = engine;
      strategy.micro_batch = in_flight(dp);
      consider(rates, strategy);
    }
  }

  /// Sequences in flight a replica; 0: as many as memory holds.
  int in_flight(int dp) const {
    if (const auto batch = phase_.batch.on(gpu_.name, machines_.gpus)) return *batch;
    if (phase_.situation == Situation::kSingle) return 1;
    if (phase_.situation == Situation::kConcurrency && phase_.concurrency)
      return static_cast<int>(std::max(1.0, std::ceil(*phase_.concurrency / dp)));
    return 0;
  }

  void consider(const GenerationRates& rates, const Strategy& strategy) {
    const GenerationEstimate estimate = generation_estimate(work_, rates, strategy);
    const Spread spread = generation_spread(work_, rates, strategy);
    Interval<Bytes> memory = lognormal(estimate.memory.total(), spread.memory);
    if (given_ != nullptr && given_->memory) memory = *given_->memory;
    bool fits = memory.p90 < gpu_.usable;
    Bytes least = memory.p50;
    if (strategy.micro_batch == 0) {
      // The engine fills what there is; what must fit is one sequence.
      Strategy one = strategy;
      one.micro_batch = 1;
      const Interval<Bytes> need = lognormal(generation_estimate(work_, rates, one).memory.total(), spread.memory);
      least = need.p50;
      fits = need.p90 < gpu_.usable;
      memory.p90 = std::min(memory.p90, gpu_.usable);
    }
    if (least > gpu_.usable || estimate.batch < 1) {
      tally_.reject(Misfit::kMemory);
      tally_.near_miss({workload_.index, &gpu_, strategy.gpus(), strategy, least, gpu_.usable, estimate.memory});
      return;
    }
    tally_.accept();
    if (best_.any) {
      if (best_.fits && !fits) return;
      if (best_.fits == fits && estimate.parts.total() > best_.estimate.parts.total() * (1 - kSameTime)) return;
    }
    best_ = {true, fits, strategy, estimate, spread, memory};
  }

  const PhaseWorkload& workload_;
  const GenerationWork& work_;
  const GeneratePhase& phase_;
  const Machines& machines_;
  const Gpu& gpu_;
  const Given* given_;
  Tally& tally_;
  Best best_;
};

}  // namespace

std::optional<PhaseEstimate> best_generation(const PhaseWorkload& workload, const Catalogue& catalogue,
                                             const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  const auto& generate = std::get<GeneratePhase>(phase.work);
  const GenerationWork& work = *workload.generation;
  const Gpu& gpu = *machines.node.gpu;
  Software software = generation_software(catalogue, generate, gpu, machines.nodes);
  if (software.frameworks.empty()) {
    tally.reject(software.why);
    if (tally.unsupported_reason.empty()) tally.unsupported_reason = std::move(software.reason);
    return std::nullopt;
  }
  const Framework& engine = *software.frameworks.front();
  const Format weights = generate.weights.value_or(natural_format(work, gpu));
  const Format cache = generate.kv_cache.value_or(gpu.bf16 > FlopsPerSecond{} ? Format::kBf16 : Format::kFp16);
  auto rates = generation_rates(catalogue, machines.node, engine, weights, cache);
  if (rates && generate.weight_bits) rates->weight_bytes = *generate.weight_bits / 8;
  if (!rates) {
    tally.reject(Misfit::kPrecision);
    return std::nullopt;
  }

  for (int gpus = machines.gpus; gpus >= 1; gpus = machines.exact ? 0 : gpus / 2) {
    const Given* given = nullptr;
    // Replicas are independent: a figure for one of 1, 2, 4, ... GPUs serves all of them.
    for (int replica = gpus; !ignore_given && given == nullptr && replica >= 1; replica /= 2)
      given = given_for(phase, gpu.name, gpus, replica);
    GenerationSearch search(workload, machines, given, tally);
    const Best best =
        search.run(gpus, *rates, engine, static_cast<std::int16_t>(&engine - catalogue.frameworks.data()));
    if (!best.any) continue;

    PhaseEstimate estimate =
        modelled(workload, machines, gpus, best.strategy, best.fits, best.estimate.parts.total(), best.spread);
    estimate.strategy.micro_batch = static_cast<std::int32_t>(best.estimate.batch);
    estimate.framework = &engine;
    estimate.units = work.samples * work.models;
    estimate.tokens = estimate.units * (generate.forward_only ? work.prompt_tokens : work.new_tokens);
    estimate.memory = best.estimate.memory;
    estimate.memory_total = best.memory;
    estimate.batch = best.estimate.batch * best.strategy.dp;
    if (given != nullptr) {
      // One model after the other on every replica, or each replica its own models.
      const int replicas = best.strategy.dp;
      const bool own = best.strategy.placement == Placement::kOneModelPerGpu;
      const double sharers = own ? std::max(1, replicas / work.models) : replicas;
      const double samples = work.samples * best.estimate.rounds / sharers;
      const double tokens = generate.forward_only ? work.prompt_tokens : work.new_tokens;
      const double replica_units = given_units(*given, gpus, replicas) / replicas;
      apply_given(*given, {samples, samples * tokens, 0}, replica_units, phase.overhead.share, estimate);
    }
    estimate.extra = stated_extras(phase, best.estimate.rounds, 0, estimate.work.p50);
    return estimate;
  }
  return std::nullopt;
}

}  // namespace gpuplan
