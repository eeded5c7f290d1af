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

/// Steps first to 1,000 by the hundred, of each of three epochs, as `line` writes epoch (from 0) and step.
template <class Line>
std::string three_epochs(Line line, int first = 100) {
  std::string text;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (int step = first; step < 1000 + first; step += 100)
      text += line(epoch, step, std::to_string(2 - (epoch * 1000 + step) / 4000.0)) + "\n";
  return text;
}

TEST(LogPrograms, StepsThatBeginAnewWithTheNextEpochGoOn) {
  const auto one = [](int number) { return std::to_string(number + 1); };
  const auto zero = [](int number) { return std::to_string(number); };
  struct Form {
    std::string text;
    bool says_epochs = false;
  };
  const Form forms[] = {
      {three_epochs([&](int epoch, int step, const std::string& loss) {
         return "Epoch [" + one(epoch) + "/3], Step [" + zero(step) + "/1000], Loss: " + loss + ", Time: 250 ms";
       }),
       true},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
         return "Epoch " + one(epoch) + "/3 Step " + zero(step) + "/1000 loss: " + loss;
       }),
       true},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
        return "[epoch " + zero(epoch) + "][" + zero(step) + "/1000] loss " + loss;
      })},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
        return "Epoch: [" + zero(epoch) + "][ " + zero(step) + "/1000]\tTime  0.250 ( 0.300)\tLoss " + loss +
               " (7.0e+00)";
      })},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
        return "epoch " + one(epoch) + " | step " + zero(step) + " | loss " + loss;
      })},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
         return (step == 100 ? "=== Epoch " + one(epoch) + "/3 ===\n" : "") + "step " + zero(step) +
                "/1000, loss: " + loss;
       }),
       true},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
        return "step " + zero(step) + ", loss: " + loss + (step == 1000 ? "\nEpoch " + one(epoch) + " took 4 min" : "");
      })},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
        return R"({"epoch": )" + one(epoch) + R"(, "step": )" + zero(step) + R"(, "loss": )" + loss + "}";
      })},
      {three_epochs([&](int, int step, const std::string& loss) {
        return " " + zero(step / 10) + "%|##  | " + zero(step) + "/1000 [01:00<00:10,  4.00it/s, loss=" + loss + "]";
      })},
      {three_epochs([&](int epoch, int step, const std::string& loss) {
         return "Epoch " + one(epoch) + "/3:  " + zero(step / 10) + "%|##  | " + zero(step) +
                "/1000 [01:00<00:10,  4.00it/s, loss=" + loss + "]";
       }),
       true},
  };
  for (const auto& [text, says_epochs] : forms) {
    const RunLog log = read_text(text);
    EXPECT_EQ(log.last_step, 3000) << text.substr(0, 100);
    EXPECT_EQ(log.planned_steps.value_or(-1), says_epochs ? 3000 : -1) << text.substr(0, 100);
    EXPECT_EQ(log.loss.count(), 30) << text.substr(0, 100);
    EXPECT_EQ(log.loss.first().step, 100);
    EXPECT_EQ(event_texts(log), std::vector<std::string>{}) << text.substr(0, 100);
  }
}

TEST(LogPrograms, EpochsAndStepsThatCountFromZero) {
  const RunLog log = read_text(three_epochs(
      [](int epoch, int step, const std::string& loss) {
        return "epoch " + std::to_string(epoch) + " step " + std::to_string(step) + " loss " + loss;
      },
      0));
  EXPECT_EQ(log.last_step, 2900);
  EXPECT_EQ(log.loss.count(), 30);
  EXPECT_EQ(event_texts(log), std::vector<std::string>{});
}

