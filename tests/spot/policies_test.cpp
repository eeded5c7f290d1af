#include "spot/policies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "spot/checkpointing.h"

namespace gpuplan {
namespace {

constexpr std::array kWithNet = {SpotPolicy::kGreedy, SpotPolicy::kTimeSliced, SpotPolicy::kUniformProgress,
                                 SpotPolicy::kUniformProgressIdle};

/// The rules once more, as plainly as possible: the clock ticks, and at each tick everything is looked at anew. Exact
/// when all times are multiples of a tick.
class Ticking {
 public:
  Ticking(const SpotTask& task, SpotPolicy policy, const Trace& trace, int start, double tick)
      : task_(task), policy_(policy), trace_(trace), start_(start), tick_(tick), total_(task.work().value) {
    left_ = total_;
    piece_left_ = task.pieces.front().work.value;
  }

  SpotOutcome run() {
    while (piece_ < task_.pieces.size()) {
      for (bool again = true; again && piece_ < task_.pieces.size();) again = look();
      if (piece_ < task_.pieces.size()) pass();
    }
    outcome_.wall = Seconds{time_};
    outcome_.in_time = task_.deadline <= Seconds{} || time_ <= task_.deadline.value + 1e-6;
    return outcome_;
  }

 private:
  enum class Phase {
    kIdle,
    kSpotDelay,
    kSpotWork,
    kSpotWrite,
    kSpotLastWrite,
    kDemandDelay,
    kDemandWork,
    kDemandWrite
  };

  bool up() const {
    const auto ticks =
        static_cast<std::size_t>(start_) + static_cast<std::size_t>(std::floor(time_ / trace_.gap.value + 1e-9));
    return trace_.machines[ticks % trace_.machines.size()] >= 1;
  }
  const SpotPiece& piece() const { return task_.pieces[piece_]; }
  bool net() const { return needs_deadline(policy_); }
  double slack() const { return net() ? task_.deadline.value - time_ - left_ : 1e18; }
  double done() const { return total_ - left_; }
  double pace() const { return total_ / task_.deadline.value; }
  double first_or_restart() const { return outcome_.starts == 0 ? task_.first_start.value : task_.restart.value; }
  double to_checkpoint() const {
    return piece().interval > Seconds{} ? std::min(piece().interval.value - since_, piece_left_) : piece_left_;
  }
  double at_risk() const { return piece().checkpoint.value + (piece().saved_by_notice ? 0 : to_checkpoint()); }
  double reserve() const { return first_or_restart() + at_risk() + task_.restart.value; }
  bool can_risk(double save) const { return slack() + 1e-6 >= save + reserve(); }
  double slice_target() const { return total_ * slice_ / task_.slices; }
  double slice_net() const {
    return task_.deadline.value * slice_ / task_.slices - (slice_target() - done()) - reserve();
  }
  void next_slice() {
    while (slice_ < task_.slices && done() + 1e-6 >= slice_target()) ++slice_;
  }
  bool uniform() const {
    return policy_ == SpotPolicy::kUniformProgress || policy_ == SpotPolicy::kUniformProgressIdle;
  }

  double hysteresis() const {
    return std::max(2 * task_.restart.value, policy_ == SpotPolicy::kUniformProgressIdle ? 60.0 : 0.0);
  }

  void take(Phase phase) {
    wait_ = first_or_restart();
    ++outcome_.starts;
    phase_ = phase;
  }
  void on_demand(bool for_good) {
    for_good_ = for_good_ || for_good;
    take(Phase::kDemandDelay);
  }
  void done_work(double work) {
    piece_left_ -= work;
    left_ -= work;
    since_ += work;
    if (piece().interval > Seconds{} && since_ >= piece().interval.value - 1e-6) since_ = 0;
    if (piece_left_ > 1e-6) return;
    ++piece_;
    since_ = 0;
    piece_left_ = piece_ < task_.pieces.size() ? piece().work.value : 0;
  }

