#include "plan/advice/alternatives.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/software.h"

namespace gpuplan {

namespace {

/// The searches beside one that is done.
class Beside {
 public:
  Beside(const Job& job, const PhaseEstimate& chosen, const Catalogue& catalogue)
      : phase_(job.phases[static_cast<std::size_t>(chosen.phase)]),
        train_(std::get<TrainPhase>(phase_.work)),
        chosen_(chosen),
        catalogue_(catalogue),
        machines_{*chosen.node, chosen.nodes, chosen.gpus, true},
        counted_(counted_care(job.goal)) {
    phase_.given.clear();
    named_ = !train_.framework.empty();
  }

  std::vector<Alternative> run() {
    optimizer();
    compiled();
    sharding();
    recomputation();
    offload();
    tensor();
    pipeline();
    context();
    expert();
    micro_batch();
    framework();
    return std::move(found_);
  }

 private:
  /// The best way with the change, as far as the model knows.
  template <class Change>
  std::optional<Alternative> ask(Aspect aspect, Change change) const {
    Phase phase = phase_;
    auto& train = std::get<TrainPhase>(phase.work);
    train = as_run(train, chosen_);
    train.optimizer.stated = true;  // held, as the framework is
    // What fits on the GPUs stays there.
    const bool on_gpus =
        (chosen_.strategy.offload == Offload::kNone && aspect != Aspect::kOffload) || aspect == Aspect::kOptimizer;
    if (on_gpus && !train.offload.given()) train.offload = {Offload::kNone, {}};
    if (chosen_.framework != nullptr) train.framework = chosen_.framework->name;
    // The same steps, or the two could not be compared.
    if (!train.batch && !train.batch_by_gpu.given() && !train.accumulate.given())
      train.batch = BatchSize{chosen_.batch, {}};
    change(train);
    auto work = training_work(train);
    if (!work) return std::nullopt;
    PhaseWorkload workload{&phase, chosen_.phase, *std::move(work), std::nullopt};
    workload.care = counted_;
    Tally tally;
    const auto best = best_training(workload, catalogue_, machines_, true, tally);
    Alternative found;
    found.aspect = aspect;
    if (best) {
      found.strategy = best->strategy;
      found.framework = best->framework;
      found.memory = best->memory_total;
      const PracticeConstants& practice = catalogue_.practice_constants;
      const Habit habit = habit_of(*best, *workload.training), usual = habit_of(chosen_, *workload.training);
      const auto asks = [&](const PhaseEstimate& one, const Habit& whose) {
        Care care = care_of(practice, one.strategy, machines_.node, whose);
        care.points = 1;
        return Weighing(practice, machines_.gpus)(one.work_by_model, care) / one.work_by_model;
      };
      if (best->work_by_model > Seconds{} && chosen_.work_by_model > Seconds{})
        found.complexity_penalty = asks(*best, habit) / asks(chosen_, usual);
      found.factors = complexity_factors(practice, best->strategy, machines_.node, habit);
      found.factors_chosen = complexity_factors(practice, chosen_.strategy, machines_.node, usual);
      if (chosen_.work_by_model > Seconds{}) found.time = best->work_by_model / chosen_.work_by_model;
      // Of ways that may not fit the one most likely to was chosen: others are faster and less likely to.
      const bool worse = best->fit == Fit::kTight && (chosen_.fit == Fit::kFits || found.time <= 1);
      found.why = worse ? WhyNot::kTight : found.time > 1 ? WhyNot::kSlower : WhyNot::kNotWorthIt;
    } else if (tally.rejected[static_cast<std::size_t>(Misfit::kHostMemory)] > 0) {
      found.why = WhyNot::kHostMemory;
    } else if (tally.nearest.phase >= 0) {
      found.strategy = tally.nearest.strategy;
      found.memory = exactly(tally.nearest.needed);
      found.why = WhyNot::kMemory;
      if (found.strategy.framework >= 0)
        found.framework = &catalogue_.frameworks[static_cast<std::size_t>(found.strategy.framework)];
    } else {
      found.why = WhyNot::kImpossible;
    }
    return found;
  }

  Habit habit_of(const PhaseEstimate& estimate, const TrainingWork& work) const {
    if (named_ || estimate.framework == nullptr) return {1, work.params, false, counted_};
    const PracticeConstants& practice = catalogue_.practice_constants;
    const double care = framework_care(practice, *estimate.framework, work, machines_.nodes, counted_);
    return gpuplan::habit_of(practice, *estimate.framework, work, care, counted_);
  }

