#include "input/price_file.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

Catalogue two_gpus() {
  Catalogue catalogue;
  for (const char* name : {"H100 SXM", "RTX 4090"}) {
    catalogue.gpu_names.add(name, static_cast<int>(catalogue.gpus.size()));
    catalogue.gpus.emplace_back().name = name;
  }
  return catalogue;
}

Result<std::vector<Offer>> read(std::string_view text, const std::vector<CurrencyRate>& rates = {}) {
  static const Catalogue catalogue = two_gpus();
  return read_prices(text, "offers.csv", rates, catalogue);
}

/// "file:line: message" of a text that must not be accepted.
std::string error(std::string_view text, const std::vector<CurrencyRate>& rates = {}) {
  const auto offers = read(text, rates);
  if (offers) return "accepted";
  return offers.error().place.file + ":" + std::to_string(offers.error().place.line) + ": " + offers.error().message;
}

double an_hour(DollarsPerSecond price) { return price.value * 3600; }

TEST(PriceFile, ReadsTheLeastColumns) {
  const auto offers = read("gpu,gpus,price_per_hour\nRTX 4090,4,2.40\nh100-sxm,8,$31.60/h\n");
  ASSERT_TRUE(offers) << offers.error().message;
  ASSERT_EQ(offers->size(), 2U);
  EXPECT_EQ((*offers)[0].gpu, "RTX 4090");
  EXPECT_EQ((*offers)[0].gpus, 4);
  EXPECT_DOUBLE_EQ(an_hour((*offers)[0].price->p50), 2.40);
  EXPECT_TRUE((*offers)[0].price->exact());
  EXPECT_FALSE((*offers)[0].spot_price);
  EXPECT_EQ((*offers)[1].gpu, "H100 SXM") << "names resolve through the catalogue";
  EXPECT_DOUBLE_EQ(an_hour((*offers)[1].price->p50), 31.60);
  EXPECT_EQ((*offers)[1].billing.increment, Seconds{1});
}

TEST(PriceFile, ReadsEveryColumnInAnyOrder) {
  const auto offers = read(
      "label,price_per_hour,gpus,gpu,provider,region,instance,spot,billing_minimum_minutes,billing_increment_seconds,"
      "availability,interruptions,as_of,remark\n"
      "big one,20-24,4,H100 SXM,acme,eu-1,x4,yes,10,60,rare,5%/h,2026-01,whatever\n");
  ASSERT_TRUE(offers) << offers.error().message;
  const Offer& offer = offers->front();
  EXPECT_EQ(offer.label, "big one");
  EXPECT_FALSE(offer.price);
  ASSERT_TRUE(offer.spot_price);
  EXPECT_DOUBLE_EQ(an_hour(offer.spot_price->p10), 20);
  EXPECT_DOUBLE_EQ(an_hour(offer.spot_price->p90), 24);
  EXPECT_EQ(offer.provider, "acme");
  EXPECT_EQ(offer.region, "eu-1");
  EXPECT_EQ(offer.instance, "x4");
  EXPECT_EQ(offer.billing.minimum, 10 * units::minute);
  EXPECT_EQ(offer.billing.increment, 60 * units::second);
  EXPECT_EQ(offer.availability, "rare");
  EXPECT_DOUBLE_EQ(offer.interruptions->value * 3600, 0.05);
  EXPECT_EQ(offer.as_of, "2026-01");
  EXPECT_EQ(offer.source, "offers.csv");
}

TEST(PriceFile, CountsMayStandInTheName) {
  const auto offers = read("gpu,price_per_hour\n8x H100 SXM,31.60\n");
  ASSERT_TRUE(offers) << offers.error().message;
  EXPECT_EQ(offers->front().gpus, 8);
  EXPECT_EQ(error("gpu,gpus,price_per_hour\n8x H100 SXM,4,31.60\n"),
            "offers.csv:2: column gpus: 4 contradicts '8x H100 SXM'");
}

