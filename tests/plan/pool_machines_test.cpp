// Pools of several machines, and what one's own machines have beside GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "plan/capacity/machines.h"
#include "plan/notes/market_hints.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

Job on_pool(const std::string& pool, const std::string& more = "") {
  return job_of("market: {use: only, pools: [{name: work, gpu: H100 SXM, gpus: 8" + pool +
                "}]}\n"
                "phases: [{name: train, train: {model: gpt2, data: {tokens: 10M}, epochs: 1, sequence: 1k, batch: "
                "64}}]\n" +
                more);
}

std::vector<Machines> ways(const Job& job) { return machines_on(job, known(), job.market.pools.at(0)); }

std::vector<int> nodes_of(const Job& job) {
  std::vector<int> nodes;
  for (const Machines& machines : ways(job))
    if (std::ranges::find(nodes, machines.nodes) == nodes.end()) nodes.push_back(machines.nodes);
  return nodes;
}

constexpr const char* kSixteen = ", nodes: 16, network: 8x NDR";

TEST(PoolMachines, PowersOfTwoAndAll) {
  EXPECT_EQ(nodes_of(on_pool(kSixteen)), (std::vector{1, 2, 4, 8, 16}));
  EXPECT_EQ(nodes_of(on_pool(", nodes: 6, network: 8x NDR")), (std::vector{1, 2, 4, 6}));
  EXPECT_EQ(nodes_of(on_pool("")), (std::vector{1}));
}

TEST(PoolMachines, SeveralMachinesAreTakenWhole) {
  for (const Machines& machines : ways(on_pool(kSixteen))) {
    EXPECT_TRUE(machines.nodes == 1 ? machines.gpus <= 8 : machines.gpus == 8 * machines.nodes);
    EXPECT_EQ(machines.node.network.value > 0, machines.nodes > 1) << "alone no machine uses a network";
  }
}

TEST(PoolMachines, NoWayTakesMoreThanTheFairShare) {
  for (const int most : {1, 2, 3, 16, 100})
    for (const char* left : {"0", "20", "25%"}) {
      const Job job = on_pool(std::string(kSixteen) + ", max_nodes: " + std::to_string(most) + ", leave_free: " + left);
      const int all = 128 - (std::string(left) == "0" ? 0 : std::string(left) == "20" ? 20 : 32);
      for (const Machines& machines : ways(job)) {
        EXPECT_LE(machines.nodes, most);
        EXPECT_LE(machines.gpus, all) << left;
      }
    }
}

TEST(PoolMachines, WhereNodesIsMeantLiterally) {
  EXPECT_EQ(nodes_of(on_pool(kSixteen, "where: {nodes: [3]}\n")), (std::vector{3}));
  EXPECT_EQ(nodes_of(on_pool(kSixteen, "where: {nodes: [1, 4, 32]}\n")), (std::vector{1, 4}));
  EXPECT_TRUE(ways(on_pool("", "where: {nodes: [2]}\n")).empty());
}

TEST(PoolMachines, CountsOfGpusBecomeWholeMachines) {
  EXPECT_EQ(nodes_of(on_pool(kSixteen, "where: {counts: [24]}\n")), (std::vector{3}));
}

TEST(PoolMachines, TwoMachinesOfOneAreRefusedInOneLine) {
  const Job job = on_pool("", "where: {nodes: [2]}\n");
  const auto lines = market_hints(job, known(), job.market.pools, {});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            "Pool work has 1 machine, and 2 are asked for (--nodes, where.nodes). If it has more, write nodes: and "
            "network: in the pool.");
  EXPECT_TRUE(market_hints(on_pool(kSixteen, "where: {nodes: [2]}\n"), known(), job.market.pools, {}).size() == 1);
  const Job many = on_pool(kSixteen, "where: {nodes: [2]}\n");
  EXPECT_TRUE(market_hints(many, known(), many.market.pools, {}).empty());
}

