// Clouds and their traps: Windows, reservations, capacity that is none, floors of spot, memory summed over GPUs, parts
// of GPUs.
#include "input/feeds/json_feed_fixture.h"
#include "input/feeds/read_feed.h"
#include "input/feeds/rows/parted_lists.h"

namespace gpuplan {
namespace {

using namespace feed_test;

std::string azure_row(std::string_view sku, std::string_view product, std::string_view meter, std::string_view more) {
  std::string row = R"({"armRegionName":"eastus","currencyCode":"USD","unitOfMeasure":"1 Hour","armSkuName":")";
  row.append(sku).append(R"(","productName":")").append(product).append(R"(","meterName":")").append(meter);
  return row.append("\",").append(more).append("}");
}

TEST(AzureFeed, TakesLinuxByTheHourAlone) {
  const std::string_view sku = "Standard_ND96isr_H100_v5", series = "Virtual Machines NDsr H100 v5 Series";
  const std::string linux = R"("type":"Consumption","retailPrice":)";
  std::string page = R"({"BillingCurrency":"USD","Items":[)";
  page += azure_row(sku, series, "ND96isrH100v5", linux + "98.32") + "," +
          azure_row(sku, std::string(series) + " Windows", "ND96isrH100v5", linux + "102.7") + "," +
          azure_row(sku, series, "ND96isrH100v5 Spot", linux + "18.5") + "," +
          azure_row(sku, series, "ND96isrH100v5 Low Priority", linux + "41") + "," +
          azure_row(sku, series, "ND96isrH100v5",
                    R"("type":"Reservation","reservationTerm":"1 Year","retailPrice":500000)") +
          "," + azure_row(sku, series, "x", R"("type":"DevTestConsumption","retailPrice":90)") + "," +
          azure_row("Standard_NV6ads_A10_v5", "Virtual Machines NVadsA10v5 Series", "x", linux + "0.45") + "," +
          azure_row("Standard_NX1_unheard", "Virtual Machines NX", "x", linux + "1") + "," +
          azure_row("Standard_D2s_v5", "Virtual Machines Dsv5 Series", "x", linux + "0.1") + "]}";
  // The next page follows in the same file.
  const std::string next = R"({"Items":[)" + azure_row("standard_nc4as_t4_v3", "T4", "x", linux + "0.526") + "]}";
  const Feed feed = read_list("azure", page + "\n" + next);
  EXPECT_EQ(said(feed),
            (Lines{"8x H100 SXM 98.32 in eastus", "8x H100 SXM spot 18.5 in eastus", "1x T4 0.526 in eastus"}));
  EXPECT_EQ(feed.offers[0].vcpus, 96);
  EXPECT_EQ(feed.rejections, counts({{"with Windows", 1},
                                     {"Low Priority of Azure Batch, which is no Spot", 1},
                                     {"a reservation, priced for its whole term", 1},
                                     {"a price for development and test", 1},
                                     {"a part of a GPU", 1},
                                     {"a size of Azure that gpuplan does not know: Standard_NX1_unheard", 1},
                                     {"no GPU", 1}}));
}

std::string aws_product(std::string_view sku, std::string_view instance, std::string_view more) {
  std::string text = "\"";
  text.append(sku).append(R"(":{"sku":")").append(sku).append(R"(","productFamily":"Compute Instance","attributes":{)");
  return text.append(R"("instanceType":")")
             .append(instance)
             .append(R"(","regionCode":"us-east-1","gpu":"8")")
             .append(more) +
         "}}";
}

std::string aws_term(std::string_view sku, std::string_view price) {
  const std::string key(sku);
  return "\"" + key + R"(":{")" + key + R"(.J":{"priceDimensions":{"x":{"unit":"Hrs","pricePerUnit":{"USD":")" +
         std::string(price) + R"("}}}}})";
}

TEST(AwsFeed, JoinsMachinesWithTheirPrices) {
  const std::string linux =
      R"(,"operatingSystem":"Linux","tenancy":"Shared","preInstalledSw":"NA","capacitystatus":"Used")";
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = linux;
    return text.replace(text.find(from), from.size(), to);
  };
  std::string list =
      R"({"formatVersion":"v1.0","offerCode":"AmazonEC2","publicationDate":"2026-11-02T10:00:00Z","products":{)";
  list +=
      aws_product("A", "p5.48xlarge", linux + R"(,"vcpu":"192","memory":"2,048 GiB")") + "," +
      aws_product("B", "p5.48xlarge", changed("Linux", "Windows")) + "," +
      aws_product("C", "p5.48xlarge", changed("Shared", "Dedicated")) + "," +
      aws_product("D", "p5.48xlarge", changed("Used", "UnusedCapacityReservation")) + "," +
      aws_product("E", "p5.48xlarge", changed("NA", "SQL Web")) + "," +
      aws_product("F", "p5.48xlarge", linux + R"(,"marketoption":"CapacityBlock")") + "," +
      aws_product("G", "g6.xlarge", linux) + "," + aws_product("H", "p99.metal", linux) +
      R"(,"I":{"productFamily":"Compute Instance","attributes":{"instanceType":"m5.large"}},"J":{"productFamily":"Storage"}},)";
  list += R"("terms":{"OnDemand":{)" + aws_term("A", "55.0400000000") + "," + aws_term("B", "99") +
          R"(},"Reserved":{)" + aws_term("A", "11.11") + "," + aws_term("G", "0.2") + "}}}";
  const Feed feed = read_list("aws", list);
  ASSERT_EQ(said(feed), Lines{"8x H100 SXM 55.04 in us-east-1"}) << "on demand, not the reservation";
  EXPECT_EQ(feed.offers[0].as_of, "2026-11-02");
  EXPECT_DOUBLE_EQ(feed.offers[0].ram / units::GiB, 2048);
  EXPECT_EQ(feed.rejections, counts({{"not with Linux", 1},
                                     {"a dedicated machine or host", 1},
                                     {"capacity that is reserved, used or not", 1},
                                     {"with software installed", 1},
                                     {"a capacity block", 1},
                                     {"no price on demand", 1},
                                     {"a machine of AWS that gpuplan does not know: p99.metal", 1},
                                     {"no GPU", 1},
                                     {"no machine", 1}}));
}

TEST(AwsFeed, FindsThePriceOfEachOfManyProducts) {
  std::string products, terms;
  constexpr int kMany = 3000;
  for (int i = 0; i < kMany; ++i) {
    // SKUs of any length, of which none is told by its beginning.
    const std::string sku = std::string(static_cast<std::size_t>(1 + i % 40), 'S') + std::to_string(i);
    products += aws_product(sku, i % 2 == 0 ? "p5.48xlarge" : "g6.xlarge", R"(,"operatingSystem":"Linux")") + ",";
    if (i % 3 != 0) terms += aws_term(sku, std::to_string(1 + i)) + ",";
  }
  products += aws_product("S" + std::to_string(0), "g6.xlarge", "");  // again
  terms += aws_term("unheard of", "3");
  const Feed feed =
      read_list("aws", R"({"offerCode":"AmazonEC2","publicationDate":"2026-11-02T10:00:00Z","products":{)" + products +
                           R"(},"terms":{"OnDemand":{)" + terms + "}}}");
  EXPECT_EQ(feed.rows, kMany + 1U);
  EXPECT_EQ(feed.rejections,
            counts({{"no price on demand", kMany / 3}, {"another product of the same SKU follows", 1}}));
  ASSERT_EQ(feed.offers.size(), std::size_t{kMany} * 2 / 3);
  int i = 0;
  for (const Offer& offer : feed.offers) {
    if (i % 3 == 0) ++i;
    EXPECT_EQ(offer.gpus, i % 2 == 0 ? 8 : 1) << i;
    EXPECT_NEAR(offer.price->p50 * units::hour / units::dollar, 1 + i, 1e-9) << i;
    ++i;
  }
}

TEST(AwsFeed, ReadsThePricingPage) {
  const Feed feed = read_list("aws-page", R"json({"manifest":{"hawkFilePublicationDate":"2026-09-10T19:55:14Z"},
    "regions":{"US East (N. Virginia)":{"a":{"Instance Type":"p4d.24xlarge","Operating System":"Linux","price":"21.9576"},
    "b":{"Instance Type":"p4d.24xlarge","Operating System":"Windows","price":"26"},
    "c":{"Instance Type":"m5.large","Operating System":"Linux","price":"0.096"}}}})json");
  EXPECT_EQ(said(feed), Lines{"8x A100 SXM 40GB 21.9576 in us-east-1"});
  EXPECT_EQ(feed.offers[0].as_of, "2026-09-10");
  EXPECT_EQ(feed.rejections, counts({{"not with Linux", 1}, {"no GPU", 1}}));
}

