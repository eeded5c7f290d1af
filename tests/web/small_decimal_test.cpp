#include "web/instead/small_decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/digits/decimal.h"
#include "base/random.h"

namespace gpuplan {
namespace {

/// Every form of a number as the C++ library has it.
void expect_same(double value) {
  ASSERT_EQ(small::shortest_digits(value), shortest_digits(value));
  ASSERT_EQ(small::plain_digits(value), plain_digits(value));
  for (const int decimals : {0, 1, 2, 3, 6, 17, 25, 60})
    ASSERT_EQ(small::fixed_digits(value, decimals), fixed_digits(value, decimals)) << decimals;
  for (int digits = 1; digits <= 17; ++digits) {
    ASSERT_EQ(small::rounded_to_digits(value, digits), rounded_to_digits(value, digits)) << value << " " << digits;
    ASSERT_EQ(small::general_digits(value, digits), general_digits(value, digits)) << digits;
  }
}

void expect_read_alike(const std::string& text) {
  double value = 7, expected = 7;
  const auto found = small::read_number(text.data(), text.data() + text.size(), value);
  const auto wanted = read_number(text.data(), text.data() + text.size(), expected);
  EXPECT_EQ(found.ec, wanted.ec) << text;
  EXPECT_EQ(found.ptr - text.data(), wanted.ptr - text.data()) << text;
  if (!std::isnan(expected)) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
  }
}

TEST(SmallDecimal, WritesWhatTheLibraryWrites) {
  for (const double value : {0.0,
                             -0.0,
                             1.0,
                             0.5,
                             1.5,
                             2.5,
                             0.125,
                             0.25,
                             0.75,
                             9.5,
                             9.995,
                             99.95,
                             0.1,
                             0.2,
                             0.3,
                             1.0 / 3,
                             2.0 / 3,
                             1e-5,
                             1e15,
                             1e21,
                             1e22,
                             1e23,
                             123456789012345680.0,
                             9007199254740991.0,
                             9007199254740992.0,
                             9007199254740993.0,
                             4503599627370496.5,
                             18446744073709551615.0,
                             9223372036854775807.0,
                             5e-324,
                             2.2250738585072014e-308,
                             1.7976931348623157e308,
                             1e-20,
                             1e-22,
                             0.3,
                             1e100,
                             1e-100,
                             0.00001234,
                             999999.5,
                             0.9999999999999999,
                             1.0000000000000002}) {
    expect_same(value);
    expect_same(-value);
  }
  for (int power = -1074; power < 1024; ++power)  // the next below is nearer than the next above
    for (const double value : {std::ldexp(1.0, power), std::nextafter(std::ldexp(1.0, power), 0.0)})
      ASSERT_EQ(small::fixed_digits(value, 3), fixed_digits(value, 3));
  for (int power = -60; power < 63; ++power) {
    expect_same(std::ldexp(1.0, power));
    expect_same(std::nextafter(std::ldexp(1.0, power), 0.0));
  }
}

TEST(SmallDecimal, WritesAnyNumber) {
  Random random(20);
  constexpr int kRounds = 4000;
  for (int i = 0; i < kRounds; ++i) {
    const double share = random.uniform01();
    expect_same(share);
    expect_same(share * 1000);
    expect_same(std::ldexp(share, static_cast<int>(random.uniform01() * 120) - 60));
    expect_same(std::floor(share * 1e7) / 1000);
    expect_same(std::floor(share * 1e5) / 8);
    const double any = std::bit_cast<double>(random.next());
    if (std::isfinite(any) && std::fabs(any) > 1e-250 && std::fabs(any) < 1e250) {
      ASSERT_EQ(small::fixed_digits(any, 4), fixed_digits(any, 4));
    }
  }
}

TEST(SmallDecimal, ReadsWhatTheLibraryReads) {
  for (const char* text : {"",
                           "-",
                           "+1",
                           " 1",
                           ".",
                           "-.",
                           "e5",
                           "1",
                           "-1",
                           "1.",
                           "1.e5",
                           ".5",
                           "-.5",
                           "1e",
                           "1e+",
                           "1e-",
                           "1e5x",
                           "0x10",
                           "INF",
                           "-inf",
                           "infinity",
                           "infinite",
                           "nan",
                           "NaN",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "0e-400",
                           "0e999999999999",
                           "1e99999999999999",
                           "4e-324",
                           "1e-310",
                           "1e22",
                           "1e23",
                           "123456789012345678",
                           "9007199254740993",
                           "9007199254740993.0000000001",
                           "0.000000000000000000000000000001",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "00012",
                           "1.2.3",
                           "1,5",
                           "100000000000000000000000",
                           "0.30000000000000004",
                           "1.00000000000000000000000000000000000000000001"})
    expect_read_alike(text);
  Random random(21);
  constexpr int kRounds = 20'000;
  for (int i = 0; i < kRounds; ++i) {
    const double value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    expect_read_alike(shortest_digits(value));
    expect_read_alike(shortest_digits(random.uniform01()));
    expect_read_alike(fixed_digits(random.uniform01() * 1e6, static_cast<int>(random.uniform01() * 9)));
  }
}

}  // namespace
}  // namespace gpuplan
