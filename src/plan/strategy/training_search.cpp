// Which candidates (training_candidates.h) of which frameworks are looked at on which memory, and which is the best.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "base/whole.h"
#include "model/training/host_step.h"
#include "model/training/training.h"
#include "plan/strategy/layer_table.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/software.h"
#include "plan/strategy/step_batch.h"
#include "plan/strategy/training_candidates.h"
#include "plan/strategy/training_choice.h"

namespace gpuplan {

namespace {

/// Memory that a GPU might have instead. A cut that is forced on a much smaller card, which nobody compares with this
/// one, would be the pick on the largest too, and no recipe would be left: cuts are looked for on the same chip alone.
enum class Sizes { kOfThisChip, kAll };

class TrainingSearch {
 public:
  TrainingSearch(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines, int gpus,
                 double batch, const Given* given, const Sooner* sooner, Tally& tally)
      : work_(*workload.training),
        phase_(std::get<TrainPhase>(workload.phase->work)),
        catalogue_(catalogue),
        machines_(machines),
        gpu_(*machines.node.gpu),
        gpus_(gpus),
        nodes_(machines.node.machines_for(gpus)),
        usual_(workload.usual),
        counted_(workload.care),
        weigh_(catalogue.practice_constants, gpus),
        sooner_(sooner),
        tally_(&tally),
        software_(training_software(catalogue_, work_, gpu_, gpus_, nodes_, workload.care)),
        candidates_(work_, phase_, machines_.node, gpus_, batch, software_.frameworks,
                    start_from(catalogue.practice_constants, work_)),
        choice_(workload, catalogue.practice_constants, machines, gpus,
                given != nullptr && given->memory ? given : nullptr, tally),
        errors_(workload.errors_with(given, catalogue)) {}

  BestTraining run() {
    if (candidates_.micros().empty()) {
      tally_->reject(Misfit::kUneven);
      return choice_.best();
    }
    if (software_.frameworks.empty()) {
      tally_->reject(software_.why);
      if (tally_->unsupported_reason.empty()) tally_->unsupported_reason = software_.reason;
      return choice_.best();
    }
    prepare();
    look({SearchTier::kData}, Whose::kUsual);
    plain_fits_ = choice_.fits();
    look({SearchTier::kCuts}, Whose::kUsual);
    const bool without = choice_.fits(), host = !candidates_.offload_fixed();
    // Cuts, and shards of weights, that talk over slow links can take far longer than the host's memory does.
    if ((!plain_fits_ || talks()) && host) look_on_host(Whose::kUsual);
    // What nobody thinks of may do far better where these have no good way.
    look({SearchTier::kData, SearchTier::kCuts}, Whose::kOthers);
    if (host && choice_.fits() && (talks() || choice_.best().strategy.offload != Offload::kNone))
      look_on_host(Whose::kOthers);
    BestTraining best = choice_.best();
    if (!best.any || !best.fits) return best;
    // More memory is never slower: what would be chosen on such GPUs with less of it is as good here.
    const auto look_without = [this] { look({SearchTier::kData, SearchTier::kCuts}); };
    if (!without && host) {
      take_from_smaller(best.need, Sizes::kAll, [this] { look_on_host(); }, best);
      take_from_smaller(best.need, Sizes::kOfThisChip, look_without, best);
    } else {
      take_from_smaller(best.need, Sizes::kOfThisChip, look_without, best);
      const auto look_on_both = [this] {
        for (const Whose whose : {Whose::kUsual, Whose::kOthers}) {
          look({SearchTier::kCuts}, whose);
          look_on_host(whose);
        }
      };
      if (host) take_from_smaller(least_plain(), Sizes::kOfThisChip, look_on_both, best);
    }
    return best;
  }

  /// Whether run() found a way that cuts neither layers nor sequences and stays out of the host's memory.
  bool plain_fits() const { return plain_fits_; }

 private:
  /// Candidates of one framework on one tier, as the choice judges them.
  class FrameworkJudge final : public StrategyJudge {
   public:
    FrameworkJudge(TrainingSearch& search, std::size_t place, SearchTier tier, LayerTable& table)
        : search_(search), place_(place), tier_(tier), table_(table) {}
    TrainingChoice::Judgement judge(const Strategy& s, Micro micro) override {
      return search_.choice_.consider(s, table_, micro.place);
    }
    bool too_big(const Strategy& s, Micro micro) override { return search_.choice_.too_big(s, table_, micro.place); }
    std::optional<bool> short_of_host(const Strategy& s) override { return search_.choice_.short_of_host(s); }
    bool may_pay(const Strategy& degrees) override { return search_.may_pay(place_, tier_, degrees); }
    bool may_pay_on_host(const Strategy& strategy) override {
      return search_.may_pay_on_host(place_, strategy, [&] { return care_of(strategy); });
    }

