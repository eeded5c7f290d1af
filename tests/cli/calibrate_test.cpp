// gpuplan calibrate: runs that are kept, what they teach, and logs that are refused.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

const std::string kJob =
    "job: tune\nwhere: {gpus: [1x RTX 4090]}\nphases:\n- name: train\n  train: {model: Qwen2.5-0.5B, method: full, "
    "steps: 400, batch: 16, sequence: 2048, framework: torch, data: {tokens: 13107200}}\n";

/// Steps as nanoGPT logs them, which does one more.
std::string log_of(double seconds, int steps = 400) {
  std::string text;
  char line[100];
  for (int step = 0; step <= steps; ++step) {
    std::snprintf(line, sizeof line, "iter %d: loss %.4f, time %.2fms, mfu 38.00%%\n", step, 3.0 - 0.001 * step,
                  1e3 * (step == 0 ? 30 * seconds : seconds));
    text += line;
  }
  return text;
}

struct Calibrating : testing::Test {
  Calibrating() {
    system.variables["GPUPLAN_RUNS"] = kFile;
    system.variables["GPUPLAN_TODAY"] = "2026-11-24";
    system.files["/here/job.yaml"] = kJob;
  }
  json asked(const Words& words, int code = kDone) {
    EXPECT_EQ(system.run(words), code) << system.err << system.out;
    return json::parse(system.out, nullptr, false);
  }
  json plan(const Words& more = {}) {
    Words words = {"plan", "job.yaml", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return asked(words)["plans"][0]["phases"][0];
  }
  double step(const Words& more = {}) { return plan(more)["seconds_per_step"]["p50"]; }
  json keep(double seconds) {
    system.files["/here/run.log"] = log_of(seconds);
    return asked({"calibrate", "run.log", "--job", "job.yaml", "--json"});
  }
  void refused(const std::string& part, const Words& words, int code = kBadInput) {
    EXPECT_EQ(system.run(words), code) << system.out << system.err;
    EXPECT_TRUE(is_one_line(system)) << system.out << system.err;
    EXPECT_TRUE(has(system.err, part)) << system.err;
  }
  std::string& own() { return system.files[kFile]; }

  static constexpr const char* kFile = "/here/data/own_runs.csv";
  FakeSystem system;
};

TEST_F(Calibrating, ARunShiftsAndNarrowsWhatIsPredicted) {
  const json before = plan();
  EXPECT_EQ(before["evidence"], "model");
  const double predicted = before["seconds_per_step"]["p50"];
  const json answer = keep(1.5 * predicted);
  EXPECT_EQ(answer["schema"], "gpuplan/calibrate@1");
  EXPECT_EQ(answer["in_use"], 1);
  EXPECT_NEAR(answer["rows"][0]["figures"][0]["ratio"], 1.5, 0.01);
  EXPECT_GT(answer["kept"]["hours_now"]["p50"], answer["kept"]["hours_before"]["p50"]);

  const json now = plan();
  EXPECT_EQ(now["evidence"], "calibrated");
  const double shifted = now["seconds_per_step"]["p50"];
  EXPECT_GT(shifted, 1.05 * predicted);
  EXPECT_LT(shifted, 1.5 * predicted);  // it shrinks
  const auto width = [](const json& phase) {
    return phase["seconds_per_step"]["p90"].get<double>() / phase["seconds_per_step"]["p10"].get<double>();
  };
  EXPECT_LT(width(now), width(before));
  EXPECT_DOUBLE_EQ(step({"--no-runs"}), predicted);

  EXPECT_EQ(system.run({"plan", "job.yaml"}), kDone);
  EXPECT_TRUE(has(system.out, "calibrated on 1 run")) << system.out;
}

TEST_F(Calibrating, WhatWasPlannedTeachesThatItIsRight) {
  const double predicted = step();
  keep(predicted);
  EXPECT_NEAR(step(), predicted, 0.02 * predicted);
}

TEST_F(Calibrating, MoreRunsTeachMoreAndOneOddRunIsOneRun) {
  const double predicted = step();
  keep(1.4 * predicted);
  const double once = step();
  keep(1.41 * predicted);
  keep(1.39 * predicted);
  const double thrice = step();
  EXPECT_GT(thrice, once);
  EXPECT_LT(thrice, 1.4 * predicted);
  const json odd = keep(40 * predicted);
  EXPECT_EQ(odd["in_use"], 4);
  EXPECT_FALSE(odd["contradictions"].empty());
  EXPECT_LT(step(), 2 * thrice);
  EXPECT_EQ(system.run({"calibrate", "--list"}), kDone);
  EXPECT_TRUE(has(system.out, "contradict each other")) << system.out;
  EXPECT_TRUE(has(system.out, "4 own runs in use")) << system.out;
}

TEST_F(Calibrating, TheSameRunIsKeptOnce) {
  const double predicted = step();
  const std::string id = keep(predicted)["kept"]["id"];
  const std::string text = own();
  EXPECT_EQ(keep(predicted)["kept"]["id"], id);
  EXPECT_TRUE(has(system.err, "already")) << system.err;
  EXPECT_EQ(own(), text);
}

TEST_F(Calibrating, RunsAreForgottenAndPutAside) {
  const double predicted = step();
  const std::string one = keep(1.5 * predicted)["kept"]["id"];
  const std::string two = keep(1.6 * predicted)["kept"]["id"];
  const double both = step();
  EXPECT_EQ(asked({"calibrate", "--off", "--json"})["in_use"], 0);
  EXPECT_DOUBLE_EQ(step(), predicted);
  EXPECT_EQ(asked({"calibrate", "--on", "--json"})["in_use"], 2);
  EXPECT_DOUBLE_EQ(step(), both);
  EXPECT_EQ(asked({"calibrate", "--forget", one, "--json"})["in_use"], 1);
  EXPECT_FALSE(has(own(), one));
  refused("no own run", {"calibrate", "--forget", one}, kUsage);
  asked({"calibrate", "--forget", two, "--json"});
  EXPECT_DOUBLE_EQ(step(), predicted);
  EXPECT_EQ(system.run({"calibrate", "--list"}), kDone);
  EXPECT_TRUE(has(system.out, "No own runs")) << system.out;
}

TEST_F(Calibrating, CheckKeepsToo) {
  const double predicted = step();
  system.files["/here/run.log"] = log_of(1.5 * predicted);
  EXPECT_EQ(system.run({"check", "run.log", "--job", "job.yaml", "--keep"}), kDone) << system.err;
  EXPECT_TRUE(has(system.err, "Learned from")) << system.err;
  EXPECT_GT(step(), 1.05 * predicted);
}

const std::string kMegatronJob =
    "job: pre\nwhere: {gpus: [8x H100 SXM]}\nphases:\n- name: train\n  train: {model: gpt2, start: scratch, steps: "
    "400, "
    "batch: 512, sequence: 1024, micro: 16, precision: bf16, framework: megatron, data: {tokens: 209715200}}\n";

/// The list of arguments, and 400 iterations.
std::string megatron_log(const std::vector<std::pair<std::string, std::string>>& arguments) {
  std::string text = "using world size: 8, data-parallel size: 8\n";
  for (const auto& [name, value] : arguments)
    text += "  " + name + " " + std::string(48 - name.size(), '.') + " " + value + "\n";
  char line[400];
  for (int step = 10; step <= 400; step += 10) {
    std::snprintf(
        line, sizeof line,
        " [2026-10-01 10:%02d:%02d] iteration %8d/     400 | consumed samples: %12d | elapsed time per iteration "
        "(ms): 500.0 | learning rate: 1.0E-04 | global batch size:   512 | lm loss: %.6E | grad norm: 1.000 |\n",
        step / 120, step / 2 % 60, step, step * 512, 9 - 0.005 * step);
    text += line;
  }
  return text + "[after training is done] datetime: 2026-10-01 10:03:20\n";
}

TEST_F(Calibrating, LogsOfAnotherModelOrOtherSequencesAreRefused) {
  system.files["/here/pre.yaml"] = kMegatronJob;
  const Words words = {"calibrate", "run.log", "--job", "pre.yaml"};
  std::string& log = system.files["/here/run.log"];
  log = megatron_log({{"seq_length", "2048"}, {"global_batch_size", "512"}, {"train_iters", "400"}});
  refused("sequences in the log have 2,048 tokens", words);
  log = megatron_log({{"hidden_size", "1600"}, {"num_layers", "48"}, {"seq_length", "1024"}});
  refused("48 layers", words);
  EXPECT_FALSE(system.files.contains(kFile));
  log = megatron_log({{"hidden_size", "768"}, {"num_layers", "12"}, {"seq_length", "1024"}});
  EXPECT_EQ(system.run(words), kDone) << system.err;
  EXPECT_FALSE(has(system.out, "The row holds")) << system.out;
}

TEST_F(Calibrating, TheRowHoldsTheLayoutThatRan) {
  system.files["/here/pre.yaml"] = kMegatronJob;
  std::string& log = system.files["/here/run.log"];
  log = megatron_log({{"fp16", "True"},
                      {"micro_batch_size", "64"},
                      {"recompute_granularity", "full"},
                      {"seq_length", "1024"},
                      {"tensor_model_parallel_size", "4"}});
  EXPECT_EQ(system.run({"calibrate", "run.log", "--job", "pre.yaml"}), kDone) << system.err;
  for (const char* part : {"tensor parallel 4 instead of 1", "micro-batch 64 instead of 16", "data parallel 2 instead",
                           "fp16 instead of bf16", "activation checkpointing full instead of none"})
    EXPECT_TRUE(has(system.out, part)) << part << "\n" << system.out;
  EXPECT_TRUE(has(own(), ",64,4,512,2,4,1,")) << own();
  log = megatron_log({{"seq_length", "1024"}, {"tensor_model_parallel_size", "3"}});
  refused("does not divide", {"calibrate", "run.log", "--job", "pre.yaml"});
}

TEST_F(Calibrating, TheFormatOfALogTellsTheProgram) {
  std::string job = kMegatronJob;
  job.replace(job.find("megatron"), 8, "torch");
  system.files["/here/pre.yaml"] = job;
  system.files["/here/run.log"] = megatron_log({{"seq_length", "1024"}});
  EXPECT_EQ(system.run({"calibrate", "run.log", "--job", "pre.yaml"}), kDone) << system.err;
  EXPECT_TRUE(has(system.out, "megatron instead of torch")) << system.out;
  EXPECT_TRUE(has(own(), ",megatron,")) << own();
}

TEST_F(Calibrating, LogsThatTellNothingAreRefused) {
  const double predicted = step();
  const Words words = {"calibrate", "run.log", "--job", "job.yaml"};
  std::string& log = system.files["/here/run.log"];
  log = log_of(predicted, 200);
  refused("not complete", words);
  log = log_of(predicted, 4000);
  refused("of another job", words);
  log = log_of(predicted);
  for (int i = 1; i <= 400; ++i) {
    char line[120];
    const int second = i == 300 ? 100 : 2 * i;
    std::snprintf(line, sizeof line,
                  "2026-11-24 10:%02d:%02d,000 - root - INFO - iter %d: loss 2.5, time 2000.00ms, mfu 38.00%%\n",
                  second / 60, second % 60, i);
    if (i == 1) log.clear();
    log += line;
  }
  refused("clock goes backwards", words);
  system.files["/here/short.yaml"] = kJob;
  std::string& job = system.files["/here/short.yaml"];
  job.replace(job.find("steps: 400"), 10, "steps: 12");
  log = log_of(predicted, 12);
  refused("too few steps", {"calibrate", "run.log", "--job", "short.yaml"});
  log = "epoch,step,train_loss\n";
  for (int i = 0; i < 400; ++i) log += "0," + std::to_string(i) + ",2.5\n";
  refused("neither", words);
  EXPECT_FALSE(system.files.contains(kFile));
  refused("no log", {"calibrate"}, kUsage);
  refused("kept alone", {"calibrate", "run.log", "--list"}, kUsage);
  system.variables["GPUPLAN_RUNS"] = "";
  refused("no place", {"calibrate", "--list"}, kUsage);
}

TEST_F(Calibrating, TornAndForeignRowsAreToldAndTheRestIsUsed) {
  const double predicted = step();
  keep(1.5 * predicted);
  const double learned = step();
  const std::string whole = own();
  own() = whole + "r123456,2026-11-20,1,torn";
  EXPECT_DOUBLE_EQ(step(), learned);
  EXPECT_TRUE(has(system.err, "own_runs.csv:3:")) << system.err;
  // What can not be read stays where it is.
  keep(1.45 * predicted);
  EXPECT_TRUE(has(own(), "r123456,2026-11-20,1,torn\n")) << own();
  own() = "nothing\nof the kind\n";
  EXPECT_DOUBLE_EQ(step(), predicted);
  EXPECT_TRUE(has(system.err, "not used")) << system.err;
  EXPECT_EQ(system.run({"plan", "job.yaml", "--runs", kFile}), kBadInput);
  EXPECT_EQ(system.run({"plan", "job.yaml", "--runs", "missing.csv"}), kBadInput);
}

TEST_F(Calibrating, OldRunsAreCalledOld) {
  keep(step());
  EXPECT_EQ(system.run({"plan", "job.yaml"}), kDone);
  EXPECT_FALSE(has(system.out, "the newest")) << system.out;
  system.variables["GPUPLAN_TODAY"] = "2027-08-24";
  EXPECT_EQ(system.run({"plan", "job.yaml"}), kDone);
  EXPECT_TRUE(has(system.out, "calibrated on 1 run, the newest 9 months old")) << system.out;
}

TEST_F(Calibrating, SharedRowsNameNoJob) {
  keep(step());
  EXPECT_EQ(system.run({"calibrate", "--share"}), kDone);
  EXPECT_TRUE(has(system.out, "id,source,trust,gpu,")) << system.out;
  EXPECT_TRUE(has(system.out, "RTX 4090")) << system.out;
  for (const char* part : {"tune", "run.log", "2026-11-24"}) EXPECT_FALSE(has(system.out, part)) << part;
  EXPECT_TRUE(has(system.err, "Nothing is sent")) << system.err;
  // It can be validated as it is.
  system.files["/here/rows.csv"] = system.out;
  EXPECT_EQ(system.run({"validate", "rows.csv"}), kDone) << system.err;
}

TEST_F(Calibrating, AFullDiskLeavesWhatIsThere) {
  const double predicted = step();
  keep(1.5 * predicted);
  const std::string whole = own();
  system.full = true;
  system.files["/here/run.log"] = log_of(1.3 * predicted);
  EXPECT_NE(system.run({"calibrate", "run.log", "--job", "job.yaml"}), kDone);
  EXPECT_TRUE(has(system.err, "cannot be written")) << system.err;
  EXPECT_EQ(own(), whole);
}

}  // namespace
}  // namespace gpuplan::cli
