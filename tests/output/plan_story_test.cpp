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
  EXPECT_EQ(value_words(fixture.report()),
            "Best if your time counts $7/h: 4x RTX 5090. Below $0.20: 4x RTX 3090; above $20: 4x B200; at no value: 4x "
            "H100 SXM.");
  fixture.job.value_of_time = 0.1 * units::dollar / units::hour;
  EXPECT_EQ(
      value_words(fixture.report()),
      "Best if your time counts $0.10/h: 4x RTX 3090. $0.20 to $20: 4x RTX 5090; above $20: 4x B200; at no value: "
      "4x H100 SXM.");
  fixture.job.value_of_time = 1000 * units::dollar / units::hour;
  EXPECT_EQ(value_words(fixture.report()),
            "Best if your time counts $1,000/h: 4x B200. Below $0.20: 4x RTX 3090; $0.20 to $20: 4x RTX 5090; at no "
            "value: 4x H100 SXM.");
}

TEST(PlanReport, PickHasRuleAndReason) {
  PlanFixture fixture;
  EXPECT_EQ(pick_words(fixture.report()),
            "Recommended: 4x RTX 5090, 1.6 h (1.5–1.7), $5.12 (4.79–5.48): lowest total if your time counts $7/h.");
  fixture.job.goal = Goal::kCheapest;
  fixture.job.limits.budget = Dollars{50};
  fixture.mark();
  EXPECT_EQ(pick_words(fixture.report()), "Recommended: 4x RTX 3090, 3.4 h (2.8–4.1), $4.76 (3.97–5.71): lowest cost.");
}

TEST(PlanReport, SummaryComparesThePickWithTheOthers) {
  PlanFixture fixture;
  EXPECT_EQ(summary_words(fixture.report()),
            (std::vector<std::string>{
                "Compared with 4x RTX 3090: 2.1x faster, 1.08x the cost ($0.20 per hour saved).",
                "Compared with 4x H100 SXM: 3.0x cheaper, 1.3x slower ($31 per hour it saves; 80% of its memory would "
                "sit unused).",
                "Compared with 4x B200: 3.8x cheaper, 1.8x slower ($20 per hour it saves; 91% of its memory would sit "
                "unused)."}));
  EXPECT_EQ(summary_words(fixture.report(), 1).size(), 1U);
}

TEST(PlanReport, SummaryHasWordsForTheSameAndForFree) {
  PlanFixture fixture;
  Plan& pick = fixture.found.plans[1];
  Plan& other = fixture.found.plans[0];
  const auto first = [&] { return summary_words(fixture.report()).front(); };
  other.cost.p50 = pick.cost.p50;
  EXPECT_EQ(first(), "Compared with 4x RTX 3090: 2.1x faster, same cost.");
  other.hours.p50 = 1.004 * pick.hours.p50;  // nobody notices four in a thousand
  EXPECT_EQ(first(), "Compared with 4x RTX 3090: same time, same cost.");
  other.cost.p50 = 2 * pick.cost.p50;
  EXPECT_EQ(first(), "Compared with 4x RTX 3090: same time, 2.0x cheaper.");
  EXPECT_EQ(first().find("per hour"), std::string::npos);
  other.cost = {};
  EXPECT_EQ(first(), "Compared with 4x RTX 3090: same time, $5.12 instead of no charge.");
  pick.cost = {};
  EXPECT_EQ(first(), "Compared with 4x RTX 3090: same time, no charge for either.");
  other.cost.p50 = Dollars{12};
  EXPECT_EQ(first(), "Compared with 4x RTX 3090: same time, no charge instead of $12.00.");
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
            "1 more plan is no faster and no cheaper than one of these (--all).");
  EXPECT_EQ(shown_words(report, plan_rows(report, false, 2)),
            "2 more on the Pareto frontier (--top 4); 1 more plan is no faster and no cheaper than one of these "
            "(--all).");
  EXPECT_EQ(shown_words(report, plan_rows(report, true, 0)), "");
}

TEST(PlanReport, SpeaksOfTheNearestWhenTheFrontierIsOnePlan) {
  PlanFixture fixture;
  for (Plan& plan : fixture.found.plans)
    if (plan.label != "4x RTX 3090") plan.cost.p50 = 100 * plan.cost.p50;
  fixture.found.plans[0].hours.p50 = 0.5 * units::hour;
  fixture.mark();
  ASSERT_EQ(fixture.found.plans[0].label, "4x RTX 3090");
  EXPECT_NE(pick_words(fixture.report()).find("Cheapest and fastest."), std::string::npos);
  ASSERT_EQ(summary_words(fixture.report()).size(), 2U);
}

