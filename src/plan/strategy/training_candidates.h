// Strategies for a training phase, enumerated: tensor x pipeline x context x expert cut, then micro-batch,
// recomputation, sharding and offload, as far as the job leaves them open and the frameworks run them. What each is
// worth a judge says. Nothing is allocated inside the loops.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "domain/facts/framework.h"
#include "domain/work/phase.h"
#include "model/training/training.h"
#include "plan/strategy/layer_table.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/training_choice.h"

namespace gpuplan {

/// What is looked at, in the order in which a person would: a later tier only where those before leave something to be
/// wished for.
enum class SearchTier {
  kData,         ///< copies, plain and sharded
  kCuts,         ///< layers, sequences or products cut
  kOffload,      ///< copies that keep something in the host's memory
  kOffloadCuts,  ///< both
};
constexpr bool cuts_layers(SearchTier tier) { return tier == SearchTier::kCuts || tier == SearchTier::kOffloadCuts; }
constexpr bool uses_host(SearchTier tier) { return tier == SearchTier::kOffload || tier == SearchTier::kOffloadCuts; }

/// A micro-batch, and its place among those to try: what depends on it alone is kept by its place.
struct Micro {
  int sequences = 1;
  std::size_t place = 0;
};

/// Says of each candidate what it is: what follows goes by it.
class StrategyJudge {
 public:
  virtual TrainingChoice::Judgement judge(const Strategy& strategy, Micro micro) = 0;
  /// Whether any candidate with the degrees of this one may be chosen; the others are not looked at.
  virtual bool may_pay(const Strategy& degrees) = 0;
  /// The same where micro-batch and offload are known too.
  virtual bool may_pay_on_host(const Strategy& strategy) = 0;
  /// Whether memory cannot hold it; counted then as judge() does, and not looked at otherwise.
  virtual bool too_big(const Strategy& strategy, Micro micro) = 0;
  /// Whether the host's memory cannot hold it, whatever micro-batch and recomputation, and nothing is left to be told
  /// of that; nullopt: not known yet.
  virtual std::optional<bool> short_of_host(const Strategy& strategy) = 0;

 protected:
  ~StrategyJudge() = default;
};

class TrainingCandidates {
 public:
  /// All that is given must outlive it. `batch`: sequences a step, 0 where it is open (step_batch.h); `frameworks`:
  /// those to choose from, best first.
  TrainingCandidates(const TrainingWork& work, const TrainPhase& phase, const NodeShape& node, int gpus, double batch,
                     const std::vector<const Framework*>& frameworks, StartFrom start);

  /// What all candidates of one walk share.
  struct Walk {
    std::size_t framework = 0;  ///< place of their framework
    Strategy start;             ///< its number, precision, compilation and attention
    SearchTier tier = SearchTier::kData;
    bool layers = true;                 ///< layers may be cut, and not sequences alone
    std::optional<double> plain_batch;  ///< sequences a step of the best way without cuts
  };
  /// Hands them to the judge one by one; those that can not be are counted in the tally.
  void each(const Walk& walk, StrategyJudge& judge, Tally& tally) const;

  /// Micro-batches to try; none when the batch has no divisor that the job allows.
  const std::vector<Micro>& micros() const { return micros_; }
  bool offload_fixed() const { return offload_.has_value(); }
  /// Context-parallel ranks at most.
  int most_context() const;
  LayerTable::Most most_degrees(bool cuts) const;

 private:
  class Walker;
  void set_micros();
  int experts() const;
  bool divides(int tp, int pp) const;
  int more_stages(int stages) const;
  bool runs(const Strategy& strategy, std::size_t framework) const;
  void leave_to_others(const Strategy& strategy, std::size_t framework, Tally& tally) const;
  bool hybrid(const Strategy& strategy) const;

  const TrainingWork& work_;
  const TrainPhase& phase_;
  const NodeShape& node_;
  const Gpu& gpu_;
  int gpus_, nodes_;
  const std::vector<const Framework*>& frameworks_;
  double batch_;  ///< sequences a step; 0: open
  StartFrom start_;
  bool asks_ = false;                   ///< the job fixes some of the strategy
  std::optional<Offload> offload_;      ///< as the job fixes it
  std::optional<Recompute> recompute_;  ///< the same
  std::vector<Micro> micros_;
};

}  // namespace gpuplan
