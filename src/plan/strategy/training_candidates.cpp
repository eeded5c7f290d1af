#include "plan/strategy/training_candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/whole.h"
#include "domain/facts/limits.h"
#include "model/generation/cuts.h"
#include "plan/strategy/practice.h"

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

/// Memory choices that keep something on the host, those that cost least first.
constexpr Offload kOffloads[] = {Offload::kOptimizer, Offload::kActivations, Offload::kOptimizerParams,
                                 Offload::kOptimizerActivations, Offload::kAll};

/// Plainest first.
constexpr Sharding kShardings[] = {Sharding::kNone, Sharding::kZero1, Sharding::kZero2, Sharding::kHsdp,
                                   Sharding::kZero3};

using Judgement = TrainingChoice::Judgement;
using Verdict = TrainingChoice::Verdict;

}  // namespace

TrainingCandidates::TrainingCandidates(const TrainingWork& work, const TrainPhase& phase, const NodeShape& node,
                                       int gpus, double batch, const std::vector<const Framework*>& frameworks,
                                       StartFrom start)
    : work_(work),
      phase_(phase),
      node_(node),
      gpu_(*node.gpu),
      gpus_(gpus),
      nodes_(node.machines_for(gpus)),
      frameworks_(frameworks),
      batch_(batch),
      start_(start) {
  set_micros();
  asks_ = asked_strategy(phase, gpu_.name, gpus) != Strategy{};
  offload_ = phase_.offload.on(gpu_.name, gpus_);
  recompute_ = phase_.recompute.on(gpu_.name, gpus_);
}

/// Micro-batches to try: the divisors of a fixed batch, powers of two for a free one.
void TrainingCandidates::set_micros() {
  const auto add = [&](int sequences) { micros_.push_back({sequences, micros_.size()}); };
  const auto micro = phase_.micro.on(gpu_.name, gpus_);
  if (micro) {
    add(*micro);
  } else if (batch_ > 0) {
    const int most = whole<int>(std::min(batch_, 65536.0));
    for (int m = 1; m <= most && m <= kLargestAutoMicro; ++m)
      if (most % m == 0) add(m);
  } else {
    for (int m = 1; m <= kLargestAutoMicro; m *= 2) add(m);
  }
}

int TrainingCandidates::experts() const {
  const ModelUse& use = *work_.models.front().use;
  return use.custom ? 0 : use.shape.experts;
}

int TrainingCandidates::most_context() const {
  int most = 1;
  while (most * 2 * kContextTokens <= work_.sequence / work_.rows && most * 2 <= gpus_) most *= 2;
  return most;
}

LayerTable::Most TrainingCandidates::most_degrees(bool cuts) const {
  const Parallel& fixed = phase_.parallel;
  return {fixed.tp.value_or(cuts ? std::min(gpus_, node_.gpus) : 1), fixed.cp.value_or(cuts ? most_context() : 1),
          fixed.ep.value_or(std::max(1, std::min(gpus_, experts())))};
}

/// Heads over tensor ranks, whole layers over stages; the last stage, which has the output matrix too, may hold
/// fewer.
bool TrainingCandidates::divides(int tp, int pp) const {
  for (const ModelWork& model : work_.models) {
    if (model.use->custom) {
      if (tp * pp > 1) return false;
      continue;
    }
    const ModelShape& shape = model.use->shape;
    const int each = (shape.layers + pp - 1) / pp;
    if (training_cut_problem(shape, tp) != CutProblem::kNone) return false;
    if (shape.layers < pp || shape.layers - each * (pp - 1) < 1) return false;
  }
  return true;
}

bool TrainingCandidates::runs(const Strategy& strategy, std::size_t framework) const {
  return can_run(*frameworks_[framework], phase_, start_, strategy);
}

