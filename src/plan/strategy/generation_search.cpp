// Strategies for a generation phase: engine and format, tensor parallelism and layer split, shared experts, replicas,
// placement of several models, and fewer sequences in flight where a target asks for short answers.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sorting.h"
#include "base/whole.h"
#include "model/generation/cuts.h"
#include "model/generation/generation.h"
#include "model/generation/step.h"
#include "model/training/training.h"
#include "plan/strategy/given.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/serving.h"
#include "plan/strategy/software.h"

namespace gpuplan {

namespace {

/// Of a machine's memory, for activations; the rest is for processes and the system.
constexpr double kHostShare = 0.9;

struct Candidate {
  bool any = false;
  bool fits = false;
  Strategy strategy;
  GenerationEstimate estimate;
  Spread spread;
  Interval<Bytes> memory{};
  Bytes need{};          ///< p90 of the least that it takes
  double shortfall = 0;  ///< from the phase's target; at most 1 when it is reached

  bool reaches() const { return shortfall <= 1; }
};

/// Fits and reaches the target, fits, or neither; then what takes less time, or is nearer to the target.
std::pair<int, double> rank_of(const Candidate& c) {
  if (!c.fits) return {2, c.need.value};
  return c.reaches() ? std::pair(0, c.estimate.parts.total().value) : std::pair(1, c.shortfall);
}

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
        tally_(tally) {}

  Candidate run(int gpus, const GenerationRates& rates, const Framework& engine, std::int16_t engine_index) {
    found_.clear();
    standings_.clear();
    too_heavy_.reset();
    lay_out_smaller(rates);
    consider_all(gpus, rates, engine, engine_index);
    if (found_.empty() && too_heavy_) report(rates, *too_heavy_);
    return choose(rates);
  }

 private:
  void consider_all(int gpus, const GenerationRates& rates, const Framework& engine, std::int16_t engine_index) {
    const Parallel& fixed = phase_.parallel;
    const int most_tp = engine.tensor ? std::min(gpus, machines_.node.gpus) : 1;
    const auto each_tp = [&](auto cut) {
      for (int tp = fixed.tp.value_or(1); tp <= fixed.tp.value_or(most_tp); ++tp)
        if (fixed.tp || gpus % tp == 0) cut(tp);
    };
    if (!fixed.pp || *fixed.pp == 1) each_tp([&](int tp) { consider_cut(gpus, rates, engine, engine_index, tp, 1); });
    if (!splits_layers(gpus, engine)) return;
    each_tp([&](int tp) {
      for (int pp = fixed.pp.value_or(2); pp <= fixed.pp.value_or(gpus / tp); ++pp)
        if (fixed.pp || gpus % (tp * pp) == 0) consider_cut(gpus, rates, engine, engine_index, tp, pp);
    });
  }

  bool splits_layers(int gpus, const Framework& engine) const {
    return engine.pipeline && gpus > 1 && phase_.parallel.pp.value_or(2) > 1;
  }

  /// Layers are split where nothing else holds the model, and where tensor-parallel traffic has only a slow way while
  /// several requests keep all stages busy: one request gains nothing by it.
  bool splitting_pays(const GenerationRates& rates, const Strategy& strategy) const {
    if (phase_.parallel.pp) return true;
    const bool slow = strategy.gpus() > machines_.node.gpus || !machines_.node.direct_link();
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
      return std::ranges::any_of(found_, [&](const Candidate& smaller) {
        return smaller.fits && replica > smaller.strategy.tp * smaller.strategy.pp;
      });
    return given_->gpus < gpus && replica != given_->gpus;
  }