TEST(PriceFile, OtherCurrenciesNeedARate) {
  const std::string_view text = "gpu,gpus,price_per_hour,currency\nRTX 4090,1,0.50,EUR\nRTX 4090,1,0.50,usd\n";
  const auto offers = read(text, {{"EUR", 1.08}});
  ASSERT_TRUE(offers) << offers.error().message;
  EXPECT_DOUBLE_EQ(an_hour((*offers)[0].price->p50), 0.54);
  EXPECT_DOUBLE_EQ(an_hour((*offers)[1].price->p50), 0.50);
  EXPECT_EQ(error(text), "offers.csv:2: column currency: no rate for EUR; add --rate EUR=DOLLARS");
}

TEST(PriceFile, RefusesWithFileLineAndWhatWasExpected) {
  EXPECT_EQ(
      error("gpu,gpus,price_per_hour\nRTX 4090,1,cheap\n"),
      "offers.csv:2: column price_per_hour: 'cheap' is not a price of the whole offer such as 2.49, $2.49/h or 20-24, "
      "above zero");
  EXPECT_NE(error("gpu,gpus,price_per_hour\nRTX 4090,1,0\n").find("offers.csv:2: column price_per_hour: '0'"),
            std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour\nRTX 4090,1,-3\n").find("offers.csv:2: column price_per_hour: '-3'"),
            std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour\nRTX 4090,1,nan\n").find("offers.csv:2: column price_per_hour"),
            std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour\nRTX 4090,1,2.49 GB\n").find("offers.csv:2:"), std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour\n\nRTX 4090,0,1\n").find("offers.csv:3: column gpus: '0'"),
            std::string::npos)
      << "blank lines count";
  EXPECT_NE(error("gpu,gpus,price_per_hour\nRTX 4091,1,1\n").find("offers.csv:2: column gpu: "), std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour\nRTX 4091,1,1\n").find("RTX 4090"), std::string::npos) << "did you mean";
  EXPECT_NE(error("gpu,gpus,price_per_hour\n,1,1\n").find("offers.csv:2: column gpu is empty"), std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour,spot\nRTX 4090,1,1,maybe\n")
                .find("offers.csv:2: column spot: 'maybe' is not yes or no"),
            std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour,as_of\nRTX 4090,1,1,soon\n").find("offers.csv:2: column as_of: 'soon'"),
            std::string::npos);
  EXPECT_NE(error("gpu,gpus,price_per_hour,billing_minimum_minutes\nRTX 4090,1,1,-5\n")
                .find("offers.csv:2: column billing_minimum_minutes"),
            std::string::npos);
  EXPECT_NE(
      error("gpu,gpus,price_per_hour,interruptions\nRTX 4090,1,1,often\n").find("offers.csv:2: column interruptions"),
      std::string::npos);
  EXPECT_NE(error("gpu,gpus\nRTX 4090,1\n").find("price_per_hour"), std::string::npos) << "a column is missing";
  EXPECT_EQ(error("gpu,gpus,price_per_hour\n"), "offers.csv:0: no rows: expected a header and at least one offer");
}

TEST(PriceFile, UserTextInMessagesIsHarmless) {
  EXPECT_EQ(error("gpu,gpus,price_per_hour\n\x1b[31mred,1,1\n").find('\x1b'), std::string::npos);
}

TEST(PriceFile, ReadsRates) {
  const auto rate = parse_rate(" eur=1.08");
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->code, "EUR");
  EXPECT_DOUBLE_EQ(rate->dollars, 1.08);
  for (const char* wrong : {"", "EUR", "EUR=", "EUR=0", "EUR=-1", "EUR=nan", "EURO=1", "E1R=1", "=1.08", "EUR=1e9"}) {
    const auto result = parse_rate(wrong);
    ASSERT_FALSE(result) << wrong;
    EXPECT_TRUE(result.error().usage);
    EXPECT_NE(result.error().message.find("EUR=1.08"), std::string::npos);
  }
}

}  // namespace
}  // namespace gpuplan
