// Logs that say a thing in two places, or in a way that only their program has: by the print statements of each.
#include <gtest/gtest.h>

#include <string>

#include "log_fixture.h"

namespace gpuplan {
namespace {

double last_time(const RunLog& log) { return log.step_seconds.empty() ? -1 : log.step_seconds.last().value; }

TEST(LogEnds, BarThatIsDrawnAgainBehindAnErrorIsNoWork) {
  const std::string before =
      "  7%|7         | 36/500 [18:43<4:01:16, 31.20s/it]\n"
      "  7%|7         | 37/500 [19:14<4:00:45, 31.20s/it]\n"
      "Traceback (most recent call last):\n"
      "  File \"train.py\", line 1700, in step\n"
      "    loss.backward()\n"
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 11.59 GiB.\n";
  const RunLog failed = read_text(before + "  7%|7         | 37/500 [19:14<4:00:45, 31.20s/it]\n");
  ASSERT_FALSE(failed.work.empty());
  EXPECT_EQ(failed.work.back().line, 2U);
  const RunLog went_on = read_text(before + "  8%|7         | 38/500 [19:45<4:00:14, 31.20s/it]\n");
  ASSERT_FALSE(went_on.work.empty());
  EXPECT_EQ(went_on.work.back().line, 7U);
}

TEST(LogEnds, TorchtitanStagesWithoutALoss) {
  const auto line = [](int rank, const char* what, const char* loss, const char* memory) {
    return "[rank" + std::to_string(rank) + "]:[titan] 2026-08-20 10:11:12,123 - root - INFO - " + what +
           "  loss: " + loss + "  grad_norm:  1.2500  memory: " + memory + "GiB(77.80%)  tps: 4,000  tflops: 200.00\n";
  };
  const RunLog log =
      read_text("[rank0]:[titan] 2026-08-20 10:11:02,123 - root - INFO - Training starts at step 1\n" +
                line(0, "step: 10", "-1.00000", "50.00") + line(4, "step: 10", " 8.50000", "60.00") +
                line(0, "step: 20", "-1.00000", "50.00") + line(4, "step: 20", " 7.25000", "60.00") +
                line(0, "validate step: 20", "-1.0000", "50.00") + line(4, "validate step: 20", " 7.5000", "60.00"));
  EXPECT_EQ(log.last_step, 20);
  EXPECT_EQ(log.loss.count(), 2U);
  EXPECT_EQ(log.loss.last().value, 7.25);
  EXPECT_EQ(log.validation.last().value, 7.5);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 4000);
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), 60 * units::GiB);
}

TEST(LogEnds, ResumedTrainerDividesAllStepsByTheTimeOfItsPart) {
  const std::string summary =
      "{'loss': 0.5, 'learning_rate': 1e-06, 'epoch': 1.0}\n"
      "{'train_runtime': 1000.0, 'train_steps_per_second': 0.2, 'train_loss': 0.25, 'epoch': 1.0}\n";
  EXPECT_EQ(last_time(read_text("***** Running training *****\n  Total optimization steps = 200\n" + summary)), 5);
  EXPECT_EQ(last_time(read_text("***** Running training *****\n  Total optimization steps = 200\n"
                                "  Continuing training from global step 100\n" +
                                summary)),
            10);
}

TEST(LogEnds, MaxTextCountsFromZero) {
  const RunLog log = read_text(
      "completed step: 0, seconds: 30.5, TFLOP/s/device: 10.5, Tokens/s/device: 500.5, total_weights: 1024, loss: 9.5\n"
      "completed step: 1, seconds: 2.5, TFLOP/s/device: 200.5, Tokens/s/device: 8000.5, total_weights: 1024, loss: "
      "8.5\n"
      "Completed eval after train step 1, loss=8.25, perplexity=3294.5, total_weights=1048576\n");
  EXPECT_EQ(log.last_step, 2);
  EXPECT_EQ(log.first_step, 1);
  EXPECT_EQ(log.loss.last().value, 8.5);
  EXPECT_EQ(log.validation.last().value, 8.25);
  EXPECT_EQ(log.validation.last().step, 2);
  EXPECT_EQ(last_time(log), 2.5);
}

