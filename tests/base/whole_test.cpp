#include "base/whole.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace gpuplan {
namespace {

template <class Whole>
void check_ends() {
  constexpr auto least = std::numeric_limits<Whole>::min();
  constexpr auto most = std::numeric_limits<Whole>::max();
  EXPECT_EQ(clamped<Whole>(1e300), most);
  EXPECT_EQ(clamped<Whole>(-1e300), least);
  EXPECT_EQ(clamped<Whole>(std::numeric_limits<double>::infinity()), most);
  EXPECT_EQ(clamped<Whole>(std::numeric_limits<double>::quiet_NaN()), least);
  EXPECT_FALSE(fits_in<Whole>(std::numeric_limits<double>::quiet_NaN()));
  const double end = std::ldexp(1, std::numeric_limits<Whole>::digits);
  EXPECT_FALSE(fits_in<Whole>(end));
  EXPECT_EQ(clamped<Whole>(end), most);
  const double below = std::nextafter(end, 0);
  EXPECT_TRUE(fits_in<Whole>(below));
  EXPECT_EQ(clamped<Whole>(below), static_cast<Whole>(below));
  EXPECT_EQ(clamped<Whole>(-0.5), Whole{0});
  EXPECT_EQ(whole<Whole>(41.9), Whole{41});
}

TEST(Whole, EndsOfEveryKind) {
  check_ends<std::int16_t>();
  check_ends<std::int32_t>();
  check_ends<std::int64_t>();
  check_ends<std::uint8_t>();
  check_ends<std::uint64_t>();
}

TEST(Whole, WiderIntegers) {
  EXPECT_EQ(clamped<std::int32_t>(std::int64_t{1} << 40), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(clamped<std::uint8_t>(-1), 0);
  EXPECT_EQ(whole<std::int16_t>(std::int64_t{-32768}), -32768);
}

}  // namespace
}  // namespace gpuplan
