// Orders of phases taken apart into what follows and what runs side by side.
#include "plan/machines/series_parallel.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

/// "(0 [1 2] 3)": a series of 0, a fork into 1 and 2, then 3.
std::string text(const Module& module) {
  if (module.kind == Module::Kind::kPhase) return std::to_string(module.phase);
  const bool series = module.kind == Module::Kind::kSeries;
  std::string inside;
  for (const Module& part : module.parts) inside += (inside.empty() ? "" : " ") + text(part);
  return series ? "(" + inside + ")" : "[" + inside + "]";
}

std::string parts(const std::vector<std::vector<int>>& needs) {
  const auto module = series_parallel(needs);
  return module ? text(*module) : "none";
}

TEST(SeriesParallel, ChainsForksAndJoins) {
  EXPECT_EQ(parts({{}}), "0");
  EXPECT_EQ(parts({{}, {0}, {1}}), "(0 1 2)");
  EXPECT_EQ(parts({{}, {}, {}}), "[0 1 2]");
  EXPECT_EQ(parts({{}, {0}, {0}}), "(0 [1 2])") << "a tree that grows";
  EXPECT_EQ(parts({{}, {}, {0, 1}}), "([0 1] 2)") << "a tree that gathers";
  EXPECT_EQ(parts({{}, {0}, {0}, {1, 2}, {3}}), "(0 [1 2] 3 4)");
  EXPECT_EQ(parts({{}, {0}, {0}, {2}, {1, 3}}), "(0 [1 (2 3)] 4)");
}

TEST(SeriesParallel, NeedsThatFollowFromOthersChangeNothing) {
  EXPECT_EQ(parts({{}, {0}, {0, 1}}), "(0 1 2)");
  EXPECT_EQ(parts({{2}, {}, {1}}), "(1 2 0)") << "the order in the file does not matter";
}

TEST(SeriesParallel, CrossedNeedsAreNot) {
  EXPECT_EQ(parts({{}, {}, {0, 1}, {1}}), "none");
  EXPECT_EQ(parts({{1}, {0}}), "none") << "a cycle";
}

TEST(SeriesParallel, PhasesInOrder) {
  EXPECT_EQ(phases_of(*series_parallel({{2}, {}, {1}, {0}})), (std::vector<int>{1, 2, 0, 3}));
}

}  // namespace
}  // namespace gpuplan
