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

/// Of one run of 30 steps, by what a program writes of each.
template <class Line>
RunLog read_steps(Line&& line, const std::string& before = "", const std::string& after = "") {
  std::string text = before;
  for (int step = 1; step <= 30; ++step) text += line(std::to_string(step), std::to_string(3 - step * 0.05));
  return read_text(text + after);
}

double middle_of(const Series& series) { return series.points().at(series.points().size() / 2).value; }

TEST(LogPrograms, Verl) {
  const auto line = [](const std::string& step, const std::string& loss) {
    return "(TaskRunner pid=7) step:" + step +
           " - actor/entropy:0.41 - actor/pg_loss:" + (step == "4" ? "-0.02" : loss) +
           " - actor/grad_norm:np.float64(0.21) - actor/lr:1e-06 - perf/max_memory_allocated_gb:40.12 - "
           "critic/rewards/mean:0.4 - timing_s/gen:21.2 - timing_s/step:45.3 - perf/throughput:1435.2\n"
           "(TaskRunner pid=7) Training Progress:  10%|#         | " +
           step + "/100 [00:45<74:00, 47.00s/it]\n";
  };
  const RunLog log = read_steps(line);
  EXPECT_EQ(log.formats.front(), LogFormat::kVerl);
  EXPECT_EQ(log.loss.count(), 30);
  EXPECT_EQ(log.loss.least(), -0.02);
  EXPECT_EQ(log.last_step, 30);
  EXPECT_EQ(log.planned_steps, 100);
  EXPECT_EQ(middle_of(log.step_seconds), 45.3);
  EXPECT_EQ(log.grad_norm.last().value, 0.21);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 1435.2);
  EXPECT_EQ(peak(log, LoggedMemory::kAllocated), 40.12 * units::GiB);
  EXPECT_TRUE(log.rewards);
}

TEST(LogPrograms, VerlFineTunes) {
  const RunLog log = read_steps([](const std::string& step, const std::string& loss) {
    return "step:" + step + " - train/loss:" + loss + " - train/lr(1e-3):0.01 - train/time(s):1.52\n";
  });
  EXPECT_EQ(log.formats, Formats{LogFormat::kVerl});
  EXPECT_EQ(middle_of(log.step_seconds), 1.52) << "of a step, not since the start";
  EXPECT_DOUBLE_EQ(log.learning_rate.last().value, 1e-5);
  EXPECT_FALSE(log.rewards);
}

TEST(LogPrograms, RewardsAreTold) {
  EXPECT_TRUE(read_text("{'loss': -0.01, 'reward': 0.3, 'kl': 0.001, 'epoch': 0.1}\n").rewards);
  EXPECT_TRUE(read_text("{'loss': 0.69, 'rewards/margins': 0.3, 'epoch': 0.1}\n").rewards);
  EXPECT_TRUE(read_text("step 3 | loss 0.1 | mean reward 0.4\n").rewards);
  EXPECT_FALSE(read_text("{'loss': 1.01, 'grad_norm': 0.3, 'epoch': 0.1}\n").rewards);
}

TEST(LogPrograms, LightningTellsOfValidationInItsBarAndOfItsEnd) {
  const RunLog log = read_text(
      "Epoch 0: 100%|##########| 100/100 [00:50<00:00,  2.00it/s, v_num=3, train_loss=1.300]\n"
      "Validation DataLoader 0: 100%|##########| 10/10 [00:01<00:00, 10.00it/s]\n"
      "Epoch 0: 100%|##########| 100/100 [00:52<00:00,  1.92it/s, v_num=3, train_loss=1.300, val_loss=1.410]\n"
      "Epoch 1:  50%|#####     | 50/100 [00:25<00:25,  2.00it/s, v_num=3, train_loss=1.200, val_loss=1.410]\n"
      "Epoch 1: 100%|##########| 100/100 [00:52<00:00,  1.92it/s, v_num=3, train_loss=1.100, val_loss=1.310]\n"
      "`Trainer.fit` stopped: `max_epochs=2` reached.\n");
  EXPECT_EQ(log.validation.count(), 2);
  EXPECT_EQ(log.validation.first().step, 100);
  EXPECT_EQ(log.validation.last().value, 1.31);
  EXPECT_TRUE(log.finished);
  EXPECT_EQ(log.last_step, 200);
}

TEST(LogPrograms, LitgptTellsMemoryAndItsEnd) {
  const auto line = [](const std::string& step, const std::string& loss) {
    return "Epoch 1 | iter " + step + " step " + step + " | loss train: " + loss +
           ", val: n/a | iter time: 310.20 ms (step)\n";
  };
  for (const char* end : {"Training time: 250.11s\nMemory used: 21.30 GB\n",
                          "| Performance\n| - Training Time             :  250.11 s\n| Memory Usage\n"
                          "| - Memory Used               :  21.30 GB      \n"}) {
    const RunLog log = read_steps(line, "", end);
    EXPECT_TRUE(log.finished) << end;
    EXPECT_EQ(log.run_time, Seconds{250.11}) << end;
    EXPECT_EQ(peak(log, LoggedMemory::kAllocated), Bytes{21.3e9}) << end;
  }
}

