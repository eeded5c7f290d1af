// Laws of cuts, caches, batches and latencies that hold whatever the constants are.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "model/generation/step.h"
#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

TEST(GenerationLaws, OneRankHasNoTraffic) {
  for (const ModelShape& shape : {llama_3_8b(), mixtral(), deepseek_v3()}) {
    const Rig rig(h100(), phase_of(shape, Situation::kSingle, 1, 100, 100));
    const auto traffic = [&](int dp, int tp, int ep) {
      Strategy strategy = strategy_of(dp, tp);
      strategy.ep = ep;
      return decode_step(rig.work.networks.front(), rig.rates, generation_cut(rig.work, rig.rates, strategy), 4, 100)
          .traffic.value;
    };
    EXPECT_EQ(traffic(1, 1, 1), 0);
    EXPECT_EQ(traffic(8, 1, 1), 0) << "replicas do not talk";
    EXPECT_GT(traffic(1, 2, 1), 0);
    if (rig.work.networks.front().moe()) {
      EXPECT_GT(traffic(8, 1, 8), 0) << "unless they share experts";
    }
  }
}

TEST(GenerationLaws, AReductionInOneStepIsNeverSlowerThanARing) {
  Catalogue rings = small_catalogue();
  for (EngineProfile& profile : rings.engines) profile.one_shot = false;
  const GeneratePhase phase = phase_of(llama_2_70b(), Situation::kSingle, 1, 100, 100);
  const Rig both(h100(), phase), ring(h100(), phase, "vllm", Format::kBf16, Format::kBf16, rings);
  for (const int tp : {2, 4, 8})
    for (int batch = 1; batch <= 65536; batch *= 4) {
      const auto traffic = [&](const Rig& rig) {
        const GenerationCut cut = generation_cut(rig.work, rig.rates, strategy_of(1, tp));
        return decode_step(rig.work.networks.front(), rig.rates, cut, batch, 100).traffic.value;
      };
      EXPECT_LE(traffic(both), traffic(ring)) << tp << " ranks, " << batch;
      if (batch == 1) {
        EXPECT_LT(traffic(both), (tp == 8 ? 0.6 : 1.0) * traffic(ring)) << "short messages wait for nothing else";
      }
      if (batch == 65536 && tp == 8) {
        EXPECT_DOUBLE_EQ(traffic(both), traffic(ring)) << "long ones go round";
      }
    }
}

TEST(GenerationLaws, MoreRanksReadLessAndTalkMore) {
  const Rig rig(h100(), phase_of(llama_2_70b(), Situation::kSingle, 1, 100, 100));
  DecodeStep last;
  for (const int tp : {1, 2, 4, 8}) {
    const GenerationCut cut = generation_cut(rig.work, rig.rates, strategy_of(1, tp));
    const DecodeStep step = decode_step(rig.work.networks.front(), rig.rates, cut, 1, 2000);
    if (tp > 1) {
      EXPECT_NEAR(step.weights / last.weights, 0.5, 0.01) << tp;
      EXPECT_LT(step.kv, last.kv) << tp;
      EXPECT_GE(step.traffic, last.traffic) << tp;
    }
    last = step;
  }
}

TEST(GenerationLaws, MemoryAloneIsThatOfTheWholeEstimate) {
  const Gpu gpu = h100();
  const NodeShape node = node_of(gpu);
  const Catalogue all = small_catalogue();
  for (const ModelShape& shape : {llama_3_8b(), mixtral(), deepseek_v3()})
    for (const Situation situation : {Situation::kSaturated, Situation::kStatic, Situation::kSingle}) {
      const GeneratePhase phase = phase_of(shape, situation, 500, 100, 100);
      const GenerationWork work = generation_work(phase).value();
      for (const char* by : {"vllm", "hf"}) {
        const Framework framework = engine(by);
        const auto rates = generation_rates(all, node, framework, Format::kBf16, Format::kBf16);
        ASSERT_TRUE(rates) << by;
        for (const int tp : {1, 2, 8})
          for (const int in_flight : {0, 1, 40}) {
            const Strategy strategy = strategy_of(1, tp, 1, in_flight);
            const MemoryUse whole = generation_estimate(work, *rates, strategy).memory;
            const MemoryUse alone = generation_memory(work, *rates, strategy);
            EXPECT_EQ(alone.total(), whole.total()) << shape.name << " " << by << " " << tp << " " << in_flight;
            EXPECT_EQ(alone.kv_cache, whole.kv_cache);
          }
      }
    }
}

