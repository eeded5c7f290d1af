// How often machines are taken away, in all the ways a job can say it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

using units::hour;

std::string with(const std::string& lines) { return "phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n" + lines; }

SpotRules spot(const std::string& interruptions) {
  const auto job = read_text_as_job(with("spot: {interruptions: " + interruptions + "}"));
  EXPECT_TRUE(job) << line_of(job);
  return job ? job->spot : SpotRules{};
}

TEST(JobSpot, RatesAndRanges) {
  EXPECT_NEAR(spot("5%/h").interruptions->p50 * hour, -std::log1p(-0.05), 1e-12) << "the chance in one hour";
  EXPECT_NEAR(spot("1.4/h").interruptions->p50 * hour, 1.4, 1e-12) << "so many in one hour";
  EXPECT_NEAR(spot("40%/day").interruptions->p50 * units::day, -std::log1p(-0.4), 1e-12);
  const SpotRules range = spot("2-5%/h");
  EXPECT_NEAR(range.interruptions->p10 * hour, -std::log1p(-0.02), 1e-12);
  EXPECT_NEAR(range.interruptions->p90 * hour, -std::log1p(-0.05), 1e-12);
  EXPECT_TRUE(spot("5%/h").interruptions->exact()) << "a single rate is taken at its word";
}

TEST(JobSpot, BandsAndBathtubs) {
  EXPECT_EQ(spot("5-10%").band, SpotBand::k5To10);
  EXPECT_EQ(spot("\">20%\"").band, SpotBand::kAbove20);
  EXPECT_FALSE(spot("5-10%").interruptions) << "a band is no rate";
  const Bathtub typical;
  Bathtub shorter;
  shorter.cap = 12 * hour;
  shorter.bend = 12 * hour;
  shorter.share = 0.4;
  EXPECT_EQ(spot("{bathtub: {share: 40%, bend: 12 h, cap: 12 h}}").bathtub, shorter);
  EXPECT_EQ(spot("{bathtub: {cap: 24 h}}").bathtub, typical);
}

TEST(JobSpot, OffersAndPoolsHaveTheirOwn) {
  const auto job = read_text_as_job(
      with("market: {use: only, offers: [{gpu: L4, spot_price: $0.2/h, interruptions: 1-2%/h}, {gpu: L4, spot_price: "
           "$0.1/h, interruptions: 10-15%}], pools: [{name: p, gpu: L4, preemptible: true, interruptions: 0.5/h}]}"));
  ASSERT_TRUE(job) << line_of(job);
  EXPECT_NEAR(job->market.offers[0].interruptions->p90 * hour, -std::log1p(-0.02), 1e-12);
  EXPECT_EQ(job->market.offers[1].band, SpotBand::k10To15);
  EXPECT_FALSE(job->market.offers[1].interruptions);
  EXPECT_NEAR(job->market.pools[0].interruptions->p50 * hour, 0.5, 1e-12);
}

TEST(JobSpot, RatesThatCanNotBe) {
  const auto error = [](const std::string& rate) { return error_of(with("spot: {interruptions: " + rate + "}")); };
  EXPECT_EQ(error("150%/h"),
            "job.yaml:2: spot.interruptions: expected a rate such as 5%/h, got '150%/h' (a chance must be below 100%; "
            "for more, give events per hour: 1.5/h)");
  EXPECT_NE(error("50-120%/h").find("a chance must be below 100%"), std::string::npos);
  EXPECT_EQ(error("100/h"), "job.yaml:2: spot.interruptions: expected at most 60/h, got '100/h'");
  EXPECT_NE(error("-1%/h"), "");
  EXPECT_EQ(error("{trace: a.json, bathtub: {cap: 24 h}}"),
            "job.yaml:2: spot.interruptions: expected either trace or bathtub");
  EXPECT_NE(error("{bathtub: {cap: 0 h}}"), "");
  EXPECT_NE(error("{bathtub: {share: 150%}}"), "");
  EXPECT_NE(error("{bathtub: {width: 3 h}}").find("unknown key 'width'"), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