TEST(AwsFeed, SetsSpotPricesAtTheFloorAside) {
  Catalogue market = catalogue();
  market.offers.clear();
  Offer& known = market.offers.emplace_back();
  known.provider = "aws";
  known.instance = "p5.48xlarge";
  known.gpu = "H100 SXM";
  known.gpus = 8;
  known.price = exactly(75.955 * units::dollar / units::hour);
  FeedTerms terms;
  terms.provider = "aws";
  FeedRows rows(terms, "", market);
  const auto reader = find_feed_format("aws-spot-history")->reader(rows);
  ASSERT_TRUE(reader->take(R"({"SpotPriceHistory":[
    {"AvailabilityZone":"ap-southeast-3a","InstanceType":"p5.48xlarge","ProductDescription":"Linux/UNIX","SpotPrice":"7.595500","Timestamp":"2026-11-20T10:00:00+00:00"},
    {"AvailabilityZone":"us-east-1b","InstanceType":"p5.48xlarge","ProductDescription":"Linux/UNIX","SpotPrice":"14.25","Timestamp":"2026-11-20T10:00:00+00:00"},
    {"AvailabilityZone":"us-east-1b","InstanceType":"p5.48xlarge","ProductDescription":"Windows","SpotPrice":"20"}]})"));
  ASSERT_TRUE(reader->finish());
  const Feed feed = rows.finish();
  EXPECT_EQ(said(feed), Lines{"8x H100 SXM spot 14.25 in us-east-1"});
  EXPECT_EQ(feed.offers[0].zone, "us-east-1b");
  EXPECT_EQ(feed.offers[0].as_of, "2026-11-20");
  EXPECT_EQ(feed.rejected(), 2U);
}