  /// One decision; true when there may be another at this instant.
  bool look() {
    switch (phase_) {
      case Phase::kIdle:
        return idle();
      case Phase::kSpotDelay:
        if (!up()) return interrupted();
        if (wait_ > 1e-6) return false;
        return begin_segment();
      case Phase::kSpotWork:
        if (segment_left_ <= 1e-6 && piece().checkpoint <= Seconds{}) return written();
        if (!up()) {
          if (!piece().saved_by_notice) {
            outcome_.lost += Seconds{fresh_};
            return interrupted();
          }
          ++outcome_.interruptions;
          wait_ = piece().checkpoint.value;
          phase_ = Phase::kSpotLastWrite;
          return true;
        }
        if (segment_left_ > 1e-6) return false;
        wait_ = piece().checkpoint.value;
        phase_ = Phase::kSpotWrite;
        return true;
      case Phase::kSpotWrite:
        if (wait_ <= 1e-6) return written();
        if (up()) return false;
        if (!piece().saved_by_notice) {
          outcome_.lost += Seconds{fresh_};
          return interrupted();
        }
        ++outcome_.interruptions;
        phase_ = Phase::kSpotLastWrite;
        return true;
      case Phase::kSpotLastWrite:
        if (wait_ > 1e-6) return false;
        outcome_.work_on_spot += Seconds{fresh_};
        done_work(fresh_);
        phase_ = Phase::kIdle;
        return true;
      case Phase::kDemandDelay:
        if (wait_ > 1e-6) return false;
        phase_ = Phase::kDemandWork;
        return true;
      case Phase::kDemandWork:
        return demand();
      case Phase::kDemandWrite:
        if (wait_ > 1e-6) return false;
        phase_ = Phase::kIdle;
        return true;
    }
    return false;
  }

  bool interrupted() {
    ++outcome_.interruptions;
    phase_ = Phase::kIdle;
    return true;
  }

  bool begin_segment() {
    if (slack() + 1e-6 < at_risk() + task_.restart.value) {
      on_demand(true);
      return true;
    }
    segment_left_ = to_checkpoint();
    fresh_ = 0;
    phase_ = Phase::kSpotWork;
    return true;
  }
  bool written() {
    outcome_.work_on_spot += Seconds{fresh_};
    done_work(fresh_);
    return piece_ == task_.pieces.size() || begin_segment();
  }

  bool idle() {
    if (policy_ == SpotPolicy::kOnDemand || for_good_) {
      on_demand(true);
      return true;
    }
    if (up() && can_risk(0)) {
      take(Phase::kSpotDelay);
      return true;
    }
    if (net() && slack() <= reserve() + 1e-6) {
      on_demand(true);
      return true;
    }
    if (policy_ == SpotPolicy::kTimeSliced) {
      next_slice();
      if (slice_net() <= time_ + 1e-6) {
        on_demand(false);
        return true;
      }
    }
    if (uniform() && done() <= pace() * time_ + 1e-6) {
      on_demand(false);
      return true;
    }
    return false;
  }

  bool demand() {
    if (for_good_) return false;
    if (policy_ == SpotPolicy::kTimeSliced) {
      if (slice_ == task_.slices || done() + 1e-6 < slice_target()) return false;
      if (!up()) {
        next_slice();
        if (slice_net() <= time_ + 1e-6) return false;
      }
    } else if (done() + 1e-6 < pace() * (time_ + hysteresis())) {
      return false;
    }
    if (!up() && policy_ == SpotPolicy::kUniformProgress) return false;
    if (!can_risk(piece().checkpoint.value)) {
      for_good_ = true;
      return true;
    }
    wait_ = piece().checkpoint.value;
    phase_ = Phase::kDemandWrite;
    return true;
  }

