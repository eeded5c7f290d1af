#include "model/communication.h"

#include "model/training_fixture.h"

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

TEST(IntraRate, NvswitchAgainstPublishedBusRates) {
  // 8-GPU all-reduce of large messages: A100 222 to 235 GB/s, H100 367 to 445 (stas00/ml-engineering, NVIDIA
  // aiconfigurator); the rate is also used for medium sizes, hence the room.
  EXPECT_NEAR(intra_rate(machine("A100 SXM 80GB", 8)).bus.value, 228e9, 0.05 * 228e9);
  EXPECT_NEAR(intra_rate(machine("H100 SXM", 8)).bus.value, 352e9, 0.1 * 352e9);
}

TEST(IntraRate, SingleGpuHasNoLinkAndPcieIsShared) {
  EXPECT_EQ(intra_rate(machine("RTX 4090", 1)).bus.value, 0);
  const double two = intra_rate(machine("RTX 4090", 2)).bus.value;
  const double eight = intra_rate(machine("RTX 4090", 8)).bus.value;
  EXPECT_GT(two, eight);
  NodeShape peers = machine("RTX 4090", 8);
  peers.peer_access = true;
  EXPECT_GT(intra_rate(peers).bus.value, eight);
}

TEST(IntraRate, BridgedPairsFallBackToPcieBeyondTwo) {
  NodeShape node = machine("A100 SXM 80GB", 2);
  node.link_kind = LinkKind::kNvlinkPairs;
  const double pair = intra_rate(node).bus.value;
  node.gpus = 4;
  EXPECT_LT(intra_rate(node).bus.value, pair / 4);
}

TEST(NetworkRate, UnknownIsTakenAsTenGigabit) {
  EXPECT_DOUBLE_EQ(network_rate(machine("H100 SXM", 8)).bus.value, 1e9);
  EXPECT_DOUBLE_EQ(network_rate(machine("H100 SXM", 8, 3200)).bus.value, 320e9);
}

TEST(Exposed, HidesNoMoreThanTheCover) {
  EXPECT_DOUBLE_EQ(exposed(Seconds{10}, Seconds{4}, 0).value, 6);
  EXPECT_DOUBLE_EQ(exposed(Seconds{3}, Seconds{4}, 0).value, 0);
  EXPECT_DOUBLE_EQ(exposed(Seconds{3}, Seconds{4}, 0.1).value, 0.3);
}

}  // namespace
}  // namespace gpuplan