TEST(PlanReport, GivenFiguresFarFromTheModelAreShownBesideIt) {
  PlanFixture fixture;
  PlanReport report = fixture.report();
  report.command = "gpuplan plan job.yaml";
  EXPECT_EQ(given_words(report),
            "Speeds: your job file says 130 tokens/s per GPU, predicted 28–63. Use predictions: --ignore given");
  fixture.found.plans[1].phases[0].estimate.change().model_interval.reset();
  EXPECT_EQ(given_words(report), "");
}

TEST(PlanReport, ScarcePicksNameTheNextBest) {
  PlanFixture fixture;
  EXPECT_EQ(availability_words(fixture.report()), "Supply: 4x RTX 5090 is rare. Next best: 4x RTX 4090, 2.4 h, $5.76.");
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
  EXPECT_EQ(close({1}), "Close call, 80% ranges overlap from plan to plan: 4x RTX 3090 and 4x RTX 5090.");
  EXPECT_EQ(close({1, 3}),
            "Close call, 80% ranges overlap from plan to plan: 4x RTX 3090 and 4x RTX 5090; 4x H100 SXM and 4x B200.");
  EXPECT_EQ(close({1, 2, 3}), "Close call, 80% ranges overlap from plan to plan: 4x RTX 3090 to 4x B200.");
}

TEST(PlanReport, FewestGpusSaysHowManyMoreTheOthersTake) {
  PlanFixture fixture;
  fixture.job.goal = Goal::kFewestGpus;
  fixture.found.plans[0].gpus = 2;
  fixture.mark();
  EXPECT_EQ(summary_words(fixture.report(), 1),
            (std::vector<std::string>{"Compared with 4x RTX 5090: 1.08x cheaper, 2.1x slower ($0.20 per hour it saves; "
                                      "needs 4 GPUs instead of 2)."}));
}

TEST(PlanReport, OnlyPlanThatKeepsTheLimits) {
  PlanFixture fixture;
  fixture.job.limits.budget = Dollars{5};
  for (Plan& plan : fixture.found.plans) plan.meets_budget = plan.cost.p50 < Dollars{5};
  fixture.mark();
  EXPECT_EQ(
      pick_words(fixture.report()),
      "Recommended: 4x RTX 3090, 3.4 h (2.8–4.1), $4.76 (3.97–5.71): lowest total if your time counts $7/h. It is "
      "the only plan that meets the budget.");
}

TEST(PlanReport, CountsWhatCouldNotRun) {
  PlanFixture fixture;
  EXPECT_EQ(tally_words(fixture.report()),
            "Searched 120 configurations; 90 can run (ruled out: GPU memory 20, divisibility 10).");
  fixture.found.tally = {};
  fixture.found.tally.accept();
  EXPECT_EQ(tally_words(fixture.report()), "");
}

TEST(PlanReport, SaysWhatTheMarketLeftOut) {
  PlanFixture fixture;
  EXPECT_EQ(market_words(fixture.report()), "");
  MarketFilter& market = fixture.found.market;
  market.offers = 500;
  market.used = 200;
  market.too_old = 260;
  market.by_where = 35;
  market.unsupported = 5;
  market.spot_without_rate = 3;
  EXPECT_EQ(market_words(fixture.report()),
            "Left out of 500 offers: 35 excluded by your filters, 260 with prices more than five months older than the "
            "newest and 5 "
            "of GPUs that current software no longer supports (--gpu takes them by name). 3 spot "
            "prices skipped: interruption rate unknown. Set one: spot.interruptions: 5%/h");
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
          "Deadline 2 h (wanted with 90% chance): 97% chance with 4x RTX 5090; 3 of 5 plans meet it.",
          "Budget $50: 95% chance with 4x RTX 5090; 5 of 5 plans meet it. Fastest within budget: 4x B200, 53 min.",
          "With the $20 contingency: $25.12 (P90 $25.48).", "Includes a 30% time buffer (22 min)."}));
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
      "No plan meets both limits. 4x B200 is on time but $11.93 over budget (P90); 4x RTX 5090 is within budget but 40 "
      "min late (P90).");
}

}  // namespace
}  // namespace gpuplan
