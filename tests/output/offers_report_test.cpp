#include "output/facts/offers_report.h"
#include "output/facts/offer_groups.h"
#include "output/facts/offer_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace gpuplan {
namespace {

using namespace units;

struct Market {
  Catalogue catalogue;
  std::vector<Offer> offers;

  std::vector<const Offer*> all() const {
    std::vector<const Offer*> pointers;
    for (const Offer& offer : offers) pointers.push_back(&offer);
    return pointers;
  }
};

Offer make_offer(std::string provider, std::string gpu, int gpus, std::string as_of) {
  Offer offer;
  offer.provider = std::move(provider);
  offer.gpu = std::move(gpu);
  offer.gpus = gpus;
  offer.as_of = std::move(as_of);
  offer.source = "a price list";
  return offer;
}

Interval<DollarsPerSecond> dollars(double p10, double p50, double p90) {
  return {p10 * dollar / hour, p50 * dollar / hour, p90 * dollar / hour};
}

Market small_market() {
  Market market;
  Gpu h100, rtx;
  h100.name = "H100 SXM";
  h100.memory = 80 * GiB;
  rtx.name = "RTX 4090";
  rtx.memory = 24 * GiB;
  market.catalogue.gpus = {h100, rtx};
  EXPECT_TRUE(market.catalogue.gpu_names.add("H100 SXM", 0));
  EXPECT_TRUE(market.catalogue.gpu_names.add("RTX 4090", 1));
  Offer big = make_offer("aws", "H100 SXM", 8, "2026-04");
  big.region = "us-east-1";
  big.instance = "p5.48xlarge";
  big.price = exactly(55.04 * dollar / hour);
  big.spot_price = exactly(14.25 * dollar / hour);
  Offer range = make_offer("vast", "H100 SXM", 1, "2026-05");
  range.price = dollars(1.5, 2, 2.5);
  range.availability = "varies";
  Offer spot_only = make_offer("vast", "RTX 4090", 2, "2026-05");
  spot_only.spot_price = exactly(0.5 * dollar / hour);
  market.offers = {big, range, spot_only};
  return market;
}

const std::vector<std::string>& made_up_areas(std::string_view area) {
  static const std::vector<std::string> inside = {"eu-north*", "Germany"}, none;
  return area == "eu" ? inside : none;
}

TEST(OffersReport, ARegionMayBeAnArea) {
  Market market = small_market();
  const char* regions[] = {"eu-north1", "Berlin, Germany", "eu-west-2", "us-east-1", ""};
  market.offers.clear();
  for (const char* region : regions) {
    market.offers.push_back(make_offer("p", "H100 SXM", 1, "2026-05"));
    market.offers.back().region = region;
  }
  const auto shown = [&](std::vector<std::string> filter, bool areas = true) {
    const auto report = select_offers(market.all(), market.catalogue,
                                      {.filter = std::move(filter), .regions_of = areas ? made_up_areas : nullptr}, 0);
    std::set<std::string> found;
    for (const Offer* offer : report->rows) found.insert(offer->region);
    return found;
  };
  EXPECT_EQ(shown({"region=eu"}), (std::set<std::string>{"eu-north1", "Berlin, Germany"}));
  EXPECT_EQ(shown({"geolocation in [eu, us-east-1]"}),
            (std::set<std::string>{"eu-north1", "Berlin, Germany", "us-east-1"}));
  EXPECT_EQ(shown({"region!=eu"}), (std::set<std::string>{"eu-west-2", "us-east-1", ""}));
  EXPECT_EQ(shown({"region=us"}), (std::set<std::string>{"us-east-1"})) << "a word, where it is no area";
  EXPECT_EQ(shown({"region=eu"}, false), (std::set<std::string>{"eu-north1", "eu-west-2"}));
}

TEST(OffersReport, PutsInOrderOnlyTheRowsThatAreShown) {
  Market market = small_market();
  for (int i = 0; i < 200; ++i) {
    Offer offer = make_offer("p" + std::to_string(i % 7), "H100 SXM", 1 + i % 3, "2026-05");
    offer.price = exactly((1 + (i * 37) % 50) * dollar / hour);
    market.offers.push_back(offer);
  }
  const auto whole = select_offers(market.all(), market.catalogue, {}, 0);
  const auto first = select_offers(market.all(), market.catalogue, {.ordered = 20}, 0);
  ASSERT_TRUE(whole && first);
  EXPECT_EQ(offers_text(*whole, {}, false), offers_text(*first, {}, false));
  EXPECT_EQ(std::set(whole->rows.begin(), whole->rows.end()), std::set(first->rows.begin(), first->rows.end()));
  const auto sorted = select_offers(market.all(), market.catalogue, {.sort = "gpus-", .ordered = 20}, 0);
  EXPECT_EQ(sorted->rows, select_offers(market.all(), market.catalogue, {.sort = "gpus-"}, 0)->rows);
}

TEST(OffersReport, TableIsSortedByThePriceOfAGpuHour) {
  const Market market = small_market();
  const auto report = select_offers(market.all(), market.catalogue, {}, 7);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(
      offers_text(*report, {.columns = 140}, false),
      "  GPUS         PROVIDER  REGION     INSTANCE      MEMORY          PRICE      PRICE/GPU      SPOT  SPOT/GPU  "
      "AVAILABILITY  DATE\n                                                 GiB/GPU       per hour       per hour  per "
      "hour  per hour\n  2x RTX 4090  vast                                   24                                   "
      "$0.50     $0.25                2026-05\n  1x H100 SXM  vast                                   80  $1.50 … $2.50 "
      " $1.50 … $2.50                      varies        2026-05\n  8x H100 SXM  aws       us-east-1  p5.48xlarge      "
      " 80         $55.04          $6.88    $14.25     $1.78                2026-04\n\n  Shown 3 of 3 offers, cheapest "
      "GPU-hour first (on demand, or as spot where that is all there is).\n  Prices of 2026-04 to 2026-05: check them "
      "before you rent. 7 older offers hidden (--all).\n");
}

TEST(OffersReport, ShowsTheCheapestTwentyUnlessAskedForAll) {
  Market market = small_market();
  for (int i = 0; i < 30; ++i) {
    Offer offer = make_offer("p" + std::to_string(i), "RTX 4090", 1, "2026-05");
    offer.price = exactly((10.0 + i) * dollar / hour);
    market.offers.push_back(offer);
  }
  const std::vector<std::string> filter = {"4090"};
  const auto report = select_offers(market.all(), market.catalogue, {.filter = filter}, 0);
  ASSERT_TRUE(report.has_value());
  const std::string some = offers_text(*report, {.columns = 120}, false);
  EXPECT_NE(some.find("Shown 20 of 31 offers that match, of 33 (--all shows them), cheapest GPU-hour first (on demand"),
            std::string::npos)
      << some;
  EXPECT_EQ(some.find("p19"), std::string::npos);
  EXPECT_NE(some.find("p18"), std::string::npos);
  const std::string all = offers_text(*report, {.columns = 120}, true);
  EXPECT_NE(all.find("Shown 31 of 31 offers that match, of 33, cheapest"), std::string::npos);
  EXPECT_NE(all.find("p29"), std::string::npos);
}

TEST(OffersReport, Filters) {
  const Market market = small_market();
  const auto names = [&](const std::vector<std::string>& filter) {
    std::string result;
    const auto report = select_offers(market.all(), market.catalogue, {.filter = filter}, 0);
    for (const Offer* offer : report.value().rows) result += offer->provider + " " + std::to_string(offer->gpus) + ";";
    return result;
  };
  EXPECT_EQ(names({"h100"}), "vast 1;aws 8;");
  EXPECT_EQ(names({"us-east"}), "aws 8;");
  EXPECT_EQ(names({"price_per_gpu<3"}), "vast 1;") << "no price satisfies nothing";
  EXPECT_EQ(names({"per_gpu<$3/h"}), "vast 1;");
  EXPECT_EQ(names({"spot<1"}), "vast 2;");
  EXPECT_EQ(names({"memory>=80", "gpus>=8"}), "aws 8;");
  EXPECT_EQ(names({"as_of>=2026-05"}), "vast 2;vast 1;");
  EXPECT_EQ(offers_text(select_offers(market.all(), market.catalogue, {.filter = {"b200"}}, 0).value(), {}, false),
            "No offer matches 'b200' (3 offers, prices of 2026-04 to 2026-05).\n");
}

TEST(OffersReport, TakesWhatPeopleTypeElsewhere) {
  Market market = small_market();
  market.offers[2].region = "France, FR";
  const auto names = [&](const std::vector<std::string>& filter) {
    std::string result;
    const auto report = select_offers(market.all(), market.catalogue, {.filter = filter}, 0);
    for (const Offer* offer : report.value().rows) result += offer->provider + " " + std::to_string(offer->gpus) + ";";
    return result;
  };
  EXPECT_EQ(names({"H100:8"}), "aws 8;");
  EXPECT_EQ(names({"H100:1..4"}), "vast 1;");
  EXPECT_EQ(names({"8x H100"}), "aws 8;");
  EXPECT_EQ(names({"16GB..40GB"}), "vast 2;");
  EXPECT_EQ(names({"80GB.."}), "vast 1;aws 8;");
  EXPECT_EQ(names({"..80GB:2"}), "vast 2;");
  EXPECT_EQ(names({"gpu_name=H100_SXM num_gpus>=8 dph<60"}), "aws 8;");
  EXPECT_EQ(names({"gpu_name in [RTX_4090, H100_PCIE] num_gpus>=2"}), "vast 2;");
  EXPECT_EQ(names({"gpu=RTX_4090,H100_SXM"}), "vast 2;vast 1;aws 8;");
  EXPECT_EQ(names({"gpu!=RTX_4090,H100_PCIe"}), "vast 1;aws 8;");
  EXPECT_EQ(names({"region=France, FR"}), "vast 2;") << "names may have commas";
  EXPECT_EQ(names({"region=Berlin, FR"}), "") << "and are no lists of places then";
  EXPECT_EQ(names({"H100:2+"}), "aws 8;");
  EXPECT_EQ(names({"80GB+"}), "vast 1;aws 8;");
  EXPECT_EQ(names({"H100:8,RTX_4090:2"}), "vast 2;aws 8;");
  EXPECT_EQ(names({"RTX_4090,H100:8"}), "vast 2;aws 8;");
  for (const char* wrong : {"H100:4many", "H100:{1,8}", "H100:8,A100:4many"}) {
    const auto refused = select_offers(market.all(), market.catalogue, {.filter = {wrong}}, 0);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_TRUE(refused.error().usage);
  }
}

TEST(OffersReport, WordsOfSkyPilotAndDstack) {
  const auto meant = [](const std::vector<std::string>& filter) { return meant_offers(filter).filter; };
  using Terms = std::vector<std::string>;
  EXPECT_EQ(meant({"infra=aws/us-east-1/us-east-1a"}), (Terms{"provider=aws", "region=us-east-1", "zone=us-east-1a"}));
  EXPECT_EQ(meant({"infra=*/us-east-1"}), (Terms{"region=us-east-1"}));
  EXPECT_EQ(meant({"backend=aws H100:8"}), (Terms{"provider=aws", "H100:8"}));
  EXPECT_EQ(meant({"use_spot=true"}), (Terms{"spot>0"}));
  EXPECT_TRUE(meant_offers(Terms{"use_spot=true"}).spot);
  EXPECT_EQ(meant({"use_spot: no", "use_spot=no"}), (Terms{"use_spot: no"}));
  EXPECT_EQ(meant({"memory=64+"}), (Terms{"ram>=64"}));
  EXPECT_EQ(meant_offers(Terms{"memory=64+"}).notes.size(), 1U) << "gpuplan's memory is that of a GPU";
  EXPECT_EQ(meant({"memory>=64", "cpus=8+", "region=eu"}), (Terms{"memory>=64", "cpus=8+", "region=eu"}));
}

TEST(OffersReport, SortsByAnyField) {
  const Market market = small_market();
  const auto order = [&](const std::string& sort) {
    std::string result;
    const auto report = select_offers(market.all(), market.catalogue, {.sort = sort}, 0);
    if (!report) return report.error().message;
    for (const Offer* offer : report->rows) result += std::to_string(offer->gpus) + ";";
    return result;
  };
  EXPECT_EQ(order(""), "2;1;8;");
  EXPECT_EQ(order("gpus"), "1;2;8;");
  EXPECT_EQ(order("gpus-"), "8;2;1;");
  EXPECT_EQ(order("dph-"), "8;1;2;") << "no price comes last";
  EXPECT_EQ(order("dph"), "1;8;2;") << "in either direction";
  EXPECT_EQ(order("provider"), "8;2;1;");
  EXPECT_EQ(order("gpu,gpus-"), "8;1;2;") << "the first counts first";
  EXPECT_EQ(order("gpus-,dph"), "8;2;1;");
  EXPECT_TRUE(is_order("num_gpus,dph-"));
  EXPECT_FALSE(is_order("num_gpus,out.csv"));
  EXPECT_EQ(order("gpus,prise"), "--sort: unknown field 'prise'. Did you mean 'price'?");
  EXPECT_EQ(order("prise"), "--sort: unknown field 'prise'. Did you mean 'price'?");
}

TEST(OffersReport, GroupsHoldEveryOffer) {
  const Market market = small_market();
  for (const char* field : {"gpu", "provider", "region", "gpus", "as_of"}) {
    const auto report = select_offers(market.all(), market.catalogue, {.group_by = field}, 0);
    ASSERT_TRUE(report.has_value());
    const auto json = nlohmann::json::parse(offer_groups_json(*report));
    EXPECT_EQ(json["group_by"], field);
    int offers = 0;
    for (const auto& group : json["groups"]) offers += group["offers"].get<int>();
    EXPECT_EQ(offers, 3) << field;
  }
  const auto report = select_offers(market.all(), market.catalogue, {.group_by = "gpu"}, 0);
  const auto groups = nlohmann::json::parse(offer_groups_json(*report))["groups"];
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0]["gpu"], "RTX 4090") << "$0.25 a GPU-hour on spot";
  EXPECT_TRUE(groups[0]["lowest_usd_per_gpu_hour"].is_null());
  EXPECT_NEAR(groups[1]["lowest_usd_per_gpu_hour"].get<double>(), 2, 1e-12);
  EXPECT_NEAR(groups[1]["median_usd_per_gpu_hour"].get<double>(), (2 + 55.04 / 8) / 2, 1e-12);
  EXPECT_NEAR(groups[1]["highest_usd_per_gpu_hour"].get<double>(), 55.04 / 8, 1e-12);
  EXPECT_NE(offer_groups_text(*report, {.columns = 120}, false).find("Shown 2 of 2 groups of 3 offers, cheapest"),
            std::string::npos);
}