TEST(AwsFeed, ReadsTheSpotHistoryWithAndWithoutItsWrapping) {
  const std::string_view prices = R"([
    {"AvailabilityZone":"us-east-1b","InstanceType":"g6.xlarge","ProductDescription":"Linux/UNIX","SpotPrice":"0.25","Timestamp":"2026-11-20T10:00:00+00:00"},
    {"AvailabilityZone":"us-east-1a","InstanceType":"g6.xlarge","ProductDescription":"Windows","SpotPrice":"0.5","Timestamp":"2026-11-20T10:00:00+00:00"}])";
  const std::string bare(prices), wrapped = R"({"SpotPriceHistory":)" + bare + "}";
  for (const std::string& text : {bare, wrapped, "\n  " + bare}) {
    const FeedFormat* format = recognise_feed(text);
    ASSERT_NE(format, nullptr) << text;
    EXPECT_EQ(format->name, "aws-spot-history");
    const Feed feed = read_list("aws-spot-history", text);
    EXPECT_EQ(said(feed), Lines{"1x L4 spot 0.25 in us-east-1"});
    EXPECT_EQ(feed.rejections, counts({{"not with Linux", 1}}));
  }
}

TEST(AwsFeed, ReadsTheSpotPageAsPagesLoadIt) {
  const std::string_view call =
      R"(/* for aws.amazon.com (only) */
callback({"vers":0.01,"config":{"rate":"perhr","regions":[{"region":"us-east","footnotes":{"*":"none (yet);"},"instanceTypes":[{"type":"gpu",
"sizes":[{"size":"g6.xlarge","valueColumns":[{"name":"linux","prices":{"USD":"0.25"}}]}]}]}]}} );
)";
  for (const std::size_t piece : {1U, 5U, 4096U}) {
    FeedTerms terms;
    terms.file = "spot.js";
    terms.as_of = "2026-11-25";
    FeedSource source(terms, "", catalogue());
    for (std::size_t at = 0; at < call.size(); at += piece) ASSERT_TRUE(source.take(call.substr(at, piece)));
    const auto feeds = source.finish();
    ASSERT_TRUE(feeds) << feeds.error().message;
    ASSERT_EQ(feeds->size(), 1U);
    EXPECT_EQ(said(feeds->front()), Lines{"1x L4 spot 0.25 in us-east-1"});
  }
  // A damaged one says where.
  FeedSource source({.file = "spot.js", .provider = "", .as_of = "", .source = ""}, "", catalogue());
  std::string damaged(call);
  damaged.insert(damaged.find("\"name\""), "@");
  EXPECT_TRUE(source.take(damaged));  // short, and looked at when it is whole
  const auto feeds = source.finish();
  ASSERT_FALSE(feeds);
  EXPECT_EQ(feeds.error().place.line, 3);
}

