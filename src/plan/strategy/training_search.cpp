// Strategies for a training phase: framework x tensor x pipeline x context x expert cut, then micro-batch,
// recomputation, sharding and offload. Nothing is allocated inside the loops.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "base/whole.h"
#include "model/training/training.h"
#include "plan/strategy/given.h"
#include "plan/strategy/layer_table.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/software.h"
#include "plan/strategy/training_choice.h"

namespace gpuplan {

namespace {

/// More sequences a step than this, or more tokens, no recipe uses: the limit of `batch: auto`.
constexpr int kLargestAutoMicro = 4096;
constexpr double kLargestAutoTokens = 4e6;  // tokens a step; GPT-3 (Brown et al. 2020) and Llama 2 trained with 3-4 M

/// Sequences of a step that can be counted: what the degrees of a strategy multiply to stays an int.
constexpr double kMostSequences = 1e9;

/// Context parallelism is for sequences of at least this many tokens on each rank: below, keys and values travel longer
/// than attention takes to hide it, and recipes leave it out (NVIDIA NeMo starts at 8192 tokens over two ranks).
constexpr double kContextTokens = 4096;

/// A bubble below this share of the step is not worth another schedule.
constexpr double kSmallBubble = 0.01;

/// Micro-batches in a pipeline for each of its stages where the job leaves the batch open: from here on the bubble is
/// an eighth of the step.
constexpr int kAutoFilling = 8;

/// What is looked at, in the order in which a person would: a later rung only where those before leave something to be
/// wished for.
enum class Rung { kData, kCuts, kOffload };

/// Memory choices that keep something on the host, those that cost least first.
constexpr Offload kOffloads[] = {Offload::kOptimizer, Offload::kActivations, Offload::kOptimizerParams,
                                 Offload::kOptimizerActivations, Offload::kAll};

/// Memory that a GPU might have instead. A cut that is forced on a much smaller card, which nobody compares with this
/// one, would be the pick on the largest too, and no recipe would be left: cuts are looked for on the same chip alone.
enum class Sizes { kOfThisChip, kAll };

using Verdict = TrainingChoice::Verdict;

class TrainingSearch {
 public:
  TrainingSearch(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines, int gpus,
                 const Given* memory_given, Tally& tally)
      : work_(*workload.training),
        phase_(std::get<TrainPhase>(workload.phase->work)),
        catalogue_(catalogue),
        machines_(machines),
        gpu_(*machines.node.gpu),
        gpus_(gpus),
        nodes_(machines.node.machines_for(gpus)),
        tally_(&tally),
        choice_(workload, catalogue.practice_constants, machines, gpus, memory_given, tally) {}

  BestTraining run() {
    read_batch();
    if (micros_.empty()) {
      tally_->reject(Misfit::kUneven);
      return choice_.best();
    }
    Software software = training_software(catalogue_, phase_, gpu_, gpus_, nodes_);
    if (software.frameworks.empty()) {
      tally_->reject(software.why);
      if (tally_->unsupported_reason.empty()) tally_->unsupported_reason = std::move(software.reason);
      return choice_.best();
    }
    prepare(software);
    look({Rung::kData, Rung::kCuts});
    const bool without = choice_.fits();
    if (!without && !offload_fixed()) look({Rung::kOffload});
    BestTraining best = choice_.best();
    if (!best.any || !best.fits) return best;
    // More memory is never slower: what would be chosen on such GPUs with less of it is as good here.
    if (!without && !offload_fixed()) {
      take_from_smaller(best.need, Sizes::kAll, {Rung::kOffload}, best);
    } else {
      take_from_smaller(best.need, Sizes::kOfThisChip, {Rung::kData, Rung::kCuts}, best);
      if (!offload_fixed()) take_from_smaller(least_without(), Sizes::kAll, {Rung::kOffload}, best);
    }
    return best;
  }

 private:
  /// A framework to choose from, with what its layers cost: worked out once, however often it is looked at.
  struct Tool {
    const Framework* framework;
    TrainingRates rates;
    bool usual;  ///< people would take it
    std::optional<LayerTable> plain, cut;