   private:
    /// What the cut and what lies on the host ask for; nothing else differs where this is asked.
    const Care& care_of(const Strategy& s) {
      if (s.tp != cut_.tp || s.pp != cut_.pp || s.cp != cut_.cp || s.ep != cut_.ep) care_ = {};
      cut_ = s;
      std::optional<Care>& care = care_[static_cast<std::size_t>(s.offload)];
      if (!care) care = search_.care_of(place_, s);
      return *care;
    }

    TrainingSearch& search_;
    std::size_t place_;
    SearchTier tier_;
    LayerTable& table_;
    Strategy cut_{};
    std::array<std::optional<Care>, 8> care_{};  ///< by offload, of that cut, once it is asked for
  };

  /// Frameworks that people think of for such work, or the others.
  enum class Whose { kUsual, kOthers };

  /// Whether what was chosen spends most of its time on gradients and weights between GPUs: over the network, or where
  /// weights are gathered over PCIe inside a machine.
  bool talks() const {
    const StepParts& step = choice_.best().estimate.step;
    const bool gathers = nodes_ > 1 || choice_.best().strategy.sharding == Sharding::kZero3;
    return choice_.fits() && gathers && step.data_traffic > 0.5 * step.total();
  }

  /// A framework to choose from, with what its layers cost: worked out once, however often it is looked at.
  struct Tool {
    Strategy start;                      ///< of all its candidates
    std::optional<TrainingRates> rates;  ///< once they are asked for
    Habit habit;
    std::optional<LayerTable> plain, cut;
    std::vector<Spread> spreads;                         ///< as TrainingChoice::use() wants them
    std::vector<std::pair<int, Seconds>> of_a_sequence;  ///< least time, by micro-batch
  };

  /// REQUIRES: rates_of(place) was called.
  LayerTable& table_of(std::size_t place, bool cuts) {
    Tool& tool = tools_[place];
    std::optional<LayerTable>& table = cuts ? tool.cut : tool.plain;
    if (!table) table.emplace(work_, candidates_.micros().size(), candidates_.most_degrees(cuts)).use(*tool.rates);
    return *table;
  }

  void prepare() {
    Strategy start;
    start.precision = software_.precision;
    start.attention = phase_.attention.value_or(AttentionKernel::kFlash);
    tools_.reserve(software_.frameworks.size());  // tables point at rates
    for (std::size_t i = 0; i < software_.frameworks.size(); ++i) {
      const Framework* framework = software_.frameworks[i];
      start.compile = software_.compile[i];
      start.framework = whole<std::int16_t>(framework - catalogue_.frameworks.data());
      const bool named = !phase_.framework.empty();
      const Habit habit = named
                              ? Habit{1, work_.params, false, counted_}
                              : habit_of(catalogue_.practice_constants, *framework, work_, software_.care[i], counted_);
      tools_.push_back({start, {}, habit, {}, {}, {}, {}});
    }
  }

  /// They are worked out once a framework is looked at.
  const TrainingRates& rates_of(std::size_t place) {
    Tool& tool = tools_[place];
    if (!tool.rates)
      tool.rates = training_rates(catalogue_, machines_.node, *software_.frameworks[place], software_.precision,
                                  tool.start.compile, work_);
    tool.rates->errors = &errors_;
    return *tool.rates;
  }