TEST(GenerationLaws, FewerBitsNeverNeedMoreMemory) {
  for (const ModelShape& shape : {llama_3_8b(), mixtral(), deepseek_v3()}) {
    const GeneratePhase phase = phase_of(shape, Situation::kSingle, 1, 100, 100);
    for (const char* by : {"vllm", "llama.cpp", "hf", "exllama"}) {
      const Gpu gpu = h100();
      const NodeShape node = node_of(gpu);
      const Framework framework = engine(by);
      const Catalogue all = small_catalogue();
      const GenerationWork work = generation_work(phase).value();
      for (const auto& [larger, larger_name] : Names<Format>::entries)
        for (const auto& [smaller, smaller_name] : Names<Format>::entries) {
          if (bits_of(smaller) > bits_of(larger)) continue;
          const auto most = generation_rates(all, node, framework, larger, Format::kFp16),
                     least = generation_rates(all, node, framework, smaller, Format::kFp16);
          // GGUF files differ in their head, and 4-bit checkpoints of experts keep the rest in 16 bit.
          if (!most || !least || least->head_bytes > most->head_bytes || smaller == Format::kMxfp4) continue;
          EXPECT_LE(generation_estimate(work, *least, strategy_of(1)).memory.weights,
                    generation_estimate(work, *most, strategy_of(1)).memory.weights)
              << by << ": " << smaller_name << ", " << larger_name;
        }
    }
  }
}

TEST(GenerationLaws, AWindowAsWideAsTheContextIsNone) {
  ModelShape shape = llama_3_8b();
  const auto whole = [&](double prompt) {
    return estimate(h100(), phase_of(shape, Situation::kStatic, 64, prompt, 500), strategy_of(1, 1, 1, 32));
  };
  const GenerationEstimate all = whole(1500);
  shape.window = 2048;
  shape.window_layers = 16;
  const GenerationEstimate windows = whole(1500);
  EXPECT_NEAR(windows.parts.total().value, all.parts.total().value, 1e-9 * all.parts.total().value);
  EXPECT_NEAR(windows.memory.total().value, all.memory.total().value, 1);
  // And narrower ones help.
  shape.window = 256;
  EXPECT_LT(whole(1500).parts.kv_reads, 0.8 * all.parts.kv_reads);
  EXPECT_LT(whole(1500).memory.kv_cache, 0.7 * all.memory.kv_cache);
}

TEST(GenerationLaws, ALongerContextIsNeverFaster) {
  for (const ModelShape& shape : {llama_3_8b(), mixtral(), deepseek_v3()})
    for (const char* by : {"vllm", "hf", "llama.cpp"}) {
      const Rig rig(h100(), phase_of(shape, Situation::kSingle, 1, 100, 100), by);
      const NetworkWork& network = rig.work.networks.front();
      const GenerationCut cut = generation_cut(rig.work, rig.rates, strategy_of(1));
      Seconds decode{}, prompt{};
      for (double tokens = 1; tokens <= 1 << 17; tokens *= 2) {
        const Seconds step = decode_step(network, rig.rates, cut, 8, tokens).total(),
                      pass = prefill_time(network, rig.rates, cut, 1, tokens);
        EXPECT_GE(step, decode) << by << ", " << tokens;
        EXPECT_GE(pass, prompt) << by << ", " << tokens;
        decode = step;
        prompt = pass;
      }
      EXPECT_GT(prompt.value, 10 * prefill_time(network, rig.rates, cut, 1, 1024).value) << "more than in proportion";
      EXPECT_EQ(prefill_time(network, rig.rates, cut, 1, 0).value, 0);
    }
}

TEST(GenerationLaws, ASmallerCacheIsNeverSlower) {
  for (const Gpu& gpu : {h100(), a100(), rtx4090()}) {
    const GeneratePhase phase = phase_of(llama_2_7b(), Situation::kStatic, 16, 1000, 200);
    const Rig sixteen(gpu, phase, "vllm", Format::kFp16, Format::kFp16),
        eight(gpu, phase, "vllm", Format::kFp16, Format::kFp8);
    const Strategy strategy = strategy_of(1, 1, 1, 8);
    EXPECT_DOUBLE_EQ(eight.estimate(strategy).memory.kv_cache.value,
                     sixteen.estimate(strategy).memory.kv_cache.value / 2);
    EXPECT_LT(eight.estimate(strategy).parts.kv_reads, sixteen.estimate(strategy).parts.kv_reads) << gpu.name;
  }
}

