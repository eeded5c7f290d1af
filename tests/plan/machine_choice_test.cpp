// The choice of machines by dynamic programming against every schedule there is, and worked numbers.
#include "plan/machines/machine_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/random.h"
#include "plan/billing/timeline.h"

namespace gpuplan {
namespace {

using Points = std::vector<std::pair<double, double>>;

Points frontier_of(Points points) {
  std::ranges::sort(points);
  Points best;
  for (const auto& point : points)
    if (best.empty() || point.second < best.back().second - 1e-9) {
      if (!best.empty() && point.first <= best.back().first + 1e-9) best.pop_back();
      best.push_back(point);
    }
  return best;
}

Module order_of(const ChoiceProblem& problem) {
  std::vector<std::vector<int>> needs;
  for (const Stage& stage : problem.stages) needs.push_back(stage.needs);
  return series_parallel(needs).value();
}

/// For machines held so long.
Dollars bill(const MachineTerms& terms, Seconds held) {
  if (terms.billing.increment <= units::second) return terms.price * std::max(held, terms.billing.minimum);
  return terms.price * billed_seconds(held, terms.billing);
}

/// Time and money of machines chosen and held as given, phase by phase: the definition. nullopt when it breaks a rule.
std::optional<std::pair<double, double>> outcome_of(const ChoiceProblem& problem,
                                                    const std::vector<ChosenMachines>& held) {
  const std::size_t size = problem.stages.size();
  std::vector<int> lease(size, -1);
  std::vector<LeaseCapacity> leases;
  for (std::size_t h = 0; h < held.size(); ++h) {
    const MachineTerms& terms = problem.machines[static_cast<std::size_t>(held[h].machine)];
    leases.push_back({terms.gpus, terms.billing.startup});
    for (const int stage : held[h].stages) lease[static_cast<std::size_t>(stage)] = static_cast<int>(h);
  }
  std::vector<Slot> slots(size);
  std::vector<Seconds> durations(size);
  Dollars dollars{};
  for (std::size_t i = 0; i < size; ++i) {
    const Stage& stage = problem.stages[i];
    slots[i].needs = stage.needs;
    slots[i].on_machine = stage.machine;
    if (!stage.machine) {
      durations[i] = stage.times.front();
      continue;
    }
    const auto machine = static_cast<std::size_t>(held[static_cast<std::size_t>(lease[i])].machine);
    slots[i].lease = lease[i];
    slots[i].gpus = stage.gpus[machine];
    durations[i] = stage.times[machine];
    dollars += stage.beside(static_cast<int>(machine));
    if (durations[i] == kNowhere) return std::nullopt;
  }
  Timeline timeline(slots, leases);
  timeline.place(durations);
  for (std::size_t h = 0; h < held.size(); ++h) {
    const MachineTerms& terms = problem.machines[static_cast<std::size_t>(held[h].machine)];
    const auto [from, to] = timeline.held(h);
    dollars += bill(terms, (to - from - (terms.billing.startup_billed ? Seconds{} : terms.billing.startup)));
  }
  return std::pair{timeline.end().value, dollars.value};
}

/// Every way to put stages of a chain on machines and to keep these, at most one idle beside another.
Points every_schedule(const ChoiceProblem& problem) {
  Points points;
  std::vector<ChosenMachines> held;
  const int machines = static_cast<int>(problem.machines.size());
  // `current`: the lease that a next stage may go on with; -1: none.
  const auto place = [&](const auto& self, std::size_t i, int current) -> void {
    if (i == problem.stages.size()) {
      if (const auto point = outcome_of(problem, held)) points.push_back(*point);
      return;
    }
    if (!problem.stages[i].machine) return self(self, i + 1, current);
    if (current >= 0) {
      held[static_cast<std::size_t>(current)].stages.push_back(static_cast<int>(i));
      self(self, i + 1, current);
      held[static_cast<std::size_t>(current)].stages.pop_back();
    }
    for (int machine = 0; machine < machines; ++machine) {
      held.push_back({machine, {static_cast<int>(i)}});
      const int fresh = static_cast<int>(held.size()) - 1;
      self(self, i + 1, fresh);
      if (current >= 0 && held[static_cast<std::size_t>(current)].machine != machine) self(self, i + 1, current);
      held.pop_back();
    }
  };
  place(place, 0, -1);
  return frontier_of(std::move(points));
}

Points chosen(const ChoiceProblem& problem, const MachineChoice& choice) {
  Points points;
  for (std::size_t p = 0; p < choice.frontier().size(); ++p) {
    const MachineChoice::Point& point = choice.frontier()[p];
    points.emplace_back(point.time.value, point.cost.value);
    // What it says is what its machines really take and cost.
    const auto outcome = outcome_of(problem, choice.machines_of(p));
    EXPECT_TRUE(outcome.has_value());
    EXPECT_NEAR(outcome->first, point.time.value, 1e-6);
    EXPECT_NEAR(outcome->second, point.cost.value, 1e-6);
  }
  return frontier_of(std::move(points));
}

void expect_equal(const Points& a, const Points& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i].first, b[i].first, 1e-6);
    EXPECT_NEAR(a[i].second, b[i].second, 1e-6);
  }
}

