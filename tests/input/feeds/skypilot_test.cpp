// SkyPilot's catalogues: what each cloud's file means differently. All rows are made up in the catalogues' form.
#include <gtest/gtest.h>

#include <string>

#include "feed_fixture.h"

namespace gpuplan {
namespace {

constexpr const char* kAwsHeader =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,"
    "Arch\n";
constexpr const char* kGcpHeader =
    "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n";

std::string python_info(const std::string& name, int count, int mib) {
  return "\"{'Gpus': [{'Name': '" + name + "', 'Manufacturer': 'X', 'Count': " + std::to_string(count) +
         ", 'MemoryInfo': {'SizeInMiB': " + std::to_string(mib) + "}}], 'TotalGpuMemoryInMiB': 1}\"";
}

std::string json_info(const std::string& name, int count, int mib) {
  return R"("{""Gpus"": [{""Name"": "")" + name + R"("", ""Count"": )" + std::to_string(count) +
         R"(, ""MemoryInfo"": {""SizeInMiB"": )" + std::to_string(mib) + R"(}}], ""TotalGpuMemoryInMiB"": 1}")";
}

TEST(SkypilotFeed, ReadsColumnsByNameInAnyOrderAndLineEnd) {
  const std::string a = std::string(kAwsHeader) + "p5.48xlarge,H100,8.0,192.0,2048.0," + python_info("H100", 8, 81920) +
                        ",55.04,20.5,us-east-1,use1-az1,x86_64\n";
  const std::string b =
      "Region,Price,SpotPrice,MemoryGiB,AcceleratorCount,GpuInfo,AvailabilityZone,InstanceType,vCPUs,"
      "AcceleratorName\r\n"
      "us-east-1,55.04,20.5,2048,8," +
      json_info("H100", 8, 81920) + ",use1-az1,p5.48xlarge,192,H100\r\n";
  const Feed first = read_feed(a, terms_of("aws.csv", "aws"));
  EXPECT_EQ(first.format, "SkyPilot catalogue");
  ASSERT_EQ(told(first), Strings{"8x H100 SXM $55.04 spot $20.5"});
  EXPECT_EQ(first.offers[0].provider, "aws");
  EXPECT_EQ(first.offers[0].region, "us-east-1");
  EXPECT_EQ(first.offers[0].zone, "use1-az1");
  EXPECT_EQ(first.offers[0].vcpus, 192);
  EXPECT_EQ(first.offers[0].as_of, "2026-11-25");
  EXPECT_EQ(read_feed(b, terms_of("aws.csv", "aws")).offers, first.offers);
  EXPECT_EQ(read_feed("\xEF\xBB\xBF" + b, terms_of("aws.csv", "aws")).offers, first.offers);
}

TEST(SkypilotFeed, CountsMachinesWithoutGpuAndNamesNone) {
  const Feed feed =
      read_feed(std::string(kAwsHeader) + "m8i.large,,,8,32,,0.4,0.2,us-east-1,a,x\n" +
                    "cpu-d3_4vcpu-16gb,,0,4,16,,0.1,,eu,,x\n" + "g6.xlarge,L4,1,4,16,,0.8,,us-east-1,a,x\n",
                terms_of("x.csv", "aws"));
  EXPECT_EQ(feed.rejections, (Reasons{{"no GPU", 2}}));
  EXPECT_TRUE(feed.notes.empty());
  EXPECT_EQ(told(feed), Strings{"1x L4 $0.8"});
}

TEST(SkypilotFeed, LeavesOutSpotPricesThatAreNone) {
  const auto spot_of = [](const std::string& provider, const std::string& instance, const std::string& price,
                          const std::string& spot) {
    const Feed feed =
        read_feed(std::string(kAwsHeader) + instance + ",RTX 4090,1,8,32,," + price + "," + spot + ",r,,x\n",
                  terms_of("x.csv", provider));
    return feed.kept == 1 ? hourly_spot(feed.offers[0]) : -1.0;
  };
  EXPECT_EQ(spot_of("aws", "p9.large", "75.955", "7.5955"), 0);  // a tenth: no market
  EXPECT_NEAR(spot_of("aws", "p9.large", "75.955", "7.7"), 7.7, 1e-9);
  EXPECT_NEAR(spot_of("azure", "Standard_X", "2.0", "0.2"), 0.2, 1e-9);  // Azure's discount really is 90 %
  EXPECT_EQ(spot_of("aws", "p9.large", "55.04", "55.04"), 0);
  EXPECT_EQ(spot_of("runpod", "1x_A_SECURE", "1.39", "1.39"), 0);
  EXPECT_EQ(spot_of("vast", "1x-A-1-1", "1.39", "0.00"), 0);
  EXPECT_EQ(spot_of("primeintellect", "x__1", "1.39", "99999999"), 0);
  EXPECT_EQ(spot_of("gcp", "g2-x", "1000.5", "700.0"), 0);
  EXPECT_NEAR(spot_of("aws", "p", "1000.5", "700.0"), 700, 1e-9);  // only Google's sentinel
  EXPECT_EQ(spot_of("oci", "BM.GPU.X.8", "10", "5"), 0);
  EXPECT_NEAR(spot_of("oci", "VM.GPU.X", "10", "5"), 5, 1e-9);
  EXPECT_NEAR(spot_of("aws", "p5e.48xlarge", "", "20.3"), 20.3, 1e-9);  // spot only
}

TEST(SkypilotFeed, RejectsPricesThatStandForNone) {
  const Feed feed = read_feed(std::string(kAwsHeader) + "a,L4,1,8,32,,99999999,,r,,x\n" + "b,L4,1,8,32,,0.00,,r,,x\n" +
                                  "c,L4,1,8,32,,0.01,0.00,r,,x\n" + "d,L4,1,8,32,,,,r,,x\n" + "e,L4,1,8,32,,x,,r,,x\n" +
                                  "f,L4,1,8,32,,-3,,r,,x\n",
                              terms_of("x.csv", "shadeform"));
  EXPECT_EQ(feed.kept, 0u);
  EXPECT_EQ(feed.rejections, (Reasons{{"Price 99999999 stands for none", 1},
                                      {"Price 0 stands for none", 1},
                                      {"Price 0.01 stands for none", 1},
                                      {"a Price that is no number", 1},
                                      {"a negative price", 1},
                                      {"no price", 1}}));
}

TEST(SkypilotFeed, AddsGooglesGpusToTheirMachinesWhereverTheyStand) {
  const std::string machine = "a2-highgpu-2g,24.0,170.0,,,,us-central1,us-central1-a,1.5,0.5\n";
  const std::string gpus = ",,,A100,2,A100,us-central1,us-central1-a,6.0,2.0\n";
  const std::string single = ",,,A100,1,A100,us-central1,us-central1-a,3.1,1.0\n";
  const std::string elsewhere = ",,,A100,2,A100,us-central1,us-central1-b,60.0,20.0\n";
  const std::string large = ",,,A100-80GB,2,A100,us-central1,us-central1-a,9.0,2.0\n";
  for (const std::string& rows :
       {gpus + single + elsewhere + large + machine, machine + large + single + elsewhere + gpus}) {
    const Feed feed = read_feed(kGcpHeader + rows, terms_of("gcp.csv", "gcp"));
    ASSERT_EQ(told(feed), Strings{"2x A100 SXM 40GB $7.5 spot $2.5"});
    EXPECT_EQ(feed.offers[0].vcpus, 24);
    EXPECT_EQ(feed.rows, 5u);
  }
  // A price of one is enough for two.
  EXPECT_EQ(told(read_feed(kGcpHeader + single + machine, terms_of("gcp.csv", "gcp"))),
            Strings{"2x A100 SXM 40GB $7.7 spot $2.5"});
  const Feed alone = read_feed(kGcpHeader + machine + elsewhere, terms_of("gcp.csv", "gcp"));
  EXPECT_EQ(alone.kept, 0u);
  EXPECT_EQ(alone.rejections.count("a price without the GPUs, of which the zone has none"), 1u);
}

TEST(SkypilotFeed, PutsGooglesCardsIntoAGeneralMachine) {
  const Feed feed =
      read_feed(std::string(kGcpHeader) + ",,,T4,2,T4,us-east1,us-east1-b,0.7,0.2\n" +
                    ",,,V100,1,V100,us-east1,us-east1-b,2.5,0.7\n" + ",,,T4,1,T4,us-east1,us-east1-c,0.35,0.1\n" +
                    "n1-highmem-16,16,104,,,,us-east1,us-east1-b,0.9,0.2\n" +
                    "n1-highmem-8,8,52,,,,us-east1,us-east1-b,0.45,0.1\n" +
                    "n2-standard-8,8,52,,,,us-east1,us-east1-b,0.45,0.1\n",
                terms_of("gcp.csv", "gcp"));
  EXPECT_EQ(told(feed), (Strings{"2x T4 $1.6 spot $0.4", "1x V100 SXM2 16GB $2.95 spot $0.8"}));
  EXPECT_EQ(feed.offers[0].instance, "n1-highmem-16");
  EXPECT_EQ(feed.rejections,
            (Reasons{{"GPUs without a machine, and the zone has none that takes them", 1}, {"no GPU", 3}}));
}

TEST(SkypilotFeed, GooglesSpotNeedsBothParts) {
  const Feed feed =
      read_feed(std::string(kGcpHeader) + "g2-standard-4,4,16,,,,r,r-a,0.2,\n" + ",,,L4,1,L4,r,r-a,0.5,0.2\n",
                terms_of("gcp.csv", "gcp"));
  EXPECT_EQ(told(feed), Strings{"1x L4 $0.7"});
}

TEST(SkypilotFeed, CountsTpusInChips) {
  const Feed feed = read_feed(std::string(kGcpHeader) + ",,,tpu-v6e-8,1,tpu-v6e-8,r,r-a,21.6,4.5\n" +
                                  ",,,tpu-v3-8,1,tpu-v3-8,r,r-a,8.0,2.4\n" + ",,,tpu-v6e-256,1,x,r,r-a,691.2,146\n" +
                                  ",,,tpu-v6e-1,1,x,r,r-a,700.0,700.0\n" + ",,,tpu-v6e-4096,1,x,r,r-a,11000,\n",
                              terms_of("gcp.csv"));
  EXPECT_EQ(told(feed),
            (Strings{"8x TPU v6e $21.6 spot $4.5", "4x TPU v3 $8 spot $2.4", "256x TPU v6e $691.2 spot $146"}));
  EXPECT_EQ(feed.rejections, (Reasons{{"Price 700 stands for none", 1}, {"more GPUs than a machine has", 1}}));
}

/// "1x A100 SXM 80GB" for one row of a cloud.
std::string gpu_told(const std::string& cloud, const std::string& instance, const std::string& name, int count,
                     const std::string& info) {
  const Feed feed = read_feed(
      std::string(kAwsHeader) + instance + "," + name + "," + std::to_string(count) + ",8,32," + info + ",3.5,,r,,x\n",
      terms_of("x.csv", cloud));
  if (feed.kept != 1) return feed.rejections.empty() ? "?" : feed.rejections.begin()->first;
  return std::to_string(feed.offers[0].gpus) + "x " + feed.offers[0].gpu;
}

TEST(SkypilotFeed, UnderstandsTheManyMeaningsOfMemory) {
  // Of one, of all, all again, and gigabytes in place of MiB.
  EXPECT_EQ(gpu_told("aws", "p4de.24xlarge", "A100-80GB", 8, python_info("A100", 8, 81920)), "8x A100 SXM 80GB");
  EXPECT_EQ(gpu_told("lambda", "gpu_8x_a100", "A100", 8, python_info("A100", 8, 40960)), "8x A100 SXM 40GB");
  EXPECT_EQ(gpu_told("vast", "8x-A100_SXM4-32-65536", "A100", 8, python_info("A100", 8, 8 * 81920)),
            "8x A100 SXM 80GB");
  EXPECT_EQ(gpu_told("vast", "2x-A100_SXM4-32-65536", "A100", 2, python_info("A100", 2, 2 * 40960)),
            "2x A100 SXM 40GB");
  EXPECT_EQ(gpu_told("verda", "8A100.176V", "A100-80GB-640GB", 8, json_info("A100-80GB-640GB", 8, 8 * 81920)),
            "8x A100 SXM 80GB");
  EXPECT_EQ(gpu_told("runpod", "2x_A100-80GB_SECURE", "A100-80GB", 2, python_info("A100 PCIe", 2, 80)),
            "2x A100 PCIe 80GB");
  EXPECT_EQ(gpu_told("newcloud", "x", "A100", 8, json_info("A100", 8, 8 * 81920)), "8x A100 SXM 80GB");
  EXPECT_EQ(gpu_told("newcloud", "x", "RTX 4090", 1, json_info("RTX 4090", 1, 50000)), "1x RTX 4090");
}

TEST(SkypilotFeed, FindsTheFormFactorThatTheNameHides) {
  EXPECT_EQ(gpu_told("vast", "1x-H100_NVL-32-65536", "H100", 1, python_info("H100", 1, 95830)), "1x H100 NVL");
  EXPECT_EQ(gpu_told("vast", "1x-H100_SXM-32-65536", "H100", 1, python_info("H100", 1, 81559)), "1x H100 SXM");
  EXPECT_EQ(gpu_told("vast", "1x-H100_PCIE-32-65536", "H100", 1, python_info("H100", 1, 81559)), "1x H100 PCIe");
  EXPECT_EQ(gpu_told("verda", "1H100.80S.30V", "H100", 1, json_info("H100", 1, 81920)), "1x H100 SXM");
  EXPECT_EQ(gpu_told("verda", "1V100.6V", "Tesla-V100", 1, json_info("Tesla-V100", 1, 16384)), "1x V100 SXM2 16GB");
  EXPECT_EQ(gpu_told("azure", "Standard_NC6s_v3", "V100", 1, "V100"), "1x V100 PCIe 16GB");
  EXPECT_EQ(gpu_told("verda", "1RTX6000ADA.10V", "RTX-6000-Ada", 1, json_info("RTX-6000-Ada", 1, 49152)),
            "1x RTX 6000 Ada");
  EXPECT_EQ(gpu_told("lambda", "gpu_1x_rtx6000", "RTX6000", 1, python_info("RTX6000", 1, 24576)), "1x Quadro RTX 6000");
  const std::string upstream =
      "InstanceType,UpstreamCloudId,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,Price,SpotPrice\n"
      "runpod__8xA100,NVIDIA A100 80GB PCIe,192.0,1000,A100,8.0," +
      json_info("A100", 8, 8 * 81920) + ",UNSPECIFIED,13.1,99999999\n" + "dc__8xA100,n3-A100x8,1440,1440,A100,8.0," +
      json_info("A100", 8, 8 * 81920) + ",CA - CANADA-1,11.9,99999999\n";
  const Feed feed = read_feed(upstream, terms_of("x.csv", "primeintellect"));
  EXPECT_EQ(told(feed), (Strings{"8x A100 PCIe 80GB $13.1", "8x A100 SXM 80GB $11.9"}));
  EXPECT_EQ(feed.offers[0].region, "");
  EXPECT_EQ(feed.offers[1].vcpus, 0);  // they repeated the memory
}

TEST(SkypilotFeed, PartsOfAGpuAreNoGpu) {
  const std::string rows =
      "Standard_NV6ads_A10_v5,A10,1,6,55,A10,0.45,,r,,x\nStandard_NV36ads_A10_v5,A10,1,36,440,A10,3.2,,r,,x\n"
      "g6f.large,L4,0.125,2,8,,0.2,,r,,x\n";
  const Feed feed = read_feed(kAwsHeader + rows, terms_of("x.csv", "azure"));
  EXPECT_EQ(told(feed), Strings{"1x A10 $3.2"});
  EXPECT_EQ(feed.rejections, (Reasons{{"a part of a GPU", 2}}));
}

TEST(SkypilotFeed, RegionsWithCommasAndWithoutATown) {
  const std::string rows =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\r\n"
      "1x-RTX_4090-8-1,RTX4090,1,8,64.0,,0.5,0.00,\"France, FR, EU\"\r\n"
      "1x-RTX_4090-8-1,RTX4090,1,,,,0.6,0.00,\", US, NA\"\r\n";
  const Feed feed = read_feed(rows, terms_of("vast.csv", "vast"));
  ASSERT_EQ(feed.kept, 2u);
  EXPECT_EQ(feed.offers[0].region, "France, FR, EU");
  EXPECT_EQ(feed.offers[1].region, "US, NA");
  EXPECT_EQ(feed.offers[1].vcpus, 0);
}

TEST(SkypilotFeed, TellsTheCloudByTheNamesOfMachines) {
  const auto cloud = [](const std::string& instance) {
    const Feed feed = read_feed(std::string(kAwsHeader) + instance + ",L4,1,8,32,,0.8,,r,,x\n", terms_of("list.csv"));
    return feed.kept == 1 ? feed.offers[0].provider.str() : feed.rejections.begin()->first;
  };
  EXPECT_EQ(cloud("p4d.24xlarge"), "aws");
  EXPECT_EQ(cloud("g4dn.metal"), "aws");
  EXPECT_EQ(cloud("Standard_ND96asr_v4"), "azure");
  EXPECT_EQ(cloud("a2-highgpu-1g"), "gcp");
  EXPECT_EQ(cloud("gpu_8x_h100_sxm5"), "lambda");
  EXPECT_EQ(cloud("gpu-h100-sxm_1gpu-16vcpu-200gb"), "nebius");
  EXPECT_EQ(cloud("1x-H100_SXM-32-65536"), "vast");
  EXPECT_EQ(cloud("1x_L4_SECURE"), "runpod");
  EXPECT_EQ(cloud("8H100.80S.176V"), "verda");
  EXPECT_EQ(cloud("BM.GPU.H100.8"), "oci");
  EXPECT_EQ(cloud("something"), "no provider");
}

TEST(SkypilotFeed, ADamagedRowCostsThatRowAlone) {
  const Feed feed = read_feed(std::string(kAwsHeader) + "a,L4,1,8,32,,0.8,,r,,x\n" + "b,L4,1,8,32\n" +
                                  "c,L4,1,8,32,\"{'Gpus': ,0.8,,r,,x\n" + "d,L4,1,8,32,,0.9,,r,,x,more\n" +
                                  "e,L4,1,8,32,,0.95,,r,,x\n" + "f,L4,1,8,32,,0.9",
                              terms_of("x.csv", "aws"));
  EXPECT_EQ(told(feed), (Strings{"1x L4 $0.8", "1x L4 $0.95"}));
  EXPECT_EQ(feed.rows, 6u);
  ASSERT_EQ(feed.notes.size(), 4u);
  EXPECT_EQ(feed.notes[0].row, 3u);
  EXPECT_EQ(feed.notes[1].row, 4u);
  EXPECT_EQ(feed.notes[3].reason, "fewer cells than the header has");
}

TEST(SkypilotFeed, TheSameRowAgainIsRejected) {
  const std::string row = "a,L4,1,8,32,,0.8,,r,z,x\n";
  const Feed feed =
      read_feed(kAwsHeader + row + row + "a,L4,1,8,32,,0.8,,r,y,x\n" + "a,L4,1,8,32,,0.8,0.3,r,z,x\n" + row,
                terms_of("x.csv", "aws"));
  EXPECT_EQ(feed.kept, 3u);
  EXPECT_EQ(feed.rejections, (Reasons{{"the same row again", 2}}));
}

}  // namespace
}  // namespace gpuplan
