#include "plan/strategy/practice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plan/answer/plan.h"

namespace gpuplan {

namespace {

bool wider_than_a_machine(int ranks, const NodeShape& node) { return ranks > node.gpus; }

/// The smaller a model, the less is there to be cut.
double for_small(const PracticeConstants& practice, const Habit& habit) {
  return habit.params > 0 ? 1 + practice.cut_params / habit.params : 1;
}

double PracticeConstants::* of_sharding(Sharding sharding) {
  switch (sharding) {
    case Sharding::kNone:
      break;
    case Sharding::kZero1:
      return &PracticeConstants::zero1;
    case Sharding::kZero2:
      return &PracticeConstants::zero2;
    case Sharding::kZero3:
      return &PracticeConstants::zero3;
    case Sharding::kHsdp:
      return &PracticeConstants::hybrid;
  }
  return nullptr;
}

/// Hands `visit` each constant that this way of running takes, and by how much more it counts.
template <class Visit>
void for_each_factor(const PracticeConstants& practice, const Strategy& s, const NodeShape& node, const Habit& habit,
                     const Visit& visit) {
  using P = PracticeConstants;
  const double small = for_small(practice, habit);
  if (double P::* const sharding = of_sharding(s.sharding)) visit(sharding, 1);
  if (s.tp > 1) visit(fast_links(node) ? &P::tensor : &P::tensor_over_pcie, small);
  if (s.pp > 1) visit(&P::pipeline, small);
  if (s.interleave > 1) visit(&P::interleave, 1);
  if (s.cp > 1) visit(&P::context, 1);
  if (s.ep > 1) visit(wider_than_a_machine(s.ep * s.tp * s.cp, node) ? &P::expert_across : &P::expert, 1);
  if (s.offload != Offload::kNone) visit(&P::offload, 1);
}

}  // namespace

bool same_chip(const Gpu& one, const Gpu& other) {
  return one.architecture == other.architecture && one.sms == other.sms && one.link_kind == other.link_kind;
}

bool fast_links(const NodeShape& node) {
  return node.direct_link() && (node.link_kind != LinkKind::kNvlinkPairs || node.gpus == 2);
}

StartFrom start_from(const PracticeConstants& practice, const TrainingWork& work) {
  const TrainPhase& train = *work.phase;
  if (train.start) return *train.start;
  if (train.method != Method::kFull || train.objective != Objective::kNextToken) return StartFrom::kWeights;
  const bool drawn = std::ranges::all_of(train.models, [](const ModelUse& use) { return use.drawn || use.custom; });
  const double tokens = work.sequences_total * work.mean_tokens;
  const bool corpus = !train.data.samples && tokens >= practice.scratch_tokens * work.params;
  return drawn || corpus ? StartFrom::kScratch : StartFrom::kWeights;
}

TrainingKind kind_of(const PracticeConstants& practice, const TrainingWork& work) {
  TrainingKind kind;
  kind.start = start_from(practice, work);
  if (work.phase->method != Method::kFull || work.phase->objective != Objective::kNextToken) return kind;
  const double tokens = work.sequences_total * work.mean_tokens;
  kind.pretraining = kind.start == StartFrom::kScratch ? 1 : tokens / (tokens + practice.pretrain_tokens);
  return kind;
}

double pretraining_share(const PracticeConstants& practice, const TrainingWork& work) {
  return kind_of(practice, work).pretraining;
}

bool mostly_pretraining(const PracticeConstants& practice, const TrainingWork& work) {
  return pretraining_share(practice, work) >= 0.5;
}

bool left_open(const Framework& framework, Method method) {
  const bool adapters = method == Method::kLora || method == Method::kQlora;
  return adapters ? framework.auto_adapters : framework.auto_full;
}

bool joins_samples(const Framework& framework, const TrainPhase& train, StartFrom start) {
  return train.data.samples && start == StartFrom::kWeights &&
         std::ranges::find(framework.limits, FrameworkLimit::kJoins, &LimitRow::limit) != framework.limits.end();
}

bool thought_of(const Framework& framework, const TrainPhase& train, const TrainingKind& kind) {
  const bool known =
      (kind.pretraining > 0 && framework.pretrain > 0) || (kind.pretraining < 1 && framework.fine_tune > 0);
  return known && left_open(framework, train.method) && !joins_samples(framework, train, kind.start);
}

bool thought_of(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work) {
  return thought_of(framework, *work.phase, kind_of(practice, work));
}

double counted_care(Goal goal) {
  // Below that, one framework or cut looks faster than another because the model is not exact.
  constexpr double kAlone = 0.1;
  return goal == Goal::kCheapest || goal == Goal::kFastest ? kAlone : 1;
}

Habit habit_of(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work, double care,
               double counted) {
  const TrainingKind kind = kind_of(practice, work);
  return {care, work.params, kind.pretraining <= 0 && !thought_of(framework, *work.phase, kind), counted};
}

double framework_care(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work,
                      int nodes, double counted) {
  return framework_care(practice, framework, work, kind_of(practice, work), nodes, counted);
}

double framework_care(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work,
                      const TrainingKind& kind, int nodes, double counted) {
  const double by_hand = framework.scripts ? 1 : practice.without_script;
  const auto alone = [&](double care) { return (1 + (care - 1) * counted) * by_hand; };
  if (!thought_of(framework, *work.phase, kind)) return alone(practice.other_framework);
  const double share = kind.pretraining;
  // A framework that is thought of for one kind only has the same standing for the other, where it comes up at all.
  const double tune = framework.fine_tune > 0 ? framework.fine_tune : framework.pretrain;
  const double pretrain = framework.pretrain > 0 ? framework.pretrain : framework.fine_tune;
  const double ease = framework.eased_by > 0 ? 1 / (1 + work.params * nodes / framework.eased_by) : 1;
  double care = tune + (1 + (pretrain - 1) * ease - tune) * share;
  if (work.moe && !framework.expert) care *= 1 + (practice.dense_framework - 1) * share;
  return alone(care);
}

namespace {

/// What a way asks for, and what it would of a model so large that cutting it asks for no more.
struct Penalty {
  double all = 1, large = 1;
};

Penalty penalty_of(const PracticeConstants& practice, const Strategy& strategy, const NodeShape& node,
                   const Habit& habit) {
  double all = habit.framework, large = habit.framework;
  for_each_factor(practice, strategy, node, habit, [&](double PracticeConstants::* one, double more) {
    all *= 1 + (practice.*one - 1) * more * habit.counted;
    large *= 1 + (practice.*one - 1) * habit.counted;
  });
  // Cuts in a framework that people think of for no fine-tuning ask for both in full, and the more the smaller the
  // model is: a day or two of setup for what nobody does with small ones.
  const bool cut = strategy.tp * strategy.pp * strategy.cp > 1;
  const bool odd = cut && habit.odd;
  if (odd) return {all * (1 + (for_small(practice, habit) - 1) * habit.counted), large};
  return {std::min(all, practice.most), std::min(large, practice.most)};
}

}  // namespace

double complexity_penalty(const PracticeConstants& practice, const Strategy& strategy, const NodeShape& node,
                          const Habit& habit) {
  return penalty_of(practice, strategy, node, habit).all;
}

Care care_of(const PracticeConstants& practice, const Strategy& strategy, const NodeShape& node, const Habit& habit) {
  const auto [all, large] = penalty_of(practice, strategy, node, habit);
  // That nobody cuts small models is no matter of setting it up.
  return {all, practice.lasting * (large - 1) + (all - large), weight_of_points(practice, complexity(strategy))};
}

Weighing::Weighing(const PracticeConstants& practice, double gpus)
    : full_(practice.effort / (practice.gpu_hour * gpus + practice.waited_hour) * units::hour) {}

std::vector<CareFactor> complexity_factors(const PracticeConstants& practice, const Strategy& strategy,
                                           const NodeShape& node, const Habit& habit) {
  std::vector<CareFactor> factors;
  for_each_factor(practice, strategy, node, habit, [&](double PracticeConstants::* one, double more) {
    const auto row = std::ranges::find(kPracticeConstants, one, &PracticeConstant::field);
    factors.push_back({row->name, 1 + (practice.*one - 1) * more * habit.counted});
  });
  if (habit.framework > 1) factors.push_back({"framework", habit.framework});
  return factors;
}

double weight_of_points(const PracticeConstants& practice, int points) { return 1 + practice.each_point * points; }

Care most_care(const PracticeConstants& practice) {
  return {practice.most, practice.most - 1, weight_of_points(practice, kMostPoints)};
}

int complexity(const Strategy& s) {
  return (s.tp > 1 ? 2 : 0) + (s.pp > 1 ? 3 : 0) + (s.interleave > 1 ? 1 : 0) + (s.cp > 1 ? 2 : 0) +
         (s.ep > 1 ? 2 : 0) + (s.offload != Offload::kNone ? 2 : 0) + (s.recompute != Recompute::kNone ? 1 : 0) +
         static_cast<int>(s.sharding) + (s.compile ? 1 : 0);
}

bool may_be_lighter(const PracticeConstants& practice, const TrainingWork& work, Precision precision) {
  const TrainPhase& train = *work.phase;
  const OptimizerChoice& optimizer = train.optimizer;
  const bool eight_bit = optimizer.matrices == Optimizer::kAdam8bit && optimizer.rest == Optimizer::kAdam8bit;
  const bool open = !optimizer.stated || eight_bit;
  return train.method == Method::kFull && !work.custom && open && !train.master_weights && !train.optimizer_state &&
         precision == Precision::kBf16 && start_from(practice, work) != StartFrom::kScratch;
}

double lighter_asks(const PracticeConstants& practice, const TrainingWork& work) {
  return 1 + (practice.most - 1) * std::max(0.0, 2 * pretraining_share(practice, work) - 1);
}

TrainPhase lighter(TrainPhase train) {
  train.optimizer = {Optimizer::kAdam8bit, Optimizer::kAdam8bit, true};
  train.master_weights = Format::kBf16;
  return train;
}

TrainPhase as_run(const TrainPhase& train, const PhaseEstimate& estimate) {
  return estimate.lighter ? lighter(train) : train;
}

}  // namespace gpuplan
