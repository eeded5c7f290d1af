// Which plan is taken of those that are about equally good for the job's goal.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "plan/ranking/decisions.h"
#include "plan/ranking/fallback.h"
#include "plan/ranking/ranking.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

Searched of(const std::string& offers, const std::string& more, const std::string& phases) {
  return Searched(job_of("market:\n  use: only\n  offers:\n" + offers + more + "phases:\n" + phases));
}

constexpr const char* kHour = "  - {name: a, fixed: {gpus: 1, time: 1 h}}\n";

TEST(SettledPick, OfEquallyFastPlansTheCheaperIsTaken) {
  // Commoner or not: the hour is the same.
  const Searched all =
      of("    - {gpu: H100 SXM, gpus: 1, provider: a, price: $4/h}\n"
         "    - {gpu: H100 SXM, gpus: 1, provider: b, price: $3.9/h}\n"
         "    - {gpu: A100 SXM 80GB, gpus: 1, provider: c, price: $1.5/h}\n",
         "goal: fastest\n", kHour);
  EXPECT_EQ(all.pick().label, "1x A100 SXM 80GB");
}

TEST(SettledPick, FewerGpusDoNotMakeUpForATenthOfTheMoneyAtTheSameTime) {
  const Searched all =
      of("    - {gpu: H100 SXM, gpus: 8, provider: a, price: $10/h}\n"
         "    - {gpu: H100 SXM, gpus: 1, provider: b, price: $12/h}\n",
         "goal: fastest\n", kHour);
  EXPECT_EQ(all.pick().offer->provider, "a");
}

TEST(SettledPick, ASecondMachineIsNotRentedForLessThanAnybodyNotices) {
  const std::string phases =
      "  - {name: a, fixed: {gpus: 8, time: 4 h}}\n"
      "  - {name: b, needs: [a], fixed: {gpus: 1, time: 2 min}}\n";
  const auto machines = [&](const std::string& small) {
    const Searched all =
        of("    - {gpu: H100 SXM, gpus: 8, provider: a, price: $20/h}\n"
           "    - {gpu: RTX 4090, gpus: 1, provider: b, price: " +
               small + "}\n",
           "value_of_time: $10/h\n", phases);
    return all.pick().offer != nullptr ? 1 : 2;
  };
  EXPECT_EQ(machines("$0.40/h"), 1) << "$0.65 of $120 are saved";
}

TEST(SettledPick, FewestGpusHeedTime) {
  const std::string offers =
      "    - {gpu: RTX 4090, gpus: 1, provider: a, price: $0.40/h}\n"
      "    - {gpu: H100 SXM, gpus: 1, provider: b, price: $2/h}\n"
      "    - {gpu: H100 SXM, gpus: 8, provider: c, price: $16/h}\n";
  const std::string phases =
      "  - {name: a, train: {model: {layers: 24, hidden: 1024}, data: {tokens: 1B}, sequence: 1024, batch: 64}}\n";
  EXPECT_EQ(of(offers, "goal: fewest_gpus\nvalue_of_time: $0/h\n", phases).pick().label, "1x RTX 4090");
  EXPECT_EQ(of(offers, "goal: fewest_gpus\nvalue_of_time: $50/h\n", phases).pick().label, "1x H100 SXM");
  // Unasked an hour has its usual value: the cheapest of single cards alone may take weeks.
  EXPECT_EQ(of(offers, "goal: fewest_gpus\n", phases).pick().label, "1x H100 SXM");
}

