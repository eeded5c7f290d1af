// Lists of one's own in JSON, ledgers, and what is no price list.
#include "input/feeds/json_feed_fixture.h"

namespace gpuplan {
namespace {

using namespace feed_test;

TEST(OwnJson, FindsFieldsByTheirUsualNames) {
  const Feed feed = read_list("json", R"({"date":"2026-11-20","offers":[
    {"provider":"Acme","gpu":"H100 SXM","gpu_count":8,"price_per_gpu":2.5,"region":"eu"},
    {"cloud":"beta","gpu_name":"8x H100 SXM","hourlyPrice":"$20.00","asOf":"2026-11-21T08:00:00Z","available":false},
    {"provider":"c","gpuModel":"L40S","usd_per_gpu_hour":1},
    {"provider":"c","gpu":"L40S","gpus":2,"price_cents_per_hour":150},
    {"provider":"c","gpu":"L40S","gpus":1,"price":1,"spot":true},
    {"provider":"c","gpu":"L40S","gpus":1,"price":1,"spot_price":0.4},
    {"provider":"c","gpu":"L40S","gpus":1,"price":5000,"pricing_type":"reserved 1 year"},
    {"provider":"c","gpu":"L40S","gpus":1,"price":"one"},
    {"provider":"c","gpu":"L40S","gpus":1,"price":1,"currency":"CHF"},
    {"gpu":"L40S","gpus":1,"price":1}, 5]})");
  EXPECT_EQ(said(feed), (Lines{"8x H100 SXM 20 in eu", "8x H100 SXM 20, sold out", "1x L40S 1", "2x L40S 1.5",
                               "1x L40S spot 1", "1x L40S 1 spot 0.4"}));
  EXPECT_EQ(feed.offers[0].as_of, "2026-11-20");
  EXPECT_EQ(feed.offers[1].as_of, "2026-11-21");
  EXPECT_EQ(feed.offers[0].provider, "acme");
  EXPECT_EQ(feed.rejections, counts({{"a reservation or commitment", 1},
                                     {"a price that is no number", 1},
                                     {"a price in CHF (--rate CHF=DOLLARS)", 1},
                                     {"no provider", 1},
                                     {"an entry that is no object in braces", 1}}));
}

TEST(OwnJson, FindsFieldsInObjectsOfARecord) {
  const Feed feed = read_list("json", R"([
    {"provider":{"name":"Acme"},"gpu":{"model":"H100 SXM","count":8,"memory_gb":80},"price":{"hourly":"20,40","currency":"EUR"},
     "location":{"region":"eu-west"},"specs":{"vcpus":192,"memory_gib":2048},"date":45987},
    {"provider":"b","accelerator":{"name":"L4","count":2},"pricing":{"on_demand":{"hourly":2.5},"spot":{"hourly":1}}},
    {"provider":"c","resources":{"gpus":[{"name":"L40S","count":4}],"vcpu":64},"price":{"amount":3.2,"unit":"gpu_hour"}},
    {"provider":"d","gpu":{"model":"L4","count":1},"price":{"gross":{"hourly":1.19}},"vat_rate":19},
    {"provider":"e","gpu":{"model":"L4"},"price":{"hourly":{"value":1}}},
    {"proveedor":"f","tarjeta":"L4","cantidad":2,"precio_por_hora":"1,50"},
    {"provider":"g","gpu":"L4","gpus":2,"price":1.5,"tags":["a","b"],"history":[{"price":1},{"price":2}]}])");
  EXPECT_EQ(said(feed), (Lines{"8x H100 SXM 25.5 in eu-west", "2x L4 2.5 spot 1", "4x L40S 12.8", "1x L4 1",
                               "2x L4 1.5", "2x L4 1.5"}));
  ASSERT_EQ(feed.offers.size(), 6U);
  EXPECT_EQ(feed.offers[0].provider, "acme");
  EXPECT_EQ(feed.offers[0].vcpus, 192);
  EXPECT_EQ(feed.offers[0].as_of, "2025-11-26");
  EXPECT_EQ(feed.rejections, counts({{"no number of GPUs", 1}}));
}