    LayerTable& table(const TrainingWork& work, std::size_t micros, bool cuts, LayerTable::Most most) {
      std::optional<LayerTable>& table = cuts ? cut : plain;
      if (!table) table.emplace(work, micros, most).use(rates);
      return *table;
    }
  };

  void prepare(const Software& software) {
    others_ = software.frameworks;
    base_.precision = software.precision;
    base_.compile = software.compile;
    base_.attention = phase_.attention.value_or(AttentionKernel::kFlash);
    tools_.reserve(others_.size());  // tables point at rates
    for (const Framework* framework : others_) {
      tools_.push_back(
          {framework,
           training_rates(catalogue_, machines_.node, *framework, software.precision, software.compile, work_),
           usual(*framework, *others_.front(), work_.moe),
           {},
           {}});
    }
  }

  /// Considers all ways on these rungs.
  void look(std::initializer_list<Rung> rungs) {
    for (const Rung rung : rungs) {
      rung_ = rung;
      plain_batch_.reset();
      if (rung == Rung::kCuts && choice_.fits()) plain_batch_ = choice_.best().batch;
      for (std::size_t place = 0; place < tools_.size(); ++place) {
        Tool& tool = tools_[place];
        place_ = place;
        tool_ = &tool;
        if (rung == Rung::kCuts && !cuts_may_pay()) continue;
        choice_.use(tool.rates, tool.usual);
        base_.framework = whole<std::int16_t>(tool.framework - catalogue_.frameworks.data());
        const bool cuts = rung != Rung::kData;
        for_each_cut(*tool.framework, tool.table(work_, micros_.size(), cuts, most_degrees(cuts)));
      }
    }
  }

  /// Goes down from `usable` memory through the sizes that GPUs have, from each way that would be chosen to the next
  /// that would be where that one no longer fits, and takes the fastest. Further down all take longer, care considered:
  /// once that is more than care can make up for, none is faster.
  void take_from_smaller(Bytes usable, Sizes which, std::initializer_list<Rung> rungs, BestTraining& best) {
    const PracticeConstants& practice = catalogue_.practice_constants;
    const double most = most_care(practice, gpus_) * weight_of_points(practice, kMostPoints);
    tally_ = &uncounted_;
    std::vector<Bytes> sizes;
    for (const Gpu& gpu : catalogue_.gpus)
      if (gpu.usable <= usable && (which == Sizes::kAll || same_chip(gpu))) sizes.push_back(gpu.usable);
    std::ranges::sort(sizes, std::greater<>{});
    for (const Bytes size : sizes) {
      if (size > usable) continue;
      choice_.start(size);
      look(rungs);
      if (!choice_.fits() || choice_.best().weighed >= best.time * most) return;
      const BestTraining& next = choice_.best();
      usable = std::min(next.need, size * (1 - 1e-9));
      if (next.time < best.time) best = next;
    }
  }

  /// Sold with one memory and another.
  bool same_chip(const Gpu& other) const {
    return other.architecture == gpu_.architecture && other.sms == gpu_.sms && other.link_kind == gpu_.link_kind;
  }

  /// Usable memory of a GPU up to which nothing fits without the host's.
  Bytes least_without() {
    tally_ = &uncounted_;
    choice_.start(Bytes{});
    look({Rung::kData, Rung::kCuts});
    return choice_.least_need();
  }

  /// Micro-batches to try: the divisors of a fixed batch, powers of two for a free one.
  void read_batch() {
    micros_.clear();
    batch_ = work_.batch;
    if (const auto by_gpu = phase_.batch_by_gpu.on(gpu_.name, gpus_)) batch_ = *by_gpu;
    const auto micro = phase_.micro.on(gpu_.name, gpus_);
    if (micro) {
      micros_.push_back(*micro);
    } else if (batch_ > 0) {
      const int most = whole<int>(std::min(batch_, 65536.0));
      for (int m = 1; m <= most && m <= kLargestAutoMicro; ++m)
        if (most % m == 0) micros_.push_back(m);
    } else {
      for (int m = 1; m <= kLargestAutoMicro; m *= 2) micros_.push_back(m);
    }
  }

