#include "output/text/price_age.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

TEST(PriceAge, CountsFromTheMiddleOfAMonth) {
  EXPECT_EQ(days_old("2026-04", "2026-04-20"), 5);
  EXPECT_EQ(days_old("2026-04-17", "2026-04-20"), 3);
  EXPECT_EQ(days_old("2026-04", "2026-11-22"), 221);
  EXPECT_EQ(days_old("2027-01", "2026-11-22"), 0) << "dates to come are new";
  EXPECT_EQ(days_old("", "2026-11-22"), std::nullopt);
  EXPECT_EQ(days_old("2026-04", ""), std::nullopt);
  EXPECT_EQ(days_old("2026-13", "2026-11-22"), std::nullopt);
}

TEST(PriceAge, IsSaidInTheUnitThatSuitsIt) {
  EXPECT_EQ(price_age_words("2026-04", "2026-11-22"), "prices from 2026-04, 7 months old");
  EXPECT_EQ(price_age_words("2026-10", "2026-11-22"), "prices from 2026-10, 38 days old");
  EXPECT_EQ(price_age_words("2026-11", "2026-11-22"), "prices from 2026-11");
  EXPECT_EQ(price_age_words("2023-11", "2026-11-22"), "prices from 2023-11, 3 years old");
  EXPECT_EQ(price_age_words("2026-04", ""), "prices from 2026-04");
  EXPECT_EQ(price_age_words("", "2026-11-22"), "");
}

TEST(PriceAge, IsAWarningFromTheLimitOn) {
  EXPECT_EQ(old_price_words("2026-09-23", "2026-11-21", 60), "");
  EXPECT_EQ(old_price_words("2026-09-23", "2026-11-22", 60),
            "Prices are from 2026-09-23, 2 months old: look them up before you rent.");
  EXPECT_EQ(old_price_words("2020-01", "", 60), "") << "nobody knows which day it is";
}

}  // namespace
}  // namespace gpuplan
