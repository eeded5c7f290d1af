// One order of offers, whatever list they come from.
#include "domain/market/offer_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace gpuplan {
namespace {

constexpr DollarsPerSecond kDollar{1.0 / 3600};

/// An offer, and one that differs from it in a single field, for every field.
std::vector<Offer> near_duplicates() {
  std::vector<Offer> offers;
  Offer plain;
  plain.gpu = "A";
  plain.price = exactly(kDollar);
  const auto other = [&](auto change) {
    Offer offer = plain;
    change(offer);
    offers.push_back(offer);
  };
  other([](Offer&) {});
  other([](Offer& o) { o.kind = OfferKind::kPool; });
  for (Word Offer::* field :
       {&Offer::provider, &Offer::region, &Offer::instance, &Offer::gpu, &Offer::availability, &Offer::label,
        &Offer::source, &Offer::as_of, &Offer::partition, &Offer::account, &Offer::qos, &Offer::queue})
    other([&](Offer& o) { o.*field = o.*field + "z"; });
  other([](Offer& o) { o.gpus = 2; });
  other([](Offer& o) { o.price.reset(); });
  other([](Offer& o) { o.price = exactly(kDollar * 2); });
  other([](Offer& o) { o.price = Interval<DollarsPerSecond>{kDollar * 0.5, kDollar, kDollar * 2}; });
  other([](Offer& o) { o.spot_price = exactly(kDollar); });
  other([](Offer& o) { o.interruptions = exactly(PerSecond{1e-6}); });
  other([](Offer& o) { o.band = SpotBand{}; });
  other([](Offer& o) { o.billing.minimum = Seconds{60}; });
  other([](Offer& o) { o.billing.increment = Seconds{60}; });
  other([](Offer& o) { o.billing.startup = Seconds{60}; });
  other([](Offer& o) { o.billing.startup_billed = false; });
  other([](Offer& o) { o.billing.term = Seconds{60}; });
  other([](Offer& o) { o.disk_price = DollarsPerByteSecond{1}; });
  other([](Offer& o) { o.egress_price = DollarsPerByte{1}; });
  other([](Offer& o) { o.vcpus = 8; });
  other([](Offer& o) { o.ram = Bytes{1}; });
  other([](Offer& o) { o.max_time = Seconds{60}; });
  other([](Offer& o) { o.wait = exactly(Seconds{60}); });
  other([](Offer& o) { o.preemptible = true; });
  other([](Offer& o) { o.leave_free = 0.5; });
  other([](Offer& o) { o.watts = 1; });
  other([](Offer& o) { o.usd_per_kwh = 1; });
  return offers;
}

TEST(OfferOrder, OfTwoThatDifferInAnythingOneComesFirst) {
  const std::vector<Offer> offers = near_duplicates();
  for (std::size_t i = 0; i < offers.size(); ++i) {
    EXPECT_TRUE(same_offer(offers[i], Offer(offers[i]))) << i;
    EXPECT_FALSE(before(offers[i], offers[i])) << i;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(same_offer(offers[i], offers[j])) << i << ' ' << j;
      EXPECT_NE(before(offers[i], offers[j]), before(offers[j], offers[i])) << i << ' ' << j;
      for (const Offer& between : offers) {
        if (before(offers[i], between) && before(between, offers[j])) {
          EXPECT_TRUE(before(offers[i], offers[j])) << i << ' ' << j;
        }
      }
    }
  }
}

TEST(OfferOrder, TheCheaperOfEqualMachinesComesFirst) {
  Offer cheap, dear;
  cheap.price = exactly(kDollar);
  dear.price = exactly(kDollar * 2);
  cheap.source = "z";
  EXPECT_TRUE(before(cheap, dear));
  EXPECT_FALSE(before(dear, cheap));
}

}  // namespace
}  // namespace gpuplan
