#include "plan/advice/spot_simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/searched.h"
#include "spot/checkpointing.h"

namespace gpuplan {
namespace {

/// 48 h of work in one piece with checkpoints of a minute every half hour, 5 %/h, $1 and $3 an hour.
Simulation simple() {
  Simulation simulation;
  SimulatedPiece piece;
  piece.name = "train";
  piece.work = exactly(units::hour * 48);
  piece.terms.rate = exactly(PerSecond{0.05 / 3600});
  piece.terms.checkpoint = Seconds{60};
  piece.terms.restart = Seconds{300};
  piece.interval = piece.terms.interval = Seconds{1800};
  simulation.pieces = {piece};
  simulation.rate = piece.terms.rate;
  simulation.restart = piece.terms.restart;
  simulation.spot_price = exactly(DollarsPerSecond{1.0 / 3600});
  simulation.on_demand_price = exactly(DollarsPerSecond{3.0 / 3600});
  simulation.billing.increment = Seconds{};
  return simulation;
}

bool same(const PolicyResult& a, const PolicyResult& b) {
  return a.hours_at == b.hours_at && a.cost_at == b.cost_at && a.hours.mean == b.hours.mean &&
         a.cost.mean == b.cost.mean && a.spot == b.spot && a.on_demand == b.on_demand && a.lost == b.lost &&
         a.interruptions == b.interruptions && a.late == b.late;
}

TEST(SpotSimulation, ThreadsDoNotChangeTheAnswer) {
  Simulation simulation = simple();
  simulation.pieces[0].work = {units::hour * 40, units::hour * 48, units::hour * 57.6};
  simulation.deadline = units::hour * 70;
  simulation.wait = units::minute * 40;
  simulation.trials = 3000;
  for (const auto& entry : Names<SpotPolicy>::entries)
    EXPECT_TRUE(same(simulate_policy(simulation, entry.value, 1), simulate_policy(simulation, entry.value, 2)))
        << entry.name;
}

TEST(SpotSimulation, SeedsAreTheHistories) {
  Simulation simulation = simple();
  const PolicyResult first = simulate_policy(simulation, SpotPolicy::kSpotOnly, 1);
  simulation.seed = 2;
  const PolicyResult second = simulate_policy(simulation, SpotPolicy::kSpotOnly, 1);
  EXPECT_FALSE(same(first, second));
  EXPECT_NEAR(first.hours.mean / second.hours.mean, 1, 0.01);
}

TEST(SpotSimulation, SpotAloneHasTheMeanOfTheClosedForm) {
  for (const double high : {0.05, 0.3}) {
    Simulation simulation = simple();
    SpotTerms& terms = simulation.pieces[0].terms;
    terms.rate = high == 0.05
                     ? exactly(PerSecond{0.05 / 3600})
                     : Interval<PerSecond>{PerSecond{0.05 / 3600}, PerSecond{0.12 / 3600}, PerSecond{0.3 / 3600}};
    simulation.rate = terms.rate;
    simulation.trials = 34'000;  // a multiple of the levels of an uncertain rate
    const PolicyResult result = simulate_policy(simulation, SpotPolicy::kSpotOnly, 2);
    const ExpectedRun expected = with_interruptions(terms, units::hour * 48);
    EXPECT_NEAR(result.hours.mean / expected.wall, 1, 0.003);
    EXPECT_NEAR(result.interruptions / expected.interruptions, 1, 0.03);
    EXPECT_NEAR(result.cost.mean.value, result.hours.mean / units::hour, 1e-6) << "$1 an hour";
  }
}

/// One rule: each rental is billed up to whole hours, in the plan as in the simulation.
TEST(SpotSimulation, HoursBegunCostThePlanWhatTheyCostTheSimulation) {
  for (const char* billing : {"{increment: 1 h}", "{increment: 1 h, minimum: 2 h}", "{}"}) {
    const Job job = job_of(
        std::string("where: {spot: only}\nspot: {interruptions: 20%/h, restart: 10 min}\ncheckpoint: {every: 30 min}\n"
                    "market: {use: only, offers: [{gpu: L4, price: $3/h, spot_price: $1/h, billing: ") +
        billing +
        "}]}\nphases: {name: a, train: {model: Qwen/Qwen3-8B, method: lora, data: {tokens: 40M}, sequence: 2048}}\n");
    const Searched searched(job);
    const Plan& plan = searched.pick();
    Simulation simulation = simulation_of(job, plan, *plan.offer, plan.offer, {}, {}, known().errors);
    simulation.trials = 34'000;
    const PolicyResult result = simulate_policy(simulation, SpotPolicy::kSpotOnly, 2);
    EXPECT_GT(result.interruptions, 1) << billing;
    EXPECT_NEAR(plan.cost.mean / result.cost.mean, 1, 0.015) << billing;
  }
}

TEST(SpotSimulation, MachinesOnDemandTakeTheirTime) {
  Simulation simulation = simple();
  simulation.buffer = 0.25;
  simulation.deadline = units::hour * 61;
  const PolicyResult result = simulate_policy(simulation, SpotPolicy::kOnDemand, 1);
  EXPECT_NEAR(result.hours.p10 / units::hour, 60, 1e-9);
  EXPECT_NEAR(result.hours.p90 / units::hour, 60, 1e-9);
  EXPECT_NEAR(result.cost.mean.value, 180, 1e-6);
  EXPECT_EQ(result.late, 0);
  simulation.deadline = units::hour * 59;
  EXPECT_EQ(simulate_policy(simulation, SpotPolicy::kOnDemand, 1).late, 1) << "the buffer counts";
}

TEST(SpotSimulation, UncertainWorkIsSpreadLikeItsInterval) {
  Simulation simulation = simple();
  simulation.rate = exactly(PerSecond{});
  simulation.pieces[0].work = {units::hour * 40, units::hour * 48, units::hour * 57.6};
  simulation.trials = 20'000;
  const PolicyResult result = simulate_policy(simulation, SpotPolicy::kOnDemand, 1);
  EXPECT_NEAR(result.hours.p10 / units::hour, 40, 0.5);
  EXPECT_NEAR(result.hours.p50 / units::hour, 48, 0.3);
  EXPECT_NEAR(result.hours.p90 / units::hour, 57.6, 0.6);
}

TEST(SpotSimulation, PoliciesNeedADeadlineOrAPrice) {
  Simulation simulation = simple();
  EXPECT_TRUE(can_simulate(simulation, SpotPolicy::kSpotOnly));
  EXPECT_TRUE(can_simulate(simulation, SpotPolicy::kOnDemand));
  EXPECT_FALSE(can_simulate(simulation, SpotPolicy::kGreedy));
  simulation.deadline = units::hour * 60;
  EXPECT_TRUE(can_simulate(simulation, SpotPolicy::kGreedy));
  simulation.on_demand_price.reset();
  EXPECT_FALSE(can_simulate(simulation, SpotPolicy::kGreedy));
  EXPECT_FALSE(can_simulate(simulation, SpotPolicy::kOnDemand));
  EXPECT_TRUE(can_simulate(simulation, SpotPolicy::kSpotOnly));
}

SimulationResult all_policies(const Simulation& simulation) {
  SimulationResult result;
  for (const auto& entry : Names<SpotPolicy>::entries)
    if (can_simulate(simulation, entry.value)) result.policies.push_back(simulate_policy(simulation, entry.value, 1));
  result.bound = simulate_bound(simulation);
  choose_best(simulation, result);
  return result;
}

TEST(SpotSimulation, ReplaysOfATrace) {
  // Two hours with machines, two without, again and again, from four starts.
  Simulation simulation = simple();
  Trace trace{Seconds{3600}, {}};
  for (int i = 0; i < 100; ++i) trace.machines.insert(trace.machines.end(), {1, 1, 0, 0});
  simulation.traces = {{"made up", runs_of(trace), {0, 1, 2, 3}}};
  simulation.pieces[0].terms.checkpoint = simulation.pieces[0].terms.interval = simulation.pieces[0].interval =
      Seconds{};
  simulation.deadline = units::hour * 60;
  EXPECT_EQ(simulation.histories(), 4) << "one for each start";
  EXPECT_NEAR(measured_rate(simulation.traces).value * 3600, 0.5, 1e-12) << "100 interruptions in 200 h";
  const SimulationResult result = all_policies(simulation);
  ASSERT_TRUE(result.bound);
  for (const PolicyResult& one : result.policies) {
    if (one.policy == SpotPolicy::kSpotOnly) {
      EXPECT_EQ(one.late, 1) << "48 h on spot take about 100 h";
    } else {
      EXPECT_EQ(one.late, 0) << name_of(one.policy);
      EXPECT_GE(one.cost.mean, result.bound->cost) << name_of(one.policy);
    }
  }
  EXPECT_NE(result.policies[*result.best].policy, SpotPolicy::kSpotOnly);
  EXPECT_NE(result.policies[*result.best].policy, SpotPolicy::kOnDemand) << "spot saves two thirds of its hours";
}

TEST(SpotSimulation, TheBestKeepsTheDeadlineFirst) {
  Simulation simulation = simple();
  simulation.deadline = units::hour * 52;
  simulation.wait = units::hour * 2;
  const SimulationResult tight = all_policies(simulation);
  EXPECT_GE(1 - tight.policies[*tight.best].late, 0.9);
  simulation.deadline = units::hour * 500;
  const SimulationResult loose = all_policies(simulation);
  EXPECT_EQ(loose.policies[*loose.best].policy, SpotPolicy::kSpotOnly) << "the first of equals";
  simulation.goal = Goal::kFastest;
  SimulationResult fastest = loose;
  choose_best(simulation, fastest);
  EXPECT_EQ(fastest.policies[*fastest.best].policy, SpotPolicy::kOnDemand);
}

TEST(SpotSimulation, WhatNeverEndsHasNoHours) {
  Simulation simulation = simple();
  simulation.traces = {{"gone", runs_of({Seconds{600}, {0}}), {}}};
  simulation.trials = 10;
  const PolicyResult result = simulate_policy(simulation, SpotPolicy::kSpotOnly, 1);
  EXPECT_EQ(result.unfinished, 1);
  EXPECT_TRUE(std::isinf(result.hours.p10.value));
  EXPECT_TRUE(std::isinf(result.cost.mean.value));
}

TEST(SpotSimulation, OtherIntervalsLoseTime) {
  const Simulation simulation = simple();
  const auto choices = interval_choices(simulation, simulation.pieces[0]);
  ASSERT_FALSE(choices.empty());
  EXPECT_EQ(choices.front().name, "best by search");
  for (const IntervalChoice& choice : choices) {
    EXPECT_GE(choice.more.value, -1e-6) << choice.name;
    EXPECT_NEAR(choice.dollars.value, choice.more / units::hour, 1e-9) << "$1 an hour";
    if (choice.name.starts_with("Daly 2006, higher")) {
      EXPECT_LT(choice.more, Seconds{60});
    }
    if (choice.name == "a quarter of the best") {
      EXPECT_GT(choice.more, units::minute * 30);
    }
  }
  Simulation free = simulation;
  free.pieces[0].terms.checkpoint = Seconds{};
  EXPECT_TRUE(interval_choices(free, free.pieces[0]).empty()) << "nothing to weigh";
}

/// Checkpoints that the job asks for are inside of the plan's hours once, on spot and on demand.
TEST(SpotSimulation, HoursAreThoseOfThePlanHoweverOftenItSaves) {
  for (const char* every : {"2 steps", "20 steps", "500 steps"})
    for (const char* spot : {"only", "never"}) {
      const Searched searched(job_of(std::string(R"(
market: {use: only, offers: [{gpu: A100 SXM 80GB, gpus: 8, price: $16/h, spot_price: $8/h, interruptions: 0.001%/h}]}
phases:
  - name: train
    train: {model: Llama-3.2-3B, data: {samples: 20k, tokens_per_sample: 2048}, epochs: 3, batch: 64}
    given: [{gpu: A100 SXM 80GB, gpus: 8, seconds_per_step: 10 s, exact: true}]
    checkpoint: {every: )") + every +
                                     "}\nwhere: {spot: " + spot + "}\n"));
      const Plan& plan = searched.pick();
      const Simulation simulation = simulation_of(searched.job, plan, *plan.offer, plan.offer, {}, {}, known().errors);
      const bool taken = spot == std::string_view("only");
      const PolicyResult result = simulate_policy(simulation, taken ? SpotPolicy::kSpotOnly : SpotPolicy::kOnDemand, 1);
      EXPECT_NEAR(result.hours.p50 / plan.hours.p50, 1, 0.02) << every << " " << spot;
      EXPECT_NEAR(result.hours.p90 / plan.hours.p90, 1, 0.05) << every << " " << spot;
      EXPECT_NEAR(result.cost.p50 / plan.cost.p50, 1, 0.02) << every << " " << spot;
    }
}

}  // namespace
}  // namespace gpuplan
