// Learning from answers that the network gives itself: what a step has beside learning, and what that takes of a GPU.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "base/math.h"
#include "model/generation/step.h"
#include "model/training/rollouts.h"
#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

/// Answers of one length to prompts of one length, unless told otherwise.
TrainPhase grpo(const char* model = "Qwen2.5-0.5B", Method method = Method::kFull, Length prompts = {512, 512},
                Length answers = {512, 512}) {
  TrainPhase p;
  p.models.push_back(use_of(model));
  p.method = method;
  p.objective = Objective::kGrpo;
  p.rollouts =
      Rollouts{.prompt_tokens = prompts, .new_tokens = answers, .reward = {"accuracy_reward"}, .reward_time = {}};
  p.data.samples = 1000;
  p.data.tokens_per_sample = Length{prompts.mean + answers.mean, prompts.max + answers.max};
  p.batch = BatchSize{.sequences = 64, .tokens = {}};
  return p;
}

/// The same lengths learned from data that is there.
TrainPhase supervised(TrainPhase p) {
  p.objective = Objective::kNextToken;
  p.rollouts.reset();
  return p;
}

Case of(const TrainPhase& p, const Strategy& s, const char* gpu = "H100 SXM") {
  return run(p, machine(gpu, s.dp), s, "hf-trainer");
}

TEST(TrainingRollouts, PromptsAreCountedAndStepsAreOfAnswers) {
  TrainPhase p = grpo();
  p.epochs = 2;
  const auto work = training_work(p);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->sequences_total, 16000) << "1,000 prompts x 8 answers x 2 epochs";
  EXPECT_EQ(work->mean_tokens, 1024);
  p.epochs.reset();
  p.steps = 10;
  EXPECT_EQ(training_work(p)->sequences_total, 640);
  EXPECT_EQ(training_work(p)->models.size(), 2U) << "the network once more, to score what it answered";
  p.rollouts->beta = 0.04;
  EXPECT_EQ(training_work(p)->models.size(), 3U) << "and as it was before";
}

TEST(TrainingRollouts, TheLongestOfManyAnswers) {
  EXPECT_EQ(longest_of(100, 100, 64), 100);
  EXPECT_DOUBLE_EQ(longest_of(100, 400, 1), 100);
  // A deviation of 0.1 in the logarithm; of 64 the longest is expected at 0.99027, 2.337 deviations out.
  EXPECT_NEAR(longest_of(100, 100 * std::exp(0.31), 64), 100 * std::exp(0.2337), 0.1);
  EXPECT_EQ(longest_of(100, 150, 1e9), 150);
}

TEST(TrainingRollouts, AnswersOfAGpuArePaddedTogether) {
  const TrainPhase p = grpo("Qwen2.5-0.5B", Method::kFull, {200, 500}, {600, 1000});
  TrainingWork work = training_work(p).value();
  EXPECT_DOUBLE_EQ(work.padded[0], longest_of(200, 500, 1) + longest_of(600, 1000, 8)) << "a group, one prompt";
  pad_answers(work, 64);
  EXPECT_DOUBLE_EQ(work.padded[0], longest_of(200, 500, 8) + longest_of(600, 1000, 64));
  EXPECT_EQ(work.padded[3], work.padded[0]) << "whatever the micro-batch that they are learned in";
  const TrainPhase plain = supervised(p);
  TrainingWork other = training_work(plain).value();
  const double before = other.padded[0];
  pad_answers(other, 64);
  EXPECT_EQ(other.padded[0], before);
}

TEST(TrainingRollouts, AnswersOfOneLengthTakeAsManyPasses) {
  const TrainPhase p = grpo();
  const Case r = of(p, strategy(1, 8, 8));
  ASSERT_TRUE(r.estimate.rollouts);
  const RolloutUse& use = *r.estimate.rollouts;
  EXPECT_EQ(use.in_flight, 64) << "all of the step at once: a small network, and room in 30% of 80 GiB";
  EXPECT_EQ(use.passes, 512);
  EXPECT_EQ(use.longest, 512);
  // By hand: 64 prompts of 512 tokens in chunks of 4,096 are 8 passes of 8; 512 passes of 64 answers, half done.
  const GenerationWork& answers = r.work.rollouts->generation;
  const GenerationCut cut = generation_cut(answers, *r.rates.rollouts, Strategy{});
  const NetworkWork& network = answers.networks.front();
  EXPECT_DOUBLE_EQ(use.prompts.value, 8 * prefill_time(network, *r.rates.rollouts, cut, 8, 512).value);
  EXPECT_DOUBLE_EQ(use.answers.value, 512 * decode_step(network, *r.rates.rollouts, cut, 64, 512 + 256).total().value);
  EXPECT_EQ(r.estimate.step.rollouts, use.total());
}

