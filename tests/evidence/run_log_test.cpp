#include "evidence/log/run_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gpuplan {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Series, KeepsFewValuesAsTheyAre) {
  Series series;
  EXPECT_TRUE(series.empty());
  EXPECT_TRUE(std::isnan(series.least()));
  series.add(10, 3.5, 4);
  series.add(20, kNan, 5);
  series.add(30, 2.5, 6);
  ASSERT_EQ(series.points().size(), 3u);
  EXPECT_EQ(series.count(), 3u);
  EXPECT_EQ(series.first().step, 10);
  EXPECT_EQ(series.last().line, 6u);
  EXPECT_EQ(series.least(), 2.5);
  EXPECT_EQ(series.most(), 3.5);
}

TEST(Series, ThinsEvenlyAndNeverGrowsBeyondItsBound) {
  Series series;
  for (int i = 0; i < 100'000; ++i) series.add(i, 100'000 - i, static_cast<std::uint32_t>(i + 1));
  EXPECT_EQ(series.count(), 100'000u);
  EXPECT_LE(series.points().size(), Series::kMost);
  EXPECT_GE(series.points().size(), Series::kMost / 2);
  // 100,000 / 16,384 is 6.1, so every eighth value is there.
  for (std::size_t i = 0; i < series.points().size(); ++i)
    ASSERT_EQ(series.points()[i].step, 8.0 * static_cast<double>(i));
  EXPECT_EQ(series.last().step, 99'999);
  EXPECT_EQ(series.least(), 1);
  EXPECT_EQ(series.most(), 100'000);
}

TEST(Series, RewindsToAStep) {
  Series series;
  for (int step = 1; step <= 10; ++step) series.add(step, step == 9 ? 99 : 10 - step, 1);
  series.rewind(7);
  EXPECT_EQ(series.points().size(), 6u);
  EXPECT_EQ(series.count(), 6u);
  EXPECT_EQ(series.last().step, 6);
  EXPECT_EQ(series.least(), 4);
  EXPECT_EQ(series.most(), 9);
  series.rewind(100);
  EXPECT_EQ(series.count(), 6u);
  series.rewind(0);
  EXPECT_TRUE(series.empty());
  EXPECT_TRUE(std::isnan(series.most()));
}

TEST(Series, KeepsValuesWithoutAStepWhenItRewinds) {
  Series series;
  series.add(kNan, 1, 1);
  series.add(kNan, 2, 2);
  series.rewind(0);
  EXPECT_EQ(series.count(), 2u);
}

}  // namespace
}  // namespace gpuplan
