#include "plan/strategy/generation/generation_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/sorting.h"
#include "base/whole.h"
#include "model/generation/cuts.h"
#include "model/generation/generation.h"
#include "model/generation/step.h"
#include "model/training/host_memory.h"
#include "model/training/training.h"
#include "plan/strategy/given.h"
#include "plan/strategy/practice.h"

namespace gpuplan {

namespace {

/// Of a machine's memory, for activations; the rest is for processes and the system.
constexpr double kHostShare = 0.9;

/// Sequences that fill the lowest tiles of large products (model/generation/serving_kernels.h), and how many of their
/// multiples are tried.
constexpr int kTileRows = 64, kTileTries = 4;

bool elaborate(const Strategy& strategy) { return strategy.pp > 1 || strategy.ep > 1; }

class GenerationSearch {
 public:
  GenerationSearch(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines,
                   const Given* given, Tally& tally)
      : workload_(workload),
        catalogue_(catalogue),
        work_(*workload.generation),
        phase_(std::get<GeneratePhase>(workload.phase->work)),
        machines_(machines),
        gpu_(*machines.node.gpu),
        given_(given),
        trial_(workload, given),
        tally_(tally) {}

  GenerationCandidate run(int gpus, const GenerationRates& rates, const Framework& engine) {
    found_.clear();
    standings_.clear();
    too_heavy_.reset();
    lay_out_smaller(rates);
    consider_all(gpus, rates, engine);
    if (found_.empty() && too_heavy_) report(rates, *too_heavy_);
    return choose(rates);
  }

 private:
  void consider_all(int gpus, const GenerationRates& rates, const Framework& engine) {
    const Parallel& fixed = phase_.parallel;
    const int most_tp = engine.tensor ? std::min(gpus, machines_.node.gpus) : 1;
    const auto each_tp = [&](auto cut) {
      for (int tp = fixed.tp.value_or(1); tp <= fixed.tp.value_or(most_tp); ++tp)
        if (fixed.tp || gpus % tp == 0) cut(tp);
    };
    if (!fixed.pp || *fixed.pp == 1) each_tp([&](int tp) { consider_cut(gpus, rates, engine, tp, 1); });
    if (!splits_layers(gpus, engine)) return;
    each_tp([&](int tp) {
      for (int pp = fixed.pp.value_or(2); pp <= fixed.pp.value_or(gpus / tp); ++pp)
        if (fixed.pp || gpus % (tp * pp) == 0) consider_cut(gpus, rates, engine, tp, pp);
    });
  }

  bool splits_layers(int gpus, const Framework& engine) const {
    return engine.pipeline && gpus > 1 && phase_.parallel.pp.value_or(2) > 1;
  }

  /// Layers are split where nothing else holds the model, and where tensor-parallel traffic has only a slow way while
  /// several requests keep all stages busy: one request gains nothing by it.
  bool splitting_pays(const GenerationRates& rates, const Strategy& strategy) const {
    if (phase_.parallel.pp) return true;
    const bool slow = strategy.gpus() > machines_.node.gpus || !fast_links(machines_.node);
    return slow && rates.profile->pipelines && phase_.situation != Situation::kSingle && !phase_.forward_only;
  }

  bool divides(int tp, int pp) const {
    return std::ranges::all_of(phase_.models, [&](const ModelUse& model) {
      return tensor_problem(model.shape, tp) == CutProblem::kNone && pp <= model.shape.layers;
    });
  }

  /// A rate stated for one replica says nothing of larger ones: replicas have the stated size, or, where none is
  /// stated, the smallest that surely holds the model.
  bool contradicts_given(int replica, int gpus) const {
    if (given_ == nullptr || given_->time || phase_.parallel.tp) return false;
    if (given_->gpus == 0)
      return std::ranges::any_of(found_, [&](const GenerationCandidate& smaller) {
        return smaller.fits && replica > smaller.strategy.tp * smaller.strategy.pp;
      });
    return given_->gpus < gpus && replica != given_->gpus;
  }

