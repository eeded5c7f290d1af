// The best strategy for a training phase: which candidates (training_candidates.h) of which frameworks are looked at on
// which memory, and what comes of the best (training_choice.h).

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "base/sorting.h"
#include "base/whole.h"
#include "model/training/training.h"
#include "plan/strategy/given.h"
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

/// Candidates of one framework, as the choice judges them.
class FrameworkJudge final : public StrategyJudge {
 public:
  FrameworkJudge(LayerTable& table, TrainingChoice& choice) : table_(table), choice_(choice) {}
  TrainingChoice::Judgement judge(const Strategy& s, Micro micro) override {
    return choice_.consider(s, table_, micro.place);
  }

 private:
  LayerTable& table_;
  TrainingChoice& choice_;
};

class TrainingSearch {
 public:
  TrainingSearch(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines, int gpus,
                 double batch, const Given* given, Tally& tally)
      : work_(*workload.training),
        phase_(std::get<TrainPhase>(workload.phase->work)),
        catalogue_(catalogue),
        machines_(machines),
        gpu_(*machines.node.gpu),
        gpus_(gpus),
        nodes_(machines.node.machines_for(gpus)),
        tally_(&tally),
        software_(training_software(catalogue_, work_, gpu_, gpus_, nodes_)),
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
    look({SearchTier::kData});
    plain_fits_ = choice_.fits();
    look({SearchTier::kCuts});
    const bool without = choice_.fits(), host = !candidates_.offload_fixed();
    // Cuts, and shards of weights, that talk over slow links can take far longer than the host's memory does.
    if ((!plain_fits_ || talks()) && host) look_on_host();
    BestTraining best = choice_.best();
    if (!best.any || !best.fits) return best;
    // More memory is never slower: what would be chosen on such GPUs with less of it is as good here.
    if (!without && host) {
      take_from_smaller(best.need, Sizes::kAll, [this] { look_on_host(); }, best);
    } else {
      take_from_smaller(best.need, Sizes::kOfThisChip, [this] { look({SearchTier::kData, SearchTier::kCuts}); }, best);
      const auto look_on_both = [this] {
        look({SearchTier::kCuts});
        look_on_host();
      };
      if (host) take_from_smaller(least_plain(), Sizes::kOfThisChip, look_on_both, best);
    }
    return best;
  }

  /// Whether run() found a way that cuts neither layers nor sequences and stays out of the host's memory.
  bool plain_fits() const { return plain_fits_; }

 private:
  /// Whether what was chosen spends most of its time on gradients and weights between machines.
  bool talks() const {
    const StepParts& step = choice_.best().estimate.step;
    return nodes_ > 1 && choice_.fits() && step.data_traffic > 0.5 * step.total();
  }

  /// A framework to choose from, with what its layers cost: worked out once, however often it is looked at.
  struct Tool {
    Strategy start;  ///< of all its candidates
    TrainingRates rates;
    Habit habit;
    std::optional<LayerTable> plain, cut;

    LayerTable& table(const TrainingWork& work, std::size_t micros, bool cuts, LayerTable::Most most) {
      std::optional<LayerTable>& table = cuts ? cut : plain;
      if (!table) table.emplace(work, micros, most).use(rates);
      return *table;
    }
  };

  void prepare() {
    Strategy start;
    start.precision = software_.precision;
    start.attention = phase_.attention.value_or(AttentionKernel::kFlash);
    tools_.reserve(software_.frameworks.size());  // tables point at rates
    for (std::size_t i = 0; i < software_.frameworks.size(); ++i) {
      const Framework* framework = software_.frameworks[i];
      start.compile = software_.compile[i];
      start.framework = whole<std::int16_t>(framework - catalogue_.frameworks.data());
      tools_.push_back(
          {start,
           training_rates(catalogue_, machines_.node, *framework, software_.precision, start.compile, work_),
           {software_.care[i], work_.params},
           {},
           {}});
      tools_.back().rates.errors = &errors_;
    }
  }

  /// Considers all ways on these tiers.
  void look(std::initializer_list<SearchTier> tiers) {
    for (const SearchTier tier : tiers) {
      TrainingCandidates::Walk walk;
      walk.tier = tier;
      if (tier == SearchTier::kCuts && choice_.fits()) walk.plain_batch = choice_.best().batch;
      for (walk.framework = 0; walk.framework < tools_.size(); ++walk.framework) {
        Tool& tool = tools_[walk.framework];
        if (tier == SearchTier::kCuts && !cuts_may_pay(tool)) continue;
        choice_.use(tool.rates, tool.habit);
        walk.start = tool.start;
        const bool cuts = cuts_layers(tier);
        FrameworkJudge judge(tool.table(work_, candidates_.micros().size(), cuts, candidates_.most_degrees(cuts)),
                             choice_);
        candidates_.each(walk, judge, *tally_);
      }
    }
  }

  /// Considers ways that keep something in the host's memory. Who fine-tunes does not cut layers besides, unless
  /// nothing else fits; who pretrains for weeks does.
  void look_on_host() {
    look({SearchTier::kOffload});
    if (!choice_.fits() || mostly_pretraining(catalogue_.practice_constants, work_)) look({SearchTier::kOffloadCuts});
  }

  /// Goes down from `usable` memory through the sizes that GPUs have, from each way that would be chosen to the next
  /// that would be where that one no longer fits, and takes the fastest. Further down all take longer, care considered:
  /// once that is more than care can make up for, none is faster.
  template <class Look>
  void take_from_smaller(Bytes usable, Sizes which, const Look& look_again, BestTraining& best) {
    const PracticeConstants& practice = catalogue_.practice_constants;
    const double most = most_care(practice, gpus_) * weight_of_points(practice, kMostPoints);
    tally_ = &uncounted_;
    usable = std::min(usable, gpu_.usable);
    std::vector<Bytes> sizes;
    for (const Gpu& gpu : catalogue_.gpus)
      if (gpu.usable <= usable && (which == Sizes::kAll || same_chip(gpu, gpu_))) sizes.push_back(gpu.usable);
    sort_stably(sizes, std::greater<>{});
    for (const Bytes size : sizes) {
      if (size > usable) continue;
      choice_.start(size);
      look_again();
      if (!choice_.fits() || choice_.best().weighed >= best.time * most) return;
      const BestTraining& next = choice_.best();
      usable = std::min(next.need, size * (1 - 1e-9));
      if (next.time < best.time) best = next;
    }
  }

  /// Usable memory of a GPU up to which nothing fits without cuts and the host's.
  Bytes least_plain() {
    tally_ = &uncounted_;
    choice_.start(Bytes{});
    look({SearchTier::kData});
    return choice_.least_need();
  }

  /// Cutting layers or sequences can spare recomputation, traffic and too small micro-batches, never the work itself:
  /// when what is left of it under this framework, and the care that a cut takes, come to more than the way found so
  /// far, no cut would be chosen. An estimate, so that the search need not look at thousands of them.
  bool cuts_may_pay(const Tool& tool) const {
    if (!choice_.fits()) return true;
    const BestTraining& best = choice_.best();
    Strategy tensor, pipeline, context;
    tensor.dp = pipeline.dp = context.dp = (gpus_ + 1) / 2;
    tensor.tp = pipeline.pp = context.cp = 2;
    const NodeShape& node = machines_.node;
    const PracticeConstants& practice = catalogue_.practice_constants;
    double least = std::min(complexity_penalty(practice, tensor, node, tool.habit),
                            complexity_penalty(practice, pipeline, node, tool.habit));
    if (candidates_.most_context() > 1)
      least = std::min(least, complexity_penalty(practice, context, node, tool.habit));
    Seconds a_sequence{1e300};
    for (const int micro : {best.strategy.micro_batch, 4 * best.strategy.micro_batch}) {
      const LayerCost layer =
          layer_cost(work_, tool.rates, {1, 1, 1, micro, Recompute::kNone, best.strategy.attention});
      const Seconds gpu = layer.matmul + layer.attention + layer.elementwise + layer.dequantise;
      const Seconds all = overlapped(gpu, layer.launch) + overlapped(layer.head, layer.head_launch);
      a_sequence = std::min(a_sequence, all / micro);
    }
    const Seconds work = a_sequence * (work_.sequences_total / gpus_);
    const Seconds rest = (best.estimate.step.optimizer + tool.rates.launch_per_step) * best.steps;
    return (work + rest) * least < best.weighed;
  }

  const TrainingWork& work_;
  const TrainPhase& phase_;
  const Catalogue& catalogue_;
  const Machines& machines_;
  const Gpu& gpu_;
  int gpus_, nodes_;
  bool plain_fits_ = false;
  Tally* tally_;
  Tally uncounted_;  ///< of what is tried beside
  Software software_;
  TrainingCandidates candidates_;
  TrainingChoice choice_;
  const ErrorModel& errors_;
  std::vector<Tool> tools_;  ///< the frameworks of software_
};

