#include "plan/billing/timeline.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "plan/dice.h"

namespace gpuplan {
namespace {

std::vector<Seconds> seconds(const std::vector<double>& all) {
  std::vector<Seconds> times;
  for (const double one : all) times.emplace_back(one);
  return times;
}

std::pair<Seconds, Seconds> from_to(double from, double to) { return {Seconds{from}, Seconds{to}}; }

Slot slot(std::vector<int> needs, int gpus) { return {std::move(needs), gpus, gpus > 0, 0}; }

/// Start times for durations.
std::vector<Seconds> starts_of(const std::vector<Slot>& slots, const std::vector<Seconds>& durations, int gpus) {
  Timeline timeline(slots, {{gpus, {}}});
  timeline.place(durations);
  return timeline.starts();
}

TEST(Schedule, ChainRunsOneAfterTheOther) {
  const std::vector<Slot> slots = {slot({}, 0), slot({0}, 8), slot({1}, 1)};
  const std::vector<Seconds> durations = seconds({10, 20, 5});
  Timeline timeline(slots, {{8, {}}});
  timeline.place(durations);
  EXPECT_EQ(timeline.starts(), seconds({0, 10, 30}));
  EXPECT_EQ(timeline.end(), Seconds{35});
  EXPECT_EQ(timeline.held(0), from_to(10.0, 35.0));
  EXPECT_EQ(timeline.busy(0), Seconds{25});
}

TEST(Schedule, IndependentPhasesOverlapWhereGpusAllow) {
  const std::vector<Slot> slots = {slot({}, 4), slot({}, 4), slot({}, 4)};
  const std::vector<Seconds> durations = seconds({10, 20, 5});
  EXPECT_EQ(starts_of(slots, durations, 8), seconds({0, 0, 10})) << "the third waits for the first to end";
  EXPECT_EQ(starts_of(slots, durations, 12), seconds({0, 0, 0}));
}

TEST(Schedule, APhaseFillsAGapOnlyWhenItFitsInIt) {
  // 8 GPUs: 0 uses 8 for 10 s; 1 (needs 0) uses 4 for 10 s; 2 needs nothing and wants 8 for 5 s: after 1.
  const std::vector<Slot> slots = {slot({}, 8), slot({0}, 4), slot({}, 8), slot({}, 4)};
  const std::vector<Seconds> durations = seconds({10, 10, 5, 8});
  const std::vector<Seconds> starts = starts_of(slots, durations, 8);
  EXPECT_EQ(starts[2], Seconds{20});
  EXPECT_EQ(starts[3], Seconds{10}) << "beside phase 1";
}

TEST(Schedule, MachinesAreHeldWhileIdleAndBusyOnlyInPhases) {
  // A cpu phase of 100 s between two GPU phases.
  const std::vector<Slot> slots = {slot({}, 2), slot({0}, 0), slot({1}, 2)};
  const std::vector<Seconds> durations = seconds({10, 100, 20});
  Timeline timeline(slots, {{2, {}}});
  timeline.place(durations);
  EXPECT_EQ(timeline.held(0), from_to(0.0, 130.0));
  EXPECT_EQ(timeline.busy(0), Seconds{30});
}

TEST(Schedule, OtherDurationsKeepThePacking) {
  // Two GPUs: 0 and 1 side by side, 2 follows 0 and 3 follows 1, which ends later.
  const std::vector<Slot> slots = {slot({}, 1), slot({}, 1), slot({}, 1), slot({}, 1)};
  Timeline timeline(slots, {{2, {}}});
  timeline.place(seconds({10, 12, 20, 5}));
  EXPECT_EQ(timeline.starts(), seconds({0, 0, 10, 12}));
  timeline.follow(seconds({10, 12, 20, 5}));
  EXPECT_EQ(timeline.starts(), seconds({0, 0, 10, 12})) << "the packing itself";
  timeline.follow(seconds({14, 12, 20, 5}));
  EXPECT_EQ(timeline.starts(), seconds({0, 0, 14, 12})) << "2 waits for 0, though 1 has ended";
  EXPECT_EQ(timeline.end(), Seconds{34});
  timeline.place(seconds({14, 12, 20, 5}));
  EXPECT_EQ(timeline.starts(), seconds({0, 0, 12, 14})) << "placed anew they change places";
}

TEST(Schedule, InOnePackingAPhaseThatTakesLongerNeverMakesTheEndEarlier) {
  Dice dice(7);
  int overtaken = 0;
  for (int job = 0; job < 3000; ++job) {
    std::vector<Slot> slots;
    std::vector<Seconds> durations, longer;
    for (int i = 0; i < 12; ++i) {
      std::vector<int> needs;
      if (i > 0 && dice.below(2) == 0) needs.push_back(static_cast<int>(dice.below(static_cast<std::uint64_t>(i))));
      slots.push_back(slot(needs, 1 + static_cast<int>(dice.below(3))));
      slots.back().rank = i;
      durations.emplace_back(1 + static_cast<double>(dice.below(9)));
      longer.push_back(durations.back() + Seconds{static_cast<double>(dice.below(2))});
    }
    Timeline timeline(slots, {{4, {}}});
    timeline.place(longer);
    const Seconds placed_anew = timeline.end();
    timeline.place(durations);
    const Seconds end = timeline.end();
    timeline.follow(durations);
    EXPECT_LE(timeline.end(), end) << "the packing itself";
    const Seconds packed = timeline.end();
    timeline.follow(longer);
    EXPECT_GE(timeline.end(), packed);
    overtaken += placed_anew < end ? 1 : 0;
  }
  EXPECT_GT(overtaken, 0) << "placed anew some end earlier though all take as long or longer";
}

TEST(Schedule, AnInstantIsSharedByThePhasesRunningAtIt) {
  // 0: 6 GPUs for 10 s beside 1: 2 GPUs for 30 s; then 2: nothing on the machine; 3: 1 GPU alone.
  const std::vector<Slot> slots = {slot({}, 6), slot({}, 2), slot({0, 1}, 0), slot({2}, 1)};
  Timeline timeline(slots, {{8, {}}});
  timeline.place(seconds({10, 30, 100, 5}));
  const std::vector<Seconds> answered = timeline.machine_seconds();
  EXPECT_EQ(answered, seconds({7.5, 22.5, 0, 5}));
  EXPECT_EQ(answered[0] + answered[1] + answered[3], timeline.busy(0));
}

TEST(Schedule, WhatHoldsAMachineWithoutGpusTakesOnlyWhatNobodyUses) {
  // 0 and 1 hold the machine without GPUs beside 2, which leaves one of four for 10 s and none for 10 s.
  std::vector<Slot> slots = {slot({}, 0), slot({}, 0), slot({}, 3), slot({2}, 4)};
  slots[0].on_machine = slots[1].on_machine = true;
  Timeline timeline(slots, {{4, {}}});
  timeline.place(seconds({20, 20, 10, 10}));
  EXPECT_EQ(timeline.machine_seconds(), seconds({1.25, 1.25, 7.5, 10}));
}

TEST(Schedule, MachinesTakeTimeToStartAndAreAskedForWhenNeeded) {
  // 0 on machines A (5 s to start), 1 on B (none), 2 needs both and runs on A, which waited for 1.
  std::vector<Slot> slots = {slot({}, 1), slot({}, 1), slot({0, 1}, 1)};
  slots[1].lease = 1;
  Timeline timeline(slots, {{1, Seconds{5}}, {1, {}}});
  timeline.place(seconds({10, 100, 20}));
  EXPECT_EQ(timeline.starts(), seconds({5, 0, 100}));
  EXPECT_EQ(timeline.held(0), from_to(0.0, 120.0));
  EXPECT_EQ(timeline.held(1), from_to(0.0, 100.0));
  EXPECT_EQ(timeline.busy(0), Seconds{30});
  EXPECT_EQ(timeline.end(), Seconds{120});
  EXPECT_EQ(timeline.machine_seconds(), seconds({10, 100, 20}));
}

TEST(Schedule, NeedsComeFirstWhateverTheOrderInTheFile) {
  const std::vector<Slot> slots = {slot({1}, 1), slot({}, 1)};
  EXPECT_EQ(sorted(slots), (std::vector<int>{1, 0}));
}

TEST(Schedule, BilledSeconds) {
  EXPECT_EQ(billed_seconds(Seconds{0}, {Seconds{60}, Seconds{1}}), Seconds{0}) << "nothing used, nothing paid";
  EXPECT_EQ(billed_seconds(Seconds{10}, {Seconds{60}, Seconds{1}}), Seconds{60});
  EXPECT_EQ(billed_seconds(Seconds{61.2}, {Seconds{60}, Seconds{1}}), Seconds{62});
  EXPECT_EQ(billed_seconds(Seconds{3601}, {Seconds{0}, Seconds{3600}}), Seconds{7200});
  EXPECT_EQ(billed_seconds(Seconds{3600}, {Seconds{0}, Seconds{3600}}), Seconds{3600});
  EXPECT_EQ(billed_seconds(Seconds{12.5}, {Seconds{0}, Seconds{0}}), Seconds{12.5});
  const Billing month{.term = 720 * units::hour};
  EXPECT_EQ(billed_seconds(Seconds{10}, month), Seconds{720 * 3600}) << "committed: used or not";
  EXPECT_EQ(billed_seconds(Seconds{721 * 3600.0}, month), Seconds{1440 * 3600});
}

}  // namespace
}  // namespace gpuplan