  void add(std::optional<Alternative> found) {
    if (!found || found->strategy == chosen_.strategy) return;
    // A pipeline may come out best together with tensor parallelism, which was told already.
    const auto same = [&](const Alternative& other) { return other.strategy == found->strategy; };
    if (std::ranges::any_of(found_, same)) return;
    if (found->why != WhyNot::kImpossible) found_.push_back(*found);
  }

  /// The best of several degrees.
  template <class Change>
  void add_best(Aspect aspect, int most, Change change) {
    std::optional<Alternative> best;
    for (int degree = 2; degree <= most; degree *= 2) {
      auto one = ask(aspect, [&](TrainPhase& train) { change(train, degree); });
      if (!one || one->why == WhyNot::kImpossible) continue;
      const bool better =
          !best || (one->time > 0 && best->time <= 0) ||
          (one->time > 0 ? one->time < best->time : best->time <= 0 && one->memory.p50 < best->memory.p50);
      if (better) best = one;
    }
    add(best);
  }

  /// Degrees as they are, so that one thing changes at a time.
  void keep_degrees(TrainPhase& train) const {
    const Strategy& s = chosen_.strategy;
    train.parallel = {s.dp, s.tp, s.pp, s.cp, s.ep, train.parallel.sharding};
  }

  /// Worth a word where it is clearly faster.
  void compiled() {
    constexpr double kClearly = 0.97;
    const Strategy& s = chosen_.strategy;
    if (train_.compile.given() || s.compile || s.offload != Offload::kNone || custom()) return;
    if (chosen_.framework == nullptr || !chosen_.framework->compile) return;
    auto found = ask(Aspect::kCompile, [&](TrainPhase& train) {
      keep_degrees(train);
      train.parallel.sharding = s.sharding;
      train.offload = {s.offload, {}};
      train.recompute = {s.recompute, {}};
      train.compile = {true, {}};
    });
    if (found && found->time > 0 && found->time <= kClearly) add(std::move(found));
  }

  void sharding() {
    const Strategy& s = chosen_.strategy;
    if (train_.parallel.sharding || s.dp * s.cp == 1) return;
    const auto with = [&](Sharding other) {
      return ask(Aspect::kSharding, [&](TrainPhase& train) {
        keep_degrees(train);
        train.parallel.sharding = other;
      });
    };
    if (shards_weights(s.sharding)) {
      add(with(Sharding::kZero2));
      if (s.sharding == Sharding::kHsdp) add(with(Sharding::kZero3));
    }
    if (s.sharding != Sharding::kNone) add(with(Sharding::kNone));
    else add(with(Sharding::kZero3));
  }

  void recomputation() {
    const Strategy& s = chosen_.strategy;
    if (train_.recompute.given() || s.recompute == Recompute::kNone) return;
    const auto with = [&](Recompute other) {
      return ask(Aspect::kRecompute, [&](TrainPhase& train) {
        keep_degrees(train);
        train.parallel.sharding = s.sharding;
        train.offload = {s.offload, {}};
        train.recompute = {other, {}};
      });
    };
    if (s.recompute == Recompute::kFull && chosen_.framework != nullptr && chosen_.framework->recompute_selective)
      add(with(Recompute::kSelective));
    add(with(Recompute::kNone));
  }

  void offload() {
    if (train_.offload.given() || chosen_.strategy.offload == Offload::kNone) return;
    add(ask(Aspect::kOffload, [](TrainPhase& train) { train.offload = {Offload::kNone, {}}; }));
  }

  void tensor() {
    const Strategy& s = chosen_.strategy;
    if (train_.parallel.tp || custom()) return;
    if (s.tp > 1) {
      add(ask(Aspect::kTensor, [](TrainPhase& train) { train.parallel.tp = 1; }));
    } else {
      add_best(Aspect::kTensor, std::min(machines_.node.gpus, machines_.gpus),
               [](TrainPhase& train, int degree) { train.parallel.tp = degree; });
    }
  }

  void pipeline() {
    const Strategy& s = chosen_.strategy;
    if (train_.parallel.pp || custom()) return;
    if (s.pp > 1) {
      add(ask(Aspect::kPipeline, [](TrainPhase& train) { train.parallel.pp = 1; }));
    } else {
      add_best(Aspect::kPipeline, std::min(8, machines_.gpus),
               [&](TrainPhase& train, int degree) { train.parallel.pp = degree; });
    }
  }

  void context() {
    const Strategy& s = chosen_.strategy;
    if (train_.parallel.cp || custom()) return;
    constexpr int kLong = 16384;  // tokens: nobody asks about it below
    if (s.cp > 1) {
      add(ask(Aspect::kContext, [](TrainPhase& train) { train.parallel.cp = 1; }));
    } else if (train_.sequence.value_or(0) >= kLong && machines_.gpus > 1) {
      add_best(Aspect::kContext, std::min(8, machines_.gpus),
               [](TrainPhase& train, int degree) { train.parallel.cp = degree; });
    }
  }

