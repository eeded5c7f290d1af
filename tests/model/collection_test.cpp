// Bytes of activations, and where they are, against sums by hand.
#include "model/generation/collection.h"

#include <gtest/gtest.h>

#include "generation_fixture.h"

namespace gpuplan {
namespace {

using namespace generation_fixture;

GeneratePhase collecting(Situation situation, double samples, double prompt, double answer) {
  GeneratePhase phase = phase_of(llama_2_7b(), situation, samples, prompt, answer);
  phase.collect = true;
  phase.store = Store{16, 4096, Format::kFp16, "disk"};
  return phase;
}

NodeShape box_of(const Gpu& gpu, int gpus) {
  NodeShape node;
  node.gpu = &gpu;
  node.gpus = gpus;
  return node;
}

/// Rates that make times easy: 10 GB/s to the host, 1 GB/s to the disk.
GenerationRates rates_on(const NodeShape& node) {
  GenerationRates rates;
  rates.node = &node;
  rates.host_link = 10 * GB / second;
  rates.disk = 1 * GB / second;
  return rates;
}

Strategy replicas(int dp, int tp = 1, int pp = 1) {
  Strategy strategy;
  strategy.dp = dp;
  strategy.tp = tp;
  strategy.pp = pp;
  return strategy;
}

TEST(Collection, KeepsLayersTimesWidthTimesTokensTimesBytes) {
  GeneratePhase phase = collecting(Situation::kSingle, 1500, 200, 512);
  const KeptActivations all = kept_activations(generation_work(phase).value());
  EXPECT_DOUBLE_EQ(all.token.value, 16 * 4096 * 2);
  EXPECT_DOUBLE_EQ(all.tokens, 712);
  EXPECT_DOUBLE_EQ(all.sample.value, 16.0 * 4096 * 2 * 712);      // 93.3 MB
  EXPECT_DOUBLE_EQ(all.all.value, 16.0 * 4096 * 2 * 712 * 1500);  // 140 GB
  phase.models.push_back(phase.models.front());
  EXPECT_DOUBLE_EQ(kept_activations(generation_work(phase).value()).all.value, 2 * all.all.value);
}

TEST(Collection, KeepsTheTokensAskedFor) {
  GeneratePhase phase = collecting(Situation::kSingle, 500, 200, 512);
  const auto tokens = [&](KeptTokens which) {
    phase.store->tokens = which;
    return kept_activations(generation_work(phase).value()).tokens;
  };
  EXPECT_DOUBLE_EQ(tokens(KeptTokens::kAll), 712);
  EXPECT_DOUBLE_EQ(tokens(KeptTokens::kPrompt), 200);
  EXPECT_DOUBLE_EQ(tokens(KeptTokens::kNew), 512);
  EXPECT_DOUBLE_EQ(tokens(KeptTokens::kLast), 1);
  phase.store->dtype = Format::kFp32;
  EXPECT_DOUBLE_EQ(kept_activations(generation_work(phase).value()).token.value, 16 * 4096 * 4);
}

TEST(Collection, AGpuHoldsTheLongestSampleUntilTheBatchIsDone) {
  GeneratePhase phase = collecting(Situation::kStatic, 100, 200, 300);
  phase.data.front().new_tokens.max = 512;
  const GenerationWork work = generation_work(phase).value();
  EXPECT_DOUBLE_EQ(kept_on_gpu(work, 1).value, 16.0 * 4096 * 2 * 712);
  EXPECT_DOUBLE_EQ(kept_on_gpu(work, 2).value, 16.0 * 4096 * 2 * 712 / 2) << "half the layers each";
  phase.store->dtype = Format::kFp8;
  EXPECT_DOUBLE_EQ(kept_on_gpu(generation_work(phase).value(), 1).value, 16.0 * 4096 * 2 * 712)
      << "cast on its way to the host";
  phase.store->dtype = Format::kFp32;
  EXPECT_DOUBLE_EQ(kept_on_gpu(generation_work(phase).value(), 1).value, 16.0 * 4096 * 4 * 712);
}

TEST(Collection, GpusOfAMachineShareItsDisk) {
  const GeneratePhase phase = collecting(Situation::kSingle, 1000, 200, 512);
  const GenerationWork work = generation_work(phase).value();
  const Gpu gpu = h100();
  const NodeShape box = box_of(gpu, 4);
  const GenerationRates rates = rates_on(box);
  const double gigabytes = 16.0 * 4096 * 2 * 712 * 250 / 1e9;
  const StoreTraffic alone = store_traffic(work, rates, replicas(1), 250);
  EXPECT_NEAR(alone.to_host.value, gigabytes / 10, 1e-9);
  EXPECT_NEAR(alone.to_disk.value, gigabytes, 1e-9);
  const StoreTraffic four = store_traffic(work, rates, replicas(4), 250);
  EXPECT_NEAR(four.to_host.value, gigabytes / 10, 1e-9) << "each has its own link";
  EXPECT_NEAR(four.to_disk.value, 4 * gigabytes, 1e-9);
  EXPECT_NEAR(store_traffic(work, rates, replicas(2, 2), 250).to_disk.value, 2 * gigabytes, 1e-9);
  EXPECT_NEAR(store_traffic(work, rates, replicas(8), 250).to_disk.value, 4 * gigabytes, 1e-9)
      << "eight on two machines: four a disk";
}

TEST(Collection, TheJobSaysWhatItsDiskTakes) {
  GeneratePhase phase = collecting(Situation::kSingle, 1000, 200, 512);
  phase.store->disk_rate = 0.25 * GB / second;
  const Gpu gpu = h100();
  const NodeShape box = box_of(gpu, 1);
  const double gigabytes = 16.0 * 4096 * 2 * 712 * 1000 / 1e9;
  EXPECT_NEAR(store_traffic(generation_work(phase).value(), rates_on(box), replicas(1), 1000).to_disk.value,
              4 * gigabytes, 1e-9);
}

TEST(Collection, MachinesShareWhatIsKept) {
  GeneratePhase phase = collecting(Situation::kStatic, 1000, 200, 512);
  const GenerationWork work = generation_work(phase).value();
  const Gpu gpu = h100();
  const NodeShape box = box_of(gpu, 4);
  GenerationEstimate estimate;
  estimate.batch = 8;
  const CollectionUse one = collection_use(work, rates_on(box), replicas(4), estimate);
  const double checkpoint = work.params.front().total() * 2;
  EXPECT_NEAR(one.checkpoints.value, checkpoint, 1);
  EXPECT_NEAR(one.disk.value, one.kept.all.value + checkpoint, 1);
  EXPECT_NEAR(one.machine_disk.value, one.disk.value, 1);
  EXPECT_NEAR(one.host.value, one.kept.sample.value * 8 * 4, 1) << "a batch of each GPU is on its way";
  EXPECT_NEAR(one.on_gpu.value, one.kept.sample.value * 8, 1);
  const CollectionUse two = collection_use(work, rates_on(box), replicas(8), estimate);
  EXPECT_NEAR(two.machine_disk.value, one.kept.all.value / 2 + checkpoint, 1) << "two machines";
  EXPECT_NEAR(two.disk.value, one.kept.all.value + 2 * checkpoint, 1) << "each loads the model";
}

TEST(Collection, MemoryKeepsWhatGoesToNoDisk) {
  GeneratePhase phase = collecting(Situation::kStatic, 1000, 200, 512);
  phase.store->to = "memory";
  const GenerationWork work = generation_work(phase).value();
  const Gpu gpu = h100();
  const NodeShape box = box_of(gpu, 4);
  GenerationEstimate estimate;
  estimate.batch = 8;
  const CollectionUse use = collection_use(work, rates_on(box), replicas(4), estimate);
  EXPECT_NEAR(use.host.value, use.kept.all.value, 1);
  EXPECT_NEAR(use.disk.value, use.checkpoints.value, 1);
  EXPECT_EQ(use.traffic.to_disk, Seconds{});
}

TEST(Collection, AModelForEachGpu) {
  GeneratePhase phase = collecting(Situation::kSingle, 1500, 200, 512);
  for (int i = 1; i < 4; ++i) phase.models.push_back(phase.models.front());
  const GenerationWork work = generation_work(phase).value();
  const Gpu gpu = h100();
  const NodeShape box = box_of(gpu, 4);
  Strategy strategy = replicas(4);
  strategy.placement = Placement::kOneModelPerGpu;
  GenerationEstimate estimate;
  const CollectionUse four = collection_use(work, rates_on(box), strategy, estimate);
  EXPECT_NEAR(four.kept.all.value, 16.0 * 4096 * 2 * 712 * 6000, 1);  // 560 GB
  EXPECT_NEAR(four.checkpoints.value, 4 * work.params.front().total() * 2, 1);
  EXPECT_NEAR(four.traffic.to_host.value, four.kept.sample.value * 1500 / 10e9, 1e-6) << "each its own samples";
  // One GPU runs all four in turn.
  const NodeShape single = box_of(gpu, 1);
  estimate.rounds = 4;
  strategy.dp = 1;
  const CollectionUse one = collection_use(work, rates_on(single), strategy, estimate);
  EXPECT_NEAR(one.machine_disk.value, four.machine_disk.value, 1);
  EXPECT_NEAR(one.traffic.to_host.value, 4 * four.traffic.to_host.value, 1e-6);
  EXPECT_NEAR(one.traffic.to_disk.value, four.traffic.to_disk.value, 1e-6) << "the same disk, four times as long";
}

TEST(Collection, NothingIsKeptByPhasesThatKeepNothing) {
  const GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 1500, 200, 512);
  const GenerationWork work = generation_work(phase).value();
  const Gpu gpu = h100();
  const NodeShape box = box_of(gpu, 1);
  EXPECT_FALSE(collection_use(work, rates_on(box), replicas(1), {}).any());
  EXPECT_EQ(kept_on_gpu(work, 1), Bytes{});
  EXPECT_EQ(store_traffic(work, rates_on(box), replicas(1), 100).total(), Seconds{});
}

}  // namespace
}  // namespace gpuplan
