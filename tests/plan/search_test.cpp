// The search as a whole: worked numbers, what the job asks for, and answers that do not depend on threads or prices.
#include "plan/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "plan/notes/interruption_notes.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

constexpr std::string_view kSmallTraining = R"(
phases:
  - name: train
    train: {model: gpt2, data: {tokens: 100M}, epochs: 1, sequence: 1024}
)";

std::string with(std::string_view more) { return std::string(kSmallTraining) + std::string(more); }

/// Everything a user could see of the plans, digit by digit.
std::string digits(const SearchResult& result) {
  std::string text;
  const auto add = [&](double value) { text += std::to_string(std::bit_cast<std::uint64_t>(value)) + ' '; };
  for (const Plan& plan : result.plans) {
    text += plan.id + ' ' + plan.label + ' ';
    for (const double value : {plan.hours.p10.value, plan.hours.p50.value, plan.hours.p90.value, plan.hours.mean.value,
                               plan.cost.p10.value, plan.cost.p50.value, plan.cost.p90.value, plan.cost.mean.value,
                               plan.gpu_hours, plan.billed_gpu_hours, plan.idle.value})
      add(value);
    for (const PhasePlan& phase : plan.phases) {
      add(phase.estimate->work.p50.value);
      add(phase.estimate->memory_total.p90.value);
      add(phase.cost.p50.value);
    }
    text += plan.on_frontier ? "f\n" : "\n";
  }
  for (const long count : result.tally.rejected) text += std::to_string(count) + ' ';
  return text + std::to_string(result.tally.considered);
}

TEST(Search, CollectionWorkedByHand) {
  const Searched found(example_job("collection"));
  // One model a GPU: 1,500 samples x 512 tokens at 70 tokens/s are 10,971 s; a tenth of overhead on top and 2 min for
  // the one model of each GPU: 12,189 s = 3.386 h, times $1.40.
  const Plan* plan = found.plan("4x RTX 3090");
  ASSERT_NE(plan, nullptr);
  EXPECT_NEAR(plan->hours.p50 / units::hour, (1500 * 512 / 70.0 * 1.1 + 120) / 3600, 2e-4);
  EXPECT_NEAR(plan->cost.p50 / units::dollar, 4.74, 0.005);
  EXPECT_EQ(plan->evidence, Evidence::kGiven);
  // On one GPU the four models run in turn.
  const Plan* one = found.plan("1x RTX 3090");
  ASSERT_NE(one, nullptr);
  EXPECT_NEAR(one->hours.p50 / plan->hours.p50, 4, 1e-3);
  EXPECT_FALSE(one->on_frontier);
  EXPECT_EQ(found.pick().label, "4x RTX 5090");
}

TEST(Search, EveryCandidateIsCounted) {
  for (const char* name : kExamples) {
    const Searched found(example_job(name));
    long rejected = 0;
    for (const long count : found.result.tally.rejected) rejected += count;
    EXPECT_EQ(found.result.tally.considered, found.result.tally.feasible + rejected) << name;
    EXPECT_GT(found.result.tally.considered, 0) << name;
    EXPECT_FALSE(found.result.plans.empty()) << name;
  }
}

TEST(Search, IdsTellPlansApartAndOutliveThePrice) {
  for (const char* name : kExamples) {
    Job job = example_job(name);
    const Searched found(job);
    std::set<std::string> ids;
    for (const Plan& plan : found.result.plans) EXPECT_TRUE(ids.insert(plan.id).second) << name << ' ' << plan.label;
  }
  Job job = example_job("collection");
  const Searched before(job);
  for (Offer& offer : job.market.offers) offer.price = exactly(offer.price->p50 * 3);
  const Searched after(job);
  EXPECT_EQ(before.plan("4x H100 SXM")->id, after.plan("4x H100 SXM")->id);
  EXPECT_NEAR(after.plan("4x H100 SXM")->cost.p50 / before.plan("4x H100 SXM")->cost.p50, 3, 1e-2);
}