  /// Considers all ways on these tiers.
  void look(std::initializer_list<SearchTier> tiers, Whose whose) {
    const bool others = whose == Whose::kOthers;
    if (others && usual_) return;
    const StartFrom start = start_from(catalogue_.practice_constants, work_);
    const std::size_t first = others ? software_.usual : 0, end = others ? tools_.size() : software_.usual;
    for (const SearchTier tier : tiers) {
      TrainingCandidates::Walk walk;
      walk.tier = tier;
      if (tier == SearchTier::kCuts && choice_.fits()) walk.plain_batch = choice_.best().batch;
      for (walk.framework = first; walk.framework < end; ++walk.framework) {
        Tool& tool = tools_[walk.framework];
        // With the memory of other chips, of what nobody thinks of only what was taken.
        if (others && held_ && tool.start.framework != *held_) continue;
        if (others && choice_.fits() && joins_samples(*software_.frameworks[walk.framework], phase_, start)) continue;
        if (!cuts_layers(tier) && !software_.uncut[walk.framework]) continue;
        if (others && cuts_layers(tier) && !software_.cut[walk.framework]) continue;
        if (others && !uses_host(tier) && !candidates_.offload_fixed() && !has_room(rates_of(walk.framework))) continue;
        if (!may_pay(walk.framework, tier)) continue;
        choice_.use(rates_of(walk.framework), tool.habit, tool.spreads);
        walk.start = tool.start;
        // Where the batch does not divide, nobody changes the framework. Where something fits, layers are cut in one
        // that people think of for no work at all for a gain that is beyond all care (may_pay()).
        walk.layers = !others || std::isfinite(choice_.least_need().value);
        const bool cuts = cuts_layers(tier);
        FrameworkJudge judge(*this, walk.framework, tier, table_of(walk.framework, cuts));
        candidates_.each(walk, judge, *tally_);
      }
    }
  }

  /// Considers ways that keep something in the host's memory.
  void look_on_host(Whose whose) {
    look({SearchTier::kOffload}, whose);
    look({SearchTier::kOffloadCuts}, whose);
  }
  void look_on_host() {
    look_on_host(Whose::kUsual);
    look_on_host(Whose::kOthers);
  }

  /// Considers ways on these tiers in all frameworks.
  void look(std::initializer_list<SearchTier> tiers) {
    look(tiers, Whose::kUsual);
    look(tiers, Whose::kOthers);
  }

  /// Goes down from `usable` memory through the sizes that GPUs have, from each way that would be chosen to the next
  /// that would be where that one no longer fits, and takes the fastest. Further down all take longer, care considered:
  /// once that is more than care can make up for, none is faster.
  template <class Look>
  void take_from_smaller(Bytes usable, Sizes which, const Look& look_again, BestTraining& best) {
    const PracticeConstants& practice = catalogue_.practice_constants;
    const Care most = most_care(practice);
    tally_ = &uncounted_;
    held_.reset();
    if (which == Sizes::kAll) held_ = best.strategy.framework;
    held_best_ = &best;
    usable = std::min(usable, gpu_.usable);
    std::vector<Bytes> sizes;
    for (const Gpu& gpu : catalogue_.gpus)
      if (gpu.usable <= usable && (which == Sizes::kAll || same_chip(gpu, gpu_))) sizes.push_back(gpu.usable);
    if (sizes.empty()) return;
    std::ranges::sort(sizes, std::greater<>{});
    const auto repeated = std::ranges::unique(sizes);
    sizes.erase(repeated.begin(), repeated.end());
    // What fits on less fits on the largest of them: where nothing there is faster, nothing further down is. With the
    // host's memory, of which all is a guess, it must be clearly so.
    constexpr double kClearly = 1.1;
    const bool all = which == Sizes::kAll;
    Bytes least{};
    if (all || sizes.size() > 1) {
      probe_ = {all ? best.time / kClearly : best.time, all};
      choice_.start(sizes.front(), probe_->faster_than);
      look_again();
      probe_.reset();
      if (!choice_.faster()) return;
      if (all) least = *choice_.faster();
    }
    for (const Bytes size : sizes) {
      if (size > usable) continue;
      if (size <= least) return;
      choice_.start(size);
      limit_ = weigh_(best.time, most);
      look_again();
      if (!choice_.fits() || choice_.best().weighed >= limit_) return;
      const BestTraining& next = choice_.best();
      usable = std::min(next.need, size * (1 - 1e-9));
      if (next.time < best.time) best = next;
    }
  }

  /// Usable memory of a GPU up to which nothing fits without cuts and the host's.
  Bytes least_plain() {
    tally_ = &uncounted_;
    held_best_ = nullptr;  // all are looked at: what takes long may need the least
    choice_.start(Bytes{});
    look({SearchTier::kData}, Whose::kUsual);
    return choice_.least_need();
  }