TEST(LogPrograms, StepsOfTheRunBesideEpochsStayAsTheyAre) {
  for (const int first : {100, 1500}) {
    std::string text;
    for (int step = first; step <= 2500; step += 100)
      text += "Epoch " + std::to_string(1 + step / 1000) + "/3 | step " + std::to_string(step) + "/3000 | loss 1.5\n";
    const RunLog log = read_text(text);
    EXPECT_EQ(log.last_step, 2500);
    EXPECT_EQ(log.planned_steps, 3000);
    EXPECT_EQ(log.first_step, first);
    EXPECT_EQ(event_texts(log), std::vector<std::string>{});
  }
}

TEST(LogPrograms, ARunThatWentOnInAnEpochIsARestart) {
  std::string text;
  const auto epoch = [&](int number, int from, int to) {
    for (int step = from; step <= to; step += 100)
      text += "Epoch [" + std::to_string(number) + "/3], Step [" + std::to_string(step) + "/1000], Loss: 1.5\n";
  };
  epoch(1, 100, 1000);
  epoch(2, 100, 700);
  epoch(2, 400, 1000);
  const RunLog log = read_text(text);
  EXPECT_EQ(log.last_step, 2000);
  EXPECT_EQ(log.loss.count(), 20);
  EXPECT_EQ(event_texts(log), std::vector<std::string>{"restart 18: went on from step 1400 after step 1700"});
}

TEST(LogPrograms, WhatAnExcerptOfALaterEpochBeginsWith) {
  const RunLog log = read_text("Epoch [2/3], Step [10/1000], Loss: 1.5\nEpoch [2/3], Step [20/1000], Loss: 1.4\n");
  EXPECT_EQ(log.first_step, 1010);
  EXPECT_EQ(log.last_step, 1020);
  EXPECT_EQ(log.planned_steps, 3000);
}

TEST(LogPrograms, TheFirstStepOutlivesARestart) {
  std::string text;
  for (const auto& [from, to] : {std::pair{1, 20}, std::pair{15, 30}})
    for (int step = from; step <= to; ++step)
      text +=
          "iteration " + std::to_string(step) + "/ 30 | elapsed time per iteration (ms): 784.2 | lm loss: 1.2E+00 |\n";
  const RunLog log = read_text(text);
  EXPECT_EQ(log.first_step, 1);
  EXPECT_EQ(log.step_seconds.first().step, 15);
}

/// The bar of requests stands before the result, with what comes first of each program or without it.
TEST(LogPrograms, RequestsOfABenchmarkOfAServerArePrompts) {
  const std::string bars =
      "\r  0%|          | 0/200 [00:00<?, ?it/s]\r 50%|#####     | 100/200 [00:10<00:10,  9.98it/s]"
      "\r100%|##########| 200/200 [00:20<00:00,  9.98it/s]\n";
  const std::string result =
      "============ Serving Benchmark Result ============\n"
      "Successful requests:                     200\n"
      "Output token throughput (tok/s):         2994.01\n";
  for (const std::string before : {"", "Starting initial single prompt test run...\nTraffic request rate: inf\n",
                                   "Starting main benchmark run...\n"}) {
    const RunLog log = read_text(before + bars + result);
    EXPECT_EQ(log.formats, Formats{LogFormat::kVllm}) << before;
    EXPECT_EQ(log.prompts, 200);
    EXPECT_EQ(log.prompts_done, 200);
    EXPECT_TRUE(log.benchmark);
    EXPECT_TRUE(log.generated);
    EXPECT_EQ(log.last_step, std::nullopt);
    EXPECT_EQ(log.planned_steps, std::nullopt);
    EXPECT_TRUE(log.step_seconds.empty());
    EXPECT_EQ(log.output_tokens_per_second.last().value, 2994.01);
  }
}

TEST(LogPrograms, ADocumentThatQuotesALogIsNone) {
  EXPECT_TRUE(read_log("quoted.md").quoted);
  for (const char* name : {"litgpt.log", "modded-nanogpt.log", "trainer-oom.log", "notebook.log"})
    EXPECT_FALSE(read_log(name).quoted) << name;
}

}  // namespace
}  // namespace gpuplan