TEST(Search, ThreadsDoNotChangeTheAnswer) {
  for (const char* name : kExamples) {
    const Job job = example_job(name);
    const Searched one(job, {.threads = 1});
    for (const int threads : {2, 5}) {
      const Searched more(job, {.threads = threads});
      EXPECT_EQ(digits(one.result), digits(more.result)) << name << ", " << threads << " threads";
    }
  }
}

TEST(Search, TheSeedMovesNoMedianByMoreThanALattice) {
  const Job job = example_job("llama-8b-lora");
  const Searched first(job, {.seed = 1});
  const Searched second(job, {.seed = 2});
  ASSERT_EQ(first.result.plans.size(), second.result.plans.size());
  for (const Plan& plan : first.result.plans) {
    for (const Plan& other : second.result.plans) {
      if (other.id != plan.id) continue;
      EXPECT_NEAR(other.hours.p50 / plan.hours.p50, 1, 0.02) << plan.label;
      EXPECT_NEAR(other.hours.p90 / plan.hours.p90, 1, 0.03) << plan.label;
    }
  }
}

TEST(Search, WhereNamesGpusAndHowMany) {
  const Searched eight(job_of(with("where: {gpus: [8x H100 SXM]}\n")));
  ASSERT_FALSE(eight.result.plans.empty());
  for (const Plan& plan : eight.result.plans) {
    EXPECT_EQ(plan.offer->gpu, "H100 SXM");
    EXPECT_EQ(plan.gpus, 8);
  }
  const Searched nodes(job_of(with("where: {gpus: [8x H100 SXM], nodes: 2}\n")));
  ASSERT_FALSE(nodes.result.plans.empty());
  for (const Plan& plan : nodes.result.plans) EXPECT_EQ(plan.gpus, 16) << "two machines of eight";
  const Searched pool(job_of(
      with("where: {gpus: [3x H100 SXM]}\nmarket: {use: only, pools: [{name: lab, gpu: H100 SXM, gpus: 8}]}\n")));
  ASSERT_EQ(pool.result.plans.size(), 1U);
  EXPECT_EQ(pool.result.plans[0].gpus, 3);
  const Searched counts(job_of(with("where: {counts: [2]}\n")));
  ASSERT_FALSE(counts.result.plans.empty());
  for (const Plan& plan : counts.result.plans) EXPECT_EQ(plan.gpus, 2);
}

TEST(Search, QuotaIsOfGpusOverAllNodes) {
  const Searched found(job_of(with("where: {providers: [aws], nodes: [1, 2], quota: {AWS: 8}}\n")));
  ASSERT_FALSE(found.result.plans.empty());
  for (const Plan& plan : found.result.plans) EXPECT_LE(plan.gpus, 8) << plan.label;
}