/// Whole numbers of seconds and dollars, so that ties are real.
class Rolls {
 public:
  explicit Rolls(std::uint64_t seed) : random_(seed) {}
  int roll(int from, int to) {
    return from + static_cast<int>(random_.next() % static_cast<std::uint64_t>(to - from + 1));
  }

 private:
  Random random_;
};

ChoiceProblem some_chain(std::uint64_t seed, int stages, int machines) {
  Rolls dice(seed);
  ChoiceProblem problem;
  for (int m = 0; m < machines; ++m) {
    MachineTerms terms;
    terms.price = DollarsPerSecond{static_cast<double>(dice.roll(1, 9))};
    terms.gpus = 8;
    terms.billing.startup = Seconds{static_cast<double>(dice.roll(0, 2) * 5)};
    terms.billing.startup_billed = dice.roll(0, 1) == 1;
    if (dice.roll(0, 2) == 0) terms.billing.minimum = Seconds{40};
    if (dice.roll(0, 2) == 0) terms.billing.increment = Seconds{static_cast<double>(dice.roll(1, 3) * 20)};
    problem.machines.push_back(terms);
  }
  for (int i = 0; i < stages; ++i) {
    Stage stage;
    if (i > 0) stage.needs = {i - 1};
    stage.machine = dice.roll(0, 4) > 0;
    for (int m = 0; m < (stage.machine ? machines : 1); ++m) {
      stage.times.push_back(stage.machine && dice.roll(0, 6) == 0 ? kNowhere
                                                                  : Seconds{static_cast<double>(dice.roll(1, 60))});
      stage.gpus.push_back(1);
      if (stage.machine && seed % 3 == 0) stage.dollars.push_back(Dollars{static_cast<double>(dice.roll(0, 90))});
    }
    problem.stages.push_back(stage);
  }
  return problem;
}

TEST(MachineChoice, FindsWhatNoScheduleOfAChainBeats) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const ChoiceProblem problem = some_chain(seed, 4 + static_cast<int>(seed % 2), 3);
    const Module order = order_of(problem);
    const MachineChoice choice(problem, order);
    EXPECT_TRUE(choice.exact());
    const Points all = every_schedule(problem);
    SCOPED_TRACE(seed);
    expect_equal(chosen(problem, choice), all);
    compared += static_cast<int>(all.size());
  }
  EXPECT_GT(compared, 300) << "frontiers of more than a point";
}

/// A fork into two phases and a join, after a first phase.
ChoiceProblem diamond(std::uint64_t seed) {
  ChoiceProblem problem = some_chain(seed, 4, 3);
  problem.stages[2].needs = {0};
  problem.stages[3].needs = {1, 2};
  for (Stage& stage : problem.stages) stage.machine = true;
  Rolls dice(seed + 1000);
  for (Stage& stage : problem.stages) {
    stage.times.resize(3, Seconds{7});
    if (!stage.dollars.empty()) stage.dollars.resize(3, Dollars{11});
    stage.gpus.assign(3, dice.roll(1, 8));
  }
  return problem;
}