  int experts() const {
    const ModelUse& use = *work_.models.front().use;
    return use.custom ? 0 : use.shape.experts;
  }

  /// Cutting layers or sequences can spare recomputation, traffic and too small micro-batches, never the work itself:
  /// when what is left of it under this framework, and the care that a cut takes, come to more than the way found so
  /// far, no cut would be chosen. An estimate, so that the search need not look at thousands of them.
  bool cuts_may_pay() const {
    if (!choice_.fits()) return true;
    const BestTraining& best = choice_.best();
    Strategy tensor, pipeline, context;
    tensor.dp = pipeline.dp = context.dp = (gpus_ + 1) / 2;
    tensor.tp = pipeline.pp = context.cp = 2;
    const NodeShape& node = machines_.node;
    const PracticeConstants& practice = catalogue_.practice_constants;
    double least = std::min(care(practice, tensor, node, tool_->usual), care(practice, pipeline, node, tool_->usual));
    if (most_context() > 1) least = std::min(least, care(practice, context, node, tool_->usual));
    Seconds a_sequence{1e300};
    for (const int micro : {best.strategy.micro_batch, 4 * best.strategy.micro_batch}) {
      const LayerCost layer =
          layer_cost(work_, tool_->rates, {1, 1, 1, micro, Recompute::kNone, best.strategy.attention});
      const Seconds gpu = layer.matmul + layer.attention + layer.elementwise + layer.dequantise;
      const Seconds all = overlapped(gpu, layer.launch) + overlapped(layer.head, layer.head_launch);
      a_sequence = std::min(a_sequence, all / micro);
    }
    const Seconds work = a_sequence * (work_.sequences_total / gpus_);
    const Seconds rest = (best.estimate.step.optimizer + tool_->rates.launch_per_step) * best.steps;
    return (work + rest) * least < best.weighed;
  }

  bool offload_fixed() const { return phase_.offload.on(gpu_.name, gpus_).has_value(); }

  int most_context() const {
    int most = 1;
    while (most * 2 * kContextTokens <= work_.sequence && most * 2 <= gpus_) most *= 2;
    return most;
  }

  LayerTable::Most most_degrees(bool cuts) const {
    const Parallel& fixed = phase_.parallel;
    return {fixed.tp.value_or(cuts ? std::min(gpus_, machines_.node.gpus) : 1),
            fixed.cp.value_or(cuts ? most_context() : 1), fixed.ep.value_or(std::max(1, std::min(gpus_, experts())))};
  }

  void for_each_cut(const Framework& framework, LayerTable& table) {
    const Parallel& fixed = phase_.parallel;
    const bool cuts = rung_ != Rung::kData && !work_.models.front().use->custom.has_value();
    const int most_tp = cuts && framework.tensor ? std::min(gpus_, machines_.node.gpus) : 1;
    const int most_pp = cuts && framework.pipeline ? gpus_ : 1;
    const int most_cp = cuts && framework.context ? most_context() : 1;
    for (int tp = fixed.tp.value_or(1); tp <= fixed.tp.value_or(most_tp); tp *= 2) {
      for (int pp = fixed.pp.value_or(1); pp <= fixed.pp.value_or(most_pp); pp *= 2) {
        if (static_cast<long>(tp) * pp > gpus_) break;
        if (gpus_ % (tp * pp) != 0 || !divides(tp, pp)) {
          tally_->reject(Misfit::kUneven);
          continue;
        }
        for (int cp = fixed.cp.value_or(1); cp <= fixed.cp.value_or(most_cp); cp *= 2) {
          if (static_cast<long>(tp) * pp * cp > gpus_ || gpus_ % (tp * pp * cp) != 0) {
            tally_->reject(Misfit::kUneven);
            break;
          }
          const bool chosen = (tp > 1 && !fixed.tp) || (pp > 1 && !fixed.pp) || (cp > 1 && !fixed.cp);
          if (rung_ == Rung::kCuts && !chosen) continue;  // looked at before
          for_each_expert_cut(framework, table, tp, pp, cp);
        }
      }
    }
  }