  void consider_cut(int gpus, const GenerationRates& rates, const Framework& engine, std::int16_t engine_index, int tp,
                    int pp) {
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
    strategy.framework = engine_index;
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

  Candidate tried(const GenerationRates& rates, const Strategy& strategy) const {
    const GenerationEstimate estimate = generation_estimate(work_, rates, strategy);
    Candidate found{true, false, strategy, estimate, generation_spread(work_, rates, strategy, estimate.waiting)};
    correct(found.estimate, found.spread);
    found.memory = lognormal(found.estimate.memory.total(), found.spread.memory);
    if (given_ != nullptr && given_->memory) found.memory = *given_->memory;
    found.need = found.memory.p90;
    found.fits = found.memory.p90 < rates.node->gpu->usable;
    found.shortfall = shortfall(phase_.target, found.estimate, found.spread, workload_.defaults.confidence);
    return found;
  }

  double too_late(const Candidate& c) const {
    return latency_shortfall(phase_.target, c.estimate, c.spread, workload_.defaults.confidence);
  }

  /// As many sequences as leave the latencies within the target; the one nearest to it when not even one alone does.
  Candidate within_latency(const GenerationRates& rates, const Candidate& full) const {
    const auto with = [&](int sequences) {
      Strategy strategy = full.strategy;
      strategy.micro_batch = sequences;
      return tried(rates, strategy);
    };
    const auto quick = [&](const Candidate& c) { return too_late(c) <= 1; };
    Candidate best = with(1);
    if (!quick(best)) return best.shortfall < full.shortfall ? best : full;
    int low = 1;
    int high = clamped<int>(full.estimate.batch);
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      const Candidate candidate = with(middle);
      if (quick(candidate)) best = candidate;
      (quick(candidate) ? low : high) = middle;
    }
    return best;
  }

  /// Activations that the host's memory keeps have to fit there; where nobody states it, in what machines with such
  /// GPUs commonly have.
  bool host_too_small(const GenerationRates& rates, const Candidate& found) {
    if (!phase_.store) return false;
    const NodeShape& node = machines_.node;
    const Bytes ram = node.ram > Bytes{} ? node.ram : usual_host_memory(catalogue_.training_constants, node);
    const Bytes kept = collection_use(work_, rates, found.strategy, found.estimate).host, room = ram * kHostShare;
    tally_.same_for.usual_counts = true;
    tally_.same_for.ram.asked(kept / kHostShare, ram);
    if (kept <= room) return false;
    if (found.any) tally_.host_miss({workload_.index, kept, room, HostUse::kKept});
    return true;
  }

  /// Weights of the largest model on one GPU: where they alone are too much, nothing else has to be worked out.
  Bytes weights_alone(const GenerationRates& rates, const Strategy& strategy) const {
    const GenerationCut cut = generation_cut(work_, rates, strategy);
    Bytes most{};
    for (const NetworkWork& network : work_.networks) most = std::max(most, weight_memory(network, rates, cut));
    return most;
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
    if (const Bytes weights = weights_alone(rates, strategy); !stated && weights > gpu_.usable) {
      tally_.reject(Misfit::kMemory);
      if (!too_heavy_ || weights < least_weights_) {
        too_heavy_ = strategy;
        least_weights_ = weights;
      }
      return;
    }
    const auto [found, least] = with_room(rates, strategy);
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
    // Whole rounds and batches: more in flight is not always faster, and an engine can be told to take no more than it
    // would with less memory.
    for (std::size_t i = 0; i < smaller_.size(); ++i) {
      const Candidate fewer = with_room(on_smaller(i), strategy).found;
      standings_.back()[1 + i] = standing_of(fewer);
      if (!fewer.any) return;
      if (rank_of(fewer) < rank_of(found_.back())) found_.back() = here(rates, fewer);
    }
  }

  /// What was laid out for less memory: as many sequences, which may hold more of their answers at once here.
  Candidate here(const GenerationRates& rates, Candidate fewer) const {
    Strategy strategy = fewer.strategy;
    if (strategy.micro_batch == 0) strategy.micro_batch = clamped<std::int32_t>(std::floor(fewer.estimate.batch));
    fewer.estimate.memory = generation_memory(work_, rates, strategy);
    // Where all their whole answers find no room at once, some wait: an engine holds no more than it was given.
    Strategy filled = strategy;
    filled.micro_batch = 0;
    const MemoryUse most = generation_memory(work_, rates, filled);
    if (most.total() < fewer.estimate.memory.total()) fewer.estimate.memory = most;
    correct(fewer.estimate.memory, fewer.spread.memory_factor);
    if (given_ != nullptr && given_->memory) return fewer;
    fewer.memory = lognormal(fewer.estimate.memory.total(), fewer.spread.memory);
    fewer.memory.p90 = std::min(fewer.memory.p90, rates.node->gpu->usable);
    return fewer;
  }

  struct Placed {
    Candidate found;  ///< none when it can not run
    Bytes least{};    ///< median of the memory that it must have
  };

