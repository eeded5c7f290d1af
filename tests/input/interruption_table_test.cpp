#include "input/prices/interruption_table.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

/// Offers of two regions and providers, one of them on demand only.
Catalogue some() {
  Catalogue catalogue;
  for (const auto& [provider, region, spot] :
       {std::tuple{"aws", "us-east-1", true}, std::tuple{"aws", "us-west-2", true},
        std::tuple{"aws", "eu-west-1", false}, std::tuple{"gcp", "us-east-1", true}}) {
    Offer offer;
    offer.provider = provider;
    offer.region = region;
    offer.instance = "big";
    if (spot) offer.spot_price = exactly(DollarsPerSecond{1});
    catalogue.offers.push_back(offer);
  }
  return catalogue;
}

std::string read(Catalogue& catalogue, const std::string& rows) {
  const auto done =
      read_interruptions("provider,region,instance,band,source,as_of\n" + rows, "interruptions.csv", catalogue);
  return done ? "" : done.error().message;
}

TEST(InterruptionTable, JoinsByProviderRegionAndInstance) {
  Catalogue catalogue = some();
  EXPECT_EQ(read(catalogue, "aws,us-east-1,big,>20%,AWS,2026-11\naws,eu-west-1,big,<5%,AWS,2026-11\n"), "");
  EXPECT_EQ(catalogue.offers[0].band, SpotBand::kAbove20);
  EXPECT_FALSE(catalogue.offers[1].band) << "another region";
  EXPECT_FALSE(catalogue.offers[2].band) << "not offered as spot";
  EXPECT_FALSE(catalogue.offers[3].band) << "another provider";
}

TEST(InterruptionTable, SaysWhatIsWrong) {
  Catalogue catalogue = some();
  EXPECT_NE(read(catalogue, "aws,us-east-1,big,often,AWS,2026-11\n").find("often"), std::string::npos);
  EXPECT_EQ(read(catalogue, "aws,us-east-1,big,<5%,AWS,2026-11\naws,us-east-1,big,5-10%,AWS,2026-11\n"),
            "a second row for this machine");
  EXPECT_NE(read(catalogue, "aws,us-east-1,big,<5%,,2026-11\n"), "");
  EXPECT_NE(read(catalogue, "aws,us-east-1,big,,AWS,2026-11\n"), "");
}

}  // namespace
}  // namespace gpuplan
