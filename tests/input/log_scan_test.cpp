#include "input/logs/book/scan.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>

namespace gpuplan {
namespace {

/// The number, and what is left behind it.
std::pair<double, std::string> take(std::string_view text) {
  double value = -1;
  const bool taken = scan::take_number(text, value);
  return {taken ? value : -1, std::string(text)};
}

TEST(LogScan, TakesNumbersOffTheFront) {
  EXPECT_EQ(take("3.79 |"), (std::pair{3.79, std::string(" |")}));
  EXPECT_EQ(take("1.043863E+01 x"), (std::pair{10.43863, std::string(" x")}));
  EXPECT_EQ(take("-2e-05,"), (std::pair{-2e-05, std::string(",")}));
  EXPECT_EQ(take(".5s"), (std::pair{0.5, std::string("s")}));
  EXPECT_EQ(take("7."), (std::pair{7.0, std::string()}));
  EXPECT_EQ(take("7e"), (std::pair{7.0, std::string("e")}));
  EXPECT_EQ(take("inf%"), (std::pair{std::numeric_limits<double>::infinity(), std::string("%")}));
  EXPECT_EQ(take("-Infinity"), (std::pair{-std::numeric_limits<double>::infinity(), std::string()}));
  EXPECT_TRUE(std::isnan(take("NaN, ").first));
  EXPECT_EQ(take("1e999"), (std::pair{std::numeric_limits<double>::infinity(), std::string()}));
  EXPECT_EQ(take("1e-999"), (std::pair{0.0, std::string()}));
  for (const std::string_view none : {"", "-", ".", "+.", "x", "e5", " 1"}) {
    EXPECT_EQ(take(none), (std::pair{-1.0, std::string(none)})) << none;
  }
}

TEST(LogScan, ReadsEveryNumberAsTheLibraryDoes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const int digits = 1 + static_cast<int>(random() % 20), point = static_cast<int>(random() % 20);
    std::string text;
    for (int d = 0; d < digits; ++d) {
      if (d == point && d > 0) text += '.';
      text += static_cast<char>('0' + random() % 10);
    }
    if (random() % 3 == 0) text += (random() % 2 == 0 ? "e-" : "E+") + std::to_string(random() % 40);
    double expected = 0;
    // from_chars does not know the plus sign of an exponent's forms beyond this one.
    std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(take(text), (std::pair{expected, std::string()})) << text;
  }
}

TEST(LogScan, TakesSeparatorsInCountsOnly) {
  double value = 0;
  std::string_view text = "528,855 |";
  EXPECT_TRUE(scan::take_count(text, value));
  EXPECT_EQ(value, 528'855);
  EXPECT_EQ(text, " |");
  text = "0,49,1.234";
  EXPECT_TRUE(scan::take_count(text, value));
  EXPECT_EQ(value, 0);
  EXPECT_EQ(text, ",49,1.234");
  text = "1,234,567.5";
  EXPECT_TRUE(scan::take_count(text, value));
  EXPECT_EQ(value, 1'234'567.5);
  EXPECT_EQ(scan::amount(" 124.40M"), 124.4e6);
  EXPECT_EQ(scan::amount("8,030,261,248 total"), 8'030'261'248);
  EXPECT_EQ(scan::amount("none"), std::nullopt);
}

TEST(LogScan, TakesTimesOfDay) {
  const auto time = [](std::string_view text) {
    double seconds = -1;
    return scan::take_time(text, seconds) ? std::pair{seconds, std::string(text)} : std::pair{-1.0, std::string(text)};
  };
  // date -u -d '2026-07-21 15:57:42' +%s
  EXPECT_EQ(time("2026-07-21 15:57:42 x"), (std::pair{1'784'649'462.0, std::string(" x")}));
  EXPECT_EQ(time("2026-07-21T15:57:42Z x"), (std::pair{1'784'649'462.0, std::string(" x")}));
  EXPECT_EQ(time("2026-07-21T17:57:42+02:00 x"), (std::pair{1'784'649'462.0, std::string(" x")}));
  EXPECT_EQ(time("2026-07-21T13:27:42-0230 x"), (std::pair{1'784'649'462.0, std::string(" x")}));
  EXPECT_NEAR(time("2026-07-21 15:57:42,774").first, 1'784'649'462.774, 1e-6);
  EXPECT_EQ(time("2026-13-21 15:57:42").first, -1);
  EXPECT_EQ(time("2026-07-21").first, -1);
}

}  // namespace
}  // namespace gpuplan
