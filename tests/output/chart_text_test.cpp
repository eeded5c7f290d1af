#include "output/text/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"

namespace gpuplan {
namespace {

std::string plain(double value) { return number_text(value); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string chart(const std::vector<ChartPoint>& points, int columns, int rows) {
  return scatter_text(points, {"X", plain}, {"Y", plain}, rows, {.columns = columns});
}

TEST(ChartScale, IsLinearFromZeroWhenZeroIsNear) {
  const ChartScale scale(std::vector{2.0, 5.0, 10.0});
  EXPECT_FALSE(scale.logarithmic());
  EXPECT_EQ(scale.position(0), 0);
  EXPECT_EQ(scale.position(5), 0.5);
  EXPECT_EQ(scale.position(10), 1);
  EXPECT_EQ(scale.ticks(6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(scale.ticks(3), (std::vector<double>{0, 5, 10}));
}

TEST(ChartScale, StartsAtTheLeastValueWhenZeroIsFar) {
  const ChartScale scale(std::vector{90.0, 100.0});
  EXPECT_EQ(scale.position(90), 0);
  EXPECT_EQ(scale.position(95), 0.5);
  EXPECT_EQ(scale.ticks(3), (std::vector<double>{90, 95, 100}));
}

TEST(ChartScale, IsLogarithmicOverADecade) {
  const ChartScale scale(std::vector{1.0, 100.0});
  EXPECT_TRUE(scale.logarithmic());
  EXPECT_NEAR(scale.position(10), 0.5, 1e-12);
  const std::vector<double> seven = {1, 2, 5, 10, 20, 50, 100}, five = {1, 3, 10, 30, 100}, three = {1, 10, 100};
  for (const auto& ticks : {seven, five, three}) {
    const std::vector<double> got = scale.ticks(static_cast<int>(ticks.size()));
    ASSERT_EQ(got.size(), ticks.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) EXPECT_NEAR(got[i], ticks[i], 1e-9);
  }
  EXPECT_EQ(scale.ticks(2).size(), 2U);
}

TEST(ChartScale, IsLinearWhereSomethingIsFree) {
  const ChartScale scale(std::vector{0.0, 1000.0});
  EXPECT_FALSE(scale.logarithmic());
  EXPECT_EQ(scale.position(0), 0);
}

TEST(ChartScale, PutsEqualValuesInTheMiddleWithOneTick) {
  for (const double value : {0.0, 7.0}) {
    const ChartScale scale(std::vector{value, value});
    EXPECT_EQ(scale.position(value), 0.5);
    EXPECT_EQ(scale.ticks(5), std::vector<double>{value});
  }
}

TEST(ScatterText, PutsPointsWhereTheyBelong) {
  // Two blanks, labels of two columns, a blank and the axis leave 21 columns: two for each x from 0 to 10.
  const std::string text =
      chart({{.x = 0, .y = 0, .mark = "a"}, {.x = 5, .y = 5, .mark = "b"}, {.x = 10, .y = 10, .mark = "c"}}, 27, 7);
  EXPECT_EQ(text, R"(  Y
  10 ┤                    c
     │
     │
   5 ┤          b
     │
     │
   0 ┤a
     └┬───────────────────┬
      0                  10
                          X
)");
}

TEST(ScatterText, KeepsTheHigherRankAndMovesWhatMustBeSeen) {
  const std::string text = chart({{.x = 0, .y = 1, .mark = "."},
                                  {.x = 5, .y = 1, .mark = ".", .rank = 0},
                                  {.x = 5, .y = 1, .mark = "A", .rank = 1, .keep = true},
                                  {.x = 5, .y = 1, .mark = "B", .rank = 1, .keep = true},
                                  {.x = 5, .y = 1, .mark = "P", .rank = 2, .keep = true},
                                  {.x = 10, .y = 1, .mark = "."}},
                                 26, 3);
  EXPECT_NE(text.find("APB"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '.'), 2) << text;
}

TEST(ScatterText, DrawsRangesBehindPoints) {
  ChartPoint point{.x = 4, .y = 4, .mark = "P", .rank = 1};
  point.x_range = {2.0, 6.0};
  point.y_range = {2.0, 6.0};
  const auto lines = lines_of(chart({point, {.x = 0, .y = 0, .mark = "a"}, {.x = 5, .y = 4, .mark = "b"}}, 27, 7));
  EXPECT_NE(lines[3].find("P─"), std::string::npos) << lines[3];
  EXPECT_NE(lines[3].find("b"), std::string::npos) << lines[3];
  EXPECT_NE(lines[2].find("│"), std::string::npos);
}

TEST(ScatterText, FitsTheScreenWhateverTheValues) {
  const std::vector<std::vector<ChartPoint>> cases = {
      {{.x = 1, .y = 1, .mark = "a"}},
      {{.x = 0, .y = 0, .mark = "a"}},
      {{.x = 1e-4, .y = 1e6, .mark = "a"}, {.x = 1e5, .y = 1e-3, .mark = "b"}},
      {{.x = 3, .y = 0, .mark = "a"}, {.x = 5, .y = 0, .mark = "b"}},
      {{.x = 99, .y = 12345678, .mark = "a"}, {.x = 100, .y = 12345679, .mark = "b"}},
  };
  for (const auto& points : cases)
    for (const int columns : {40, 80, 300}) {
      const auto lines = lines_of(chart(points, columns, 9));
      EXPECT_EQ(lines.size(), 9U + 4U);
      std::size_t marks = 0;
      for (const std::string& line : lines) {
        EXPECT_LE(display_width(line), columns) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
      for (const ChartPoint& point : points)
        for (std::size_t i = 1; i <= 9; ++i) marks += lines[i].find(point.mark) != std::string::npos ? 1 : 0;
      EXPECT_EQ(marks, points.size());
    }
  EXPECT_EQ(chart({}, 80, 9), "");
}

}  // namespace
}  // namespace gpuplan
