// Lists of one's own: gpuplan's columns, and what spreadsheets of many countries write.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "feed_fixture.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/feeds/formats/own_columns.h"

namespace gpuplan {
namespace {

TEST(OwnList, ReadsGpuplansOwnColumns) {
  const Feed snapshot = read_feed(
      "provider,region,instance,gpu,gpus,price[USD/h],spot_price[USD/h],vcpus,ram[GiB],availability,billing_minimum[s],"
      "billing_increment[s],source,as_of\n"
      "aws,us-east-1,p5.48xlarge,H100 SXM,8,55.04,20.5,192,2048,often short,60,1,a page,2026-10\n",
      terms_of("offers.csv"));
  ASSERT_EQ(told(snapshot), Strings{"8x H100 SXM $55.04 spot $20.5"});
  const Offer& offer = snapshot.offers[0];
  EXPECT_EQ(offer.source, "a page");
  EXPECT_EQ(offer.as_of, "2026-10");
  EXPECT_EQ(offer.ram, 2048 * units::GiB);
  EXPECT_EQ(offer.billing.minimum, 60 * units::second);
  EXPECT_EQ(offer.availability, "often short");

  const Feed own = read_feed(
      "gpu,gpus,price_per_hour,spot,interruptions,billing_minimum_minutes,label,currency,as_of\n"
      "RTX 4090,4,2.40,no,,10,mine,EUR,2026-11-01\n8x H100 SXM,,20,yes,5%/h,,,,\nT4,1,20-45,,10-15%,,,,\n",
      terms_of("mine.csv"));
  EXPECT_EQ(told(own), (Strings{"4x RTX 4090 $2.64", "8x H100 SXM spot $20", "1x T4 $30"}));
  EXPECT_EQ(own.offers[0].billing.minimum, 600 * units::second);
  EXPECT_EQ(own.offers[0].label, "mine");
  EXPECT_EQ(own.offers[0].provider, "mine");  // nothing else is said
  EXPECT_TRUE(own.offers[1].interruptions);
  EXPECT_TRUE(own.offers[2].band);
  EXPECT_EQ(own.corrections.count("a range of prices, taken at its middle"), 1u);
}

/// The price of 4x RTX 4090 under a header of these two columns.
std::string priced(const std::string& gpu_column, const std::string& price_column, const std::string& cell) {
  const Feed feed = read_feed(gpu_column + ";Qty;" + price_column + "\nRTX 4090;4;" + cell + "\n", terms_of("l.csv"));
  if (feed.kept != 1) return feed.rejections.empty() ? "no row" : feed.rejections.begin()->first;
  return told(feed.offers[0]).substr(std::string("4x RTX 4090 ").size());
}

TEST(OwnList, UnderstandsHowPricesAreHeaded) {
  for (const char* name :
       {"Price", "price_per_hour", "Price per hour", "$/hr", "$/h", "USD per hour", "Hourly", "Hourly Rate",
        "On-Demand Price", "On-demand ($/hr)", "pricePerHour", "Cost", "Total price", "Price (USD)"})
    EXPECT_EQ(priced("GPU Model", name, "2.4"), "$2.4") << name;
  for (const char* name : {"$/GPU/hr", "Price per GPU", "per GPU price", "$/GPU-hr", "price_per_gpu_hour",
                           "Per-GPU ($)", "GPU hourly cost"})
    EXPECT_EQ(priced("GPU Type", name, "0.6"), "$2.4") << name;
  for (const char* name : {"Spot", "Spot price", "spot_price[USD/h]", "Spot ($/h)", "Preemptible price"}) {
    const Feed feed = read_feed(std::string("gpu,gpus,price,") + name + "\nRTX 4090,4,2.4,1.2\n", terms_of("l.csv"));
    EXPECT_EQ(told(feed), Strings{"4x RTX 4090 $2.4 spot $1.2"}) << name;
  }
  EXPECT_EQ(priced("GPU", "Monthly price", "1752"), "$2.4");
  EXPECT_EQ(priced("Accelerator", "EUR/h", "2"), "$2.2");
  EXPECT_EQ(priced("GPU", "Price (\xE2\x82\xAC)", "2"), "$2.2");
  EXPECT_EQ(priced("GPU", "GBP/h", "2"), "a price in GBP (--rate GBP=DOLLARS)");
  for (const char* name : {"Storage price", "Egress cost", "Max price", "Reserved price per hour", "Tokens per hour"})
    EXPECT_EQ(own_column(name).field, OwnField::kNone) << name;
}

TEST(OwnList, UnderstandsHowPricesAreWritten) {
  for (const char* cell :
       {"2.40", "$2.40", "$2.40/h", "US$ 2.40", "2.40 USD/hr", "2,40", "2,4", "~ $2.4 per hour", "240 ct",
        "$ 2.40 / hour", "$0.60/GPU", "0.6 $/gpu/h", "$1,752.00/month", "1.752,00 $/month", "+2.4"})
    EXPECT_EQ(priced("GPU", "Price", cell), "$2.4") << cell;
  for (const char* cell : {"", "n/a", "-", "sold out", "Contact us", "TBD"})
    EXPECT_EQ(priced("GPU", "Price", cell), "no price");
  for (const char* cell : {"2.4x", "two", "2.4 2.5", "1.2.3", "--2", "2.4 apples", "1,23,4"})
    EXPECT_EQ(priced("GPU", "Price", cell), "a price that is no number") << cell;
  EXPECT_EQ(priced("GPU", "Price", "-2.4"), "a negative price");
  EXPECT_EQ(priced("GPU", "Price", "0"), "a price of 0");
  EXPECT_EQ(priced("GPU", "Price", "1,234"), "a price that reads in two ways (1,234)");
  EXPECT_EQ(priced("GPU", "Price", "\x80 2,00"), "$2.2");  // Windows' euro sign
}

TEST(OwnList, LearnsTheDecimalSignFromOtherRows) {
  const std::string header = "GPU;Qty;Price\n";
  const Feed commas = read_feed(header + "RTX 4090;4;2,50\nRTX 4090;4;2,490\nT4;1;1.000\n", terms_of("l.csv"));
  EXPECT_EQ(told(commas), (Strings{"4x RTX 4090 $2.5", "4x RTX 4090 $2.49", "1x T4 $1000"}));
  const Feed points = read_feed(header + "RTX 4090;4;2.50\nRTX 4090;4;2,490\n", terms_of("l.csv"));
  EXPECT_EQ(told(points), (Strings{"4x RTX 4090 $2.5", "4x RTX 4090 $2490"}));
}

TEST(OwnList, SeparatorsTitlesAndLineEnds) {
  const Strings wanted = {"8x H100 SXM $20", "4x RTX 4090 $2.4"};
  for (const std::string& text :
       {std::string("gpu,gpus,price\nH100 SXM,8,20\nRTX 4090,4,2.4\n"),
        std::string("gpu;gpus;price\r\nH100 SXM;8;20\r\nRTX 4090;4;2,4"),
        std::string("gpu\tgpus\tprice\rH100 SXM\t8\t20\rRTX 4090\t4\t2.4\r"),
        std::string("sep=;\ngpu;gpus;price\nH100 SXM;8;20\nRTX 4090;4;2.4\n"),
        std::string("Our prices\n\n,,\nas of today,,\ngpu,gpus,price\n,,\nH100 SXM,8,\"20\"\n\nRTX 4090,4, \"2.4\" \n"),
        std::string("gpu,gpus,price,,\nH100 SXM,8,20,,\nRTX 4090,4,2.4,,\n")})
    EXPECT_EQ(told(read_feed(text, terms_of("l.csv"))), wanted) << text;
}

TEST(OwnList, GpusWithCountsAndSizesInOneCell) {
  const auto gpu = [](const std::string& cell) {
    const Feed feed = read_feed("GPU,price\n" + cell + ",2.4\n", terms_of("l.csv"));
    return feed.kept == 1 ? std::to_string(feed.offers[0].gpus) + "x " + feed.offers[0].gpu
                          : feed.rejections.begin()->first;
  };
  EXPECT_EQ(gpu("8x H100 SXM"), "8x H100 SXM");
  EXPECT_EQ(gpu("8 x Nvidia H100"), "8x H100 SXM");
  EXPECT_EQ(gpu("RTX 4090 x4"), "4x RTX 4090");
  EXPECT_EQ(gpu("RTX 4090:4"), "4x RTX 4090");
  EXPECT_EQ(gpu("2x A100 PCIe (80 GB)"), "2x A100 PCIe 80GB");
  EXPECT_EQ(gpu("8x A100 (40GB)"), "8x A100 SXM 40GB");
  EXPECT_EQ(gpu("1x GH200 480GB"), "1x GH200 96GB");  // the size is that of the CPU's
  EXPECT_EQ(gpu("RTX 4090"), "no number of GPUs");
  EXPECT_EQ(gpu("8x Abacus"), "a GPU that gpuplan does not know: Abacus");
  const Feed two = read_feed("GPU Model,GPU,price\nRTX 4090,4,2.4\n8x T4,4,2.4\n", terms_of("l.csv"));
  EXPECT_EQ(told(two), Strings{"4x RTX 4090 $2.4"});
  EXPECT_EQ(two.rejections, (Reasons{{"a number of GPUs that contradicts their name", 1}}));
}

TEST(OwnList, DailyLedgersOfWhatOneGpuCosts) {
  const Feed feed = read_feed(
      "date,provider,gpu,price_usd_per_gpu_hour\n2026-11-01,Lambda Labs,H100 SXM,2.99\n2026-11-02T06:00:00Z,Lambda "
      "Labs,H100 SXM,2.99\n02.11.2026,lambda,H100 SXM,2.99\n2026-02-30,lambda,H100 SXM,2.99\n3/4/2026,lambda,T4,2.99\n",
      terms_of("ledger.csv"));
  EXPECT_EQ(told(feed), (Strings{"1x H100 SXM $2.99", "1x H100 SXM $2.99"}));
  EXPECT_EQ(feed.offers[1].as_of, "2026-11-02");
  EXPECT_EQ(feed.offers[1].provider, "lambda");
  EXPECT_EQ(feed.rejections, (Reasons{{"the same row again", 1}, {"a date that is none", 2}}));
}

TEST(OwnList, KindsOfPrice) {
  const Feed feed =
      read_feed("gpu,gpus,price,pricing\nT4,1,1,on-demand\nT4,1,0.5,spot\nT4,1,0.4,1yr reserved\nT4,1,0.3,whatever\n",
                terms_of("l.csv"));
  EXPECT_EQ(told(feed), (Strings{"1x T4 $1", "1x T4 spot $0.5"}));
  EXPECT_EQ(feed.rejections,
            (Reasons{{"a price under a commitment", 1}, {"a kind of price that gpuplan does not know", 1}}));
}

/// Rows of T4 with these words in a column of this name, each price lower than the one before.
Feed with_kinds(const std::string& column, const Strings& words) {
  std::string text = "gpu,gpus,price," + column + "\n";
  for (std::size_t i = 0; i < words.size(); ++i) text += "T4,1," + std::to_string(10 - i) + ",\"" + words[i] + "\"\n";
  return read_feed(text, terms_of("l.csv"));
}

TEST(OwnList, KindsOfPriceUnderAnyHead) {
  for (const char* column : {"term", "type", "Type", "commitment", "plan", "billing", "reserved", "availability",
                             "pricing_model", "purchase option", "whatever", "Vertrag"}) {
    const Feed feed =
        with_kinds(column, {"on-demand", "1-year reserved", "3yr commit", "spot", "preemptible", "reserved"});
    EXPECT_EQ(told(feed), (Strings{"1x T4 $10", "1x T4 spot $7", "1x T4 spot $6"})) << column;
    EXPECT_EQ(feed.rejections, (Reasons{{"a price under a commitment", 3}})) << column;
    EXPECT_EQ(feed.offers[0].instance + feed.offers[0].availability, "") << column;
  }
  for (const char* word : {"12 months", "1yr", "3 years", "36mo", "1y", "12", "yes", "annual", "Reserved (no upfront)"})
    EXPECT_EQ(with_kinds("commitment", {word}).kept, 0U) << word;
  for (const char* word : {"none", "no", "0", "no commitment", "hourly", "on demand", "pay-as-you-go", ""})
    EXPECT_EQ(told(with_kinds("commitment", {word})), Strings{"1x T4 $10"}) << word;
  for (const char* word : {"Spot", "spot instance", "Preemptible VM", "interruptible", "low priority"})
    EXPECT_EQ(told(with_kinds("price type", {word})), Strings{"1x T4 spot $10"}) << word;
  EXPECT_EQ(told(with_kinds("interruptible", {"yes", "no", "non-interruptible"})),
            (Strings{"1x T4 spot $10", "1x T4 $9", "1x T4 $8"}));
}

TEST(OwnList, AWordOfAColumnOfKindsThatIsNotKnown) {
  const Reasons unknown = {{"a kind of price that gpuplan does not know", 1}};
  EXPECT_EQ(with_kinds("type", {"flux", "spot", "on-demand"}).rejections, unknown);
  EXPECT_EQ(with_kinds("price model", {"flux", "spot", "on-demand"}).kept, 3U) << "whatever it is of";
  EXPECT_EQ(with_kinds("pricing model", {"flux", "spot", "on-demand"}).rejections, unknown);
}

TEST(OwnList, WordsOfKindsInColumnsOfSomethingElse) {
  // Prices under a commitment beside those on demand, ages, stock, sizes.
  for (const auto& [column, words] : {std::pair<std::string, Strings>{"reserved", {"1.6", "1.5", "n/a"}},
                                      {"reserved", {"16", "14", ""}},
                                      {"seen", {"2 weeks ago", "3 months", ""}},
                                      {"age", {"3 years", "1 year", "2 years"}},
                                      {"availability", {"available", "reserved", "available"}},
                                      {"type", {"SXM", "PCIe", "standard"}},
                                      {"notes", {"spot is cheaper in summer", "", "EU"}}})
    EXPECT_EQ(with_kinds(column, words).kept, 3U) << column;
  // What tells it may come late.
  Strings words(400, "");
  words.back() = "reserved";
  std::string text = "gpu,gpus,price,region,note\n";
  for (std::size_t i = 0; i < words.size(); ++i) text += "T4,1,1,r" + std::to_string(i) + "," + words[i] + "\n";
  EXPECT_EQ(read_feed(text, terms_of("l.csv")).rejections, (Reasons{{"a price under a commitment", 1}}));
}

TEST(OwnList, AFigureWithoutASignIsInTheCurrencyOfItsRow) {
  const Feed feed = read_feed(
      "gpu,gpus,price,spot_price\nT4,1,$21.50,9.99\nT4,1,5.6 USD,2.4\nT4,1,5.7,$2.5\nT4,1,10 EUR,5\nT4,1,$3,2 EUR\n",
      terms_of("l.csv"));
  EXPECT_EQ(told(feed),
            (Strings{"1x T4 $21.5 spot $9.99", "1x T4 $5.6 spot $2.4", "1x T4 $5.7 spot $2.5", "1x T4 $11 spot $5.5"}));
  EXPECT_EQ(feed.rejections, (Reasons{{"prices in two currencies", 1}}));
}

TEST(OwnList, HostileCellsNeverReachAName) {
  const Feed feed = read_feed("provider,gpu,gpus,price,region\n\"a\x1b[31mb\",T4,1,1,\"x\x07y\"\n", terms_of("l.csv"));
  ASSERT_EQ(feed.kept, 1u);
  for (const std::string& name : {feed.offers[0].provider, feed.offers[0].region})
    for (const char c : name) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

TEST(OwnAmounts, Dates) {
  EXPECT_EQ(read_own_date("2026-11-25"), "2026-11-25");
  EXPECT_EQ(read_own_date("2026-11"), "2026-11");
  EXPECT_EQ(read_own_date("2026/1/5"), "2026-01-05");
  EXPECT_EQ(read_own_date("20261125"), "2026-11-25");
  EXPECT_EQ(read_own_date("25.11.2026"), "2026-11-25");
  EXPECT_EQ(read_own_date("25/11/2026"), "2026-11-25");
  EXPECT_EQ(read_own_date("11/25/2026"), "2026-11-25");
  EXPECT_EQ(read_own_date("3/4/2026"), "3/4/2026");
  EXPECT_EQ(read_own_date("yesterday"), "yesterday");
  EXPECT_EQ(read_own_date(""), "");
}

}  // namespace
}  // namespace gpuplan