TEST(LogPrograms, TwoRunsInOneLogAreNoRestart) {
  const auto run = [](int steps, double loss) {
    std::string text;
    for (int step = 1; step <= steps; ++step)
      text += " 10%|#         | " + std::to_string(step) + "/" + std::to_string(steps) +
              " [00:20<33:00,  2.00s/it]\n{'loss': " + std::to_string(loss) +
              ", 'grad_norm': 0.2, 'learning_rate': 1e-06, 'epoch': 0.01}\n";
    return text +
           "{'train_runtime': 60.5, 'train_samples_per_second': 8, 'train_steps_per_second': 0.5, 'train_loss': " +
           std::to_string(loss) + ", 'epoch': 1.0}\n";
  };
  for (const int second : {20, 30}) {
    const RunLog log = read_text(run(30, 2) + run(second, 0.5));
    EXPECT_EQ(log.runs_before, 1);
    EXPECT_TRUE(event_texts(log).empty()) << event_texts(log).front();
    EXPECT_EQ(log.last_step, second);
    EXPECT_EQ(log.planned_steps, second);
    EXPECT_EQ(log.loss.count(), static_cast<std::size_t>(second));
    EXPECT_EQ(log.loss.most(), 0.5);
    EXPECT_TRUE(log.finished);
  }
  // An evaluation behind the summary is no run.
  const RunLog one =
      read_text(run(30, 2) + "100%|##########| 50/50 [00:20<00:00,  2.00it/s]\n{'eval_loss': 1.9, 'epoch': 1.0}\n");
  EXPECT_EQ(one.runs_before, 0);
  EXPECT_EQ(one.last_step, 30);
  EXPECT_TRUE(one.finished);
}

TEST(LogPrograms, NamesOfTheUserInABarKeepItsSteps) {
  Result<LogReader> reader = LogReader::make({}, {.names = "loss=gpt_loss"});
  ASSERT_TRUE(reader);
  for (int step = 1; step <= 10; ++step)
    reader->feed("Train epoch [1/1]:  10%|#         | " + std::to_string(step) +
                 "/100 [00:03<00:39,  3.00s/it, gpt_loss=2.5, mean_loss=9.5, lr=1e-6]\n");
  const RunLog log = *reader->finish();
  EXPECT_EQ(log.last_step, 10);
  EXPECT_EQ(log.planned_steps, 100);
  EXPECT_EQ(log.loss.count(), 10);
  EXPECT_EQ(log.loss.most(), 2.5) << "not the loss of another name";
  EXPECT_EQ(middle_of(log.step_seconds), 3);
}

TEST(LogPrograms, Mmengine) {
  const RunLog log = read_steps([](const std::string& step, const std::string& loss) {
    return "2025/11/02 10:00:00 - mmengine - INFO - Epoch(train) [2][ " + step +
           "/ 500]  lr: 1.0000e-04  eta: 1:02:11  "
           "time: 0.6012  data_time: 0.0102  memory: 11203  grad_norm: 2.1  loss: " +
           loss + "  loss_cls: 0.5\n";
  });
  EXPECT_EQ(log.formats, Formats{LogFormat::kMmengine});
  EXPECT_EQ(log.first_step, 501);
  EXPECT_EQ(log.last_step, 530);
  EXPECT_DOUBLE_EQ(log.loss.last().value, 1.5);
  EXPECT_EQ(middle_of(log.step_seconds), 0.6012);
  EXPECT_EQ(peak(log, LoggedMemory::kAllocated), 11203 * units::MiB);
}

TEST(LogPrograms, Timm) {
  const RunLog log = read_steps([](const std::string& step, const std::string& loss) {
    return "Train: 1 [ " + step + "/1251 (  4%)]  Loss: " + loss +
           " (2.49)  Time: 0.412s, 2485.44/s  (0.412s, 2485.44/s)  "
           "LR: 1.000e-03  Data: 0.010 (0.010)\n";
  });
  EXPECT_EQ(log.formats, Formats{LogFormat::kTimm});
  EXPECT_EQ(log.last_step, 1251 + 31);
  EXPECT_DOUBLE_EQ(log.loss.last().value, 1.5);
  EXPECT_EQ(middle_of(log.step_seconds), 0.412);
  EXPECT_EQ(log.learning_rate.last().value, 1e-3);
}

TEST(LogPrograms, OpenClip) {
  const RunLog log = read_steps([](const std::string& step, const std::string& loss) {
    return "2025-11-02,10:00:01 | INFO | Train Epoch: 0 [ " + std::to_string(10240 * std::stoi(step)) +
           "/512000 (2%)] Data (t): 0.012 Batch (t): 0.521, 1965.4/s, 245.7/s/gpu LR: 0.000500 Logit Scale: 14.2 "
           "Contrastive_loss: 9.9 (9.9) Loss: " +
           loss + " (6.98)\n";
  });
  EXPECT_EQ(log.formats, Formats{LogFormat::kOpenClip});
  EXPECT_EQ(log.last_step, 300) << "1024 samples each";
  EXPECT_DOUBLE_EQ(log.loss.last().value, 1.5);
  EXPECT_EQ(middle_of(log.step_seconds), 0.521);
}