TEST(OwnJson, KindsOfPriceUnderAnyName) {
  const auto of = [](const std::string& field) {
    const Feed feed = read_list("json", R"([{"provider":"c","gpu":"L4","gpus":1,"price":1,)" + field + "}]");
    return feed.kept == 1 ? said(feed).front() : feed.rejections.begin()->first;
  };
  for (const char* field : {R"("type":"spot")", R"("plan":"Preemptible")", R"("purchase_option":"spot")",
                            R"("interruptible":true)", R"("anything":"spot")"})
    EXPECT_EQ(of(field), "1x L4 spot 1") << field;
  for (const char* field :
       {R"("term":"1yr")", R"("commitment_months":12)", R"("reserved":true)", R"("billing":"reserved")",
        R"("type":"3-year commitment")", R"("pricing_model":"reserved")", R"("contract":"12 months")"})
    EXPECT_EQ(of(field), "a reservation or commitment") << field;
  for (const char* field : {R"("type":"on-demand")", R"("commitment_months":0)", R"("reserved":false)",
                            R"("type":"SXM")", R"("term":null)", R"("reserved_price":0.5)", R"("uptime":"3 years")"})
    EXPECT_EQ(of(field), "1x L4 1") << field;
  EXPECT_EQ(of(R"("pricing_model":"flux")"), "a kind of price that gpuplan does not know");
  const Feed feed = read_list("json", R"([{"provider":"c","gpu":"L4","gpus":1,"price":2,"spot_price":"soon"}])");
  EXPECT_EQ(said(feed), Lines{"1x L4 2"});
  EXPECT_EQ(feed.corrections, counts({{"spot: a price that is no number, left out", 1}}));
}

TEST(OwnJson, ReadsPricesAndDatesAsTablesAreRead) {
  const auto of = [](const std::string& fields) {
    const Feed feed = read_list("json", R"([{"provider":"c","gpu":"L4","gpus":2,)" + fields + "}]");
    if (feed.kept != 1) return feed.rejections.empty() ? std::string("none") : feed.rejections.begin()->first;
    return said(feed).front() + ", " + feed.offers[0].as_of;
  };
  const std::string today = of(R"("price":6)").substr(std::string("2x L4 6, ").size());
  for (const char* unit : {R"("unit":"gpu_hour")", R"("priceUnit":"$/GPU/h")", R"("unit_price":"per GPU")",
                           R"("note":"USD per GPU-hour")"})
    EXPECT_EQ(of(R"("price":3,)" + std::string(unit)), "2x L4 6, " + today) << unit;
  EXPECT_EQ(of(R"("price":730,"per":"month")"), "2x L4 1, " + today);
  EXPECT_EQ(of(R"("price_per_month":730)"), "2x L4 1, " + today);
  EXPECT_EQ(of(R"("hourly":null,"monthly":730)"), "2x L4 1, " + today);
  EXPECT_EQ(of(R"("price":"$2.50/GPU/h")"), "2x L4 5, " + today);
  EXPECT_EQ(of(R"("price":"1,234.50")"), "2x L4 1234.5, " + today);
  EXPECT_EQ(of(R"("price":3,"unit":"fortnight")"), "a unit of prices that gpuplan does not know: fortnight");
  EXPECT_EQ(of(R"("price":3,"unit":"CHF/h")"), "a price in CHF (--rate CHF=DOLLARS)");
  EXPECT_EQ(of(R"("price":"3 CHF")"), "a price in CHF (--rate CHF=DOLLARS)");
  for (const char* key : {"ts", "time", "recorded_at", "created_at", "updated", "when", "effectiveDate", "valid_from",
                          "snapshot", "collected", "last_updated", "timestamp", "observedAt"})
    for (const char* date : {R"("2026-11-05")", R"("2026-11-05T10:00:00Z")", "1793872800", "1793872800000"})
      EXPECT_EQ(of(R"("price":6,")" + std::string(key) + "\":" + date), "2x L4 6, 2026-11-05") << key << date;
  EXPECT_EQ(of(R"("price":6,"valid_until":"2026-11-05","uptime":1793872800)"), "2x L4 6, " + today);
  EXPECT_EQ(of(R"("price":6,"date":"someday")"), "a date that is none");
  const Feed whole = read_list("json", R"({"ts":1793872800,"rows":[{"provider":"c","gpu":"L4","gpus":1,"price":1}]})");
  ASSERT_EQ(whole.kept, 1U);
  EXPECT_EQ(whole.offers[0].as_of, "2026-11-05");
}

TEST(OwnJson, ReadsARecordALine) {
  const Feed feed = read_list("jsonl",
                              "{\"provider\":\"a\",\"gpu\":\"L4\",\"gpus\":1,\"price\":0.5}\n"
                              "{\"provider\":\"a\",\"gpu\":\"T4\",\"gpus\":1,\"price\":0.2}\n");
  EXPECT_EQ(said(feed), (Lines{"1x L4 0.5", "1x T4 0.2"}));
  EXPECT_EQ(feed.rows, 2U);
}