  void consider_cut(int gpus, const GenerationRates& rates, const Framework& engine, int tp, int pp) {
    if (tp * pp > gpus) return;
    if (gpus % (tp * pp) != 0 || !divides(tp, pp)) return tally_.reject(Misfit::kUneven);
    if (!machines_.joined && tp * pp > machines_.node.gpus) return tally_.reject(Misfit::kNetwork);
    const int dp = gpus / (tp * pp);
    if ((phase_.parallel.dp && *phase_.parallel.dp != dp) || contradicts_given(tp * pp, gpus) || idle(dp))
      return tally_.reject(Misfit::kGiven);
    Strategy strategy;
    strategy.dp = dp;
    strategy.tp = tp;
    strategy.pp = pp;
    strategy.weights = rates.weights;
    strategy.framework = whole<std::int16_t>(&engine - catalogue_.frameworks.data());
    strategy.micro_batch = in_flight(dp);
    for (const int ep : expert_groups(engine, strategy)) {
      strategy.ep = ep;
      for_each_placement(rates, strategy);
    }
  }

  /// How many replicas may share one set of experts: 1, those in one machine, and all. The job fixes GPUs, of which a
  /// replica has tp.
  std::vector<int> expert_groups(const Framework& engine, const Strategy& cut) {
    const auto shared = [&](int replicas) {
      return cut.dp % replicas == 0 && std::ranges::all_of(phase_.models, [&](const ModelUse& model) {
               return experts_divide(model.shape, replicas * cut.tp);
             });
    };
    if (const auto& fixed = phase_.parallel.ep; fixed && *fixed > 1) {
      if (*fixed == cut.tp) return {1};  // whole experts on each GPU of a replica instead of slices: as much memory
      if (!machines_.joined && *fixed > machines_.node.gpus) {
        tally_.reject(Misfit::kNetwork);
        return {};
      }
      if (*fixed % cut.tp == 0 && cut.pp == 1 && shared(*fixed / cut.tp)) return {*fixed / cut.tp};
      tally_.reject(Misfit::kUneven);
      return {};
    }
    std::vector<int> groups = {1};
    if (phase_.parallel.ep || !engine.expert || cut.dp == 1 || cut.pp > 1) return groups;
    const int near = std::min(cut.dp, machines_.node.gpus / cut.tp);
    if (near > 1 && shared(near)) groups.push_back(near);
    if (cut.dp > near && machines_.joined && shared(cut.dp)) groups.push_back(cut.dp);
    return groups;
  }

  void for_each_placement(const GenerationRates& rates, Strategy strategy) {
    for (const Placement placement : {Placement::kInTurn, Placement::kOneModelPerGpu}) {
      if (phase_.place ? placement != *phase_.place : placement == Placement::kOneModelPerGpu && work_.models == 1)
        continue;
      if (placement == Placement::kOneModelPerGpu && strategy.ep > 1) continue;
      strategy.placement = placement;
      consider(rates, strategy);
    }
  }

  bool shares_requests() const { return phase_.situation == Situation::kConcurrency && phase_.concurrency; }

  /// Some of so many replicas would have nothing to do.
  bool idle(int dp) const { return shares_requests() && dp > *phase_.concurrency; }

  /// Sequences in flight in the fullest replica; 0: as many as memory holds.
  int in_flight(int dp) const {
    const auto batch = phase_.batch.on(gpu_.name, machines_.gpus);
    if (shares_requests()) {
      const int share = clamped<int>(std::max(1.0, std::ceil(*phase_.concurrency / dp)));
      return batch ? std::min(*batch, share) : share;
    }
    if (batch) return *batch;
    return phase_.situation == Situation::kSingle ? 1 : 0;
  }

  /// Activations that the host's memory keeps have to fit there; where nobody states it, in what machines with such
  /// GPUs commonly have.
  bool host_too_small(const GenerationRates& rates, const GenerationCandidate& found) {
    if (!phase_.store) return false;
    const NodeShape& node = machines_.node;
    const Bytes ram = node.ram > Bytes{} ? node.ram : unstated_host_memory(catalogue_.training_constants, node);
    const Bytes kept = collection_use(work_, rates, found.strategy, found.estimate).host, room = ram * kHostShare;
    tally_.same_for.usual_counts = true;
    tally_.same_for.ram.asked(kept / kHostShare, ram);
    if (kept <= room) return false;
    if (found.any) tally_.host_miss({workload_.index, kept, room, HostUse::kKept});
    return true;
  }