TEST(OffersReport, GroupsBySeveralFieldsHoldEachPairOfValuesOnce) {
  const Market market = small_market();
  const auto report = select_offers(market.all(), market.catalogue, {.group_by = "gpu_name, provider"}, 0);
  ASSERT_TRUE(report.has_value());
  const auto json = nlohmann::json::parse(offer_groups_json(*report));
  EXPECT_EQ(json["group_by"], "gpu,provider");
  std::set<std::pair<std::string, std::string>> pairs, found;
  for (const Offer& offer : market.offers) pairs.emplace(offer.gpu.str(), offer.provider.str());
  for (const auto& group : json["groups"]) {
    EXPECT_TRUE(found.emplace(group["gpu"], group["provider"]).second) << group;
    EXPECT_EQ(group["providers"], 1);
  }
  EXPECT_EQ(found, pairs);
  EXPECT_FALSE(select_offers(market.all(), market.catalogue, {.group_by = "gpu,colour"}, 0).has_value());
}

TEST(OffersReport, FiltersAsMarketplacesHaveThem) {
  Market market = small_market();
  market.offers[0].stock = Stock::kSoldOut;
  market.offers[1].disk_price = 0.15 * dollar / (GB * month);
  market.offers[1].egress_price = 0.02 * dollar / GB;
  const auto shown = [&](const std::string& filter) {
    const auto report = select_offers(market.all(), market.catalogue, {.filter = {filter}}, 0);
    if (!report) return report.error().message;
    std::string rows;
    for (const Offer& offer : market.offers)
      if (std::ranges::find(report->rows, &offer) != report->rows.end())
        rows += std::to_string(&offer - market.offers.data());
    return rows;
  };
  EXPECT_EQ(shown("rentable=true"), "12");
  EXPECT_EQ(shown("rented=False"), "12");
  EXPECT_EQ(shown("rentable=false"), "0");
  EXPECT_EQ(shown("storage_cost<0.2"), "1") << "who does not say it is not below it";
  EXPECT_EQ(shown("inet_up_cost<=0.02"), "1");
  EXPECT_EQ(shown("gpu_total_ram>=640"), "0");
  EXPECT_EQ(shown("gpu_total_ram>=80GB price<$3"), "1");
  EXPECT_EQ(shown("verified=true"), "filter 'verified=true': offers do not say 'verified'; leave it out");
  EXPECT_EQ(shown("accelerators=H100:8"), "0");
  EXPECT_EQ(shown("accelerators=H100:1"), "1");
  const auto all = select_offers(market.all(), market.catalogue, {}, 0);
  const std::string head = offers_csv(*all).substr(0, offers_csv(*all).find('\n'));
  for (const char* only : {"rentable", "rented", "total_memory"})
    EXPECT_EQ(head.find(only), std::string::npos) << only << " says again what other columns do";
  EXPECT_NE(head.find("disk_price_usd_per_gb_month,egress_price_usd_per_gb"), std::string::npos);
}