TEST(LogEnds, MemoryByTheNamesOfPrograms) {
  const auto of = [](const std::string& line, LoggedMemory kind) { return peak(read_text(line), kind); };
  const std::string automodel = "2026-08-20 10:11:12 | INFO | recipe | step 3 | epoch 0 | loss 1.5 | mem 44.25 GiB\n";
  EXPECT_EQ(of(automodel, LoggedMemory::kAllocated), 44.25 * units::GiB);
  const std::string picotron = "[rank 0] Step: 3     | Loss: 7.25 | Tokens/s: 101.2K | Memory usage:  22.5GB\n";
  EXPECT_EQ(of(picotron, LoggedMemory::kReserved), 22.5 * units::GiB);
  const std::string prime =
      "10:11:12 SUCCESS Step 3 |   3.41s | Loss 1.5 | Throughput 7000 tokens/s | Peak Mem. 58.5/79.1 GiB (73.9%)\n";
  EXPECT_EQ(of(prime, LoggedMemory::kReserved), 58.5 * units::GiB);
  EXPECT_EQ(of(prime, LoggedMemory::kAllocated), Bytes{});
  const std::string olmo =
      "[step=3/100,epoch=1]\n    gpu_memory/GPU active mem (GiB)=48.5\n    gpu_memory/GPU reserved mem (GiB)=55.5\n"
      "    gpu_memory/GPU reserved mem (%)=70.5\n";
  EXPECT_EQ(of(olmo, LoggedMemory::kAllocated), 48.5 * units::GiB);
  EXPECT_EQ(of(olmo, LoggedMemory::kReserved), 55.5 * units::GiB);
  EXPECT_EQ(of("device memory usage: 39936 MiB / 81050 MiB\n", LoggedMemory::kDevice), 39 * units::GiB);
  EXPECT_EQ(of("peak memory consumption: 30720 MiB\n", LoggedMemory::kAllocated), 30 * units::GiB);
  EXPECT_EQ(of("Peak reserved memory = 6.75 GB.\n", LoggedMemory::kReserved), 6.75 * units::GiB);
  EXPECT_EQ(of("Training epoch 0, iteration 3/499 | reduced_train_loss: 7.5 | max_memory_reserved: 3.221e+10\n",
               LoggedMemory::kReserved),
            Bytes{3.221e10});
  EXPECT_EQ(of("iter: 19  total_loss: 5.5  last_time: 0.5  max_mem: 7168M\n", LoggedMemory::kAllocated),
            7 * units::GiB);
  EXPECT_EQ(of("global_step=5 loss=1.5 gpu_mem_GB=44.5\n", LoggedMemory::kAllocated), 44.5 * units::GiB);
  EXPECT_EQ(of("global_step=5 loss=1.5 cpu_mem_GB=44.5\n", LoggedMemory::kAllocated), Bytes{});
  EXPECT_EQ(of("Max CUDA memory allocated was 45 GB\n", LoggedMemory::kAllocated), 45 * units::GiB);
  EXPECT_EQ(of("Max CUDA memory reserved was 55 GB\n", LoggedMemory::kReserved), 55 * units::GiB);
  // what others have
  for (const std::string words : {"cpu memory 200 GB", "process memory: 12 GB", "system mem 100 GB"}) {
    const std::string line = "step 3 loss 1.5 " + words + "\n";
    EXPECT_EQ(of(line, LoggedMemory::kAllocated), Bytes{}) << words;
    EXPECT_EQ(of(line, LoggedMemory::kReserved), Bytes{}) << words;
  }
}