  void for_each_expert_cut(const Framework& framework, LayerTable& table, int tp, int pp, int cp) {
    const Parallel& fixed = phase_.parallel;
    const int dp = gpus_ / (tp * pp * cp);
    if (fixed.dp && *fixed.dp != dp) {
      tally_->reject(Misfit::kGiven);
      return;
    }
    const int most_ep = framework.expert ? std::max(1, std::min(dp, experts())) : 1;
    for (int ep = fixed.ep.value_or(1); ep <= fixed.ep.value_or(most_ep); ep *= 2) {
      if (dp % ep != 0 || (ep > 1 && experts() % ep != 0)) {
        tally_->reject(Misfit::kUneven);
        break;
      }
      base_.tp = tp;
      base_.pp = pp;
      base_.cp = cp;
      base_.ep = ep;
      base_.dp = dp;
      for_each_batch(table);
    }
  }

  /// Heads over tensor ranks, whole layers over stages; the last stage, which has the output matrix too, may hold
  /// fewer.
  bool divides(int tp, int pp) const {
    for (const ModelWork& model : work_.models) {
      if (model.use->custom) {
        if (tp * pp > 1) return false;
        continue;
      }
      const ModelShape& shape = model.use->shape;
      const int each = (shape.layers + pp - 1) / pp;
      if (shape.heads % tp != 0 || (shape.ffn > 0 && shape.ffn % tp != 0)) return false;
      if (shape.layers < pp || shape.layers - each * (pp - 1) < 1) return false;
    }
    return true;
  }

  void for_each_batch(LayerTable& table) {
    if (batch_ > 0 && std::fmod(batch_, base_.dp) != 0) {
      tally_->reject(Misfit::kUneven);
      return;
    }
    FullUp full_up{};
    const auto accumulate = phase_.accumulate.on(gpu_.name, gpus_);
    for (std::size_t m = 0; m < micros_.size(); ++m) {
      const int micro = micros_[m];
      double accumulation = accumulate.value_or(1);
      // A pipeline has to be filled.
      if (batch_ <= 0 && !accumulate && base_.pp > 1) accumulation = filling(micro);
      if (batch_ > 0) {
        const double each = batch_ / base_.dp;
        if (std::fmod(each, micro) != 0 || (accumulate && each / micro != *accumulate)) {
          tally_->reject(Misfit::kUneven);
          continue;
        }
        accumulation = each / micro;
      } else if (micro > 1 || accumulate) {
        const double sequences = static_cast<double>(micro) * base_.dp * accumulation;
        const bool asked = accumulate || phase_.micro.on(gpu_.name, gpus_);
        const bool too_many = sequences > work_.sequences_total || sequences > kMostSequences;
        if (asked && too_many) tally_->reject(Misfit::kUneven);
        if (too_many || (!asked && sequences * work_.sequence > kLargestAutoTokens)) break;
      }
      if (static_cast<double>(micro) * base_.dp * accumulation > kMostSequences) {
        tally_->reject(Misfit::kUneven);
        break;
      }
      base_.micro_batch = micro;
      base_.grad_accum = whole<std::int32_t>(accumulation);
      runs_ = false;
      for_each_memory_choice(table, m, full_up);
      if (!runs_) return;  // nor would more sequences at once, or other frameworks do it
    }
  }

  /// Micro-batches in a pipeline when the job leaves the batch open: a whole number for each stage, as many as the
  /// tokens of a step allow; where data parallelism does, not more than in its steps, or the two could not be compared.
  int filling(int micro) const {
    int each = kAutoFilling;
    while (each > 1) {
      const double sequences = static_cast<double>(micro) * base_.dp * base_.pp * each;
      const bool fair = !plain_batch_ || sequences <= *plain_batch_;
      if (fair && sequences * work_.sequence <= kLargestAutoTokens && sequences <= work_.sequences_total) break;
      each /= 2;
    }
    return base_.pp * each;
  }