/// Each framework is asked for what it can run: they differ in time, memory and care.
void TrainingCandidates::leave_to_others(const Strategy& s, std::size_t framework, Tally& tally) const {
  if (!asks_) return;
  tally.reject(Misfit::kUnsupported);
  if (tally.unsupported_reason.empty())
    tally.unsupported_reason = why_not_run(*frameworks_[framework], phase_, start_, s);
}

/// Sharding inside a machine only makes sense where there are several, and several ranks in each.
bool TrainingCandidates::hybrid(const Strategy& s) const {
  const int inner = s.tp * s.cp;
  return nodes_ > 1 && inner < node_.gpus && s.dp * inner > node_.gpus;
}

/// Pipeline stages to try after so many: powers of two and three times these, where the GPUs divide by three.
int TrainingCandidates::more_stages(int stages) const {
  if (gpus_ % 3 != 0) return stages * 2;
  return stages == 1 ? 2 : stages % 3 == 0 ? stages / 3 * 4 : stages / 2 * 3;
}

/// One walk over the candidates of a framework; what is fixed further out is handed further in.
class TrainingCandidates::Walker {
 public:
  Walker(const TrainingCandidates& all, const Walk& walk, StrategyJudge& judge, Tally& tally)
      : all_(all), walk_(walk), framework_(*all.frameworks_[walk.framework]), judge_(judge), tally_(tally) {}

  void each_cut() const {
    const Parallel& fixed = all_.phase_.parallel;
    const bool cut_tier = cuts_layers(walk_.tier);
    const bool cuts = cut_tier && !all_.work_.models.front().use->custom.has_value();
    const int most_tp = cuts && walk_.layers && framework_.tensor ? std::min(all_.gpus_, all_.node_.gpus) : 1;
    const int most_pp = cuts && walk_.layers && framework_.pipeline ? all_.gpus_ : 1;
    const int most_cp = cuts && framework_.context ? all_.most_context() : 1;
    for (int tp = fixed.tp.value_or(1); tp <= fixed.tp.value_or(most_tp); tp *= 2) {
      for (int pp = fixed.pp.value_or(1); pp <= fixed.pp.value_or(most_pp); pp = all_.more_stages(pp)) {
        if (static_cast<long>(tp) * pp > all_.gpus_) break;
        if (all_.gpus_ % (tp * pp) != 0 || !all_.divides(tp, pp)) {
          tally_.reject(Misfit::kUneven);
          continue;
        }
        for (int cp = fixed.cp.value_or(1); cp <= fixed.cp.value_or(most_cp); cp *= 2) {
          if (static_cast<long>(tp) * pp * cp > all_.gpus_ || all_.gpus_ % (tp * pp * cp) != 0) {
            tally_.reject(Misfit::kUneven);
            break;
          }
          const bool chosen = (tp > 1 && !fixed.tp) || (pp > 1 && !fixed.pp) || (cp > 1 && !fixed.cp);
          if (cut_tier && !chosen) continue;  // looked at before
          each_expert_cut(tp, pp, cp);
        }
      }
    }
  }

 private:
  /// What is known of a way to save memory, whatever the micro-batch, once it was asked.
  struct Known {
    bool full = false;        ///< memory ran out with a smaller micro-batch already
    bool short_told = false;  ///< that the host's is too small, whatever micro-batch, was counted
    /// Whether the framework runs it; by whether a micro-batch is more than one sequence, as limits are (limits.h).
    std::array<std::optional<bool>, 2> runs{};
  };
  /// By recomputation, sharding and offload, for one cut.
  class Ways {
   public:
    /// REQUIRES: the strategy has this cut.
    Known& operator[](const Strategy& s) {
      return known_[static_cast<std::size_t>(s.recompute)][static_cast<std::size_t>(s.sharding)]
                   [static_cast<std::size_t>(s.offload)];
    }

    template <class Find>
    unsigned shardings(Offload offload, const Find& find) {
      std::optional<unsigned>& places = shardings_[static_cast<std::size_t>(offload)];
      if (!places) places = find();
      return *places;
    }