TEST(AwsFeed, TheSpotAdvisorTellsBandsOfOtherLists) {
  const std::string advisor =
      R"({"instance_types":{"g6.xlarge":{"emr":true,"cores":4,"ram_gb":16.0},"m5.large":{"emr":true,"cores":2,"ram_gb":8.0}},)"
      R"("spot_advisor":{"us-east-1":{"Linux":{"g6.xlarge":{"s":60,"r":4},"m5.large":{"s":50,"r":0}},"Windows":{"g6.xlarge":{"s":1,"r":0}}},)"
      R"("eu-west-1":{"Linux":{"g6.xlarge":{"s":60,"r":0}}}},)"
      R"("ranges":[{"index":0,"label":"<5%","max":5},{"index":4,"label":">20%","max":100}]})";
  const std::string prices = R"([
    {"AvailabilityZone":"us-east-1b","InstanceType":"g6.xlarge","ProductDescription":"Linux/UNIX","SpotPrice":"0.25","Timestamp":"2026-11-20T10:00:00+00:00"},
    {"AvailabilityZone":"eu-west-1a","InstanceType":"g6.xlarge","ProductDescription":"Linux/UNIX","SpotPrice":"0.3","Timestamp":"2026-11-20T10:00:00+00:00"},
    {"AvailabilityZone":"us-west-2a","InstanceType":"g6.xlarge","ProductDescription":"Linux/UNIX","SpotPrice":"0.3","Timestamp":"2026-11-20T10:00:00+00:00"}])";
  for (const bool first : {true, false}) {
    PartedLists parted;
    std::vector<Feed> all;
    for (const std::string& text : first ? Lines{advisor, prices} : Lines{prices, advisor}) {
      FeedTerms terms;
      terms.file = "list.json";
      terms.parted = &parted;
      FeedSource source(terms, "", catalogue());
      ASSERT_TRUE(source.take(text));
      auto feeds = source.finish();
      ASSERT_TRUE(feeds) << feeds.error().message;
      std::ranges::move(*feeds, std::back_inserter(all));
    }
    parted.give_bands(all);
    EXPECT_FALSE(parted.missing());
    ASSERT_EQ(all.size(), 1U);
    ASSERT_EQ(all[0].offers.size(), 3U);
    EXPECT_EQ(all[0].offers[0].band, SpotBand::kAbove20);
    EXPECT_EQ(all[0].offers[1].band, SpotBand::kBelow5);
    EXPECT_FALSE(all[0].offers[2].band) << "a region that the advisor does not have";
  }
  EXPECT_NE(read_as("aws-advisor", advisor).error.find("Spot Advisor: it says how often"), std::string::npos);
}

TEST(AwsFeed, ReadsTheSpotPage) {
  const Feed feed =
      read_list("aws-spot", R"({"config":{"rate":"perhr","regions":[{"region":"us-east","instanceTypes":[{"type":"gpu",
    "sizes":[{"size":"g6.xlarge","valueColumns":[{"name":"linux","prices":{"USD":"0.25"}},{"name":"mswin","prices":{"USD":"0.4"}}]},
    {"size":"g6.2xlarge","valueColumns":[{"name":"linux","prices":{"USD":"N/A*"}}]}]}]}]}})");
  EXPECT_EQ(said(feed), Lines{"1x L4 spot 0.25 in us-east-1"});
  EXPECT_EQ(feed.rejections, counts({{"not with Linux", 1}, {"no price", 1}}));
}

