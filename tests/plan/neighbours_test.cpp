// Schedules near another one, and what they take by the medians.
#include "plan/machines/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gpuplan {
namespace {

/// Three stages in a row on three machines of one GPU: a slow one, a fast one, and one that others beat in both.
ChoiceProblem three_in_a_row() {
  ChoiceProblem problem;
  problem.machines.resize(3);
  const double prices[] = {1, 5, 6};
  for (std::size_t m = 0; m < 3; ++m) problem.machines[m].price = DollarsPerSecond{prices[m]};
  for (int i = 0; i < 3; ++i) {
    Stage stage;
    if (i > 0) stage.needs = {i - 1};
    stage.times = {Seconds{100}, Seconds{40}, Seconds{60}};
    stage.gpus = {1, 1, 1};
    problem.stages.push_back(stage);
  }
  return problem;
}

bool among(const std::vector<ChosenSchedule>& near, const ChosenSchedule& schedule) {
  return std::ranges::find(near, schedule) != near.end();
}

TEST(Neighbours, WhatAScheduleTakes) {
  ChoiceProblem problem = three_in_a_row();
  problem.machines[0].billing.minimum = Seconds{250};
  problem.machines[1].billing.startup = Seconds{10};
  problem.stages[1].dollars = {Dollars{7}, Dollars{9}, Dollars{}};
  // The slow machine is held from 0 to 250 and paid for as long; the fast one starts for 10 s and runs for 40.
  const auto told = by_medians(problem, {{0, {0, 2}}, {1, {1}}});
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->hours, Seconds{250});
  EXPECT_EQ(told->cost, Dollars{250 * 1 + 50 * 5 + 9});
  EXPECT_EQ(told->work, Seconds{240});
  problem.stages[1].times[1] = kNowhere;
  EXPECT_FALSE(by_medians(problem, {{0, {0, 2}}, {1, {1}}}).has_value());
}

TEST(Neighbours, WhatThereIsOneOfIsNotTakenTwiceAtATime) {
  ChoiceProblem problem = three_in_a_row();
  problem.machines[0].side_by_side = false;
  EXPECT_TRUE(by_medians(problem, {{0, {0}}, {0, {1}}, {0, {2}}}).has_value()) << "one after the other";
  problem.stages[1].needs = {};
  EXPECT_FALSE(by_medians(problem, {{0, {0}}, {0, {1}}, {0, {2}}}).has_value());
}

TEST(Neighbours, NoMoreGpusAreHeldAtOneTimeThanThereAre) {
  ChoiceProblem problem = three_in_a_row();
  problem.machines[0].gpus = 4;
  problem.machines[1].gpus = 8;
  problem.rooms = {8};
  for (MachineTerms& terms : problem.machines) terms.rooms = {0};
  const ChosenSchedule both = {{0, {0}}, {1, {1}}, {0, {2}}};
  EXPECT_TRUE(by_medians(problem, both).has_value()) << "one after the other";
  problem.stages[1].needs = {};
  EXPECT_FALSE(by_medians(problem, both).has_value()) << "12 of 8";
  problem.machines[1].gpus = 4;
  EXPECT_TRUE(by_medians(problem, both).has_value());
  problem.rooms = {12};
  problem.machines[1].gpus = 8;
  EXPECT_TRUE(by_medians(problem, both).has_value());
}

TEST(Neighbours, OneThingIsOtherwise) {
  ChoiceProblem problem = three_in_a_row();
  const ChosenSchedule schedule = {{0, {0, 1}}, {1, {2}}};
  const auto near = neighbours(problem, schedule);
  EXPECT_TRUE(among(near, {{1, {0, 1}}, {1, {2}}})) << "other machines";
  EXPECT_TRUE(among(near, {{0, {0}}, {1, {2}}, {1, {1}}})) << "machines of its own";
  EXPECT_TRUE(among(near, {{0, {0}}, {1, {1, 2}}})) << "those of another stage";
  EXPECT_TRUE(among(near, {{0, {0, 1, 2}}})) << "the same, and its own are not taken";
  EXPECT_TRUE(among(near, {{0, {0, 1}}, {0, {2}}})) << "all of one kind";
  for (const ChosenSchedule& one : near)
    for (const ChosenMachines& held : one) EXPECT_NE(held.machine, 2) << "slower and dearer than another";
  problem.keep = false;
  EXPECT_FALSE(among(neighbours(problem, schedule), {{0, {0, 1, 2}}})) << "every stage has its own";
}

TEST(Neighbours, WhatStaysOnMachinesIsNotTakenAway) {
  ChoiceProblem problem = three_in_a_row();
  problem.stages[0].lends = true;
  problem.stages[1].stays = true;
  for (const ChosenSchedule& one : neighbours(problem, {{0, {0, 1}}, {1, {2}}}))
    EXPECT_TRUE(std::ranges::any_of(one, [](const ChosenMachines& held) {
      return std::ranges::find(held.stages, 0) != held.stages.end() &&
             std::ranges::find(held.stages, 1) != held.stages.end();
    }));
}

}  // namespace
}  // namespace gpuplan