/// The model that comes out: networks that learn as they are published, or what learnt beside frozen ones.
Bytes learnt(const TrainingWork& work, double weight_bytes) {
  if (work.phase->method != Method::kFull) return Bytes{work.trainable * weight_bytes};
  double bytes = 0;
  for (const ModelUse& use : work.phase->models)
    if (!use.frozen) bytes += use.params() * (use.custom ? weight_bytes : bytes_of(use.shape.native));
  return Bytes{bytes};
}

struct Found {
  PhaseEstimate estimate;
  Seconds weighed{};   ///< its time with the care that it takes (practice.h)
  bool plain = false;  ///< a way that cuts neither layers nor sequences fits on the GPUs
};

/// The best way on exactly so many GPUs.
std::optional<Found> on_gpus(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines,
                             int gpus, const StepBatch& batch, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  const Given* given = ignore_given ? nullptr : given_for(phase, machines.node.gpu->name, gpus, gpus);
  TrainingSearch search(workload, catalogue, machines, gpus, batch.sequences, given, tally);
  const BestTraining best = search.run();
  if (!best.any) return std::nullopt;

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
  estimate.batch_wanted = batch.wanted;
  estimate.batch_usual = batch.usual;
  estimate.mean_tokens = work.mean_tokens;
  estimate.sequence = static_cast<int>(std::ceil(work.sequence / work.rows));
  estimate.rows = static_cast<int>(work.rows);
  if (given != nullptr)
    apply_given(*given, {work.samples_total, estimate.tokens, best.steps}, given_units(*given, gpus, gpus),
                phase.overhead.share, estimate);
  const double saved = best.rates.weight_bytes + best.rates.master_bytes + best.rates.state_bytes;
  estimate.checkpoint_bytes = Bytes{work.trainable * saved};
  estimate.results_bytes = learnt(work, best.rates.weight_bytes);
  add_terms(workload, catalogue, estimate);
  return Found{estimate, best.weighed, search.plain_fits()};
}

