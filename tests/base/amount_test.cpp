#include "base/amount.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"

namespace gpuplan {
namespace {

using enum AmountKind;

struct Case {
  std::string_view text;
  AmountKind kind;
  double value;
};

TEST(Amount, ReadsWhatPeopleWrite) {
  const double hour = 3600;
  const Case cases[] = {
      {"12 h", kTime, 12 * hour},
      {"12h", kTime, 12 * hour},
      {"45 min", kTime, 2700},
      {"45 MIN", kTime, 2700},
      {"1 h 30 min", kTime, 5400},
      {"1h30m", kTime, 5400},
      {"2 days", kTime, 2 * 24 * hour},
      {"1 week", kTime, 168 * hour},
      {"12.5 ms", kTime, 0.0125},
      {"3 µs", kTime, 3e-6},
      {"0", kTime, 0},
      {"90", kSeconds, 90},
      {"300 ms", kSeconds, 0.3},
      {"1 min 30 s", kSeconds, 90},
      {".5 h", kTime, 0.5 * hour},
      {"0.1 s", kTime, 0.1},
      {"$50", kMoney, 50},
      {"$ 50", kMoney, 50},
      {"50 USD", kMoney, 50},
      {"$1,234.50", kMoney, 1234.5},
      {"$1.5k", kMoney, 1500},
      {"50", kMoney, 50},
      {"$0.35/h", kPrice, 0.35 / hour},
      {"0.35 $/hr", kPrice, 0.35 / hour},
      {"$0.35 per hour", kPrice, 0.35 / hour},
      {"0.35", kPrice, 0.35 / hour},
      {"$0/h", kPrice, 0},
      {"$730/month", kPrice, 1 / hour},
      {"$0.001/s", kPrice, 0.001},
      {"5%/h", kRate, -std::log1p(-0.05) / hour},  // the chance in one hour
      {"0.05/h", kRate, 0.05 / hour},
      {"12 %/day", kRate, -std::log1p(-0.12) / (24 * hour)},
      {"1.5/h", kRate, 1.5 / hour},
      {"0.05", kRate, 0.05 / hour},
      {"30%", kShare, 0.30},
      {"0.3", kShare, 0.3},
      {"80 GiB", kBytes, 80 * 1073741824.0},
      {"24 GB", kBytes, 24e9},
      {"24 gb", kBytes, 24e9},
      {"80gib", kBytes, 80 * 1073741824.0},
      {"1024", kBytes, 1024},
      {"200 Mbit/s", kBytesPerSecond, 25e6},
      {"200 mbit/s", kBytesPerSecond, 25e6},
      {"200 Mbps", kBytesPerSecond, 25e6},
      {"200 Mb/s", kBytesPerSecond, 25e6},
      {"200 MB/s", kBytesPerSecond, 200e6},
      {"200 MBps", kBytesPerSecond, 200e6},
      {"400 Gbit/s", kBytesPerSecond, 50e9},
      {"3.35 TB/s", kBytesPerSecond, 3.35e12},
      {"1 GiB/s", kBytesPerSecond, 1073741824.0},
      {"8 bit/s", kBytesPerSecond, 1},
      {"11.2B tokens", kTokens, 11.2e9},
      {"11.2b", kTokens, 11.2e9},
      {"524_288", kTokens, 524288},
      {"1.5 billion tokens", kTokens, 1.5e9},
      {"300 tokens", kTokens, 300},
      {"70 tokens/s", kTokensPerSecond, 70},
      {"2.5k tok/s", kTokensPerSecond, 2500},
      {"70 tokens per second", kTokensPerSecond, 70},
      {"70", kTokensPerSecond, 70},
      {"2.5k", kTokensPerSecond, 2500},
      {"2.0", kSamplesPerSecond, 2},
      {"120 samples/min", kSamplesPerSecond, 2},
      {"50_000", kCount, 50000},
      {"50,000", kCount, 50000},
      {"1,234,567.5", kCount, 1234567.5},
      {"25M", kCount, 25e6},
      {"25 m", kCount, 25e6},
      {"1.5T", kCount, 1.5e12},
      {"1e-3", kCount, 1e-3},
      {"2E+6", kCount, 2e6},
      {"-5", kCount, -5},
      {"$0.10/GB-month", kDollarsPerByteMonth, 0.10 / 1e9 / (730 * hour)},
      {"0.1", kDollarsPerByteMonth, 0.10 / 1e9 / (730 * hour)},
      {"$0.09/GB", kDollarsPerByte, 0.09e-9},
      {"350 W", kPower, 350},
      {"0.7 kW", kPower, 700},
  };
  for (const Case& one : cases) {
    const auto value = parse_amount(one.text, one.kind);
    ASSERT_TRUE(value.has_value()) << one.text << ": " << value.error().message;
    EXPECT_NEAR(*value, one.value, std::abs(one.value) * 1e-14) << one.text;
  }
}

std::string message(std::string_view text, AmountKind kind) {
  const auto value = parse_amount(text, kind);
  return value ? "read as " + number_text(*value) : value.error().message;
}

TEST(Amount, SaysWhatWasExpected) {
  EXPECT_EQ(message("12 hous", kTime), "expected a time such as 12 h or 45 min, got '12 hous' (unknown unit 'hous')");
  EXPECT_EQ(message("80 GiB", kTime),
            "expected a time such as 12 h or 45 min, got '80 GiB' (that is an amount of memory)");
  EXPECT_EQ(message("$50", kTime), "expected a time such as 12 h or 45 min, got '$50' (that is an amount of money)");
  EXPECT_EQ(message("12 h", kBytes), "expected a size such as 80 GiB or 200 GB, got '12 h' (that is a time)");
  EXPECT_EQ(message("$2.50", kPrice), "expected a price such as $0.35/h, got '$2.50' (that is an amount of money)");
  EXPECT_EQ(message("100%/h", kRate),
            "expected a rate such as 5%/h, got '100%/h' (a chance must be below 100%; for more, give events per hour: "
            "1.5/h)");
  EXPECT_EQ(message("5%", kRate), "expected a rate such as 5%/h, got '5%' (that is a share)");
  EXPECT_EQ(message("70 tokens", kTokensPerSecond),
            "expected a speed such as 70 tokens/s, got '70 tokens' (that is a number of tokens)");
  EXPECT_EQ(message("nan", kTime), "expected a time such as 12 h or 45 min, got 'nan'");
  EXPECT_EQ(message(".inf", kTime), "expected a time such as 12 h or 45 min, got '.inf'");
  EXPECT_EQ(message("-inf", kMoney), "expected an amount of money such as $50, got '-inf'");
  EXPECT_EQ(message("", kShare), "expected a share such as 30% or 0.3, got ''");
  EXPECT_EQ(message("1e999", kCount),
            "expected a number such as 1500, 50_000 or 25M, got '1e999' (it is too large or too small for a number)");
  EXPECT_EQ(message("1e308 TB", kBytes), "expected a size such as 80 GiB or 200 GB, got '1e308 TB' (it is too large)");
  EXPECT_EQ(message("2,49", kMoney),
            "expected an amount of money such as $50, got '2,49' (a comma separates thousands; decimals have a point)");
  EXPECT_EQ(message("12", kTime), "expected a time such as 12 h or 45 min, got '12' (12 h, 12 min or 12 s?)");
  EXPECT_EQ(message("0.5", kTime), "expected a time such as 12 h or 45 min, got '0.5' (0.5 h, 0.5 min or 0.5 s?)");
  EXPECT_EQ(message("10-20 min", kTime),
            "expected a time such as 12 h or 45 min, got '10-20 min' (one figure, not a range)");
  EXPECT_EQ(message("12 \x1b[31mh", kTime),
            "expected a time such as 12 h or 45 min, got '12 ?[31mh' (unknown unit '?[')")
      << "escape sequences are made harmless";
}

TEST(Amount, RefusesWhatIsNoAmount) {
  for (const std::string_view text :
       {"x",     "12 12",    "1__0",  "_1",    "1_",         "1..",      "--1",      "+-1",
        "1.2.3", "0x10",     "1e",    "1 h 2", "30 min 1 h", "1,23,456", "1234,567", "12,34",
        "1 h-",  "infinity", "1 h x", "$",     "%",          "- 5 -",    "1e5e5",    "١٢"})
    EXPECT_FALSE(parse_amount(text, kTime).has_value()) << text;
  EXPECT_FALSE(parse_amount(std::string(1000, '1'), kCount).has_value());
  EXPECT_FALSE(parse_amount("1" + std::string(500, '_') + "1", kCount).has_value());
  EXPECT_LT(message(std::string(100000, 'x'), kCount).size(), 200U);
  EXPECT_FALSE(parse_amount("$5", kCount).has_value());
  EXPECT_FALSE(parse_amount("5 steps", kCount).has_value());
  EXPECT_FALSE(parse_amount("200 Mbit", kBytesPerSecond).has_value());
  EXPECT_FALSE(parse_amount("200 Mb", kTime).has_value());
}

TEST(Amount, EveryExpectationIsAnExample) {
  for (const AmountKind kind : {kCount, kShare, kTime, kMoney, kPrice, kRate, kBytes, kBytesPerSecond, kTokens,
                                kTokensPerSecond, kSamplesPerSecond, kDollarsPerByteMonth, kDollarsPerByte, kPower}) {
    std::string_view words = expectation(kind);
    words.remove_prefix(words.find("such as ") + 8);
    const std::string_view example = words.substr(0, std::min(words.find(" or "), words.find(", ")));
    EXPECT_TRUE(parse_amount(example, kind).has_value()) << words;
  }
}

Interval<double> interval(std::string_view text, AmountKind kind) {
  const auto value = parse_interval(text, kind);
  if (!value) ADD_FAILURE() << value.error().message;
  return value.value_or(Interval<double>{});
}

TEST(AmountRange, ReadsBothSpellings) {
  for (const std::string_view text : {"20-24", "20..24", "20 .. 24", "20–24"}) {
    const auto range = interval(text, kCount);
    EXPECT_EQ(range.p10, 20) << text;
    EXPECT_EQ(range.p90, 24) << text;
    EXPECT_NEAR(range.p50, std::sqrt(480.0), 1e-12) << text;
  }
}

TEST(AmountRange, TheEndsShareWhatOneLeavesOut) {
  EXPECT_NEAR(interval("$4-6/h", kPrice).p10, 4.0 / 3600, 1e-15);
  EXPECT_NEAR(interval("$4-6/h", kPrice).p90, 6.0 / 3600, 1e-15);
  EXPECT_NEAR(interval("$4-$6/h", kPrice).p90, 6.0 / 3600, 1e-15);
  EXPECT_NEAR(interval("$4/h-$6/h", kPrice).p10, 4.0 / 3600, 1e-15);
  EXPECT_EQ(interval("10-20 min", kTime).p10, 600);
  EXPECT_EQ(interval("10-20 min", kTime).p90, 1200);
  EXPECT_EQ(interval("50 min-1 h 10 min", kTime).p90, 4200);
  EXPECT_EQ(interval("15%..25%", kShare).p90, 0.25);
  EXPECT_EQ(interval("15-25%", kShare).p10, 0.15);
  EXPECT_EQ(interval("1k-2000", kCount).p90, 2000);
  EXPECT_EQ(interval("1-2k", kCount).p10, 1000);
  EXPECT_EQ(interval("$0.02-0.08/GB-month", kDollarsPerByteMonth).p90,
            *parse_amount("$0.08/GB-month", kDollarsPerByteMonth));
  EXPECT_EQ(interval("250-300", kTokensPerSecond).p10, 250);
}

TEST(AmountRange, OneFigureIsExact) {
  EXPECT_TRUE(interval("$0.35/h", kPrice).exact());
  EXPECT_EQ(interval("12 h", kTime), exactly(43200.0));
  EXPECT_TRUE(interval("5-5", kCount).exact());
  EXPECT_EQ(interval("1e-3", kCount), exactly(1e-3)) << "the minus belongs to the exponent";
}

TEST(AmountRange, ArithmeticMeanWhenNotPositive) {
  EXPECT_EQ(interval("0-10", kCount).p50, 5);
  EXPECT_EQ(interval("-4..2", kCount).p50, -1);
  EXPECT_EQ(interval("-4--2", kCount).p90, -2);
}

TEST(AmountRange, Refuses) {
  EXPECT_EQ(parse_interval("24-20", kCount).error().message,
            "expected a number such as 1500, 50_000 or 25M, got '24-20' (the range starts above its end)");
  EXPECT_EQ(parse_interval("10 min-20", kTime).error().message,
            "expected a time such as 12 h or 45 min, got '10 min-20' (the unit of a range stands at its end)");
  EXPECT_EQ(parse_interval("$4-6", kPrice).error().message,
            "expected a price such as $0.35/h, got '$4-6' (that is an amount of money)");
  for (const std::string_view text : {"1-", "-", "..", "1-2-3", "1..2..3", "1-x", "1 h-2 GiB", "nan-1", "1-nan"})
    EXPECT_FALSE(parse_interval(text, kTime).has_value()) << text;
}

TEST(AmountText, Times) {
  EXPECT_EQ(to_text(Seconds{6.2 * 3600}), "6.2 h");
  EXPECT_EQ(to_text(Seconds{2700}), "45 min");
  EXPECT_EQ(to_text(Seconds{0.0123}), "12.3 ms");
  EXPECT_EQ(to_text(Seconds{2e-6}), "2 us");
  EXPECT_EQ(to_text(Seconds{12.34}), "12.3 s");
  EXPECT_EQ(to_text(Seconds{59.99}), "1 min") << "not 60 s";
  EXPECT_EQ(to_text(Seconds{12.5 * 3600}), "12.5 h");
  EXPECT_EQ(to_text(Seconds{12345 * 3600.0}), "12,345 h");
  EXPECT_EQ(to_text(Seconds{0}), "0 s");
  EXPECT_EQ(to_text(Seconds{-90}), "-1.5 min");
  EXPECT_EQ(hours_text(Seconds{3.42 * 3600}), "3.4");
  EXPECT_EQ(hours_text(Seconds{0.05 * 3600}), "0.05");
  EXPECT_EQ(hours_text(Seconds{120 * 3600}), "120");
  EXPECT_EQ(hours_text(Seconds{12.34 * 3600}), "12.3");
  EXPECT_EQ(hours_text(Seconds{0.98 * 3600}), "1.0");
  EXPECT_EQ(hours_text(Seconds{0.47 * 3600}), "0.47");
  EXPECT_EQ(hours_text(Seconds{0}), "0.0");
}

TEST(AmountText, SizesRatesAndMoney) {
  using namespace units;
  EXPECT_EQ(to_text(16.3 * GiB), "16.3 GiB");
  EXPECT_EQ(to_text(80 * GiB), "80 GiB");
  EXPECT_EQ(to_text(1000 * MiB), "0.977 GiB");
  EXPECT_EQ(to_text(Bytes{512}), "512 B");
  EXPECT_EQ(to_text(Bytes{0}), "0 B");
  EXPECT_EQ(to_text(3.35 * TB / second), "3.35 TB/s");
  EXPECT_EQ(to_text(936 * GB / second), "936 GB/s");
  EXPECT_EQ(to_text(999.9 * GB / second), "1 TB/s");
  EXPECT_EQ(to_text(989 * TFLOP / second), "989 TFLOP/s");
  EXPECT_EQ(to_text(1979 * TFLOP / second), "1.98 PFLOP/s");
  EXPECT_EQ(to_text(Flops{4.1e15}), "4.1 PFLOP");
  EXPECT_EQ(to_text(Dollars{4.74}), "$4.74");
  EXPECT_EQ(to_text(Dollars{1234.4}), "$1,234");
  EXPECT_EQ(to_text(Dollars{999.999}), "$1,000");
  EXPECT_EQ(to_text(Dollars{0.0034}), "$0.0034");
  EXPECT_EQ(to_text(Dollars{-3.2}), "-$3.20");
  EXPECT_EQ(to_text(Dollars{0}), "$0.00");
  EXPECT_EQ(to_text(0.35 * dollar / hour), "$0.35/h");
  EXPECT_EQ(count_short(7.24e9), "7.24B");
  EXPECT_EQ(count_short(25e6), "25M");
  EXPECT_EQ(count_short(1500), "1500");
  EXPECT_EQ(count_short(50000), "50k");
  EXPECT_EQ(count_short(999999), "1M");
  EXPECT_EQ(count_short(0), "0");
}

}  // namespace
}  // namespace gpuplan
