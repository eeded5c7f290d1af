// Marketplaces and their traps: prices of one GPU, cents, disks within prices, parts of machines, words for sold out.
#include "input/feeds/json_feed_fixture.h"

namespace gpuplan {
namespace {

using namespace feed_test;

TEST(VastFeed, TakesThePriceWithoutTheDiskAndTheShareOfTheMachine) {
  const Feed feed = read_list("vast", R"({"offers":[{"id":11,"machine_id":5,"gpu_name":"RTX 4090","num_gpus":2,
    "gpu_ram":24564,"gpu_frac":0.25,"cpu_cores":64,"cpu_cores_effective":16,"cpu_ram":262144,"dph_base":0.8,"dph_total":0.9,
    "storage_cost":0.15,"inet_up_cost":0.002,"min_bid":0.4,"reliability2":0.98,"verification":"verified","hosting_type":1,
    "rentable":true,"rented":false,"geolocation":"Norway, NO"}]})");
  ASSERT_EQ(said(feed), Lines{"2x RTX 4090 0.8 spot 0.4 in Norway, NO"});
  const Offer& offer = feed.offers[0];
  EXPECT_EQ(offer.provider, "vast");
  EXPECT_EQ(offer.instance, "offer 11 (machine 5)");
  EXPECT_EQ(offer.vcpus, 16);
  EXPECT_DOUBLE_EQ(offer.ram / units::GiB, 64);
  EXPECT_DOUBLE_EQ(offer.reliability, 0.98);
  EXPECT_EQ(offer.availability, "verified, datacenter, a single machine when listed");
  EXPECT_NEAR(offer.disk_price->value * 1e9 * 730 * 3600, 0.15, 1e-12);
  EXPECT_NEAR(offer.egress_price->value * 1e9, 0.002, 1e-12);
  EXPECT_EQ(feed.corrected, 0U);
}

TEST(VastFeed, KnowsItsOtherShapesAndSentinels) {
  const Feed feed = read_list("vast", R"([
    {"gpu_name":"RTX_3090","num_gpus":1,"dph_total":0.3,"storage_total_cost":0.05,"min_bid":0,"geolocation":null},
    {"gpu_name":"H100 SXM","num_gpus":8,"gpu_ram":81559,"dph_total":16,"rentable":false},
    {"gpu_name":"H100 NVL","num_gpus":1,"gpu_ram":95830,"dph_base":1,"dph_total":1.1,"is_bid":true,"rented":true},
    {"gpu_name":"H100 SXM","num_gpus":0.5,"dph_base":1,"dph_total":1.1},
    {"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0,"dph_total":0},
    {"gpu_name":"Imaginary 9999","num_gpus":1,"dph_base":1,"dph_total":1},
    7])");
  EXPECT_EQ(said(feed), (Lines{"1x RTX 3090 0.25", "8x H100 SXM 16, sold out", "1x H100 NVL spot 1, sold out"}));
  EXPECT_EQ(feed.rejections, counts({{"a part of a GPU", 1},
                                     {"a price of 0", 1},
                                     {"a GPU that gpuplan does not know: Imaginary 9999", 1},
                                     {"an entry that is no object in braces", 1}}));
  EXPECT_EQ(feed.corrections.count("min_bid 0 stands for none"), 1U);
  EXPECT_EQ(
      said(read_list("vast", R"({"offers":{"gpu_name":"RTX 3090","num_gpus":1,"dph_base":0.2,"dph_total":0.3}})")),
      Lines{"1x RTX 3090 0.2"});
}

TEST(RunpodFeed, MultipliesThePriceOfOneGpuUpToItsLimit) {
  const Feed feed = read_list("runpod", R"({"data":{"gpuTypes":[{"id":"NVIDIA H100 80GB HBM3","displayName":"H100 SXM",
    "memoryInGb":80,"securePrice":3,"communityPrice":2.5,"secureSpotPrice":1.5,"maxGpuCount":8,
    "maxGpuCountCommunityCloud":2,"lowestPrice":{"uninterruptablePrice":2.5,"minimumBidPrice":2.5,"minVcpu":16,
    "minMemory":125,"stockStatus":"Low"}}]}})");
  EXPECT_EQ(said(feed), (Lines{"1x H100 SXM 3 spot 1.5, low", "2x H100 SXM 6 spot 3, low", "4x H100 SXM 12 spot 6, low",
                               "8x H100 SXM 24 spot 12, low", "1x H100 SXM 2.5, low", "2x H100 SXM 5, low"}));
  EXPECT_EQ(feed.offers[3].vcpus, 128);
  EXPECT_EQ(feed.offers[3].instance, "8x NVIDIA H100 80GB HBM3 secure");
  EXPECT_EQ(feed.corrections, counts({{"a spot price not below the one on demand, left out", 2}}))
      << "the lowest bid is the price itself: no spot";
}