TEST(TrainingRollouts, TheLongestAnswerDecidesAndTheOthersLeaveRoom) {
  const Case even = of(grpo(), strategy(1, 8, 8));
  const TrainPhase p = grpo("Qwen2.5-0.5B", Method::kFull, {512, 512}, {512, 1024});
  const Case varied = of(p, strategy(1, 8, 8));
  EXPECT_DOUBLE_EQ(varied.estimate.rollouts->passes, longest_of(512, 1024, 64));
  EXPECT_GT(varied.estimate.rollouts->answers, even.estimate.rollouts->answers);
  const double times = varied.estimate.rollouts->passes / 512;
  EXPECT_LT(varied.estimate.rollouts->answers, even.estimate.rollouts->answers * times) << "fewer answers in each pass";
}

TEST(TrainingRollouts, WhatDoesNotFitTheCacheWaits) {
  TrainPhase p = grpo("Qwen2.5-7B", Method::kLora, {1024, 1024}, {3072, 3072});
  const Case r = of(p, strategy(1, 1, 256));
  const RolloutUse& use = *r.estimate.rollouts;
  EXPECT_LT(use.in_flight, 256);
  EXPECT_DOUBLE_EQ(use.passes, 256 * 3072 / use.in_flight);
}

TEST(TrainingRollouts, TheEngineHoldsItsShareBesideTheTraining) {
  const TrainPhase p = grpo();
  const Strategy s = strategy(1, 8, 8);
  const Case r = of(p, s), plain = of(supervised(p), s);
  const RolloutUse& use = *r.estimate.rollouts;
  EXPECT_DOUBLE_EQ(use.share, 0.3);
  EXPECT_DOUBLE_EQ(use.held.value, 0.3 * catalogue().find_gpu("H100 SXM")->memory.value);
  const MemoryUse &with = r.estimate.memory, &without = plain.estimate.memory;
  EXPECT_NEAR((with.weights - without.weights).value, 2 * r.work.params, 0.04 * r.work.params) << "a copy in bf16";
  EXPECT_NEAR((with.weights + with.kv_cache - without.weights).value, use.held.value, 1e-6 * use.held.value);
  EXPECT_LE(with.logits, without.logits * 1.2) << "only answers are scored, half of the tokens";
}

TEST(TrainingRollouts, OnlyBetaNeedsTheModelAsItWas) {
  for (const Method method : {Method::kFull, Method::kLora}) {
    TrainPhase p = grpo("Qwen2.5-0.5B", method);
    const Strategy s = strategy(1, 8, 8);
    const Case none = of(p, s);
    p.rollouts->beta = 0.04;
    const Case held = of(p, s);
    const double more = (held.estimate.memory.weights - none.estimate.memory.weights).value;
    EXPECT_NEAR(more, method == Method::kFull ? 2 * none.work.params : 0, 0.01 * none.work.params);
    EXPECT_GT(held.estimate.step.total(), none.estimate.step.total()) << "one more pass over every answer";
  }
}

TEST(TrainingRollouts, ALargeModelTakesMoreOfASmallCardOrMoreCards) {
  // 15.2 GB of weights in bf16 are more than 30 % of 24 GB.
  const TrainPhase p = grpo("Qwen2.5-7B", Method::kLora);
  EXPECT_GT(of(p, strategy(1, 1, 8), "RTX 4090").estimate.rollouts->share, 0.6);
  const RolloutUse four = *of(p, strategy(4, 1, 8, Sharding::kZero3), "RTX 4090").estimate.rollouts;
  EXPECT_EQ(four.tp, 4);
  EXPECT_DOUBLE_EQ(four.share, 0.3);
  TrainPhase wide = p;
  wide.rollouts->memory_share = 0.5;
  EXPECT_DOUBLE_EQ(of(wide, strategy(1, 1, 8)).estimate.rollouts->share, 0.5) << "as the job asks";
}

TEST(TrainingRollouts, AnEngineThatSleepsNeedsLessMemoryAndMoreTime) {
  TrainPhase p = grpo("Qwen2.5-1.5B");
  const Strategy s = strategy(1, 8, 8);
  const Case awake = of(p, s);
  p.rollouts->sleep = true;
  const Case sleeps = of(p, s), plain = of(supervised(p), s);
  EXPECT_LT(sleeps.estimate.memory.total(), awake.estimate.memory.total());
  EXPECT_GE(sleeps.estimate.memory.total(), plain.estimate.memory.total() * 0.8) << "weights and states stay";
  EXPECT_GT(sleeps.estimate.step.weight_sync, awake.estimate.step.weight_sync);
}

TEST(TrainingRollouts, WeightsAreGatheredWhereTheyAreShared) {
  const TrainPhase p = grpo("Qwen2.5-7B");
  const Seconds whole = of(p, strategy(8, 1, 1, Sharding::kZero1)).estimate.step.weight_sync;
  const Seconds shards = of(p, strategy(8, 1, 1, Sharding::kZero3)).estimate.step.weight_sync;
  EXPECT_GT(shards, whole);
}

