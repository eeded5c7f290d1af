#include <gtest/gtest.h>

#include <cmath>

#include "model/communication.h"

#include "model/training_fixture.h"
#include "self_check/made_up.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

TEST(Collectives, OneRankHasNobodyToTalkTo) {
  const LinkRate link{BytesPerSecond{1e9}, Seconds{1}};
  EXPECT_EQ(all_reduce_time(link, Bytes{1e9}, 1).value, 0);
  EXPECT_EQ(all_gather_time(link, Bytes{1e9}, 1).value, 0);
}

TEST(Collectives, RingMovesWhatThePaperSays) {
  // Eight ranks, 8 GB at 1 GB/s: all-reduce passes 2 x 7/8, all-gather 7/8 of it over every link.
  const LinkRate link{BytesPerSecond{1e9}, Seconds{0}};
  EXPECT_DOUBLE_EQ(all_reduce_time(link, Bytes{8e9}, 8).value, 14);
  EXPECT_DOUBLE_EQ(all_gather_time(link, Bytes{8e9}, 8).value, 7);
}

TEST(Collectives, ByHand) {
  // 4 ranks, 4 GB at 1 GB/s, of which each rank's own part counts half: (3 + 0.5) parts of 1 GB take 3.5 s. Half of
  // what filling can take is lost at 3.5 s, so 1 of 2 s; 3 hops of 0.1 s; 0.2 s to begin with.
  LinkRate link{BytesPerSecond{1e9}, Seconds{0.2}};
  link.hop = Seconds{0.1};
  link.fill = Seconds{2};
  link.fill_half = Seconds{3.5};
  link.own = 0.5;
  EXPECT_DOUBLE_EQ(all_gather_time(link, Bytes{4e9}, 4).value, 3.5 + 1 + 0.3 + 0.2);
  // All-reduce passes six parts: 6.5 s, or half with twice the rate.
  link.reduce = 2;
  EXPECT_DOUBLE_EQ(all_reduce_time(link, Bytes{4e9}, 4).value, 3.25 + 2 * 3.25 / 6.75 + 0.6 + 0.2);
  // All-to-all: no ring, so no hops.
  link.exchange = 0.5;
  EXPECT_DOUBLE_EQ(all_to_all_time(link, Bytes{4e9}, 4).value, 7 + 2 * 7 / 10.5 + 0.2);
}

TEST(Collectives, MoreBytesNeverTakeLessNorDoFasterLinksTakeMore) {
  for (const char* gpu : {"A100 SXM 80GB", "H100 SXM", "B200", "RTX 4090", "MI300X"}) {
    for (const int gpus : {2, 4, 8}) {
      LinkRate link = intra_rate(catalogue(), machine(gpu, gpus));
      LinkRate faster = link;
      faster.bus *= 2;
      for (double size = 1e3; size < 1e10; size *= 10) {
        EXPECT_LE(all_reduce_time(link, Bytes{size}, gpus), all_reduce_time(link, Bytes{2 * size}, gpus));
        EXPECT_LE(all_gather_time(link, Bytes{size}, gpus), all_reduce_time(link, Bytes{size}, gpus));
        EXPECT_LE(all_gather_time(faster, Bytes{size}, gpus), all_gather_time(link, Bytes{size}, gpus));
        EXPECT_LE(all_to_all_time(faster, Bytes{size}, gpus), all_to_all_time(link, Bytes{size}, gpus));
      }
    }
  }
}

TEST(IntraRate, NvswitchAgainstPublishedBusRates) {
  // 8-GPU all-reduce of large messages: A100 222 to 235 GB/s, H100 367 to 445 (stas00/ml-engineering, NVIDIA
  // aiconfigurator).
  const auto bus = [](const char* gpu) {
    const Bytes size{1e9};
    return (size * (2 * 7 / 8.0) / all_reduce_time(intra_rate(catalogue(), machine(gpu, 8)), size, 8)).value;
  };
  EXPECT_NEAR(bus("A100 SXM 80GB"), 222e9, 0.08 * 222e9);
  EXPECT_NEAR(bus("H100 SXM"), 400e9, 0.12 * 400e9);
}

TEST(IntraRate, ARowOfAnotherSpeedOrSizeIsNotRead) {
  Catalogue c;
  c.links.assign(3, made_up::link());
  c.links[0].least = c.links[1].below = c.links[2].below = BytesPerSecond{900e9};
  c.links[0].gather = 0.9;
  c.links[1].most_gpus = 2;
  c.links[1].gather = 0.5;
  c.links[2].least_gpus = 3;
  c.links[2].gather = 0.1;
  EXPECT_DOUBLE_EQ(intra_rate(c, machine("H100 SXM", 8)).bus.value, 0.9 * 450e9);
  EXPECT_DOUBLE_EQ(intra_rate(c, machine("A100 SXM 80GB", 2)).bus.value, 0.5 * 300e9);
  EXPECT_DOUBLE_EQ(intra_rate(c, machine("A100 SXM 80GB", 8)).bus.value, 0.1 * 300e9);
  EXPECT_TRUE(std::isnan(intra_rate({}, machine("A100 SXM 80GB", 8)).bus.value)) << "no rows, no numbers";
}

TEST(IntraRate, SingleGpuHasNoLinkAndPcieIsShared) {
  EXPECT_EQ(intra_rate(catalogue(), machine("RTX 4090", 1)).bus.value, 0);
  const double two = intra_rate(catalogue(), machine("RTX 4090", 2)).bus.value;
  const double eight = intra_rate(catalogue(), machine("RTX 4090", 8)).bus.value;
  EXPECT_GT(two, eight);
  NodeShape peers = machine("RTX 4090", 8);
  peers.peer_access = true;
  EXPECT_GT(intra_rate(catalogue(), peers).bus.value, eight);
}

TEST(IntraRate, BridgedPairsFallBackToPcieBeyondTwo) {
  NodeShape node = machine("A100 SXM 80GB", 2);
  node.link_kind = LinkKind::kNvlinkPairs;
  const double pair = intra_rate(catalogue(), node).bus.value;
  node.gpus = 4;
  EXPECT_LT(intra_rate(catalogue(), node).bus.value, pair / 4);
}

TEST(NetworkRate, UnknownIsTakenAsTenGigabit) {
  EXPECT_DOUBLE_EQ(network_rate(catalogue(), machine("H100 SXM", 8)).bus.value, 1e9);
  EXPECT_DOUBLE_EQ(network_rate(catalogue(), machine("H100 SXM", 8, 3200)).bus.value, 320e9);
}

TEST(Exposed, HidesNoMoreThanTheCover) {
  EXPECT_DOUBLE_EQ(exposed(Seconds{10}, Seconds{4}, 0).value, 6);
  EXPECT_DOUBLE_EQ(exposed(Seconds{3}, Seconds{4}, 0).value, 0);
  EXPECT_DOUBLE_EQ(exposed(Seconds{3}, Seconds{4}, 0.1).value, 0.3);
}

}  // namespace
}  // namespace gpuplan