TEST(OffersReport, ListsPricesBesideOwnOnes) {
  const Market market = small_market();
  auto report = select_offers(market.all(), market.catalogue, {.sort = "gpus-"}, 0);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(offers_csv(*report).find("listed_price"), std::string::npos) << "all prices are the list's";
  report->listed.emplace(market.offers.data(), exactly(60 * dollar / hour));
  const std::string csv = offers_csv(*report);
  EXPECT_TRUE(csv.substr(0, csv.find('\n')).ends_with(",listed_price_usd_per_hour"));
  const std::string row = csv.substr(csv.find('\n') + 1);
  EXPECT_TRUE(row.substr(0, row.find('\n')).ends_with(",60")) << row;
  const auto json = nlohmann::json::parse(offers_json(*report));
  EXPECT_EQ(json["offers"][0]["listed_price_usd_per_hour"], 60);
  EXPECT_FALSE(json["offers"][1].contains("listed_price_usd_per_hour"));
}

TEST(OffersReport, GroupsStandInTheOrderAskedFor) {
  const Market market = small_market();
  for (const char* sort : {"price", "price-", "gpus", "gpus-", "provider", "as_of-"})
    for (const char* field : {"gpu", "provider", "gpus"}) {
      const auto report = select_offers(market.all(), market.catalogue, {.sort = sort, .group_by = field}, 0);
      ASSERT_TRUE(report.has_value());
      std::vector<std::string> wanted;
      for (const Offer* offer : report->rows)
        if (const std::string value = group_of(*report, *offer).front();
            std::ranges::find(wanted, value) == wanted.end())
          wanted.push_back(value);
      std::vector<std::string> found;
      const auto json = nlohmann::json::parse(offer_groups_json(*report));
      for (const auto& group : json["groups"])
        found.push_back(group[field].is_string() ? group[field].get<std::string>() : group[field].dump());
      EXPECT_EQ(found, wanted) << sort << " by " << field;
      EXPECT_NE(offer_groups_text(*report, {.columns = 200}, false).find("of each, by " + report->sort),
                std::string::npos);
    }
}

