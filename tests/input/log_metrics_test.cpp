#include "input/logs/metrics.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace gpuplan {
namespace {

/// "^text" when a match begins with it.
std::string needle(std::string_view pattern) {
  const Needle found = needle_of(pattern);
  return (found.first ? "^" : "") + found.text;
}

TEST(LogMetrics, KnowsWhatAMatchMustHold) {
  EXPECT_EQ(needle("step_0: ([0-9.]+)"), "^step_0: ");
  EXPECT_EQ(needle("loss: +([0-9.]+)"), "^loss: ");
  EXPECT_EQ(needle("([0-9.]+)% refined"), "% refined");
  EXPECT_EQ(needle("^val (.*) score ([0-9]+)$"), " score ");
  EXPECT_EQ(needle(R"(a\.b\|c (\d+))"), "^a.b|c ");
  EXPECT_EQ(needle("colou?r: (x)"), "^colo");
  EXPECT_EQ(needle("ab*cd(x)"), "^a");
  EXPECT_EQ(needle("ab{2}cdef(x)"), "^a");
  EXPECT_EQ(needle("x[]a]yz(1)"), "^x");
  EXPECT_EQ(needle("[[:alpha:]]yz(1)"), "yz");
  EXPECT_EQ(needle("(?P<n>[0-9]+) tokens"), " tokens");
}

TEST(LogMetrics, KnowsNothingOfWhatItDoesNotUnderstand) {
  for (const std::string_view pattern : {"loss: ([0-9.]+)|error", "(?i)loss: ([0-9.]+)", R"(\x41bc(1))",
                                         R"(\Qa.b\E(1))", R"(\pLabc(1))", "{(a|b}c)", "([0-9]+)", "(ab", "[ab", "a\\"})
    EXPECT_EQ(needle(pattern), "") << pattern;
}

}  // namespace
}  // namespace gpuplan
