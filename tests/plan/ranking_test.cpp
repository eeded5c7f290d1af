#include "plan/ranking/ranking.h"

#include <gtest/gtest.h>

#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

TEST(Choice, ReadsAvailabilityFromWords) {
  const auto read = [](const char* words) {
    Offer offer;
    offer.availability = words;
    return availability_of(offer);
  };
  EXPECT_EQ(read("Common"), Availability::kCommon);
  EXPECT_EQ(read("very common"), Availability::kCommon);
  EXPECT_EQ(read("less common"), Availability::kVaries);
  EXPECT_EQ(read("varies"), Availability::kVaries);
  EXPECT_EQ(read("rare"), Availability::kRare);
  EXPECT_EQ(read("very rare"), Availability::kVeryRare);
  EXPECT_EQ(read("Extremely rare (just released)"), Availability::kVeryRare);
  EXPECT_EQ(read("unavailable"), Availability::kVeryRare);
  EXPECT_EQ(read("capacity not known"), Availability::kUnknown);
  EXPECT_EQ(read(""), Availability::kUnknown);
  Offer own;
  own.kind = OfferKind::kOwn;
  EXPECT_EQ(availability_of(own), Availability::kCommon);
}

TEST(Choice, HostsThatAreOftenAwayAreHardToHave) {
  Offer offer;
  Plan plan;
  plan.offer = &offer;
  EXPECT_FALSE(is_rare(plan)) << "nobody says how much it is up";
  offer.reliability = 0.99;
  EXPECT_FALSE(is_rare(plan));
  offer.reliability = 0.6;
  EXPECT_TRUE(is_rare(plan));
  offer.availability = "available";
  EXPECT_TRUE(is_rare(plan)) << "what can be had is away as often";
}

TEST(Choice, PricesThePlanAndNotTheOffer) {
  PlanFixture fixture;
  Plan& plan = fixture.found.plans[1];  // 4x RTX 5090 at $3.20
  const auto an_hour = [](const std::optional<DollarsPerSecond>& price) { return (*price * units::hour).value; };
  EXPECT_NEAR(an_hour(price_of(plan)), 3.20, 1e-9);
  EXPECT_NEAR(an_hour(price_of_gpu(plan)), 0.80, 1e-9);
  plan.nodes = 2;
  plan.gpus = 8;
  EXPECT_NEAR(an_hour(price_of(plan)), 6.40, 1e-9);
  EXPECT_NEAR(an_hour(price_of_gpu(plan)), 0.80, 1e-9);

  Offer offer = *plan.offer;
  plan.offer = &offer;
  plan.nodes = 1;
  plan.gpus = 2;
  offer.kind = OfferKind::kPool;  // priced by the GPU
  EXPECT_NEAR(an_hour(price_of(plan)), 6.40, 1e-9);
  offer.kind = OfferKind::kOwn;  // electricity of the part in use
  EXPECT_NEAR(an_hour(price_of(plan)), 1.60, 1e-9);
  plan.spot = true;  // no spot price
  EXPECT_FALSE(price_of(plan));
  plan.offer = nullptr;
  EXPECT_FALSE(price_of(plan));
}

TEST(Choice, RanksByTheGoal) {
  PlanFixture fixture;
  const Plan& plan = fixture.found.plans[1];  // 1.6 h, $5.12, 4 GPUs
  EXPECT_NEAR(goal_key(fixture.job, plan).first, 5.12 + 7 * 1.6, 1e-9);
  fixture.job.goal = Goal::kCheapest;
  EXPECT_NEAR(goal_key(fixture.job, plan).first, 5.12, 1e-9);
  fixture.job.goal = Goal::kFastest;
  EXPECT_NEAR(goal_key(fixture.job, plan).first, 1.6 * 3600, 1e-9);
  fixture.job.goal = Goal::kFewestGpus;
  EXPECT_NEAR(goal_key(fixture.job, plan).first, 4, 1e-3);
  Plan dear = plan, larger = plan;
  dear.cost.p50 = 2e6 * units::dollar;  // however dear, the fewest GPUs come first
  larger.gpus = 5;
  EXPECT_LT(goal_key(fixture.job, dear), goal_key(fixture.job, larger));
  EXPECT_LT(goal_key(fixture.job, plan), goal_key(fixture.job, dear));
}

TEST(Choice, TightPlansCountOnlyWhenNothingFits) {
  PlanFixture fixture;
  fixture.found.plans[0].fit = Fit::kTight;
  EXPECT_EQ(contenders(fixture.found.plans).size(), 4U);
  for (Plan& plan : fixture.found.plans) plan.fit = Fit::kTight;
  EXPECT_EQ(contenders(fixture.found.plans).size(), 5U);
}

}  // namespace
}  // namespace gpuplan