TEST(LogEnds, TimesOfStepsByTheNamesOfPrograms) {
  EXPECT_EQ(last_time(read_text("iter_dt 50.00ms; iter 10: train loss 4.5\n")), 0.05);
  EXPECT_EQ(last_time(read_text("epoch 0 step 10/500 loss 4.5 lr 1.0e-04 time/step 0.75s mem 40.0GB\n")), 0.75);
  EXPECT_EQ(last_time(read_text("iteration: 1 / 10 | time_per_iteration_ms: 500 | lm_loss: 4.5\n")), 0.5);
  EXPECT_EQ(last_time(read_text("eta: 1:02:03  iter: 19  total_loss: 5.5  time: 0.45  last_time: 0.5\n")), 0.5);
  EXPECT_EQ(read_text("INFO x.py:413 in f -- tflops=188.1 step=3 loss=9.5 real_tgs=4000.5 tgs/tgs_all=4100.5\n")
                .tokens_per_second_per_gpu.last()
                .value,
            4000.5);
  EXPECT_EQ(last_time(read_text("epoch 0, step 100/900 (11%), loss: 0.375, 4.0 it/s\n")), 0.25);
  EXPECT_EQ(last_time(read_text("[train] step 100 loss: 0.375 speed 0.5s/it\n")), 0.5);
  EXPECT_EQ(last_time(read_text("[train] step 100, loss: 0.375, 250ms/step\n")), 0.25);
  const RunLog like_nanochat = read_text("step 100 | loss: 0.375 | lr: 1e-04 | 250ms/step | 12000 tok/s\n");
  EXPECT_EQ(last_time(like_nanochat), 0.25);
  EXPECT_EQ(like_nanochat.loss.last().value, 0.375);
  EXPECT_EQ(like_nanochat.tokens_per_second.last().value, 12000);
  const RunLog mlx = read_text(
      "Starting training..., iters: 1000\n"
      "Iter 10: Train loss 2.5, Learning Rate 1.000e-05, It/sec 0.5, Tokens/sec 300.5, Trained Tokens 480, Peak mem "
      "18.5 GB\n");
  EXPECT_EQ(last_time(mlx), 2);
  EXPECT_EQ(mlx.planned_steps, 1000);
  const RunLog chat = read_text(
      "Epoch: 0, Step: 10, Rank: 0, loss = 2.25\n"
      "Model Parameters: 6.738 B, Latency: 2.50s, TFLOPs: 104.00, Samples/sec: 25.60, Time/seq 0.04s, Batch Size: 64, "
      "Sequence Length: 512\n"
      "ppl: 6.123, loss: 1.75\n");
  EXPECT_EQ(last_time(chat), 2.5);
  EXPECT_EQ(chat.sequences_per_step, 64);
  EXPECT_EQ(chat.loss.last().value, 2.25);
  EXPECT_EQ(chat.validation.last().value, 1.75);
}

TEST(LogEnds, BatchesOfAnEpochAreItsSteps) {
  for (const std::string form :
       {"Epoch 1, Batch 50/900, Loss: 0.5\nEpoch 1, Batch 100/900, Loss: 0.25\nEpoch 2, Batch 50/900, Loss: 0.125\n",
        "Epoch [1/2], Batch [50/900], Loss: 0.5\nEpoch [1/2], Batch [100/900], Loss: 0.25\n"
        "Epoch [2/2], Batch [50/900], Loss: 0.125\n"}) {
    const RunLog log = read_text(form);
    EXPECT_EQ(log.last_step, 950) << form;
    EXPECT_EQ(log.loss.count(), 3U) << form;
    EXPECT_EQ(log.loss.last().value, 0.125) << form;
  }
  // a size
  EXPECT_EQ(read_text("Epoch 1 | batch 64 | step 10 | loss: 0.5\n").last_step, 10);
}

TEST(LogEnds, LossesOfEpochsWithoutSteps) {
  const RunLog log = read_text(
      "Epoch 1/3 - train_loss: 0.5 - val_loss: 0.75 - time: 121.2s\nEpoch 2/3 - train_loss: 0.25 - val_loss: 0.5 - "
      "time: 122.2s\n");
  EXPECT_FALSE(log.last_step);
  EXPECT_EQ(log.epoch, 2);
  EXPECT_EQ(log.loss.count(), 2U);
  EXPECT_EQ(log.loss.last().value, 0.25);
  EXPECT_EQ(log.validation.last().value, 0.5);
  const RunLog samples = read_text(
      "Train Epoch: 1 [0/60000 (0%)]\tLoss: 2.5\nTrain Epoch: 1 [30000/60000 (50%)]\tLoss: 2.25\nTrain Epoch: 2 "
      "[15000/60000 (25%)]\tLoss: 1.25\n");
  EXPECT_FALSE(samples.last_step);
  EXPECT_EQ(samples.epoch, 1.25);
  EXPECT_EQ(samples.loss.last().value, 1.25);
  // Where steps are told, those of epochs repeat them.
  const RunLog beside = read_text("step 10 loss: 0.5\nEpoch 1: mean loss: 0.625\nstep 20 loss: 0.25\n");
  EXPECT_EQ(beside.loss.count(), 2U);
}

TEST(LogEnds, UnslothsNotebook) {
  const RunLog log = read_text("Step\tTraining Loss\n1\t2.5\n2\t2.25\n10.5 seconds used for training.\n");
  EXPECT_TRUE(log.finished);
  EXPECT_EQ(last_time(log), 5.25);
  EXPECT_EQ(log.run_time, Seconds{10.5});
}

