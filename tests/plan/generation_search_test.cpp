// Cuts, engines and batches that the search of a generation phase chooses, and targets.
#include <gtest/gtest.h>

#include "plan/searched.h"
#include "plan/strategy/software.h"

namespace gpuplan {
namespace {

std::string job_text(const std::string& model, const std::string& keys, const std::string& offers,
                     const std::string& where = "") {
  return "job: t\nmarket: {use: only, offers: [" + offers + "]}\n" + where +
         "phases:\n  - name: serve\n    generate:\n      model: " + model +
         "\n      data: [{samples: 10000, prompt_tokens: 500, new_tokens: 300}]\n" + keys;
}

constexpr const char* kH100 = "{gpu: H100 SXM, gpus: 8, price: 20}";

const PhaseEstimate& estimate_of(const Plan& plan) { return plan.phases.front().estimate; }

TEST(GenerationSearch, ServingFiguresBelongTogether) {
  const Searched found(job_of(job_text("Llama-3.1-8B", "", kH100)));
  const PhasePlan& part = found.pick().phases.front();
  ASSERT_TRUE(part.estimate->serving);
  const Serving& serving = *part.estimate->serving;
  EXPECT_DOUBLE_EQ(serving.output.p50.value, part.tokens_per_second.p50.value);
  EXPECT_NEAR(serving.processed.p50 / serving.output.p50, 800.0 / 300, 1e-9) << "500 tokens of prompt for 300 new ones";
  EXPECT_LT(serving.time_to_first_token.p10, serving.time_to_first_token.p90);
  EXPECT_LT(serving.time_per_output_token.p10, serving.time_per_output_token.p90);
  EXPECT_FALSE(serving.chance) << "nothing is asked for";
  // What is in flight comes out at one token a step each, but for the ramp at both ends and prompts in between.
  const double steady = serving.in_flight / serving.time_per_output_token.p50.value;
  EXPECT_NEAR(serving.output.p50.value / steady, 0.85, 0.2);
}

TEST(GenerationSearch, TheEngineIsOneThatReadsTheFormat) {
  const Searched gguf(job_of(job_text("Llama-3.1-8B", "      weights: q4_k_m\n", kH100)));
  EXPECT_EQ(estimate_of(gguf.pick()).framework->name, "llama.cpp");
  const Searched exl2(job_of(job_text("Llama-3.1-8B", "      weights: exl2\n      weight_bits: 3\n", kH100)));
  EXPECT_EQ(estimate_of(exl2.pick()).framework->name, "exllamav2");
  const Searched natural(job_of(job_text("Llama-3.1-8B", "", kH100)));
  EXPECT_EQ(estimate_of(natural.pick()).framework->name, "vllm");
}

TEST(GenerationSearch, TheEngineIsOneThatKeepsSuchACache) {
  const Searched found(job_of(job_text("Llama-3.1-8B", "      kv_cache: q4_0\n", kH100)));
  EXPECT_EQ(estimate_of(found.pick()).framework->name, "llama.cpp");
  const Searched eight(job_of(job_text("Llama-3.1-8B", "      kv_cache: fp8\n", kH100)));
  EXPECT_EQ(estimate_of(eight.pick()).framework->name, "vllm");
}

TEST(GenerationSearch, CardsThatTheFirstEngineLeavesOutGetTheFastestAsEasy) {
  // vLLM begins with compute capability 7.5.
  for (const char* gpu : {"V100 SXM2 32GB", "V100 PCIe 16GB"}) {
    for (const int gpus : {1, 8}) {
      const std::string offer =
          std::string("{gpu: ") + gpu + ", gpus: " + std::to_string(gpus) + ", price: " + std::to_string(gpus) + "}";
      const Searched open(job_of(job_text("Qwen2.5-1.5B", "", offer.c_str())));
      for (const char* engine : {"hf", "llama.cpp", "lmdeploy"}) {
        const std::string key = std::string("      engine: ") + engine + "\n";
        const Searched named(job_of(job_text("Qwen2.5-1.5B", key.c_str(), offer.c_str())));
        EXPECT_LE(open.pick().hours.p50, named.pick().hours.p50) << gpu << " " << engine;
      }
    }
  }
}

TEST(GenerationSearch, TextsThatAreOnlyReadComeInLargePasses) {
  const auto found = [](const char* model) {
    return Searched(job_of(std::string("market: {use: only, offers: [{gpu: B200, gpus: 1, price: 3}]}\n"
                                       "phases:\n  - name: read\n    generate: {model: ") +
                           model + ", forward_only: true, data: {samples: 1M, prompt_tokens: 256}}\n"))
        .pick()
        .phases.front()
        .estimate->batch;
  };
  EXPECT_GE(found("bge-m3"), 64) << "vectors: a pass of 8k tokens would wait for launches";
  EXPECT_LE(found("Llama-3.1-8B"), 64) << "every token's chances are worked out";
}

TEST(GenerationSearch, CardsWithoutBf16TakeFp16) {
  const Searched found(
      job_of(job_text("Qwen2.5-1.5B", "      weights: bf16\n      engine: vllm\n", "{gpu: T4, gpus: 1, price: 1}")));
  EXPECT_EQ(estimate_of(found.pick()).strategy.weights, Format::kFp16);
}

TEST(GenerationSearch, ServersTakeAsManyRequestsAsTheirDefaultUnlessTold) {
  const auto found = [](const std::string& keys) {
    return Searched(
        job_of(job_text("Llama-3.1-8B", "      engine: llama.cpp\n" + keys, "{gpu: H100 SXM, gpus: 1, price: 3}")));
  };
  const Searched open = found("");
  const double slots = engine_profile(known(), *estimate_of(open.pick()).framework).slots;
  EXPECT_EQ(estimate_of(open.pick()).batch, slots);
  EXPECT_EQ(estimate_of(found("      concurrency: 64\n").pick()).batch, slots);
  const Searched told = found("      batch: 64\n");
  EXPECT_EQ(estimate_of(told.pick()).batch, 64);
  // Nobody measured so many there: the range says so.
  const auto width = [](const PhaseEstimate& e) { return e.work.p90 / e.work.p10; };
  EXPECT_GT(width(estimate_of(told.pick())), 2 * width(estimate_of(found("      batch: 8\n").pick())));
}

TEST(GenerationSearch, WeightsThatPassThroughACopyAreNoFasterThanPlainOnes) {
  const auto rate = [](const std::string& weights, int batch) {
    const Searched found(job_of(
        job_text("Qwen2.5-32B",
                 "      engine: vllm\n      weights: " + weights + "\n      batch: " + std::to_string(batch) + "\n",
                 "{gpu: H100 SXM, gpus: 2, price: 5}")));
    return found.pick().phases.front().tokens_per_second.p50.value;
  };
  for (const int batch : {8, 32, 128}) {
    EXPECT_LT(rate("nf4", batch), rate("bf16", batch)) << batch;
    EXPECT_GT(rate("int4", batch), rate("nf4", batch)) << batch;
  }
}

TEST(GenerationSearch, SmallerWeightsTakeLessMemory) {
  const auto weights = [](const std::string& bits) {
    const Searched found(job_of(
        job_text("Llama-3.1-8B", "      weights: exl2\n      batch: 1\n      weight_bits: " + bits + "\n", kH100)));
    return estimate_of(found.pick()).memory.weights;
  };
  EXPECT_LT(weights("3"), weights("4.65"));
  EXPECT_LT(weights("4.65"), weights("6"));
}

TEST(GenerationSearch, WhatAGpuCannotComputeIsSaid) {
  const Searched found(
      job_of(job_text("Llama-3.1-8B", "      weights: fp8\n      engine: vllm\n", "{gpu: T4, gpus: 8, price: 4}")),
      Finds::kPerhapsNothing);
  EXPECT_TRUE(found.result.plans.empty());
  EXPECT_TRUE(found.result.tally.unsupported_reason.starts_with(
      "T4 has no fp8 matmuls, and vllm does not dequantize fp8 weights for it; int8"))
      << found.result.tally.unsupported_reason;
}

TEST(GenerationSearch, DegreesThatAreNoPowersOfTwo) {
  const Searched found(
      job_of(job_text("{layers: 24, hidden: 3072, heads: 24, kv_heads: 12, ffn: 9216, vocab: 32000}",
                      "      situation: single\n      parallel: {tp: 6}\n", "{gpu: H100 SXM, gpus: 6, price: 15}")));
  EXPECT_EQ(estimate_of(found.pick()).strategy.tp, 6);
  const Searched rest(job_of(job_text("{layers: 24, hidden: 3072, heads: 24, kv_heads: 12, ffn: 9216, vocab: 32000}",
                                      "      parallel: {tp: 3}\n", kH100)));
  EXPECT_EQ(estimate_of(rest.pick()).gpus, 6) << "two replicas of three, and two GPUs idle";
  EXPECT_EQ(estimate_of(rest.pick()).strategy.dp, 2);
}

TEST(GenerationSearch, MoreReplicasThanGpus) {
  const Searched found(job_of(job_text("Llama-3.1-8B", "      parallel: {dp: 4, tp: 4}\n", kH100)),
                       Finds::kPerhapsNothing);
  EXPECT_TRUE(found.result.plans.empty());
  EXPECT_EQ(found.result.tally.rejected[static_cast<std::size_t>(Misfit::kGpus)], 1);
  EXPECT_EQ(found.result.tally.unsupported_reason,
            "parallel needs 16 GPUs (dp 4 x tp 4), more than one machine has here; lower it, or allow several nodes "
            "with where.nodes");
  const Searched fewer(job_of(job_text("Llama-3.1-8B", "      parallel: {dp: 3}\n", kH100)));
  EXPECT_EQ(estimate_of(fewer.pick()).strategy.dp, 3);
}

TEST(GenerationSearch, AStatedRateIsOfTheSmallestReplicaThatSurelyFits) {
  // One GPU of 16 GB perhaps holds 7B in 16 bits; two surely do, and a rate of the phase says nothing of one alone.
  Catalogue facts = known();
  for (Gpu& gpu : facts.gpus)
    if (gpu.name == "T4") gpu.usable = gpu.memory = 15.3 * units::GiB;
  const Job job = job_of(job_text("Qwen2.5-7B", "      situation: single\n    given: [{tokens_per_second: 3525}]\n",
                                  "{gpu: T4, gpus: 2, price: 1}"));
  MarketFilter filter;
  const std::vector<Offer> market = market_for(job, facts, facts.offers, filter);
  const auto found = search(job, facts, market, {});
  ASSERT_TRUE(found.has_value());
  ASSERT_FALSE(found->plans.empty());
  const PhaseEstimate& estimate = estimate_of(found->plans.front());
  EXPECT_EQ(estimate.fit, Fit::kFits);
  EXPECT_EQ(estimate.strategy.tp, 2);
}

TEST(GenerationSearch, ReplicasShareExpertsWhereThatPays) {
  const auto strategy = [](const std::string& keys) {
    const Searched found(job_of(job_text("DeepSeek-V3", keys, "{gpu: B200, gpus: 8, price: 40}")));
    return estimate_of(found.pick()).strategy;
  };
  const Strategy fixed = strategy("      parallel: {ep: 8, tp: 1}\n");
  EXPECT_EQ(fixed.ep, 8);
  EXPECT_EQ(fixed.dp, 8);
  EXPECT_EQ(strategy("      parallel: {ep: 8, tp: 8}\n").ep, 1) << "the GPUs of one replica";
  EXPECT_EQ(strategy("      parallel: {ep: 1}\n").ep, 1);
  // Left alone, the search is never slower than either.
  const auto hours = [](const std::string& keys) {
    const Searched found(job_of(job_text("DeepSeek-V3", keys, "{gpu: B200, gpus: 8, price: 40}")));
    return found.pick().hours.p50;
  };
  const Seconds free = hours("");
  EXPECT_LE(free, hours("      parallel: {ep: 8, tp: 1}\n") * 1.06);
  EXPECT_LE(free, hours("      parallel: {ep: 1}\n") * 1.01);
}

TEST(GenerationSearch, LayersAreSplitOverMachines) {
  // 1.34 TB of weights in 16 bit: more than eight GPUs of 80 GB hold.
  const Searched found(job_of(job_text("DeepSeek-V3", "      weights: bf16\n      parallel: {ep: 1}\n",
                                       "{gpu: H100 SXM, gpus: 8, price: 20}", "where: {nodes: [1, 4]}\n")));
  ASSERT_FALSE(found.result.plans.empty());
  EXPECT_EQ(found.pick().nodes, 4);
  EXPECT_GT(estimate_of(found.pick()).strategy.pp, 1);
}

constexpr const char* kManyGpus[] = {"{gpu: H100 SXM, gpus: 8, price: 20}", "{gpu: RTX 5090, gpus: 8, price: 4}",
                                     "{gpu: A100 PCIe 80GB, gpus: 4, price: 6}",
                                     "{gpu: V100 SXM2 32GB, gpus: 8, price: 5}", "{gpu: L40S, gpus: 3, price: 3}"};

/// What a job calls its concurrency is at work over the whole plan, however many replicas share it.
TEST(GenerationSearch, NoMoreRequestsAreAtWorkThanThereAre) {
  for (const char* const offer : kManyGpus)
    for (const char* const model : {"Llama-3.1-8B", "Qwen2.5-32B"}) {
      double before = 0;
      for (const int asked : {100, 33, 16, 9, 8, 7, 5, 4, 3, 2, 1}) {
        const std::string text = job_text(model, "      concurrency: " + std::to_string(asked) + "\n", offer);
        const Searched found(job_of(text), Finds::kPerhapsNothing);
        for (const Plan& plan : found.result.plans) {
          const PhaseEstimate& one = estimate_of(plan);
          const std::string where = plan.label + " with " + std::to_string(asked);
          EXPECT_LE(one.batch, asked) << where;
          EXPECT_LE(one.strategy.dp, asked) << where << ": idle replicas";
          EXPECT_GE(static_cast<double>(one.strategy.dp) * one.strategy.micro_batch, one.batch) << where;
        }
        if (found.result.plans.empty()) continue;
        // What is recommended weighs hours and dollars; of one offer the two go together.
        const double hours = found.pick().hours.p50.value;
        EXPECT_GE(hours, before * 0.98) << offer << " " << model << " with " << asked;
        before = hours;
      }
    }
}

TEST(GenerationSearch, ABatchIsAtMostAReplicasShare) {
  const auto run = [](const std::string& keys) {
    const Searched found(job_of(job_text("Llama-3.1-8B", keys, kH100)));
    return estimate_of(found.pick());
  };
  const PhaseEstimate shared = run("      concurrency: 6\n      batch: 16\n      parallel: {dp: 4, tp: 1}\n");
  EXPECT_EQ(shared.batch, 6);
  EXPECT_EQ(shared.strategy.micro_batch, 2) << "two replicas with two, two with one";
  const PhaseEstimate narrow = run("      concurrency: 100\n      batch: 4\n      parallel: {dp: 4, tp: 1}\n");
  EXPECT_EQ(narrow.batch, 16) << "the others wait";
  const auto refused =
      read_text_as_job(job_text("Llama-3.1-8B", "      concurrency: 3\n      parallel: {dp: 4}\n", kH100));
  EXPECT_NE(line_of(refused).find("3 concurrent requests keep no 4 replicas"), std::string::npos) << line_of(refused);
}

/// Where the usual engine does not run, the one that gpuplan takes is no slower than the others that people have there.
TEST(GenerationSearch, OldCardsAreServedByTheFasterEngine) {
  for (const char* const card : {"V100 SXM2 32GB", "P40", "P100 PCIe", "GTX 1080 Ti", "Titan V"})
    for (const char* const keys :
         {"", "      situation: single\n", "      concurrency: 4\n", "      situation: static\n"}) {
      const auto run = [&](const std::string& engine) -> std::optional<PhaseEstimate> {
        const Searched found(
            job_of(job_text("Qwen2.5-3B", keys + engine, "{gpu: " + std::string(card) + ", gpus: 4, price: 1}")),
            Finds::kPerhapsNothing);
        if (found.result.plans.empty()) return std::nullopt;
        return estimate_of(found.pick());
      };
      const auto chosen = run("");
      ASSERT_TRUE(chosen) << card;
      for (const char* const engine : {"hf", "llama.cpp"}) {
        const auto named = run("      engine: " + std::string(engine) + "\n");
        if (named && named->fit == Fit::kFits) {
          EXPECT_LE(chosen->work_by_model, named->work_by_model * 1.001) << card << " " << keys << " " << engine;
        }
      }
    }
  const Searched read(
      job_of("market: {use: only, offers: [{gpu: V100 SXM2 32GB, gpus: 1, price: 1}]}\nphases: [{name: r, "
             "generate: {model: Qwen2.5-3B, forward_only: true, data: [{samples: 1000, prompt_tokens: 500}]}}]\n"));
  EXPECT_EQ(estimate_of(read.pick()).framework->name, "hf") << "texts are only read";
}

TEST(GenerationSearch, ActivationsThatNoMemoryHoldsAreTheReason) {
  const auto collect = [](const char* to) {
    return job_of(
        "market: {use: only, own: [{name: box, gpu: L40S, gpus: 2, ram: 512 GB}]}\nphases: [{name: c, collect: "
        "{model: Llama-3.1-8B, forward_only: true, data: {samples: 100k, prompt_tokens: 512}, store: {layers: "
        "32, width: 4096, dtype: bf16, tokens: all, to: " +
        std::string(to) + "}}}]\n");
  };
  const Searched none(collect("memory"), Finds::kPerhapsNothing);
  EXPECT_TRUE(none.result.plans.empty());
  const HostMiss& miss = none.result.tally.host;
  ASSERT_EQ(miss.phase, 0);
  EXPECT_EQ(miss.use, HostUse::kKept);
  EXPECT_NEAR(miss.needed.value, 100e3 * 512 * 32 * 4096 * 2, 1e10);
  EXPECT_LT(miss.room.value, 512e9);
  const Searched disk(collect("disk"));
  EXPECT_FALSE(disk.result.plans.empty());
}

TEST(GenerationTarget, PlansThatMissItDoNotCount) {
  const std::string offers =
      "{gpu: H100 SXM, gpus: 1, price: 2.5}, {gpu: H100 SXM, gpus: 4, price: 10}, {gpu: RTX 4090, gpus: 1, price: 0.4}";
  const Searched free(job_of(job_text("Llama-3.1-8B", "", offers)));
  const double slow = estimate_of(*free.plan("1x RTX 4090")).serving->output.p50.value;
  const double fast = estimate_of(*free.plan("1x H100 SXM")).serving->output.p50.value;
  ASSERT_LT(slow, fast);
  const Searched found(job_of(job_text(
      "Llama-3.1-8B",
      "      target: {tokens_per_second: " + std::to_string(static_cast<int>((slow + fast) / 2)) + "}\n", offers)));
  EXPECT_FALSE(found.plan("1x RTX 4090")->reaches_target);
  EXPECT_FALSE(found.plan("1x RTX 4090")->on_frontier);
  EXPECT_TRUE(found.plan("1x H100 SXM")->reaches_target);
  EXPECT_GT(*estimate_of(*found.plan("1x H100 SXM")).serving->chance, 0.5);
  EXPECT_LT(*estimate_of(*found.plan("1x RTX 4090")).serving->chance, 0.5);
  EXPECT_FALSE(found.result.recommendations.limits_missed);
  EXPECT_TRUE(found.pick().reaches_target);
}

TEST(GenerationTarget, BatchesShrinkToMeetLatencies) {
  for (const std::string situation : {"saturated", "static"}) {
    const std::string keys = "      situation: " + situation + "\n";
    const Searched free(job_of(job_text("Llama-3.1-8B", keys, kH100)));
    const PhaseEstimate& full = estimate_of(free.pick());
    const double ms = full.serving->time_per_output_token.p50.value * 1000;
    const double wanted = 0.6 * ms;
    const Searched found(job_of(job_text(
        "Llama-3.1-8B", keys + "      target: {time_per_output_token: " + std::to_string(wanted) + " ms}\n", kH100)));
    const PhaseEstimate& quick = estimate_of(found.pick());
    EXPECT_TRUE(quick.serving->reaches_target) << situation;
    EXPECT_LE(quick.serving->time_per_output_token.p50.value * 1000, wanted);
    EXPECT_GT(quick.serving->time_per_output_token.p90.value * 1000, 0.8 * wanted)
        << "no smaller than it must be to keep it with a chance of 90 %";
    EXPECT_LT(quick.batch, full.batch);
  }
}

TEST(GenerationTarget, TheNearestMissIsThePickWhenNoneReachesIt) {
  const std::string offers = "{gpu: H100 SXM, gpus: 1, price: 2.5}, {gpu: RTX 4090, gpus: 1, price: 0.4}";
  const Searched found(job_of(job_text("Llama-3.1-8B", "      target: {time_per_output_token: 0.01 ms}\n", offers)));
  EXPECT_TRUE(found.result.recommendations.limits_missed);
  const Plan& pick = found.pick();
  EXPECT_FALSE(pick.reaches_target);
  EXPECT_GT(pick.shortfall(), 1);
  for (const Plan& plan : found.result.plans) EXPECT_GE(plan.shortfall(), pick.shortfall());
  EXPECT_LT(*estimate_of(pick).serving->chance, 0.01);
}

/// Requests at once of a phase that states none, on one GPU, and the hours that it takes.
std::pair<double, double> at_once(const std::string& model, const std::string& gpu, const std::string& keys = "") {
  const Searched found(job_of(job_text(model, keys, "{gpu: " + gpu + ", gpus: 1, price: 1}")));
  return {estimate_of(found.pick()).batch, found.pick().hours.p50.value};
}

TEST(GenerationSearch, MoreMemoryIsTakenWhereFewRequestsHaveRoom) {
  // 27 of 31 GiB are weights: what an engine takes unasked leaves room for one request.
  const auto [requests, hours] = at_once("Phi-4", "RTX 5090");
  EXPECT_GT(requests, 4);
  EXPECT_LE(requests, 64);
  EXPECT_LE(hours, at_once("Phi-4", "RTX 5090", "      batch: 4\n").second);
}

TEST(GenerationSearch, NoFewerRequestsAtOnceAreFasterThanThoseChosen) {
  for (const char* gpu : {"RTX 3090", "RTX 4090", "A100 SXM 80GB"}) {
    const auto [requests, hours] = at_once("Qwen2.5-7B", gpu);
    for (const int fewer : {64, 128, 192}) {
      if (fewer >= requests) continue;
      const std::string asked = "      situation: concurrency\n      concurrency: " + std::to_string(fewer) + "\n";
      EXPECT_LE(hours, at_once("Qwen2.5-7B", gpu, asked).second * 1.02) << gpu << " " << fewer << " of " << requests;
    }
  }
}

}  // namespace
}  // namespace gpuplan