  void expert() {
    const Strategy& s = chosen_.strategy;
    if (train_.parallel.ep || custom() || train_.models.front().shape.experts == 0) return;
    if (s.ep > 1) {
      add(ask(Aspect::kExpert, [](TrainPhase& train) { train.parallel.ep = 1; }));
    } else {
      add_best(Aspect::kExpert, std::min(machines_.node.gpus, machines_.gpus),
               [](TrainPhase& train, int degree) { train.parallel.ep = degree; });
    }
  }

  /// Twice as many sequences at once.
  void micro_batch() {
    const Strategy& s = chosen_.strategy;
    if (train_.micro.given() || train_.accumulate.given() || custom()) return;
    add(ask(Aspect::kMicroBatch, [&](TrainPhase& train) {
      keep_degrees(train);
      train.parallel.sharding = s.sharding;
      train.offload = {s.offload, {}};
      train.micro = {s.micro_batch * 2, {}};
    }));
  }

  /// The best of the others that people would think of, all else open; of all where the way chosen waits for links or
  /// recomputes, or has no script. One that is far faster is told beside it, whatever the care, and one that launch
  /// writes a program for beside others that it does not.
  void framework() {
    if (chosen_.framework == nullptr) return;
    TrainPhase train = as_run(train_, chosen_);
    train.framework.clear();
    const auto work = training_work(train);
    if (!work) return;
    const Software software =
        training_software(catalogue_, *work, *machines_.node.gpu, machines_.gpus, machines_.nodes, counted_);
    const Strategy& s = chosen_.strategy;
    const bool waits = s.offload != Offload::kNone || s.recompute == Recompute::kFull ||
                       (shards_weights(s.sharding) && !fast_links(machines_.node)) || !chosen_.framework->scripts;
    const std::span all(software.frameworks);
    std::optional<Alternative> best, fastest, written;  // care considered, and not; of those with scripts
    for (std::size_t i = 0; i < (waits ? all.size() : software.usual); ++i) {
      if (all[i] == chosen_.framework) continue;
      const auto one = ask(Aspect::kFramework, [&](TrainPhase& train) { train.framework = all[i]->name; });
      if (!one || one->time <= 0) continue;
      if (!best || one->weighed() < best->weighed()) best = one;
      if (one->why == WhyNot::kNotWorthIt && (!fastest || one->time < fastest->time)) fastest = one;
      if (all[i]->scripts && (!written || one->weighed() < written->weighed())) written = one;
    }
    // Who names one has a reason, which a small gain is none against.
    constexpr double kMuch = 0.5;
    if (named_ && (!best || best->time > kMuch)) return;
    const bool far = fastest && best && fastest->time * kFarFaster <= best->time;
    if (!chosen_.framework->scripts && written && !best->framework->scripts) add(std::move(written));
    add(std::move(best));
    if (far) add(std::move(fastest));
  }

  /// Less precise weights and states: worth a word where nothing asks for them and they are far faster.
  void optimizer() {
    constexpr double kFar = 0.7;
    const Precision precision = chosen_.strategy.precision;
    auto work = training_work(train_);
    if (chosen_.lighter || !work || !may_be_lighter(catalogue_.practice_constants, *work, precision)) return;
    auto found = ask(Aspect::kOptimizer, [](TrainPhase& train) { train = lighter(train); });
    if (found && found->time > 0 && found->time <= kFar && found->why == WhyNot::kNotWorthIt) add(std::move(found));
  }

  bool custom() const { return train_.models.front().custom.has_value(); }

  Phase phase_;
  const TrainPhase& train_;
  const PhaseEstimate& chosen_;
  const Catalogue& catalogue_;
  Machines machines_;
  double counted_;      ///< share of care that counts
  bool named_ = false;  ///< the job names the framework
  std::vector<Alternative> found_;
};

}  // namespace

PhaseEstimate Alternative::in_place_of(PhaseEstimate chosen) const {
  chosen.strategy = strategy;
  chosen.framework = framework;
  chosen.lighter = chosen.lighter || aspect == Aspect::kOptimizer;
  return chosen;
}

std::vector<Alternative> alternatives(const Job& job, const PhaseEstimate& chosen, const Catalogue& catalogue) {
  const Phase& phase = job.phases[static_cast<std::size_t>(chosen.phase)];
  if (!chosen.node || chosen.node->gpu == nullptr || !std::holds_alternative<TrainPhase>(phase.work)) return {};
  return Beside(job, chosen, catalogue).run();
}

}  // namespace gpuplan