  /// Another framework is asked for it: the first that can run it. What nobody can is left out, unless the job fixes
  /// it: then the first that can do all the rest has it.
  bool left_to_others(const Strategy& s) const {
    for (std::size_t i = 0; i < others_.size(); ++i)
      if (can_run(*others_[i], s)) return i != place_;
    const Strategy rest = without_fixed(s);
    if (rest == s) return true;
    for (std::size_t i = 0; i < others_.size(); ++i)
      if (can_run(*others_[i], rest)) return i != place_;
    return true;
  }

  /// The strategy without what the job asks for.
  Strategy without_fixed(Strategy s) const {
    const Parallel& fixed = phase_.parallel;
    if (fixed.tp) s.tp = 1;
    if (fixed.pp) s.pp = 1;
    if (fixed.cp) s.cp = 1;
    if (fixed.ep) s.ep = 1;
    if (fixed.sharding) s.sharding = Sharding::kNone;
    if (phase_.recompute.on(gpu_.name, gpus_)) s.recompute = Recompute::kNone;
    if (offload_fixed()) s.offload = Offload::kNone;
    return s;
  }

  /// By recomputation, sharding and offload: memory ran out with a smaller micro-batch already.
  using FullUp = std::array<std::array<std::array<bool, 8>, 5>, 3>;

  void for_each_memory_choice(LayerTable& table, std::size_t micro, FullUp& full_up) {
    if (const auto fixed = phase_.offload.on(gpu_.name, gpus_)) {
      for_each_recomputation(table, micro, full_up, *fixed);
    } else if (rung_ != Rung::kOffload) {
      for_each_recomputation(table, micro, full_up, Offload::kNone);
    } else {
      const bool adapters = work_.adapters;  // hardly any optimizer state
      for (const Offload offload : kOffloads)
        if (!(adapters && offload == Offload::kOptimizer) && for_each_recomputation(table, micro, full_up, offload))
          return;
    }
  }

  /// Recomputation and sharding only cost time: once the plainer choice fits, the next is not looked at. True when a
  /// candidate fits.
  bool for_each_recomputation(LayerTable& table, std::size_t micro, FullUp& full_up, Offload offload) {
    const auto fixed = phase_.recompute.on(gpu_.name, gpus_);
    for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      if (fixed && recompute != *fixed) continue;
      Strategy strategy = base_;
      strategy.offload = offload;
      strategy.recompute = recompute;
      if (for_each_sharding(table, micro, full_up, strategy)) return true;
    }
    return false;
  }

  /// Sharding inside a machine only makes sense where there are several, and several ranks in each.
  bool hybrid(const Strategy& s) const {
    const int inner = s.tp * s.cp;
    return nodes_ > 1 && inner < machines_.node.gpus && s.dp * inner > machines_.node.gpus;
  }

  bool for_each_sharding(LayerTable& table, std::size_t micro, FullUp& full_up, Strategy strategy) {
    const auto& fixed = phase_.parallel.sharding;
    const LayerCost* layer = nullptr;
    bool fits = false;
    for (const Sharding sharding :
         {Sharding::kNone, Sharding::kZero1, Sharding::kZero2, Sharding::kHsdp, Sharding::kZero3}) {
      if (fixed && sharding != *fixed) continue;
      strategy.sharding = sharding;
      if (!fixed && sharding != Sharding::kNone && strategy.dp * strategy.cp == 1) continue;
      if (!fixed && sharding == Sharding::kHsdp && !hybrid(strategy)) continue;
      // Parameters leave for the host a layer at a time, as shards are gathered.
      const bool whole = sharding != Sharding::kZero3 && sharding != Sharding::kHsdp;
      const bool asked = fixed && offload_fixed();
      if (!asked && whole && strategy.dp * strategy.cp > 1 && includes(strategy.offload, Offload::kParams)) continue;
      // Stage 1 only shares the optimizer's work; of full shards, those inside a machine and those over all, the faster
      // is taken.
      if (!fixed && fits && (sharding == Sharding::kZero2 || sharding == Sharding::kHsdp)) break;
      if (left_to_others(strategy)) continue;
      bool& full = full_up[static_cast<std::size_t>(strategy.recompute)][static_cast<std::size_t>(sharding)]
                          [static_cast<std::size_t>(strategy.offload)];
      if (full) {  // a smaller micro-batch did not fit either
        tally_->reject(Misfit::kMemory);
        continue;
      }
      if (layer == nullptr) {
        const LayerCut cut{strategy.tp,          strategy.cp,        strategy.ep,
                           strategy.micro_batch, strategy.recompute, strategy.attention};
        layer = &table.at(cut, micro);
      }
      const Verdict verdict = choice_.consider(strategy, *layer);
      full = verdict == Verdict::kTooBig;
      runs_ = runs_ || !full;
      if (verdict == Verdict::kFits && strategy.pp > 1) interleave(strategy, *layer);
      fits = fits || verdict == Verdict::kFits;
    }
    return fits;
  }

