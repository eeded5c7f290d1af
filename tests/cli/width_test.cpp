// No line is wider than the terminal, whatever the answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/fake_system.h"
#include "cli/io/exit_code.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;

int columns_of(std::string_view line) {
  int columns = 0;
  for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // of UTF-8, first bytes
  return columns;
}

struct Width : testing::Test {
  Width() {
    for (const auto& file : std::filesystem::directory_iterator(GPUPLAN_SOURCE_DIR "/examples"))
      if (file.path().extension() == ".yaml") jobs.push_back("examples/" + file.path().filename().string());
    std::ranges::sort(jobs);
    for (const std::string& job : jobs) system.lay(job);
  }
  /// Every line of the answer has at most so many columns.
  void fits(const Words& words, int columns, int most) {
    system.variables["COLUMNS"] = std::to_string(columns);
    const int code = system.run(words);
    EXPECT_TRUE(code == kDone || code == kMissesLimits) << testing::PrintToString(words) << system.err;
    EXPECT_EQ(system.err, "");
    for (const std::string_view line : split(system.out, '\n')) {
      EXPECT_LE(columns_of(line), most) << testing::PrintToString(words) << " at " << columns << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << testing::PrintToString(words) << " at " << columns << ": " << line;
    }
  }
  FakeSystem system;
  Words jobs;
};

TEST_F(Width, AnswersAndFacts) {
  std::vector<Words> all = {{"plan", "examples/sft-node.yaml", "--explain"},
                            {"fit", "Llama-3.1-8B"},
                            {"fit", "Llama-3.1-405B"},
                            {"fit", "examples/sft-node.yaml"},
                            {"gpus"},
                            {"offers"},
                            {"model", "DeepSeek-V3"}};
  ASSERT_GT(jobs.size(), 10U);
  for (const std::string& job : jobs) all.push_back({"plan", job});
  for (std::size_t i = 0; i < 3; ++i) all.push_back({"plan", jobs[i], "--all"});
  // Tables never cut figures: at 60 columns a few are wider than the screen. From 80 on all must fit.
  for (const int columns : {60, 80, 100, 140, 200})
    for (const Words& words : all) fits(words, columns, std::max(columns, 80));
}

TEST_F(Width, EveryViewOfEveryExample) {
  for (const std::string& job : jobs)
    for (const int columns : {80, 140}) {
      fits({"plan", job, "--show", "chart,decisions,worth,saved,dominated,speed,scaling,prices,fallback,strategies"},
           columns, columns);
      for (const char* word : {"nan", "inf"})
        for (const std::string_view cell : split(system.out, ' ')) EXPECT_NE(trim(cell), word) << job;
    }
}

}  // namespace
}  // namespace gpuplan::cli
