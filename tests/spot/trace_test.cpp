#include "spot/trace.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

TEST(Trace, RunsOfOneMachine) {
  const Trace trace{Seconds{600}, {0, 1, 1, 0, 0, 0, 2, 1}};
  const TraceRuns runs = runs_of(trace);
  EXPECT_FALSE(runs.first_up);
  EXPECT_EQ(runs.ends, (std::vector<std::int32_t>{1, 3, 6, 8}));
  EXPECT_EQ(runs.run_of, (std::vector<std::int32_t>{0, 1, 1, 2, 2, 2, 3, 3}));
  EXPECT_EQ(runs.ticks(), 8);
  EXPECT_TRUE(runs.up(1));
  EXPECT_FALSE(runs.up(2));
}

TEST(Trace, SeveralMachinesAllOrNothing) {
  const Trace trace{Seconds{600}, {0, 1, 2, 4, 3, 1, 4}};
  EXPECT_EQ(runs_of(trace, 3).ends, (std::vector<std::int32_t>{3, 5, 6, 7})) << "3 of 4 are enough, 2 are none";
  EXPECT_EQ(runs_of(trace, 1).ends, (std::vector<std::int32_t>{1, 7}));
  EXPECT_EQ(runs_of(trace, 5).ends, (std::vector<std::int32_t>{7})) << "never there";
}

TEST(Trace, StatisticsWorkedByHand) {
  // Up for 2, 1 and 3 ticks of ten minutes, the last run cut off by the end; down for 1, 3 and 1.
  const TraceRuns runs = runs_of({Seconds{600}, {0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1}});
  const TraceStatistics facts = statistics(runs);
  EXPECT_EQ(facts.length, Seconds{6600});
  EXPECT_DOUBLE_EQ(facts.available, 6.0 / 11);
  EXPECT_EQ(facts.up_runs, 3);
  EXPECT_EQ(facts.interruptions, 2) << "the last run did not end";
  EXPECT_EQ(facts.mean_up, Seconds{1200});
  EXPECT_EQ(facts.median_up, Seconds{1200});
  EXPECT_EQ(facts.mean_down, Seconds{1000});
  EXPECT_EQ(facts.longest_down, Seconds{1800});
  EXPECT_DOUBLE_EQ(facts.rate.value * 3600, 2.0) << "two interruptions in an hour with machines";
}

TEST(Trace, StatisticsOfMachinesThatNeverCome) {
  const TraceStatistics facts = statistics(runs_of({Seconds{60}, {0, 0, 0}}));
  EXPECT_EQ(facts.available, 0);
  EXPECT_EQ(facts.up_runs, 0);
  EXPECT_EQ(facts.rate, PerSecond{});
  EXPECT_EQ(facts.longest_down, Seconds{180});
}

TEST(Trace, StatisticsOfMachinesThatNeverLeave) {
  const TraceStatistics facts = statistics(runs_of({Seconds{60}, {1, 2}}));
  EXPECT_EQ(facts.available, 1);
  EXPECT_EQ(facts.interruptions, 0);
  EXPECT_EQ(facts.rate, PerSecond{});
  EXPECT_EQ(facts.mean_down, Seconds{});
}

}  // namespace
}  // namespace gpuplan