  void pass() {
    const Seconds tick{tick_};
    switch (phase_) {
      case Phase::kIdle:
        outcome_.waited += tick;
        break;
      case Phase::kSpotWork:
        outcome_.spot += tick;
        fresh_ += tick_;
        segment_left_ -= tick_;
        break;
      case Phase::kSpotDelay:
      case Phase::kSpotWrite:
      case Phase::kSpotLastWrite:
        outcome_.spot += tick;
        wait_ -= tick_;
        break;
      case Phase::kDemandDelay:
      case Phase::kDemandWrite:
        outcome_.on_demand += tick;
        wait_ -= tick_;
        break;
      case Phase::kDemandWork:
        outcome_.on_demand += tick;
        outcome_.work_on_demand += tick;
        done_work(tick_);
        break;
    }
    time_ += tick_;
  }

  const SpotTask& task_;
  SpotPolicy policy_;
  const Trace& trace_;
  int start_;
  double tick_, total_;
  double left_ = 0, piece_left_ = 0, since_ = 0, time_ = 0, wait_ = 0, segment_left_ = 0;
  double fresh_ = 0;  ///< work on spot that no checkpoint holds yet
  std::size_t piece_ = 0;
  Phase phase_ = Phase::kIdle;
  bool for_good_ = false;
  int slice_ = 1;
  SpotOutcome outcome_;
};

Trace random_trace(Random& random) {
  Trace trace{Seconds{600}, {}};
  const double stays = 0.5 + 0.48 * random.uniform01(), away = 0.5 + 0.48 * random.uniform01();
  bool up = random.uniform01() < 0.5;
  const std::uint64_t ticks = 40 + random.below(300);
  for (std::uint64_t i = 0; i < ticks; ++i) {
    trace.machines.push_back(up ? 1 : 0);
    if (random.uniform01() > (up ? stays : away)) up = !up;
  }
  trace.machines[0] = 1;  // some machine, so that spot alone ends
  trace.machines[1] = 1;
  return trace;
}

/// Works, deadlines and delays in multiples of ten seconds; half of the deadline is work, so that even paces cross at
/// such times too.
SpotTask random_task(Random& random) {
  const auto pick = [&](std::initializer_list<double> values) {
    return Seconds{values.begin()[random.below(values.size())]};
  };
  SpotTask task;
  const std::uint64_t pieces = 1 + random.below(3);
  for (std::uint64_t i = 0; i < pieces; ++i)
    task.pieces.push_back({.work = Seconds{static_cast<double>(1 + random.below(300)) * 400},
                           .interval = pick({0, 900, 3600, 7210}),
                           .checkpoint = pick({0, 30, 120}),
                           .saved_by_notice = random.uniform01() < 0.5});
  task.restart = pick({0, 120, 720});
  task.first_start = random.uniform01() < 0.5 ? task.restart : Seconds{};
  task.slices = static_cast<int>(pick({1, 2, 4}).value);
  task.deadline = task.work() * 2;
  task.horizon = Seconds{1e9};
  return task;
}

TEST(Policies, ShortWorkOutlastsALongWaitForMachines) {
  for (const double work : {0.001, 1.0, 60.0}) {
    SpotTask task;
    task.pieces.push_back({.work = Seconds{work}});
    task.first_start = Seconds{120};
    const Lifetimes lives = Lifetimes::exponential(PerSecond{1.0 / 3600}, 1);
    int waiting = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Random random(seed, 23);
      const SpotOutcome drawn = simulate(task, SpotPolicy::kSpotOnly, {lives, Seconds{1800}}, random);
      EXPECT_TRUE(drawn.finished) << work << " s of work, seed " << seed;
      waiting += drawn.waited > Seconds{} ? 1 : 0;
    }
    EXPECT_GT(waiting, 40) << "machines are away a third of the time";

    Trace trace{Seconds{600}, std::vector<int>(200, 0)};
    trace.machines.back() = 1;
    EXPECT_TRUE(replay(task, SpotPolicy::kSpotOnly, runs_of(trace), 0).finished) << work;
    trace.machines.back() = 0;
    EXPECT_FALSE(replay(task, SpotPolicy::kSpotOnly, runs_of(trace), 0).finished) << "no machine ever";
  }
}

TEST(Policies, FromEventToEventIsTickByTick) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed, 17);
    const Trace trace = random_trace(random);
    const TraceRuns runs = runs_of(trace);
    const SpotTask task = random_task(random);
    const int start = static_cast<int>(random.below(trace.machines.size()));
    for (const auto& entry : Names<SpotPolicy>::entries) {
      // Intervals that are lost again and again may never end on spot alone.
      const bool may_stick =
          std::ranges::any_of(task.pieces, [](const SpotPiece& piece) { return !piece.saved_by_notice; });
      if (entry.value == SpotPolicy::kSpotOnly && may_stick) continue;
      const SpotOutcome got = replay(task, entry.value, runs, start);
      const SpotOutcome expected = Ticking(task, entry.value, trace, start, 10).run();
      const std::string where = "seed " + std::to_string(seed) + ", " + std::string(entry.name);
      ASSERT_NEAR(got.wall.value, expected.wall.value, 1e-3) << where;
      ASSERT_NEAR(got.spot.value, expected.spot.value, 1e-3) << where;
      ASSERT_NEAR(got.on_demand.value, expected.on_demand.value, 1e-3) << where;
      ASSERT_NEAR(got.work_on_spot.value, expected.work_on_spot.value, 1e-3) << where;
      ASSERT_NEAR(got.work_on_demand.value, expected.work_on_demand.value, 1e-3) << where;
      ASSERT_NEAR(got.lost.value, expected.lost.value, 1e-3) << where;
      ASSERT_NEAR(got.waited.value, expected.waited.value, 1e-3) << where;
      ASSERT_EQ(got.interruptions, expected.interruptions) << where;
      ASSERT_EQ(got.starts, expected.starts) << where;
      ASSERT_EQ(got.in_time, expected.in_time) << where;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2000);
}

