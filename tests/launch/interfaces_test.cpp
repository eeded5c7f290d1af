#include "launch/parts/interfaces.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

constexpr std::string_view kHead = "name,package,from,before,repository,commit,version,date,source,as_of\n";

TEST(Interfaces, EveryProgramThatScriptsInstallHasVersions) {
  for (const char* name :
       {"accelerate", "axolotl", "deepspeed", "llama-factory", "peft", "torchtitan", "transformers", "trl", "vllm"}) {
    const Interface* known = interface_of(name);
    ASSERT_NE(known, nullptr) << name;
    EXPECT_FALSE(known->package.empty() || known->from.empty() || known->before.empty()) << name;
  }
  EXPECT_EQ(interface_of("nothing"), nullptr);
}

TEST(Interfaces, WrongRowsAreNamed) {
  const std::string good = std::string(kHead) + "a,b,1,2,o/r,c0ffee,1.5,2026-01-02,its source,2026-11\n";
  const auto read = read_interfaces(good, "index.csv");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().before, "2");
  EXPECT_EQ(read->front().date, "2026-01-02");
  EXPECT_FALSE(read_interfaces(good + "a,b,1,2,o/r,c0ffee,1.5,2026-01-02,its source,2026-11\n", "index.csv"));
  EXPECT_FALSE(read_interfaces(std::string(kHead) + ",b,1,2,,,,,its source,2026-11\n", "index.csv"));
  EXPECT_FALSE(read_interfaces(std::string(kHead) + "a,b,1,2,,,,,,2026-11\n", "index.csv"));
}

}  // namespace
}  // namespace gpuplan
