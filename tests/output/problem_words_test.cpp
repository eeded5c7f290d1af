#include "output/words/problem_words.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "output/answer/plan_json.h"
#include "output/answer/plan_table.h"
#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

KnownProblem problem_of(std::string id, std::string gpu, ProblemEffect effect) {
  KnownProblem problem;
  problem.id = std::move(id);
  problem.what = "it goes wrong";
  problem.hardware = {std::move(gpu)};
  problem.effect = effect;
  problem.remedy = "do something else";
  problem.source = "a test";
  problem.as_of = "2026-11";
  problem.confidence = Confidence::kHigh;
  return problem;
}

TEST(ProblemWords, NameEffectVersionsAndRemedy) {
  PlanFixture fixture;
  KnownProblem problem = problem_of("a", "RTX 5090", ProblemEffect::kFails);
  problem.from = "torch 2.0";
  problem.fixed_in = "torch 2.7";
  EXPECT_EQ(problem_effect(problem), "fails with torch 2.0 or newer, fixed in torch 2.7");
  EXPECT_EQ(problem_sentence(problem), "it goes wrong");
  problem.confidence = Confidence::kLow;
  problem.from = "";
  EXPECT_EQ(problem_effect(problem), "fails with software older than torch 2.7");
  EXPECT_EQ(problem_sentence(problem), "it goes wrong (unverified)");
  fixture.catalogue.problems = {problem, problem_of("b", "H100 SXM", ProblemEffect::kSlower)};
  const PlanReport report = fixture.report();
  EXPECT_EQ(problems_text(report, *report.pick(), {.columns = 140}, 3),
            "  Known issues of 4x RTX 5090:\n"
            "    - fails with software older than torch 2.7: it goes wrong (unverified). Do something else.\n");
  EXPECT_EQ(problems_text(report, report.plan(0), {.columns = 140}, 3), "") << "4x RTX 3090 has none";
}

TEST(ProblemWords, TheShortAnswerSaysWhatHappensAndWhen) {
  PlanFixture fixture;
  KnownProblem problem = problem_of("a", "RTX 5090", ProblemEffect::kFails);
  problem.fixed_in = "torch 2.7";
  const auto words = [&](const KnownProblem& of) {
    fixture.catalogue.problems = {of};
    const PlanReport report = fixture.report();
    return problem_words(report, *report.pick());
  };
  EXPECT_EQ(words(problem), "Fails with software older than torch 2.7: it goes wrong. Do something else.");
  problem.fixed_in = "";
  problem.effect = ProblemEffect::kUnstable;
  EXPECT_EQ(words(problem), "Unstable: it goes wrong. Do something else.");
  problem.confidence = Confidence::kMedium;
  EXPECT_EQ(words(problem), "") << "it may not happen here";
  problem.effect = ProblemEffect::kFails;
  EXPECT_NE(words(problem), "");
  problem.effect = ProblemEffect::kSlower;
  problem.confidence = Confidence::kHigh;
  EXPECT_EQ(words(problem), "");
}

TEST(ProblemWords, StopAtAFew) {
  PlanFixture fixture;
  fixture.catalogue.problems = {problem_of("a", "RTX 5090", ProblemEffect::kSlower),
                                problem_of("b", "RTX 5090", ProblemEffect::kFails)};
  const PlanReport report = fixture.report();
  EXPECT_EQ(problems_text(report, *report.pick(), {.columns = 140}, 1),
            "  Known issues of 4x RTX 5090, 1 of 2 (--all):\n"
            "    - fails: it goes wrong. Do something else.\n");
  const std::string usual = plan_table(report, {{.columns = 100}, false});
  EXPECT_NE(usual.find("Known issues of 4x RTX 5090:"), std::string::npos) << usual;
}

TEST(ProblemWords, SayWhichPhasesWhenNotAll) {
  PlanFixture fixture;
  Phase other = fixture.job.phases.front();
  other.name = "train";
  other.work = TrainPhase{};
  fixture.job.phases.push_back(other);
  fixture.catalogue.problems = {problem_of("a", "RTX 5090", ProblemEffect::kFails)};
  const PlanReport report = fixture.report();
  EXPECT_EQ(problems_text(report, *report.pick(), {.columns = 140}, 3),
            "  Known issues of 4x RTX 5090:\n"
            "    - collect: fails: it goes wrong. Do something else.\n");
}

TEST(ProblemWords, AreInTheJsonOfEveryPlan) {
  PlanFixture fixture;
  fixture.catalogue.problems = {problem_of("b", "H100 SXM", ProblemEffect::kSlower),
                                problem_of("a", "RTX 5090", ProblemEffect::kFails),
                                problem_of("c", "L4", ProblemEffect::kFails)};
  const auto document = nlohmann::json::parse(plan_json(fixture.report(), {}));
  EXPECT_EQ(document["plans"][0]["known_problems"].size(), 0u);
  EXPECT_EQ(document["plans"][1]["known_problems"][0], "a");
  ASSERT_EQ(document["known_problems"].size(), 2u) << "only those that touch a plan";
  EXPECT_EQ(document["known_problems"][0]["id"], "b");
  EXPECT_EQ(document["known_problems"][0]["effect"], "slower");
  EXPECT_EQ(document["known_problems"][0]["source"], "a test");
  EXPECT_TRUE(document["known_problems"][0]["fixed_in"].is_null());
}

}  // namespace
}  // namespace gpuplan