  /// The strategy with the memory that the GPUs of `rates` have, and with as few sequences in flight as the target
  /// asks.
  Placed with_room(const GenerationRates& rates, const Strategy& strategy) const {
    const Bytes usable = rates.node->gpu->usable;
    Candidate found = tried(rates, strategy);
    Bytes least = found.memory.p50;
    // Requests that find no room wait, however many the job sends at once.
    const bool filled = strategy.micro_batch == 0 || phase_.situation == Situation::kConcurrency;
    if (filled) {
      // The engine fills what there is; what must fit is one sequence.
      Strategy one = strategy;
      one.micro_batch = 1;
      const Interval<Bytes> need =
          lognormal(generation_memory(work_, rates, one).total() * found.spread.memory_factor, found.spread.memory);
      least = need.p50;
      found.need = need.p90;
      found.fits = need.p90 < usable;
      found.memory.p90 = std::min(found.memory.p90, usable);
    }
    found.any = least <= usable && found.estimate.batch >= 1;
    if (found.any && strategy.micro_batch == 0 && too_late(found) > 1) {
      const Candidate full = found;
      found = within_latency(rates, full);
      found.need = full.need;
    }
    found.strategy.micro_batch = strategy.micro_batch;
    return {found, least};
  }

  /// Of those found, the first of the best. An elaborate one has to be worth the trouble, here or on the same chip sold
  /// with less memory: where somebody with these would be told to take it, it is right here too when it is faster. So
  /// the larger one of a chip is never told what is slower.
  Candidate choose(const GenerationRates& rates) {
    const auto least = [&](auto counts) {
      const Candidate* best = nullptr;
      for (const Candidate& c : found_)
        if (counts(c) && (best == nullptr || rank_of(c) < rank_of(*best))) best = &c;
      return best;
    };
    const Candidate* plain = least([](const Candidate& c) { return !elaborate(c.strategy); });
    const Candidate* best = least([&](const Candidate& c) {
      if (!elaborate(c.strategy)) return true;
      return plain == nullptr ||
             (rank_of(c) < rank_of(*plain) && worth_the_trouble(rates, static_cast<std::size_t>(&c - found_.data())));
    });
    return best != nullptr ? *best : Candidate{};
  }

  /// What comes of a strategy with some memory, as far as it is compared.
  struct Standing {
    bool any = false, fits = false;
    std::pair<int, double> rank;
  };

  static Standing standing_of(const Candidate& c) { return {c.any, c.fits, rank_of(c)}; }

