#include "input/prices/price_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>
#include <string>

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

TEST(PriceFile, ColumnNamesMayBeSpelledAsPeopleDo) {
  const auto offers = read("GPU,GPUs,Price per Hour\nRTX 4090,4,2.40\n");
  ASSERT_TRUE(offers) << offers.error().message;
  EXPECT_DOUBLE_EQ(an_hour((*offers)[0].price->p50), 2.40);
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
  EXPECT_DOUBLE_EQ(offer.interruptions->p50.value * 3600, -std::log1p(-0.05));
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

/// The error of one row under the three columns that must be there, without the place; it is on line 2.
std::string row(const std::string& cells, const std::string& more_columns = "") {
  const std::string text = error("gpu,gpus,price_per_hour" + more_columns + "\n" + cells + "\n");
  const std::string place = "offers.csv:2: ";
  EXPECT_EQ(text.substr(0, place.size()), place);
  return text.substr(std::min(text.size(), place.size()));
}

TEST(PriceFile, MoneyIsByTheHour) {
  const auto offers = read("gpu,gpus,price_per_hour\nRTX 4090,4,$21.50\nRTX 4090,4,5.6 USD\n");
  ASSERT_TRUE(offers) << offers.error().message;
  EXPECT_DOUBLE_EQ(an_hour((*offers)[0].price->p50), 21.50);
  EXPECT_DOUBLE_EQ(an_hour((*offers)[1].price->p50), 5.6);
}

TEST(PriceFile, KindsOfPriceUnderAnyHead) {
  for (const std::string column : {"type", "term", "plan", "availability", "whatever", "spot"}) {
    const std::string text = "gpu,gpus,price_per_hour," + column + "\nRTX 4090,4,2,on-demand\nRTX 4090,4,1,spot\n";
    const auto offers = read(text);
    ASSERT_TRUE(offers) << column << offers.error().message;
    EXPECT_TRUE((*offers)[0].price && !(*offers)[0].spot_price) << column;
    EXPECT_TRUE(!(*offers)[1].price && (*offers)[1].spot_price) << column;
    EXPECT_EQ((*offers)[1].availability, "") << column;
    EXPECT_EQ(error(text + "RTX 4090,4,1,1-year reserved\n"),
              "offers.csv:4: column " + column +
                  ": '1-year reserved' is a price under a commitment; plans rent without one, so leave the row out");
  }
  EXPECT_EQ(error("gpu,gpus,price_per_hour,pricing_model\nRTX 4090,4,1,flux\n").substr(0, 12), "offers.csv:2");
  EXPECT_TRUE(read("gpu,gpus,price_per_hour,reserved,note\nRTX 4090,4,2,1.4,busy\nRTX 4090,4,2,1.3,spot\n"));
}

TEST(PriceFile, RefusesWithFileLineAndWhatWasExpected) {
  for (const std::string price :
       {"cheap", "0", "-3", "nan", "inf", "1e12", "2.49 GB", "24-20", "0-5", "3;4", "1e-300", "0.00001"})
    EXPECT_EQ(row("RTX 4090,1," + price),
              "column price_per_hour: '" + price +
                  "' is not a price of the whole offer such as 2.49, $2.49/h or 20-24, at least $0.0001/h");
  EXPECT_EQ(row("RTX 4090,1,"), "column price_per_hour is empty");
  for (const std::string count : {"0", "-1", "1.5", "many", "100001", "99999999999999999999"})
    EXPECT_EQ(row("RTX 4090," + count + ",1"), "column gpus: '" + count + "' is not a whole number from 1 to 100000");
  EXPECT_EQ(row("RTX 4090,,1"), "'RTX 4090' has no count; add a column gpus, or a count in front such as 8x");
  EXPECT_EQ(row("RTX 4091,1,1"), "column gpu: unknown GPU 'RTX 4091'. Did you mean 'RTX 4090'? (list: gpuplan gpus)");
  EXPECT_EQ(row(",1,1"), "column gpu is empty");
  EXPECT_EQ(row("RTX 4090,1,1,maybe", ",spot"), "column spot: 'maybe' is not yes or no");
  EXPECT_EQ(row("RTX 4090,1,1,soon", ",as_of"), "column as_of: 'soon' is not a date such as 2026-01 or 2026-01-31");
  EXPECT_EQ(row("RTX 4090,1,1,-5", ",billing_minimum_minutes"),
            "column billing_minimum_minutes: '-5' is not between 0 and 527040");
  EXPECT_EQ(row("RTX 4090,1,1,x", ",billing_increment_seconds"),
            "column billing_increment_seconds: 'x' is not a number");
  EXPECT_EQ(row("RTX 4090,1,1,often", ",interruptions"), "column interruptions: 'often' is not a rate such as 5%/h");
  EXPECT_EQ(row("RTX 4090,1,1,euros", ",currency"), "column currency: 'euros' is not a currency such as USD or EUR");
  EXPECT_EQ(row("RTX 4090,1"), "this row has 2 cells, the header has 3");
  EXPECT_EQ(row("\x1b[31mred,1,1"), "expected UTF-8 text without control characters");
  EXPECT_EQ(row("RTX 4090,1,\"1"), "missing closing quote of the cell that starts here");
}

TEST(PriceFile, RefusesWhatIsNoList) {
  EXPECT_EQ(error(""), "offers.csv:1: the file is empty; expected a header row and data rows");
  EXPECT_EQ(error("gpu,gpus,price_per_hour\n"), "offers.csv:0: no rows; expected a header and at least one offer");
  EXPECT_EQ(error("gpu,gpus\nRTX 4090,1\n"), "offers.csv:1: missing column 'price_per_hour'");
  EXPECT_EQ(error("gpu,gpus,price_per_hou\nRTX 4090,1,1\n"),
            "offers.csv:1: missing column 'price_per_hour'. Did you mean 'price_per_hou'?");
  EXPECT_EQ(error("gpus,price_per_hour\n1,1\n"), "offers.csv:1: missing column 'gpu'. Did you mean 'gpus'?");
  EXPECT_EQ(error("gpu,price_per_hour\nRTX 4090,1\n"),
            "offers.csv:2: 'RTX 4090' has no count; add a column gpus, or a count in front such as 8x");
  EXPECT_EQ(error("gpu,gpus,price\xEF\xBB\xBF_per_hou\nL4,1,1\n"),
            "offers.csv:1: missing column 'price_per_hour'. Did you mean 'price?_per_hou'?");
  for (const std::string separator : {";", "\t"})
    EXPECT_EQ(
        error("gpu" + separator + "gpus" + separator + "price_per_hour\nL4" + separator + "1" + separator + "1\n"),
        "offers.csv:1: columns are separated by semicolons or tabs; use commas");
  EXPECT_EQ(error("gpu,gpus,price_per_hour\n\nRTX 4090,0,1\n"),
            "offers.csv:3: column gpus: '0' is not a whole number from 1 to 100000")
      << "blank lines count";
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