    std::optional<bool>& short_of_host(const Strategy& s) {
      return short_[static_cast<std::size_t>(s.sharding)][static_cast<std::size_t>(s.offload)];
    }

   private:
    std::array<std::array<std::array<Known, 8>, 5>, 3> known_{};
    std::array<std::array<std::optional<bool>, 8>, 5> short_{};
    std::array<std::optional<unsigned>, 8> shardings_{};
  };

  /// What came of some candidates.
  struct Found {
    bool fits = false;
    bool runs = false;  ///< memory holds one of them
  };

  void each_expert_cut(int tp, int pp, int cp) const {
    const Parallel& fixed = all_.phase_.parallel;
    const int dp = all_.gpus_ / (tp * pp * cp);
    if (fixed.dp && *fixed.dp != dp) {
      tally_.reject(Misfit::kGiven);
      return;
    }
    const int most_ep = framework_.expert ? std::max(1, std::min(dp, all_.experts())) : 1;
    for (int ep = fixed.ep.value_or(1); ep <= fixed.ep.value_or(most_ep); ep *= 2) {
      if (dp % ep != 0 || (ep > 1 && all_.experts() % ep != 0)) {
        tally_.reject(Misfit::kUneven);
        break;
      }
      Strategy cut = walk_.start;
      cut.tp = tp;
      cut.pp = pp;
      cut.cp = cp;
      cut.ep = ep;
      cut.dp = dp;
      if (!cuts_layers(walk_.tier) || judge_.may_pay(cut)) each_batch(cut);
    }
  }

  void each_batch(Strategy cut) const {
    if (all_.batch_ > 0 && std::fmod(all_.batch_, cut.dp) != 0) {
      tally_.reject(Misfit::kUneven);
      return;
    }
    Ways ways;
    const auto accumulate = all_.phase_.accumulate.on(all_.gpu_.name, all_.gpus_);
    for (const Micro at : all_.micros_) {
      const int micro = at.sequences;
      double accumulation = accumulate.value_or(1);
      // A pipeline has to be filled.
      if (all_.batch_ <= 0 && !accumulate && cut.pp > 1) accumulation = filling(cut, micro);
      if (all_.batch_ > 0) {
        const double each = all_.batch_ / cut.dp;
        if (std::fmod(each, micro) != 0 || (accumulate && each / micro != *accumulate)) {
          tally_.reject(Misfit::kUneven);
          continue;
        }
        accumulation = each / micro;
      } else if (micro > 1 || accumulate) {
        const double sequences = static_cast<double>(micro) * cut.dp * accumulation;
        const bool asked = accumulate || all_.phase_.micro.on(all_.gpu_.name, all_.gpus_);
        const bool too_many = sequences > all_.work_.sequences_total || sequences > kMostSequences;
        if (asked && too_many) tally_.reject(Misfit::kUneven);
        if (too_many || (!asked && sequences * all_.work_.sequence > kLargestAutoTokens)) break;
      }
      if (static_cast<double>(micro) * cut.dp * accumulation > kMostSequences) {
        tally_.reject(Misfit::kUneven);
        break;
      }
      cut.micro_batch = micro;
      cut.grad_accum = whole<std::int32_t>(accumulation);
      if (!each_memory_choice(cut, at, ways).runs)
        return;  // nor would more sequences at once, or other frameworks do it
    }
  }

  /// Micro-batches in a pipeline when the job leaves the batch open: a whole number for each stage, as many as the
  /// tokens of a step allow; where data parallelism does, not more than in its steps, or the two could not be compared.
  int filling(const Strategy& cut, int micro) const {
    int each = kAutoFilling;
    while (each > 1) {
      const double sequences = static_cast<double>(micro) * cut.dp * cut.pp * each;
      const bool fair = !walk_.plain_batch || sequences <= *walk_.plain_batch;
      if (fair && sequences * all_.work_.sequence <= kLargestAutoTokens && sequences <= all_.work_.sequences_total)
        break;
      each /= 2;
    }
    return cut.pp * each;
  }