  /// Of one that was found, on these GPUs (card 0) or on one with less memory; worked out once.
  const Standing& standing(const GenerationRates& rates, std::size_t found, std::size_t card) {
    std::optional<Standing>& known = standings_[found][card];
    if (!known) known = standing_of(with_room(card == 0 ? rates : on_smaller(card - 1), found_[found].strategy).found);
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
  Tally& tally_;
  std::vector<Candidate> found_;  ///< in the order of trying: smaller replicas before larger ones
  std::vector<Bytes> smaller_;    ///< memory of GPUs that have less, largest first
  std::optional<Card> card_;      ///< laid out once, and given one of these sizes after the other
  std::vector<std::vector<std::optional<Standing>>> standings_;  ///< of those found, by card
  std::optional<Strategy> too_heavy_;  ///< the one whose weights, too much alone, are the least
  Bytes least_weights_{};
};

/// GPUs to use, most first: all, then halves of them; where the job fixes degrees, what these can share.
std::vector<int> gpu_counts(const Parallel& fixed, const Machines& machines) {
  const int unit = fixed.dp.value_or(1) * fixed.tp.value_or(1) * fixed.pp.value_or(1);
  if (machines.exact) return {machines.gpus};
  if (unit > machines.gpus) return {};
  std::vector<int> counts;
  int gpus = fixed.dp && fixed.tp ? unit : machines.gpus - machines.gpus % unit;
  for (; gpus >= unit; gpus /= 2) {
    gpus -= gpus % unit;
    counts.push_back(gpus);
    if (gpus == 1) break;
  }
  return counts;
}

/// "parallel takes 16 GPUs (dp 4 x tp 4), more than the machines here have; ...".
std::string too_many_words(const Parallel& fixed) {
  int gpus = 1;
  std::string degrees;
  const auto add = [&](std::string_view name, const std::optional<int>& degree) {
    if (degree.value_or(1) == 1) return;
    gpus *= *degree;
    degrees += (degrees.empty() ? "" : " x ") + std::string(name) + " " + std::to_string(*degree);
  };
  add("dp", fixed.dp);
  add("tp", fixed.tp);
  add("pp", fixed.pp);
  return "parallel needs " + std::to_string(gpus) + " GPUs (" + degrees +
         "), more than one machine has here; lower it, or allow several nodes with where.nodes";
}

/// An engine with its rates on a machine.
struct Server {
  const Framework* engine = nullptr;
  GenerationRates rates;
};

/// The first of those that the software names that runs there, and with it those that people think of as readily
/// (auto_rank): the faster is taken. Reading texts without writing any is what the first is for.
std::vector<Server> servers_of(const Catalogue& catalogue, const NodeShape& node, const GeneratePhase& phase,
                               const Software& software) {
  std::vector<Server> servers;
  for (const Framework* engine : software.frameworks) {
    if (!servers.empty()) {
      const int rank = servers.front().engine->auto_rank;
      if (phase.forward_only || rank == 0 || engine->auto_rank != rank) break;
    }
    if (auto rates = serving_rates(catalogue, node, *engine, phase, software.weights))
      servers.push_back({engine, *std::move(rates)});
  }
  return servers;
}

/// The best way of an engine on so many of the GPUs.
struct Served {
  Candidate best;
  const Server* server = nullptr;
  const Given* given = nullptr;
  int gpus = 1;
};

}  // namespace

std::optional<PhaseEstimate> best_generation(const PhaseWorkload& workload, const Catalogue& catalogue,
                                             const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  const auto& generate = std::get<GeneratePhase>(phase.work);
  const GenerationWork& work = *workload.generation;
  const Gpu& gpu = *machines.node.gpu;
  const auto unsupported = [&](Misfit why, std::string reason) {
    tally.reject(why);
    if (tally.unsupported_reason.empty()) tally.unsupported_reason = std::move(reason);
    return std::nullopt;
  };
  Software software = generation_software(catalogue, generate, gpu, machines.nodes);
  if (software.frameworks.empty()) return unsupported(software.why, std::move(software.reason));
  std::vector<Server> servers = servers_of(catalogue, machines.node, generate, software);
  if (servers.empty())
    return unsupported(Misfit::kPrecision, format_problem(catalogue, machines.node, software, generate));

  const std::vector<int> counts = gpu_counts(generate.parallel, machines);
  if (counts.empty()) return unsupported(Misfit::kGpus, too_many_words(generate.parallel));
  // Few requests may be served sooner by fewer GPUs, which talk less; many keep all at work.
  const bool few = generate.situation == Situation::kConcurrency;
  std::optional<Served> served;
  for (const int gpus : counts) {
    const Given* given = nullptr;
    // Replicas are independent: a figure for one of 1, 2, 4, ... GPUs serves all of them.
    for (int replica = gpus; !ignore_given && given == nullptr && replica >= 1; replica /= 2)
      given = given_for(phase, gpu.name, gpus, replica);
    for (Server& server : servers) {
      server.rates.errors = &workload.errors_with(given, catalogue);
      GenerationSearch search(workload, catalogue, machines, given, tally);
      const Candidate found = search.run(gpus, server.rates, *server.engine,
                                         whole<std::int16_t>(server.engine - catalogue.frameworks.data()));
      if (found.any && (!served || rank_of(found) < rank_of(served->best))) served = {found, &server, given, gpus};
    }
    if (served && (!few || given != nullptr)) break;
  }
  if (!served) return std::nullopt;
  const auto& [best, server, given, gpus] = *served;
  const GenerationRates& rates = server->rates;
  PhaseEstimate estimate =
      modelled(workload, machines, gpus, best.strategy, best.fits, best.estimate.parts.total(), best.spread);
  // Requests that replicas share do not always divide: the fullest has one more. Those that memory has room for do.
  const double share = few ? std::max(1.0, *generate.concurrency / best.strategy.dp) : 0;
  const bool shared = best.estimate.batch == share;
  estimate.strategy.micro_batch = clamped<std::int32_t>(shared ? std::ceil(share) : best.estimate.batch);
  estimate.framework = server->engine;
  estimate.units = work.samples * work.models;
  estimate.tokens = estimate.units * (generate.forward_only ? work.prompt_tokens : work.new_tokens);
  estimate.memory = best.estimate.memory;
  estimate.memory_total = best.memory;
  estimate.batch = (shared ? share : std::floor(best.estimate.batch)) * best.strategy.dp;
  estimate.collection = collection_use(work, rates, best.strategy, best.estimate);
  estimate.host_memory = estimate.collection.host;
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
  estimate.serving = serving_of(work, best.estimate, best.spread, estimate, workload.defaults.confidence);
  estimate.rounds = best.estimate.rounds;
  add_terms(workload, catalogue, estimate);
  return estimate;
}

}  // namespace gpuplan
