// Laws of the time model: what must hold whatever the constants are.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/math.h"
#include "model/generation/serving_kernels.h"
#include "model/generation/step.h"
#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

/// Llama-2-7B on A100 in 16 bit, with the kernels of serving at the constants of the fixture. The card's power, 400 W
/// at 0.68 TFLOPS each, joins its peak.
struct ByHand {
  Rig rig{a100(), phase_of(llama_2_7b(), Situation::kSingle, 1, 512, 100), "vllm", Format::kFp16, Format::kFp16};
  GenerationCut cut = generation_cut(rig.work, rig.rates, strategy_of(1));
  const NetworkWork& network = rig.work.networks.front();
  Efficiency kernels = efficiency("Ampere", "HBM", 0.68, 128);
  GenerationConstants constants = made_up::generation_constants();
  ServingRate rate;

  ByHand() {
    rate = serving_rate(kernels, rig.gpu, Format::kFp16);
    rate.products.flop = overlapped(rate.products.flop, Seconds{1 / (400 * 0.68e12)});
  }

  /// Queries, keys and values in one product, the output, gate and up in one, down: 32 layers.
  double layers(double tokens) const {
    return 32 * (matmul_time(rate, tokens, 3 * 4096, 4096) + matmul_time(rate, tokens, 4096, 4096) +
                 matmul_time(rate, tokens, 2 * 11008, 4096) + matmul_time(rate, tokens, 4096, 11008))
                    .value;
  }
  double head() const { return matmul_time(rate, 1, 32000, 4096).value; }
  /// Two norms a layer and one at the end, 2 bytes each.
  static constexpr double kNorms = (2 * 32 + 1) * 4096 * 2 / (0.8 * 2039e9);
};

TEST(GenerationEstimate, DecodeByHand) {
  const ByHand hand;
  const DecodeStep step = decode_step(hand.network, hand.rig.rates, hand.cut, 1, 1000);
  const double slower = hand.constants.decode_time;
  // 6.4765e9 parameters in the blocks and 0.1311e9 in the head, at 80 % of 2039 GB/s.
  EXPECT_NEAR(step.weights.value, (6.47650e9 + 0.13107e9) * 2 / (0.8 * 2039e9), 2e-6);
  EXPECT_NEAR(slower * step.weights.value + step.compute.value,
              slower * (hand.layers(1) + hand.head() + ByHand::kNorms), 1e-9);
  EXPECT_LT(step.compute.value, 0.2 * step.weights.value);  // one token: bound by bandwidth
  // Keys and values of 1001 tokens, 32 heads of 128, 2 bytes; 32 pieces of 3 us each for 108 multiprocessors; 12 us.
  const double cache = 2 * 1001 * 32 * 128 * 2 / (0.85 * 2039e9), arithmetic = 4 * 1001 * 32 * 128 / (0.5 * 312e12);
  const double reading = std::pow(std::pow(cache, 4) + std::pow(arithmetic, 4), 0.25);
  EXPECT_NEAR(step.kv.value, slower * 32 * (std::hypot(reading, 32.0 / 108 * 3e-6) + 12e-6), 1e-9);
  EXPECT_NEAR(step.host.value, 0.39e-3 + 6e-6, 1e-12);
  EXPECT_NEAR(step.launch.value, 32 * hand.constants.launch_us * 1e-6, 1e-12);
  EXPECT_DOUBLE_EQ(step.traffic.value, 0);
  EXPECT_DOUBLE_EQ(step.hops.value, 0);
}

