#include "fetch/http/retry.h"

#include <gtest/gtest.h>

namespace gpuplan::fetch {
namespace {

TEST(Retry, WaitsLongerEachTimeWithinBounds) {
  const RetryRules rules{.tries = 10, .first_s = 1, .most_s = 20, .longest_asked_s = 60};
  for (const double chance : {0.0, 0.3, 0.999}) {
    double last = 0;
    for (int failed = 1; failed < rules.tries; ++failed) {
      const auto wait = wait_before_retry(failed, 0, chance, rules);
      ASSERT_TRUE(wait);
      EXPECT_GE(*wait, last);
      EXPECT_GE(*wait, rules.first_s / 2);
      EXPECT_LE(*wait, rules.most_s);
      last = *wait;
    }
    EXPECT_FALSE(wait_before_retry(rules.tries, 0, chance, rules));
  }
}

TEST(Retry, NeverComesSoonerThanAskedNorWaitsForDays) {
  const RetryRules rules;
  for (const double asked : {0.0, 1.0, 5.0, 60.0}) EXPECT_GE(*wait_before_retry(1, asked, 0, rules), asked);
  EXPECT_FALSE(wait_before_retry(1, 60.1, 0, rules));
  EXPECT_FALSE(wait_before_retry(1, 1e18, 0, rules));
}

TEST(Retry, TroubleOfTheServerMayPassWhatItRefusesDoesNot) {
  for (const int status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(worth_retrying(status)) << status;
  for (const int status : {0, 200, 301, 304, 400, 401, 403, 404, 410, 416, 501, 505, 999})
    EXPECT_FALSE(worth_retrying(status)) << status;
}

}  // namespace
}  // namespace gpuplan::fetch
