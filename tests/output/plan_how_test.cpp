#include "output/words/plan_how.h"

#include <gtest/gtest.h>

#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

constexpr DollarsPerSecond kDollarAnHour{1.0 / 3600};

TEST(PlanHow, OffersSayWhereWhatAndHowMuch) {
  PlanFixture fixture;
  Plan& plan = fixture.found.plans[1];
  EXPECT_EQ(offer_words(plan), "4x RTX 5090, on demand, $3.20/h, billed per second");
  Offer& offer = fixture.market[1];
  offer.provider = "lambda";
  offer.region = "us-east-1";
  offer.instance = "gpu_4x";
  offer.as_of = "2026-04";
  offer.billing = {10 * units::minute, units::minute};
  EXPECT_EQ(offer_words(plan),
            "4x RTX 5090 at lambda us-east-1, gpu_4x, on demand, $3.20/h, billed per minute, at least 10 min, price of "
            "2026-04");
  plan.nodes = 2;
  plan.spot = true;
  offer.spot_price = Interval<DollarsPerSecond>{1.0 * kDollarAnHour, 1.2 * kDollarAnHour, 1.4 * kDollarAnHour};
  EXPECT_EQ(
      offer_words(plan),
      "2 machines of 4x RTX 5090 at lambda us-east-1, gpu_4x, spot, $1.20/h ($1.00–$1.40/h) each, billed per minute, "
      "at least 10 min, price of 2026-04");
  plan.offer = nullptr;
  EXPECT_EQ(offer_words(plan), "");
}

TEST(PlanHow, PoolsAndBoxesAreNotRented) {
  PlanFixture fixture;
  Offer& offer = fixture.market[1];
  Plan& plan = fixture.found.plans[1];
  plan.gpus = 2;
  offer.kind = OfferKind::kPool;
  offer.label = "gpu";
  offer.partition = "preempt";
  offer.price = exactly(DollarsPerSecond{});
  EXPECT_EQ(offer_words(plan), "pool gpu (partition preempt), 2 of 4 RTX 5090, no charge");
  offer.kind = OfferKind::kOwn;
  offer.label = "under the desk";
  offer.partition = "";
  offer.price = exactly(0.3 * kDollarAnHour);
  EXPECT_EQ(offer_words(plan), "your machine under the desk, 2 of 4 RTX 5090, $0.30/h");
}

TEST(PlanHow, OnePhaseIsASentence) {
  const PlanFixture fixture;
  const PlanReport report = fixture.report();
  EXPECT_EQ(how_text(report, fixture.found.plans[1], {.columns = 100}, true),
            "  Offer: 4x RTX 5090, on demand, $3.20/h, billed per second.\n"
            "  Run:   one model per GPU, batch size 1, fp16 weights; 533 tokens/s, 133 per GPU; 16.3 of 31.8 GiB\n"
            "         per GPU.\n");
}

}  // namespace
}  // namespace gpuplan
