// Lists that a user names for one question: what an import reads of them is what they say there.
#include "input/feeds/any_prices.h"

#include "feed_fixture.h"

namespace gpuplan {
namespace {

const std::vector<CurrencyRate> kRates = {{"EUR", 1.1}};

/// "2x L4 $1.5, 2026-11-01"; what is wrong where it can not be read.
Strings named(std::string_view text) {
  const auto offers = read_any_prices(text, "mine.csv", kRates, feed_catalogue());
  if (!offers)
    return {offers.error().place.file + ':' + std::to_string(offers.error().place.line) + ": " +
            offers.error().message};
  Strings all;
  for (const Offer& offer : *offers) {
    all.push_back(told(offer) + (offer.as_of.empty() ? "" : ", " + offer.as_of));
    EXPECT_EQ(offer.source, "mine.csv");
  }
  return all;
}

TEST(AnyPrices, SayWhatAnImportReads) {
  for (const std::string text :
       {"gpu,gpus,price_per_hour,date\nL4,2,1.50,2026-11-01\n", "gpu,gpus,price_per_hour,as_of\nL4,2,1.50,2026-11-01\n",
        "gpu,gpus,price_per_gpu_hour,date\nL4,2,0.75,2026-11-01\n",
        "gpu,gpus,price per month,ts\nL4,2,1095,2026-11-01\n",
        "gpu,gpus,price_per_hour,unit,date\nL4,2,0.75,per GPU,2026-11-01\n",
        "gpu,gpus,price,unit,Valid from\nL4,2,0.75,gpu_hour,2026-11-01\n",
        "gpu;gpus;price_per_hour;Datum\nL4;2;1,50;1.11.2026\n",
        "gpu\tgpus\tprice_cents_per_hour\tupdated\nL4\t2\t150\tNov 1, 2026\n",
        R"([{"provider":"a","gpu":"L4","gpus":2,"price":0.75,"unit":"gpu_hour","date":"2026-11-01"}])",
        R"({"provider":"a","gpu":"L4","gpus":2,"price":1.5,"ts":1793491200})"}) {
    EXPECT_EQ(named(text), Strings{"2x L4 $1.5, 2026-11-01"}) << text;
    const Feed feed = read_feed(text, terms_of("mine.csv", "a"));
    ASSERT_EQ(feed.kept, text.find("as_of") == std::string::npos ? 1U : feed.kept) << text;
    EXPECT_EQ(told(feed), Strings{"2x L4 $1.5"}) << text;
  }
  EXPECT_EQ(named("gpu,gpus,price_per_hour,spot_price\nL4,2,1.50,0.5\n"), Strings{"2x L4 $1.5 spot $0.5"});
  EXPECT_EQ(named("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,"
                  "AvailabilityZone\n"
                  "p5.48xlarge,H100,8.0,192,2048,,55.04,22.1,us-east-1,us-east-1a\nm5.large,,,2,8,,0.1,,us-east-1,us-"
                  "east-1a\n"),
            Strings{"8x H100 SXM $55.04 spot $22.1"})
      << "rows of other people's lists are passed over";
}

TEST(AnyPrices, ARowOfOnesOwnThatCanNotBeUsedIsAnError) {
  const std::string good = "gpu,gpus,price,unit,date\nL4,2,0.75,gpu_hour,2026-11-01\n";
  EXPECT_EQ(
      named(good + "L4,2,0.75,fortnight,2026-11-01\n"),
      Strings{"mine.csv:3: a unit of prices that gpuplan does not know: fortnight (L4); mend the row or leave it out"});
  EXPECT_EQ(named(good + "\nAbacus,2,0.75,,2026-11-01\n"),
            Strings{"mine.csv:4: a GPU that gpuplan does not know: Abacus (Abacus); mend the row or leave it out"});
  EXPECT_EQ(named(good + "L4,2,0.75,,soon\n"),
            Strings{"mine.csv:3: a date that is none (L4); mend the row or leave it out"});
  EXPECT_EQ(named(good + "L4,2,3 CHF,,\n"),
            Strings{"mine.csv:3: a price in CHF (--rate CHF=DOLLARS) (L4); mend the row or leave it out"});
  EXPECT_EQ(named("gpu,gpus,price_per_hour\nL4,zero,1\n"),
            Strings{"mine.csv:2: column gpus: 'zero' is not a whole number from 1 to 100000"})
      << "lists of gpuplan's own columns say what a cell should be";
  EXPECT_EQ(named("gpu,gpus,prise\nL4,1,1\n").front().substr(0, 40), "mine.csv:1: missing column 'price_per_ho");
  EXPECT_EQ(named("gpu,gpus,price_per_hour\nL4,1,\"1\n"),
            Strings{"mine.csv:2: missing closing quote of the cell that starts here"});
  EXPECT_EQ(named(""), Strings{"mine.csv:1: the file is empty; expected a header row and data rows"});
  EXPECT_EQ(named("one two\n").front().substr(0, 22), "mine.csv:0: no price l");
}

}  // namespace
}  // namespace gpuplan