TEST(OciFeed, JoinsMachinesWithThePricesOfTheirParts) {
  const std::string shapes = R"({"items":[
    {"name":"BM.GPU.H100.8","hidden":false,"status":"ACTIVE","allowPreemptible":true,"bundleMemoryQty":2048,"gpuQty":8,
     "gpuMemoryQty":640,"processorType":{"value":"intel"},"products":[{"partNumber":"G1","qty":112,"type":{"value":"ocpu"}}]},
    {"name":"VM.GPU.A10.2","status":"ACTIVE","allowPreemptible":true,"gpuQty":2,"gpuMemoryQty":48,
     "processorType":{"value":"arm"},"products":[{"partNumber":"G2","qty":30,"type":{"value":"ocpu"}}]},
    {"name":"VM.GPU9.1","status":"ACTIVE","allowPreemptible":false,"gpuQty":1,"gpuMemoryQty":48,"products":[]},
    {"name":"BM.GPU.L40S.4","status":"ACTIVE","gpuQty":4,"gpuMemoryQty":192,"products":[
      {"partNumber":"G3","qty":4,"type":{"value":"gpu"}},{"partNumber":"C1","qty":112,"type":{"value":"ocpu"}},
      {"partNumber":"M1","qty":1024,"type":{"value":"memory"}},{"partNumber":"D1","qty":7.6,"type":{"value":"disk"}}]},
    {"name":"BM.GPU.A100-v2.8","status":"ACTIVE","gpuQty":8,"gpuMemoryQty":640,"products":[{"partNumber":"none","qty":64,"type":{"value":"ocpu"}}]},
    {"name":"BM.GPU4.8","status":"ACTIVE","gpuQty":8,"gpuMemoryQty":320,"products":[{"partNumber":"T1","qty":64,"type":{"value":"ocpu"}}]},
    {"name":"VM.GPU3.1","status":"ACTIVE","gpuQty":1,"gpuMemoryQty":16,"products":[{"partNumber":"S1","qty":6,"type":{"value":"ocpu"}}]},
    {"name":"VM.GPU2.1","hidden":true,"gpuQty":1,"gpuMemoryQty":16,"products":[{"partNumber":"G1","qty":12,"type":{"value":"ocpu"}}]},
    {"name":"BM.Standard.E4.128","status":"ACTIVE","gpuQty":null,"products":[{"partNumber":"C1","qty":128,"type":{"value":"ocpu"}}]}]})";
  const auto product = [](std::string_view part, std::string_view metric, std::string_view prices) {
    return R"({"partNumber":")" + std::string(part) + R"(","displayName":"a part","metricName":")" +
           std::string(metric) +
           R"(","currencyCodeLocalizations":[{"currencyCode":"EUR","prices":[{"model":"PAY_AS_YOU_GO","value":1000}]},)" +
           R"({"currencyCode":"USD","prices":[)" + std::string(prices) + "]}]}";
  };
  const std::string products =
      R"({"items":[)" +
      product("G1", "GPU Per Hour", R"({"model":"PAY_AS_YOU_GO","value":10},{"model":"MONTHLY","value":9})") + "," +
      product("G2", "GPU Per Hour", R"({"model":"PAY_AS_YOU_GO","value":2})") + "," +
      product("G3", "GPU Per Hour", R"({"model":"PAY_AS_YOU_GO","value":3.5})") + "," +
      product("C1", "OCPU Per Hour", R"({"model":"PAY_AS_YOU_GO","value":0.025})") + "," +
      product("M1", "Gigabyte Per Hour", R"({"model":"PAY_AS_YOU_GO","value":0.0015})") + "," +
      product("D1", "NVMe Terabyte Per Hour", R"({"model":"PAY_AS_YOU_GO","value":0.0612})") + "," +
      product("T1", "GPU Per Hour", R"({"model":"PAY_AS_YOU_GO","value":0},{"model":"PAY_AS_YOU_GO","value":3.05})") +
      "," + product("S1", "Gigabyte Storage Capacity Per Month", R"({"model":"PAY_AS_YOU_GO","value":0.0255})") + "]}";
  // 4 x 3.5 + 112 x 0.025 + 1024 x 0.0015 + 7.6 x 0.0612; the processors of the others come with their GPUs.
  const Lines machines = {"8x H100 SXM 80", "2x A10 4 spot 2", "4x L40S 18.80112"};
  for (const std::string& text : {shapes + products, products + "\n" + shapes}) {
    const FeedFormat* format = recognise_feed(text);
    ASSERT_NE(format, nullptr);
    EXPECT_EQ(format->name, "oci");
    for (const std::size_t piece : {1U, 64U, 100'000U}) {
      const Read read = read_as("oci", text, piece);
      EXPECT_EQ(read.error, "");
      EXPECT_EQ(said(read.feed), machines);
    }
    const Feed feed = read_as("oci", text).feed;
    EXPECT_EQ(feed.rejections, counts({{"no GPU", 2},
                                       {"a part that the list of products has not", 1},
                                       {"a part with several prices", 1},
                                       {"a part that is not paid by the hour", 1},
                                       {"a machine that is no longer offered", 1}}));
    EXPECT_EQ(feed.corrections, counts({{"a spot price of half by rule, which OCI has for no bare metal, left out", 1},
                                        {"preemptible at half the price, by Oracle's rule", 1}}));
    EXPECT_EQ(feed.rows, 9U);
    EXPECT_DOUBLE_EQ(feed.offers[0].ram / units::GiB, 2048);
    EXPECT_EQ(feed.offers[1].vcpus, 60);
    EXPECT_DOUBLE_EQ(feed.offers[2].ram / units::GiB, 1024);
  }
  // Alone, a list says what it lacks; with others of the call it waits for them.
  EXPECT_NE(read_as("oci", shapes).error.find("shapes.json products.json"), std::string::npos);
  EXPECT_NE(read_as("oci", products).error.find("list of shapes"), std::string::npos);
}

