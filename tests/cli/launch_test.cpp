// gpuplan launch: which folders it asks for, what keeps it from writing, and what validators make of the scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

const std::string kLaunchedJob = "examples/trm-nanochat.yaml";

struct Launching : testing::Test {
  Launching() { system.lay(kLaunchedJob); }
  int launch(const Words& more = {}, const std::string& job = kLaunchedJob) {
    Words words = {"launch", job, "--to", "bash", "-o", "out"};
    words.insert(words.end(), more.begin(), more.end());
    return system.run(words);
  }
  std::string pick(const std::string& job = kLaunchedJob) {
    EXPECT_EQ(system.run({"plan", job, "--json"}), kDone) << system.err;
    return json::parse(system.out)["recommendations"]["pick"];
  }
  FakeSystem system;
};

TEST_F(Launching, AFolderWithAScriptForEachPhase) {
  EXPECT_EQ(launch({"--json"}), kDone) << system.err;
  const json answer = json::parse(system.out);
  EXPECT_EQ(answer["schema"], "gpuplan/launch@1");
  EXPECT_EQ(system.written, Words{"out"});
  EXPECT_FALSE(system.forced);
  for (const json& file : answer["folders"][0]["files"])
    EXPECT_TRUE(system.files.contains("/here/out/" + file["path"].get<std::string>())) << file;
  EXPECT_TRUE(system.files.contains("/here/out/run.sh"));
  EXPECT_EQ(json::parse(system.files.at("/here/out/plan.json"))["launched"], pick());
}

TEST_F(Launching, ForceIsPassedOn) {
  EXPECT_EQ(launch({"--force"}), kDone);
  EXPECT_TRUE(system.forced);
}

TEST_F(Launching, TheFolderIsNamedAfterJobAndLauncher) {
  EXPECT_EQ(system.run({"launch", kLaunchedJob, "--to", "slurm"}), kDone) << system.err;
  EXPECT_EQ(system.written, Words{"trm-nanochat-slurm"});
  EXPECT_EQ(launch({}, kLaunchedJob), kDone);
  EXPECT_EQ(system.run({"launch", kLaunchedJob, "--to", "bash", "-o", "out/"}), kDone);
  EXPECT_EQ(system.written.back(), "out");
}

TEST_F(Launching, AFolderThatIsNotWrittenIsOneLine) {
  system.no_folder = FolderRefusal{"-o out: holds files already", kUsage};
  EXPECT_EQ(launch(), kUsage);
  EXPECT_EQ(system.err, "gpuplan: -o out: holds files already\n");
  EXPECT_EQ(system.out, "") << "nothing says what to type next";
  system.no_folder = FolderRefusal{"cannot write out/run.sh: No space left on device", kInternal};
  EXPECT_EQ(launch({"--json", "--check"}), kInternal);
  EXPECT_TRUE(is_one_line(system));
  EXPECT_TRUE(system.started.empty());
  system.no_folder = FolderRefusal{"", kInterrupted};
  EXPECT_EQ(launch(), kInterrupted);
  EXPECT_EQ(system.err, "") << "a signal says it itself";
}

TEST_F(Launching, NothingIsWrittenForWhatDoesNotRun) {
  EXPECT_EQ(launch({"--gpu", "T4", "--set", "phases[*].train.model.hidden=65520"}), kNothingFits) << system.err;
  EXPECT_EQ(launch({"--budget", "$1"}), kMissesLimits);
  EXPECT_TRUE(is_one_line(system)) << system.err;
  const std::string named = system.err.substr(system.err.find("--plan ") + 7, 6);
  EXPECT_TRUE(system.written.empty());
  EXPECT_EQ(launch({"--budget", "$1", "--plan", named}), kDone) << system.err;
  EXPECT_EQ(system.written, Words{"out"});
}

TEST_F(Launching, TightPlansAreAskedFor) {
  const std::string job = "examples/generate-70b.yaml";
  system.lay(job);
  system.files["/here/one.csv"] = "gpu,gpus,price_per_hour\nH200 SXM,1,5\n";
  const std::string longer = "phases[0].generate.data[0].prompt_tokens=8000";
  system.run({"plan", job, "--all", "--json", "--prices", "one.csv", "--set", longer});
  std::string tight;
  const json found = json::parse(system.out);
  for (const json& plan : found["plans"])
    if (plan["fit"] == "tight") tight = plan["id"];
  ASSERT_NE(tight, "");
  EXPECT_EQ(launch({"--prices", "one.csv", "--set", longer, "--plan", tight}, job), kUsage);
  EXPECT_TRUE(has(system.err, "--allow-tight")) << system.err;
  EXPECT_TRUE(system.written.empty());
  EXPECT_EQ(launch({"--prices", "one.csv", "--set", longer, "--plan", tight, "--allow-tight"}, job), kDone)
      << system.err;
}