TEST(LogEnds, LlamaFactorysRecordsTellTheTimeSinceTheStart) {
  const RunLog log = read_text(
      "{\"current_steps\": 10, \"total_steps\": 100, \"loss\": 1.5, \"lr\": 1e-05, \"epoch\": 0.1, \"elapsed_time\": "
      "\"0:00:42\", \"remaining_time\": \"0:06:18\"}\n"
      "{\"current_steps\": 20, \"total_steps\": 100, \"loss\": 1.25, \"lr\": 1e-05, \"epoch\": 0.2, \"elapsed_time\": "
      "\"0:01:24\", \"remaining_time\": \"0:05:36\"}\n"
      "{\"current_steps\": 30, \"total_steps\": 100, \"loss\": 1.0, \"lr\": 1e-05, \"epoch\": 0.3, \"elapsed_time\": "
      "\"1 day, 0:02:06\", \"remaining_time\": \"0:04:54\"}\n");
  ASSERT_EQ(log.step_seconds.count(), 2U);
  EXPECT_NEAR(log.step_seconds.first().value, 4.2, 1e-9);
  EXPECT_NEAR(log.step_seconds.last().value, 8644.2, 1e-9);
}

TEST(LogEnds, LearningByRewards) {
  const RunLog openrlhf = read_text(
      "(PPOTrainer pid=12) INFO 08-20 10:13:12 ppo_trainer.py:547] ✨ Global step 3: {'policy_loss': -0.5, 'kl': 0.25, "
      "'reward': 0.5, 'actor_grad_norm': 0.75, 'timing/generation': 50.5, 'timing/step_total': 119.5}\n");
  EXPECT_EQ(openrlhf.last_step, 3);
  EXPECT_EQ(openrlhf.loss.last().value, -0.5);
  EXPECT_EQ(openrlhf.grad_norm.last().value, 0.75);
  EXPECT_EQ(last_time(openrlhf), 119.5);
  EXPECT_TRUE(openrlhf.rewards);
  EXPECT_EQ(read_text("step 3 loss: 0.25 policy_loss: 0.5\n").loss.last().value, 0.25);
  EXPECT_EQ(read_text("step 3 policy_loss: 0.5 loss: 0.25\n").loss.last().value, 0.25);
  const RunLog titan = read_text("Train | Step:  3  loss/mean: 0.25  reward/_mean: 0.5\n");
  EXPECT_EQ(titan.loss.last().value, 0.25);
}

TEST(LogEnds, BenchmarksOfServers) {
  const RunLog trt = read_text(
      "Total Output Throughput (tokens/sec):             5530.75\nAverage time-to-first-token [TTFT] (ms):          "
      "910.5\n"
      "Average time-per-output-token [TPOT] (ms):        31.25\n");
  EXPECT_EQ(trt.output_tokens_per_second.last().value, 5530.75);
  EXPECT_EQ(trt.first_token, Seconds{0.9105});
  EXPECT_EQ(trt.per_token, Seconds{0.03125});
  const RunLog perf = read_text(
      "│         Time to first token (ms) │  16.25 │  12.39 │\n│        Inter token latency (ms) │   1.75 │   1.55 │\n"
      "│ Output token throughput (per sec) │ 460.50 │    N/A │\n");
  EXPECT_EQ(perf.output_tokens_per_second.last().value, 460.5);
  EXPECT_EQ(perf.first_token, Seconds{0.01625});
  EXPECT_EQ(perf.per_token, Seconds{0.00175});
}

TEST(LogEnds, LlamaCpp) {
  EXPECT_EQ(read_text("prompt eval rate:     216.75 tokens/s\neval rate:            51.75 tokens/s\n")
                .output_tokens_per_second.last()
                .value,
            51.75);
  const RunLog bench = read_text(
      "| llama 7B Q4_0 |   3.56 GiB |     6.74 B | CUDA |  99 |           pp512 |      5062.25 ± 21.33 |\n"
      "| llama 7B Q4_0 |   3.56 GiB |     6.74 B | CUDA |  99 |           tg128 |       131.50 ± 0.44 |\n");
  EXPECT_EQ(bench.formats.front(), LogFormat::kLlamaCpp);
  EXPECT_EQ(bench.output_tokens_per_second.count(), 1U);
  EXPECT_EQ(bench.output_tokens_per_second.last().value, 131.5);
  const RunLog cli = read_text(
      "llama_perf_context_print: prompt eval time =      41.22 ms /    15 tokens (    2.75 ms per token,   363.90 "
      "tokens "
      "per second)\n"
      "llama_perf_context_print:        eval time =    2011.22 ms /   255 runs   (    7.89 ms per token,   126.75 "
      "tokens "
      "per second)\n");
  EXPECT_EQ(cli.output_tokens_per_second.count(), 1U);
  EXPECT_EQ(cli.output_tokens_per_second.last().value, 126.75);
}

}  // namespace
}  // namespace gpuplan
