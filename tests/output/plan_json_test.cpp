#include "output/answer/plan_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "output/plan_fixture.h"
#include "output/words/json_parts.h"

namespace gpuplan {
namespace {

using nlohmann::json;

json document(const PlanFixture& fixture, const PlanJsonLook& look = {}) {
  return json::parse(plan_json(fixture.report(), look));
}

/// Every member of `shape` exists in `value`, objects inside too.
void expect_members(const json& shape, const json& value, const std::string& path) {
  for (const auto& [key, inner] : shape.items()) {
    ASSERT_TRUE(value.contains(key)) << path << "." << key;
    if (inner.is_object() && !value[key].is_null()) expect_members(inner, value[key], path + "." + key);
  }
}

TEST(PlanJson, PlanOnSeveralOffersIsSpotWhereAllOfThemAre) {
  Offer offer;
  Plan plan;
  plan.phases.resize(3);
  plan.phases[0].offer = plan.phases[1].offer = &offer;  // the third needs no GPU
  EXPECT_EQ(all_spot(plan), std::optional(false));
  plan.phases[0].spot = true;
  EXPECT_EQ(all_spot(plan), std::nullopt);
  plan.phases[1].spot = true;
  EXPECT_EQ(all_spot(plan), std::optional(true));
}

TEST(PlanJson, HoldsWhatTheContractNames) {
  // Members as docs and other programs know them; values do not matter here.
  const json plan = json::parse(R"({"id": 0, "label": 0, "provider": 0, "gpu": 0, "gpus": 0, "nodes": 0, "spot": 0,
    "hours": {"p10": 0, "p50": 0, "p90": 0, "mean": 0}, "cost_usd": {"p10": 0, "p50": 0, "p90": 0, "mean": 0}, "gpu_hours": 0,
    "billed_gpu_hours": 0, "evidence": 0, "fit": 0, "on_frontier": 0, "dominated_by": 0, "usd_per_hour_saved": 0, "chance_in_time": 0,
    "memory_gib": {"usable": 0, "total": {"p10": 0, "p50": 0, "p90": 0}, "weights": 0, "gradients": 0, "optimizer": 0,
                   "activations": 0, "kv_cache": 0, "overhead": 0}, "phases": 0})");
  const json phase =
      json::parse(R"({"name": 0, "needs": 0, "offer": {}, "gpus_used": 0, "gpus_billed": 0, "start_hour": 0,
    "hours": {}, "cost_usd": {}, "steps": 0, "seconds_per_step": {}, "tokens_per_second": {}, "memory_gib": {}, "evidence": 0,
    "strategy": {"dp": 0, "tp": 0, "pp": 0, "cp": 0, "ep": 0, "micro_batch": 0, "grad_accum": 0, "sharding": 0, "recompute": 0,
                 "precision": 0, "optimizer": 0, "offload": 0, "attention": 0, "compile": 0, "framework": 0}})");
  const json top =
      json::parse(R"({"schema": 0, "job": 0, "market": {"as_of": 0, "offers": 0, "sources": 0}, "considered": 0,
    "rejected": {"memory": 0}, "elapsed_ms": 0, "plans": 0, "recommendations": {"cheapest": 0, "fastest": 0, "best_value": 0,
    "fewest_gpus": 0, "within_deadline": 0, "within_budget": 0}})");

  const json result = document(PlanFixture());
  expect_members(top, result, "");
  EXPECT_EQ(result["schema"], "gpuplan/plan@1");
  ASSERT_EQ(result["plans"].size(), 5U);
  for (const json& one : result["plans"]) {
    expect_members(plan, one, "plans");
    ASSERT_EQ(one["phases"].size(), 1U);
    expect_members(phase, one["phases"][0], "phases");
  }
}

TEST(PlanJson, ValuesAreThoseOfTheSearch) {
  const json result = document(PlanFixture(), {.elapsed_ms = 1.5});
  EXPECT_EQ(result["elapsed_ms"], 1.5);
  EXPECT_EQ(result["considered"], 120);
  EXPECT_EQ(result["rejected"]["divisibility"], 10);
  EXPECT_EQ(result["market"]["sources"], json::array({"job"}));
  EXPECT_EQ(result["recommendations"]["cheapest"], "k1");
  EXPECT_EQ(result["recommendations"]["best_value"], "k2");
  EXPECT_EQ(result["recommendations"]["fastest"], "k4");
  EXPECT_EQ(result["recommendations"]["within_deadline"], nullptr);
  const json& pick = result["plans"][1];
  EXPECT_EQ(pick["id"], "k2");
  EXPECT_DOUBLE_EQ(pick["cost_usd"]["p50"], 1.6 * 3.2);
  EXPECT_NEAR(pick["usd_per_hour_saved"], (5.12 - 4.76) / 1.8, 1e-9);
  EXPECT_EQ(pick["provider"], nullptr) << "not said is null, not an empty text";
  EXPECT_EQ(result["plans"][4]["dominated_by"], json::array({"k2"}));
  EXPECT_EQ(result["plans"][0]["usd_per_hour_saved"], nullptr);
}

TEST(PlanJson, MemoryPartsAddUpToTheTotal) {
  const json memory = document(PlanFixture())["plans"][0]["memory_gib"];
  const double sum = memory["weights"].get<double>() + memory["gradients"].get<double>() +
                     memory["optimizer"].get<double>() + memory["activations"].get<double>() +
                     memory["kv_cache"].get<double>() + memory["overhead"].get<double>();
  EXPECT_NEAR(sum, memory["total"]["p50"], 1e-9);
}

TEST(PlanJson, KeepsTheFrontierAndTheFiftyNearest) {
  PlanFixture fixture;
  const Plan model = fixture.found.plans[4];
  for (int i = 0; i < 100; ++i) fixture.found.plans.push_back(model);
  EXPECT_EQ(document(fixture)["plans"].size(), 54U);
  EXPECT_EQ(document(fixture, {.all = true})["plans"].size(), 105U);
}

TEST(PlanJson, PlansOfSeveralOffersHaveNoGpuOfTheirOwn) {
  PlanFixture fixture;
  fixture.found.plans[0].offer = nullptr;
  const json plan = document(fixture)["plans"][0];
  for (const char* member : {"provider", "gpu", "gpus", "nodes"}) EXPECT_EQ(plan[member], nullptr) << member;
  EXPECT_EQ(plan["spot"], false);  // none of them
  EXPECT_EQ(plan["phases"][0]["offer"]["gpu"], "RTX 3090");
}

TEST(PlanJson, IsWrittenWhenNothingFits) {
  PlanFixture fixture;
  fixture.found.plans.clear();
  fixture.found.values.clear();
  fixture.found.recommendations = {};
  const json result = json::parse(plan_json(fixture.report(), {}, {{"batch: auto", 20 * units::GiB, true}}));
  EXPECT_TRUE(result["plans"].empty());
  EXPECT_EQ(result["recommendations"]["cheapest"], nullptr);
  EXPECT_EQ(result["nothing_fits"]["remedies"][0]["change"], "batch: auto");
  EXPECT_EQ(result["nothing_fits"]["remedies"][0]["needed_gib"], 20);
}

TEST(PlanJson, NumbersThatAreNoneAreNull) {
  PlanFixture fixture;
  fixture.found.plans[0].cost.mean = Dollars{1.0 / 0.0};
  EXPECT_EQ(document(fixture)["plans"][0]["cost_usd"]["mean"], nullptr);
}

}  // namespace
}  // namespace gpuplan