TEST(RunpodFeed, TellsSoldOutFromNoPrice) {
  const Feed feed = read_list("runpod", R"({"gpuTypes":[
    {"id":"NVIDIA RTX A5000","securePrice":null,"communityPrice":null,"lowestPrice":{"uninterruptablePrice":null}},
    {"id":"NVIDIA GeForce RTX 4090","securePrice":0.7,"lowestPrice":{"uninterruptablePrice":null,"stockStatus":null}},
    {"id":"NVIDIA RTX A4000","lowestPrice":{"uninterruptablePrice":0.3,"availableGpuCounts":[2],"stockStatus":"High"}}]})");
  EXPECT_EQ(said(feed), (Lines{"1x RTX 4090 0.7, sold out", "1x RTX A4000 0.3, sold out", "2x RTX A4000 0.6, high"}));
  EXPECT_EQ(feed.rejections, counts({{"no price: out of stock", 1}}));
}

TEST(RunpodFeed, ReadsTheNewCatalogue) {
  const Feed feed = read_list("runpod-v2", R"({"gpus":[
    {"id":"NVIDIA A100 80GB PCIe","memory":80,"price":{"secure":1.6,"community":null},"availability":"MEDIUM"},
    {"id":"NVIDIA RTX A5000","memory":24,"price":{"secure":0.3,"community":0.2},"availability":"NONE"},
    {"id":"NVIDIA L4","memory":24,"price":{"secure":null,"community":null},"availability":"NONE"}]})");
  EXPECT_EQ(said(feed),
            (Lines{"1x A100 PCIe 80GB 1.6, medium", "1x RTX A5000 0.3, sold out", "1x RTX A5000 0.2, sold out"}));
  EXPECT_EQ(feed.rejections, counts({{"no price: out of stock", 1}}));
}

TEST(LambdaFeed, CountsCentsAndRegionsWithCapacity) {
  const Feed feed = read_list("lambda", R"json({"data":{
    "a":{"instance_type":{"name":"gpu_1x_a100_sxm4","description":"1x A100 (40 GB SXM4)","gpu_description":"A100 (40 GB SXM4)",
      "price_cents_per_hour":"129","specs":{"vcpus":30,"memory_gib":200}},
      "regions_with_capacity_available":[{"name":"us-east-1"},{"name":"us-west-2"}]},
    "b":{"instance_type":{"name":"gpu_8x_h100_sxm5","description":"8x H100 (80 GB SXM5)","gpu_description":"H100 (80 GB SXM5)",
      "price_cents_per_hour":2392,"specs":{"vcpus":208,"memory_gib":1800,"gpus":8}},"regions_with_capacity_available":[]},
    "c":{"instance_type":{"name":"gpu_1x_h100_pcie","description":"1x H100 (80 GB PCIe)","gpu_description":"H100 (80 GB PCIe)",
      "price_cents_per_hour":249,"specs":{"gpus":1}},"regions_with_capacity_available":[]},
    "d":{"instance_type":{"name":"cpu_4x","description":"4x CPU","gpu_description":"N/A","price_cents_per_hour":10,
      "specs":{"gpus":0}},"regions_with_capacity_available":[]}}})json");
  EXPECT_EQ(said(feed), (Lines{"1x A100 SXM 40GB 1.29 in us-east-1", "1x A100 SXM 40GB 1.29 in us-west-2",
                               "8x H100 SXM 23.92, sold out", "1x H100 PCIe 2.49, sold out"}));
  EXPECT_EQ(feed.rejections, counts({{"no GPU", 1}}));
  const Feed list = read_list("lambda", R"json({"data":[{"instance_type":{"name":"gpu_1x_a10",
    "description":"1x A10 (24 GB PCIe)","price_cents_per_hour":75,"specs":{}},
    "regions_with_capacity_available":[{"name":"x"}]}]})json");
  EXPECT_EQ(said(list), Lines{"1x A10 0.75 in x"});
}

TEST(PrimeIntellectFeed, TellsSpotTermsAndClusters) {
  const Feed feed = read_list("primeintellect", R"({"items":[
    {"cloudId":"a3","gpuType":"H100_80GB","socket":"SXM5","provider":"x","region":"canada","dataCenter":"CA-1","gpuCount":8,
     "gpuMemory":640,"prices":{"onDemand":16.5,"currency":"USD"},"disk":{"pricePerUnit":0.0001},"stockStatus":"High",
     "vcpu":{"defaultCount":208}},
    {"gpuType":"H100_80GB","socket":"PCIe","gpuCount":1,"gpuMemory":80,"prices":{"onDemand":1},"isSpot":true,
     "stockStatus":"Unavailable"},
    {"gpuType":"A100_80GB","socket":"SXM4","gpuCount":1,"prices":{"onDemand":null,"communityPrice":0.9}},
    {"gpuType":"H100_80GB","socket":"SXM5","gpuCount":32,"prices":{"onDemand":64}},
    {"gpuType":"H100_80GB","socket":"SXM5","gpuCount":8,"prices":{"onDemand":9},"prepaidTime":720}],"totalCount":5})");
  EXPECT_EQ(said(feed),
            (Lines{"8x H100 SXM 16.5 in canada, high", "1x H100 PCIe spot 1, sold out", "1x A100 SXM 80GB 0.9"}));
  EXPECT_EQ(feed.offers[0].zone, "CA-1");
  EXPECT_NEAR(feed.offers[0].disk_price->value * 1e9 * 730 * 3600, 0.073, 1e-12) << "a GB for an hour";
  EXPECT_EQ(feed.rejections, counts({{"several machines as one cluster", 1}, {"paid ahead for a term", 1}}));
}