TEST(TrainingRollouts, RewardsAreWaitedFor) {
  TrainPhase p = grpo();
  const Strategy s = strategy(1, 8, 8);
  const Seconds quick = of(p, s).estimate.step.total();
  p.rollouts->reward_time = Seconds{3};
  EXPECT_NEAR((of(p, s).estimate.step.total() - quick).value, 3, 1e-9);
}

TEST(TrainingRollouts, AStepIsTheSumOfItsTerms) {
  TrainPhase p = grpo("Qwen2.5-1.5B", Method::kLora, {200, 500}, {600, 1000});
  p.rollouts->reward_time = Seconds{1};
  const Strategy s = strategy(8, 2, 4, Sharding::kZero3);
  const NodeShape node = machine("A100 SXM 80GB", 8);
  const Case r = run(p, node, s, "hf-trainer");
  double seconds = 0, bytes = 0;
  bool told = false;
  for (const Term& term : explain_training(r.work, r.rates, r.layer, s, 1)) {
    EXPECT_FALSE(term.source.empty()) << term.name;
    told = told || term.name == "rollouts (vLLM)";
    if (!term.part_of_total) continue;
    if (term.kind == Term::Kind::kTime) seconds += term.value;
    if (term.kind == Term::Kind::kMemory) bytes += term.value;
  }
  EXPECT_TRUE(told);
  EXPECT_NEAR(seconds, r.estimate.step.total().value, 1e-9 * seconds);
  EXPECT_NEAR(bytes, r.estimate.memory.total().value, 1e-9 * bytes);
}

TEST(TrainingRollouts, TheRangeIsWiderThanOfEitherPart) {
  const TrainPhase p = grpo();
  const Strategy s = strategy(1, 8, 8);
  const Case r = of(p, s), plain = of(supervised(p), s);
  const Spread whole = with_rollouts(r.spread, r.work, r.rates, s, r.estimate);
  EXPECT_GT(whole.time, 1.2 * plain.spread.time);
  EXPECT_GT(whole.time, generation_spread(r.work.rollouts->generation, *r.rates.rollouts, Strategy{}).time);
  EXPECT_EQ(whole.regime, "answers given and learned from in turn, never measured");
}

TEST(TrainingRollouts, NoEngineRunsWhereItsWeightsCanNot) {
  const TrainPhase p = grpo();
  EXPECT_EQ(of(p, strategy(1, 1, 8), "T4").rates.rollouts, nullptr) << "weights in bf16";
  EXPECT_EQ(of(supervised(p), strategy(1, 1, 8)).rates.rollouts, nullptr);
}

TEST(TrainingRollouts, LawsOfRollouts) {
  EXPECT_TRUE(rc::check("more and longer answers take no less", [] {
    const char* models[] = {"Qwen2.5-0.5B", "Qwen2.5-7B", "Llama-3.1-8B"};
    const char* cards[] = {"H100 SXM", "A100 SXM 80GB", "RTX 4090", "L40S", "B200"};
    const char* gpu = cards[*rc::gen::inRange(0, 5)];
    const double mean = 32 << *rc::gen::inRange(0, 6);
    const double most = mean * *rc::gen::inRange(1, 5);
    TrainPhase p = grpo(models[*rc::gen::inRange(0, 3)], *rc::gen::element(Method::kFull, Method::kLora), {100, 300},
                        {mean, most});
    p.rollouts->generations = *rc::gen::element(2, 4, 8, 16);
    p.rollouts->beta = *rc::gen::element(0.0, 0.1);
    const int gpus = *rc::gen::element(1, 2, 8);
    Strategy s = strategy(gpus, 1 << *rc::gen::inRange(0, 4), 1 << *rc::gen::inRange(0, 5),
                          gpus == 1 ? Sharding::kNone : *rc::gen::element(Sharding::kNone, Sharding::kZero3));
    const Case r = of(p, s, gpu);
    const RolloutUse use = *r.estimate.rollouts;
    RC_ASSERT(std::isfinite(use.total().value));
    RC_ASSERT(use.prompts.value > 0);
    RC_ASSERT(use.answers.value > 0);
    RC_ASSERT(use.passes >= use.longest * (1 - 1e-9));
    RC_ASSERT(use.longest <= most);
    RC_ASSERT(gpus % use.tp == 0);
    RC_ASSERT(use.weights <= use.held * (1 + 1e-9));
    TrainPhase longer = p;
    longer.rollouts->new_tokens = {mean * 2, most * 2};
    const RolloutUse more = *of(longer, s, gpu).estimate.rollouts;
    if (more.tp == use.tp && more.share == use.share) RC_ASSERT(more.total() >= use.total());
    Strategy twice = s;
    twice.grad_accum *= 2;
    const RolloutUse many = *of(p, twice, gpu).estimate.rollouts;
    if (many.tp == use.tp && many.share == use.share) RC_ASSERT(many.total() >= use.total());
    // A run of fewer steps is never slower.
    TrainPhase fewer = p;
    fewer.data.samples = 999;
    RC_ASSERT(training_work(fewer)->sequences_total < r.work.sequences_total);
  }));
}

}  // namespace
}  // namespace gpuplan