TEST(GenerationEstimate, PromptsByHand) {
  const ByHand hand;
  const double tokens = 512;
  CausalAttention attention;
  attention.tokens = tokens;
  attention.heads = 32;
  const double fused = 32 * prompt_attention_time(hand.kernels, hand.rig.gpu, attention, 0.5).value;
  // 32 bytes for each of 512 x 32 x 4096 elements at 80 % of 2039 GB/s.
  const double elementwise = 32 * tokens * 32 * 4096 / (0.8 * 2039e9);
  const double expected =
      hand.constants.prefill_time * (hand.layers(tokens) + hand.head() + ByHand::kNorms + fused + elementwise) +
      32 * hand.constants.launch_us * 1e-6 + hand.constants.prefill_fixed_ms * 1e-3;
  EXPECT_NEAR(prefill_time(hand.network, hand.rig.rates, hand.cut, 1, tokens).value, expected, 1e-9);
  // No product faster than the peak: 2 x 6.476e9 x 512 operations.
  EXPECT_GT(expected, 2 * 6.476e9 * tokens / 312e12);
  // One stream: the prompt, then 100 tokens with half of them in the cache on average.
  const GenerationEstimate whole = hand.rig.estimate(strategy_of(1));
  const DecodeStep step = decode_step(hand.network, hand.rig.rates, hand.cut, 1, 562);
  // A server adds what it takes to take a request in.
  EXPECT_NEAR(whole.time_to_first_token.value,
              expected + hand.constants.first_fixed_ms * 1e-3 + hand.constants.first_steps * step.total().value, 1e-9);
  EXPECT_NEAR(whole.parts.total().value,
              expected + 100 * decode_step(hand.network, hand.rig.rates, hand.cut, 1, 562).total().value, 1e-9);
}

TEST(GenerationEstimate, PartsSumToTotalAndAreNeverNegative) {
  std::vector<GeneratePhase> phases;
  for (const ModelShape& shape : {llama_3_8b(), llama_2_70b(), mixtral(), deepseek_v3()})
    for (const Situation situation :
         {Situation::kSingle, Situation::kStatic, Situation::kConcurrency, Situation::kSaturated}) {
      phases.push_back(phase_of(shape, situation, 5000, 700, 300));
      phases.back().concurrency = 64;
      phases.push_back(phases.back());
      phases.back().forward_only = true;
      phases.push_back(phases.front());
      phases.back().store = Store{16, 4096, Format::kFp16, "disk"};
    }
  for (const GeneratePhase& phase : phases)
    for (const char* by : {"vllm", "hf", "llama.cpp", "exllama"}) {
      const Rig setup(h100(), phase, by);
      for (const Strategy& strategy : {strategy_of(1), strategy_of(4), strategy_of(1, 4), strategy_of(2, 2, 2),
                                       strategy_of(1, 1, 8), strategy_of(1, 1, 1, 7)}) {
        const GenerationEstimate result = setup.estimate(strategy);
        const GenerationParts& p = result.parts;
        double sum = 0;
        for (const Seconds part : {p.prefill, p.weights, p.kv_reads, p.compute, p.launch, p.host, p.tensor_traffic,
                                   p.pipeline_traffic, p.store}) {
          EXPECT_GE(part.value, 0) << by;
          sum += part.value;
        }
        EXPECT_NEAR(sum, p.total().value, 1e-9 * sum);
        EXPECT_GT(sum, 0);
        EXPECT_GE(result.batch, 1);
        EXPECT_GT(result.tokens_per_second, 0);
        EXPECT_GT(result.time_to_first_token.value, 0);
        const bool decodes = !phase.forward_only;
        EXPECT_EQ(p.tensor_traffic.value > 0, decodes && strategy.tp > 1);
        EXPECT_EQ(p.pipeline_traffic.value > 0, decodes && strategy.pp > 1);

        double time = 0, memory = 0;
        for (const Term& term : explain_generation(setup.work, setup.rates, strategy)) {
          EXPECT_FALSE(term.name.empty());
          if (!term.part_of_total) continue;
          (term.kind == Term::Kind::kTime ? time : memory) += term.value;
          EXPECT_FALSE(term.formula.empty());
          EXPECT_FALSE(term.source.empty());
        }
        EXPECT_NEAR(time, p.total().value, 1e-9 * time);
        EXPECT_NEAR(memory, result.memory.total().value, 1e-9 * memory);

        const Spread spread = generation_spread(setup.work, setup.rates, strategy);
        EXPECT_GT(spread.time, 0.1);
        EXPECT_LT(spread.time, 1.0);
        EXPECT_GT(spread.memory, 0);
        EXPECT_FALSE(spread.regime.empty());
      }
    }
}