/// What the job asks for; where that does not fit without the host's memory or cuts of layers, and the job leaves it
/// open, with a lighter optimizer if nothing else fits or it is faster, the care considered. Formats cost quality,
/// so a lighter one is not taken for speed where the full one fits.
std::optional<PhaseEstimate> on_gpus_or_lighter(const PhaseWorkload& workload, const Catalogue& catalogue,
                                                const Machines& machines, int gpus, const StepBatch& batch,
                                                bool ignore_given, Tally& tally) {
  auto first = on_gpus(workload, catalogue, machines, gpus, batch, ignore_given, tally);
  std::optional<PhaseEstimate> estimate;
  if (first) estimate = first->estimate;
  const bool fits = estimate && estimate->fit == Fit::kFits;
  if (first && first->plain) return estimate;
  const auto& train = std::get<TrainPhase>(workload.phase->work);
  const PracticeConstants& practice = catalogue.practice_constants;
  const Precision precision = training_precision(train, *machines.node.gpu, gpus);
  if (train.offload.given() || !may_be_lighter(practice, *workload.training, precision)) return estimate;
  Phase phase = *workload.phase;
  TrainPhase& other = std::get<TrainPhase>(phase.work);
  other = lighter(train);
  other.offload = {Offload::kNone, {}};
  auto work = training_work(other);
  if (!work) return estimate;
  const PhaseWorkload light{&phase,          workload.index,    *std::move(work), std::nullopt,
                            workload.let_go, workload.defaults, workload.errors};
  Tally tried;
  auto second = on_gpus(light, catalogue, machines, gpus, batch, ignore_given, tried);
  if (!second || second->estimate.fit != Fit::kFits) return estimate;
  PhaseEstimate& found = second->estimate;
  const std::vector<Optimizer>& known = found.framework->optimizers;
  if (std::ranges::find(known, other.optimizer.matrices) == known.end()) return estimate;
  if (fits && second->weighed > first->weighed) return estimate;
  // A job that states the optimizer hears what did not fit; this one hears of what it asked for.
  tried.nearest = {};
  tried.host = {};
  tally.add(tried);
  found.lighter = true;
  return found;
}

}  // namespace

