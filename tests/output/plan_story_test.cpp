#include "output/answer/plan_rows.h"
#include "output/words/plan_report.h"

#include <gtest/gtest.h>

#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

TEST(PlanReport, TellsPlansOfOneLabelApartByTheShortestThatDiffers) {
  PlanFixture fixture;
  for (Plan& plan : fixture.found.plans) plan.label = "8x H100 SXM";
  std::vector<Offer>& market = fixture.market;
  market[0].provider = "lambda";
  market[1].provider = "nebius";
  market[2].provider = "aws";
  market[2].region = "us-east-1";
  market[3].provider = "aws";
  market[3].region = "us-west-2";
  market[4].provider = "aws";
  market[4].region = "us-west-2";
  market[4].instance = "p5.48xlarge";
  const PlanReport report = fixture.report();
  EXPECT_EQ(report.names[0], "8x H100 SXM (lambda)");
  EXPECT_EQ(report.names[1], "8x H100 SXM (nebius)");
  EXPECT_EQ(report.names[2], "8x H100 SXM (aws us-east-1)");
  EXPECT_EQ(report.names[3], "8x H100 SXM (aws us-west-2)") << "only the frontier counts: the fifth is dominated";
  EXPECT_EQ(report.names[4], "8x H100 SXM (p5.48xlarge)");
}

TEST(PlanReport, NamesStayShortWhereLabelsDiffer) {
  const PlanFixture fixture;
  EXPECT_EQ(fixture.report().names,
            (std::vector<std::string>{"4x RTX 3090", "4x RTX 5090", "4x H100 SXM", "4x B200", "4x RTX 4090"}));
}

TEST(PlanReport, ValueOfAnHourDecides) {
  PlanFixture fixture;
  EXPECT_EQ(
      value_words(fixture.report()),
      "Best value at $7 for an hour: 4x RTX 5090. Below $0.20: 4x RTX 3090; above $20: 4x B200; 4x H100 SXM never.");
  fixture.job.value_of_time = 0.1 * units::dollar / units::hour;
  EXPECT_EQ(value_words(fixture.report()),
            "Best value at $0.10 for an hour: 4x RTX 3090. $0.20 to $20: 4x RTX 5090; above $20: 4x B200; 4x H100 SXM "
            "never.");
  fixture.job.value_of_time = 1000 * units::dollar / units::hour;
  EXPECT_EQ(value_words(fixture.report()),
            "Best value at $1,000 for an hour: 4x B200. Below $0.20: 4x RTX 3090; $0.20 to $20: 4x RTX 5090; 4x H100 "
            "SXM never.");
}

TEST(PlanReport, PickHasRuleAndReason) {
  PlanFixture fixture;
  EXPECT_EQ(pick_words(fixture.report()),
            "Pick: 4x RTX 5090, 1.6 h ± 0.1 for $5.12 ± 0.35, the best value at $7 for an hour of waiting.");
  fixture.job.goal = Goal::kCheapest;
  fixture.job.limits.budget = Dollars{50};
  fixture.mark();
  EXPECT_EQ(pick_words(fixture.report()),
            "Pick: 4x RTX 3090, 3.4 h (2.8 … 4.1) for $4.76 (3.97 … 5.71), the cheapest, of the 5 plans that keep the "
            "budget.");
}

TEST(PlanReport, SummaryComparesThePickWithTheOthers) {
  PlanFixture fixture;
  EXPECT_EQ(summary_words(fixture.report()),
            (std::vector<std::string>{
                "2.1x faster, 1.08x dearer than 4x RTX 3090: $0.20 for each hour saved.",
                "3.0x cheaper, 1.3x slower than 4x H100 SXM: $31 for each hour it saves; it uses 20 % of its memory.",
                "3.8x cheaper, 1.8x slower than 4x B200: $20 for each hour it saves; it uses 9 % of its memory."}));
  EXPECT_EQ(summary_words(fixture.report(), 1).size(), 1U);
}

