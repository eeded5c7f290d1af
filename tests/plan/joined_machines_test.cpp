// Several machines that no known network joins, and plans that nobody would wait for.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/searched.h"

namespace gpuplan {
namespace {

constexpr const char* kTraining =
    "phases: [{name: a, train: {model: Llama-3.1-70B, data: {tokens: 100M}, sequence: 4096}}]\n";
constexpr const char* kGeneration =
    "phases: [{name: a, generate: {model: Llama-3.1-8B, data: {samples: 1M, prompt_tokens: 500, new_tokens: 200}}}]\n";

long not_joined(const Searched& found) {
  return found.result.tally.rejected[static_cast<std::size_t>(Misfit::kNetwork)];
}

TEST(JoinedMachines, TrainingIsNotSpreadOverSmallMachinesOfUnknownNetworks) {
  const Searched found(job_of(std::string(kTraining) + "where: {nodes: [2, 4, 8]}\n"));
  EXPECT_GT(not_joined(found), 0);
  for (const Plan& plan : found.result.plans)
    if (plan.offer != nullptr && plan.offer->gpus == 1) {
      EXPECT_TRUE(names_network(known(), *plan.offer)) << plan.label << " " << plan.offer->provider.str();
    }
  EXPECT_TRUE(std::ranges::any_of(found.result.plans, [](const Plan& plan) { return plan.nodes > 1; }));
}

TEST(JoinedMachines, WhatTheJobAsksForByNameIsPlanned) {
  const std::string where = "where: {nodes: [16], gpus: [H100 SXM]";
  const Searched open(job_of(std::string(kTraining) + where + "}\n"));
  const Searched named(job_of(std::string(kTraining) + where + ", providers: [tensordock]}\n"), Finds::kPerhapsNothing);
  EXPECT_EQ(not_joined(named), 0);
  EXPECT_TRUE(std::ranges::none_of(open.result.plans, [](const Plan& plan) {
    return plan.offer->provider == "tensordock" && plan.offer->gpus == 1;
  }));
  EXPECT_TRUE(std::ranges::any_of(named.result.plans, [](const Plan& plan) { return plan.nodes == 16; }));
  const Searched own(job_of(std::string(kTraining) +
                            "where: {nodes: [16]}\nmarket: {use: only, offers: [{gpu: H100 SXM, price: $2/h}]}\n"));
  EXPECT_EQ(not_joined(own), 0);
}

TEST(JoinedMachines, ReplicasNeedNoNetwork) {
  const Searched found(job_of(std::string(kGeneration) + "where: {nodes: [4], gpus: [H100 SXM]}\n"));
  const auto small = [](const Plan& plan) {
    return plan.offer != nullptr && plan.offer->gpus == 1 && !names_network(known(), *plan.offer);
  };
  ASSERT_TRUE(std::ranges::any_of(found.result.plans, small));
  for (const Plan& plan : found.result.plans)
    if (small(plan)) {
      const Strategy& s = plan.phases.front().estimate->strategy;
      EXPECT_EQ(std::pair(s.tp * s.pp, +s.ep), std::pair(1, 1)) << plan.label;
    }
}

TEST(LongPlans, AreNotRecommendedWhereAShorterOneExists) {
  const std::string years =
      "phases: [{name: a, train: {model: gpt2, steps: 1000, batch: {sequences: 8}, sequence: 512}, overhead: {time: 0 "
      "s},\n"
      "  given: [{gpu: L4, seconds_per_step: 9 h, exact: true}, {gpu: H100 SXM, seconds_per_step: 1 h, exact: "
      "true}]}]\n";
  const auto market = [](const std::string& dear) {
    return "goal: cheapest\nmarket: {use: only, offers: [{gpu: L4, price: $0.01/h}" + dear + "]}\n";
  };
  const Searched both(job_of(years + market(", {gpu: H100 SXM, price: $9/h}")));
  EXPECT_EQ(both.pick().label, "1x H100 SXM");
  EXPECT_FALSE(both.plan("1x L4")->on_frontier);
  EXPECT_EQ(&both.result.plans.at(static_cast<std::size_t>(*both.result.recommendations.cheapest)), &both.pick());
  const Searched alone(job_of(years + market("")));
  EXPECT_EQ(alone.pick().label, "1x L4");
  EXPECT_TRUE(alone.pick().too_long);
}

TEST(PreemptiblePools, AreSpotMachines) {
  const std::string job =
      "phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\nmarket: {use: only, pools: [{name: p, gpu: L4, preemptible: "
      "true}, "
      "{name: q, gpu: L4}]}\n";
  const auto labels = [&](const std::string& more) {
    const Searched found(job_of(job + more), Finds::kPerhapsNothing);
    std::string text;
    for (const Plan& plan : found.result.plans) text += plan.offer->label + " ";
    return text + std::to_string(found.result.market.preemptible);
  };
  EXPECT_EQ(labels(""), "p q 0") << "nobody asked: what one has is taken";
  EXPECT_EQ(labels("where: {spot: never}\n"), "q 1");
  EXPECT_EQ(labels("where: {spot: allow}\n"), "p q 0");
  EXPECT_EQ(labels("where: {spot: only}\n"), "p 0");
}

TEST(Queues, CountWhereverTimeDoes) {
  const std::string job =
      "phases: [{name: a, fixed: {gpus: 1, time: 1 h, exact: true}}]\nmarket: {use: only, pools: [{name: waits, gpu: "
      "L4, "
      "wait: 2 h, price: $1/h}], offers: [{gpu: L4, price: $1.50/h, label: rented}]}\n";
  const auto pick = [&](const std::string& more) { return Searched(job_of(job + more)).pick().offer->label; };
  EXPECT_EQ(pick("goal: fastest\n"), "rented");
  EXPECT_EQ(pick("goal: cheapest\n"), "waits");
  EXPECT_EQ(pick("value_of_time: $0.20/h\n"), "waits") << "$0.50 for 2 h";
  EXPECT_EQ(pick("value_of_time: $0.30/h\n"), "rented");
  EXPECT_EQ(pick("goal: cheapest\nlimits: {deadline: 2 h}\n"), "rented");
  const Searched found(job_of(job));
  const auto waits = std::ranges::find_if(found.result.plans, [](const Plan& p) { return p.offer->label == "waits"; });
  EXPECT_EQ(waits->done(), 3 * units::hour);
  EXPECT_EQ(waits->hours.p50, 1 * units::hour);
}

}  // namespace
}  // namespace gpuplan
