// Traces of profilers, by hand: what is kept of an event, in pieces of any size, and what SQLite's pages hold.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "evidence/check/trace_check.h"
#include "input/traces/nsys_trace.h"
#include "input/traces/torch_trace.h"

namespace gpuplan {
namespace {

constexpr std::string_view kTrace =
    R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 16}, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "ts": 99.5, "dur": 100, "args": {"x": "\"}]"}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 100, "dur": 900, "args": {"Input Dims": [[2, 3], []]}},
{"ph": "X", "cat": "kernel", "name": "sm90_gemm", "ts": 100, "dur": 40, "args": {"device": 0}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 120, "dur": 40, "args": {"device": 0}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 150, "dur": 30, "args": {"device": 0}},
{"name": "flash_fwd", "ph": "X", "ts": 190, "dur": 10.5, "cat": "kernel"}
], "traceName": "a.json"})";

Result<GpuTrace> read_in(std::string_view text, std::size_t piece) {
  TorchTrace reader;
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  return reader.finish();
}

TEST(ProfilerTrace, IsReadInPiecesOfAnySize) {
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 64u, 100'000u}) {
    auto trace = read_in(kTrace, piece);
    ASSERT_TRUE(trace) << piece;
    EXPECT_EQ(trace->events, 6u);
    ASSERT_EQ(trace->pieces.size(), 4u) << piece;
    EXPECT_EQ(trace->pieces[0].kind, KernelKind::kMatmul);
    EXPECT_EQ(trace->pieces[1].start, 20'000);
    EXPECT_EQ(trace->pieces[2].kind, KernelKind::kCopy);
    EXPECT_EQ(trace->pieces[3].length, 10'500u);
    ASSERT_EQ(trace->steps.size(), 1u);
    EXPECT_DOUBLE_EQ(trace->steps[0].value, 100e-6);
    EXPECT_EQ(trace->gpu, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(trace->processes, 16);
    EXPECT_FALSE(trace->cut_off);
  }
}

TEST(ProfilerTrace, EachMomentIsInOnePart) {
  auto trace = read_in(kTrace, 5);
  ASSERT_TRUE(trace);
  const TraceShares shares = shares_of(*trace);
  const StepShares parts = measured_shares(shares);
  const auto part = [&](StepPart one) { return parts[static_cast<std::size_t>(one)]; };
  // 100.5 us: 40 products, then 20 of communication alone, 20 of a copy alone, 10 idle, 10.5 attention.
  EXPECT_NEAR(part(StepPart::kMatmul), 40 / 100.5, 1e-9);
  EXPECT_NEAR(part(StepPart::kCommunication), 20 / 100.5, 1e-9);
  EXPECT_NEAR(part(StepPart::kCopies), 20 / 100.5, 1e-9);
  EXPECT_NEAR(part(StepPart::kIdle), 10 / 100.5, 1e-9);
  EXPECT_NEAR(part(StepPart::kAttention), 10.5 / 100.5, 1e-9);
}

TEST(ProfilerTrace, WhatIsLongerThanPlannedIsFound) {
  StepParts step;
  step.matmul = Seconds{0.6};
  step.attention = Seconds{0.1};
  step.elementwise = Seconds{0.1};
  step.data_traffic = Seconds{0.12};
  step.launch = Seconds{0.08};
  TraceCheck check{.measured = planned_shares(step), .planned = planned_shares(step)};
  EXPECT_NEAR(check.planned[static_cast<std::size_t>(StepPart::kCommunication)], 0.12, 1e-12);
  EXPECT_FALSE(check.worst());
  check.measured[static_cast<std::size_t>(StepPart::kCommunication)] = 0.31;
  EXPECT_EQ(check.worst(), StepPart::kCommunication);
  EXPECT_NEAR(check.excess(StepPart::kCommunication), 0.19, 1e-12);
  // A step of twice the time in the same shares: everything takes longer, the products most.
  check = {.measured = planned_shares(step),
           .planned = planned_shares(step),
           .step = Seconds{2},
           .expected = Interval<Seconds>{Seconds{0.9}, Seconds{1}, Seconds{1.1}}};
  EXPECT_EQ(check.worst(), StepPart::kMatmul);
  EXPECT_NEAR(check.excess(StepPart::kMatmul), 0.6, 1e-12);
  EXPECT_EQ(planned_shares({})[static_cast<std::size_t>(StepPart::kIdle)], 1);
}

TEST(ProfilerTrace, NoDatabaseIsAnError) {
  for (const std::string& bytes : {std::string(), std::string("SQLite format 3\0", 16), std::string(200, 'x'),
                                   std::string("SQLite format 3\0", 16) + std::string(5000, '\1')}) {
    TextBytes placed(bytes);
    const auto trace = read_nsys_trace(placed);
    EXPECT_FALSE(trace);
  }
}

}  // namespace
}  // namespace gpuplan