TEST(GenerationLaws, MoreInFlightIsMoreWorkAndMoreWaiting) {
  GeneratePhase phase = phase_of(llama_3_8b(), Situation::kConcurrency, 1e5, 1000, 300);
  double rate = 0;
  Seconds first{}, next{};
  for (double requests = 1; requests <= 256; requests *= 2) {
    phase.concurrency = requests;
    const GenerationEstimate now = estimate(h100(), phase, strategy_of(1));
    EXPECT_DOUBLE_EQ(now.batch, requests);
    EXPECT_GT(now.tokens_per_second, rate) << requests;
    EXPECT_GE(now.time_to_first_token, first) << requests;
    EXPECT_GT(now.time_per_output_token, next) << requests;
    // So many requests, each of them one token every so often, and the waits for their first ones.
    EXPECT_LT(now.tokens_per_second, requests / now.time_per_output_token.value);
    rate = now.tokens_per_second;
    first = now.time_to_first_token;
    next = now.time_per_output_token;
  }
  // Beyond what memory holds, more requests only wait.
  phase.concurrency = 5000;
  const GenerationEstimate full = estimate(h100(), phase, strategy_of(1));
  phase.concurrency = 10000;
  EXPECT_DOUBLE_EQ(estimate(h100(), phase, strategy_of(1)).tokens_per_second, full.tokens_per_second);
}

TEST(GenerationLaws, TheFirstTokenWaitsForItsPromptAndForSteps) {
  GeneratePhase phase = phase_of(llama_3_8b(), Situation::kConcurrency, 1000, 1000, 300);
  phase.concurrency = 1;
  const Rig alone(h100(), phase);
  const NetworkWork& network = alone.work.networks.front();
  const GenerationCut cut = generation_cut(alone.work, alone.rates, strategy_of(1));
  const GenerationConstants& c = *alone.rates.constants;
  const double prompt = prefill_time(network, alone.rates, cut, 8, 1000).value / 8;
  const DecodeStep step = decode_step(network, alone.rates, cut, 1, 1150);
  // One request: its own prompt, a fixed time and the steps under way; there is nobody to wait for.
  const double lone = prefill_time(network, alone.rates, cut, 1, 1000).value;
  EXPECT_NEAR(alone.estimate(strategy_of(1)).time_to_first_token.value,
              c.first_fixed_ms * 1e-3 + c.first_steps * step.total().value + lone, 1e-9);
  // Of 17, sixteen others. Of 1,000 requests 17 begin the run together and wait for half of the others' prompts; the
  // rest are a queue: 17 prompts beside 300 steps.
  phase.concurrency = 17;
  const Rig busy(h100(), phase);
  const DecodeStep slower = decode_step(network, busy.rates, cut, 17, 1150);
  const double wave = 0.017 * 8, queue = (1 - 0.017) * 17 * prompt / (2 * 300 * slower.total().value);
  EXPECT_NEAR(busy.estimate(strategy_of(1)).time_to_first_token.value,
              c.first_fixed_ms * 1e-3 + c.first_steps * slower.total().value + lone + prompt * (wave + queue), 1e-9);
}

TEST(GenerationLaws, CheckingSeveralTokensAtOnceCostsLessThanMakingThem) {
  for (const ModelShape& shape : {llama_3_8b(), llama_2_70b()})
    for (const char* by : {"vllm", "llama.cpp"}) {
      const Rig rig(h100(), phase_of(shape, Situation::kSingle, 1, 100, 100), by);
      const GenerationCut cut = generation_cut(rig.work, rig.rates, strategy_of(1));
      const auto step = [&](double positions) {
        return decode_step(rig.work.networks.front(), rig.rates, cut, 1, 1000, positions).total();
      };
      EXPECT_GE(step(4), step(1));
      EXPECT_LT(step(4), 2 * step(1)) << by;
    }
}

TEST(GenerationLaws, SharedExpertsLeaveRoomForTheCache) {
  // DeepSeek-V3 in 8 bit on eight H200-like cards of a machine: only with its experts shared out.
  Gpu gpu = h100();
  gpu.memory = 141 * GiB;
  gpu.usable = 140 * GiB;
  const Rig rig(gpu, phase_of(deepseek_v3(), Situation::kSaturated, 1e5, 500, 500), "vllm", Format::kFp8);
  Strategy shared = strategy_of(8);
  shared.ep = 8;
  const GenerationEstimate apart = rig.estimate(strategy_of(8)), together = rig.estimate(shared);
  const double experts = 58.0 * 256 * 3 * 7168 * 2048;
  EXPECT_NEAR((apart.memory.weights - together.memory.weights).value,
              rig.rates.constants->weight_padding * experts * 7 / 8, 1e6);
  EXPECT_GT(apart.memory.total(), gpu.usable);
  EXPECT_LT(together.memory.total(), gpu.usable);
  EXPECT_GT(together.batch, 100);
}