TEST(VerdaFeed, DividesTheMemoryOfAllGpus) {
  const Feed feed = read_list("verda", R"([
    {"instance_type":"2A6000.20V","gpu":{"description":"2x RTX A6000 48GB","number_of_gpus":2},"gpu_memory":{"size_in_gigabytes":96},
     "cpu":{"number_of_cores":20},"memory":{"size_in_gigabytes":120},"price_per_hour":"1.98","spot_price":"0.70","currency":"usd"},
    {"instance_type":"1V100.6V","gpu":{"description":"1x Tesla V100 16GB","number_of_gpus":1},"gpu_memory":{"size_in_gigabytes":16},
     "price_per_hour":"0.89","spot_price":"0"},
    {"instance_type":"CPU.4V","gpu":{"description":"","number_of_gpus":0},"price_per_hour":"0.1"}])");
  EXPECT_EQ(said(feed), (Lines{"2x RTX A6000 1.98 spot 0.7", "1x V100 SXM2 16GB 0.89"}));
  EXPECT_EQ(feed.rejections, counts({{"no GPU", 1}}));
}

TEST(VultrFeed, TellsPartsOfGpusByTheirMemory) {
  const Feed feed = read_list("vultr", R"({"plans":[
    {"id":"vcg-a100-12c-120g-80vram","vcpu_count":12,"ram":122880,"monthly_cost":1750,"hourly_cost":2.397,"locations":["ewr","ord"],"gpu_vram_gb":80,"gpu_type":"NVIDIA_A100"},
    {"id":"vcg-a100-6c-60g-40vram","vcpu_count":6,"ram":1,"monthly_cost":800,"hourly_cost":1.2,"locations":["ewr"],"gpu_vram_gb":40,"gpu_type":"NVIDIA_A100"},
    {"id":"vcg-a40-48c-240g-96vram","vcpu_count":48,"ram":245760,"monthly_cost":2500,"locations":[],"gpu_vram_gb":96,"gpu_type":"NVIDIA_A40"},
    {"id":"vc2-1c","vcpu_count":1,"ram":1024,"monthly_cost":5,"hourly_cost":0.007,"locations":["ewr"]}]})");
  EXPECT_EQ(said(feed),
            (Lines{"1x A100 PCIe 80GB 2.397 in ewr", "1x A100 PCIe 80GB 2.397 in ord", "2x A40 3.424658, sold out"}));
  EXPECT_EQ(feed.rejections, counts({{"a part of a GPU", 1}, {"no GPU", 1}}));
  const Feed metal = read_list("vultr-metal", R"({"plans_metal":[
    {"id":"vbm-256c-2048gb-8-mi300x-gpu","cpu_threads":256,"ram":2321924,"monthly_cost":11773.44,"hourly_cost":17.52,"hourly_cost_preemptible":14.72,"locations":["ord"]},
    {"id":"vbm-72c-480gb-gh200-gpu","cpu_threads":72,"ram":491520,"monthly_cost":1344,"locations":["atl"]},
    {"id":"vbm-4c-32gb","monthly_cost":120,"hourly_cost":0.2,"locations":["atl"]}]})");
  EXPECT_EQ(said(metal), (Lines{"8x MI300X 17.52 spot 14.72 in ord", "1x GH200 96GB 2 in atl"}));
}