  /// What a strategy whose weights alone are too much needs in all.
  void report(const GenerationRates& rates, Strategy strategy) {
    const int wanted = strategy.micro_batch;
    if (wanted == 0) strategy.micro_batch = 1;
    const MemoryUse memory = generation_memory(work_, rates, strategy);
    strategy.micro_batch = wanted;
    tally_.near_miss({workload_.index, &gpu_, strategy.gpus(), strategy, memory.total(), gpu_.usable, memory});
  }

  void consider(const GenerationRates& rates, const Strategy& strategy) {
    const bool stated = given_ != nullptr && given_->memory;
    if (const Bytes weights = trial_.weights_alone(rates, strategy); !stated && weights > gpu_.usable) {
      tally_.reject(Misfit::kMemory);
      if (!too_heavy_ || weights < least_weights_) {
        too_heavy_ = strategy;
        least_weights_ = weights;
      }
      return;
    }
    const auto [found, least] = trial_.with_room(rates, strategy);
    if (host_too_small(rates, found)) return tally_.reject(Misfit::kHostMemory);
    if (!found.any) {
      tally_.reject(Misfit::kMemory);
      tally_.near_miss({workload_.index, &gpu_, strategy.gpus(), strategy, least, gpu_.usable, found.estimate.memory});
      return;
    }
    tally_.accept();
    found_.push_back(found);
    standings_.emplace_back(1 + smaller_.size()).front() = standing_of(found);
    if (phase_.batch.given() || phase_.situation == Situation::kConcurrency) return;
    // Products of one row more than fills their tiles take as long as those of a tile more.
    const GenerationCandidate full = found_.back();
    const int most = clamped<int>(full.estimate.batch);
    for (int n = most - most % kTileRows, tries = 0; n >= kTileRows && tries < kTileTries; n -= kTileRows, ++tries)
      if (const GenerationCandidate fewer = trial_.with_fewer(rates, full, n); rank_of(fewer) < rank_of(found_.back()))
        found_.back() = fewer;
    // Whole rounds and batches: more in flight is not always faster, and an engine can be told to take no more than it
    // would with less memory.
    for (std::size_t i = 0; i < smaller_.size(); ++i) {
      const GenerationCandidate fewer = trial_.with_room(on_smaller(i), strategy).found;
      standings_.back()[1 + i] = standing_of(fewer);
      if (!fewer.any) return;
      if (rank_of(fewer) < rank_of(found_.back())) found_.back() = trial_.with_more_room(rates, fewer);
    }
  }

  /// Of those found, the first of the best. An elaborate one has to be worth the trouble, here or on the same chip sold
  /// with less memory: where somebody with these would be told to take it, it is right here too when it is faster. So
  /// the larger one of a chip is never told what is slower.
  GenerationCandidate choose(const GenerationRates& rates) {
    const auto least = [&](auto counts) {
      const GenerationCandidate* best = nullptr;
      for (const GenerationCandidate& c : found_)
        if (counts(c) && (best == nullptr || rank_of(c) < rank_of(*best))) best = &c;
      return best;
    };
    const GenerationCandidate* plain = least([](const GenerationCandidate& c) { return !elaborate(c.strategy); });
    const GenerationCandidate* best = least([&](const GenerationCandidate& c) {
      if (!elaborate(c.strategy)) return true;
      return plain == nullptr ||
             (rank_of(c) < rank_of(*plain) && worth_the_trouble(rates, static_cast<std::size_t>(&c - found_.data())));
    });
    return best != nullptr ? *best : GenerationCandidate{};
  }

  /// What comes of a strategy with some memory, as far as it is compared.
  struct Standing {
    bool any = false, fits = false;
    std::pair<int, double> rank;
  };

