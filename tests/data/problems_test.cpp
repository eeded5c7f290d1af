// data/known_problems.csv: what its rows say of themselves and of the other tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "input/job_fixture.h"

namespace gpuplan {
namespace {

TEST(DataProblems, AreManyAndOfEveryEffect) {
  EXPECT_GE(known().problems.size(), 25u);
  std::set<ProblemEffect> effects;
  std::set<ProblemFeature> features;
  for (const KnownProblem& problem : known().problems) {
    effects.insert(problem.effect);
    features.insert(problem.features.begin(), problem.features.end());
  }
  EXPECT_EQ(effects.size(), Names<ProblemEffect>::entries.size());
  EXPECT_EQ(features.size(), Names<ProblemFeature>::entries.size()) << "a feature without a row is dead code";
}

TEST(DataProblems, AreSentencesAndSayWhereTheyComeFrom) {
  for (const KnownProblem& problem : known().problems) {
    SCOPED_TRACE(problem.id);
    for (const std::string* text : {&problem.what, &problem.remedy}) {
      EXPECT_GE(text->size(), 12u);
      EXPECT_NE(text->back(), '.') << "the full stop is the program's";
      EXPECT_LE(text->size(), 220u);
    }
    EXPECT_TRUE(std::ranges::all_of(
        problem.id, [](char c) { return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }));
    // What nobody looked up again is not passed off as more.
    const bool from_memory = problem.source.find("from memory") == 0;
    if (from_memory) {
      EXPECT_EQ(problem.confidence, Confidence::kLow);
    }
    EXPECT_EQ(problem.source.find("http"), std::string::npos);
  }
}

TEST(DataProblems, CanBeMet) {
  for (const KnownProblem& problem : known().problems) {
    SCOPED_TRACE(problem.id);
    if (problem.capability_below > 0) {
      EXPECT_LT(problem.capability_from, problem.capability_below);
    }
    const bool some_gpu = std::ranges::any_of(known().gpus, [&](const Gpu& gpu) {
      const auto is = [&](const std::string& name) { return name == gpu.name || name == gpu.architecture; };
      return (problem.hardware.empty() || std::ranges::any_of(problem.hardware, is)) &&
             gpu.compute_capability >= problem.capability_from &&
             (problem.capability_below == 0 ||
              (gpu.compute_capability > 0 && gpu.compute_capability < problem.capability_below));
    });
    EXPECT_TRUE(some_gpu);
    for (const std::string& name : problem.frameworks) {
      const Framework* framework = known().find_framework(name);
      ASSERT_NE(framework, nullptr) << name;
      if (problem.kind == KnownProblem::Kind::kTrain) {
        EXPECT_TRUE(framework->trains) << name;
      }
      if (problem.kind == KnownProblem::Kind::kGenerate) {
        EXPECT_TRUE(framework->generates) << name;
      }
    }
  }
}

}  // namespace
}  // namespace gpuplan