namespace {

std::optional<PhaseEstimate> best_as_asked(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  const auto& train = std::get<TrainPhase>(phase.work);
  // Fewer GPUs than there are only when all of them can not be used (a batch of 4 on 8 GPUs, a framework of one machine
  // on two), may run out of memory where fewer do not, or are slowed by the host's memory more than fewer are.
  std::optional<PhaseEstimate> best;
  for (int gpus = machines.gpus; gpus >= 1;) {
    const StepBatch batch =
        step_batch(catalogue.practice_constants, *workload.training, train, machines.node.gpu->name, gpus);
    const int here = gpus;
    gpus = machines.exact ? 0 : fewer_gpus(batch, gpus);
    auto estimate = on_gpus_or_lighter(workload, catalogue, machines, here, batch, ignore_given, tally);
    if (!estimate) continue;
    const bool fits = estimate->fit == Fit::kFits, holds = fits && estimate->strategy.offload == Offload::kNone;
    const bool better =
        !best || (fits && best->fit != Fit::kFits) || (holds && estimate->work_by_model < best->work_by_model);
    if (better) best = estimate;
    // What the job says of so many GPUs is not held against a prediction for fewer.
    if (fits && (holds || train.offload.given() || best->model_interval)) break;
  }
  return best;
}

}  // namespace

std::optional<PhaseEstimate> best_training(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally) {
  auto best = best_as_asked(workload, catalogue, machines, ignore_given, tally);
  const auto& train = std::get<TrainPhase>(workload.phase->work);
  const Gpu& gpu = *machines.node.gpu;
  const bool fits = best && best->fit == Fit::kFits;
  const bool slow_halves = training_precision(train, gpu, machines.gpus) == Precision::kFp32 && gpu.fp16.value > 0;
  if (fits || train.precision.given() || !slow_halves) return best;
  // What has no room in 32 bit may have it in 16, slow as they are there.
  Phase phase = *workload.phase;
  TrainPhase& half = std::get<TrainPhase>(phase.work);
  half.precision = {Precision::kFp16, {}};
  auto work = training_work(half);
  if (!work) return best;
  const PhaseWorkload other{&phase,          workload.index,    *std::move(work), std::nullopt,
                            workload.let_go, workload.defaults, workload.errors};
  auto in_half = best_as_asked(other, catalogue, machines, ignore_given, tally);
  return in_half && (!best || in_half->fit == Fit::kFits) ? in_half : best;
}

}  // namespace gpuplan
