// Counts as large as they can be written, everywhere in a job: refused in a line that names the place, or planned with
// times and costs that are numbers and not nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "input/job/address.h"
#include "input/job/amounts.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// Jobs with every count that a phase can have.
constexpr const char* kTrain =
    "phases: [{name: t, train: {model: {layers: 2, hidden: 128, vocab: 1000}, data: {samples: 1k, tokens_per_sample: "
    "{mean: 100, max: 200}}, sequence: 128, epochs: 2, micro: 1, accumulate: 2, parallel: {dp: 1, tp: 1, pp: 1, cp: "
    "1}}, "
    "checkpoint: {every: 5 steps, keep: 2}, evaluate: {every: 5 steps, time: 1 s}}]\n";
constexpr const char* kSteps =
    "phases: [{name: t, train: {model: {layers: 2, hidden: 128, experts: 4, experts_per_token: 2}, steps: 100, batch: "
    "8, "
    "sequence: 128, steps_at_batch: 8}}]\n";
constexpr const char* kTokens =
    "phases: [{name: t, train: {model: {layers: 2, hidden: 128}, data: {tokens: 1M}, sequence: 1024, batch: {tokens: "
    "4096}, method: lora, lora: {rank: 8}}}]\n";
constexpr const char* kGenerate =
    "phases: [{name: g, generate: {model: {layers: 2, hidden: 128, heads: 2}, data: [{samples: 100, prompt_tokens: 10, "
    "new_tokens: 10}], situation: concurrency, concurrency: 4, parallel: {tp: 1}}}]\n";
constexpr const char* kWork =
    "phases: [{name: w, work: {items: 100, each: {a: 1 s}, workers: 2, gpus: 1}}, {name: f, fixed: {gpus: 1, time: 1 "
    "h}}]\nwhere: {nodes: 1}\n";

constexpr const char* kMarket = "market: {use: only, offers: [{gpu: RTX 4090, gpus: 1, price: $1/h}]}\n";

void plans_or_refuses(const Result<Job>& job, const std::string& what) {
  if (!job) {
    const std::string line = line_of(job);
    EXPECT_TRUE(line.starts_with("job.yaml")) << what << ": " << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << what;
    return;
  }
  MarketFilter filter;
  const auto market = market_for(*job, known(), known().offers, filter);
  const auto found = search(*job, known(), market, {});
  if (!found) return;
  for (const Plan& plan : found->plans) {
    EXPECT_TRUE(std::isfinite(plan.hours.p90.value) && std::isfinite(plan.cost.p90.value)) << what;
    EXPECT_GT(plan.hours.p10, Seconds{}) << what;
    EXPECT_GT(plan.cost.p50, Dollars{}) << what;
    EXPECT_LE(plan.hours.p10, plan.hours.p50) << what;
    EXPECT_LE(plan.hours.p50, plan.hours.p90) << what;
    for (const PhasePlan& phase : plan.phases) {
      const Strategy& s = phase.estimate->strategy;
      for (const int degree : {s.dp, s.tp, s.pp, s.cp, s.ep, s.micro_batch, s.grad_accum, s.interleave})
        EXPECT_GE(degree, 1) << what;
      EXPECT_LE(1.0 * s.dp * s.micro_batch * s.grad_accum, 1e9) << what;
    }
  }
}

TEST(CountLimits, EveryCountAtEverySize) {
  int tried = 0;
  for (const char* text : {kTrain, kSteps, kTokens, kGenerate, kWork}) {
    const auto source = parse_job(std::string(kMarket) + text, "job.yaml");
    ASSERT_TRUE(source);
    ASSERT_TRUE(read_job(*source, known(), ModelFinder(known()))) << text;
    for (const JobPlace& place : places(source->tree)) {
      if (place.tree == nullptr) continue;
      const auto amount = amount_in(*place.tree, *place.type);
      if (!amount || (amount->kind != AmountKind::kCount && amount->kind != AmountKind::kTokens)) continue;
      for (const char* value :
           {"1e9", "2147483647", "2147483648", "4294967297", "1e12", "5T", "1e15", "9.3e18", "1e30"}) {
        JobSource changed = *source;
        const std::string written = amount->steps ? std::string(value) + " steps" : value;
        ASSERT_TRUE(set_tree(changed.tree, place.address, scalar_tree(written)));
        plans_or_refuses(read_job(changed, known(), ModelFinder(known())), place.address + " = " + written);
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 250);
}

TEST(CountLimits, CountsAreCheckedAfterMultiplication) {
  const auto refused = [](const std::string& keys) {
    return error_of(std::string(kMarket) +
                    "phases:\n  - name: t\n    train:\n      model: {layers: 2, hidden: 128}\n"
                    "      data: {tokens: 1M}\n      sequence: 1024\n" +
                    keys);
  };
  EXPECT_EQ(refused("      micro: 1\n"), "");
  EXPECT_TRUE(refused("      batch: {tokens: 5T}\n").starts_with("job.yaml:8: phases.t.train.batch: "));
  EXPECT_NE(refused("      batch: 1000\n").find("all the data, 977"), std::string::npos);
  EXPECT_EQ(refused("      batch: 977\n"), "");
  EXPECT_EQ(refused("      batch: 1000\n      epochs: 2\n"), "");
  EXPECT_NE(refused("      micro: 100\n      accumulate: 10\n").find("all the data"), std::string::npos);
  EXPECT_NE(refused("      micro: 100M\n      accumulate: 100M\n").find("more than the limit of"), std::string::npos);
  EXPECT_NE(refused("      parallel: {dp: 100k, tp: 100k}\n").find("degrees multiply"), std::string::npos);
  EXPECT_NE(refused("      batch: {by_gpu: {RTX 4090: 5000}}\n").find("all the data"), std::string::npos);
}

TEST(CountLimits, StepsSayTheirOwnWork) {
  EXPECT_EQ(
      error_of(std::string(kMarket) +
               "phases: [{name: t, train: {model: {layers: 2, hidden: 128}, steps: 10, batch: 512, sequence: 64}}]\n"),
      "");
}

}  // namespace
}  // namespace gpuplan
