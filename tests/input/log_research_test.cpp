// Logs of programs of research, written by their own print statements.
#include <gtest/gtest.h>

#include <string>

#include "log_fixture.h"

namespace gpuplan {
namespace {

TEST(LogResearch, Fairseq) {
  const std::string before = "2026-03-01 12:00:05 | INFO | ";
  const std::string text =
      before + "fairseq.trainer | begin training epoch 1\n" + before +
      "train_inner | epoch 001:    100 / 1101 loss=13.1, nll_loss=12.9, ppl=7643.6, wps=65012.4, ups=2, wpb=32345.6, "
      "bsz=1012.3, num_updates=100, lr=1.25e-05, gnorm=1.5, loss_scale=128, train_wall=50, gb_free=10.1, wall=52\n" +
      before +
      "train_inner | epoch 001:    200 / 1101 loss=9.5, nll_loss=9.1, ppl=549.2, wps=64012, ups=2.5, wpb=32345.6, "
      "bsz=1012.3, num_updates=200, lr=2.5e-05, gnorm=1.25, train_wall=50, wall=102\n" +
      before +
      "valid | epoch 001 | valid on 'valid' subset | loss 6.25 | nll_loss 4.9 | ppl 30.1 | wps 150000 | wpb 3000 | "
      "bsz 100 | num_updates 200\n" +
      before +
      "train | epoch 001 | loss 11 | nll_loss 10.9 | ppl 2000 | wps 65000 | ups 2.2 | num_updates 200 | lr 2.5e-05 | "
      "gnorm 1.4 | train_wall 100 | wall 103\n" +
      before + "fairseq_cli.train | done training in 104.1 seconds\n";
  const RunLog log = read_text(text);
  EXPECT_EQ(log.formats.front(), LogFormat::kFairseq);
  EXPECT_EQ(log.last_step, 200);
  EXPECT_EQ(log.loss.count(), 2U);
  EXPECT_EQ(log.loss.last().value, 9.5);
  EXPECT_EQ(log.validation.last().value, 6.25);
  EXPECT_EQ(log.grad_norm.last().value, 1.25);
  EXPECT_EQ(log.step_seconds.first().value, 0.5);
  EXPECT_EQ(log.tokens_per_second.last().value, 64012);
  EXPECT_TRUE(log.finished);
}

TEST(LogResearch, FairseqInJson) {
  const std::string before = "2026-03-01 12:00:05 | INFO | ";
  const RunLog log = read_text(
      before +
      R"(train_inner | {"epoch": 1, "update": 0.091, "loss": "13.1", "nll_loss": "12.9", "wps": "65012.4", "ups": "2", )"
      R"("num_updates": "100", "lr": "1.25e-05", "gnorm": "1.5", "train_wall": "50", "wall": "52"})"
      "\n" +
      before +
      R"(train_inner | {"epoch": 1, "update": 0.182, "loss": "9.5", "nll_loss": "9.1", "wps": "65012.4", "ups": "2", )"
      R"("num_updates": "200", "lr": "2.5e-05", "gnorm": "1.5", "train_wall": "50", "wall": "102"})"
      "\n" +
      before +
      R"(valid | {"epoch": 1, "valid_loss": "6.25", "valid_ppl": "30.1", "valid_num_updates": "200", "valid_best_loss": "6"})"
      "\n" +
      before +
      R"(train | {"epoch": 1, "train_loss": "11", "train_num_updates": "200", "train_wall": "100"})"
      "\n");
  EXPECT_EQ(log.last_step, 200);
  EXPECT_EQ(log.loss.count(), 2U);
  EXPECT_EQ(log.loss.last().value, 9.5);
  EXPECT_EQ(log.validation.count(), 1U);
  EXPECT_EQ(log.validation.last().value, 6.25);
  EXPECT_EQ(log.step_seconds.last().value, 0.5);
}

TEST(LogResearch, FlaxByClu) {
  const std::string before = "I0301 12:00:00.123456 140123 logging_writer.py:48] ";
  const RunLog log = read_text(before + "[Hyperparameters] {'batch_size': 256}\n" + before +
                               "[100] accuracy=0.41, learning_rate=0.0012, loss=5.5, steps_per_second=4\n" + before +
                               "[200] accuracy=0.45, learning_rate=0.0011, loss=4.5, steps_per_second=5\n" + before +
                               "[200] eval_accuracy=0.5, eval_loss=4.75\n" + before +
                               "[200] Got images: {'sample': (8, 32, 32, 3)}.\n");
  EXPECT_EQ(log.formats.front(), LogFormat::kClu);
  EXPECT_EQ(log.last_step, 200);
  EXPECT_EQ(log.loss.count(), 2U);
  EXPECT_EQ(log.loss.last().value, 4.5);
  EXPECT_EQ(log.validation.last().value, 4.75);
  EXPECT_EQ(log.step_seconds.last().value, 0.2);
}

TEST(LogResearch, LevantersBarsInLines) {
  const std::string before = "2026-03-01T12:00:11 - 0 - tqdm_loggable.tqdm_logging - tqdm_logging.py:145 - INFO :: ";
  const RunLog log = read_text(
      before + "Progress on:train -/10.0kit rate:- remaining:? elapsed:00:00 postfix:-\n" + before +
      "Progress on:train 100it/10.0kit rate:2.0it/s remaining:1:22:30 elapsed:00:50 postfix:loss=8.6\n" + before +
      "Progress on:eval 20.0it/40.0it rate:5.0it/s remaining:00:04 elapsed:00:04 postfix:loss=7.1\n" + before +
      "Progress on:train 1.25kit/10.0kit rate:2.5s/it remaining:6:04:35 elapsed:52:05 postfix:loss=4.12\n" + before +
      "validation loss: 4.375\n");
  EXPECT_EQ(log.last_step, 1250);
  EXPECT_EQ(log.planned_steps, 10000);
  EXPECT_EQ(log.loss.count(), 2U);
  EXPECT_EQ(log.loss.last().value, 4.12);
  EXPECT_EQ(log.validation.last().value, 4.375);
  EXPECT_EQ(log.step_seconds.first().value, 0.5);
  EXPECT_EQ(log.step_seconds.last().value, 2.5);
}

TEST(LogResearch, FastaiTellsEpochs) {
  const RunLog log = read_text(
      "epoch     train_loss  valid_loss  accuracy  time    \n"
      "0         2.900000    2.800000    0.410000  00:40     \n"
      "1         2.500000    None        None      00:41     \n"
      "2         2.250000    2.375000    0.510000  1:00:41     \n");
  EXPECT_EQ(log.formats.front(), LogFormat::kFastai);
  EXPECT_EQ(log.loss.count(), 3U);
  EXPECT_EQ(log.loss.last().value, 2.25);
  EXPECT_EQ(log.validation.count(), 2U);
  EXPECT_EQ(log.validation.last().value, 2.375);
  EXPECT_FALSE(log.last_step) << "epochs are no steps";
  const RunLog table =
      read_text("epoch,train_loss,valid_loss,accuracy,time\n0,2.9,2.8,0.41,00:40\n1,2.5,2.375,0.51,00:41\n");
  EXPECT_EQ(table.formats.front(), LogFormat::kTable);
  EXPECT_EQ(table.loss.last().value, 2.5);
  EXPECT_EQ(table.validation.last().value, 2.375);
  EXPECT_FALSE(table.last_step);
  EXPECT_TRUE(read_text("0         2.900000    2.800000    0.410000  00:40\n").formats.empty()) << "without its head";
}

TEST(LogResearch, TheExamplesOfAccelerateEvaluateBesideTheirBar) {
  const RunLog log = read_text(
      "12/01/2026 10:00:00 - INFO - __main__ - ***** Running training *****\n"
      "12/01/2026 10:00:00 - INFO - __main__ -   Total optimization steps = 111\n"
      "\r 33%|█         | 37/111 [00:37<01:14,  1.00s/it]\n"
      "12/01/2026 10:01:00 - INFO - __main__ - epoch 0: perplexity: 21.35 eval_loss: 3.0625\n"
      "\r 34%|█         | 38/111 [00:39<01:13,  1.00s/it]\n");
  EXPECT_EQ(log.last_step, 38);
  EXPECT_EQ(log.validation.count(), 1U);
  EXPECT_EQ(log.validation.last().value, 3.0625);
  EXPECT_EQ(log.validation.last().step, 37);
}

TEST(LogResearch, RatesOfStepsAreTimes) {
  const std::string before = "[2026-03-01 12:00:00,123] [    INFO] - loss: 9.5, learning_rate: 1e-05, global_step: ";
  const std::string behind =
      ", interval_runtime: 25.0, interval_samples_per_second: 51.2, interval_steps_per_second: 0.4, "
      "interval_tokens_per_second_per_device: 12950.5, ppl: 123.4, progress_or_epoch: 0.01\n";
  const RunLog log = read_text(before + "10" + behind + before + "20" + behind);
  EXPECT_EQ(log.last_step, 20);
  EXPECT_EQ(log.step_seconds.last().value, 2.5);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 12950.5);
  const RunLog bar = read_text(
      "Epoch 0: :   2%|▏         | 120/5000 [03:51<2:36:51, v_num=, reduced_train_loss=10.3, global_step=119.0, "
      "consumed_samples=30720.0, train_step_timing in s=1.93]\n"
      "Epoch 0: :   2%|▏         | 121/5000 [03:53<2:36:51, v_num=, reduced_train_loss=10.2, global_step=120.0, "
      "consumed_samples=30976.0, train_step_timing in s=1.95]\n");
  EXPECT_EQ(bar.last_step, 121);
  EXPECT_EQ(bar.step_seconds.last().value, 1.95);
}

TEST(LogResearch, TimmTellsItsEpochsAndWhatItTests) {
  const RunLog log = read_text(
      "Scheduled epochs: 300 (epochs + cooldown_epochs). LR stepped per epoch.\n"
      "Train: 0 [   0/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 2.000s, 1024.00/s  (2.000s, 1024.00/s)  LR: 1.000e-06  "
      "Data: 1.5 (1.5)\n"
      "Train: 0 [1250/1251 (100%)]  Loss: 5.25 (6.10)  Time: 0.500s, 4096.00/s  (0.510s, 4015.69/s)  LR: 1.000e-06  "
      "Data: 0.010 (0.012)\n"
      "Test: [   0/24]  Time: 1.203 (1.203)  Loss:   5.100 ( 5.100)  Acc@1:  10.200 ( 10.200)  Acc@5:  30.1 ( 30.1)\n"
      "Test: [  24/24]  Time: 0.203 (0.403)  Loss:   5.100 ( 5.250)  Acc@1:  10.200 ( 11.000)  Acc@5:  30.1 ( 31.2)\n");
  EXPECT_EQ(log.last_step, 1251);
  EXPECT_EQ(log.planned_steps, 300 * 1251);
  EXPECT_EQ(log.step_seconds.last().value, 0.5);
  EXPECT_EQ(log.sequences_per_second.last().value, 4096);
  EXPECT_EQ(log.validation.count(), 1U);
  EXPECT_EQ(log.validation.last().value, 5.25);
}

TEST(LogResearch, NamesOfTheUserKeepTheStepsOfAFormat) {
  Result<LogReader> reader = LogReader::make({}, {.names = "loss=Data,validation_loss=Loss"});
  ASSERT_TRUE(reader);
  reader->feed(
      "Train: 0 [   0/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 2.000s, 1024.00/s  (2.000s, 1024.00/s)  LR: 1.000e-06  "
      "Data: 1.5 (1.5)\n"
      "Train: 0 [  50/1251 (  4%)]  Loss: 5.25 (6.10)  Time: 0.500s, 4096.00/s  (0.510s, 4015.69/s)  LR: 1.000e-06  "
      "Data: 0.25 (0.3)\n");
  const RunLog log = *reader->finish();
  EXPECT_EQ(log.formats, std::vector<LogFormat>{LogFormat::kTimm});
  EXPECT_EQ(log.last_step, 51);
  EXPECT_EQ(log.loss.last().value, 0.25);
  EXPECT_EQ(log.validation.last().value, 5.25);
  EXPECT_EQ(log.step_seconds.last().value, 0.5);
}

}  // namespace
}  // namespace gpuplan
