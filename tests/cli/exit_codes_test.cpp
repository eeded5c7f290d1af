// The contract of every command: 0 done, 2 usage, 3 nothing fits, 4 misses the limits, 5 bad input, 6 a check that
// failed; and errors in one line. 1 is what deliver_test.cpp asks for.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;

struct ExitCodes : testing::Test {
  ExitCodes() {
    for (const char* job : {"collection", "llama-8b-full", "trm-nanochat"})
      system.lay("examples/" + std::string(job) + ".yaml");
    for (const char* name : {"wrong-key.yaml", "prices-wrong.csv", "prices.csv"})
      system.lay("tests/golden/inputs/" + std::string(name));
  }
  void expect(int code, const Words& words) {
    EXPECT_EQ(system.run(words), code) << testing::PrintToString(words) << system.err;
    if (code == kUsage || code == kBadInput) EXPECT_TRUE(is_one_line(system)) << system.out << system.err;
    else EXPECT_EQ(system.err, "") << testing::PrintToString(words);
  }
  FakeSystem system;
};

TEST_F(ExitCodes, Done) {
  for (const Words& words : std::vector<Words>{
           {"--version"},
           {"-V"},
           {"--help"},
           {"-h"},
           {},
           {"help", "plan"},
           {"gpus"},
           {"offers"},
           {"model", "gpt2"},
           {"fit", "gpt2"},
           {"schema"},
           {"schema", "limits.deadline"},
           {"schema", "--markdown"},
           {"completion", "bash"},
           {"completion", "gpus"},
           {"man"},
           {"man", "plan"},
           {"config", "show"},
           {"config", "path"},
           {"validate"},
           {"profiles", "examples/collection.yaml"},
           {"whatif", "examples/collection.yaml", "--set", "samples=x2"},
           {"simulate", "--work", "4h", "--spot-price", "1", "--interruptions", "5%/h", "--trials", "20"},
           {"plan", "examples/collection.yaml"}}) {
    expect(kDone, words);
    EXPECT_NE(system.out, "") << testing::PrintToString(words);
  }
}

TEST_F(ExitCodes, Usage) {
  for (const Words& words :
       std::vector<Words>{{"nosuch"},
                          {"job.yaml"},
                          {"--json"},
                          {"plan"},
                          {"plan", "a", "b"},
                          {"plan", "a", "--nosuch"},
                          {"plan", "a", "--jobs", "-1"},
                          {"plan", "a", "--as-of", "now"},
                          {"plan", "examples/collection.yaml", "--set", "nosuch=1"},
                          {"gpus", "nosuch>=1"},
                          {"fit", "gpt2", "--gpu", "nosuch"},
                          {"fit", "gpt2", "--batches", "8", "--placements"},
                          {"schema", "nosuch"},
                          {"man", "nosuch"},
                          {"completion", "tcsh"},
                          {"config"},
                          {"config", "path", "--origin"},
                          {"init"},
                          {"launch", "examples/collection.yaml"},
                          {"launch", "examples/collection.yaml", "--to", "pbs"},
                          {"check", "-", "--job", "-"},
                          {"check"},
                          {"whatif", "examples/collection.yaml", "--by", "10%"},
                          {"whatif", "examples/collection.yaml", "--sensitivity", "--vary", "samples=1,2"},
                          {"simulate", "examples/collection.yaml", "--work", "4h"},
                          {"simulate", "--work", "4h", "--spot-price", "1"},
                          {"profiles", "examples/collection.yaml", "--phase", "nosuch"},
                          {"validate", "runs.csv", "--report"},
                          {"validate", "--source", "nosuch"}})
    expect(kUsage, words);
}

TEST_F(ExitCodes, Hints) {
  const auto said = [&](const Words& words) {
    system.run(words);
    return system.err;
  };
  EXPECT_TRUE(has(said({"pla"}), "Did you mean 'plan'?"));
  EXPECT_TRUE(has(said({"job.yaml"}), "Did you mean 'gpuplan plan job.yaml'?"));
  EXPECT_TRUE(has(said({"--json", "plan"}), "put --json after the command"));
  EXPECT_TRUE(has(said({"plan", "a", "--jsn"}), "Did you mean '--json'?"));
  EXPECT_TRUE(has(said({"plan", "a", "b"}), "unexpected 'b': only one at a time"));
  EXPECT_TRUE(has(said({"check", "--job", "a"}), "LOG... is missing"));
  EXPECT_TRUE(has(said({"man", "pln"}), "Did you mean 'plan'?"));
}

