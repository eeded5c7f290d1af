#include "input/log_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace gpuplan {
namespace {

RunLog read(std::string_view text, const std::vector<LogMetric>& metrics = {}) {
  Result<LogReader> reader = LogReader::make(metrics);
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return {};
  }
  reader->feed(text);
  Result<RunLog> log = reader->finish();
  if (log) return std::move(*log);
  ADD_FAILURE() << log.error().message;
  return {};
}

TEST(LogReader, ReadsNanochat) {
  const RunLog log = read(
      "GPU: NVIDIA H100 80GB HBM3 | Peak FLOPS (BF16): 9.89e+14\n"
      "Parameter counts:\n"
      "wte                     : 50,331,648\n"
      "total                   : 286,261,730\n"
      "Tokens / micro-batch / rank: 32 x 2048 = 65,536\n"
      "Total batch size 524,288 => gradient accumulation steps: 1\n"
      "step 00179/02520 (7.10%) | loss: 3.791 | lrm: 1.00 | dt: 990.00ms | tok/sec: 529,584 | bf16_mfu: 40.68 | epoch: "
      "1\n"
      "step 00180/02520 (7.14%) | loss: 3.790014 | lrm: 1.00 | dt: 991.36ms | tok/sec: 528,855 | bf16_mfu: 40.62 | "
      "epoch: 1 pq: 0 rg: 14 | total time: 13.84m | eta: 0.0m\n"
      "Step 00250 | Validation bpb: 1.946162\n"
      "Peak memory usage: 75422.02MiB\n"
      "Total training time: 13.84m\n");
  ASSERT_EQ(log.formats, std::vector{LogFormat::kNanochat});
  EXPECT_EQ(log.lines, 11u);
  EXPECT_EQ(log.gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(log.parameters, 286'261'730);
  EXPECT_EQ(log.tokens_per_step, 524'288);
  EXPECT_EQ(log.sequence_length, 2048);
  EXPECT_EQ(log.processes, 8);
  EXPECT_EQ(log.planned_steps, 2520);
  ASSERT_EQ(log.loss.count(), 2u);
  EXPECT_EQ(log.loss.last().step, 180);
  EXPECT_EQ(log.loss.last().value, 3.790014);
  EXPECT_EQ(log.loss.last().line, 8u);
  EXPECT_EQ(log.step_seconds.last().value, 0.99136);
  EXPECT_EQ(log.tokens_per_second.last().value, 528'855);
  EXPECT_DOUBLE_EQ(log.model_flops.last().value, 0.4062 * 9.89e14);
  EXPECT_EQ(log.validation.last().value, 1.946162);
  EXPECT_EQ(log.last_step, 250);
  EXPECT_EQ(log.peak_memory[0], 75422.02 * units::MiB);
  EXPECT_FALSE(log.peak_memory[1]);
  EXPECT_EQ(log.run_time, 13.84 * units::minute);
  EXPECT_TRUE(log.finished);
  EXPECT_FALSE(log.cut_off);
}

TEST(LogReader, ReadsTorchtitanOfOneRank) {
  const RunLog log = read(
      "[rank0]:[titan] 2025-07-21 15:57:42,774 - root - INFO - step:  3  loss:  4.9925  grad_norm:  2.6422  memory:  "
      "0.50GiB(0.60%)  tps: 30,768  tflops: 3.15  mfu: 0.32%\n"
      "[rank1]:[titan] 2025-07-21 15:57:42,774 - root - INFO - step:  3  loss:  4.9925  grad_norm:  2.6422  memory:  "
      "0.75GiB(0.90%)  tps: 30,111  tflops: 3.15  mfu: 0.32%\n"
      "[rank0]:[titan] 2025-07-21 15:57:44,774 - root - INFO - step:  4  loss:  4.9825  grad_norm:  2.5  memory:  "
      "0.50GiB(0.60%)  tps: 30,770  tflops: 3.25  mfu: N/A\n");
  ASSERT_EQ(log.formats, std::vector{LogFormat::kTorchtitan});
  ASSERT_EQ(log.loss.count(), 2u);
  EXPECT_EQ(log.loss.first().value, 4.9925);
  EXPECT_EQ(log.grad_norm.last().value, 2.5);
  ASSERT_EQ(log.tokens_per_second_per_gpu.count(), 2u);
  EXPECT_EQ(log.tokens_per_second_per_gpu.last().value, 30'770);
  EXPECT_EQ(log.model_flops.last().value, 3.25e12);
  EXPECT_EQ(log.peak_memory[1], 0.75 * units::GiB);  // the fullest GPU's
  ASSERT_EQ(log.step_seconds.count(), 1u);
  EXPECT_EQ(log.step_seconds.last().value, 2);
  EXPECT_EQ(log.elapsed, 2 * units::second);
}

TEST(LogReader, ReadsTheJobsOwnMetrics) {
  const RunLog log = read("step_0: 0.85\nstep_3: 0.60 \nrefinement: 18.6%\n[rank1]: step_0: 9\n",
                          {{"step_0", "step_0: ([0-9.]+)"}, {"refinement", "refinement: ([0-9.]+%)"}});
  ASSERT_EQ(log.metrics.size(), 2u);
  ASSERT_EQ(log.metrics[0].second.count(), 2u);
  EXPECT_EQ(log.metrics[0].second.first().value, 0.85);
  EXPECT_DOUBLE_EQ(log.metrics[1].second.last().value, 0.186);
}

TEST(LogReader, RefusesAMetricWithoutAGroup) {
  const auto bad = LogReader::make({{"x", "loss: ["}});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "metric 'x': not a regular expression (RE2): missing ]: [");
  const auto none = LogReader::make({{"y", "loss: [0-9]+"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "metric 'y': the pattern has no group; put brackets around its number, as in 'loss: ([0-9.]+)'");
}

}  // namespace
}  // namespace gpuplan