/// Every way to group the four stages into leases with a machine each. A group runs stages one after the other, or
/// both of the fork.
Points every_diamond(const ChoiceProblem& problem) {
  Points points;
  std::vector<ChosenMachines> held;
  const auto place = [&](const auto& self, int i) -> void {
    if (i == 4) {
      if (const auto point = outcome_of(problem, held)) points.push_back(*point);
      return;
    }
    for (std::size_t h = 0; h < held.size(); ++h) {
      held[h].stages.push_back(i);
      self(self, i + 1);
      held[h].stages.pop_back();
    }
    for (int machine = 0; machine < 3; ++machine) {
      held.push_back({machine, {i}});
      self(self, i + 1);
      held.pop_back();
    }
  };
  place(place, 0);
  return frontier_of(std::move(points));
}

TEST(MachineChoice, FindsWhatNoScheduleOfADiamondBeats) {
  int equal = 0;
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const ChoiceProblem problem = diamond(seed);
    const Module order = order_of(problem);
    const MachineChoice choice(problem, order);
    const Points mine = chosen(problem, choice);
    const Points all = every_diamond(problem);
    // Every way that machines may be shared.
    EXPECT_TRUE(choice.exact());
    for (const auto& [time, cost] : all) {
      const bool reached =
          std::ranges::any_of(mine, [&](const auto& p) { return p.first <= time + 1e-6 && p.second <= cost + 1e-6; });
      ++(reached ? equal : better);
      if (!reached) ADD_FAILURE() << "seed " << seed << " " << time << " " << cost;
    }
    for (const auto& [time, cost] : mine) {
      EXPECT_TRUE(std::ranges::any_of(all, [&](const auto& p) {
        return p.first <= time + 1e-6 && p.second <= cost + 1e-6;
      })) << "a point that no schedule reaches";
    }
  }
  EXPECT_GT(equal, 200);
  EXPECT_EQ(better, 0);
}

/// Two machines: a big one, and a small one at a quarter of the price that takes twice the time for the second phase.
ChoiceProblem two_machines() {
  ChoiceProblem problem;
  problem.machines.resize(2);
  problem.machines[0].price = DollarsPerSecond{8};
  problem.machines[0].gpus = 8;
  problem.machines[1].price = DollarsPerSecond{1};
  Stage train;
  train.times = {Seconds{100}, Seconds{1000}};
  train.gpus = {8, 1};
  Stage look;
  look.times = {Seconds{50}, Seconds{50}};
  look.gpus = {1, 1};
  look.needs = {0};
  problem.stages = {train, look};
  return problem;
}

TEST(MachineChoice, ASmallMachineForThePhaseThatNeedsNoMore) {
  const ChoiceProblem problem = two_machines();
  const Module order = order_of(problem);
  const MachineChoice choice(problem, order);
  // 800 + 50 on the small one; nothing is cheaper or faster.
  ASSERT_EQ(choice.frontier().size(), 1U);
  EXPECT_EQ(choice.frontier()[0].time, Seconds{150});
  EXPECT_EQ(choice.frontier()[0].cost, Dollars{850});
  const auto machines = choice.machines_of(0);
  ASSERT_EQ(machines.size(), 2U);
  EXPECT_EQ(machines[0].machine, 0);
  EXPECT_EQ(machines[1].machine, 1);
}

TEST(MachineChoice, APhaseThatStaysKeepsItsMachine) {
  ChoiceProblem problem = two_machines();
  problem.stages[0].lends = true;
  problem.stages[1].stays = true;
  const Module order = order_of(problem);
  for (const bool keep : {true, false}) {
    problem.keep = keep;
    const MachineChoice choice(problem, order);
    ASSERT_EQ(choice.frontier().size(), 2U);
    EXPECT_EQ(choice.frontier()[0].cost, Dollars{8 * 150});
    EXPECT_EQ(choice.frontier()[1].cost, Dollars{1050}) << "both on the small one: 1050 s";
    EXPECT_EQ(choice.machines_of(0).size(), 1U);
  }
}