TEST(OffersReport, UserTextIsMadeHarmless) {
  Market market = small_market();
  market.offers[0].label = "evil\x1b[31m";
  market.offers[0].region = "a\nb";
  const std::string text = offers_text(*select_offers(market.all(), market.catalogue, {}, 0), {.columns = 140}, false);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("evil?[31m"), std::string::npos);
  EXPECT_NE(text.find("a?b"), std::string::npos);
}

TEST(OffersReport, Json) {
  const Market market = small_market();
  const auto json = nlohmann::json::parse(offers_json(*select_offers(market.all(), market.catalogue, {}, 7)));
  EXPECT_EQ(json["schema"], "gpuplan/offers@1");
  EXPECT_EQ(json["market"]["as_of"], "2026-05");
  EXPECT_EQ(json["market"]["too_old"], 7);
  EXPECT_EQ(json["market"]["sources"], nlohmann::json::array({"a price list"}));
  ASSERT_EQ(json["offers"].size(), 3U);
  const auto& range = json["offers"][1];
  EXPECT_NEAR(range["price_usd_per_hour"].get<double>(), 2, 1e-12);
  EXPECT_NEAR(range["price_usd_per_hour_range"]["p90"].get<double>(), 2.5, 1e-12);
  EXPECT_TRUE(range["spot_usd_per_hour"].is_null());
  EXPECT_TRUE(json["offers"][0]["price_usd_per_hour"].is_null());
  EXPECT_NEAR(json["offers"][2]["spot_per_gpu_usd_per_hour"].get<double>(), 14.25 / 8, 1e-12);
  EXPECT_TRUE(json["offers"][2]["ram_gib"].is_null());
  EXPECT_EQ(json["offers"][2]["label"], "8x H100 SXM");
}

}  // namespace
}  // namespace gpuplan