TEST(Policies, RaggedTimesEndToo) {
  const Lifetimes lives = Lifetimes::exponential(PerSecond{0.05 / 3600});
  SpotTask task;
  task.restart = Seconds{300};
  task.deadline = units::hour * 70;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    Random random(5, i);
    task.pieces = {{units::hour * (48 * math::exp(random.normal() * 0.14)), Seconds{1800}, Seconds{60}, false}};
    for (const SpotPolicy policy : kWithNet) {
      Random history(7, i);
      const SpotOutcome outcome = simulate(task, policy, {lives, units::minute * 40}, history);
      ASSERT_TRUE(outcome.finished);
      ASSERT_EQ(outcome.in_time, task.feasible()) << i << " " << name_of(policy);
    }
  }
}

/// 48 h of work, 60 h of time, restarts of 12 min, as in the paper.
SpotTask paper() {
  SpotTask task;
  task.pieces = {{.work = units::hour * 48}};
  task.deadline = units::hour * 60;
  task.restart = task.first_start = units::minute * 12;
  return task;
}

TEST(Policies, TheSafetyNetKeepsEveryFeasibleDeadline) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed, 3);
    const TraceRuns runs = runs_of(random_trace(random));
    SpotTask task = random_task(random);
    // From hardly possible to generous.
    task.deadline = task.work() + task.first_start + Seconds{random.uniform01() < 0.2 ? 0 : random.exponential(20000)};
    ASSERT_TRUE(task.feasible());
    const int start = static_cast<int>(random.below(static_cast<std::uint64_t>(runs.ticks())));
    for (const SpotPolicy policy : kWithNet) {
      const SpotOutcome outcome = replay(task, policy, runs, start);
      ASSERT_TRUE(outcome.in_time) << "seed " << seed << ", " << name_of(policy) << ": " << outcome.wall.value << " of "
                                   << task.deadline.value;
    }
  }
}

