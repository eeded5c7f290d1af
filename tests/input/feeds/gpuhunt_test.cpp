// gpuhunt's catalogues and cloud-gpus tables. All rows are made up in their form.
#include <gtest/gtest.h>

#include <string>

#include "feed_fixture.h"

namespace gpuplan {
namespace {

constexpr const char* kShort = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size";
constexpr const char* kFull =
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,"
    "provider_data";

TEST(GpuhuntFeed, OneRowAKindOfPriceWithAndWithoutTheNewerColumns) {
  const Feed older =
      read_feed(std::string(kShort) + "\np5.48xlarge,us-east-1,55.04,192,2048.0,8,H100,80.0,False,\n" +
                    "p5.48xlarge,us-east-1,20.5,192,2048.0,8,H100,80.0,true,\nc5.large,us-east-1,0.1,2,4,0,,,False,\n",
                terms_of("aws.csv"));
  EXPECT_EQ(older.format, "gpuhunt catalogue");
  EXPECT_EQ(told(older), (Strings{"8x H100 SXM $55.04", "8x H100 SXM spot $20.5"}));
  EXPECT_EQ(older.offers[0].provider, "aws");  // the file's name is all that tells it
  EXPECT_EQ(older.rejections, (Reasons{{"no GPU", 1}}));
  const Feed newer =
      read_feed(std::string(kFull) + "\np5.48xlarge,us-east-1,55.04,192,2048.0,8,H100,80.0,False,,nvidia,,x86,{}\n" +
                    "p5.48xlarge,us-east-1,20.5,192,2048.0,8,H100,80.0,True,,nvidia,,x86,\"{\"\"a\"\": 1}\"\n",
                terms_of("aws.csv"));
  EXPECT_EQ(newer.offers, older.offers);
}

TEST(GpuhuntFeed, TellsGpusApartByMemory) {
  const Feed feed = read_feed(
      std::string(kShort) + "\na,r,1,8,64,1,A100,40.0,False,\nb,r,2,8,64,8,A100,80.0,False,\n" +
          "c,r,1,8,64,1,RTX6000,24.0,False,\nd,r,2,8,64,1,MI325X,288,False,\ne,r,2,8,64,1,B300,270.0,False,\n",
      terms_of("newcloud.csv"));
  EXPECT_EQ(told(feed), (Strings{"1x A100 PCIe 40GB $1", "8x A100 SXM 80GB $2", "1x Quadro RTX 6000 $1", "1x MI325X $2",
                                 "1x B300 $2"}));
  EXPECT_EQ(feed.offers[0].provider, "newcloud");
  EXPECT_EQ(feed.corrections.count("288 GB for MI325X, which has 256"), 1u);
}

TEST(GpuhuntFeed, RejectsWhatIsNotRentedOnTheSpot) {
  const Feed feed = read_feed(
      std::string(kFull) + "\na3-highgpu-8g,r,44,208,1872,8,H100,80,False,,nvidia,gcp-dws-calendar-mode,x86,{}\n" +
          "v6e-8,r,21.6,0,0,1,v6e,0.0,False,,google,,x86,{}\n" + "one,r,2.7,0,0,1,tpu-v6e,0,False,,google,,,\n" +
          "x,r,1,8,64,1,L4,24,maybe,,nvidia,,x86,{}\n",
      terms_of("x.csv", "gcp"));
  EXPECT_EQ(told(feed), (Strings{"8x TPU v6e $21.6", "1x TPU v6e $2.7"}));
  EXPECT_EQ(feed.rejections,
            (Reasons{{"a price of capacity booked ahead", 1}, {"a cell of spot that is neither True nor False", 1}}));
}

constexpr const char* kCloudGpus = "Cloud,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,On-demand,Per-GPU,Spot,Name\n";

TEST(CloudGpusFeed, TakesThePriceOfTheWholeMachine) {
  const Feed feed = read_feed(
      std::string(kCloudGpus) + "Datacrunch,A100 (80 GB),Ampere,2,80,22,120,3.70,1.85,1.2,2A100.44V\n" +
          "Azure,T4 (16 GB),Turing,1,16,4,28,0.53,0.53,,NC4as T4 v3\n" +
          "Nimbus,H100 HGX (80GB),Hopper,1,80,24-30,150-200,4.78,4.78,,\n" +
          "Exo,A10 (24 GB),Ampere,2,48,24,112,,2.4,,\n" + "Spread,L4 (24 GB),Ada,1,24,4,16,\"$1,000.50\",0.9,$0.3,\n" +
          "Months,L4 (24 GB),Ada,1,24,4,16,$600/month,0.9,,\n",
      terms_of("cloud-gpus.csv"));
  ASSERT_EQ(told(feed), (Strings{"2x A100 SXM 80GB $3.7 spot $1.2", "1x T4 $0.53", "1x H100 SXM $4.78",
                                 "1x L4 $1000.5 spot $0.3"}));
  EXPECT_EQ(feed.offers[0].provider, "verda");
  EXPECT_EQ(feed.offers[1].instance, "Standard_NC4as_T4_v3");
  EXPECT_EQ(feed.offers[2].vcpus, 24);
  EXPECT_EQ(feed.rejections, (Reasons{{"no price", 1}, {"On-demand that is no number", 1}}));
}

TEST(CloudGpusFeed, ServerlessPricesAreRefusedAsAWhole) {
  const auto feeds =
      read_feeds("Vendor,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,Per-Hour,Per-GPU\nA,T4,Turing,1,16,4,16,1,1\n",
                 terms_of("s.csv"));
  ASSERT_FALSE(feeds);
  EXPECT_NE(feeds.error().message.find("serverless"), std::string::npos);
  EXPECT_EQ(feeds.error().place.file, "s.csv");
}

}  // namespace
}  // namespace gpuplan
