#include "plan/advice/whatif.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "input/job/settings.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// examples/NAME.yaml with settings on top.
Job changed(const std::string& name, const std::vector<std::string>& settings) {
  auto source = example_source(name).value();
  std::erase_if(source.tree.children, [](const Tree& child) { return child.key == "variants"; });
  for (const std::string& setting : settings) EXPECT_EQ(line_of(set_value(source.tree, setting)), "") << setting;
  const ModelFinder models(known());
  auto job = read_job(source, known(), models);
  EXPECT_EQ(line_of(job), "");
  return job ? *std::move(job) : Job{};
}

const Plan* stays(const Searched& base, const Searched& after) {
  return staying({base.result, base.market}, base.pick(), {after.result, after.market});
}

TEST(WhatIf, TwiceTheSamplesIsTwiceTheWork) {
  // The document's question: 5K -> 10K samples. 2 samples/s are given: 20,000 s become 40,000 s, and the pool is free.
  const std::string start = "phases.train.setup.time=0s";  // nothing beside the work
  const Searched base(changed("latentwire", {start}));
  const Searched twice(changed("latentwire", {start, "samples=x2"}));
  const Plan* after = stays(base, twice);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(base.pick().hours.p50, Seconds(20'000));
  EXPECT_EQ(after->hours.p50, Seconds(40'000));
  EXPECT_EQ(after->cost.p50, Dollars(0));
  // 11.1 h keep 12 h on one GPU by the median only: with 90 % confidence it takes two.
  EXPECT_FALSE(after->meets_deadline);
  EXPECT_EQ(twice.pick().gpus, 2);
  EXPECT_EQ(Searched(changed("latentwire", {start, "epochs=x2"})).pick().gpus, 2);
  // Both doubled: 22.2, 12.7 and 7.4 h; only four GPUs keep 12 h.
  const Searched both(changed("latentwire", {start, "samples=x2", "epochs=x2"}));
  EXPECT_EQ(both.pick().gpus, 4);
  EXPECT_NEAR(both.pick().hours.p50 / units::hour, 160'000 / 6.0 / 3600, 1e-3);
  EXPECT_NEAR(stays(base, both)->hours.p50 / units::hour, 160'000 / 2.0 / 3600, 1e-3);
}

TEST(WhatIf, TwiceThePriceIsTwiceTheCost) {
  const Searched base(changed("collection", {}));
  const Searched twice(changed("collection", {"market.offers[*].price=x2"}));
  for (const Plan& plan : base.result.plans) {
    const Plan* after = staying({base.result, base.market}, plan, {twice.result, twice.market});
    ASSERT_NE(after, nullptr) << plan.label;
    EXPECT_EQ(after->hours.p50, plan.hours.p50);
    EXPECT_NEAR(after->cost.p50.value, 2 * plan.cost.p50.value, 0.011) << plan.label;  // bills are in cents
  }
}

TEST(WhatIf, MoreWorkIsNeverFasterOrCheaper) {
  struct Case {
    std::string name, address;
    std::vector<std::string> also;  // few offers are enough to compare
  };
  const std::vector<std::string> few = {"where.gpus=[8x H100 SXM, 1x RTX 4090]"};
  const std::vector<Case> cases = {{"collection", "samples", {}},     {"collection", "new_tokens", {}},
                                   {"neurlang", "steps", {}},         {"latentwire", "epochs", {}},
                                   {"sft-node", "items", {}},         {"trm-nanochat", "validate.steps", {}},
                                   {"llama-8b-lora", "samples", few}, {"llama-8b-full", "epochs", few}};
  for (const auto& [name, address, less] : cases) {
    std::vector<std::string> more = less;
    more.push_back(address + "=x1.5");
    const Searched base(changed(name, less));
    const Searched after(changed(name, more));
    int compared = 0;
    for (const Plan& plan : base.result.plans) {
      const Plan* then = staying({base.result, base.market}, plan, {after.result, after.market});
      if (then == nullptr) continue;
      ++compared;
      EXPECT_GE(then->hours.p50, plan.hours.p50) << name << " " << plan.label;
      EXPECT_GE(then->cost.p50, plan.cost.p50) << name << " " << plan.label;
    }
    EXPECT_GT(compared, 0) << name;
  }
}

TEST(WhatIf, GivenSpeedsDoNotKnowOfEveryChange) {
  const Searched base(changed("latentwire", {}));
  const Searched batch(changed("latentwire", {"batch=x2"}));
  const auto found = doubt(base.pick(), *stays(base, batch));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->phase, 0);
  EXPECT_NEAR(found->by_given, 1, 1e-12);
  EXPECT_LT(found->by_model, 0.9);  // the document says 30 % faster
  // Twice the samples are twice the time for both.
  const Searched samples(changed("latentwire", {"samples=x2"}));
  EXPECT_FALSE(doubt(base.pick(), *stays(base, samples)));
  // Where the model answers there is nothing to doubt.
  const Searched model(changed("neurlang", {}));
  const Searched longer(changed("neurlang", {"sequence=x2"}));
  EXPECT_FALSE(doubt(model.pick(), *stays(model, longer)));
}

constexpr std::string_view kTwins = R"(market:
  use: only
  offers:
    - {gpu: L4, provider: here, price: $1/h}
    - {gpu: L4, provider: here, price: $2/h}
    - {gpu: L4, provider: there, price: $1/h}
    - {gpu: RTX 3060, provider: here, price: $0.1/h}
phases: [{name: train, train: {model: Qwen2.5-1.5B, data: {samples: 1000}, sequence: 256, method: lora,
                          offload: none}}]
)";

TEST(WhatIf, CounterpartsAreFoundByMachineAndPrice) {
  const Searched base(job_of(kTwins));
  std::vector<Offer> other(base.market.rbegin(), base.market.rend());
  for (const Offer& offer : base.market) {
    const Offer* found = counterpart(offer, base.market, other);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->provider, offer.provider);
    EXPECT_EQ(found->price, offer.price);
  }
  // At other prices the order decides.
  std::vector<Offer> dearer = base.market;
  for (Offer& offer : dearer) offer.price = *offer.price * 7;
  for (std::size_t i = 0; i < dearer.size(); ++i)
    EXPECT_EQ(counterpart(base.market[i], base.market, dearer), &dearer[i]);
  const std::vector<Offer> less = {base.market[3]};
  EXPECT_EQ(counterpart(base.market[0], base.market, less), nullptr);
}

TEST(WhatIf, WhatNoLongerFitsSaysByHowMuch) {
  const Searched base(job_of(kTwins));
  Job large = base.job;
  std::get<TrainPhase>(large.phases[0].work).models[0].shape = *known().find_model("Llama-3.1-8B");
  const Searched after(large);
  const Plan* small = base.plan("1x RTX 3060");
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(staying({base.result, base.market}, *small, {after.result, after.market}), nullptr);
  const auto miss = obstacle(after.job, known(), *small->offer, 1, {});
  ASSERT_TRUE(miss);
  ASSERT_NE(miss->gpu, nullptr);
  EXPECT_EQ(miss->gpu->name, "RTX 3060");
  EXPECT_GT(miss->needed, miss->usable);
  // Where the machine is not what stops it, there is no obstacle: here the job no longer wants spot.
  const Searched spot(changed("sft-node", {}));
  const Searched never(changed("sft-node", {"where.spot=never"}));
  ASSERT_TRUE(spot.pick().spot);
  EXPECT_EQ(stays(spot, never), nullptr);
  EXPECT_FALSE(obstacle(never.job, known(), *spot.pick().offer, spot.pick().gpus, {}));
}

TEST(WhatIf, OnlyWhatIsKeptStays) {
  Searched searched(changed("collection", {}));
  const Plan pick = searched.pick();
  const int position = searched.result.recommendations.pick.value();
  keep_only({position, 0}, searched.result, searched.market);
  ASSERT_EQ(searched.result.plans.size(), 2U);
  EXPECT_EQ(searched.market.size(), 2U);
  EXPECT_EQ(searched.pick().id, pick.id);
  EXPECT_EQ(searched.pick().offer, &searched.market[0]);
  EXPECT_EQ(searched.pick().phases[0].offer, &searched.market[0]);
  EXPECT_EQ(searched.result.plans[1].offer, &searched.market[1]);
}

TEST(WhatIf, TheModelsErrorMovesTheTimeToItsEnds) {
  const Searched base(changed("neurlang", {"where.spot=never", "spot="}));
  const Plan& pick = base.pick();
  const auto errors = model_errors(base.job, pick);
  ASSERT_EQ(errors.size(), 1U);
  const Plan low = at_model_error(base.job, pick, errors[0], true, known().errors, 1);
  const Plan high = at_model_error(base.job, pick, errors[0], false, known().errors, 1);
  const PhaseEstimate& train = pick.phases[1].estimate;
  // Ten minutes before it and one after are the user's own, within 20 %; the median of a sum is not that of its parts.
  EXPECT_NEAR((low.hours.p50 - pick.hours.p50) / (train.work.p10 - train.work.p50), 1, 0.15);
  EXPECT_NEAR((high.hours.p50 - pick.hours.p50) / (train.work.p90 - train.work.p50), 1, 0.15);
  EXPECT_NEAR(low.cost.p50 / pick.cost.p50, train.work.p10 / train.work.p50, 0.05);
  EXPECT_EQ(at_model_error(base.job, pick, "another", true, known().errors, 1).hours.p50, pick.hours.p50);
}

TEST(WhatIf, GivenSpeedsLeaveNoErrorOfTheModel) {
  const Searched base(changed("collection", {}));
  EXPECT_TRUE(model_errors(base.job, base.pick()).empty());
}

TEST(WhatIf, PlansOfSeveralOffersAreFollowed) {
  const Searched base(changed("trm-nanochat", {"phases.produce.on=", "schedule=each_phase", "goal=cheapest"}));
  const Searched after(changed(
      "trm-nanochat", {"phases.produce.on=", "schedule=each_phase", "goal=cheapest", "phases.validate.steps=x2"}));
  const Plan* then = stays(base, after);
  ASSERT_NE(then, nullptr);
  EXPECT_EQ(then->label, base.pick().label);
  EXPECT_GT(then->hours.p50, base.pick().hours.p50);
}

}  // namespace
}  // namespace gpuplan