TEST(OwnJson, ALedgerWithoutNumbersIsOfOneGpu) {
  const Feed feed = read_list("json", R"({"date":"2026-11-20","offers":[
    {"provider":"a","gpu":"h100-sxm","vram_gb":80,"usd_hr":2.5,"kind":"on-demand"},
    {"provider":"a","gpu":"a100-pcie-80","vram_gb":80,"usd_hr":1.5,"kind":"spot"},
    {"provider":"a","gpu":"a100-sxm-40","vram_gb":40,"usd_hr":1.2,"kind":"secure","min_gpus":8},
    {"provider":"a","gpu":"l4","vram_gb":24,"usd_hr":0.8,"kind":"serverless"},
    {"provider":"a","gpu":"RTX 6000 Pro","vram_gb":96,"usd_hr":1.8,"kind":"on-demand"}]})");
  EXPECT_EQ(said(feed), (Lines{"1x H100 SXM 2.5", "1x A100 PCIe 80GB spot 1.5", "8x A100 SXM 40GB 9.6",
                               "1x RTX PRO 6000 Blackwell Server 1.8"}));
  EXPECT_EQ(feed.corrected, 4U);
  EXPECT_EQ(feed.rejections, counts({{"a serverless price, which rents no machine", 1}}));
  // One that counts elsewhere has left it out here.
  const Feed counted =
      read_list("json", R"([{"provider":"a","gpu":"L4","price":0.5},{"provider":"a","gpu":"L4","gpus":2,"price":1}])");
  EXPECT_EQ(counted.rejections, counts({{"no number of GPUs", 1}}));
  // Long ones are read as short ones are.
  std::string text = "[";
  for (int i = 0; i < 300; ++i)
    text += std::string(i > 0 ? "," : "") + R"({"provider":"a","region":"r)" + std::to_string(i) +
            R"(","gpu":"L4","usd_hr":0.5})";
  EXPECT_EQ(read_list("json", text + "]").kept, 300U);
}

TEST(OwnJson, WhatElseARowIsCalledDoesNotHideThatItIsSpot) {
  const Feed feed = read_list("json", R"([
    {"provider":"a","gpu":"H100 PCIe","gpus":1,"tier":"prototyping","is_spot":true,"price":1.5,"interconnect":"PCIe"},
    {"provider":"a","gpu":"H100 PCIe","gpus":1,"tier":"prototyping","is_spot":false,"price":2.5},
    {"provider":"a","gpu":"H100 PCIe","gpus":8,"price":20,"interconnect":"SXM5"},
    {"provider":"a","gpu":"H100","gpus":1,"price":2.8,"form_factor":"SXM5"}])");
  EXPECT_EQ(said(feed), (Lines{"1x H100 PCIe spot 1.5", "1x H100 SXM 2.8"}));
  EXPECT_EQ(feed.rejections, counts({{"a kind of price that gpuplan does not know", 1},
                                     {"a form factor that contradicts the name of the GPU", 1}}));
}

TEST(OwnJson, NeedsAGpuAndAPrice) {
  for (const std::string_view text :
       {R"([{"gpu":"L4"}])", R"([{"price":1}])", R"({"a":[{"gpu":"L4","price":1}]})", "[]", "{}", "[1,2]", "null", ""})
    EXPECT_EQ(recognise_feed(text), nullptr) << text;
}

TEST(NoPrices, SaysWhatAListIs) {
  const auto told_of = [](std::string_view text) {
    const FeedFormat* format = recognise_feed(text);
    return format == nullptr ? "not known" : read_as(format->name, text).error;
  };
  EXPECT_NE(told_of(R"([{"location_code":"FIN-01","availabilities":["1V100.6V"]}])").find("Verda"), std::string::npos);
  EXPECT_NE(told_of(R"({"items":[{"spec":{"pricePerUnit":0.0001},"security":"secure_cloud"}]})").find("disks"),
            std::string::npos);
  EXPECT_NE(told_of(R"({"errors":[{"message":"Unauthorized"}]})").find("an error that a provider answered"),
            std::string::npos);
}

TEST(JsonFormats, AHostileNameIsMadePlain) {
  const Feed feed =
      read_list("json", R"([{"provider":"a\u001b[31m","gpu":"L4","gpus":1,"price":1,"region":"\u0007x"}])");
  ASSERT_EQ(feed.kept, 1U);
  EXPECT_EQ(feed.offers[0].provider.find('\x1b'), std::string::npos);
  EXPECT_EQ(feed.offers[0].region.find('\x07'), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
