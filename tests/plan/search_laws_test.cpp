// Laws that hold for the plans of every example: sums, frontier, billing, and what cheaper or better hardware does.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/searched.h"

namespace gpuplan {
namespace {

class Laws : public testing::TestWithParam<const char*> {};
std::string test_name(const testing::TestParamInfo<const char*>& example) {
  std::string name = example.param;
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Examples, Laws, testing::ValuesIn(kExamples), test_name);

TEST_P(Laws, PartsAddUp) {
  const Searched found(example_job(GetParam()));
  for (const Plan& plan : found.result.plans) {
    double cost = plan.idle.value;
    double longest = 0;
    double sum = 0;
    for (const PhasePlan& phase : plan.phases) {
      cost += phase.cost.p50.value;
      longest = std::max(longest, phase.hours.p50.value);
      sum += phase.hours.p50.value;
      const MemoryUse& memory = phase.estimate->memory;
      if (phase.estimate->node && memory.total() > Bytes{}) {
        EXPECT_GE(phase.estimate->memory_total.p90, memory.total());
      }
    }
    EXPECT_NEAR(cost, plan.cost.p50.value, 1e-6 * std::max(1.0, plan.cost.p50.value)) << plan.label;
    EXPECT_GE(plan.hours.p50.value + 1, longest) << plan.label;
    // The median of a sum of skewed times that are not high together is above the sum of their medians.
    EXPECT_LE((plan.hours.p50 - plan.buffer).value, sum * 1.05 + static_cast<double>(plan.phases.size()) + 1)
        << plan.label;
    EXPECT_LE(plan.gpu_hours, plan.billed_gpu_hours * (1 + 1e-9)) << plan.label;
    EXPECT_GE(plan.idle.value, 0) << plan.label;
  }
}

TEST_P(Laws, QuantilesAreInOrder) {
  const Searched found(example_job(GetParam()));
  for (const Plan& plan : found.result.plans) {
    EXPECT_LE(plan.hours.p10, plan.hours.p50);
    EXPECT_LE(plan.hours.p50, plan.hours.p90);
    EXPECT_LE(plan.cost.p10, plan.cost.p50);
    EXPECT_LE(plan.cost.p50, plan.cost.p90);
    EXPECT_TRUE(plan.hours.p90.value < 1e9 && plan.cost.p90.value < 1e9) << plan.label;
  }
}

TEST_P(Laws, NobodyBeatsTheFrontierAndDominatorsDo) {
  const Searched found(example_job(GetParam()));
  const std::vector<Plan>& plans = found.result.plans;
  const bool any_fits = std::ranges::any_of(plans, [](const Plan& p) { return p.fit == Fit::kFits; });
  const auto counts = [&](const Plan& p) { return p.fit == Fit::kFits || !any_fits; };
  for (const Plan& plan : plans) {
    if (!counts(plan)) continue;
    const auto strictly_beats = [&](const Plan& o) {
      return counts(o) && o.hours.p50 <= plan.hours.p50 && o.cost.p50 <= plan.cost.p50 &&
             (o.hours.p50 < plan.hours.p50 || o.cost.p50 < plan.cost.p50);
    };
    if (plan.on_frontier) {
      EXPECT_TRUE(std::ranges::none_of(plans, strictly_beats)) << plan.label;
      EXPECT_TRUE(plan.dominated_by.empty());
    } else {
      ASSERT_FALSE(plan.dominated_by.empty()) << plan.label;
      for (const int position : plan.dominated_by) {
        const Plan& by = plans[static_cast<std::size_t>(position)];
        EXPECT_TRUE(by.on_frontier && by.hours.p50 <= plan.hours.p50 && by.cost.p50 <= plan.cost.p50) << plan.label;
      }
    }
  }
}

TEST_P(Laws, WholeNodesAreBilledByTheRule) {
  const Searched found(example_job(GetParam()));
  for (const Plan& plan : found.result.plans) {
    if (plan.offer == nullptr || plan.offer->kind != OfferKind::kRented) continue;
    const auto& price = plan.spot ? plan.offer->spot_price : plan.offer->price;
    if (!price->exact()) continue;
    const double hours = plan.billed_gpu_hours / plan.gpus;  // median
    const double machines = hours * 3600 * plan.nodes * price->p50.value;
    // Medians of leases do not add up to the median of their sum.
    const double apart = plan.leases.size() > 1 ? 0.01 : 1e-6;
    EXPECT_NEAR(plan.cost.p50.value, machines + plan.disk.value, 0.006 + apart * plan.cost.p50.value) << plan.label;
  }
}

TEST_P(Laws, ADearerMarketChangesDollarsAlone) {
  Job job = example_job(GetParam());
  const Searched before(job);
  Searched after(job);
  for (Offer& offer : after.market)
    if (offer.price) offer.price = {offer.price->p10 * 2, offer.price->p50 * 2, offer.price->p90 * 2};
  const auto again = search(after.job, known(), after.market, {});
  ASSERT_TRUE(again);
  for (const Plan& plan : before.result.plans) {
    if (std::ranges::any_of(plan.leases, &Lease::spot)) continue;
    const auto other = std::ranges::find(again->plans, plan.id, &Plan::id);
    ASSERT_NE(other, again->plans.end()) << plan.label;
    EXPECT_EQ(plan.hours.p50, other->hours.p50);
    // Space on disks has a price of its own.
    const double disk = plan.disk.value;
    EXPECT_NEAR(other->disk.value, disk, 0.011) << plan.label;
    EXPECT_NEAR(other->cost.p50.value - disk, 2 * (plan.cost.p50.value - disk), 0.022 + 1e-9 * plan.cost.p50.value)
        << plan.label;
  }
}

TEST_P(Laws, AFasterGpuIsNeverSlower) {
  const Job job = example_job(GetParam());
  const Searched before(job, {.ignore_given = true});
  Catalogue better = known();
  for (Gpu& gpu : better.gpus) {
    gpu.bandwidth = gpu.bandwidth * 1.5;
    for (FlopsPerSecond* peak :
         {&gpu.fp32, &gpu.tf32, &gpu.bf16, &gpu.fp16, &gpu.fp16_acc16, &gpu.fp8, &gpu.fp4, &gpu.int8})
      *peak = *peak * 1.5;
  }
  const auto after = search(job, better, before.market, {.ignore_given = true});
  ASSERT_TRUE(after);
  const auto key = [](const Plan& p) { return std::tuple(p.offer, p.nodes, p.gpus, p.spot); };
  for (const Plan& plan : before.result.plans) {
    if (plan.offer == nullptr) continue;
    const auto other = std::ranges::find_if(after->plans, [&](const Plan& p) { return key(p) == key(plan); });
    ASSERT_NE(other, after->plans.end()) << plan.label;
    // A plainer way to cut the work may be chosen when it is within half a percent or its handicap.
    EXPECT_LE(other->hours.p50.value, plan.hours.p50.value * 1.09) << plan.label;
  }
}

TEST_P(Laws, AWiderMarketIsNeverWorse) {
  Job job = example_job(GetParam());
  const Searched all(job);
  if (all.market.size() < 2) return;
  std::vector<Offer> half(all.market.begin(), all.market.begin() + static_cast<long>(all.market.size() / 2));
  const auto fewer = search(job, known(), half, {});
  ASSERT_TRUE(fewer);
  const auto least = [](const std::vector<Plan>& plans, auto value) {
    double best = 1e300;
    for (const Plan& p : plans)
      if (p.fit == Fit::kFits) best = std::min(best, value(p));
    return best;
  };
  const auto cost = [](const Plan& p) { return p.cost.p50.value; };
  const auto hours = [](const Plan& p) { return p.hours.p50.value; };
  EXPECT_LE(least(all.result.plans, cost), least(fewer->plans, cost));
  EXPECT_LE(least(all.result.plans, hours), least(fewer->plans, hours));
}

}  // namespace
}  // namespace gpuplan
