#include "output/runs/check_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evidence/checked_run.h"

namespace gpuplan {
namespace {

using nlohmann::json;

/// A report with all that it refers to.
struct ReportFixture : RunFixture {
  RunCheck check;
  std::vector<Advice> advice;

  CheckReport report() {
    const PhaseConditions understood = conditions();
    CheckedRun run{expected, phase, understood, log};
    run.gpu = gpu;
    run.exact_steps = true;
    check = check_run(run);
    advice = diagnose(run, check, {});
    CheckReport made{expected, log, check};
    made.advice = advice;
    made.files = {"run.log"};
    return made;
  }
  std::string verdict() { return verdict_words(report()); }
};

TEST(CheckReport, TheVerdictIsOneSentence) {
  ReportFixture fixture;
  EXPECT_EQ(fixture.verdict(), "PASSED: run complete (no success criteria set).");
  fixture.phase.succeed_when = {"loss < 5"};
  EXPECT_EQ(fixture.verdict(), "PASSED: the success criterion is met.");
  fixture.phase.succeed_when = {"loss < 5", "grad_norm in 0..2"};
  EXPECT_EQ(fixture.verdict(), "PASSED: all 2 success criteria are met.");
  fixture.phase.succeed_when = {"loss < 1", "grad_norm in 0..2"};
  EXPECT_EQ(fixture.verdict(), "FAILED: 1 of 2 success criteria not met.");
  fixture.phase.succeed_when = {"loss < 1", "loss < 0", "val_bpb < 1"};
  EXPECT_EQ(fixture.verdict(), "FAILED: 2 of 3 success criteria not met, and 1 not in the log.");
  fixture.phase.succeed_when = {"loss < 5", "val_bpb < 1"};
  EXPECT_EQ(fixture.verdict(), "FAILED: 1 of 2 success criteria not in the log.");
  fixture.run_to(400);
  fixture.phase.succeed_when = {"loss < 1"};
  EXPECT_EQ(fixture.verdict(), "RUNNING: step 399 of 1,000; so far 1 of 1 success criterion not met.");
  fixture.event(LogEvent::Kind::kOutOfMemory, 900);
  EXPECT_EQ(fixture.verdict(), "FAILED: it ran out of memory in line 900; 1 of 1 success criterion not met.");
  fixture.log.planned_steps = 50;
  EXPECT_EQ(fixture.verdict(), "FAILED: wrong log: the log plans 50 steps, the phase has 1,000.");
}

TEST(CheckReport, TheTextHoldsEveryFigure) {
  ReportFixture fixture;
  fixture.phase.succeed_when = {"loss < 3.5"};
  fixture.log.peak_memory[static_cast<std::size_t>(LoggedMemory::kReserved)] = 70 * units::GiB;
  const std::string text = check_text(fixture.report(), {});
  EXPECT_EQ(text, R"(PASSED: the success criterion is met.
trm, phase validate: run.log (nanochat, 1,003 lines); compared with plan k3f9a1, 8x H100 SXM (dp 8, micro-batch 32,
  bf16)

     CRITERION   RESULT
  ✔  loss < 3.5  3.342 < 3.5

  METRIC                          MEASURED  PREDICTED (P10–P90)                 RATIO  IN RANGE    USABLE
  throughput              500,000 tokens/s  500,000 tokens/s (417,000–556,000)  1.00x  yes
  step time                            1 s  1.0 s (0.9–1.2)                     1.00x  yes
  peak memory (reserved)          70.0 GiB  54.0 GiB (45.0–64.8)                 1.3x  no: more  79.0 GiB

  steps           all 1,000
  loss            10 to 3.342; falls smoothly
)");
}

TEST(CheckReport, AdviceComesLast) {
  ReportFixture fixture;
  fixture.set_pace(2);
  const std::string text = check_text(fixture.report(), {});
  EXPECT_NE(text.find("no: slower"), std::string::npos);
  EXPECT_NE(text.find("\nWhat to do\n  - Slow: steps take 2.00x the prediction."), std::string::npos) << text;
}

TEST(CheckReport, ALineOfProgress) {
  ReportFixture fixture;
  fixture.run_to(401);
  fixture.phase.succeed_when = {"loss < 9", "loss < 1"};
  EXPECT_EQ(progress_words(fixture.report()),
            "step 400 of 1,000 · loss 3.795 · 500,000 tokens/s (1.00x the prediction) · 10 min left · 1 of 2 success "
            "criteria met");
  fixture.event(LogEvent::Kind::kError, 100);
  fixture.event(LogEvent::Kind::kRestart, 101);
  EXPECT_TRUE(progress_words(fixture.report()).ends_with(" · 1 error · 1 restart"));
}

TEST(CheckReport, TheJsonIsTheSame) {
  ReportFixture fixture;
  fixture.phase.metrics = {{"gap", "loss - 3"}};
  fixture.phase.succeed_when = {"loss < 3.5", "gap < 0.1", "val_bpb < 1"};
  fixture.run_to(401);
  const json result = json::parse(check_json(fixture.report()));
  EXPECT_EQ(result["schema"], "gpuplan/check@1");
  EXPECT_EQ(result["verdict"], "still running");
  EXPECT_EQ(result["plan"]["id"], "k3f9a1");
  EXPECT_EQ(result["log"]["formats"], json::array({"nanochat"}));
  EXPECT_EQ(result["steps"], 400);
  EXPECT_EQ(result["done"], false);
  ASSERT_EQ(result["figures"].size(), 2U);
  EXPECT_EQ(result["figures"][0]["name"], "tokens_per_second");
  EXPECT_EQ(result["figures"][0]["measured"], 500'000);
  EXPECT_EQ(result["figures"][0]["predicted"]["p50"], 500'000);
  EXPECT_EQ(result["figures"][0]["lies"], "inside");
  EXPECT_EQ(result["loss"]["fall"]["smoothly"], true);
  EXPECT_TRUE(result["validation"].is_null());
  EXPECT_EQ(result["conditions"][0]["result"], "not passed");
  EXPECT_EQ(result["conditions"][2]["result"], "not decided");
  EXPECT_EQ(result["metrics"][0]["name"], "gap");
  EXPECT_NEAR(result["projection"]["hours_left"]["p50"].get<double>(), 600 / 3600.0, 1e-9);
  EXPECT_TRUE(result["advice"].is_array());
}

TEST(CheckReport, NumbersThatAreNoneAreNullInJson) {
  ReportFixture fixture;
  fixture.log.loss.add(1000, std::nan(""), 1003);
  const json result = json::parse(check_json(fixture.report()));
  EXPECT_TRUE(result["loss"]["end"].is_null());
  EXPECT_EQ(result["verdict"], "not passed");
}

TEST(CheckReport, TheCsvIsOneTable) {
  ReportFixture fixture;
  fixture.phase.succeed_when = {"loss < 3.5"};
  const std::string csv = check_csv(fixture.report());
  EXPECT_TRUE(
      csv.starts_with("kind,name,value,p10,p50,p90,result,because\n"
                      "verdict,validate,,,,,passed,PASSED: the success criterion is met.\n"
                      "figure,tokens_per_second,500000,416667,500000,555556,inside,\n"
                      "figure,seconds_per_step,1,0.9,1,1.2,inside,\n"))
      << csv;
  EXPECT_TRUE(csv.ends_with("condition,loss < 3.5,,,,,passed,3.342 < 3.5\n")) << csv;
}

TEST(CheckReport, NothingOfTheUserEscapes) {
  ReportFixture fixture;
  fixture.expected.job = "a\x1b[31mb";
  fixture.phase.metrics = {{"x\ny", "loss: ([0-9.]+)"}};
  auto report = fixture.report();
  report.files = {"run\x1b]0;title\x07.log"};
  const std::string text = check_text(report, {}) + check_csv(report);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.find("x\ny"), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
