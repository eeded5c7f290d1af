// Whole searches whose phases run on machines of several offers: worked by hand, and laws.
#include "plan/machines/mixed_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "searched.h"

namespace gpuplan {
namespace {

using units::hour;

/// A big machine, a small one, and a phase that needs the big one between two that do not.
std::string three_phases(const std::string& more = "", const std::string& small = "", const std::string& big = "") {
  const auto rules = [](const std::string& billing) { return billing.empty() ? "" : ", billing: {" + billing + "}"; };
  return "market:\n"
         "  use: only\n"
         "  offers:\n"
         "    - {gpu: H100 SXM, gpus: 8, price: $24/h" +
         rules(big) +
         "}\n"
         "    - {gpu: RTX 4090, gpus: 1, price: $0.50/h" +
         rules(small) +
         "}\n"
         "phases:\n"
         "  - {name: look, fixed: {gpus: 1, time: 3 h, exact: true}}\n"
         "  - {name: train, needs: [look], fixed: {gpus: 8, time: 2 h, exact: true}}\n"
         "  - {name: judge, needs: [train], fixed: {gpus: 1, time: 1 h, exact: true}}\n" +
         more;
}

TEST(MixedPlans, EveryPhaseOnTheMachineThatServesItBest) {
  const Searched searched(job_of(three_phases()));
  const Plan& pick = searched.pick();
  EXPECT_EQ(pick.label, "1x RTX 4090 + 8x H100 SXM");
  EXPECT_EQ(pick.cost.p50, Dollars{3 * 0.5 + 2 * 24 + 0.5});
  EXPECT_EQ(pick.hours.p50, 6 * hour) << "as long as on one machine";
  EXPECT_EQ(pick.offer, nullptr);
  ASSERT_EQ(pick.leases.size(), 3U);
  EXPECT_EQ(pick.leases[1].from, 3 * hour);
  EXPECT_EQ(pick.leases[1].phases, (std::vector<int>{1}));
  EXPECT_NEAR(pick.billed_gpu_hours, 3 + 16 + 1, 1e-6);
  EXPECT_NEAR(pick.gpu_hours, 3 + 16 + 1, 1e-6);
  Dollars parts{};
  for (const PhasePlan& part : pick.phases) parts += part.cost.p50;
  EXPECT_NEAR(parts.value, pick.cost.p50.value, 0.01) << "parts add up";
  const Plan* alone = searched.plan("8x H100 SXM");
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(alone->cost.p50, Dollars{144});
  EXPECT_FALSE(alone->on_frontier);
}

TEST(MixedPlans, KeepAndStopWhenIdleAskForOneMachine) {
  for (const std::string schedule : {"keep", "stop_when_idle"}) {
    const Searched searched(job_of(three_phases("schedule: " + schedule + "\n")));
    EXPECT_EQ(searched.pick().label, "8x H100 SXM");
    EXPECT_EQ(searched.pick().cost.p50, Dollars{144});
  }
}

TEST(MixedPlans, BlocksOfTimeMakeItCheaperToGoOn) {
  // Blocks of 6 hours: the small machine is paid for until the end anyway, so it is kept.
  const Searched searched(job_of(three_phases("", "increment: 6 h")));
  const Plan& pick = searched.pick();
  EXPECT_EQ(pick.cost.p50, Dollars{6 * 0.5 + 2 * 24}) << "three hours, two idle ones and the last";
  ASSERT_EQ(pick.leases.size(), 2U);
  EXPECT_EQ(pick.leases[0].phases, (std::vector<int>{0, 2}));
  EXPECT_NEAR(pick.idle.value, 2 * 0.5, 0.01);
}

TEST(MixedPlans, TimeToStartIsInTheHoursAndOnTheBill) {
  // The small machine waits beside the big one: half an hour is worth more than two and a half hours of it.
  const std::string start = "startup: 30 min";
  const Searched billed(job_of(three_phases("", start, start)));
  EXPECT_EQ(billed.pick().hours.p50, 7 * hour) << "two starts";
  EXPECT_EQ(billed.pick().cost.p50, Dollars{7 * 0.5 + 2.5 * 24});
  const std::string free_start = start + ", startup_billed: false";
  const Searched free(job_of(three_phases("", free_start, free_start)));
  EXPECT_EQ(free.pick().cost.p50, Dollars{6.5 * 0.5 + 2 * 24});
  const Searched cheapest(job_of(three_phases("goal: cheapest\n", free_start, free_start)));
  EXPECT_EQ(cheapest.pick().hours.p50, 7.5 * hour) << "three starts";
  EXPECT_EQ(cheapest.pick().cost.p50, Dollars{50});
}

TEST(MixedPlans, APhaseStaysOnTheMachinesItNames) {
  std::string text = three_phases();
  const std::string judge = "needs: [train]";
  text.replace(text.find(judge), judge.size(), "needs: [train], on: train");
  const Searched searched(job_of(text));
  EXPECT_EQ(searched.pick().label, "1x RTX 4090 + 8x H100 SXM");
  EXPECT_EQ(searched.pick().cost.p50, Dollars{3 * 0.5 + 3 * 24});
  EXPECT_EQ(searched.pick().leases.back().phases, (std::vector<int>{1, 2}));
}

/// A short phase beside a long one, which decides when both have ended.
std::string beside_a_long_one(const std::string& price) {
  return "phases:\n"
         "  - name: a\n"
         "    train: {model: Qwen2.5-0.5B, steps: 3180, sequence: 256, batch: {sequences: 256}, method: lora}\n"
         "    setup: {time: 2.74-4.11 min}\n"
         "  - {name: b, train: {model: Llama-2-13B, data: {samples: 1000000, tokens_per_sample: {mean: 271}}}}\n"
         "market:\n"
         "  use: only\n"
         "  offers:\n"
         "    - {gpu: RTX 4090, gpus: 8, price: $2.87/h}\n"
         "    - {gpu: A100 SXM 40GB, gpus: 2, price: " +
         price +
         "}\n"
         "    - {gpu: B200, gpus: 8, price: $8.36575-16.7315/h}\n";
}

TEST(MixedPlans, ALowerPriceOfASlowMachineMakesNothingWorse) {
  // By the medians the slow machine ends just before the long phase does, and is the cheapest; when luck is bad the job
  // waits for it. Were its schedule the only one that is laid out, its lower price would make the best plan worse.
  const Searched dear(job_of(beside_a_long_one("$1.57/h")));
  const Searched cheap(job_of(beside_a_long_one("$1.30153/h")));
  const auto worth = [](const Searched& searched) {
    const Plan& plan =
        searched.result.plans[static_cast<std::size_t>(searched.result.recommendations.best_value.value())];
    return (plan.cost.p50 + searched.job.value_of_time * plan.hours.p50).value;
  };
  EXPECT_LE(worth(cheap), worth(dear));
}

TEST(MixedPlans, WhatAPhaseCostsBesideTheMachinesDecidesToo) {
  // The second offer is a little cheaper, and asks more for results that leave than that saves.
  const auto job = [](const std::string& more) {
    return job_of(
        "goal: cheapest\n"
        "schedule: each_phase\n"
        "market: {use: only, offers: [{gpu: H100 SXM, price: $5.85/h}" +
        more +
        "]}\n"
        "phases:\n"
        "  - name: a\n"
        "    collect:\n"
        "      model: Qwen1.5-MoE-A2.7B\n"
        "      data: [{samples: 2525, prompt_tokens: 1.80625, new_tokens: 165}]\n"
        "      store: {layers: 4, width: 96}\n");
  };
  const Searched alone(job(""));
  const Searched both(job(", {gpu: H100 SXM, price: $5.84/h, egress_price: $0.90/GB}"));
  EXPECT_EQ(both.pick().cost.p50, alone.pick().cost.p50);
  EXPECT_EQ(both.pick().egress, Dollars{});
}

constexpr const char* kSideBySide =
    "phases:\n"
    "  - {name: a, fixed: {gpus: 1, time: 4 h, exact: true}}\n"
    "  - {name: b, fixed: {gpus: 1, time: 4 h, exact: true}}\n"
    "  - {name: c, needs: [a, b], fixed: {gpus: 1, time: 1 h, exact: true}}\n";

TEST(MixedPlans, IndependentPhasesOverlapOnTwoMachines) {
  const Searched searched(
      job_of(std::string("market: {use: only, offers: [{gpu: RTX 4090, price: $0.50/h}]}\n") + kSideBySide));
  const Plan& pick = searched.pick();
  EXPECT_EQ(pick.label, "1x RTX 4090, 2 at a time");
  EXPECT_EQ(pick.hours.p50, 5 * hour);
  EXPECT_EQ(pick.cost.p50, Dollars{4.5});
  const Plan* alone = searched.plan("1x RTX 4090");
  ASSERT_NE(alone, nullptr);
  EXPECT_NE(alone->id, pick.id);
  EXPECT_EQ(alone->hours.p50, 9 * hour);
}

TEST(MixedPlans, TheFewestGpusAreThoseHeldAtOneTime) {
  const Searched searched(
      job_of(std::string("market: {use: only, offers: [{gpu: RTX 4090, price: $0.50/h}]}\ngoal: fewest_gpus\n") +
             kSideBySide));
  EXPECT_EQ(searched.pick().label, "1x RTX 4090");
}

TEST(MixedPlans, AnOwnBoxIsThereOnce) {
  const Searched searched(job_of(
      std::string("market: {use: only, own: [{name: box, gpu: RTX 4090, gpus: 1, watts: 500, usd_per_kwh: $0.30}]}\n") +
      kSideBySide));
  EXPECT_EQ(searched.pick().hours.p50, 9 * hour);
  EXPECT_EQ(searched.result.plans.size(), 1U);
}

TEST(MixedPlans, AQuotaHoldsForAllThatIsHeldAtATime) {
  const std::string market = "market: {use: only, offers: [{provider: x, gpu: RTX 4090, price: $0.50/h}]}\n";
  const Searched one(job_of(market + "where: {quota: {x: 1}}\n" + kSideBySide));
  const Searched two(job_of(market + "where: {quota: {x: 2}}\n" + kSideBySide));
  EXPECT_EQ(one.pick().hours.p50, 9 * hour);
  EXPECT_EQ(two.pick().hours.p50, 5 * hour);
}

TEST(MixedPlans, NeedsThatCrossAreSaid) {
  const Searched searched(
      job_of("market: {use: only, offers: [{gpu: RTX 4090, price: $0.50/h}]}\n"
             "phases:\n"
             "  - {name: a, fixed: {gpus: 1, time: 1 h}}\n"
             "  - {name: b, fixed: {gpus: 1, time: 1 h}}\n"
             "  - {name: c, needs: [a, b], fixed: {gpus: 1, time: 1 h}}\n"
             "  - {name: d, needs: [b], fixed: {gpus: 1, time: 1 h}}\n"));
  EXPECT_TRUE(std::ranges::any_of(searched.result.assumptions, [](const std::string& line) {
    return line.find("the phase dependencies are not a chain") != std::string::npos;
  }));
}

TEST(MixedPlans, EachPhaseTakesMachinesOfItsOwn) {
  const Searched searched(job_of(three_phases("schedule: each_phase\n", "increment: 6 h", "increment: 6 h")));
  ASSERT_FALSE(searched.result.plans.empty());
  for (const Plan& plan : searched.result.plans) {
    EXPECT_EQ(plan.leases.size(), 3U);
    EXPECT_FALSE(plan.kept);
  }
  EXPECT_EQ(searched.pick().cost.p50, Dollars{6 * 0.5 + 6 * 24 + 6 * 0.5}) << "a block for each";
}

/// Training on machines of four speeds, then work on one GPU.
const char* kTradeOff =
    "phases:\n"
    "  - {name: train, train: {model: gpt2, data: {tokens: 20B}, sequence: 1024, batch: {tokens: 512k}}}\n"
    "  - {name: look, needs: [train], fixed: {gpus: 1, time: 2 h}}\n";

TEST(MixedPlans, DeadlinesAndBudgetsHoldAtTheWantedChance) {
  const Searched open{job_of(kTradeOff)};
  const Plan& cheapest = open.result.plans[static_cast<std::size_t>(*open.result.recommendations.cheapest)];
  const Plan& fastest = open.result.plans[static_cast<std::size_t>(*open.result.recommendations.fastest)];
  const double middle = (cheapest.hours.p50 + fastest.hours.p50) / hour / 2;
  const Searched timed(
      job_of(std::string(kTradeOff) + "limits: {deadline: " + std::to_string(middle) + " h}\ngoal: cheapest\n"));
  const Plan& pick = timed.pick();
  EXPECT_GE(*pick.chance_in_time, 0.9);
  EXPECT_EQ(pick.offer, nullptr) << "no plan on one kind of machine is cheaper";
  for (const Plan& plan : timed.result.plans)
    if (plan.meets_deadline && plan.fit == Fit::kFits) {
      EXPECT_GE(plan.cost.p50, pick.cost.p50);
    }
  const double budget = (cheapest.cost.p90.value * 3);
  const Searched bounded(
      job_of(std::string(kTradeOff) + "limits: {budget: $" + std::to_string(budget) + "}\ngoal: fastest\n"));
  EXPECT_GE(*bounded.pick().chance_in_budget, 0.9);
  for (const Plan& plan : bounded.result.plans)
    if (plan.meets_budget && plan.fit == Fit::kFits) {
      EXPECT_GE(plan.hours.p50, bounded.pick().hours.p50);
    }
}

TEST(MixedPlans, ThreadsChangeNothing) {
  const Searched one(job_of(kTradeOff), {.threads = 1});
  const Searched two(job_of(kTradeOff), {.threads = 2});
  ASSERT_EQ(one.result.plans.size(), two.result.plans.size());
  for (std::size_t i = 0; i < one.result.plans.size(); ++i) {
    EXPECT_EQ(one.result.plans[i].id, two.result.plans[i].id);
    EXPECT_EQ(one.result.plans[i].cost.p90, two.result.plans[i].cost.p90);
  }
}

TEST(MixedPlans, EverySpotPlanHasItsSpread) {
  const std::string text =
      "market: {use: only, offers: [{gpu: A100 SXM 40GB, gpus: 8, spot_price: $12/h, interruptions: 20%/h},\n"
      "{gpu: A100 SXM 80GB, gpus: 8, spot_price: $13/h, interruptions: 20%/h}]}\n"
      "where: {spot: only}\nspot: {restart: 20 min}\nlimits: {deadline: 12 h}\n"
      "phases: [{name: a, checkpoint: {every: 1 h}, fixed: {gpus: 8, time: 10 h, exact: true}}]\n";
  const Searched searched(job_of(text));
  ASSERT_EQ(searched.result.plans.size(), 2U);
  for (const Plan& plan : searched.result.plans) {  // the one that nothing beats, and the other
    EXPECT_GT(plan.hours.p90, plan.hours.p50) << "the work itself has no spread";
    EXPECT_LT(plan.hours.p10, plan.hours.p50);
    EXPECT_NEAR((plan.hours.mean - 10 * hour) / plan.spot_loss, 1, 0.01);
    EXPECT_GT(*plan.chance_in_time, 0.1);
    EXPECT_LT(*plan.chance_in_time, 0.9);
    EXPECT_LT(plan.uninterrupted, 1);
  }
}

/// Phases that need no other one, on machines of one's own.
std::string apart(const std::string& own, int phases, const std::string& more) {
  std::string text = "market: {use: only, own: [" + own + "]}\nphases:\n";
  for (int i = 0; i < phases; ++i)
    text += "  - {name: p" + std::to_string(i) +
            ", train: {model: Llama-3.1-8B, method: lora, data: {tokens: 500M}, sequence: 2048, batch: {sequences: "
            "64}}}\n";
  return text + more;
}

int most_held(const Plan& plan, const Offer* offer) {
  int most = 0;
  for (const Lease& one : plan.leases) {
    int held = 0;
    for (const Lease& other : plan.leases)
      if (other.offer == offer && other.from <= one.from && other.to > one.from + Seconds{1}) held += other.gpus;
    most = std::max(most, held);
  }
  return most;
}

TEST(MixedPlans, ABoxLendsNoMoreGpusThanItHas) {
  for (const char* goal : {"fastest", "cheapest", "best_value"})
    for (const int gpus : {2, 4, 8})
      for (const int phases : {2, 3}) {
        const std::string box = "{name: a, gpu: H100 SXM, gpus: " + std::to_string(gpus) + "}";
        const Searched searched(job_of(apart(box, phases, std::string("goal: ") + goal + "\n")));
        for (const Plan& plan : searched.result.plans)
          for (const Lease& lease : plan.leases)
            EXPECT_LE(most_held(plan, lease.offer), gpus) << plan.label << ", " << goal << ", " << phases;
      }
}

TEST(MixedPlans, TwoBoxesThatAreAlikeWorkSideBySide) {
  const auto fastest = [](const std::string& own) {
    const Searched searched(job_of(apart(own, 2, "goal: fastest\n")));
    return searched.pick().hours.p50;
  };
  const std::string a = "{name: a, gpu: H100 SXM, gpus: 8}";
  EXPECT_NEAR(fastest(a + ", {name: b, gpu: H100 SXM, gpus: 8}") / fastest(a), 0.5, 0.03);
}

}  // namespace
}  // namespace gpuplan