TEST_F(ExitCodes, NothingFits) {
  for (const Words& words :
       std::vector<Words>{{"plan", "examples/llama-8b-full.yaml", "--set", "where.gpus=[RTX 3060]"},
                          {"fit", "Llama-3.1-405B", "--gpu", "T4"},
                          {"gpus", "Nosuch"},
                          {"gpus", "memory>=4000"},
                          {"offers", "gpus=7"}}) {
    expect(kNothingFits, words);
    EXPECT_NE(system.out, "");
    Words json = words;
    json.emplace_back("--json");
    expect(kNothingFits, json);
    EXPECT_TRUE(nlohmann::json::parse(system.out)["schema"].get<std::string>().starts_with("gpuplan/"));
  }
  // A table can not say why, so standard error does.
  EXPECT_EQ(system.run({"plan", "examples/llama-8b-full.yaml", "--set", "where.gpus=[RTX 3060]", "--csv"}),
            kNothingFits);
  EXPECT_TRUE(system.err.starts_with("gpuplan: "));
}

TEST_F(ExitCodes, MissesLimits) {
  for (const std::string setting : {"limits.deadline=1 min", "limits.budget=$0.01"}) {
    expect(kMissesLimits, {"plan", "examples/llama-8b-full.yaml", "--set", setting});
    EXPECT_TRUE(has(system.out, "Closest: "));
    EXPECT_TRUE(has(system.out, "misses deadline") || has(system.out, "over budget"));
    EXPECT_FALSE(has(system.out, "✔"));
    expect(kMissesLimits, {"plan", "examples/llama-8b-full.yaml", "--set", setting, "--json"});
    EXPECT_TRUE(nlohmann::json::parse(system.out)["recommendations"]["limits_missed"].get<bool>());
  }
  expect(kMissesLimits, {"simulate", "--work", "40h", "--deadline", "41h", "--spot-price", "1", "--interruptions",
                         "50%/h", "--wait", "2h", "--restart", "10min", "--trials", "50"});
}

TEST_F(ExitCodes, BadInput) {
  for (const Words& words :
       std::vector<Words>{{"plan", "nosuch.yaml"},
                          {"check", "nosuch.log"},
                          {"plan", "examples"},
                          {"plan", "tests/golden/inputs/wrong-key.yaml"},
                          {"plan", "examples/collection.yaml", "--prices", "tests/golden/inputs/prices-wrong.csv"},
                          {"plan", "examples/collection.yaml", "--prices", "nosuch.csv"},
                          {"plan", "examples/collection.yaml", "--data", "examples"},
                          {"model", "nosuch"},
                          {"fit", "nosuch.yaml"},
                          {"offers", "--prices", "nosuch.csv"},
                          {"validate", "nosuch.csv"},
                          {"simulate", "--work", "4h", "--spot-price", "1", "--trace", "nosuch.json"},
                          {"launch", "examples/collection.yaml", "--to", "bash", "--plan", "nosuch.json"},
                          {"check", "nosuch.log", "--job", "examples/trm-nanochat.yaml"},
                          {"check", "nosuch.log", "--plan", "nosuch.json"},
                          {"whatif", "nosuch.yaml", "--set", "samples=x2"},
                          {"profiles", "nosuch.yaml"}})
    expect(kBadInput, words);
}

TEST_F(ExitCodes, ErrorsNameFileAndLine) {
  system.run({"plan", "tests/golden/inputs/wrong-key.yaml"});
  EXPECT_TRUE(system.err.starts_with("tests/golden/inputs/wrong-key.yaml:")) << system.err;
  EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(system.err[sizeof("tests/golden/inputs/wrong-key.yaml:") - 1])))
      << system.err;
  system.run({"plan", "examples/collection.yaml", "--prices", "tests/golden/inputs/prices-wrong.csv"});
  EXPECT_TRUE(system.err.starts_with("tests/golden/inputs/prices-wrong.csv:")) << system.err;
  system.run({"plan", "nosuch.yaml"});
  EXPECT_EQ(system.err, "nosuch.yaml: no such file\n");
  system.run({"plan", "\x1b[31mred\n.yaml"});
  EXPECT_TRUE(is_one_line(system));
  EXPECT_FALSE(has(system.err, "\x1b")) << "names of files cannot move the cursor";
}

}  // namespace
}  // namespace gpuplan::cli