TEST(Search, PoolsAreTakenByTheGpuAndOthersKeepTheirs) {
  const Searched found(job_of(with(R"(
market:
  use: only
  pools: [{name: lab, gpu: A100 SXM 80GB, gpus: 8, leave_free: 25%, price: $1/h}]
)")));
  std::set<int> counts;
  for (const Plan& plan : found.result.plans) {
    counts.insert(plan.gpus);
    // A pool's price is for a GPU and an hour.
    EXPECT_NEAR(plan.cost.p50 / units::dollar, plan.hours.p50 / units::hour * plan.gpus, 0.011) << plan.label;
  }
  EXPECT_EQ(counts, (std::set<int>{1, 2, 4, 6})) << "8 less a quarter: six at most";
}

TEST(Search, AFreePoolHasItsFastestCountAlone) {
  const Searched found(job_of(with(R"(
market: {use: only, pools: [{name: lab, gpu: A100 SXM 80GB, gpus: 4}]}
)")));
  ASSERT_EQ(found.result.plans.size(), 3U);
  int frontier = 0;
  for (const Plan& plan : found.result.plans) frontier += plan.on_frontier ? 1 : 0;
  EXPECT_EQ(frontier, 1) << "all cost nothing: only the fastest is not dominated";
  EXPECT_EQ(found.pick().gpus, 4);
}

TEST(Search, SpotOnlyWhenAsked) {
  const std::string offers = R"(
market:
  use: only
  offers: [{gpu: RTX 4090, price: $0.60/h, spot_price: $0.30/h}]
)";
  for (const Plan& plan : Searched(job_of(with(offers))).result.plans) EXPECT_FALSE(plan.spot);
  // A rate that nobody states is assumed, and told where a plan counts with it.
  const Searched no_rate(job_of(with(offers + "where: {spot: only}\n")));
  EXPECT_TRUE(no_rate.pick().spot);
  EXPECT_GT(no_rate.pick().interruptions, 0);
  EXPECT_NE(assumed_rate_words(no_rate.job, no_rate.result.plans), "");
  const std::string rated = R"(
market:
  use: only
  offers: [{gpu: RTX 4090, price: $0.60/h, spot_price: $0.30/h, interruptions: 2%/h}]
)";
  const Searched stated(job_of(with(rated + "where: {spot: only}\n")));
  EXPECT_EQ(assumed_rate_words(stated.job, stated.result.plans), "");
  EXPECT_LT(stated.pick().interruptions, no_rate.pick().interruptions);

  const Searched both(job_of(with(offers + "where: {spot: allow}\nspot: {interruptions: 10%/h}\n")));
  ASSERT_EQ(both.result.plans.size(), 2U);
  const Plan* on_demand = both.plan("1x RTX 4090");
  const Plan* spot = both.plan("1x RTX 4090 spot");
  ASSERT_TRUE(on_demand != nullptr && spot != nullptr);
  EXPECT_GE(spot->hours.p50, on_demand->hours.p50);
  EXPECT_NEAR((spot->hours.mean - on_demand->hours.mean).value, spot->spot_loss.value, 1.5)
      << "the loss on average, in whole seconds";
  // 10 % is the chance in an hour: 0.105 of them an hour.
  EXPECT_NEAR(spot->interruptions, -std::log1p(-0.1) * (spot->hours.p50 / units::hour),
              0.02 * spot->interruptions + 1e-3);
  EXPECT_LT(spot->cost.p50, on_demand->cost.p50);

  const Searched too_dear(
      job_of(with(offers + "where: {spot: only}\nspot: {interruptions: 10%/h, max_price: $0.20/h}\n")),
      Finds::kPerhapsNothing);
  EXPECT_TRUE(too_dear.result.plans.empty());
}

TEST(Search, GivenFiguresAreIgnoredOnDemand) {
  const Job job = example_job("collection");
  const Searched given(job);
  const Searched model(job, {.ignore_given = true});
  const Plan* plan = model.plan("4x RTX 3090");
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->evidence, Evidence::kModel);
  EXPECT_NEAR(plan->phases[0].estimate->work_by_model.value,
              given.plan("4x RTX 3090")->phases[0].estimate->work_by_model.value, 1e-6);
}

TEST(Search, EachPhaseOnItsOwnOffer) {
  const std::string text = R"(
phases:
  - name: generate
    generate: {model: gpt2, data: [{samples: 1000, prompt_tokens: 100, new_tokens: 100}]}
  - name: train
    needs: [generate]
    train: {model: gpt2, data: {tokens: 100M}, epochs: 1, sequence: 1024}
market:
  use: only
  offers:
    - {gpu: RTX 4090, price: $0.60/h}
    - {gpu: H100 SXM, gpus: 8, price: $24/h}
schedule: each_phase
)";
  const Searched found(job_of(text));
  ASSERT_FALSE(found.result.plans.empty());
  for (const Plan& plan : found.result.plans) {
    double cost = 0;
    for (const PhasePlan& phase : plan.phases) {
      ASSERT_NE(phase.offer, nullptr);
      cost += phase.cost.mean.value;
    }
    EXPECT_NEAR(cost, plan.cost.mean.value, 0.02) << "means add up";
    const PhaseEstimate& first = plan.phases[0].estimate;
    EXPECT_NEAR(plan.phases[1].start.value, (first.work.p50 + first.extra.p50).value, 1e-6);
  }
}

TEST(Search, NothingToDoIsSaid) {
  Job job = job_of(kSmallTraining);
  std::get<TrainPhase>(job.phases[0].work).data = {};
  const auto found = search(job, known(), known().offers, {});
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message.find("train"), std::string::npos) << found.error().message;
}

}  // namespace
}  // namespace gpuplan