TEST(MachineChoice, MachinesThatTakeLongToStartAreKept) {
  ChoiceProblem problem = two_machines();
  for (MachineTerms& terms : problem.machines) terms.billing.startup = Seconds{200};
  const Module order = order_of(problem);
  const MachineChoice choice(problem, order);
  ASSERT_EQ(choice.frontier().size(), 3U);
  EXPECT_EQ(choice.frontier()[0].time, Seconds{350}) << "one start";
  EXPECT_EQ(choice.frontier()[0].cost, Dollars{8 * 350});
  EXPECT_EQ(choice.frontier()[1].time, Seconds{550}) << "two starts";
  EXPECT_EQ(choice.frontier()[1].cost, Dollars{8 * 300 + 250});
  EXPECT_EQ(choice.frontier()[2].cost, Dollars{1250});
}

TEST(MachineChoice, WhatThereIsOnceIsNotTakenTwiceAtATime) {
  ChoiceProblem problem = two_machines();
  problem.stages[1].needs.clear();
  problem.machines.resize(1);
  for (Stage& stage : problem.stages) {
    stage.times.resize(1);
    stage.gpus = {8};
  }
  const Module order = order_of(problem);
  problem.machines[0].side_by_side = false;
  const MachineChoice pool(problem, order);
  ASSERT_EQ(pool.frontier().size(), 1U);
  EXPECT_EQ(pool.frontier()[0].time, Seconds{150}) << "one after the other";
  problem.machines[0].side_by_side = true;
  const MachineChoice rented(problem, order);
  EXPECT_EQ(rented.frontier()[0].time, Seconds{100}) << "two of them";
  EXPECT_EQ(rented.frontier()[0].cost, Dollars{1200});
}

TEST(MachineChoice, TooManyLabelsAreJoinedWithinTheShareItSays) {
  // Each phase costs twice as much twice as fast, in steps that no two sums share.
  ChoiceProblem problem;
  problem.machines.resize(6);
  for (std::size_t m = 0; m < 6; ++m)
    problem.machines[m].price = DollarsPerSecond{1 + 1.3 * static_cast<double>(m * m)};
  for (int i = 0; i < 7; ++i) {
    Stage stage;
    if (i > 0) stage.needs = {i - 1};
    for (int m = 0; m < 6; ++m) stage.times.push_back(Seconds{(100 + 13.7 * i) / std::pow(m + 1, 1.1 + 0.03 * i)});
    stage.gpus.assign(6, 1);
    problem.stages.push_back(stage);
  }
  const Module order = order_of(problem);
  const MachineChoice exact(problem, order, 1'000'000);
  const MachineChoice thin(problem, order, 100);
  EXPECT_EQ(exact.thinned(), 0);
  EXPECT_GT(thin.thinned(), 0);
  EXPECT_LT(thin.frontier().size(), exact.frontier().size() / 2);
  double worst = 0;
  for (const auto& point : exact.frontier()) {
    Dollars least{std::numeric_limits<double>::infinity()};
    for (const auto& other : thin.frontier())
      if (other.time <= point.time + Seconds{1e-9}) least = std::min(least, other.cost);
    worst = std::max(worst, least / point.cost - 1);
  }
  EXPECT_LE(worst, std::pow(1 / (1 - thin.thinned()), 7) - 1 + 1e-9);
}

TEST(MachineChoice, NothingRunsWhereAPhaseRunsNowhere) {
  ChoiceProblem problem = two_machines();
  problem.stages[1].times.assign(2, kNowhere);
  const Module order = order_of(problem);
  EXPECT_TRUE(MachineChoice(problem, order).frontier().empty());
}

}  // namespace
}  // namespace gpuplan
