#include <gtest/gtest.h>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

HostMemory host(const TrainPhase& p, const Strategy& s, const char* framework, int gpus = 8) {
  const NodeShape node = machine("A100 SXM 80GB", gpus, 1600);
  const Case r = run(p, node, s, framework);
  return training_host_memory(r.work, r.rates, r.layer, s);
}

TEST(TrainingHostMemory, OptimizerStatesOfAllRanks) {
  // Eight ranks together hold every parameter once: 32-bit weight, gradient and two moments (Ren et al. 2021).
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  Strategy s = strategy(8, 1, 2, Sharding::kZero2);
  s.offload = Offload::kOptimizer;
  EXPECT_NEAR(host(p, s, "deepspeed").offloaded.value, 16 * 6738415616.0, 1e6);
  // Two machines of eight: each its half.
  s.dp = 16;
  EXPECT_NEAR(host(p, s, "deepspeed").offloaded.value, 8 * 6738415616.0, 1e6);
  s.offload = Offload::kNone;
  EXPECT_EQ(host(p, s, "deepspeed").offloaded.value, 0);
}

TEST(TrainingHostMemory, FullShardingOffloadedHoldsEverythingOnce) {
  // PyTorch: 32-bit weights are what the optimizer updates: 4 + 4 + 8 bytes; bf16 without a copy: half of it.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  Strategy s = strategy(8, 1, 1, Sharding::kZero3);
  s.offload = Offload::kOptimizerParams;
  EXPECT_NEAR(host(p, s, "torch").offloaded.value, 16 * 6738415616.0, 1e6);
  EXPECT_NEAR(host(p, s, "torchtune").offloaded.value, 8 * 6738415616.0, 1e6);
  EXPECT_NEAR(host(p, s, "deepspeed").offloaded.value, 18 * 6738415616.0, 1e6) << "and 16-bit weights";
}

TEST(TrainingHostMemory, FrozenWeightsAsTheyAreStored) {
  // QLoRA of Llama-2-70B with full sharding: 4.5 bits a weight of the layers, 2 bytes outside, and adapters of rank 16
  // beside all linear layers in 32 bit: 80 x 16 x (2 x 16384 + 2 x 9216 + 3 x 36864) of them.
  const TrainPhase p = phase(use_of("Llama-2-70B"), 512, Method::kQlora);
  Strategy s = strategy(2, 1, 1, Sharding::kZero3);
  s.offload = Offload::kParams;
  const double outside = 2 * 32000.0 * 8192;
  const double layers = 68976648192.0 - outside;
  EXPECT_NEAR(host(p, s, "torch", 2).offloaded.value, layers * 0.5625 + outside * 2 + 207093760 * 4.0,
              0.002 * layers * 0.5625);
}

TEST(TrainingHostMemory, ActivationsOfAllRanks) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy s = strategy(8, 4, 1, Sharding::kZero3);
  s.recompute = Recompute::kFull;
  s.offload = Offload::kActivations;
  EXPECT_NEAR(host(p, s, "torch").offloaded.value, 8 * 2 * GiB.value, 10);  // 2 GiB each
}

TEST(TrainingHostMemory, LoadingGoesByFramework) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  const Strategy s = strategy(8, 1, 1);
  const double checkpoint = 2 * 6738415616.0;
  EXPECT_NEAR(host(p, s, "hf-trainer").loading.value, checkpoint, 1e6);
  EXPECT_NEAR(host(p, s, "nanochat").loading.value, 8 * checkpoint, 1e6);
  EXPECT_EQ(host(p, s, "torchtitan").loading.value, 0);
}

TEST(TrainingHostMemory, TheTotalIsTheLargerOfLoadingAndOffloadAndProcesses) {
  HostMemory m;
  m.loading = 10 * GiB;
  m.offloaded = 4 * GiB;
  m.processes = 3 * GiB;
  EXPECT_EQ(m.total(), 13 * GiB);
  m.offloaded = 20 * GiB;
  EXPECT_EQ(m.total(), 23 * GiB);
  // Every GPU of a machine runs a process and its workers.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  const TrainingConstants& c = catalogue().training_constants;
  EXPECT_NEAR(host(p, strategy(4, 1, 1), "torch").processes.value,
              4 * (c.host_process_gib + c.host_workers_gib) * GiB.value, 1);
}

}  // namespace
}  // namespace gpuplan