TEST(GenerationEstimate, MoreBandwidthIsNeverSlower) {
  for (const Situation situation : {Situation::kSingle, Situation::kStatic, Situation::kSaturated})
    for (const char* by : {"vllm", "hf", "llama.cpp"}) {
      double last = 0;
      for (const double factor : {0.5, 1.0, 1.5, 3.0}) {
        Gpu gpu = h100();
        gpu.bandwidth *= factor;
        const double now = rate(gpu, phase_of(llama_3_8b(), situation, 2000, 500, 200), strategy_of(1, 1, 1, 8), by);
        EXPECT_GE(now, last);
        last = now;
      }
    }
}

TEST(GenerationEstimate, MoreComputeIsNeverSlower) {
  double last = 0;
  for (const double factor : {0.25, 0.5, 1.0, 2.0}) {
    Gpu gpu = h100();
    gpu.bf16 *= factor;
    gpu.fp16 *= factor;
    const double now = rate(gpu, phase_of(llama_3_8b(), Situation::kSaturated, 2000, 1500, 20), strategy_of(1));
    EXPECT_GT(now, last);
    last = now;
  }
}

TEST(GenerationEstimate, LargerBatchesRaiseThroughputUntilProductsBind) {
  const GeneratePhase phase = phase_of(llama_3_8b(), Situation::kStatic, 1 << 16, 100, 200);
  double last = 0, gain = 2;
  for (int batch = 1; batch <= 2048; batch *= 2) {
    const double now = rate(h100(), phase, strategy_of(1, 1, 1, batch));
    EXPECT_GT(now, last * 0.999) << batch;
    if (last > 0 && batch > 4) {
      EXPECT_LT(now / last, gain + 0.05) << batch;  // each doubling helps less
      gain = now / last;
    }
    last = now;
  }
  EXPECT_LT(gain, 1.25);
  EXPECT_GT(rate(h100(), phase, strategy_of(1, 1, 1, 8)), 6.5 * rate(h100(), phase, strategy_of(1, 1, 1, 1)));
}

TEST(GenerationEstimate, FewerBytesDecodeFaster) {
  const GeneratePhase phase = phase_of(llama_3_8b(), Situation::kSingle, 10, 100, 500);
  const double sixteen = rate(h100(), phase, strategy_of(1)),
               eight = rate(h100(), phase, strategy_of(1), "vllm", Format::kFp8),
               four = rate(h100(), phase, strategy_of(1), "vllm", Format::kInt4);
  EXPECT_GT(eight, 1.3 * sixteen);
  EXPECT_GT(four, eight);
  EXPECT_LT(four, 3 * sixteen);  // expansion and launches stay
  // At large batches on hardware with 8-bit products, expanding 4-bit weights loses.
  const GeneratePhase busy = phase_of(llama_3_8b(), Situation::kStatic, 1 << 14, 1000, 50);
  EXPECT_LT(rate(h100(), busy, strategy_of(1, 1, 1, 256), "vllm", Format::kInt4),
            rate(h100(), busy, strategy_of(1, 1, 1, 256), "vllm", Format::kFp8));
}

TEST(GenerationEstimate, TensorParallelHelpsOverNvlinkAndHardlyOverPcie) {
  const GeneratePhase phase = phase_of(llama_2_70b(), Situation::kSingle, 10, 100, 500);
  EXPECT_GT(rate(h100(), phase, strategy_of(1, 4)), 2 * rate(h100(), phase, strategy_of(1, 1)));
  Gpu pcie = h100();
  pcie.link = {};
  EXPECT_LT(rate(pcie, phase, strategy_of(1, 8)), 0.8 * rate(h100(), phase, strategy_of(1, 8)));
}