  /// Whether the GPUs together hold weights and states, the least that any way shares out.
  bool has_room(const TrainingRates& rates) const {
    const double base = work_.quantised_base ? 0.5 : std::min(rates.weight_bytes, 2.0);
    const double bytes = work_.params * base + work_.trainable * (rates.master_bytes + rates.state_bytes);
    return Bytes{bytes / gpus_} <= gpu_.usable;
  }

  /// A harder way can spare recomputation, traffic and too small micro-batches, never the work itself: when what is
  /// left of it under this framework, and the least care that such a way takes, come to more than the way found so far,
  /// none would be chosen. An estimate, so that the search need not look at thousands of them.
  bool may_pay(std::size_t place, SearchTier tier) {
    const bool first = place == 0 && !cuts_layers(tier);
    if (too_late(place, tier)) return false;
    if (reference() == nullptr) return true;
    if (probe_) return may_be_faster(least_of_sequences(place));
    if (first) return true;
    const Seconds weighed = limit();
    const Care care = least_care(tools_[place].habit, tier);
    // Frameworks differ in the time of one kernel by less than that: a look at the first spares their constants.
    constexpr double kDiffer = 0.7;
    if (place >= software_.usual && weigh_(least_time(0) * kDiffer, care) >= weighed) return false;
    return weigh_(least_time(place), care) < weighed;
  }

  bool too_late(std::size_t place, SearchTier tier) {
    if (sooner_ == nullptr) return false;
    return least_of_sequences(place) >= (uses_host(tier) ? sooner_->than_on_host : sooner_->than);
  }

  /// The same of ways with these degrees: they ask for what the degrees do.
  bool may_pay(std::size_t place, SearchTier tier, Strategy degrees) {
    if (reference() == nullptr) return true;
    if (probe_) return may_be_faster(least_of_sequences(place));
    if (uses_host(tier)) degrees.offload = Offload::kOptimizer;
    return weigh_(least_time(place), care_of(place, degrees)) < limit();
  }

  /// The same of ways that keep so much in the host's memory: what the CPU and PCIe take for it at the least. `care`:
  /// what they ask for, once it is needed.
  template <class Care>
  bool may_pay_on_host(std::size_t place, const Strategy& s, const Care& care) {
    if (reference() == nullptr && sooner_ == nullptr) return true;
    const TrainingRates& rates = rates_of(place);
    const double steps = work_.sequences_total / (static_cast<double>(s.micro_batch) * s.grad_accum * s.dp);
    Seconds time = least_of_sequences(place);
    if (includes(s.offload, Offload::kParams)) {
      const Bytes weights{work_.params * std::min({2.0, rates.base_bytes, rates.weight_bytes}) / gpus_};
      time = std::max(time, host_weights_time(rates, weights) * (steps * s.grad_accum));
    }
    if (includes(s.offload, Offload::kOptimizer)) time += host_optimizer_time(rates, work_.trainable / gpus_) * steps;
    if (sooner_ != nullptr && time >= sooner_->than_on_host) return false;
    if (reference() == nullptr) return true;
    return probe_ ? may_be_faster(time) : weigh_(time, care()) < limit();
  }

  /// REQUIRES: probe_.
  bool may_be_faster(Seconds least) const {
    return least < probe_->faster_than && (probe_->least_memory || !choice_.faster());
  }

  Care care_of(std::size_t place, const Strategy& strategy) const {
    return gpuplan::care_of(catalogue_.practice_constants, strategy, machines_.node, tools_[place].habit);
  }

  /// What was found to fit, if need be on the GPUs as they are while others are looked at; may be null.
  const BestTraining* reference() const { return choice_.fits() ? &choice_.best() : held_best_; }
  /// What takes as long, care considered, is not chosen.
  Seconds limit() const { return choice_.fits() ? std::min(choice_.best().weighed, limit_) : limit_; }

