#include "input/job/amounts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "input/declaration/codec.h"
#include "input/job_fixture.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

TEST(JobAmounts, RelativeFactors) {
  EXPECT_EQ(relative_factor("x2"), 2);
  EXPECT_EQ(relative_factor("X0.5"), 0.5);
  EXPECT_EQ(relative_factor("x .5"), 0.5);
  EXPECT_EQ(relative_factor("x1k"), 1000);
  EXPECT_EQ(relative_factor("+10%"), 1.1);
  EXPECT_EQ(relative_factor("-20 %"), 0.8);
  for (const std::string_view text :
       {"", "x", "x-2", "2x", "10%", "+10", "-3 h", "- 20", "xlarge", "x2 h", "+%", "++1%"})
    EXPECT_FALSE(relative_factor(text)) << text;
}

/// The amount written and read again.
void expect_same(const Amount& amount, const ValueType& type) {
  const std::string text = written(amount);
  const auto again = amount_in(scalar_tree(text), type);
  ASSERT_TRUE(again) << text;
  EXPECT_NEAR(again->value.p10 / amount.value.p10, 1, 1e-11) << text;
  EXPECT_NEAR(again->value.p90 / amount.value.p90, 1, 1e-11) << text;
}

TEST(JobAmounts, WrittenReadsBack) {
  constexpr AmountKind kKinds[] = {AmountKind::kCount,
                                   AmountKind::kShare,
                                   AmountKind::kTime,
                                   AmountKind::kMoney,
                                   AmountKind::kPrice,
                                   AmountKind::kRate,
                                   AmountKind::kBytes,
                                   AmountKind::kBytesPerSecond,
                                   AmountKind::kTokens,
                                   AmountKind::kTokensPerSecond,
                                   AmountKind::kSamplesPerSecond,
                                   AmountKind::kDollarsPerByteMonth,
                                   AmountKind::kDollarsPerByte,
                                   AmountKind::kPower};
  for (const AmountKind kind : kKinds) {
    const ValueType type{.kind = ValueType::Kind::kAmount, .amount = kind, .range = true};
    for (const double size : {1e-14, 3.7e-5, 0.1 + 0.2, 1.0, 60.0, 5432.1, 86'400.0, 1.0 / 3, 7e9, 1.23456789e15}) {
      expect_same({.kind = kind, .value = exactly(size)}, type);
      expect_same({.kind = kind, .value = {size, size * 1.5, size * 2.25}}, type);
    }
  }
}

TEST(JobAmounts, WrittenInGoodUnits) {
  const auto text = [](std::string_view from, const ValueType& type) {
    return written(amount_in(scalar_tree(from), type).value());
  };
  EXPECT_EQ(text("90 min", Codec<Seconds>::type), "1.5 h");
  EXPECT_EQ(text("0.5 s", Codec<Seconds>::type), "500 ms");
  EXPECT_EQ(text("$4-6/h", Codec<Interval<DollarsPerSecond>>::type), "$4/h..$6/h");
  EXPECT_EQ(text("5%/h", Codec<PerSecond>::type), "5%/h");
  EXPECT_EQ(text("0.1", ShareCodec::type), "10%");
  EXPECT_EQ(text("11.2B tokens", Codec<Tokens>::type), "11200000000");
  EXPECT_EQ(brief({.kind = AmountKind::kTime, .value = exactly(100.0)}), "1.667 min");
  EXPECT_EQ(brief({.kind = AmountKind::kCount, .value = exactly(12'800.0)}), "12,800");
}

/// A value of this type multiplied, as text, or the error.
std::string times(std::string_view value, const ValueType& type, double factor) {
  Tree tree = parse_tree(value, "value").value();
  const auto done = multiply(tree, type, factor);
  return done ? flow_text(tree) : line_of(done);
}

TEST(JobAmounts, Multiplied) {
  EXPECT_EQ(times("12 h", Codec<Seconds>::type, 2), "24 h");
  EXPECT_EQ(times("1 h 30 min", Codec<Seconds>::type, 0.5), "45 min");
  EXPECT_EQ(times("10-20 min", Codec<Expected<Seconds>>::type, 3), "0.5 h..1 h");
  EXPECT_EQ(times("$0.35/h", Codec<Interval<DollarsPerSecond>>::type, 0.8), "$0.28/h");
  EXPECT_EQ(times("5", Codec<int>::type, 1.5), "8");  // the nearest whole number
  EXPECT_EQ(times("2", Codec<double>::type, 1.5), "3");
  EXPECT_EQ(times("{by_gpu: {L4: 4, else: 2}}", Codec<PerGpu<int>>::type, 2), "{by_gpu: {L4: 8, else: 4}}");
  EXPECT_EQ(times("{by_gpu: {L4: auto, else: 2}}", Codec<PerGpu<int>>::type, 2), "{by_gpu: {L4: auto, else: 4}}");
}

TEST(JobAmounts, NotMultiplied) {
  EXPECT_EQ(times("auto", Codec<PerGpu<int>>::type, 2), "'auto' is none");
  EXPECT_EQ(times("[1, 2]", Codec<int>::type, 2), "a list is none");
  EXPECT_EQ(times("{by_gpu: {L4: auto}}", Codec<PerGpu<int>>::type, 2), "a map is none");
  EXPECT_EQ(times("4", Codec<int>::type, 1.1), "'4' is a whole number, of which that is less than one");
}

TEST(JobAmounts, SharesBesideCountsShowTheirSign) {
  // leave_free: 25% of the pool, or so many GPUs.
  static constexpr std::array<const ValueType*, 2> kOptions = {&ShareCodec::type, &WholeCodec::type};
  static constexpr ValueType kType{.kind = ValueType::Kind::kOneOf, .options = kOptions.data(), .option_count = 2};
  EXPECT_EQ(times("25%", kType, 2), "50%");
  EXPECT_EQ(times("2", kType, 2), "4");
}

}  // namespace
}  // namespace gpuplan
