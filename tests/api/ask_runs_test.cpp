// Questions about a plan at work through the one function: profiles, simulate, launch and check, every file as a text.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/gpuplan.h"
#include "cli/fake_system.h"

namespace gpuplan {
namespace {

using Json = nlohmann::json;

Json answered(const Json& question) { return Json::parse(ask(question.dump())); }

std::string refused(const Json& question) {
  const Json answer = answered(question);
  EXPECT_EQ(answer.at("outcome"), "wrong") << answer.dump();
  if (!answer.contains("error")) return "";
  std::string text = answer.at("error").at("message");
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

const char* const kJob = R"(
job: small
market:
  use: only
  offers:
    - {gpu: A100 SXM 80GB, price: $2/h, spot_price: $0.8/h, interruptions: 10%/h, provider: here}
    - {gpu: H100 SXM, price: $4/h, provider: there}
phases:
  - {name: train, train: {model: Qwen2.5-1.5B, data: {tokens: 60M}, sequence: 1024, method: full}}
goal: cheapest
)";

/// What the program prints with --json for the same question, without the time that it took.
Json printed(cli::FakeSystem& system, std::vector<std::string> words) {
  words.emplace_back("--json");
  system.run(words);
  EXPECT_EQ(system.err, "");
  Json document = Json::parse(system.out, nullptr, false);
  if (document.contains("elapsed_ms")) document.erase("elapsed_ms");
  return document;
}

Json document(const Json& answer) {
  Json inside = answer.value("answer", Json::object());
  inside.erase("elapsed_ms");
  return inside;
}

struct AskRuns : testing::Test {
  AskRuns() { system.files["/here/job.yaml"] = kJob; }
  cli::FakeSystem system;
};

TEST_F(AskRuns, ProfilesAreThoseOfTheProgram) {
  const Json answer = answered({{"ask", "profiles"}, {"job", kJob}});
  EXPECT_EQ(answer.at("outcome"), "found") << answer.dump();
  EXPECT_EQ(document(answer), printed(system, {"profiles", "job.yaml"}));
  const Json all = answered({{"ask", "profiles"}, {"job", kJob}, {"all", true}, {"phase", "train"}});
  EXPECT_EQ(document(all), printed(system, {"profiles", "job.yaml", "--all", "--phase", "train"}));
  const Json none = answered({{"ask", "profiles"}, {"job", kJob}, {"set", {"model=Llama-3.1-405B"}}});
  EXPECT_EQ(none.at("outcome"), "nothing_fits") << none.dump();
  EXPECT_TRUE(has(refused({{"ask", "profiles"}, {"job", kJob}, {"phase", "trian"}}), "train"));
}

TEST_F(AskRuns, SimulationsAreThoseOfTheProgram) {
  const Json answer = answered({{"ask", "simulate"}, {"job", kJob}, {"trials", 50}, {"seed", 3}});
  EXPECT_EQ(answer.at("outcome"), "found") << answer.dump();
  EXPECT_EQ(document(answer), printed(system, {"simulate", "job.yaml", "--trials", "50", "--seed", "3"}));
  const Json late = answered({{"ask", "simulate"}, {"job", kJob}, {"trials", 50}, {"flags", {{"deadline", "1 min"}}}});
  EXPECT_EQ(late.at("outcome"), "misses_limits") << late.dump();
  const Json none = answered({{"ask", "simulate"}, {"job", kJob}, {"flags", {{"gpu", "H100"}}}});
  EXPECT_EQ(none.at("outcome"), "nothing_fits");
  EXPECT_TRUE(none.at("answer").at("plan").is_null());
  const Json id = answer.at("answer").at("plan").at("id");
  const Json named = answered({{"ask", "simulate"}, {"job", kJob}, {"trials", 50}, {"seed", 3}, {"plan", id}});
  // But for the sentence that another plan than the pick was taken.
  Json one = document(named), other = document(answer);
  one.erase("assumptions");
  other.erase("assumptions");
  EXPECT_EQ(one, other);
}

TEST_F(AskRuns, WorkAndTracesComeAsTexts) {
  const std::string trace = system.lay("examples/traces/zone-a.json");
  const std::string starts = system.lay("examples/traces/starts.csv");
  const Json question = {{"ask", "simulate"},
                         {"flags",
                          {{"work", "48h"},
                           {"deadline", "60h"},
                           {"restart", "12min"},
                           {"spot-price", "0.97"},
                           {"on-demand-price", "3.06"}}},
                         {"traces", {{"examples/traces/zone-a.json", trace}}},
                         {"starts", starts},
                         {"policies", {"greedy", "uniform_progress"}}};
  const Json answer = answered(question);
  EXPECT_EQ(answer.at("outcome"), "found") << answer.dump();
  EXPECT_EQ(document(answer),
            printed(system, {"simulate", "--work", "48h", "--deadline", "60h", "--restart", "12min", "--spot-price",
                             "0.97", "--on-demand-price", "3.06", "--trace", "examples/traces/zone-a.json", "--starts",
                             "examples/traces/starts.csv", "--policy", "greedy,uniform_progress"}));

  const auto with = [&](const char* key, const Json& value) {
    Json changed = question;
    changed[key] = value;
    return refused(changed);
  };
  EXPECT_TRUE(has(with("job", kJob), "--work"));
  EXPECT_TRUE(has(with("policies", {"gready"}), "greedy"));
  EXPECT_TRUE(has(with("trials", 0), "trials"));
  EXPECT_NE(with("traces", {{"zone-a.json", "[]"}}), "");
  EXPECT_TRUE(has(with("traces", Json::object()), "--trace"));
  EXPECT_TRUE(has(with("flags", {{"work", "48 parsecs"}, {"spot-price", "1"}}), "--work"));
  // What the job names is no file here.
  const Json job = {{"ask", "simulate"}, {"job", kJob}, {"set", {"spot.interruptions={trace: zone-a.json}"}}};
  EXPECT_TRUE(has(refused(job), "zone-a.json was not found"));
  Json given = job;
  given["traces"] = {{"zone-a.json", trace}};
  EXPECT_EQ(answered(given).at("outcome"), "found") << answered(given).dump();
  EXPECT_TRUE(has(refused({{"ask", "plan"}, {"job", kJob}, {"flags", {{"restart", "1 min"}}}}), "restart"));
}

TEST_F(AskRuns, LaunchAnswersWithTheFilesThatTheProgramWrites) {
  const Json question = {{"ask", "launch"}, {"job", kJob}, {"name", "job.yaml"}, {"to", "slurm"}, {"folder", "out"}};
  const Json answer = answered(question);
  ASSERT_EQ(answer.at("outcome"), "found") << answer.dump();
  EXPECT_FALSE(answer.contains("why"));
  const Json written = printed(system, {"launch", "job.yaml", "--no-config", "--to", "slurm", "-o", "out"});
  EXPECT_EQ(document(answer).at("folders").at(0).at("plan"), written.at("folders").at(0).at("plan"));
  std::vector<std::string> names;
  bool runs = false;
  for (const Json& file : answer.at("files")) {
    names.push_back(file.at("path"));
    runs = runs || file.at("executable");
    const auto there = system.files.find("/here/out/" + names.back());
    ASSERT_NE(there, system.files.end()) << names.back();
    if (names.back() == "plan.json") continue;  // holds the command that was typed
    EXPECT_EQ(std::ranges::count(file.at("text").get<std::string>(), '\n'), std::ranges::count(there->second, '\n'))
        << names.back();
  }
  EXPECT_TRUE(runs);
  EXPECT_EQ(names.size(), written.at("folders").at(0).at("files").size());

  // A plan that was kept is launched again.
  const auto plan =
      std::ranges::find(answer.at("files"), "plan.json", [](const Json& file) { return file.at("path"); });
  ASSERT_NE(plan, answer.at("files").end());
  Json again = question;
  again["plan"] = plan->at("text");
  EXPECT_EQ(document(answered(again)), document(answer));
  again["job"] = plan->at("text");
  again.erase("plan");
  EXPECT_EQ(document(answered(again)).at("folders").at(0).at("plan"), document(answer).at("folders").at(0).at("plan"));
}

TEST_F(AskRuns, ATrialIsASmallerPlan) {
  Json question = {{"ask", "launch"}, {"to", "bash"}, {"smoke", true}};
  question["job"] = system.lay("examples/llama-8b-full.yaml");
  const Json trial = answered(question);
  ASSERT_EQ(trial.at("outcome"), "found") << trial.dump();
  const auto named = [&](const char* path) {
    return std::ranges::any_of(trial.at("files"), [&](const Json& file) { return file.at("path") == path; });
  };
  EXPECT_TRUE(named("smoke.sh"));
  EXPECT_TRUE(named("phases/01-train/rows.jsonl"));
  EXPECT_EQ(document(trial).at("job"), "llama-8b-full-smoke");
}

TEST_F(AskRuns, LaunchTellsWhyThereAreNoFiles) {
  Json question = {{"ask", "launch"}, {"job", kJob}, {"to", "bash"}, {"flags", {{"budget", "$0.01"}}}};
  const Json missed = answered(question);
  EXPECT_EQ(missed.at("outcome"), "misses_limits");
  EXPECT_FALSE(missed.contains("files"));
  EXPECT_TRUE(has(missed.at("why").at(0), "limits")) << missed.dump();
  question["plan"] = {"all"};
  const Json all = answered(question);
  ASSERT_EQ(all.at("outcome"), "found") << all.dump();
  EXPECT_TRUE(std::ranges::any_of(all.at("files"), [](const Json& file) { return file.at("path") == "README.md"; }));
  question["set"] = {"model=Llama-3.1-405B"};
  const Json none = answered(question);
  EXPECT_EQ(none.at("outcome"), "nothing_fits");
  EXPECT_TRUE(none.at("answer").at("folders").empty());
  EXPECT_FALSE(none.at("why").empty());
  // Of all plans none is left, since each of them is tight.
  Json tight = {{"ask", "launch"},
                {"to", "bash"},
                {"flags", {{"gpu", "2x A100 SXM 80GB"}}},
                {"set", {"phases.train.train.offload=none"}},
                {"plan", "all"}};
  tight["job"] = system.lay("examples/llama-8b-full.yaml");
  EXPECT_TRUE(has(refused(tight), "--allow-tight"));
  tight["allow_tight"] = true;
  EXPECT_EQ(answered(tight).at("outcome"), "found");
  EXPECT_TRUE(has(refused({{"ask", "launch"}, {"job", kJob}}), "--to"));
  EXPECT_TRUE(has(refused({{"ask", "launch"}, {"job", kJob}, {"to", "cron"}}), "slurm"));
  EXPECT_TRUE(has(refused({{"ask", "launch"}, {"job", kJob}, {"to", "bash"}, {"plan", "zzzzzz"}}), "zzzzzz"));
  EXPECT_NE(refused({{"ask", "launch"}, {"job", kJob}, {"to", "bash"}, {"plan", R"({"schema": "gpuplan/plan@1"})"}}),
            "");
}

TEST_F(AskRuns, ChecksALogAsAText) {
  const std::string job = system.lay("examples/trm-nanochat.yaml");
  const std::string log = system.lay("tests/logs/nanochat.log");
  const std::string samples = system.lay("tests/logs/nvidia-smi.csv");
  const Json question = {{"ask", "check"},
                         {"job", job},
                         {"phase", "validate"},
                         {"log", {{"tests/logs/nanochat.log", log}, {"tests/logs/nvidia-smi.csv", samples}}}};
  const Json answer = answered(question);
  EXPECT_EQ(answer.at("outcome"), "found") << answer.dump();
  EXPECT_EQ(document(answer), printed(system, {"check", "tests/logs/nanochat.log", "tests/logs/nvidia-smi.csv", "--job",
                                               "examples/trm-nanochat.yaml", "--phase", "validate"}));
  const auto with = [&](const char* key, const Json& value) {
    Json changed = question;
    changed[key] = value;
    return changed;
  };
  EXPECT_EQ(answered(with("log", log)).at("outcome"), "found");
  EXPECT_EQ(answered(with("set", {"where.gpus='T4'"})).at("outcome"), "nothing_fits");
  EXPECT_TRUE(has(refused(with("log", "a diary\n")), "nanochat"));
  EXPECT_TRUE(has(refused(with("log", "")), "empty"));
  EXPECT_TRUE(has(refused(with("log", Json::object())), "log"));
  EXPECT_TRUE(has(refused(with("phase", "valdate")), "validate"));
  EXPECT_TRUE(has(refused(with("plan", {"a", "b"})), "one plan"));
  EXPECT_TRUE(has(refused({{"ask", "check"}, {"log", log}}), "--job"));

  // Against a kept plan, which brings its job.
  const Json launched =
      answered({{"ask", "launch"}, {"job", job}, {"to", "bash"}, {"flags", {{"gpu", "H100 SXM"}}}}).at("files");
  const auto plan = std::ranges::find(launched, "plan.json", [](const Json& file) { return file.at("path"); });
  ASSERT_NE(plan, launched.end());
  Json kept = with("plan", plan->at("text"));
  kept.erase("job");
  const Json by_plan = answered(kept);
  EXPECT_EQ(by_plan.at("outcome"), "found") << by_plan.dump();
}

TEST_F(AskRuns, ValidationsAreThoseOfTheProgram) {
  const std::string runs =
      "id,gpu,gpus,model,seq_len,micro_batch,step_seconds\n"
      "one,H100 SXM,8,Llama-3.1-8B,2048,1,1.9\n"
      "two,A100 SXM 80GB,8,Llama-3.1-8B,2048,1,4.1\n";
  system.files["/here/runs.csv"] = runs;
  const Json question = {{"ask", "validate"}, {"runs", runs}};
  const auto with = [&](const char* key, const Json& value) {
    Json changed = question;
    changed[key] = value;
    return changed;
  };
  const auto same = [&](const Json& asked, const std::vector<std::string>& words) {
    Json mine = document(answered(asked));
    Json theirs = printed(system, words);
    EXPECT_EQ(mine.at("runs"), "runs");
    EXPECT_EQ(theirs.at("runs"), "runs.csv");
    mine.erase("runs");
    theirs.erase("runs");
    EXPECT_TRUE(mine == theirs) << mine.at("rows") << theirs.at("rows");
    EXPECT_FALSE(mine.at("rows").empty());
  };
  same(with("all", true), {"validate", "runs.csv", "--all"});
  same(with("group", {"gpu"}), {"validate", "runs.csv", "--by", "gpu"});
  same(with("pairs", true), {"validate", "runs.csv", "--pairs"});
  same(with("calibrate", 1), {"validate", "runs.csv", "--calibrate", "1"});
  EXPECT_EQ(document(answered(with("pairs", true))).at("pairs").at("rows").size(), 1U);
  EXPECT_TRUE(has(refused(with("calibrate", 0)), "calibrate"));
  EXPECT_TRUE(has(refused(with("first_contact", true)), "first_contact"));
  EXPECT_TRUE(has(refused(with("group", {"colour"})), "gpu"));
  EXPECT_TRUE(has(refused(with("kind", "cooking")), "training"));
  EXPECT_TRUE(has(refused(with("metric", "luck")), "time"));
  EXPECT_TRUE(has(refused(with("run", "nobody")), "nobody"));
  EXPECT_TRUE(has(refused(with("sources", {"nobody"})), "nobody"));
  EXPECT_TRUE(has(refused(with("left_out", true)), "left_out"));
  EXPECT_NE(refused(with("runs", "gpu\n")), "");
}

}  // namespace
}  // namespace gpuplan