  /// What ways on this tier ask for at the least.
  Care least_care(const Habit& habit, SearchTier tier) const {
    const NodeShape& node = machines_.node;
    const PracticeConstants& practice = catalogue_.practice_constants;
    const Offload offload = uses_host(tier) ? Offload::kOptimizer : Offload::kNone;
    if (!cuts_layers(tier)) {
      Strategy plain;
      plain.dp = gpus_;
      plain.offload = offload;
      return without_points(gpuplan::care_of(practice, plain, node, habit));
    }
    Strategy tensor, pipeline, context;
    tensor.dp = pipeline.dp = context.dp = (gpus_ + 1) / 2;
    tensor.tp = pipeline.pp = context.cp = 2;
    tensor.offload = pipeline.offload = context.offload = offload;
    Care least = without_points(gpuplan::care_of(practice, tensor, node, habit));
    const auto also = [&](const Strategy& cut) {
      const Care care = gpuplan::care_of(practice, cut, node, habit);
      least.setup = std::min(least.setup, care.setup);
      least.later = std::min(least.later, care.later);
    };
    also(pipeline);
    if (candidates_.most_context() > 1) also(context);
    return least;
  }

  static Care without_points(Care care) {
    care.points = 1;
    return care;
  }

  /// All sequences on this framework, without recomputation, traffic and the optimizer.
  /// REQUIRES: reference() or sooner_.
  Seconds least_of_sequences(std::size_t place) {
    const int micro = reference() != nullptr ? reference()->strategy.micro_batch : sooner_->micro_batch;
    const Seconds a_sequence = std::min(least_of_sequence(place, micro), least_of_sequence(place, 4 * micro));
    return a_sequence * (work_.sequences_total / gpus_);
  }

  /// The same with an optimizer and a host as in the best way.
  Seconds least_time(std::size_t place) {
    const BestTraining& best = *reference();
    // Out of the host's memory the optimizer takes far less.
    const bool host = best.strategy.offload != Offload::kNone;
    const Seconds optimizer = host ? Seconds{} : best.estimate.step.optimizer;
    return least_of_sequences(place) + (optimizer + rates_of(place).launch_per_step) * best.steps;
  }

  /// What one sequence takes at the least, in micro-batches of so many.
  Seconds least_of_sequence(std::size_t place, int micro) {
    auto& known = tools_[place].of_a_sequence;
    for (const auto& [sequences, time] : known)
      if (sequences == micro) return time;
    const TrainingRates& rates = rates_of(place);
    const int experts = rates.framework->expert ? candidates_.most_degrees(false).ep : 1;
    const LayerCut cut{1, 1, experts, micro, Recompute::kNone, tools_[place].start.attention};
    // What the candidates ask for as well is kept with theirs, where its place is this cut's alone.
    const auto known_micro = std::ranges::find(candidates_.micros(), micro, &Micro::sequences);
    const bool kept = known_micro != candidates_.micros().end() && std::has_single_bit(static_cast<unsigned>(experts));
    const LayerCost layer = kept ? table_of(place, false).at(cut, known_micro->place) : layer_cost(work_, rates, cut);
    const Seconds gpu = layer.matmul + layer.attention + layer.elementwise + layer.dequantise;
    const Seconds all = overlapped(gpu, layer.launch) + overlapped(layer.head, layer.head_launch);
    return known.emplace_back(micro, all / micro).second;
  }

  const TrainingWork& work_;
  const TrainPhase& phase_;
  const Catalogue& catalogue_;
  const Machines& machines_;
  const Gpu& gpu_;
  int gpus_, nodes_;
  bool usual_;      ///< only frameworks that people think of
  double counted_;  ///< share of care that counts
  Weighing weigh_;
  const Sooner* sooner_;  ///< what takes longer is of no use; may be null
  bool plain_fits_ = false;
  std::optional<std::int16_t> held_;  ///< the framework of the best way, once others are looked for on less memory
  Seconds limit_{1e300};              ///< what takes as long, care considered, is not chosen
  /// Whether anything takes less is all that is asked, whatever the care, or the least memory that such a way needs.
  struct Probe {
    Seconds faster_than;
    bool least_memory;
  };
  std::optional<Probe> probe_;
  const BestTraining* held_best_ = nullptr;  ///< of these GPUs, while others are looked at
  Tally* tally_;
  Tally uncounted_;  ///< of what is tried beside
  Software software_;
  TrainingCandidates candidates_;
  TrainingChoice choice_;
  const ErrorModel& errors_;
  std::vector<Tool> tools_;  ///< the frameworks of software_
};

}  // namespace

SearchedTraining search_training(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines,
                                 int gpus, double batch, const Given* given, const Sooner* sooner, Tally& tally) {
  TrainingSearch search(workload, catalogue, machines, gpus, batch, given, sooner, tally);
  const BestTraining best = search.run();
  return {best, search.plain_fits()};
}

}  // namespace gpuplan
