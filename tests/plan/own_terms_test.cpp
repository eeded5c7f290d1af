// Credits and commitments: what a plan costs by the user's own terms, and what plans without them keep to the bit.
#include "plan/billing/own_terms.h"

#include <gtest/gtest.h>

#include "plan/ranking/fallback.h"
#include "plan/ranking/ranking.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// Two providers with one machine each, 4 h of work on either.
std::string job_text(const std::string& terms, const std::string& more = "", const std::string& gpus = "8") {
  return "market:\n  use: only\n  offers:\n"
         "    - {gpu: H100 SXM, gpus: " +
         gpus + ", provider: aws, region: us-east-1, price: $20/h" + more +
         "}\n"
         "    - {gpu: H100 SXM, gpus: " +
         gpus +
         ", provider: gcp, price: $24/h}\n"
         "phases:\n  - {name: a, fixed: {gpus: " +
         gpus + ", time: 4 h, exact: true}}\n" + terms;
}

double dollars_an_hour(DollarsPerSecond price) { return (price * units::hour).value; }

const Plan& at(const Searched& searched, std::string_view provider, int nodes = 1) {
  for (const Plan& plan : searched.result.plans)
    if (plan.offer != nullptr && plan.offer->provider == provider && plan.nodes == nodes) return plan;
  ADD_FAILURE() << "no plan at " << provider;
  return searched.result.plans.at(0);
}

Searched searched(const std::string& terms, const std::string& today = "", const std::string& more = "") {
  Job job = job_of(job_text(terms, more));
  job.market.today = today;
  return Searched(std::move(job));
}

void same(const Plan& a, const Plan& b) {
  EXPECT_EQ(a.id, b.id);
  for (const auto part :
       {&Outcome<Dollars>::p10, &Outcome<Dollars>::p50, &Outcome<Dollars>::p90, &Outcome<Dollars>::mean})
    EXPECT_EQ(a.cost.*part, b.cost.*part);
}

TEST(Credits, PayFirstAndTheRestIsPaid) {
  const Searched all = searched("credits: [{provider: gcp, amount: $60}]\n");
  EXPECT_EQ(at(all, "aws").cost.p50.value, 80);
  EXPECT_EQ(at(all, "aws").credits.value, 0);
  const Plan& paid = at(all, "gcp");
  EXPECT_EQ(paid.cost.p50.value, 36);
  EXPECT_EQ(paid.credits.value, 60);
  EXPECT_EQ(paid.phases.front().cost.p50.value, 36);
  EXPECT_EQ(paid.leases.front().cost.value, 36);
  EXPECT_EQ(&all.pick(), &paid) << "the pick is by what is paid";
  EXPECT_EQ(dollars_an_hour(*price_of(paid)), 24) << "the price is the list's";
}

TEST(Credits, ThatAreEnoughLeaveNothingToPay) {
  const Searched all = searched("credits: [{provider: GCP, amount: $70}, {provider: gcp, amount: $70}]\n");
  EXPECT_EQ(at(all, "gcp").cost.p50.value, 0);
  EXPECT_EQ(at(all, "gcp").cost.p90.value, 0);
  EXPECT_EQ(at(all, "gcp").credits.value, 96);
}

TEST(Credits, PayUntilTheyEnd) {
  const std::string terms = "credits: [{provider: gcp, amount: $700, until: 2026-11-20}]\n";
  EXPECT_EQ(at(searched(terms, "2026-11-20"), "gcp").cost.p50.value, 0) << "its last day counts";
  EXPECT_EQ(at(searched(terms, "2026-11-21"), "gcp").cost.p50.value, 96) << "it is over";
  EXPECT_EQ(at(searched(terms, ""), "gcp").cost.p50.value, 0) << "nobody says which day it is";
  // Of a job of four days what is billed on the first.
  Job job = job_of(job_text(terms));
  job.market.today = "2026-11-20";
  auto& work = std::get<FixedPhase>(job.phases[0].work);
  work.time = {exactly(4 * units::day)};
  const Searched longer(std::move(job));
  EXPECT_NEAR(at(longer, "gcp").cost.p50.value, 3 * 24 * 24, 1e-6);
}

TEST(Credits, NeverRaiseACostAndMoreNeverDearer) {
  double before = 1e9;
  for (const int amount : {0, 10, 40, 95, 96, 97, 1000}) {
    const Searched all =
        searched(amount == 0 ? "" : "credits: {provider: gcp, amount: " + std::to_string(amount) + "}\n");
    const Outcome<Dollars>& cost = at(all, "gcp").cost;
    EXPECT_LE(cost.p50.value, before);
    EXPECT_LE(cost.p10, cost.p50);
    EXPECT_LE(cost.p50, cost.p90);
    before = cost.p50.value;
  }
  EXPECT_EQ(before, 0);
}

