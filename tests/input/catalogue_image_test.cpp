#include "input/image/catalogue_image.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/questions/facts.h"
#include "input/tables/catalogue_files.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

/// What reading data/*.csv gives.
Catalogue read_tables_of_data() {
  std::vector<DataFile> files;
  for (const std::string_view name : kDataFiles) files.push_back({name, std::string(name), embedded_data(name)});
  return parse_catalogue(files).value();
}

void expect_same(const Catalogue& a, const Catalogue& b) {
  EXPECT_TRUE(a.gpus == b.gpus);
  EXPECT_TRUE(a.nodes == b.nodes);
  EXPECT_TRUE(a.models == b.models);
  EXPECT_TRUE(a.frameworks == b.frameworks);
  EXPECT_TRUE(a.offers == b.offers);
  EXPECT_TRUE(a.efficiencies == b.efficiencies);
  EXPECT_TRUE(a.training_software == b.training_software);
  EXPECT_TRUE(a.links == b.links);
  EXPECT_TRUE(a.problems == b.problems);
  EXPECT_TRUE(a.api_prices == b.api_prices);
  EXPECT_TRUE(a.price_spreads == b.price_spreads);
  EXPECT_TRUE(a.engines == b.engines);
  EXPECT_TRUE(a.training_constants == b.training_constants);
  EXPECT_TRUE(a.generation_constants == b.generation_constants);
  EXPECT_TRUE(a.practice_constants == b.practice_constants);
  EXPECT_TRUE(a.errors == b.errors);
  EXPECT_TRUE(a.assumptions == b.assumptions);
  EXPECT_TRUE(a.gpu_names == b.gpu_names);
  EXPECT_TRUE(a.model_names == b.model_names);
  EXPECT_TRUE(a.framework_names == b.framework_names);
  EXPECT_TRUE(a == b) << "a table that is not named above, or a figure that no table fills";
}

// Fields are compared by the == that the compiler makes, which forgets none: one that input/image/rows.h does not name
// fails here.
TEST(CatalogueImage, StartsWithWhatReadingTheTablesGives) {
  const auto built_in = api::read_facts();
  ASSERT_TRUE(built_in);
  EXPECT_GT(built_in->offers.size(), 100U);
  expect_same(*built_in, read_tables_of_data());
}

TEST(CatalogueImage, ComesBackAsItWas) {
  Catalogue all = read_tables_of_data();
  // What no row of data/ has.
  ASSERT_FALSE(all.offers.empty());
  Offer& offer = all.offers.front();
  offer = {.kind = OfferKind::kPool,
           .provider = "lab",
           .region = "north",
           .instance = "box",
           .zone = "z",
           .gpu = "H100 SXM",
           .gpus = 4,
           .price = exactly(DollarsPerSecond{1}),
           .spot_price = Interval<DollarsPerSecond>{DollarsPerSecond{1}, DollarsPerSecond{2}, DollarsPerSecond{3}},
           .interruptions = exactly(PerSecond{4}),
           .band = SpotBand::k10To15,
           .availability = "few",
           .stock = Stock::kLow,
           .price_doubt = {.age = 0.5, .place = 0.25},
           .spot_doubt = {.age = 0.75, .place = 1.5},
           .reliability = 0.25,
           .billing = {Seconds{1}, Seconds{2}, Seconds{3}, false, Seconds{4}},
           .disk_price = DollarsPerByteSecond{5},
           .egress_price = DollarsPerByte{6},
           .label = "ours",
           .source = "us",
           .as_of = "2026-01",
           .notes = {},  // of offers in jobs alone
           .vcpus = 7,
           .ram = Bytes{8},
           .max_time = Seconds{9},
           .wait = exactly(Seconds{10}),
           .partition = "p",
           .account = "a",
           .qos = "q",
           .queue = "l",
           .preemptible = true,
           .leave_free = 11,
           .watts = 12,
           .usd_per_kwh = 13};
  ASSERT_FALSE(all.models.empty());
  all.models.front().heads_guessed = all.models.front().ffn_guessed = all.models.front().vocab_guessed = true;
  const std::string image = pack_catalogue(all);
  expect_same(unpack_catalogue(image), all);
  EXPECT_EQ(pack_catalogue(unpack_catalogue(image)), image);
}

TEST(CatalogueImage, HoldsAnEmptyCatalogue) {
  const Catalogue back = unpack_catalogue(pack_catalogue({}));
  EXPECT_TRUE(back.gpus.empty());
  EXPECT_TRUE(back.gpu_names.names().empty());
}

}  // namespace
}  // namespace gpuplan
