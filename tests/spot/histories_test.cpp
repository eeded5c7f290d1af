#include "spot/histories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "spot/interrupted_time.h"

namespace gpuplan {
namespace {

using units::hour;
using units::minute;

/// Means and their standard errors.
struct Told {
  double wall = 0, wall_error = 0, billed = 0, billed_error = 0, interruptions = 0, interruptions_error = 0;
  double uninterrupted = 0, deviation = 0;
};

Told tell(const std::vector<Lifetimes>& lives, const Recoverable& how, int count = 40'000) {
  std::vector<History> runs(static_cast<std::size_t>(count));
  simulate_histories(lives, how, 5, 1, runs);
  const auto moments = [&](auto value, double& mean, double& error) {
    double sum = 0, squares = 0;
    for (const History& run : runs) sum += value(run);
    mean = sum / count;
    for (const History& run : runs) squares += (value(run) - mean) * (value(run) - mean);
    error = std::sqrt(squares) / count;
  };
  Told told;
  moments([](const History& run) { return run.wall.value; }, told.wall, told.wall_error);
  moments([](const History& run) { return run.billed.value; }, told.billed, told.billed_error);
  moments([](const History& run) { return double(run.interruptions); }, told.interruptions, told.interruptions_error);
  for (const History& run : runs) told.uninterrupted += run.interruptions == 0 ? 1.0 / count : 0;
  told.deviation = told.billed_error * std::sqrt(count);
  return told;
}

TEST(Histories, AgreeWithTheClosedForms) {
  for (const double hourly : {0.01, 0.05, 0.4, 2.0}) {
    for (const double interval : {10.0, 50.0, 200.0}) {
      for (const double checkpoint : {0.0, 2.0}) {
        for (const double notice : {0.0, 2.0}) {
          for (const double wait : {0.0, 30.0}) {
            const Recoverable how{.work = 12 * hour,
                                  .interval = interval * minute,
                                  .checkpoint = checkpoint * minute,
                                  .restart = 7 * minute,
                                  .notice = notice * minute,
                                  .wait = wait * minute};
            const Lifetimes lives = Lifetimes::exponential(hourly / hour);
            const ExpectedRun expected = expected_run(lives, how);
            if (expected.interruptions > 200) continue;
            const Told told = tell({lives}, how, 10'000);
            const std::string which = std::to_string(hourly) + "/h, every " + std::to_string(interval) + ", costs " +
                                      std::to_string(checkpoint) + ", notice " + std::to_string(notice);
            EXPECT_NEAR(told.wall, expected.wall.value, 4 * told.wall_error + 1e-6) << which;
            EXPECT_NEAR(told.billed, expected.billed.value, 4 * told.billed_error + 1e-6) << which;
            EXPECT_NEAR(told.interruptions, expected.interruptions, 4 * told.interruptions_error + 1e-9) << which;
            EXPECT_NEAR(told.uninterrupted, expected.uninterrupted, 4 * std::sqrt(expected.uninterrupted / 10'000))
                << which;
            // The deviation of a sample of n is good to about sqrt(kurtosis / n) / 2.
            EXPECT_NEAR(told.deviation / deviation(hourly / hour, 1, how).value, 1, 0.12) << which;
          }
        }
      }
    }
  }
}

TEST(Histories, OfBathtubsAgreeWithTheRecursion) {
  for (const int machines : {1, 3}) {
    for (const double interval : {15.0, 60.0, 300.0}) {
      for (const double notice : {0.0, 3.0}) {
        const Recoverable how{.work = 48 * hour,
                              .interval = interval * minute,
                              .checkpoint = 3 * minute,
                              .restart = 10 * minute,
                              .notice = notice * minute,
                              .wait = 5 * minute};
        const Lifetimes lives = Lifetimes::bathtub({}, machines);
        const ExpectedRun expected = expected_run(lives, how);
        const Told told = tell({lives}, how);
        // With notice the recursion takes steps of a two-hundredth of the work.
        const double coarse = notice > 0 ? 1e-3 : 1e-5;
        EXPECT_NEAR(told.wall, expected.wall.value, 4 * told.wall_error + coarse * told.wall) << interval;
        EXPECT_NEAR(told.interruptions, expected.interruptions,
                    4 * told.interruptions_error + coarse * told.interruptions)
            << interval;
      }
    }
  }
}

TEST(Histories, ShareRatesEqually) {
  const Interval<PerSecond> range{0.01 / hour, std::sqrt(0.01 * 0.3) / hour, 0.3 / hour};
  std::vector<Lifetimes> lives;
  for (const PerSecond rate : rate_levels(range)) lives.push_back(Lifetimes::exponential(rate));
  const Recoverable how{.work = 24 * hour, .interval = 90 * minute, .checkpoint = 3 * minute, .restart = 10 * minute};
  const Told told = tell(lives, how, 17 * 4000);
  const ExpectedRun expected = expected_run(rate_levels(range), 1, how);
  EXPECT_NEAR(told.wall, expected.wall.value, 4 * told.wall_error);
  EXPECT_NEAR(told.uninterrupted, expected.uninterrupted, 0.01);
}

TEST(Histories, QuantilesAgreeWithTheClosedForm) {
  const auto agrees = [](const std::vector<PerSecond>& rates, const Recoverable& how, const std::string& which) {
    std::vector<Lifetimes> lives;
    for (const PerSecond rate : rates) lives.push_back(Lifetimes::exponential(rate));
    std::vector<History> runs(rates.size() * (rates.size() == 1 ? 6'000 : 1'000));
    simulate_histories(lives, how, 5, 1, runs);
    constexpr int kMany = 1001;
    const TimeQuantiles told = interrupted_time(rates, 1, how, kMany);
    const auto compare = [&](Seconds History::* time, const std::vector<Seconds>& quantiles, const char* what) {
      std::ranges::sort(runs, {}, time);
      for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9}) {
        const Seconds met = runs[static_cast<std::size_t>(share * static_cast<double>(runs.size()))].*time;
        const Seconds law = quantiles[static_cast<std::size_t>(share * kMany)];
        EXPECT_NEAR(law / met, 1, how.wait <= 30 * minute ? 0.03 : 0.06) << which << ' ' << what << ' ' << share;
      }
    };
    compare(&History::wall, told.wall, "wall");
    compare(&History::billed, told.billed, "billed");
  };
  const Interval<PerSecond> wide{0.0003 / hour, 0.018 / hour, 1.1 / hour};
  for (const double hourly : {0.001, 0.05, 0.1, 0.4})
    for (const double interval : {10.0, 60.0, 600.0})
      for (const double notice : {0.0, 3.0})
        for (const double wait : {0.0, 30.0, 600.0}) {
          if (hourly * interval > 100) continue;  // lost over and over
          agrees({hourly / hour},
                 {.work = 48 * hour,
                  .interval = interval * minute,
                  .checkpoint = 3 * minute,
                  .restart = 12 * minute,
                  .notice = notice * minute,
                  .wait = wait * minute},
                 std::to_string(hourly) + "/h, every " + std::to_string(interval) + ", notice " +
                     std::to_string(notice) + ", wait " + std::to_string(wait));
        }
  agrees(rate_levels(wide),
         {.work = 48 * hour, .interval = hour, .checkpoint = 2 * minute, .restart = 12 * minute, .wait = 10 * minute},
         "wide");
}

TEST(Histories, StepByStepIsTheSame) {
  // The same rules second by second, for one machine that is taken every 1,000 s: pieces of 300 s and checkpoints of
  // 50 s, restarts of 120 s. First life: 2 pieces are safe after 700 s; later ones 1000 - 120 = 880 s: 2 pieces.
  // A bathtub that nearly nobody leaves before its cap.
  const Lifetimes lives = Lifetimes::bathtub(
      {.share = 1e-9, .early = Seconds{1e9}, .late = Seconds{1}, .bend = Seconds{1e6}, .cap = Seconds{1000}});
  const Recoverable how{
      .work = Seconds{1650}, .interval = Seconds{300}, .checkpoint = Seconds{50}, .restart = Seconds{120}};
  std::vector<History> runs(100);
  simulate_histories(std::vector{lives}, how, 1, 1, runs);
  // 6 pieces, the last of 150 s: lives of 2 + 2 pieces, then 120 + 350 + 200 s.
  for (const History& run : runs) {
    EXPECT_EQ(run.interruptions, 2);
    EXPECT_NEAR(run.wall.value, 1000 + 1000 + 670, 1e-6);
  }
  Recoverable noticed = how;
  noticed.notice = Seconds{50};
  simulate_histories(std::vector{lives}, noticed, 1, 1, runs);
  // 1,950 s with checkpoints. Taken at 1,000 s, 300 s into the third piece: its checkpoint just begins and is finished
  // (50 s). After 120 s of restart and 880 s more the sixth piece has run for 130 - 50 s...
  const double first = 1000 + 50;
  const double second_reach = 1050 + 880;  // of 1,950: in the last checkpoint, which is finished
  for (const History& run : runs) {
    EXPECT_EQ(run.interruptions, 2);
    EXPECT_NEAR(run.wall.value, first + 120 + 880 + (1950 - second_reach), 1e-6);
  }
}

TEST(HistoriesThread, AnyNumberGivesTheSame) {
  const Recoverable how{
      .work = 48 * hour, .interval = hour, .checkpoint = minute, .restart = 5 * minute, .wait = 10 * minute};
  const std::vector<Lifetimes> lives = {Lifetimes::exponential(0.05 / hour), Lifetimes::exponential(0.5 / hour)};
  std::vector<History> one(5000), four(5000), other(5000);
  simulate_histories(lives, how, 9, 1, one);
  simulate_histories(lives, how, 9, 4, four);
  simulate_histories(lives, how, 10, 1, other);
  int different = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].wall, four[i].wall);
    EXPECT_EQ(one[i].interruptions, four[i].interruptions);
    different += one[i].wall == other[i].wall ? 0 : 1;
  }
  EXPECT_GT(different, 4000) << "another seed, other histories";
}

TEST(Histories, HopelessOnesEnd) {
  const Recoverable how{.work = 48 * hour, .interval = 48 * hour, .checkpoint = hour, .restart = hour};
  std::vector<History> runs(3);
  simulate_histories(std::vector{Lifetimes::exponential(60 / hour)}, how, 1, 1, runs);
  for (const History& run : runs) {
    EXPECT_EQ(run.interruptions, kMostInterruptions);
    EXPECT_EQ(run.wall, kHopeless * 48 * hour);
  }
}

}  // namespace
}  // namespace gpuplan