  /// Several stages on a rank: less bubble for more traffic and memory.
  void interleave(Strategy strategy, const LayerCost& layer) {
    const int layers = whole<int>(work_.layers);
    const int each = (layers + strategy.pp - 1) / strategy.pp;
    // The embedding and the output may stand in for a layer each; Megatron's schedule wants whole rounds.
    if (each * strategy.pp - layers > 2 || strategy.grad_accum % strategy.pp != 0) return;
    Seconds before = choice_.last_time();
    for (int stages = 2; stages <= each && choice_.last_bubble() > kSmallBubble; ++stages) {
      if (each % stages != 0) continue;
      strategy.interleave = stages;
      if (left_to_others(strategy) || choice_.consider(strategy, layer) != Verdict::kFits ||
          choice_.last_time() >= before)
        return;
      before = choice_.last_time();
    }
  }

  const TrainingWork& work_;
  const TrainPhase& phase_;
  const Catalogue& catalogue_;
  const Machines& machines_;
  const Gpu& gpu_;
  int gpus_, nodes_;
  Tally* tally_;
  Tally uncounted_;  ///< of what is tried beside
  TrainingChoice choice_;
  double batch_ = 0;
  std::vector<int> micros_;
  std::vector<const Framework*> others_;  ///< frameworks to choose from, best first
  std::vector<Tool> tools_;               ///< the same
  Tool* tool_ = nullptr;                  ///< the one at hand
  std::size_t place_ = 0;                 ///< its place
  Rung rung_ = Rung::kData;
  bool runs_ = false;                  ///< with this micro-batch, in some way
  std::optional<double> plain_batch_;  ///< sequences a step of the best way without cuts
  Strategy base_;
};

/// The model that comes out: networks that learn as they are published, or what learnt beside frozen ones.
Bytes learnt(const TrainingWork& work, double weight_bytes) {
  if (work.phase->method != Method::kFull) return Bytes{work.trainable * weight_bytes};
  double bytes = 0;
  for (const ModelUse& use : work.phase->models)
    if (!use.frozen) bytes += use.params() * (use.custom ? weight_bytes : bytes_of(use.shape.native));
  return Bytes{bytes};
}

}  // namespace

std::optional<PhaseEstimate> best_training(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  // Fewer GPUs than there are only when all of them can not be used (a batch of 4 on 8 GPUs).
  for (int gpus = machines.gpus; gpus >= 1; gpus = machines.exact ? 0 : gpus / 2) {
    const Given* given = ignore_given ? nullptr : given_for(phase, machines.node.gpu->name, gpus, gpus);
    const Given* memory = given != nullptr && given->memory ? given : nullptr;
    const BestTraining best = TrainingSearch(workload, catalogue, machines, gpus, memory, tally).run();
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
    estimate.mean_tokens = work.mean_tokens;
    estimate.sequence = static_cast<int>(std::ceil(work.sequence));
    if (given != nullptr)
      apply_given(*given, {work.samples_total, estimate.tokens, best.steps}, given_units(*given, gpus, gpus),
                  phase.overhead.share, estimate);
    const double saved = best.rates.weight_bytes + best.rates.master_bytes + best.rates.state_bytes;
    estimate.checkpoint_bytes = Bytes{work.trainable * saved};
    estimate.results_bytes = learnt(work, best.rates.weight_bytes);
    add_terms(workload, catalogue, estimate);
    return estimate;
  }
  return std::nullopt;
}

}  // namespace gpuplan