  Found each_memory_choice(const Strategy& strategy, Micro micro, Ways& ways) const {
    if (all_.offload_) return each_recomputation(strategy, micro, ways, *all_.offload_);
    if (!uses_host(walk_.tier)) return each_recomputation(strategy, micro, ways, Offload::kNone);
    const bool adapters = all_.work_.adapters;  // hardly any optimizer state
    Found found;
    Strategy on_host = strategy;
    for (const Offload offload : kOffloads) {
      if (adapters && offload == Offload::kOptimizer) continue;
      if (!all_.asks_ && !includes(framework_.offload, offload)) continue;
      on_host.offload = offload;
      if (!judge_.may_pay_on_host(on_host)) {
        found.runs = true;  // nobody knows; larger micro-batches take fewer steps
        continue;
      }
      const Found one = each_recomputation(strategy, micro, ways, offload);
      found = {one.fits, found.runs || one.runs};
      if (found.fits) break;
    }
    return found;
  }

  /// Recomputation only costs time: once a sharding fits, more of it is looked at for plainer ones alone, which did not
  /// fit. Over slow links full shards cost far more than recomputation with copies does.
  Found each_recomputation(Strategy strategy, Micro micro, Ways& ways, Offload offload) const {
    strategy.offload = offload;
    Found found;
    std::size_t plainest = std::size(kShardings);  // that fits, by its place
    for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      if (all_.recompute_ && recompute != *all_.recompute_) continue;
      if (!all_.asks_ && !recomputes(framework_, recompute)) continue;
      strategy.recompute = recompute;
      const Found one = each_sharding(strategy, micro, ways, plainest);
      found = {found.fits || one.fits, found.runs || one.runs};
      if (plainest == 0) break;
    }
    return found;
  }

  /// Those before the place `plainest`, which becomes that of the first that fits.
  Found each_sharding(Strategy strategy, Micro micro, Ways& ways, std::size_t& plainest) const {
    const auto& fixed = all_.phase_.parallel.sharding;
    constexpr std::size_t kFull = std::ranges::find(kShardings, Sharding::kHsdp) - std::begin(kShardings);
    std::size_t least = kFull;  // place of what fits, before full shards
    const unsigned shardings = ways.shardings(strategy.offload, [&] { return shardings_of(strategy); });
    Found found;
    for (std::size_t place = 0, end = plainest; place < end; ++place) {
      if ((shardings >> place & 1) == 0) continue;
      const Sharding sharding = kShardings[place];
      strategy.sharding = sharding;
      // Stage 1 only shares the optimizer's work; of full shards, those inside a machine and those over all, the faster
      // is taken.
      if (!fixed && least < kFull && sharding != Sharding::kNone && sharding != Sharding::kZero1) break;
      Known& known = ways[strategy];
      if (known.full) {  // a smaller micro-batch did not fit either
        tally_.reject(Misfit::kMemory);
        continue;
      }
      if (strategy.offload != Offload::kNone && short_of_host(strategy, ways)) {
        if (!std::exchange(known.short_told, true)) tally_.reject(Misfit::kHostMemory);
        continue;
      }
      if (!runs(strategy, known)) {
        all_.leave_to_others(strategy, walk_.framework, tally_);
        continue;
      }
      if (strategy.recompute == Recompute::kNone && too_big_anyway(strategy, micro, ways)) {
        known.full = true;
        continue;
      }
      const Judgement judgement = judge_.judge(strategy, micro);
      known.full = judgement.verdict == Verdict::kTooBig;
      found.runs = found.runs || !known.full;
      if (judgement.verdict != Verdict::kFits) continue;
      found.fits = true;
      least = std::min(least, place);
      plainest = std::min(plainest, fixed ? 0 : place);
      if (strategy.pp > 1) interleave(strategy, micro, judgement);
    }
    return found;
  }

  /// Which are to be looked at for a cut and what lies on the host: a bit for each place.
  unsigned shardings_of(const Strategy& strategy) const {
    const auto& fixed = all_.phase_.parallel.sharding;
    const bool asked = fixed && all_.offload_fixed();
    const bool alone = strategy.dp * strategy.cp == 1;
    // Of weights in 4 bit, FSDP moves shards; bitsandbytes alone keeps them on the GPU (huggingface/peft
    // docs/source/accelerate/fsdp.md and deepspeed.md).
    const bool stay = alone && all_.work_.quantised_base;
    unsigned places = 0;
    for (std::size_t place = 0; place < std::size(kShardings); ++place) {
      const Sharding sharding = kShardings[place];
      if (fixed && sharding != *fixed) continue;
      if (!fixed && sharding != Sharding::kNone && alone) continue;
      if (!fixed && sharding == Sharding::kHsdp && !all_.hybrid(strategy)) continue;
      if (!all_.asks_ && !framework_.zero[static_cast<std::size_t>(sharding)]) continue;
      // Parameters leave for the host a layer at a time, as shards are gathered.
      const bool whole = sharding != Sharding::kZero3 && sharding != Sharding::kHsdp;
      if (!asked && ((whole && !alone) || stay) && includes(strategy.offload, Offload::kParams)) continue;
      places |= 1U << place;
    }
    return places;
  }

  bool short_of_host(const Strategy& strategy, Ways& ways) const {
    std::optional<bool>& known = ways.short_of_host(strategy);
    if (!known) known = judge_.short_of_host(strategy);
    return known.value_or(false);
  }

  /// REQUIRES: `known` is the strategy's; its stages are not interleaved.
  bool runs(const Strategy& strategy, Known& known) const {
    std::optional<bool>& runs = known.runs[strategy.micro_batch > 1 ? 1 : 0];
    if (!runs) runs = all_.runs(strategy, walk_.framework);
    return *runs;
  }

  /// What is too big with all recomputed is so with less: most of what is looked at needs one look instead of three.
  bool too_big_anyway(Strategy strategy, Micro micro, Ways& ways) const {
    strategy.recompute = Recompute::kFull;
    if (all_.recompute_ || !runs(strategy, ways[strategy]) || !judge_.too_big(strategy, micro)) return false;
    for (const Recompute recompute : {Recompute::kSelective, Recompute::kFull}) {
      strategy.recompute = recompute;
      if (runs(strategy, ways[strategy])) ways[strategy].full = true;
    }
    return true;
  }

  /// Several stages on a rank: less bubble for more traffic and memory.
  void interleave(Strategy strategy, Micro micro, Judgement before) const {
    const int layers = whole<int>(all_.work_.layers);
    const int each = (layers + strategy.pp - 1) / strategy.pp;
    // The embedding and the output may stand in for a layer each; Megatron's schedule wants whole rounds.
    if (each * strategy.pp - layers > 2 || strategy.grad_accum % strategy.pp != 0) return;
    for (int stages = 2; stages <= each && before.bubble > kSmallBubble; ++stages) {
      if (each % stages != 0) continue;
      strategy.interleave = stages;
      if (!all_.runs(strategy, walk_.framework)) return all_.leave_to_others(strategy, walk_.framework, tally_);
      const Judgement judgement = judge_.judge(strategy, micro);
      if (judgement.verdict != Verdict::kFits || judgement.time >= before.time) return;
      before = judgement;
    }
  }

  const TrainingCandidates& all_;
  const Walk& walk_;
  const Framework& framework_;
  StrategyJudge& judge_;
  Tally& tally_;
};

void TrainingCandidates::each(const Walk& walk, StrategyJudge& judge, Tally& tally) const {
  Walker(*this, walk, judge, tally).each_cut();
}

}  // namespace gpuplan
