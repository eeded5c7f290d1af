// Each format by a log of it: every number worked out by hand from the lines of the file.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "input/log_fixture.h"
#include "input/logs/formats/tensorboard.h"

namespace gpuplan {
namespace {

using Formats = std::vector<LogFormat>;
using Texts = std::vector<std::string>;

TEST(LogFormats, Nanochat) {
  const RunLog log = read_log("nanochat.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kNanochat});
  EXPECT_EQ(log.lines, 57u);
  EXPECT_EQ(log.gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(log.parameters, 644'874'280);
  EXPECT_EQ(log.tokens_per_step, 524'288);
  EXPECT_EQ(log.sequence_length, 2048);
  EXPECT_EQ(log.processes, 8);  // 524,288 / (32 x 2048)
  EXPECT_EQ(log.planned_steps, 32);
  EXPECT_EQ(log.last_step, 32);
  ASSERT_EQ(log.loss.count(), 32u);
  EXPECT_EQ(log.loss.points()[1].step, 1);
  EXPECT_EQ(log.loss.points()[1].value, 8.715433);
  EXPECT_EQ(log.loss.points()[1].line, 21u);
  EXPECT_EQ(log.step_seconds.points()[1].value, 0.99037);
  EXPECT_EQ(log.tokens_per_second.points()[1].value, 529'385);  // of all GPUs
  EXPECT_TRUE(log.tokens_per_second_per_gpu.empty());
  EXPECT_DOUBLE_EQ(log.model_flops.points()[1].value, 0.2336 * 9.89e14);
  ASSERT_EQ(log.validation.count(), 3u);
  EXPECT_EQ(log.validation.points()[1].step, 25);
  EXPECT_EQ(log.validation.points()[1].value, 1.946162);
  EXPECT_TRUE(log.grad_norm.empty());
  EXPECT_EQ(peak(log, LoggedMemory::kAllocated), 75422.02 * units::MiB);
  EXPECT_EQ(log.run_time, 0.36 * units::minute);
  EXPECT_TRUE(log.finished);
  EXPECT_EQ(event_texts(log),
            (Texts{"checkpoint 54: Saved model parameters to: /data/nanochat/base_checkpoints/d20/model_000032.pt"}));
}

TEST(LogFormats, NanoGpt) {
  const RunLog log = read_log("nanogpt.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kNanogpt});
  EXPECT_EQ(log.tokens_per_step, 491'520);
  EXPECT_EQ(log.parameters, 10.65e6);
  ASSERT_EQ(log.loss.count(), 26u);
  EXPECT_EQ(log.loss.first().value, 4.2655);
  EXPECT_DOUBLE_EQ(log.step_seconds.first().value, 119.97584);
  EXPECT_EQ(log.loss.last().step, 250);
  EXPECT_DOUBLE_EQ(log.tokens_per_second.last().value, 491'520 / 4.2111);
  ASSERT_EQ(log.model_flops.count(), 25u);  // -100 % is none
  EXPECT_DOUBLE_EQ(log.model_flops.last().value, 0.291 * 312e12);
  ASSERT_EQ(log.validation.count(), 2u);
  EXPECT_EQ(log.validation.last().value, 1.6234);
  EXPECT_EQ(event_texts(log), (Texts{"checkpoint 35: saving checkpoint to out-shakespeare-char"}));
}

TEST(LogFormats, TorchtitanInColours) {
  const RunLog log = read_log("torchtitan.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTorchtitan});
  ASSERT_EQ(log.loss.count(), 12u);
  EXPECT_EQ(log.loss.first().value, 8.71543);
  EXPECT_EQ(log.grad_norm.points()[1].value, 13.3125);
  EXPECT_EQ(log.tokens_per_second_per_gpu.first().value, 10'050);
  EXPECT_EQ(log.model_flops.first().value, 314.71e12);
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), 66.91 * units::GiB);
  // How many GPUs there are is not said: neither is the speed of all of them. Times are those of the clock.
  EXPECT_TRUE(log.tokens_per_second.empty());
  ASSERT_EQ(log.step_seconds.count(), 11u);
  EXPECT_NEAR(log.step_seconds.first().value, 6, 1e-6);
  ASSERT_EQ(log.validation.count(), 1u);
  EXPECT_EQ(log.validation.last().value, 5.3);
  EXPECT_EQ(log.validation.last().step, 12);
}

TEST(LogFormats, TorchtitanOfFourRanksInAnyOrder) {
  const RunLog log = read_log("torchtitan-ranks.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTorchtitan});
  EXPECT_EQ(log.gpu, "NVIDIA B200");
  EXPECT_EQ(log.processes, 4);
  EXPECT_EQ(log.parameters, 8'030'261'248);
  EXPECT_EQ(log.sequences_per_step, 8);
  EXPECT_EQ(log.tokens_per_step, 65'536);
  EXPECT_EQ(log.planned_steps, 20);
  EXPECT_EQ(log.last_step, 20);
  ASSERT_EQ(log.loss.count(), 20u);
  ASSERT_EQ(log.tokens_per_second_per_gpu.count(), 20u);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 10'050);  // of rank 0
  EXPECT_EQ(log.tokens_per_second.last().value, 40'200);
  EXPECT_DOUBLE_EQ(log.step_seconds.last().value, 65'536 / 40'200.0);
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), 69.91 * units::GiB);  // of the fullest rank
  EXPECT_TRUE(log.finished);
  EXPECT_TRUE(log.events.empty());
}

TEST(LogFormats, LateLinesOfAnotherRankAreNoRestart) {
  const RunLog log = read_log("torchtitan-unprefixed.log");
  EXPECT_EQ(log.loss.count(), 15u);
  EXPECT_EQ(log.tokens_per_second_per_gpu.most(), 10'050);
  EXPECT_EQ(log.event_counts[static_cast<std::size_t>(LogEvent::Kind::kRestart)], 0u);
}

TEST(LogFormats, MegatronDeepSpeed) {
  const RunLog log = read_log("megatron-deepspeed.log");
  ASSERT_EQ(log.formats, (Formats{LogFormat::kMegatron, LogFormat::kDeepSpeed}));
  EXPECT_EQ(log.last_step, 3);
  EXPECT_EQ(log.loss.last().value, 10.25);
  EXPECT_EQ(log.tokens_per_step, 256 * 2048);
  ASSERT_TRUE(log.elapsed);
  EXPECT_NEAR(log.elapsed->value, 9.1005 + 2 * 8.1, 1e-9);  // lines of steps have no clock
}

TEST(LogFormats, DeepSpeed) {
  const RunLog log = read_log("deepspeed.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kDeepSpeed});
  EXPECT_EQ(log.last_step, 15);
  ASSERT_EQ(log.loss.count(), 3u);
  EXPECT_EQ(log.loss.last().step, 15);  // told on a line of its own, behind that of the step
  EXPECT_EQ(log.sequences_per_second.last().value, 48);
  EXPECT_EQ(log.step_seconds.last().value, 2);  // 96 samples
  EXPECT_EQ(peak(log, LoggedMemory::kAllocated), 28.5 * units::GiB);
}

TEST(LogFormats, ModdedNanogptBehindItsProgram) {
  const RunLog log = read_log("modded-nanogpt.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kModdedNanogpt});
  EXPECT_EQ(log.planned_steps, 6);
  EXPECT_EQ(log.last_step, 6);
  ASSERT_EQ(log.step_seconds.count(), 6u);  // differences of its clock, which evaluations tell too, not its mean
  EXPECT_NEAR(log.step_seconds.last().value, 0.06, 1e-9);
  EXPECT_EQ(log.validation.last().value, 9.125);
  EXPECT_EQ(log.gpu, "NVIDIA H200");
}

TEST(LogFormats, TablesWithTabsAndWordsOfTheirOwn) {
  const RunLog table = read_log("table.tsv");
  ASSERT_EQ(table.formats, Formats{LogFormat::kTable});
  EXPECT_EQ(table.loss.last().step, 60);
  const RunLog words = read_log("fields.log");
  ASSERT_EQ(words.formats, Formats{LogFormat::kFields});
  EXPECT_EQ(words.planned_steps, 1000);
  EXPECT_EQ(words.loss.last().value, 3.0625);
  EXPECT_EQ(words.validation.last().value, 3.3125);
}

TEST(LogFormats, Megatron) {
  const RunLog log = read_log("megatron.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kMegatron});
  EXPECT_EQ(log.processes, 16);
  EXPECT_EQ(log.planned_steps, 5000);
  EXPECT_EQ(log.sequence_length, 4096);
  EXPECT_EQ(log.sequences_per_step, 128);
  EXPECT_EQ(log.tokens_per_step, 524'288);
  ASSERT_EQ(log.loss.count(), 25u);
  EXPECT_EQ(log.step_seconds.first().value, 19.1388);
  EXPECT_EQ(log.step_seconds.last().value, 2.0105);
  EXPECT_DOUBLE_EQ(log.tokens_per_second.last().value, 524'288 / 2.0105);
  EXPECT_EQ(log.model_flops.last().value, 76.3e12);
  EXPECT_EQ(log.grad_norm.first().value, 26.203);
  EXPECT_EQ(log.learning_rate.first().value, 6.976744e-08);
  ASSERT_EQ(log.validation.count(), 1u);
  EXPECT_EQ(log.validation.last().value, 4.531207);
  EXPECT_EQ(peak(log, LoggedMemory::kAllocated), 15754.88818359375 * units::MiB);
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), 16334 * units::MiB);
  EXPECT_EQ(log.elapsed, 48 * units::second);
  EXPECT_TRUE(log.finished);
  EXPECT_EQ(event_texts(log),
            (Texts{"nan 35: iterations were left out because their gradients were not finite",
                   "checkpoint 42: saving checkpoint at iteration      25 to /ckpt in torch_dist format"}));
}

TEST(LogFormats, MegatronOfAForkWithOtherFields) {
  const RunLog log = read_text(
      " [2026-01-02 03:04:05.678901] iteration       10/     100 | consumed samples:         1280 | elapsed time per "
      "iteration (ms): 500.0 | tokens/sec/gpu: 4096.5 | mem usages: 0.61 | lm loss: 2.5E+00 | grad norm: nan |\n");
  ASSERT_EQ(log.formats, Formats{LogFormat::kMegatron});
  EXPECT_EQ(log.loss.last().value, 2.5);
  EXPECT_TRUE(std::isnan(log.grad_norm.last().value));
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 4096.5);
  EXPECT_EQ(log.step_seconds.last().value, 0.5);
}

TEST(LogFormats, TrainerState) {
  const RunLog log = read_log("trainer_state.json");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTrainerState});
  EXPECT_EQ(log.lines, 142u);
  ASSERT_EQ(log.loss.count(), 12u);
  EXPECT_EQ(log.loss.first().step, 25);
  EXPECT_EQ(log.loss.first().value, 4.7297);
  EXPECT_EQ(log.grad_norm.first().value, 1.0528565645217896);
  EXPECT_EQ(log.learning_rate.first().value, 4.8e-06);
  ASSERT_EQ(log.validation.count(), 2u);
  EXPECT_EQ(log.validation.last().value, 3.7496);
  EXPECT_EQ(log.planned_steps, 300);
  EXPECT_EQ(log.last_step, 300);
  EXPECT_EQ(log.run_time, 462.0655 * units::second);
  // The only time it tells is the mean of the run.
  ASSERT_EQ(log.step_seconds.count(), 1u);
  EXPECT_DOUBLE_EQ(log.step_seconds.last().value, 1 / 0.649);
  EXPECT_TRUE(log.finished);
  EXPECT_FALSE(log.cut_off);
}

TEST(LogFormats, TrainerStateThatIsCutOff) {
  const RunLog log = read_log("trainer_state-cut.json");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTrainerState});
  EXPECT_EQ(log.loss.count(), 8u);
  EXPECT_EQ(log.last_step, 200);
  EXPECT_TRUE(log.cut_off);
  EXPECT_FALSE(log.finished);
}

TEST(LogFormats, VllmHowFarGenerationIs) {
  const std::string half =
      "Processed prompts:  40%|####      | 4000/10000 [02:00<03:00, 33.3it/s, est. speed input: 16666.7 toks/s, "
      "output: 6666.7 toks/s]\n";
  const RunLog part = read_text(half);
  EXPECT_EQ(part.prompts, 10'000);
  EXPECT_EQ(part.prompts_done, 4000);
  EXPECT_FALSE(part.generated);
  const std::string bar =
      "Processed prompts: 100%|##########| 500/500 [00:09<00:00, 50it/s, est. speed input: 1.0 toks/s, output: 2.0 "
      "toks/s]\n";
  std::string first = bar;
  first.replace(first.find("500/500"), 7, "100/500");
  const RunLog chunks = read_text(first + bar + first + bar);
  EXPECT_EQ(chunks.prompts, 1000);
  EXPECT_EQ(chunks.prompts_done, 1000);
  EXPECT_TRUE(read_text("Throughput: 17.53 requests/s, 8028.66 total tokens/s, 3992.14 output tokens/s\n").generated);
  EXPECT_TRUE(read_text("Output token throughput (tok/s):         2195.23\n").generated);
  EXPECT_TRUE(read_text(half + "all replicas are done\n").generated);
}

TEST(LogFormats, WhereWorkWasSeenLast) {
  Result<LogReader> reader = LogReader::make({});
  reader->feed("[rank0]: Traceback (most recent call last):\n[rank0]: ValueError: boom\n");
  reader->next_file();
  reader->feed(
      "step: 1  loss: 12.2  memory: 1.00GiB(2.00%)  tps: 7,000  tflops: 1.00  mfu: 10.0%\nTraining completed\n");
  const RunLog log = reader->finish().value();
  ASSERT_EQ(log.work.size(), 1U);
  EXPECT_EQ(log.work[0].file, 1U);
  EXPECT_EQ(log.work[0].line, 2U);
}

TEST(LogFormats, AStateFileCountsEveryStep) {
  const RunLog log = read_text(R"({"epoch": 0.9, "global_step": 950, "log_history": [
{"loss": 6.0, "step": 400}, {"loss": 5.0, "step": 800}], "max_steps": 1000})");
  EXPECT_EQ(log.last_step, 950);
  EXPECT_TRUE(log.every_step_counted);
  EXPECT_EQ(log.planned_steps, 1000);
  const RunLog bar = read_text(" 90%|#########1| 902/1000 [22:33<01:10,  3.33it/s]\n");
  EXPECT_EQ(bar.last_step, 902);
  EXPECT_TRUE(bar.every_step_counted);
  EXPECT_FALSE(
      read_text("{\"loss\": 6.0, \"global_step\": 400}\n{\"loss\": 5.0, \"global_step\": 800}\n").every_step_counted);
}

TEST(LogFormats, TrainerStateInOneLineWithNan) {
  const RunLog log = read_log("trainer_state-nan.json");
  EXPECT_EQ(log.loss.count(), 3u);
  EXPECT_EQ(log.loss.least(), 2.5);  // the 0 beside a norm of nan is none
  EXPECT_TRUE(std::isnan(log.loss.last().value));
  EXPECT_TRUE(std::isnan(log.grad_norm.last().value));
  EXPECT_EQ(log.planned_steps, 100);
  EXPECT_EQ(event_texts(log), (Texts{"nan 1: loss is nan"}));
  EXPECT_EQ(log.events[0].step, 2);
  EXPECT_EQ(log.lines, 1u);
}

TEST(LogFormats, TrainerOutput) {
  const RunLog log = read_log("trainer-output.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTrainerOutput});
  EXPECT_EQ(log.planned_steps, 650);
  EXPECT_EQ(log.sequences_per_step, 16);
  EXPECT_EQ(log.processes, 2);  // 16 / (2 x 4)
  EXPECT_EQ(log.parameters, 8'072'204'288);
  EXPECT_EQ(log.trainable_parameters, 41'943'040);
  ASSERT_EQ(log.loss.count(), 6u);
  EXPECT_EQ(log.loss.first().step, 10);  // of the bar beside it
  EXPECT_EQ(log.loss.first().value, 5.5518);
  EXPECT_EQ(log.grad_norm.first().value, 0.723);
  EXPECT_EQ(log.last_step, 60);
  // The bars of mapping, loading and evaluation do not count.
  ASSERT_EQ(log.step_seconds.count(), 60u);
  EXPECT_DOUBLE_EQ(log.step_seconds.least(), 1 / 1.47);
  EXPECT_DOUBLE_EQ(log.step_seconds.most(), 1 / 1.47);
  ASSERT_EQ(log.validation.count(), 1u);
  EXPECT_EQ(log.validation.last().step, 30);
  EXPECT_EQ(log.elapsed, 40 * units::second);     // of the bar
  EXPECT_EQ(log.run_time, 41.2 * units::second);  // '41.2' in quotes
  EXPECT_TRUE(log.finished);
  EXPECT_EQ(event_texts(log), (Texts{"checkpoint 20: Saving model checkpoint to out/checkpoint-60"}));
}

TEST(LogFormats, TrainerOutputWithoutBarsTellsStepsByEpochs) {
  const RunLog log = read_text(
      "***** Running training *****\n  Num Epochs = 2\n  Total optimization steps = 1,000\n"
      "{'loss': 2.5, 'grad_norm': nan, 'learning_rate': 2e-05, 'epoch': 0.1}\n"
      "{'eval_loss': 2.25, 'epoch': 0.1}\n"
      "{'loss': '1.5', 'note': \"a, 'b'}\", 'list': [1, {2}], 'epoch': 0.2}\n"
      "{'loss': 1.25, 'epoch': 0.2}\n");
  ASSERT_EQ(log.loss.count(), 3u);
  EXPECT_EQ(log.loss.points()[0].step, 50);
  EXPECT_EQ(log.loss.points()[1].step, 100);
  EXPECT_EQ(log.loss.points()[1].value, 1.5);
  EXPECT_TRUE(std::isnan(log.loss.points()[2].step));  // its epoch is too coarse to tell
  EXPECT_EQ(log.validation.last().step, 50);
}

TEST(LogFormats, SecondsAStepOfSlowBars) {
  const RunLog log = read_text("  6%|▌         | 73/1300 [02:13:48<13:57:01,  1.47s/it]\n");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTrainerOutput});
  EXPECT_EQ(log.step_seconds.last().value, 1.47);
  EXPECT_EQ(log.planned_steps, 1300);
  EXPECT_EQ(log.last_step, 73);
}

TEST(LogFormats, ABarThatEndsBeforeAnyLossWasNotTheTraining) {
  const RunLog log = read_text(
      "\r 50%|█████     | 2/4 [00:01<00:01,  2.00it/s]\r100%|██████████| 4/4 [00:02<00:00,  2.00it/s]\n"
      "\r  1%|          | 1/100 [00:04<06:36,  4.00s/it]\r  2%|▏         | 2/100 [00:08<06:32,  4.00s/it]\n"
      "{'loss': 2.5, 'epoch': 0.1}\n");
  EXPECT_EQ(log.planned_steps, 100);
  EXPECT_EQ(log.step_seconds.count(), 2u);
  EXPECT_EQ(log.step_seconds.least(), 4);
  EXPECT_EQ(log.loss.last().step, 2);
  EXPECT_TRUE(log.events.empty());
}

TEST(LogFormats, RecordsOneALine) {
  const RunLog log = read_log("jsonl.log");
  EXPECT_EQ(log.loss.count(), 5u);
  EXPECT_EQ(log.loss.last().step, 5);
  EXPECT_EQ(log.loss.last().value, 6.3843);
  EXPECT_EQ(log.loss.last().line, 5u);
  EXPECT_EQ(log.lines, 6u);
}

TEST(LogFormats, Torchtune) {
  const RunLog log = read_log("torchtune.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTorchtune});
  ASSERT_EQ(log.loss.count(), 30u);
  EXPECT_EQ(log.grad_norm.first().value, 2);
  EXPECT_EQ(log.learning_rate.first().value, 2e-5);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 1264.5);
  EXPECT_EQ(peak(log, LoggedMemory::kAllocated), 31.25 * units::GiB);
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), 35.125 * units::GiB);
}

TEST(LogFormats, Lightning) {
  const RunLog log = read_log("lightning.csv");
  ASSERT_EQ(log.formats, Formats{LogFormat::kLightning});
  ASSERT_EQ(log.loss.count(), 20u);
  EXPECT_EQ(log.loss.first().step, 49);
  EXPECT_EQ(log.loss.first().line, 2u);
  ASSERT_EQ(log.validation.count(), 2u);
  EXPECT_EQ(log.validation.first().step, 499);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 51'200);
  EXPECT_EQ(log.model_flops.last().value, 4.1e14);
  ASSERT_EQ(log.step_seconds.count(), 19u);
  EXPECT_DOUBLE_EQ(log.step_seconds.first().value, 0.32);  // 16 s for 50 steps
}

TEST(LogFormats, LightningAsItIsDocumented) {
  const RunLog log = read_text("epoch,step,train_loss,val_loss\n0,49,1.234,\n0,99,,1.101\n");
  ASSERT_EQ(log.formats, Formats{LogFormat::kLightning});
  EXPECT_EQ(log.loss.last().value, 1.234);
  EXPECT_EQ(log.validation.last().value, 1.101);
  EXPECT_EQ(log.validation.last().step, 99);
}

TEST(LogFormats, WeightsAndBiases) {
  const RunLog log = read_log("wandb.csv");
  ASSERT_EQ(log.formats, Formats{LogFormat::kWandb});
  ASSERT_EQ(log.loss.count(), 30u);  // of the first of two runs
  EXPECT_EQ(log.loss.first().step, 10);
  EXPECT_NEAR(log.loss.last().value, 3.2 + 7.8 / std::sqrt(301), 1e-12);
  EXPECT_LT(log.loss.most(), 9);
  EXPECT_EQ(read_log("wandb-single.csv").loss.count(), 10u);
  const RunLog timed = read_text(
      "\"Relative Time (Process)\",\"a - train/loss\",\"a - train/loss__MIN\",\"a - train/loss__MAX\"\n"
      "\"12.5\",\"2.5\",\"2.5\",\"2.5\"\n\"25\",\"\",\"\",\"\"\n\"37.5\",\"2.25\",\"2.25\",\"2.25\"\n");
  ASSERT_EQ(timed.formats, Formats{LogFormat::kWandb});
  EXPECT_EQ(timed.loss.count(), 2u);
  EXPECT_TRUE(std::isnan(timed.loss.last().step));
}

TEST(LogFormats, NvidiaSmi) {
  const RunLog log = read_log("nvidia-smi.csv");
  ASSERT_EQ(log.formats, Formats{LogFormat::kNvidiaSmi});
  EXPECT_EQ(log.gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(peak(log, LoggedMemory::kDevice), 10'859 * units::MiB);
  EXPECT_EQ(log.gpu_busy.count(), 40u);
  ASSERT_EQ(log.gpus.size(), 4u);
  EXPECT_EQ(log.gpus[1].gpu, "1");
  EXPECT_EQ(log.gpus[1].samples, 10u);
  EXPECT_NEAR(log.gpus[1].busy, 0.945, 1e-12);  // 90 % ... 99 %
  EXPECT_EQ(log.gpus[1].memory, 8859 * units::MiB);
  EXPECT_EQ(log.gpus[3].busy, 0);
  const RunLog bare = read_log("nvidia-smi-nounits.csv");
  EXPECT_EQ(bare.gpu_busy.count(), 1u);  // [Not Supported] is no value
  EXPECT_EQ(peak(bare, LoggedMemory::kDevice), 7900 * units::MiB);
}

TEST(LogFormats, SamplesOfNvidiaSmiBetweenLinesOfARun) {
  const RunLog log = read_log("nanochat-nvidia-smi.log");
  ASSERT_EQ(log.formats, (Formats{LogFormat::kNanochat, LogFormat::kNvidiaSmi}));
  EXPECT_EQ(log.loss.count(), 20u);
  EXPECT_EQ(log.gpu_busy.count(), 10u);
  EXPECT_EQ(peak(log, LoggedMemory::kDevice), 78'019 * units::MiB);
}

TEST(LogFormats, Dcgm) {
  const RunLog log = read_log("dcgm.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kDcgm});
  EXPECT_EQ(log.gpu, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(peak(log, LoggedMemory::kDevice), 38'212 * units::MiB);
  ASSERT_EQ(log.gpus.size(), 2u);
  EXPECT_EQ(log.gpus[0].busy, 0.95);
  EXPECT_EQ(log.gpus[0].samples, 1u);  // 9223372036854775794 is no value
  EXPECT_EQ(log.event_counts[static_cast<std::size_t>(LogEvent::Kind::kError)], 1u);
}

TEST(LogFormats, Vllm) {
  const RunLog log = read_log("vllm.log");
  ASSERT_EQ(log.formats, Formats{LogFormat::kVllm});
  EXPECT_EQ(log.kv_cache, 9.62 * units::GiB);
  EXPECT_EQ(log.kv_cache_tokens, 78'800);
  ASSERT_EQ(log.output_tokens_per_second.count(), 2u);  // not the zeros before the first request
  EXPECT_EQ(log.output_tokens_per_second.first().value, 2104.5);
  const RunLog benchmark = read_log("vllm-benchmark.log");
  EXPECT_EQ(benchmark.output_tokens_per_second.first().value, 2195.23);
  EXPECT_EQ(benchmark.output_tokens_per_second.last().value, 3992.14);
  const RunLog offline = read_text(
      "\rProcessed prompts:  50%|█████     | 100/200 [00:12<00:12,  8.10it/s, est. speed input: 8000.21 toks/s, "
      "output: "
      "2100.35 toks/s]\n");
  EXPECT_EQ(offline.formats, Formats{LogFormat::kVllm});
  EXPECT_EQ(offline.output_tokens_per_second.last().value, 2100.35);
  const RunLog joined = read_text("GPU KV cache size: 78,800 tokens, Maximum concurrency for 8,192 tokens: 9.62x\n");
  EXPECT_EQ(joined.kv_cache_tokens, 78'800);
}

TEST(LogFormats, VllmOfSeveralEngines) {
  const auto line = [](const char* time, int engine, const char* rate) {
    return std::string("INFO 12-18 ") + time + " [loggers.py:127] Engine 00" + std::to_string(engine) +
           ": Avg prompt throughput: 512.0 tokens/s, Avg generation throughput: " + rate +
           " tokens/s, Running: 100 reqs\n";
  };
  std::string text;
  for (const char* time : {"09:40:07", "09:40:17"})
    for (int engine = 0; engine < 4; ++engine) text += line(time, engine, "8000.0");
  text += line("09:40:27", 1, "7000.0") + line("09:40:27", 2, "0.0");  // the others are done
  text += line("09:40:37", 3, "5000.0");
  text += line("09:40:47", 0, "0.0");
  const RunLog log = read_text(text);
  std::vector<double> rates;
  for (const Series::Point& point : log.output_tokens_per_second.points()) rates.push_back(point.value);
  EXPECT_EQ(rates, (std::vector<double>{32000, 32000, 7000, 5000}));
  EXPECT_EQ(log.output_tokens_per_second.first().line, 4u);
  EXPECT_EQ(log.formats, std::vector{LogFormat::kVllm});
}

TEST(LogFormats, TensorBoardOfTheTrainer) {
  const RunLog log = read_log("trainer.tfevents");
  ASSERT_EQ(log.formats, Formats{LogFormat::kTensorBoard});
  ASSERT_EQ(log.loss.count(), 20u);  // kept as simple values, contents of tensors and their floats
  for (const Series::Point& point : log.loss.points())
    EXPECT_NEAR(point.value, 2 + 9 / std::sqrt(1 + point.step), 1e-6) << point.step;
  EXPECT_EQ(log.grad_norm.count(), 20u);
  EXPECT_EQ(log.validation.last().value, 2.75);
  ASSERT_EQ(log.step_seconds.count(), 19u);
  EXPECT_NEAR(log.step_seconds.last().value, 0.5, 1e-6);  // by the clock of the events
  EXPECT_EQ(log.last_step, 200);
  EXPECT_FALSE(log.cut_off);
}

TEST(LogFormats, TensorBoardOfTorchtitan) {
  const RunLog log = read_log("torchtitan.tfevents");
  ASSERT_EQ(log.loss.count(), 12u);
  EXPECT_EQ(log.loss.last().value, 5);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 10'050);
  EXPECT_EQ(log.model_flops.last().value, 314.75e12);
  EXPECT_EQ(log.step_seconds.count(), 12u);
  EXPECT_EQ(log.step_seconds.last().value, 1.25);  // said, though the clock tells 2.5 s
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), 66.5 * units::GiB);
  EXPECT_EQ(log.elapsed, 27.5 * units::second);
  const RunLog cut = read_log("torchtitan-cut.tfevents");
  EXPECT_EQ(cut.loss.count(), 11u);
  EXPECT_TRUE(cut.cut_off);
}

TEST(LogFormats, TensorBoardRecordsTooLargeToBeOfNumbersAreSkipped) {
  std::string image;
  constexpr std::uint64_t kSize = 3'000'000;
  for (std::uint64_t i = 0; i < 8; ++i) image += static_cast<char>(kSize >> (8 * i) & 0xFFU);
  const std::uint32_t crc = LogTensorBoard::masked_crc(image);
  for (unsigned i = 0; i < 4; ++i) image += static_cast<char>(crc >> (8 * i) & 0xFFU);
  image.append(kSize + 4, 'x');
  for (const std::size_t piece : {std::size_t{5000}, std::size_t{9'000'000}}) {
    const RunLog log = read_text(image + log_bytes("torchtitan.tfevents"), {}, piece);
    EXPECT_EQ(log.loss.count(), 12u);
    EXPECT_FALSE(log.cut_off);
  }
}

TEST(LogFormats, TensorBoardIsReadUpToWhereItIsDamaged) {
  std::string bytes = log_bytes("torchtitan.tfevents");
  bytes[bytes.size() / 2] ^= 1;
  const RunLog log = read_text(bytes);
  EXPECT_GT(log.loss.count(), 3u);
  EXPECT_LT(log.loss.count(), 9u);
  EXPECT_TRUE(log.cut_off);
}

}  // namespace
}  // namespace gpuplan