TEST(Policies, EveryHistoryAddsUp) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed, 5);
    const TraceRuns runs = runs_of(random_trace(random));
    const SpotTask task = random_task(random);
    for (const SpotPolicy policy : kWithNet) {
      const SpotOutcome outcome = replay(task, policy, runs, 0);
      ASSERT_TRUE(outcome.finished);
      ASSERT_NEAR((outcome.work_on_spot + outcome.work_on_demand).value, task.work().value, 1e-3);
      ASSERT_NEAR((outcome.spot + outcome.on_demand + outcome.waited).value, outcome.wall.value, 1e-3);
      ASSERT_GE(outcome.spot.value, (outcome.work_on_spot + outcome.lost).value - 1e-3);
      ASSERT_LE(outcome.interruptions, outcome.starts);
    }
  }
}

TEST(Policies, OnDemandIsWorkAndOneStart) {
  const TraceRuns runs = runs_of({Seconds{600}, {0, 1, 0}});
  const SpotOutcome outcome = replay(paper(), SpotPolicy::kOnDemand, runs, 1);
  EXPECT_NEAR(outcome.on_demand / units::hour, 48.2, 1e-9);
  EXPECT_NEAR(outcome.wall / units::hour, 48.2, 1e-9);
  EXPECT_EQ(outcome.spot, Seconds{});
  EXPECT_EQ(outcome.starts, 1);
}

TEST(Policies, GreedyIsSpotOnlyWhenTheDeadlineIsFar) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 7);
    const TraceRuns runs = runs_of(random_trace(random));
    SpotTask task = paper();
    task.deadline = units::hour * 100'000;
    const SpotOutcome greedy = replay(task, SpotPolicy::kGreedy, runs, 0);
    const SpotOutcome spot = replay(task, SpotPolicy::kSpotOnly, runs, 0);
    if (!spot.finished) continue;
    ASSERT_EQ(greedy.on_demand, Seconds{});
    ASSERT_NEAR(greedy.wall.value, spot.wall.value, 1e-3);
    ASSERT_EQ(greedy.interruptions, spot.interruptions);
  }
}

TEST(Policies, OneSliceIsGreedy) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 9);
    const TraceRuns runs = runs_of(random_trace(random));
    SpotTask task = paper();
    task.slices = 1;
    ASSERT_NEAR(replay(task, SpotPolicy::kTimeSliced, runs, 0).on_demand.value,
                replay(task, SpotPolicy::kGreedy, runs, 0).on_demand.value, 1e-3);
  }
}

TEST(Policies, GreedyWorkedByHand) {
  // Spot for the first hour and never again: 0.8 h of work on it, then idle until 59.6 - 47.2 h, where the net (two
  // restarts) catches the rest.
  std::vector<std::int32_t> machines(400, 0);
  std::fill_n(machines.begin(), 6, 1);
  const SpotOutcome outcome = replay(paper(), SpotPolicy::kGreedy, runs_of({Seconds{600}, machines}), 0);
  EXPECT_NEAR(outcome.work_on_spot / units::hour, 0.8, 1e-9);
  EXPECT_NEAR(outcome.spot / units::hour, 1.0, 1e-9);
  EXPECT_NEAR(outcome.waited / units::hour, 60 - 47.2 - 0.4 - 1, 1e-6);
  EXPECT_NEAR(outcome.on_demand / units::hour, 47.4, 1e-6);
  EXPECT_NEAR(outcome.wall / units::hour, 59.8, 1e-6) << "one of the two restarts is left";
  EXPECT_EQ(outcome.interruptions, 1);
}