TEST(PlanReport, SummaryHasWordsForTheSameAndForFree) {
  PlanFixture fixture;
  Plan& pick = fixture.found.plans[1];
  Plan& other = fixture.found.plans[0];
  const auto first = [&] { return summary_words(fixture.report()).front(); };
  other.cost.p50 = pick.cost.p50;
  EXPECT_EQ(first(), "2.1x faster than 4x RTX 3090, at the same cost.");
  other.hours.p50 = 1.004 * pick.hours.p50;  // nobody notices four in a thousand
  EXPECT_EQ(first(), "as fast and as cheap as 4x RTX 3090.");
  other.cost.p50 = 2 * pick.cost.p50;
  EXPECT_EQ(first(), "2.0x cheaper than 4x RTX 3090, in the same time.");
  EXPECT_EQ(first().find("for each hour"), std::string::npos);
  other.cost = {};
  EXPECT_EQ(first().substr(0, 25), "as fast as 4x RTX 3090, a");
  EXPECT_NE(first().find("where that is free"), std::string::npos);
  pick.cost = {};
  EXPECT_EQ(first(), "as fast and as cheap as 4x RTX 3090.");
  other.cost.p50 = Dollars{12};
  EXPECT_EQ(first(), "as fast as 4x RTX 3090, and free where that costs $12.00.");
}

TEST(PlanReport, LongFrontiersAreCutAndSayHowToSeeTheRest) {
  PlanFixture fixture;
  const PlanReport report = fixture.report();
  const auto shown = [&](bool all, int most) {
    std::string rows;
    for (const bool row : plan_rows(report, all, most)) rows += row ? 'x' : '-';
    return rows;
  };
  EXPECT_EQ(shown(false, 0), "xxxx-");
  EXPECT_EQ(shown(true, 0), "xxxxx");
  EXPECT_EQ(shown(false, 1), "-x---") << "the pick comes first";
  EXPECT_EQ(shown(false, 3), "xx-x-") << "then the ends of the frontier";
  EXPECT_EQ(shown(true, 4), "xxxx-");
  EXPECT_EQ(shown(false, 100), "xxxx-");
  EXPECT_EQ(shown_words(report, plan_rows(report, false, 0)),
            "Shown 4 of 5 plans; 1 is dominated (--all): 4x RTX 4090 by 4x RTX 5090");
  EXPECT_EQ(shown_words(report, plan_rows(report, false, 2)),
            "Shown 2 of 5 plans; 2 more are on the frontier (--top 4); 1 is dominated (--all): 4x RTX 4090 by 4x RTX "
            "5090");
  EXPECT_EQ(shown_words(report, plan_rows(report, true, 0)), "");
}

TEST(PlanReport, SpeaksOfTheNearestWhenTheFrontierIsOnePlan) {
  PlanFixture fixture;
  for (Plan& plan : fixture.found.plans)
    if (plan.label != "4x RTX 3090") plan.cost.p50 = 100 * plan.cost.p50;
  fixture.found.plans[0].hours.p50 = 0.5 * units::hour;
  fixture.mark();
  ASSERT_EQ(fixture.found.plans[0].label, "4x RTX 3090");
  EXPECT_NE(pick_words(fixture.report()).find("It is both the cheapest and the fastest."), std::string::npos);
  ASSERT_EQ(summary_words(fixture.report()).size(), 2U);
}

TEST(PlanReport, GivenFiguresFarFromTheModelAreShownBesideIt) {
  PlanFixture fixture;
  PlanReport report = fixture.report();
  report.command = "gpuplan plan job.yaml";
  EXPECT_EQ(given_words(report),
            "The figures given are far from the model's: 4x RTX 5090 given 130, model 28 … 63 tokens/s a GPU. With the "
            "model's figures: gpuplan plan job.yaml --ignore given");
  fixture.found.plans[1].phases[0].estimate.change().model_interval.reset();
  EXPECT_EQ(given_words(report), "");
}

TEST(PlanReport, ScarcePicksNameTheNextBest) {
  PlanFixture fixture;
  EXPECT_EQ(availability_words(fixture.report()), "4x RTX 5090 is rare on the market; next best: 4x RTX 4090.");
  fixture.market[1].availability = "common";
  EXPECT_EQ(availability_words(fixture.report()), "");
}

TEST(PlanReport, ChainsPlansThatAreTooCloseToCall) {
  PlanFixture fixture;
  const auto close = [&](std::initializer_list<int> positions) {
    for (Plan& plan : fixture.found.plans) plan.close_to_previous = false;
    for (const int i : positions) fixture.found.plans[static_cast<std::size_t>(i)].close_to_previous = true;
    return close_words(fixture.report());
  };
  EXPECT_EQ(close({}), "");
  EXPECT_EQ(close({1}),
            "Too close to call (80 % intervals overlap in hours and dollars): 4x RTX 3090 and 4x RTX 5090.");
  EXPECT_EQ(close({1, 3}),
            "Too close to call (80 % intervals overlap in hours and dollars): 4x RTX 3090 and 4x RTX 5090; 4x H100 SXM "
            "and 4x B200.");
  EXPECT_EQ(close({1, 2, 3}),
            "Too close to call, each with the next (80 % intervals overlap in hours and dollars): 4x RTX 3090, 4x RTX "
            "5090, 4x H100 SXM and 4x B200.");
}

