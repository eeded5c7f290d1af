// Level 4 of the search: one candidate at a time. Does it fit, how long does it take, is it the best so far?
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/facts/practice_constants.h"
#include "domain/work/phase.h"
#include "model/training/stage.h"
#include "model/training/training.h"
#include "plan/strategy/layer_table.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"

namespace gpuplan {

/// The best candidate so far, as little as the loops of the search need.
struct BestTraining {
  bool any = false;
  bool fits = false;
  Seconds time{};
  Seconds weighed{};  ///< time with the care that it takes (practice.h): what is compared
  Bytes need{};       ///< usable memory of a GPU from which on it fits
  Strategy strategy;
  TrainingEstimate estimate;
  TrainingRates rates;
  Spread spread;
  Interval<Bytes> memory{};
  double batch = 0;
  double steps = 0;
  int gpus = 0;
};

class TrainingChoice {
 public:
  /// What a candidate was found to be. `kOther`: it fits on the GPUs, and not on the host.
  enum class Verdict { kTooBig, kTight, kFits, kOther };
  struct Judgement {
    Verdict verdict = Verdict::kTooBig;
    Seconds time{};     ///< all of its work, if it fits or is tight
    double bubble = 0;  ///< share of that
  };

  /// For candidates on so many GPUs. `memory_given`: the user's own figure takes the place of the model's; may be null.
  /// Candidates are counted in the tally.
  TrainingChoice(const PhaseWorkload& workload, const PracticeConstants& practice, const Machines& machines, int gpus,
                 const Given* memory_given, Tally& tally);

  /// Rates of the candidates to come, and what is known of their spreads by circumstances: both must outlive them.
  void use(const TrainingRates& rates, const Habit& habit, std::vector<Spread>& spreads);

  /// Forgets what was found: what follows is tried on GPUs like these with so much usable memory, as if they were
  /// there, and is not counted. `faster_than`: what faster() is about.
  void start(Bytes usable, Seconds faster_than = {});

  /// REQUIRES: use() was called; the layers have its rates, and `micro` is the micro-batch's place there.
  Judgement consider(const Strategy& strategy, LayerTable& layers, std::size_t micro);
  /// Whether memory cannot hold it, counted then; what it can is not taken for a candidate.
  bool too_big(const Strategy& strategy, LayerTable& layers, std::size_t micro);
  /// StrategyJudge::short_of_host(); nothing is counted.
  std::optional<bool> short_of_host(const Strategy& strategy);

  const BestTraining& best() const { return best_; }
  bool fits() const { return best_.any && best_.fits; }
  /// The least `need` of all that was considered since the start, whether it fits or not.
  Bytes least_need() const { return least_need_; }
  /// The memory from which on something fits that takes less than start() said; nullopt: nothing is known that does.
  std::optional<Bytes> faster() const { return faster_; }

 private:
  /// What a candidate needs on its fullest GPU.
  struct Need {
    MemoryUse use;
    double scale = 1;  ///< of the spread (error.h)
    Bytes median{};    ///< of what cannot be given back
  };
  Need needed(const Strategy& strategy, const LayerCost& layer);
  bool too_big(const Strategy& strategy, const LayerCost& layer, const Need& need);
  const Spread& spread_of(const Strategy& strategy);
  const detail::Stages& stages_of(const Strategy& strategy);
  Bytes host_room(const Strategy& strategy) const;
  bool holds_on_host(const Strategy& strategy, Bytes wanted);
  void missed(const NearMiss& miss, const LayerCost& layer);
  Interval<Bytes> total(Bytes median, double spread) const;
  Bytes need_of(const Strategy& strategy, Bytes memory, Bytes host) const;
  Interval<Bytes> held(const Need& need, const Interval<Bytes>& needed, bool fits) const;
  Seconds with_risk(Seconds weighed, Bytes need, const Interval<Bytes>& memory) const;
  const PhaseWorkload& workload_;
  const TrainingWork& work_;
  const PracticeConstants& practice_;
  Weighing weigh_;
  const NodeShape& node_;
  int gpus_, nodes_;
  const Given* memory_given_;
  Tally* tally_;
  SameFor& same_for_;  ///< of all that is tried, counted or not
  Tally uncounted_;
  Bytes usable_;
  Bytes least_need_;
  Seconds faster_than_{};
  std::optional<Bytes> faster_;
  const TrainingRates* rates_ = nullptr;
  Habit habit_;
  std::vector<Spread>* spreads_ = nullptr;
  /// What candidates that come one after the other have in common, of the last that was asked of.
  struct {
    int micro_batch = 0, cp = 0, ep = 0;
    bool cut = false, offloads = false;
    std::size_t spread = 0;  ///< its place
  } labelled_;
  struct {
    int tp = 0, pp = 0, ep = 0;
    detail::Stages stages;
  } staged_;
  BestTraining best_;
  Seconds at_risk_{};  ///< of best_: what ways that fit as surely are compared by
};

/// The best way on so many GPUs, and whether one that cuts neither layers nor sequences fits on them
/// (training_search.cpp).
struct SearchedTraining {
  BestTraining best;
  bool plain = false;
};

/// What was found on more GPUs: only what takes less is of use here.
struct Sooner {
  Seconds than{};          ///< without the host's memory
  Seconds than_on_host{};  ///< and with it
  int micro_batch = 1;     ///< of what was found
};

/// `batch`: sequences a step, 0 where it is open; `given`: the user's own figures for these machines; may be null, as
/// may `sooner`.
SearchedTraining search_training(const PhaseWorkload& workload, const Catalogue& catalogue, const Machines& machines,
                                 int gpus, double batch, const Given* given, const Sooner* sooner, Tally& tally);

}  // namespace gpuplan