TEST(GenerationLaws, WiderIntervalsWhereLessIsKnown) {
  const auto width = [](const Gpu& gpu, const GeneratePhase& phase, const Strategy& strategy, const char* by = "vllm",
                        Format weights = Format::kFp16) {
    const Rig rig(gpu, phase, by, weights);
    return generation_spread(rig.work, rig.rates, strategy);
  };
  const GeneratePhase plain = phase_of(llama_3_8b(), Situation::kSingle, 10, 1000, 200);
  const Spread base = width(h100(), plain, strategy_of(1));
  EXPECT_GT(width(h100(), plain, strategy_of(1), "hf").time, base.time);
  EXPECT_GT(width(h100(), plain, strategy_of(1, 2)).time, base.time);
  EXPECT_GT(width(h100(), plain, strategy_of(1), "vllm", Format::kInt4).time, base.time);
  EXPECT_GT(width(t4(), plain, strategy_of(1)).time, base.time);
  EXPECT_GT(width(h100(), phase_of(mixtral(), Situation::kSingle, 10, 1000, 200), strategy_of(1)).time, base.time);
  const Spread prompts = width(h100(), phase_of(llama_3_8b(), Situation::kSingle, 10, 20000, 200), strategy_of(1));
  EXPECT_GT(prompts.time, base.time);
  EXPECT_GT(prompts.memory, base.memory);
  // Over PCIe wider still, and the first token under load widest of all.
  Gpu pcie = h100();
  pcie.link = {};
  EXPECT_GT(width(pcie, plain, strategy_of(1, 2)).time, width(h100(), plain, strategy_of(1, 2)).time);
  const Spread served = width(h100(), phase_of(llama_3_8b(), Situation::kSaturated, 1e4, 1000, 200), strategy_of(1));
  EXPECT_GT(served.first_token, served.next_token);
  EXPECT_DOUBLE_EQ(base.first_token, base.time);
}

/// Weights are known by their file: the range is one of what lies beside them.
TEST(GenerationLaws, WeightsAreKnown) {
  const Rig rig(h100(), phase_of(llama_3_8b(), Situation::kSaturated, 1e4, 1000, 200));
  double before = 1;
  for (const int sequences : {400, 100, 20, 1}) {
    Strategy strategy = strategy_of(1);
    strategy.micro_batch = sequences;
    const MemoryUse use = generation_memory(rig.work, rig.rates, strategy);
    EXPECT_EQ(use.frozen, use.weights);
    const double open = 1 - use.weights / use.total(), scale = serving_memory_scale(use);
    EXPECT_NEAR(scale, std::max(open, 0.05), 1e-9) << sequences;
    EXPECT_LT(scale, before) << "fewer sequences leave less that is not weights";
    before = scale;
    const Spread whole = generation_spread(rig.work, rig.rates, strategy);
    const Spread known = generation_spread(rig.work, rig.rates, strategy, 1, scale);
    EXPECT_NEAR(known.memory, whole.memory * scale, 1e-12);
    EXPECT_NEAR(at_scale(whole, scale).memory, known.memory, 1e-12);
    EXPECT_NEAR(at_scale(known, 1).memory, whole.memory, 1e-12);
    EXPECT_EQ(known.time, whole.time);
  }
}

TEST(GenerationLaws, WaitingIsLessCertainThanReading) {
  GeneratePhase phase = phase_of(llama_3_8b(), Situation::kConcurrency, 1000, 1000, 300);
  phase.concurrency = 4;
  const Rig rig(h100(), phase);
  const auto range = [&](double waiting) {
    return generation_spread(rig.work, rig.rates, strategy_of(1), waiting).first_token;
  };
  const ErrorLabels labels = generation_labels(rig.work, rig.rates, strategy_of(1));
  // All waiting: as the table has it; none: as any prefill.
  EXPECT_DOUBLE_EQ(range(1), std::sqrt(prior_variance(*rig.rates.errors, ErrorFigure::kFirstToken, labels)));
  EXPECT_DOUBLE_EQ(range(0), std::sqrt(prior_variance(*rig.rates.errors, ErrorFigure::kPrefill, labels)));
  // Half of it: the root of a quarter of either's variance.
  EXPECT_NEAR(range(0.5), std::sqrt(range(0) * range(0) + range(1) * range(1)) / 2, 1e-12);
  // One request at a time does not wait for others at all.
  phase.concurrency = 1;
  const Rig alone(h100(), phase);
  EXPECT_DOUBLE_EQ(generation_spread(alone.work, alone.rates, strategy_of(1), 0.4).first_token, range(0));
}

}  // namespace
}  // namespace gpuplan
