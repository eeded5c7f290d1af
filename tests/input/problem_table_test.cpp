#include <gtest/gtest.h>

#include "input/tables/problems.h"

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

constexpr std::string_view kHeader =
    "id,problem,kind,frameworks,hardware,capability_from,capability_below,gpus_from,features,from,fixed_in,effect,"
    "remedy,source,as_of,confidence\n";

/// The row read beside the hardware and frameworks of data/; the message when it is refused.
std::string refusal(const std::string& rows, std::vector<KnownProblem>* read = nullptr) {
  Catalogue catalogue = known();
  catalogue.problems.clear();
  const auto done = read_known_problems(std::string(kHeader) + rows, "p.csv", catalogue);
  if (read != nullptr) *read = catalogue.problems;
  return line_of(done);
}

TEST(ProblemTable, ReadsConditions) {
  std::vector<KnownProblem> read;
  ASSERT_EQ(
      refusal(
          "x,it is slow,train,pytorch|trl,RTX_4090|Ada,8.0,9.0,2,compile+lora,A 1,B 2,slower,wait,me,2026-11,high\n",
          &read),
      "");
  ASSERT_EQ(read.size(), 1u);
  const KnownProblem& problem = read.front();
  EXPECT_EQ(problem.kind, KnownProblem::Kind::kTrain);
  EXPECT_EQ(problem.frameworks, (std::vector<std::string>{"torch", "hf-trainer"})) << "by their catalogue names";
  EXPECT_EQ(problem.hardware, (std::vector<std::string>{"RTX 4090", "Ada"}));
  EXPECT_EQ(problem.capability_from, 8.0);
  EXPECT_EQ(problem.capability_below, 9.0);
  EXPECT_EQ(problem.gpus_from, 2);
  EXPECT_EQ(problem.features, (std::vector<ProblemFeature>{ProblemFeature::kCompile, ProblemFeature::kLora}));
  EXPECT_EQ(problem.from, "A 1");
  EXPECT_EQ(problem.fixed_in, "B 2");
  EXPECT_EQ(problem.effect, ProblemEffect::kSlower);
  EXPECT_EQ(problem.confidence, Confidence::kHigh);
}

TEST(ProblemTable, RefusesWhatNothingIsCalled) {
  const auto row = [](const std::string& frameworks, const std::string& hardware, const std::string& features) {
    return "x,p,," + frameworks + "," + hardware + ",,,," + features + ",,,fails,r,s,2026-11,low\n";
  };
  EXPECT_EQ(refusal(row("torch", "", "")), "");
  EXPECT_EQ(refusal(row("tortch", "", "")), "p.csv:2: column frameworks: 'tortch' is not in frameworks.csv");
  EXPECT_EQ(refusal(row("", "H100 40GB", "")),
            "p.csv:2: column hardware: 'H100 40GB' is no GPU and no architecture of gpus.csv");
  EXPECT_NE(refusal(row("", "", "compil")).find("Did you mean 'compile'?"), std::string::npos);
  EXPECT_EQ(refusal(row("", "", "")),
            "p.csv:2: no condition; expected frameworks, hardware, features or a compute capability");
  EXPECT_EQ(refusal(row("torch", "", "") + row("vllm", "", "")), "p.csv:3: the id 'x' comes twice");
}

}  // namespace
}  // namespace gpuplan