TEST(LogPrograms, Olmo) {
  const RunLog old = read_steps([](const std::string& step, const std::string& loss) {
    return "2025-11-02 10:00:01.123\thost:0\tolmo.train:966\tINFO\t[step=" + step +
           "/739328,epoch=0]\n"
           "    optim/total_grad_norm=1.231\n    train/CrossEntropyLoss=" +
           loss +
           "\n    train/Perplexity=20.1\n"
           "    throughput/total_tokens=4,194,304\n    throughput/device/tokens_per_second=11,203\n"
           "    throughput/device/batches_per_second=0.5\n";
  });
  const RunLog core = read_steps([](const std::string& step, const std::string& loss) {
    return "2025-11-02 10:00:03.123\thost:0\tolmo_core.train.callbacks.console_logger:101\tINFO\t[step=" + step +
           "/739328,epoch=1,eta=8:11:02]\n    train/CE loss=" + loss +
           "\n    optim/total grad norm=1.231\n"
           "    throughput/device/TPS=11,203\n    throughput/device/BPS=0.5\n";
  });
  for (const RunLog& log : {old, core}) {
    EXPECT_EQ(log.formats.front(), LogFormat::kOlmo);
    EXPECT_EQ(log.last_step, 30);
    EXPECT_EQ(log.planned_steps, 739328);
    EXPECT_EQ(log.loss.count(), 30);
    EXPECT_DOUBLE_EQ(log.loss.last().value, 1.5);
    EXPECT_EQ(log.grad_norm.last().value, 1.231);
    EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 11203);
    EXPECT_EQ(middle_of(log.step_seconds), 2);
  }
}

TEST(LogPrograms, NemoRl) {
  const RunLog log = read_steps([](const std::string& step, const std::string& loss) {
    return "\n========================= Step " + step +
           "/100 =========================\n▶ Preparing batch...\n"
           "📊 Training Results:\n  • Loss: " +
           loss +
           "\n  • Avg Reward: 0.41\n\n⏱️  Timing:\n"
           "  • Total step time: 45.21s\n  • generation: 21.1s (47%)\n";
  });
  EXPECT_EQ(log.formats.front(), LogFormat::kNemoRl);
  EXPECT_EQ(log.last_step, 30);
  EXPECT_EQ(log.planned_steps, 100);
  EXPECT_EQ(log.loss.count(), 30);
  EXPECT_EQ(middle_of(log.step_seconds), 45.21);
  EXPECT_TRUE(log.rewards);
}

TEST(LogPrograms, Keras) {
  const auto bar = [](const std::string& step, const std::string& loss) {
    return "\r\x1b[1m " + step +
           "/100\x1b[0m \x1b[32m━━━━\x1b[0m\x1b[37m━━━━\x1b[0m \x1b[1m49s\x1b[0m 50ms/step - "
           "accuracy: 0.6012 - loss: " +
           loss;
  };
  const RunLog log = read_steps(bar, "Epoch 2/3\n", "\r100/100 ━━━━ 5s 52ms/step - loss: 1.2 - val_loss: 1.31\n");
  EXPECT_EQ(log.formats.front(), LogFormat::kKeras);
  EXPECT_EQ(log.first_step, 101);
  EXPECT_EQ(log.last_step, 200);
  EXPECT_EQ(log.planned_steps, 300);
  EXPECT_EQ(log.loss.last().value, 1.2);
  EXPECT_EQ(log.validation.last().value, 1.31);
  EXPECT_EQ(middle_of(log.step_seconds), 0.05);
  const RunLog older = read_steps(
      [](const std::string& step, const std::string& loss) {
        return "\r " + step + "/100 [=====>........] - ETA: 49s - loss: " + loss + " - accuracy: 0.5";
      },
      "Epoch 1/3\n");
  EXPECT_EQ(older.last_step, 30);
  EXPECT_DOUBLE_EQ(older.loss.last().value, 1.5);
}

TEST(LogPrograms, Ultralytics) {
  const std::string head = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n";
  for (const char* bar :
       {"100%|##########| 1849/1849 [03:21<00:00,  9.19it/s]", "100% ━━━━━━━━━━━━ 1849/1849 9.19it/s 3:21"}) {
    const RunLog log = read_steps(
        [&](const std::string& step, const std::string& loss) {
          return "      " + step + "/100      4.52G      " + loss +
                 "      1.25      1.5         95        640: " + bar + "\n";
        },
        head, "30 epochs completed in 3.456 hours.\n");
    EXPECT_EQ(log.formats.front(), LogFormat::kUltralytics) << bar;
    EXPECT_EQ(log.last_step, 30 * 1849);
    EXPECT_EQ(log.planned_steps, 100 * 1849);
    EXPECT_DOUBLE_EQ(log.loss.last().value, 1.5 + 1.25 + 1.5) << "the sum of its parts";
    EXPECT_DOUBLE_EQ(middle_of(log.step_seconds), 1 / 9.19);
    EXPECT_TRUE(log.finished);
  }
}

}  // namespace
}  // namespace gpuplan