TEST(Credits, MakeThePriceUpToWhichAPlanIsTheBestHigher) {
  const Searched all = searched("goal: cheapest\ncredits: [{provider: aws, amount: $40}]\n");
  const std::vector<Fallback> rows = fallback_order(all.job, all.result, compared_of(all));
  // The same machines elsewhere are what there is to fall back on.
  ASSERT_TRUE(rows.front().below);
  EXPECT_NEAR(dollars_an_hour(*rows.front().below), (96.0 + 40) / 4, 1e-6) << "$136 less $40 of credits are $96";
  Job job = job_of(job_text("goal: cheapest\ncredits: [{provider: aws, amount: $40}]\n"));
  job.market.offers[1].gpu = "A100 SXM 80GB";
  const Searched other(std::move(job));
  const std::vector<Fallback> two = fallback_order(other.job, other.result, compared_of(other));
  ASSERT_TRUE(two.front().below);
  EXPECT_NEAR(dollars_an_hour(*two.front().below), (96.0 + 40) / 4, 1e-6) << "$136 less $40 of credits are $96";
}

TEST(Commitments, CoverSoManyGpusAtTheirPrice) {
  const Searched plain = searched("");
  const Plan& listed = at(plain, "aws");
  EXPECT_EQ(listed.cost.p50.value, 80);
  EXPECT_EQ(at(searched("commitments: [{provider: aws, gpu: 8x H100 SXM}]\n"), "aws").cost.p50.value, 0);
  EXPECT_EQ(at(searched("commitments: [{provider: aws, price: $1/h}]\n"), "aws").cost.p50.value, 32);
  const Searched half = searched("commitments: [{provider: aws, gpu: H100 SXM, gpus: 4, price: $1/h}]\n");
  const Plan& plan = at(half, "aws");
  EXPECT_EQ(plan.cost.p50.value, 4 * (4 * 1 + 10));
  EXPECT_EQ(plan.leases.front().covered, 4);
  EXPECT_EQ(dollars_an_hour(*price_of(plan)), 14);
  EXPECT_EQ(at(half, "gcp").cost.p50.value, 96);
  EXPECT_EQ(at(searched("commitments: [{provider: aws, discount: 25%}]\n"), "aws").cost.p50.value, 60);
}

TEST(Commitments, HoldForTheirGpuRegionAndDays) {
  const auto cost = [&](const std::string& terms, const std::string& today = "2026-11-28") {
    return at(searched("commitments: [{provider: aws, " + terms + "}]\n", today), "aws").cost.p50.value;
  };
  EXPECT_EQ(cost("gpu: A100 SXM 80GB"), 80);
  EXPECT_EQ(cost("region: us-east-1"), 0);
  EXPECT_EQ(cost("region: us-west-2"), 80);
  EXPECT_EQ(cost("until: 2026-11-28"), 0);
  EXPECT_EQ(cost("until: 2026-11-27"), 80);
}

TEST(Commitments, AreSharedByMachinesAtTheSameTime) {
  const std::string job =
      "schedule: each_phase\nmarket: {use: only, offers: [{gpu: L4, gpus: 4, provider: aws, price: $4/h}]}\n"
      "commitments: [{provider: aws, gpus: 4}]\n"
      "phases:\n  - {name: a, fixed: {gpus: 4, time: 1 h, exact: true}}\n"
      "  - {name: b, fixed: {gpus: 4, time: 1 h, exact: true}";
  const Searched beside(job_of(job + "}\n"));
  EXPECT_EQ(beside.pick().cost.p50.value, 4) << "one of the two is covered";
  const Searched after(job_of(job + ", needs: [a]}\n"));
  EXPECT_EQ(after.pick().cost.p50.value, 0) << "one after the other, both are";
}

TEST(Commitments, AreInNoDoubtWhereTheyStateAPrice) {
  Job job = job_of(job_text("commitments: [{provider: aws, price: $1/h}]\n"));
  for (Offer& offer : job.market.offers) offer.price_doubt = {.age = 0.3};
  const Searched all(std::move(job));
  EXPECT_EQ(at(all, "aws").cost.p10, at(all, "aws").cost.p90);
  EXPECT_LT(at(all, "gcp").cost.p10, at(all, "gcp").cost.p90);
}

TEST(OwnTerms, ThatFitNothingChangeNothing) {
  const Searched plain = searched("");
  const Searched other = searched(
      "commitments: [{provider: lambda}, {provider: aws, gpu: L4}]\ncredits: [{provider: lambda, amount: $500}]\n");
  for (const char* provider : {"aws", "gcp"}) same(at(plain, provider), at(other, provider));
  EXPECT_EQ(plain.pick().id, other.pick().id);
}

TEST(OwnTerms, AreRefusedInOneLine) {
  const auto line = [](const std::string& terms) { return line_of(read_text_as_job(job_text(terms))); };
  EXPECT_NE(line("credits: [{provider: gcp}]\n").find("credits[0]: missing 'amount'"), std::string::npos)
      << line("credits: [{provider: gcp}]\n");
  EXPECT_NE(line("credits: [{provider: '', amount: $5}]\n").find("'provider' is empty"), std::string::npos);
  EXPECT_NE(line("credits: [{provider: gcp, amount: $5, until: 2026-11}]\n")
                .find("credits[0].until: expected a day such as 2027-01-31, got '2026-11'"),
            std::string::npos);
  EXPECT_NE(line("commitments: [{provider: aws, price: $1/h, discount: 10%}]\n").find("give one of them"),
            std::string::npos);
  EXPECT_NE(line("commitments: [{provider: aws, gpu: 8x L4, gpus: 4}]\n").find("use one of them"), std::string::npos);
  EXPECT_NE(line("commitments: [{provider: aws, discount: 150%}]\n").find("discount"), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
