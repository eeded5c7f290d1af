// Logs of programs that came later, and what stands before lines: every number worked out by hand from the files.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "input/log_fixture.h"

namespace gpuplan {
namespace {

using Formats = std::vector<LogFormat>;

std::vector<double> values_of(const Series& series) {
  std::vector<double> values;
  for (const Series::Point& point : series.points()) values.push_back(point.value);
  return values;
}

std::vector<double> steps_of(const Series& series) {
  std::vector<double> steps;
  for (const Series::Point& point : series.points()) steps.push_back(point.step);
  return steps;
}

TEST(LogPrograms, LitGptCountsStepsNotPasses) {
  const RunLog log = read_log("litgpt.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kLitgpt});
  EXPECT_EQ(steps_of(log.loss), (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(values_of(log.loss), (std::vector<double>{10.875, 10.25, 9.75}));
  // Four passes, of which these lines tell two, two and one.
  EXPECT_EQ(values_of(log.step_seconds), (std::vector<double>{2.3, 1.96, 2}));
  EXPECT_EQ(values_of(log.validation), std::vector<double>{10.125});
  EXPECT_EQ(peak(log, LoggedMemory::kAllocated), Bytes{21.5e9});
}

TEST(LogPrograms, ComposerSaysOneValueALine) {
  const RunLog log = read_log("composer.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kComposer});
  EXPECT_EQ(log.planned_steps, 4800);
  EXPECT_EQ(log.last_step, 3);
  EXPECT_EQ(values_of(log.loss), (std::vector<double>{11.875, 11.5, 11.25}));
  EXPECT_EQ(values_of(log.validation), std::vector<double>{11.25});
  EXPECT_EQ(log.tokens_per_second.last().value, 262'144);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 32'768);
  EXPECT_EQ(log.step_seconds.last().value, 4);
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), Bytes{35.1e9});
}

TEST(LogPrograms, NeMoCountsFromZero) {
  const RunLog log = read_log("nemo.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kNemo});
  EXPECT_EQ(log.planned_steps, 500);
  EXPECT_EQ(log.last_step, 3);
  EXPECT_EQ(values_of(log.loss), (std::vector<double>{11.03, 10.5, 10.25}));
  EXPECT_EQ(log.step_seconds.last().value, 3.5);
  EXPECT_EQ(log.sequences_per_step, 128);
  EXPECT_EQ(log.validation.last().value, 10.375);
}

TEST(LogPrograms, SglangOfTwoReplicas) {
  const RunLog log = read_log("sglang.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kSglang});
  EXPECT_EQ(log.kv_cache, 45 * units::GiB);
  EXPECT_EQ(log.kv_cache_tokens, 373'744);
  EXPECT_EQ(values_of(log.output_tokens_per_second), (std::vector<double>{6000, 6200}));
}

TEST(LogPrograms, LightningsBarsOfTwoEpochs) {
  const RunLog log = read_log("bars-lightning.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kBars});
  EXPECT_EQ(steps_of(log.loss), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(log.loss.last().value, 7.5);
  EXPECT_EQ(log.step_seconds.last().value, 2);
  EXPECT_FALSE(log.planned_steps);  // of how many epochs, no bar says
  ASSERT_TRUE(log.elapsed);
  EXPECT_EQ(log.elapsed->value, 12);
}

TEST(LogPrograms, RichsBarsSayHowManyEpochs) {
  const RunLog log = read_log("bars-rich.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kBars});
  EXPECT_EQ(log.planned_steps, 8);
  EXPECT_EQ(log.last_step, 5);
  EXPECT_EQ(log.loss.last().value, 7.75);
  EXPECT_EQ(log.step_seconds.last().value, 0.8);
}

TEST(LogPrograms, TorchtunesBarHasTheStepAndTheLoss) {
  const RunLog log = read_log("bars-torchtune.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTorchtune});
  EXPECT_EQ(log.last_step, 5);
  EXPECT_EQ(log.loss.last().value, 2.375);
  EXPECT_EQ(log.step_seconds.last().value, 2);
}

TEST(LogPrograms, RecordsOfTheTrainerAreCounted) {
  // Two decimals of the epoch are eight steps; that every step has a record follows from all of them.
  const RunLog log = read_log("trainer-counted.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTrainerOutput});
  EXPECT_EQ(log.planned_steps, 60);
  EXPECT_EQ(log.sequences_per_step, 66);
  EXPECT_EQ(log.processes, 1);
  EXPECT_EQ(steps_of(log.loss), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(log.last_step, 12);
}

TEST(LogPrograms, TheSummaryOfTheTrainerTellsTheStepsBeforeIt) {
  const RunLog log = read_log("trainer-summary.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTrainerOutput});
  EXPECT_EQ(log.last_step, 47);  // 94 s, two seconds a step
  EXPECT_EQ(values_of(log.loss), (std::vector<double>{2.75, 2.5, 2.25, 2}));
  EXPECT_EQ(steps_of(log.loss), (std::vector<double>{10, 20, 30, 40}));
  EXPECT_TRUE(log.grad_norm.empty());  // None is no number
  EXPECT_EQ(log.event_counts[static_cast<std::size_t>(LogEvent::Kind::kNotFinite)], 0u);
  EXPECT_TRUE(log.finished);
}

TEST(LogPrograms, LinesInRecordsOfDocker) {
  const RunLog log = read_log("docker.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTorchtitan});
  EXPECT_EQ(values_of(log.loss), (std::vector<double>{10.75, 10.5, 10.25, 10}));
  EXPECT_EQ(log.step_seconds.last().value, 2);
  EXPECT_EQ(log.model_flops.last().value, 314.5e12);
}

TEST(LogPrograms, TorchtitanOf2026SaysTokens) {
  const RunLog log = read_log("torchtitan-2026.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTorchtitan});
  EXPECT_EQ(log.processes, 16);  // experts have no GPUs of their own
  EXPECT_EQ(log.tokens_per_step, 65'536);
  EXPECT_EQ(log.planned_steps, 1000);
  EXPECT_EQ(log.tokens_per_second.last().value, 32'768);
  EXPECT_EQ(log.step_seconds.last().value, 2);
}

TEST(LogPrograms, LlmqsOwnRecords) {
  const RunLog log = read_log("llmq-records.json");
  ASSERT_EQ(log.formats, Formats{LogFormat::kLlmq});
  EXPECT_EQ(values_of(log.loss), (std::vector<double>{3.25, 3.125}));
  EXPECT_EQ(values_of(log.validation), std::vector<double>{2.875});
  EXPECT_EQ(log.step_seconds.last().value, 1.6);
  EXPECT_EQ(log.tokens_per_second.last().value, 40'960);
  EXPECT_EQ(log.grad_norm.last().value, 1.25);
}

TEST(LogPrograms, LossesThatPeoplePrintBesideDeepSpeed) {
  const RunLog log = read_log("deepspeed-own-loss.log");
  EXPECT_EQ(log.formats.front(), LogFormat::kDeepSpeed);
  EXPECT_EQ(steps_of(log.loss), (std::vector<double>{10, 20, 30, 40}));
  EXPECT_EQ(log.loss.last().value, 8);
  EXPECT_EQ(log.last_step, 40);
}

TEST(LogPrograms, TheTableOfANotebook) {
  const RunLog log = read_log("notebook.log");
  EXPECT_EQ(steps_of(log.loss), (std::vector<double>{10, 20, 30, 40}));
  EXPECT_EQ(log.loss.last().value, 2.5);
  EXPECT_EQ(log.validation.last().value, 3);
  EXPECT_EQ(log.planned_steps, 250);
}

TEST(LogPrograms, ClocksOfWholeSecondsTellShortSteps) {
  const RunLog log = read_log("whole-seconds.log");
  EXPECT_EQ(log.loss.count(), 100u);
  ASSERT_FALSE(log.step_seconds.empty());
  for (const Series::Point& point : log.step_seconds.points()) EXPECT_NEAR(point.value, 0.4, 0.02);
}

TEST(LogPrograms, WhatLaunchersAndLoggersPutBeforeLines) {
  const RunLog log = read_log("prefixes.log");
  EXPECT_EQ(log.formats.front(), LogFormat::kNanogpt);
  EXPECT_EQ(values_of(log.loss), (std::vector<double>{4.5, 4.25, 4, 3.75, 3.5, 3.25}));
  EXPECT_EQ(log.step_seconds.last().value, 0.25);
}

TEST(LogPrograms, LossesThatAreNoNumbers) {
  for (const char* loss : {"nan", "inf", "-inf", "NaN", "Infinity"})
    for (const char* form : {"step 2 | loss %s | 330 ms", "step: 2, loss: %s, 330 ms", "step=2 loss=%s dt=0.3s",
                             "iter 2: loss %s, time 330.00ms, mfu 1.00%%", "Epoch [1/3], Step [2/90], Loss: %s"}) {
      auto reader = LogReader::make({});
      ASSERT_TRUE(reader);
      std::array<char, 100> line{};
      std::snprintf(line.data(), line.size(), form, loss);
      reader->feed(std::string(line.data()) + "\n");
      const auto log = reader->finish();
      ASSERT_TRUE(log);
      EXPECT_EQ(log->loss.count(), 1u) << line.data();
      EXPECT_FALSE(std::isfinite(log->loss.last().value)) << line.data();
      EXPECT_EQ(log->event_counts[static_cast<std::size_t>(LogEvent::Kind::kNotFinite)], 1u) << line.data();
    }
}

TEST(LogPrograms, ADocumentThatQuotesALogIsNone) {
  EXPECT_TRUE(read_log("quoted.md").quoted);
  for (const char* name : {"litgpt.log", "modded-nanogpt.log", "trainer-oom.log", "notebook.log"})
    EXPECT_FALSE(read_log(name).quoted) << name;
}

}  // namespace
}  // namespace gpuplan