TEST(GenerationEstimate, ContinuousBatchingBeatsStaticAndSingle) {
  const auto with = [](Situation situation) { return phase_of(llama_3_8b(), situation, 20000, 500, 300); };
  const double single = rate(h100(), with(Situation::kSingle), strategy_of(1));
  const double saturated = rate(h100(), with(Situation::kSaturated), strategy_of(1));
  EXPECT_GT(saturated, 30 * single);
  // Answers of very different lengths: a static batch waits for the longest.
  GeneratePhase uneven = with(Situation::kStatic);
  uneven.data.front().new_tokens = {300, 1200};
  EXPECT_LT(rate(h100(), uneven, strategy_of(1, 1, 1, 64)),
            0.5 * rate(h100(), with(Situation::kStatic), strategy_of(1, 1, 1, 64)));
}

TEST(GenerationEstimate, ConcurrencyIsSharedByReplicasAndBoundByMemory) {
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kConcurrency, 1e5, 1000, 1000);
  phase.concurrency = 64;
  EXPECT_DOUBLE_EQ(estimate(h100(), phase, strategy_of(1)).batch,
                   estimate(h100(), phase, strategy_of(1, 1, 1, 64)).batch);
  EXPECT_DOUBLE_EQ(estimate(h100(), phase, strategy_of(4)).batch, 16);
  phase.concurrency = 4096;
  const GenerationEstimate full = estimate(h100(), phase, strategy_of(1));
  EXPECT_LT(full.batch, 80);  // 57 GiB at 1 GiB a sequence
  EXPECT_LT(full.memory.total(), h100().usable);
}

TEST(GenerationEstimate, ExpertsAreReadAsFarAsTheyAreTouched) {
  const Rig setup(h100(), phase_of(mixtral(), Situation::kStatic, 1e5, 100, 100), "vllm", Format::kFp8);
  const GenerationCut cut = generation_cut(setup.work, setup.rates, strategy_of(1));
  const NetworkWork& network = setup.work.networks.front();
  // 32 layers of 8 experts of 3 x 4096 x 14336 bytes at 75 % of 3350 GB/s.
  const double all = 32.0 * 8 * 3 * 4096 * 14336 / (0.75 * 3350e9);
  const double rest = decode_step(network, setup.rates, cut, 1, 1).weights.value - 0.25 * all;
  EXPECT_GT(rest, 0);
  // Two of eight experts for one token; 1 - (3/4)^B of them for B.
  EXPECT_NEAR(decode_step(network, setup.rates, cut, 4, 1).weights.value, rest + (1 - 0.31640625) * all, 1e-9);
  EXPECT_NEAR(decode_step(network, setup.rates, cut, 64, 1).weights.value, rest + all, 1e-8);
}

TEST(GenerationEstimate, LayerSplitPipelinesOnlyInEnginesThatDoIt) {
  const GeneratePhase phase = phase_of(llama_2_70b(), Situation::kStatic, 1e4, 200, 200);
  const double served = rate(h100(), phase, strategy_of(1, 1, 4, 1024)),
               eager = rate(h100(), phase, strategy_of(1, 1, 4, 1024), "hf");
  EXPECT_GT(served, 2.5 * rate(h100(), phase, strategy_of(1, 1, 1, 1024)));
  EXPECT_LT(eager, 1.05 * rate(h100(), phase, strategy_of(1, 1, 1, 1024), "hf"));
  // One stream gains nothing.
  const GeneratePhase single = phase_of(llama_2_70b(), Situation::kSingle, 10, 200, 200);
  EXPECT_LE(rate(h100(), single, strategy_of(1, 1, 4)), rate(h100(), single, strategy_of(1)));
}

TEST(GenerationEstimate, LongPromptsFillTheStagesOfLlamaCpp) {
  const auto first = [](int stages, double prompt) {
    const GeneratePhase phase = phase_of(llama_2_70b(), Situation::kSingle, 10, prompt, 10);
    return estimate(h100(), phase, strategy_of(1, 1, stages), "llama.cpp", Format::kQ4K).time_to_first_token;
  };
  EXPECT_LT(first(4, 8192), 0.7 * first(1, 8192));
  EXPECT_GT(first(4, 8192), 0.42 * first(1, 8192));
  EXPECT_GE(first(4, 256), first(1, 256));  // one chunk: nothing overlaps
}

}  // namespace
}  // namespace gpuplan
