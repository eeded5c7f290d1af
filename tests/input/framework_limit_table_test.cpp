#include <gtest/gtest.h>

#include <algorithm>

#include "input/tables/frameworks.h"

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

constexpr std::string_view kHeader = "framework,limit,what,instead,source,as_of\n";

/// The rows read beside the frameworks of data/; the message when they are refused.
std::string refusal(const std::string& rows, Catalogue* read = nullptr) {
  Catalogue catalogue = known();
  for (Framework& framework : catalogue.frameworks) framework.limits.clear();
  const auto done = read_framework_limits(std::string(kHeader) + rows, "l.csv", catalogue);
  if (read != nullptr) *read = std::move(catalogue);
  return line_of(done);
}

TEST(FrameworkLimitTable, RowsGoToTheirFramework) {
  Catalogue read;
  ASSERT_EQ(refusal("pytorch,scratch,starts anew,framework: megatron,me,2026-11\n"
                    "torch,gpt2,has one network,framework: megatron,me,2026-11\n",
                    &read),
            "");
  const Framework* torch = read.find_framework("torch");
  ASSERT_EQ(torch->limits.size(), 2u) << "by any of its names";
  EXPECT_EQ(torch->limits.front(),
            (LimitRow{FrameworkLimit::kScratch, "starts anew", "framework: megatron", "me", "2026-11"}));
  EXPECT_TRUE(read.find_framework("megatron")->limits.empty());
}

TEST(FrameworkLimitTable, RefusesWhatNothingIsCalled) {
  const auto row = [](const std::string& framework, const std::string& limit) {
    return framework + "," + limit + ",w,i,s,2026-11\n";
  };
  EXPECT_EQ(refusal(row("torch", "gpt2")), "");
  EXPECT_EQ(refusal(row("vllm", "gpt2")),
            "l.csv:2: column framework: 'vllm' is no training framework of frameworks.csv");
  EXPECT_EQ(refusal(row("tortch", "gpt2")),
            "l.csv:2: column framework: 'tortch' is no training framework of frameworks.csv");
  EXPECT_NE(refusal(row("torch", "gtp2")).find("Did you mean 'gpt2'?"), std::string::npos);
  EXPECT_EQ(refusal(row("torch", "gpt2") + row("pytorch", "gpt2")).substr(0, 8), "l.csv:3:");
}

TEST(FrameworkLimitTable, EveryLimitIsMetBySomeFrameworkOfData) {
  for (const auto& entry : Names<FrameworkLimit>::entries) {
    const bool used = std::ranges::any_of(known().frameworks, [&](const Framework& framework) {
      return std::ranges::find(framework.limits, entry.value, &LimitRow::limit) != framework.limits.end();
    });
    EXPECT_TRUE(used) << entry.name;
  }
}

}  // namespace
}  // namespace gpuplan