TEST_F(Launching, AKeptPlanIsAJob) {
  const std::string id = pick();
  EXPECT_EQ(system.run({"plan", kLaunchedJob, "-o", "plan.json"}), kDone);
  for (const Words& words :
       std::vector<Words>{{"launch", "plan.json", "--to", "bash", "-o", "a"},
                          {"launch", kLaunchedJob, "--plan", "plan.json", "--to", "bash", "-o", "a"},
                          {"launch", "a/plan.json", "--to", "bash", "-o", "a"}}) {
    EXPECT_EQ(system.run(words), kDone) << system.err;
    const json plan = json::parse(system.files.at("/here/a/plan.json"));
    EXPECT_EQ(plan["launched"], id);
    EXPECT_EQ(plan["plans"].size(), 1U);
  }
  system.input = system.files.at("/here/plan.json");
  EXPECT_EQ(system.run({"launch", "-", "--to", "bash", "-o", "b"}), kDone) << system.err;
  EXPECT_EQ(json::parse(system.files.at("/here/b/plan.json"))["launched"], id);
}

TEST_F(Launching, APlanOfAnotherJobOrMarket) {
  system.lay("examples/collection.yaml");
  EXPECT_EQ(system.run({"plan", kLaunchedJob, "-o", "plan.json"}), kDone);
  EXPECT_EQ(launch({"--plan", "plan.json"}, "examples/collection.yaml"), kBadInput);
  EXPECT_TRUE(is_one_line(system));
  EXPECT_TRUE(has(system.err, "trm-nanochat")) << system.err;
  system.files["/here/prices.csv"] = "gpu,gpus,price_per_hour\nL40S,8,8\n";
  EXPECT_NE(launch({"--prices", "prices.csv"}, "plan.json"), kDone);
  for (const char* text :
       {"", "{", "[]", R"({"schema": "gpuplan/fit@1"})", R"({"schema": "gpuplan/plan@1"})", "\x01\x02"}) {
    system.files["/here/wrong.json"] = text;
    EXPECT_EQ(launch({"--plan", "wrong.json"}), kBadInput) << text;
    EXPECT_TRUE(system.err.starts_with("wrong.json")) << system.err;
    EXPECT_TRUE(is_one_line(system)) << system.err;
  }
  EXPECT_EQ(launch({"--plan", "zzzzzz"}), kUsage);
  EXPECT_TRUE(has(system.err, "unknown plan id")) << system.err;
  EXPECT_TRUE(std::ranges::none_of(system.written, [](const std::string& name) { return name == "out"; }));
}

TEST_F(Launching, PricesThatMovedAreSaid) {
  EXPECT_EQ(system.run({"plan", kLaunchedJob, "-o", "plan.json"}), kDone);
  std::string& kept = system.files.at("/here/plan.json");
  // Of the plan that is launched.
  const std::size_t price = kept.find("$15.80/h");
  ASSERT_NE(price, std::string::npos);
  kept.replace(price, 8, "$16.80/h");
  EXPECT_EQ(launch({}, "plan.json"), kDone) << system.err;
  EXPECT_TRUE(has(system.out, "Prices changed: ")) << system.out;
}

TEST_F(Launching, ValidatorsThatAreInstalledAreAsked) {
  EXPECT_EQ(launch({"--check", "--json"}), kDone) << "none is installed";
  EXPECT_TRUE(system.started.empty());
  const json answer = json::parse(system.out);
  for (const json& check : answer["folders"][0]["checks"]) EXPECT_EQ(check["result"], "missing");
  system.programs["bash"] = {0, ""};
  EXPECT_EQ(launch({"--check", "--json"}), kDone);
  EXPECT_TRUE(std::ranges::find(system.started, "bash -n out/run.sh") != system.started.end());
  system.programs["bash"] = {2, "run.sh: line 3: syntax error\nmore of it\n"};
  EXPECT_EQ(launch({"--check"}), kCheckFailed);
  EXPECT_TRUE(has(system.out, "run.sh: line 3: syntax error")) << system.out;
  EXPECT_FALSE(has(system.out, "more of it"));
}

TEST_F(Launching, AValidatorThatDoesNotAnswerItsProbeIsMissing) {
  system.programs["sbatch"] = {1, "no controller"};
  EXPECT_EQ(system.run({"launch", kLaunchedJob, "--to", "slurm", "-o", "out", "--check"}), kDone)
      << "sinfo is not there";
  system.programs["sinfo"] = {0, ""};
  EXPECT_EQ(system.run({"launch", kLaunchedJob, "--to", "slurm", "-o", "out", "--check"}), kCheckFailed);
}

TEST_F(Launching, SeveralPlansHaveAFolderEach) {
  EXPECT_EQ(launch({"--plan", "all"}), kDone) << system.err;
  EXPECT_EQ(system.written, Words{"out"}) << "written at once";
  EXPECT_TRUE(system.files.contains("/here/out/README.md"));
  int scripts = 0;
  for (const auto& [name, text] : system.files) scripts += name.starts_with("/here/out/") && name.ends_with("/run.sh");
  EXPECT_GT(scripts, 1);
}

}  // namespace
}  // namespace gpuplan::cli