TEST(PoolMachines, AFasterNetworkIsNeverSlower) {
  double before = std::numeric_limits<double>::infinity();
  for (const char* network : {"10 Gbit/s", "100 Gbit/s", "8x NDR"}) {
    Job job = on_pool(std::string(", nodes: 2, network: ") + network, "where: {nodes: [2]}\n");
    // One way to run it: a plainer one may become good enough where the network is faster, and is not as fast.
    auto& train = std::get<TrainPhase>(job.phases.front().work);
    train.framework = "torch";
    train.parallel.tp = train.parallel.pp = 1;
    const auto found = search(job, known(), job.market.pools, {});
    ASSERT_TRUE(found && !found->plans.empty()) << network;
    const double hours = found->plans.front().hours.p50.value;
    EXPECT_EQ(found->plans.front().nodes, 2);
    EXPECT_LE(hours, before * 1.0001) << network;
    before = hours;
  }
}

Job on_desk(const std::string& box, const std::string& train) {
  return job_of("market: {use: only, own: [{name: desk, gpu: RTX 4090" + box +
                "}]}\n"
                "phases: [{name: train, train: {model: Qwen3-8B, data: {tokens: 1M}, epochs: 1, sequence: 1k, batch: "
                "16" +
                train + "}}]\n");
}

TEST(OwnMachines, MemoryBoundsWhatMovesToTheHost) {
  const auto plans = [](const std::string& box) {
    const Job job = on_desk(box, ", method: full, offload: optimizer+params");
    return search(job, known(), job.market.own, {})->plans.size();
  };
  EXPECT_GT(plans(", ram: 512 GB"), 0U);
  EXPECT_EQ(plans(", ram: 16 GB"), 0U);
}

TEST(OwnMachines, MemoryThatNobodyStatesIsToldWhereItIsUsed) {
  const auto told = [](const Job& job) {
    const auto found = search(job, known(), job.market.own, {});
    return std::ranges::count_if(found->assumptions,
                                 [](const std::string& line) { return line.starts_with("desk has "); });
  };
  const std::string offload = ", method: lora, offload: params";
  EXPECT_EQ(told(on_desk("", offload)), 1);
  EXPECT_EQ(told(on_desk(", ram: 128 GB", offload)), 0);
  EXPECT_EQ(told(on_desk("", ", method: qlora, offload: none")), 0);
}

TEST(OwnMachines, WhatDoesNotFitOnTheDiskIsLeftOut) {
  const auto found = [](const std::string& box) {
    const Job job = on_desk(box, ", method: qlora");
    return *search(job, known(), job.market.own, {});
  };
  EXPECT_FALSE(found(", disk: 4 TB").plans.empty());
  const SearchResult none = found(", disk: 1 GB");
  EXPECT_TRUE(none.plans.empty());
  EXPECT_GT(none.tally.rejected[static_cast<std::size_t>(Misfit::kDisk)], 0);
  EXPECT_EQ(none.tally.feasible, 0);
}

TEST(OwnMachines, TheEvenNumberBelowIsTakenToo) {
  const auto gpus_of = [](int has) {
    const Job job = job_of("market: {use: only, own: [{name: box, gpu: RTX 4090, gpus: " + std::to_string(has) +
                           "}]}\nphases: [{name: t, train: {model: gpt2, data: {tokens: 10M}, sequence: 1k}}]\n");
    std::vector<int> gpus;
    for (const Machines& machines : machines_on(job, known(), job.market.own.at(0))) gpus.push_back(machines.gpus);
    return gpus;
  };
  EXPECT_EQ(gpus_of(7), (std::vector{1, 2, 4, 6, 7}));
  EXPECT_EQ(gpus_of(5), (std::vector{1, 2, 4, 5}));
  EXPECT_EQ(gpus_of(8), (std::vector{1, 2, 4, 8}));
  EXPECT_EQ(gpus_of(3), (std::vector{1, 2, 3}));
}

TEST(OwnMachines, OfALargerBoxAsManyGpusAreAsFast) {
  const auto hours = [](int has) {
    const Searched found(job_of(
        "market: {use: only, own: [{name: box, gpu: RTX 4090, gpus: " + std::to_string(has) +
        ", ram: 512 GB}]}\nwhere: {counts: [4]}\nphases: [{name: t, train: {model: Llama-3.1-8B, method: full, data: "
        "{tokens: 10M}, sequence: 1k, batch: 64}}]\n"));
    return found.pick().hours.p50.value;
  };
  EXPECT_NEAR(hours(5), hours(4), 1e-6 * hours(4)) << "the fifth is idle";
  EXPECT_NEAR(hours(8), hours(4), 1e-6 * hours(4));
}

}  // namespace
}  // namespace gpuplan