/// Ties are settled by what plans ask for, and never in favour of one that is worse and asks for as much.
TEST(SettledPick, NothingBetterAsksForNoMore) {
  for (const char* name : kExamples) {
    for (const Goal goal : {Goal::kBestValue, Goal::kCheapest}) {
      Job job = example_job(name);
      job.goal = goal;
      const Searched all(std::move(job));
      const Recommendations& found = all.result.recommendations;
      if (!found.pick || found.limits_missed) continue;
      const Plan& pick = all.pick();
      const auto asks = [&](const Plan& plan) {
        const double capability = plan.node.gpu != nullptr ? plan.node.gpu->compute_capability : 0;
        return std::array{static_cast<double>(offers_in(plan)),
                          static_cast<double>(std::max(plan.nodes, plan.at_once)),
                          static_cast<double>(plan.gpus_at_once()),
                          is_rare(plan) ? 1.0 : 0.0,
                          is_other_stack(plan) ? 1.0 : 0.0,
                          static_cast<double>(-providers_of(all.result.market.providers, plan)),
                          -capability};
      };
      for (const Plan* plan : contenders(all.result.plans)) {
        if (!plan->keeps_limits() || is_lighter(*plan) != is_lighter(pick)) continue;
        if (goal_key(all.job, *plan).first >= goal_key(all.job, pick).first * 0.999) continue;
        const auto more = asks(*plan), as_much = asks(pick);
        bool no_more = true;
        for (std::size_t i = 0; i < more.size(); ++i) no_more = no_more && more[i] <= as_much[i];
        EXPECT_FALSE(no_more) << name << ": " << plan->label << " is better than " << pick.label;
      }
    }
  }
}

/// What is taken first when the pick is not to be had is what would be recommended without it.
TEST(Fallback, TheNextIsWhatIsRecommendedWithoutTheFirst) {
  for (const char* name : {"llama-8b-lora", "generate-70b", "sft-node"}) {
    const Searched all(example_job(name));
    const std::vector<Fallback> rows = fallback_order(all.job, all.result, compared_of(all));
    ASSERT_GT(rows.size(), 2U) << name;
    std::vector<Plan> left = all.result.plans;
    for (std::size_t i = 0; i + 1 < rows.size() && rows[i + 1].ranked; ++i) {
      std::erase_if(left, [&](const Plan& plan) { return plan.label == rows[i].plan->label; });
      std::vector<Plan> asked = left;
      const auto next = recommend(all.job, asked, compared_of(all)).pick;
      ASSERT_TRUE(next) << name;
      EXPECT_EQ(left[static_cast<std::size_t>(*next)].label, rows[i + 1].plan->label) << name << " row " << i + 1;
    }
  }
}

/// Where one GPU is a choice, every table names the same.
TEST(Fallback, OneGpuIsThatOfTheDecisions) {
  int told = 0;
  for (const char* name : kExamples) {
    for (const Goal goal : {Goal::kBestValue, Goal::kFastest}) {
      Job job = example_job(name);
      job.goal = goal;
      const Searched all(std::move(job));
      if (!all.result.recommendations.pick) continue;
      std::optional<int> decided;
      for (const Decision& one : decisions_of(all.job, all.result.plans, all.result.recommendations, compared_of(all)))
        if (one.priority == Priority::kOneGpu) decided = one.plan;
      for (const Fallback& row : fallback_order(all.job, all.result, compared_of(all)))
        if (row.role == "one GPU") {
          ++told;
          ASSERT_TRUE(decided) << name;
          EXPECT_EQ(row.plan->id, all.result.plans[static_cast<std::size_t>(*decided)].id) << name;
        }
    }
  }
  EXPECT_GT(told, 0);
}

TEST(Fallback, WhatTakesFarLongerIsNoLastChoice) {
  // Seven kinds of machine that nobody knows the stock of, and a common one that is ten times slower.
  std::string offers;
  for (const char* gpu : {"H100 SXM", "H200 SXM", "A100 SXM 80GB", "L40S", "RTX 5090", "B200", "A100 PCIe 80GB"})
    offers += "    - {gpu: " + std::string(gpu) + ", gpus: 1, provider: x, price: $1/h}\n";
  const std::string phases =
      "  - {name: a, train: {model: {layers: 24, hidden: 1024}, data: {tokens: 1B}, sequence: 1024, batch: 64}}\n";
  const auto last = [&](const char* gpu) {
    const Searched all =
        of(offers + "    - {gpu: " + gpu + ", gpus: 1, provider: y, price: $1/h, availability: common}\n",
           "goal: fastest\n", phases);
    std::string label;
    for (const Fallback& row : fallback_order(all.job, all.result, compared_of(all)))
      if (row.role == "last choice") label = row.plan->label;
    return label;
  };
  EXPECT_EQ(last("RTX 4090"), "1x RTX 4090");
  EXPECT_EQ(last("T4"), "");
}

}  // namespace
}  // namespace gpuplan