  static Standing standing_of(const GenerationCandidate& c) { return {c.any, c.fits, rank_of(c)}; }

  /// Of one that was found, on these GPUs (card 0) or on one with less memory; worked out once.
  const Standing& standing(const GenerationRates& rates, std::size_t found, std::size_t card) {
    std::optional<Standing>& known = standings_[found][card];
    if (!known)
      known = standing_of(trial_.with_room(card == 0 ? rates : on_smaller(card - 1), found_[found].strategy).found);
    return *known;
  }

  bool worth_the_trouble(const GenerationRates& rates, std::size_t elaborate_one) {
    const Strategy& strategy = found_[elaborate_one].strategy;
    const PracticeConstants& practice = catalogue_.practice_constants;
    const auto pays_with = [&](std::size_t card) {
      const Standing& one = standing(rates, elaborate_one, card);
      if (!one.any || !one.fits) return false;
      std::pair<int, double> plain{3, 0};
      for (std::size_t other = 0; other < found_.size(); ++other) {
        if (elaborate(found_[other].strategy)) continue;
        if (const Standing& c = standing(rates, other, card); c.any) plain = std::min(plain, c.rank);
      }
      const auto [rank, amount] = one.rank;
      if (rank != plain.first) return rank < plain.first;
      const bool pays = strategy.ep > 1 || splitting_pays(rates, strategy);
      return pays && amount * (strategy.pp > 1 ? practice.serve_layers : practice.serve_experts) <= plain.second;
    };
    if (pays_with(0)) return true;
    for (std::size_t i = 0; i < smaller_.size(); ++i)
      if (sold_with(smaller_[i]) && pays_with(1 + i)) return true;
    return false;
  }

  /// The same GPUs with less memory.
  struct Card {
    Gpu gpu;
    NodeShape node;
    GenerationRates rates;
  };

  /// Memory that others have less of than these.
  void lay_out_smaller(const GenerationRates& rates) {
    std::vector<Bytes> sizes;
    for (const Gpu& gpu : catalogue_.gpus)
      if (gpu.usable < gpu_.usable) sizes.push_back(gpu.usable);
    sort_stably(sizes, std::greater<>{});
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    smaller_ = std::move(sizes);
    card_.emplace(Card{gpu_, *rates.node, rates});
    card_->node.gpu = &card_->gpu;
    card_->rates.node = &card_->node;
  }

  /// Whether this chip is sold with so much memory.
  bool sold_with(Bytes usable) const {
    return std::ranges::any_of(catalogue_.gpus,
                               [&](const Gpu& gpu) { return gpu.usable == usable && same_chip(gpu, gpu_); });
  }

  /// The rates on one of the smaller ones; until the next is asked for.
  const GenerationRates& on_smaller(std::size_t size) {
    card_->gpu.usable = smaller_[size];
    return card_->rates;
  }

  const PhaseWorkload& workload_;
  const Catalogue& catalogue_;
  const GenerationWork& work_;
  const GeneratePhase& phase_;
  const Machines& machines_;
  const Gpu& gpu_;
  const Given* given_;
  GenerationTrial trial_;
  Tally& tally_;
  std::vector<GenerationCandidate> found_;  ///< in the order of trying: smaller replicas before larger ones
  std::vector<Bytes> smaller_;              ///< memory of GPUs that have less, largest first
  std::optional<Card> card_;                ///< laid out once, and given one of these sizes after the other
  std::vector<std::vector<std::optional<Standing>>> standings_;  ///< of those found, by card
  std::optional<Strategy> too_heavy_;  ///< the one whose weights, too much alone, are the least
  Bytes least_weights_{};
};

}  // namespace

GenerationCandidate search_generation(const PhaseWorkload& workload, const Catalogue& catalogue,
                                      const Machines& machines, int gpus, const GenerationRates& rates,
                                      const Framework& engine, const Given* given, Tally& tally) {
  return GenerationSearch(workload, catalogue, machines, given, tally).run(gpus, rates, engine);
}

}  // namespace gpuplan