TEST(Policies, UniformProgressWorkedByHand) {
  // No spot at first: on demand at once. The pace is 0.8; on demand gains 0.2 h an hour on it after losing 0.16 h in
  // the start, and must be ahead by 0.8 x 0.4 h: (0.16 + 0.32) / 0.2 = 2.4 h after the start, at 2.6 h. Spot is there
  // from 4 h on for good, so it leaves at 4 h.
  std::vector<std::int32_t> machines(24, 0);
  machines.resize(2000, 1);
  const TraceRuns late = runs_of({Seconds{600}, machines});
  const SpotOutcome outcome = replay(paper(), SpotPolicy::kUniformProgress, late, 0);
  EXPECT_NEAR(outcome.on_demand / units::hour, 4.0, 1e-9);
  EXPECT_NEAR(outcome.work_on_spot / units::hour, 48 - 3.8, 1e-9);
  // With spot from 2 h on it still is on demand until it is ahead: 0.2 h delay + s, 0.8 (2.x + 0.4) crossed at 2.6 h.
  std::vector<std::int32_t> sooner(12, 0);
  sooner.resize(2000, 1);
  const SpotOutcome early = replay(paper(), SpotPolicy::kUniformProgress, runs_of({Seconds{600}, sooner}), 0);
  EXPECT_NEAR(early.on_demand / units::hour, 2.6, 1e-6);
  // By the other reading it gives the machine back at 2.6 h and waits until the pace has caught up: 2.4 / 0.8 = 3 h.
  const SpotOutcome idle = replay(paper(), SpotPolicy::kUniformProgressIdle, late, 0);
  EXPECT_NEAR(idle.waited / units::hour, 0.4, 1e-6);
  EXPECT_EQ(idle.starts, 3);
}

TEST(Policies, SpotAloneAgreesWithTheClosedForm) {
  for (const double rate : {0.05, 0.3, 1.0})
    for (const double checkpoint : {0.0, 60.0, 300.0})
      for (const double notice : {0.0, 600.0})
        for (const double wait : {0.0, 1800.0}) {
          const Lifetimes lives = Lifetimes::exponential(PerSecond{rate / 3600});
          Recoverable how;
          how.work = units::hour * 48;
          how.interval = units::hour;
          how.checkpoint = Seconds{checkpoint};
          how.restart = Seconds{300};
          how.notice = Seconds{notice};
          how.wait = Seconds{wait};
          SpotTask task;
          task.pieces = {{how.work, how.interval, how.checkpoint, how.warned()}};
          task.restart = how.restart;
          constexpr int kTrials = 4000;
          double sum = 0, squares = 0, billed = 0;
          for (int i = 0; i < kTrials; ++i) {
            Random random(11, static_cast<std::uint64_t>(i));
            const SpotOutcome outcome = simulate(task, SpotPolicy::kSpotOnly, {lives, how.wait}, random);
            sum += outcome.wall.value;
            squares += outcome.wall.value * outcome.wall.value;
            billed += outcome.spot.value;
          }
          const double mean = sum / kTrials;
          const double error = std::sqrt((squares / kTrials - mean * mean) / kTrials);
          const ExpectedRun expected = expected_run(lives, how);
          // At the very start machines may be away; the closed form begins with them.
          const double away = wait / (wait + 3600 / rate) * wait;
          EXPECT_NEAR(mean - away, expected.wall.value, 4 * error)
              << rate << " " << checkpoint << " " << notice << " " << wait;
          EXPECT_NEAR(billed / kTrials, expected.billed.value, 4 * error);
        }
}

TEST(Policies, LivesOfADayAtMostAreInterruptedEveryDay) {
  const Lifetimes lives = Lifetimes::bathtub({});
  SpotTask task;
  task.pieces = {{.work = units::hour * 100}};
  for (std::uint64_t i = 0; i < 50; ++i) {
    Random random(1, i);
    const SpotOutcome outcome = simulate(task, SpotPolicy::kSpotOnly, {lives, Seconds{}}, random);
    EXPECT_GE(outcome.interruptions, 4) << "five machines at least for a hundred hours";
    EXPECT_NEAR(outcome.wall / units::hour, 100, 1e-6) << "nothing is lost and restarts are free";
  }
}

