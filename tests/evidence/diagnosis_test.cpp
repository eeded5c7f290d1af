#include "evidence/check/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "evidence/checked_run.h"

namespace gpuplan {
namespace {

/// What is said about one ailment; "" when nothing is.
std::string advice(const RunFixture& fixture, Ailment about, const std::vector<MemoryTrial>& trials = {}) {
  const PhaseConditions conditions = fixture.conditions();
  CheckedRun run{fixture.expected, fixture.phase, conditions, fixture.log};
  run.gpu = fixture.gpu;
  run.exact_steps = true;
  for (const Advice& one : diagnose(run, check_run(run), trials))
    if (one.ailment == about) return one.words;
  return "";
}

TEST(Diagnosis, NothingIsSaidOfARunAsPlanned) {
  const RunFixture fixture;
  for (const auto& entry : Names<Ailment>::entries) EXPECT_EQ(advice(fixture, entry.value), "") << entry.name;
}

TEST(Diagnosis, SettingsThatTheSearchDoesNotGiveAreSaid) {
  RunFixture fixture;
  fixture.run_to(3);
  fixture.event(LogEvent::Kind::kOutOfMemory, 77);
  const MemoryTrial none{.change = "recomputing all activations", .setting = "x.recompute=full", .found = false};
  const std::string words = advice(fixture, Ailment::kOutOfMemory, {none});
  EXPECT_NE(words.find("Recomputing all activations: no plan found with the same framework, parallelism and sharding "
                       "(dp 8, micro-batch 32, bf16)."),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("Halve the micro-batch (32 now)"), std::string::npos) << words;
  EXPECT_EQ(words.find("--set"), std::string::npos) << words;
}

TEST(Diagnosis, OutOfMemoryIsAnsweredWithNumbers) {
  RunFixture fixture;
  fixture.run_to(3);
  fixture.event(LogEvent::Kind::kOutOfMemory, 77);
  EXPECT_NE(advice(fixture, Ailment::kOutOfMemory).find("It should have fit"), std::string::npos);
  fixture.expected.usable = 70 * units::GiB;
  EXPECT_EQ(advice(fixture, Ailment::kOutOfMemory),
            "Out of memory in line 77; planned: 60 GiB (at most 72 GiB, P90) of 70 GiB. Halve the micro-batch (32 now) "
            "and double gradient accumulation.");
  const MemoryTrial half{"micro-batch 16 instead of 32", "phases.validate.train.micro=16", 36 * units::GiB,
                         Seconds{1760}, true};
  const MemoryTrial full{"recomputing all activations", "phases.validate.train.recompute=full", 55 * units::GiB,
                         Seconds{2080}, false};
  EXPECT_EQ(advice(fixture, Ailment::kOutOfMemory, {half, full}),
            "Out of memory in line 77; planned: 60 GiB (at most 72 GiB, P90) of 70 GiB. Micro-batch 16 instead of 32 "
            "takes 36 GiB (40% less) and 29.3 min, 1.10x the time: --set phases.validate.train.micro=16. Recomputing "
            "all activations takes 55 GiB (8.3% less) and 34.7 min, 1.30x the time; it may still not fit: --set "
            "phases.validate.train.recompute=full.");
  fixture.expected.micro_batch = 1;
  EXPECT_NE(advice(fixture, Ailment::kOutOfMemory).find("full activation checkpointing"), std::string::npos);
}

TEST(Diagnosis, SlowRunsSayWhichTermIsOff) {
  RunFixture fixture;
  fixture.set_pace(1.5);
  EXPECT_EQ(advice(fixture, Ailment::kSlow),
            "Slow: steps take 1.50x the prediction. All steps are equally slow: check GPU communication first "
            "(NCCL_DEBUG=INFO shows the links used), then precision, attention and compile.");
  fixture.set_pace(3);
  EXPECT_NE(advice(fixture, Ailment::kSlow).find("fp32 instead of bf16"), std::string::npos);
  for (int i = 0; i < 100; ++i) fixture.log.gpu_busy.add(i, 0.55, static_cast<std::uint32_t>(i + 1));
  EXPECT_EQ(advice(fixture, Ailment::kSlow),
            "Slow: steps take 3.00x the prediction. GPU utilization is 55%: the GPUs wait for data or the CPU. Try "
            "more dataloader workers, data on local disk, torch.compile.");
  fixture.log.gpu_busy = {};
  Series uneven;
  for (int i = 0; i < 1000; ++i) uneven.add(i, i % 4 == 0 ? 4 : 1.5, static_cast<std::uint32_t>(i + 3));
  fixture.log.step_seconds = uneven;
  EXPECT_NE(advice(fixture, Ailment::kSlow).find("Step times vary 2.67x (P10–P90)"), std::string::npos);
  fixture.set_pace(1.15);
  EXPECT_EQ(advice(fixture, Ailment::kSlow), "") << "inside the interval";
}

TEST(Diagnosis, TheSentenceIsAboutTheFigureItNames) {
  RunFixture fixture;
  fixture.set_pace(3);
  fixture.log.tokens_per_second.add(20, 250'000, 23);  // counts something else
  for (int i = 21; i < 1000; ++i) fixture.log.tokens_per_second.add(i, 250'000, static_cast<std::uint32_t>(i + 3));
  EXPECT_NE(advice(fixture, Ailment::kSlow).find("steps take 3.00x the prediction"), std::string::npos);
  fixture.log.step_seconds = {};
  fixture.expected.seconds_per_step.reset();
  EXPECT_NE(advice(fixture, Ailment::kSlow).find("throughput is 0.50x the prediction"), std::string::npos);
}

TEST(Diagnosis, LittleMemoryIsASmallerMicroBatch) {
  RunFixture fixture;
  fixture.set_pace(2);
  fixture.log.peak_memory[static_cast<std::size_t>(LoggedMemory::kReserved)] = 20 * units::GiB;
  EXPECT_EQ(advice(fixture, Ailment::kSmallerThanPlanned),
            "It uses 20 GiB, planned were 54 GiB: the micro-batch or the sequences may be smaller than in the plan "
            "(micro-batch 32).");
}

TEST(Diagnosis, AnIdleGpuIsNamed) {
  RunFixture fixture;
  for (int i = 0; i < 8; ++i) fixture.log.gpus.push_back({std::to_string(i), 100, i == 5 ? 0.0 : 0.97, Bytes{}});
  EXPECT_EQ(advice(fixture, Ailment::kFewGpus),
            "GPU 5 of 8 idle (below 5% utilization); the plan uses 8. Start with torchrun --nproc-per-node=8 and check "
            "CUDA_VISIBLE_DEVICES.");
  fixture.expected.gpus = 4;
  fixture.log.processes = 4;
  EXPECT_EQ(advice(fixture, Ailment::kFewGpus), "") << "the rest of a larger machine";
}

TEST(Diagnosis, LossesThatJumpOrDoNotFall) {
  RunFixture fixture;
  Series jumping;
  for (const Series::Point& point : fixture.log.loss.points())
    jumping.add(point.step, point.step == 600 ? 9 : point.value, point.line);
  fixture.log.loss = jumping;
  const std::string words = advice(fixture, Ailment::kSpikes);
  EXPECT_NE(words.find("The loss jumps: 1 spike, the largest to 2.5x the running median at step 600, line 603."),
            std::string::npos)
      << words;
  Series flat;
  for (int i = 0; i < 1000; ++i) flat.add(i, 10.8 + i * 1e-5, static_cast<std::uint32_t>(i + 3));
  fixture.log.loss = flat;
  EXPECT_NE(advice(fixture, Ailment::kNotFalling).find("The loss does not fall: 10.8 to 10.81"), std::string::npos);
}

/// Losses of learning by rewards lie around zero and need not fall; what takes longer is what the plan does not count.
TEST(Diagnosis, LearningByRewardsIsNoBrokenTraining) {
  RunFixture fixture;
  fixture.log.rewards = true;
  fixture.log.loss = fixture.log.step_seconds = {};
  for (int i = 0; i < 1000; ++i) {
    fixture.log.loss.add(i, i % 2 == 0 ? 0.01 : -0.01, static_cast<std::uint32_t>(i + 3));
    fixture.log.step_seconds.add(i, 10, static_cast<std::uint32_t>(i + 3));
  }
  EXPECT_EQ(advice(fixture, Ailment::kNotFalling), "");
  EXPECT_EQ(advice(fixture, Ailment::kSpikes), "");
  const std::string slow = advice(fixture, Ailment::kSlow);
  EXPECT_EQ(slow.find("fp32 instead of bf16"), std::string::npos) << slow;
  EXPECT_NE(slow.find("answers that are generated and judged within a step take time that is not planned"),
            std::string::npos)
      << slow;
  fixture.log.rewards = false;
  EXPECT_NE(advice(fixture, Ailment::kNotFalling), "");
}

TEST(Diagnosis, NumbersThatAreNoneNameTheirLine) {
  RunFixture fixture;
  fixture.event(LogEvent::Kind::kNotFinite, 412, "loss: nan");
  fixture.event(LogEvent::Kind::kNotFinite, 413, "loss: nan");
  EXPECT_EQ(advice(fixture, Ailment::kNotFinite),
            "2 values of the loss are not finite, the first in line 412 (loss: nan). Halve the learning rate, clip "
            "gradients at 1.0, and restart from a checkpoint before that line; in fp16, use loss scaling or bf16.");
}

/// `refinement` comes to 10 % at step `risen` and stays there.
void add_refinement(RunFixture& fixture, double risen) {
  fixture.phase.metrics = {{"refinement", "refinement: ([0-9.]+)"}};
  fixture.phase.succeed_when = {"refinement in 15%..25%"};
  Series series;
  for (int i = 0; i < 1000; i += 10) series.add(i, 0.1 * std::min(1.0, i / risen), static_cast<std::uint32_t>(i + 1));
  fixture.log.metrics = {{"refinement", series}};
}

TEST(Diagnosis, GoalsThatAreMissed) {
  RunFixture fixture;
  add_refinement(fixture, 1000);
  // 0.097 at the end, 0.0001 a step: 530 more to 15 %.
  EXPECT_EQ(advice(fixture, Ailment::kShortOfGoal),
            "Refinement is too low (refinement in 15%..25%; missed by 35%). At the rate of the last half of the log it "
            "needs about 530 more steps.");
  add_refinement(fixture, 300);
  EXPECT_EQ(advice(fixture, Ailment::kShortOfGoal),
            "Refinement is too low (refinement in 15%..25%; missed by 33%). It stopped improving in the last half of "
            "the log. Halve the learning rate before you train longer.");
}

TEST(Diagnosis, WhatIsStillToComeIsNoAilment) {
  RunFixture fixture;
  add_refinement(fixture, 1000);
  fixture.run_to(400);
  EXPECT_EQ(advice(fixture, Ailment::kShortOfGoal), "") << "530 more steps, and 600 are to come";
}

TEST(Diagnosis, GradientsThatAreTooLarge) {
  RunFixture fixture;
  fixture.phase.succeed_when = {"grad_norm in 0.1..0.5"};
  EXPECT_EQ(advice(fixture, Ailment::kGradients),
            "Gradient norms are too high (grad_norm in 0.1..0.5; missed by 100%). Halve the learning rate and clip "
            "gradients.");
}

TEST(Diagnosis, LateRunsAndRestarts) {
  RunFixture fixture;
  fixture.run_to(401);
  fixture.set_pace(2);
  EXPECT_EQ(advice(fixture, Ailment::kLate),
            "At this pace the phase takes 43.3 min instead of 26.7 min (31.7 min at P90) and costs $24.00 instead of "
            "$14.00.");
  fixture.event(LogEvent::Kind::kRestart, 100);
  EXPECT_EQ(advice(fixture, Ailment::kRestarts), "Restarted 1 time; speeds are since the last restart.");
}

}  // namespace
}  // namespace gpuplan