TEST(DigitalOceanFeed, TakesSingleGpusForPartsOfBoards) {
  const Feed feed = read_list("digitalocean", R"({"sizes":[
    {"slug":"s-1vcpu","memory":512,"vcpus":1,"price_hourly":0.006,"regions":["ams3"],"available":true},
    {"slug":"gpu-h100x1-80gb","memory":245760,"vcpus":20,"price_hourly":3.39,"regions":["nyc2","tor1"],"available":true,
     "gpu_info":{"count":1,"vram":{"amount":80,"unit":"gib"},"model":"nvidia_h100"}},
    {"slug":"gpu-mi300x8-1536gb","memory":1966080,"vcpus":160,"price_hourly":15.92,"regions":["nyc1"],"available":false,
     "gpu_info":{"count":8,"vram":{"amount":1536,"unit":"gib"},"model":"amd_mi300x"}}]})");
  EXPECT_EQ(said(feed),
            (Lines{"1x H100 SXM 3.39 in nyc2", "1x H100 SXM 3.39 in tor1", "8x MI300X 15.92 in nyc1, sold out"}));
}

TEST(HyperstackFeed, TellsBridgesFromBoardsAndDatesItsRows) {
  const Feed feed = read_list("hyperstack", R"({"data":{"CANADA":{"H100":[
    {"name":"n3-H100x8-NVLink","vendor_region_name":"CANADA-1","price_per_hour":21.5,"cpu":252,"ram":1440,"gpu":"H100-80G-PCIe-NVLink","gpu_count":8,"stock":9,"is_available":true,"created_at":"1730479999"},
    {"name":"n3-H100x8-SXM5","vendor_region_name":"CANADA-1","price_per_hour":24,"gpu":"H100-80G-SXM5","gpu_count":8,"stock":0}]}}})");
  EXPECT_EQ(said(feed), (Lines{"8x H100 PCIe 21.5 in CANADA-1", "8x H100 SXM 24 in CANADA-1, sold out"}));
  EXPECT_EQ(feed.offers[0].as_of, "2024-11-01");
  EXPECT_EQ(feed.offers[1].as_of, "2026-11-25");
}

TEST(JarvisLabsFeed, MultipliesAllThatIsOfOneGpu) {
  const Feed feed = read_list("jarvislabs", R"({"server_meta":[{"gpu_type":"H100","region":"r","num_free_devices":2,
    "price_per_hour":3,"spot_price":1.5,"vram":"80","cpus_per_gpu":16,"ram_per_gpu":200,"num_gpus":"4","workload_type":"vm"}]})");
  EXPECT_EQ(said(feed), (Lines{"1x H100 SXM 3 spot 1.5 in r", "2x H100 SXM 6 spot 3 in r",
                               "4x H100 SXM 12 spot 6 in r, sold out"}));
  EXPECT_EQ(feed.offers[2].vcpus, 64);
}

TEST(SeewebFeed, CountsEuros) {
  const std::string_view list = R"({"plans":[
    {"name":"ECS1GPU7","cpu":"8","ram":"32768","gpu":"1","gpu_label":"L40s 48GB","hourly_price":0.8,"available":true,"available_regions":[{"location":"it-fr2"}]},
    {"name":"eCS4","cpu":"4","gpu":"0","gpu_label":null,"hourly_price":0.06,"available":true,"available_regions":[]}]})";
  EXPECT_EQ(said(read_list("seeweb", list)), Lines{"1x L40S 1 in it-fr2"});
  FeedRows rows({"x.json", "seeweb", "2026-11-25", "s"}, "", catalogue());
  const auto reader = find_feed_format("seeweb")->reader(rows);
  ASSERT_TRUE(reader->take(list));
  ASSERT_TRUE(reader->finish());
  EXPECT_EQ(rows.finish().kept, 0U) << "no rate, no dollars";
}

TEST(GcpBillingFeed, TakesNoGpuWithoutItsMachine) {
  const Feed feed = read_list("gcp-billing", R"({"skus":[
    {"description":"Nvidia H100","category":{"resourceGroup":"GPU","usageType":"OnDemand"},"pricingInfo":[]},
    {"description":"N2 core","category":{"resourceGroup":"CPU"},"pricingInfo":[]}]})");
  EXPECT_EQ(feed.rejections, counts({{"the price of a GPU without its machine", 1}, {"no GPU", 1}}));
}

}  // namespace
}  // namespace gpuplan