TEST(PlanReport, FewestGpusSaysHowManyMoreTheOthersTake) {
  PlanFixture fixture;
  fixture.job.goal = Goal::kFewestGpus;
  fixture.found.plans[0].gpus = 2;
  fixture.mark();
  EXPECT_EQ(
      summary_words(fixture.report(), 1),
      (std::vector<std::string>{
          "1.08x cheaper, 2.1x slower than 4x RTX 5090: $0.20 for each hour it saves; it takes 4 GPUs instead of 2."}));
}

TEST(PlanReport, OnlyPlanThatKeepsTheLimits) {
  PlanFixture fixture;
  fixture.job.limits.budget = Dollars{5};
  for (Plan& plan : fixture.found.plans) plan.meets_budget = plan.cost.p50 < Dollars{5};
  fixture.mark();
  EXPECT_EQ(pick_words(fixture.report()),
            "Pick: 4x RTX 3090, 3.4 h (2.8 … 4.1) for $4.76 (3.97 … 5.71), the best value at $7 for an hour of "
            "waiting, the only plan that keeps the budget.");
}

TEST(PlanReport, CountsWhatCouldNotRun) {
  PlanFixture fixture;
  EXPECT_EQ(tally_words(fixture.report()),
            "Looked at 120 ways to run it; 30 can not, because of GPU memory (20) and divisibility (10).");
  fixture.found.tally = {};
  fixture.found.tally.accept();
  EXPECT_EQ(tally_words(fixture.report()), "Looked at 1 way to run it; all of them can run.");
}

TEST(PlanReport, SaysWhatTheMarketLeftOut) {
  PlanFixture fixture;
  EXPECT_EQ(market_words(fixture.report()), "");
  fixture.found.market = {.offers = 500, .used = 200, .too_old = 260, .by_where = 40, .spot_without_rate = 3};
  EXPECT_EQ(
      market_words(fixture.report()),
      "Left out of 500 offers: 40 that do not match where and 260 whose price is more than six months older than "
      "the newest. 3 spot prices not used: nobody says how often they are interrupted (spot.interruptions: 5%/h).");
}

TEST(PlanReport, LimitsSayWhoKeepsThem) {
  PlanFixture fixture;
  fixture.job.limits.deadline = 2 * units::hour;
  fixture.job.limits.budget = Dollars{50};
  fixture.job.contingency = Dollars{20};
  fixture.job.buffer = 0.3;
  for (Plan& plan : fixture.found.plans) {
    plan.meets_deadline = plan.hours.p90 < 2 * units::hour;
    plan.chance_in_time = plan.meets_deadline ? 0.97 : 0.02;
    plan.chance_in_budget = 0.95;
    plan.buffer = 0.3 / 1.3 * plan.hours.p50;
  }
  fixture.mark();
  EXPECT_EQ(
      limit_words(fixture.report()),
      (std::vector<std::string>{
          "Deadline 2 h at 90 % confidence: 4x RTX 5090 keeps it with a chance of 97 %; 3 of 5 plans keep it.",
          "Budget $50: 4x RTX 5090 keeps it with a chance of 95 %; 5 of 5 plans keep it. Fastest within it: "
          "4x B200, 53 min.",
          "Contingency $20 on top: $25.12 in all (P90 $25.48).", "Buffer 30 % of all phases: 22 min of the 1.6 h."}));
}

TEST(PlanReport, LimitsThatNoPlanKeepsTogether) {
  PlanFixture fixture;
  fixture.job.limits.deadline = 1.05 * units::hour;  // only 4x B200, $19.58
  fixture.job.limits.budget = Dollars{10};           // not that one
  for (Plan& plan : fixture.found.plans) {
    plan.meets_deadline = plan.hours.p90 <= 1.05 * units::hour;
    plan.meets_budget = plan.cost.p90 <= Dollars{10};
  }
  fixture.mark();
  ASSERT_TRUE(fixture.found.recommendations.limits_missed);
  const std::vector<std::string> lines = limit_words(fixture.report());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(
      lines[2],
      "No plan keeps both. 4x B200 is in time and $11.93 over the budget (P90); 4x RTX 5090 is within it and 40 min "
      "late.");
}

}  // namespace
}  // namespace gpuplan