TEST(PrimeIntellectFeed, ReadsTheSummaryButTheLowestOfAll) {
  const Feed feed = read_list("primeintellect-summary", R"({"L40S_48GB":{"2":{
    "cheapest":{"onDemand":1.6,"communityPrice":null,"spotPrice":null},
    "canada":{"onDemand":1.6,"communityPrice":null,"spotPrice":0.5},
    "eu_east":{"onDemand":null,"communityPrice":1.7,"spotPrice":null}}}})");
  EXPECT_EQ(said(feed), (Lines{"2x L40S 1.6 spot 0.5 in canada", "2x L40S 1.7 in eu_east"}));
  EXPECT_EQ(feed.rejected(), 1U);
}

TEST(ShadeformFeed, CountsCentsForEachRegion) {
  const Feed feed = read_list("shadeform", R"({"instance_types":[{"cloud":"c","shade_instance_type":"H100x8",
    "cloud_instance_type":"h8","configuration":{"num_gpus":8,"gpu_type":"H100","interconnect":"sxm5","vram_per_gpu_in_gb":80,
    "vcpus":192,"memory_in_gb":1800},"hourly_price":2560,"availability":[{"region":"r1","available":true},
    {"region":"r2","available":false}]},
    {"cloud":"c","shade_instance_type":"A100_80G","num_gpus":1,"gpu_type":"A100_80G","interconnect":"pcie",
    "hourly_price":150,"availability":[]}]})");
  EXPECT_EQ(said(feed),
            (Lines{"8x H100 SXM 25.6 in r1", "8x H100 SXM 25.6 in r2, sold out", "1x A100 PCIe 80GB 1.5, sold out"}));
  EXPECT_EQ(feed.offers[0].instance, "c h8");
}

TEST(ShadeformFeed, TellsClustersOfSeveralMachinesFromOne) {
  const auto cluster = [](std::string_view machines, std::string_view places) {
    return R"({"cloud":"denvr","num_instances":)" + std::string(machines) + R"(,"availability":)" +
           std::string(places) +
           R"(,"cluster_type":{"cloud":"denvr","shade_instance_type":"H100_sxm5x8","cloud_instance_type":"H100_80GB_SXM_8x",
               "configuration":{"num_gpus":8,"gpu_type":"H100","interconnect":"sxm5","vram_per_gpu_in_gb":80,"vcpus":208},
               "hourly_price":2400}})";
  };
  const Feed feed =
      read_list("shadeform", R"({"cluster_types":[)" + cluster("2", R"({"region":"houston","available":true})") + "," +
                                 cluster("1", R"({"region":"houston","available":true})") + "," +
                                 cluster("1", R"([{"region":"oslo","available":false}])") +
                                 R"(,{"cloud":"denvr","num_instances":1,"availability":[]}]})");
  EXPECT_EQ(said(feed), (Lines{"8x H100 SXM 24 in houston", "8x H100 SXM 24 in oslo, sold out"}));
  EXPECT_EQ(feed.rejections,
            counts({{"several machines as one cluster", 1}, {"a cluster that does not say what is in it", 1}}));
}

TEST(DstackFeed, TakesTheCloudOfEachOffer) {
  const Feed feed = read_list("dstack", R"({"project":"main","offers":[
    {"backend":"runpod","region":"EU-RO-1","instance_type":"AMD Instinct MI300X OAM","resources":{"cpus":24,
      "memory_mib":289792,"gpus":[{"name":"MI300X","memory_mib":196608,"vendor":"amd"}],"spot":false},"spot":false,
      "price":2.49,"availability":"available"},
    {"backend":"lambda","region":"us-east-1","instance_type":"gpu_2x_h100_sxm5","resources":{"cpus":208,"memory_mib":1,
      "gpus":[{"name":"H100","memory_mib":81920},{"name":"H100","memory_mib":81920}]},"spot":true,"price":5,
      "availability":"no_quota"},
    {"backend":"ssh","region":"remote","instance_type":"on-prem","resources":{"gpus":[{"name":"L4"}]},"spot":false,"price":0},
    {"backend":"aws","region":"us-east-1","instance_type":"m5.large","resources":{"gpus":[]},"spot":false,"price":0.1}],
    "total_offers":4})");
  EXPECT_EQ(said(feed), (Lines{"1x MI300X 2.49 in EU-RO-1", "2x H100 SXM spot 5 in us-east-1, sold out"}));
  EXPECT_EQ(feed.offers[0].provider, "runpod");
  EXPECT_EQ(feed.rejections, counts({{"no GPU", 1}, {"a machine of one's own", 1}}));
}

}  // namespace
}  // namespace gpuplan
