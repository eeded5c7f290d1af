// Clauses all of whose amounts go together, what is left of a whole, and what sentences say of the rows of a table:
// right figures are never accused, and one that is wrong is, whatever the figures are.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/text.h"
#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

constexpr int kOfEach = 60;
constexpr std::string_view kHole = "{}";

int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

/// A sentence with a hole where its result is.
struct Case {
  std::string text;
  double result = 0;
  int digits = 0;
  std::string before, after;  ///< its unit

  std::string with(double value) const {
    const std::size_t at = text.find(kHole);
    return text.substr(0, at) + before + fixed_text(value, digits) + after + text.substr(at + kHole.size());
  }
};

void holds(const char* what, Case (*make)(Random&)) {
  Random random(7);
  for (int i = 0; i < kOfEach; ++i) {
    const Case one = make(random);
    EXPECT_EQ(said_of(one.with(one.result)), "") << what << ": " << one.with(one.result);
    const double factor = std::array{0.6, 0.75, 1.35, 1.7}[random.below(4)];
    const std::string wrong = one.with(one.result * factor), said = said_of(wrong);
    const std::string figure = one.before + fixed_text(one.result * factor, one.digits);
    EXPECT_TRUE(said.starts_with(figure)) << what << ": " << wrong << " -> " << said;
  }
}

TEST(AuditProducts, RunsOfHoursOnGpus) {
  holds("GPU-hours", [](Random& random) {
    const int runs = between(random, 3, 9), hours = between(random, 11, 70), gpus = between(random, 1, 4) * 2;
    return Case{std::to_string(runs) + " runs of " + std::to_string(hours) + " h on " + std::to_string(gpus) +
                    " GPUs are {}.\n",
                double(runs) * hours * gpus, 0, "", " GPU-hours"};
  });
}

TEST(AuditProducts, WhatIsCountedTimesItsSize) {
  holds("tokens", [](Random& random) {
    const int count = between(random, 11, 90) * 1000, size = between(random, 3, 30) * 100;
    return Case{"We have " + std::to_string(count) + " conversations of " + std::to_string(size) +
                    " tokens on average, which is {} an epoch.\n",
                count / 1e6 * size, 1, "", "M tokens"};
  });
}

TEST(AuditProducts, ThreeAmountsOfAnItem) {
  holds("money", [](Random& random) {
    const double price = between(random, 50, 900) / 100.0;
    const int hours = between(random, 4, 60);
    return Case{"1. A machine at $" + fixed_text(price, 2) + "/h: " + std::to_string(hours) + " hours, {}.\n",
                price * hours, 2, "$", ""};
  });
}

TEST(AuditProducts, WhatIsLeftOfAWhole) {
  holds("memory", [](Random& random) {
    const int weights = between(random, 11, 38), whole = 80;
    return Case{"The weights take " + std::to_string(weights) +
                    " GB of the card. One of them has 80 GB, which leaves {} for the rest.\n",
                double(whole - weights), 0, "", " GB"};
  });
}

constexpr std::string_view kTable =
    "| Project | GPUs | Runs | Hours per run | GPU-hours | Price per GPU-hour | Cost |\n|---|---|---|---|---|---|---|\n"
    "| Fold ablations | 4 | 12 | 9 | 432 | $1.79 | $773.28 |\n| Docking baseline | 2 | 20 | 6 | 240 | $0.99 | $237.60 "
    "|\n"
    "| Big model | 8 | 2 | 60 | 960 | $2.69 | $2,582.40 |\n| Distillation | 2 | 5 | 24 | 240 | $1.79 | $429.60 |\n"
    "| Total | | 39 | | 1,872 | | $4,022.88 |\n\nSet-up and a buffer of a day are in the hours.\n\n";

TEST(AuditRowShares, SharesOfTheRowThatIsNamed) {
  const std::string table(kTable);
  EXPECT_EQ(said_of(table + "The big model takes 64% of the money and 51% of the GPU-hours.\n"), "");
  EXPECT_TRUE(said_of(table + "The big model takes 54% of the money.\n").starts_with("54% -> 64"));
  EXPECT_TRUE(said_of(table + "The big model takes 41% of the GPU-hours.\n").starts_with("41% -> 51"));
  // Of what else it may be a share.
  EXPECT_EQ(said_of(table + "Of a grant of $6,000 the big model takes 43% of the money.\n"), "");
  EXPECT_EQ(said_of(table + "A model of another team takes 30% of the money.\n"), "");
}

}  // namespace
}  // namespace gpuplan