TEST(Policies, EachTimeAMachineIsTakenIsBilledByTheRules) {
  SpotTask task;
  task.pieces = {{.work = units::hour * 2}};
  task.billing = {.minimum = units::hour, .increment = units::hour};
  task.billed = [](Seconds held, const Billing& billing) {
    return std::ceil(std::max(held, billing.minimum) / billing.increment) * billing.increment;
  };
  // Machines for 30 minutes, away for 30, again and again: four times half an hour, each billed as one.
  const SpotOutcome outcome = replay(task, SpotPolicy::kSpotOnly, runs_of({Seconds{1800}, {1, 0}}), 0);
  EXPECT_EQ(outcome.spot / units::hour, 4);
  EXPECT_NEAR(outcome.wall / units::hour, 3.5, 1e-9);
}

TEST(Policies, PartsWithoutAMachineCostNothing) {
  SpotTask task;
  task.pieces = {{.work = units::hour}, {.work = units::hour * 3, .on_machine = false}, {.work = units::hour}};
  task.restart = units::minute * 6;
  task.deadline = units::hour * 5.1;
  EXPECT_TRUE(task.feasible());
  const TraceRuns runs = runs_of({Seconds{600}, {1}});
  const SpotOutcome spot = replay(task, SpotPolicy::kSpotOnly, runs, 0);
  EXPECT_NEAR(spot.spot / units::hour, 2.1, 1e-9);
  EXPECT_NEAR(spot.wall / units::hour, 5.1, 1e-9);
  EXPECT_TRUE(replay(task, SpotPolicy::kOnDemand, runs, 0).in_time);
  task.deadline = units::hour * 5;
  EXPECT_FALSE(task.feasible());
}

TEST(Policies, WhatNeverEndsIsGivenUp) {
  const SpotOutcome never = replay(paper(), SpotPolicy::kSpotOnly, runs_of({Seconds{600}, {0, 0}}), 0);
  EXPECT_FALSE(never.finished);
  EXPECT_FALSE(never.in_time);
  // Machines that stay for ten minutes never get through a restart of twelve.
  const SpotOutcome hopeless = replay(paper(), SpotPolicy::kSpotOnly, runs_of({Seconds{600}, {1, 0}}), 0);
  EXPECT_FALSE(hopeless.finished);
  EXPECT_GT(hopeless.interruptions, 100);
  EXPECT_TRUE(replay(paper(), SpotPolicy::kGreedy, runs_of({Seconds{600}, {1, 0}}), 0).in_time);
}

TEST(Policies, NobodyPaysLessThanTheLowerBound) {
  const DollarsPerSecond spot{0.97 / 3600}, on_demand{3.06 / 3600};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed, 13);
    const TraceRuns runs = runs_of(random_trace(random));
    const SpotTask task = random_task(random);
    const LowerBound bound = lower_bound(task, runs, 0, spot, on_demand);
    for (const SpotPolicy policy : kWithNet)
      ASSERT_LE(bound.cost.value, cost_of(replay(task, policy, runs, 0), spot, on_demand).value + 1e-9)
          << "seed " << seed << ", " << name_of(policy);
  }
}

TEST(Policies, LowerBoundWorkedByHand) {
  // Runs of 2 h and 1 h; restarts of 0.2 h. 1.8 + 0.8 h of the 48 on spot, 45.4 h and a start on demand.
  std::vector<std::int32_t> machines(360, 0);
  std::fill_n(machines.begin() + 10, 12, 1);
  std::fill_n(machines.begin() + 50, 6, 1);
  const LowerBound bound = lower_bound(paper(), runs_of({Seconds{600}, machines}), 0, DollarsPerSecond{1.0 / 3600},
                                       DollarsPerSecond{3.0 / 3600});
  EXPECT_NEAR(bound.work_on_spot / units::hour, 2.6, 1e-9);
  EXPECT_NEAR(bound.spot / units::hour, 3.0, 1e-9);
  EXPECT_NEAR(bound.on_demand / units::hour, 45.6, 1e-9);
  EXPECT_NEAR(bound.cost.value, 3 + 3 * 45.6, 1e-9);
}

}  // namespace
}  // namespace gpuplan
