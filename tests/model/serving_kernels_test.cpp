#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/generation/serving_kernels.h"

#include "model/training_fixture.h"
#include "self_check/made_up.h"

namespace gpuplan {
namespace {

using gpuplan::training_fixture::catalogue;

constexpr Format kFormats[] = {Format::kBf16, Format::kFp8,   Format::kInt8,  Format::kInt4,
                               Format::kNf4,  Format::kMxfp4, Format::kNvfp4, Format::kQ4K};

/// A GPU on which every figure is a round number, and constants likewise.
Gpu round_gpu() {
  Gpu gpu;
  gpu.vendor = "nvidia";
  gpu.bandwidth = BytesPerSecond{1e12};
  gpu.bf16 = gpu.fp16 = FlopsPerSecond{1e18};  // arithmetic takes no time
  gpu.fp32 = FlopsPerSecond{1e12};
  gpu.sms = 100;
  return gpu;
}

Efficiency round_efficiency() {
  Efficiency e = made_up::efficiency();
  e.cache_bandwidth = 0.5;
  e.cache_us = 7;
  e.cache_wave_us = 10;
  return e;
}

ServingRate of(const char* gpu, Format format) {
  const Gpu& found = *catalogue().find_gpu(gpu);
  return serving_rate(efficiency_of(catalogue(), found), found, format);
}

TEST(ServedProducts, FewRowsTakeTheTimeOfReadingWeights) {
  // Half a byte for each of 3 x 1024 x 256 weights; 2 rows of 1024 inputs and 256 outputs of 2 bytes, three times.
  ServingRate rate;
  rate.products.byte = Seconds{1e-9};
  rate.products.floor = Seconds{1e-3};
  rate.weight_bytes = 0.5;
  EXPECT_NEAR(matmul_time(rate, 2, 256, 1024, 3).value, 1e-3 + (393216 + 12288 + 3072) * 1e-9, 1e-12);
  // The cast of inputs is a kernel of its own: 8 bytes for each of 3 x 2 x 1024.
  rate.cast_bytes = 8;
  EXPECT_NEAR(matmul_time(rate, 2, 256, 1024, 3).value, 1e-3 + (408576 + 49152) * 1e-9, 1e-12);
  // Expansion far slower than reading: nothing else matters.
  rate.cast_bytes = 0;
  rate.expand = Seconds{1e-6};
  EXPECT_NEAR(matmul_time(rate, 2, 256, 1024, 3).value, 1e-3 + 0.393216, 1e-6);
}

TEST(ServedProducts, TilesAreAsHighAsTheRows) {
  ServingRate rate;  // one multiprocessor, nothing lost at the ends of a tile
  rate.products.flop = Seconds{1e-9};
  rate.products.sms = 1;
  rate.products.wave = 1;
  rate.products.k_half = rate.products.k_split = 0;
  // A tile of 16 x 128 results, 1000 deep, at 0.65 of the rate, however few of its rows are used.
  EXPECT_NEAR(matmul_time(rate, 16, 128, 1000).value, 2 * 1000 * 16 * 128 / 0.65 * 1e-9, 1e-12);
  EXPECT_NEAR(matmul_time(rate, 1, 128, 1000).value, matmul_time(rate, 16, 128, 1000).value, 1e-12);
  // 32 rows: one tile at 0.7 beats two at 0.65; 64 rows at 0.75; 256 x 256 of large tiles at the full rate.
  EXPECT_NEAR(matmul_time(rate, 32, 128, 1000).value, 2 * 1000 * 32 * 128 / 0.7 * 1e-9, 1e-12);
  EXPECT_NEAR(matmul_time(rate, 64, 128, 1000).value, 2 * 1000 * 64 * 128 / 0.75 * 1e-9, 1e-12);
  EXPECT_NEAR(matmul_time(rate, 256, 256, 1000).value, 2.0 * 1000 * 256 * 256 * 1e-9, 1e-12);
  // Without tensor cores a row is a row.
  rate.plain_flop = Seconds{2e-9};
  EXPECT_NEAR(matmul_time(rate, 1, 128, 1000).value, 2 * 1000 * 128 * 2e-9, 1e-12);
}

TEST(ServedProducts, LargeOnesAreThoseOfTraining) {
  for (const char* name : {"A100 SXM 80GB", "H100 SXM", "B200", "L40S"}) {
    const Gpu& gpu = *catalogue().find_gpu(name);
    const Efficiency& e = efficiency_of(catalogue(), gpu);
    const ServingRate served = serving_rate(e, gpu, Format::kBf16);
    MatmulRate trained = matmul_rate(gpu, e, Precision::kBf16);
    trained.byte = served.products.byte;
    trained.floor = served.products.floor;
    for (const double rows : {512.0, 4096.0, 16384.0}) {
      const double expected = matmul_time(trained, rows, 8192, 4096).value;
      EXPECT_NEAR(matmul_time(served, rows, 8192, 4096).value, expected, 1e-9 * expected) << name;
    }
  }
}

TEST(ServedProducts, FormatsRunWhereTheHardwareHasThem) {
  EXPECT_FALSE(of("H100 SXM", Format::kFp8).expanded);
  EXPECT_EQ(of("H100 SXM", Format::kFp8).input_bytes, 1);
  EXPECT_TRUE(of("A100 SXM 80GB", Format::kFp8).expanded);
  EXPECT_EQ(of("A100 SXM 80GB", Format::kFp8).input_bytes, 2);
  EXPECT_FALSE(of("B200", Format::kNvfp4).expanded);
  EXPECT_TRUE(of("H100 SXM", Format::kNvfp4).expanded);
  EXPECT_TRUE(of("H100 SXM", Format::kInt4).expanded);
  EXPECT_TRUE(of("B200", Format::kInt4).expanded);
  EXPECT_FALSE(of("H100 SXM", Format::kBf16).expanded);
  // Eight-bit activations: twice the rate of 16 bit on A100, and nothing to expand.
  const Gpu& a100 = *catalogue().find_gpu("A100 SXM 80GB");
  const Efficiency& e = efficiency_of(catalogue(), a100);
  const ServingRate w8a8 = serving_rate(e, a100, Format::kInt8, Activations::kEightBit);
  EXPECT_FALSE(w8a8.expanded);
  EXPECT_NEAR(of("A100 SXM 80GB", Format::kBf16).products.flop / w8a8.products.flop, 2, 1e-9);
  EXPECT_TRUE(serving_rate(e, a100, Format::kInt4, Activations::kEightBit).expanded);
  // An engine with kernels half as good expands at half the rate.
  const ServingRate slow = serving_rate(e, a100, Format::kInt4, Activations::kAsWeights, 0.5);
  EXPECT_DOUBLE_EQ(slow.expand.value, 2 * serving_rate(e, a100, Format::kInt4).expand.value);
}

TEST(ServedProducts, CardsWithATokenRateIn16BitComputeIn32) {
  const Gpu& card = *catalogue().find_gpu("GTX 1080 Ti");
  const ServingRate rate = of("GTX 1080 Ti", Format::kInt4);
  EXPECT_GT(rate.plain_flop.value, 0);
  EXPECT_LE(rate.products.flop.value, 1.3 / card.fp32.value);
}

TEST(ServedProducts, EveryGpuHasATimeForEveryFormat) {
  for (const Gpu& gpu : catalogue().gpus) {
    if (!(gpu.bandwidth.value > 0) || !(std::max({gpu.bf16, gpu.fp16, gpu.fp32}).value > 0)) continue;
    const Efficiency& e = efficiency_of(catalogue(), gpu);
    for (const Format format : kFormats) {
      const ServingRate rate = serving_rate(e, gpu, format);
      double before = 0;
      for (const double rows : {1.0, 16.0, 256.0, 4096.0}) {
        const double time = matmul_time(rate, rows, 4096, 4096).value;
        EXPECT_TRUE(std::isfinite(time)) << gpu.name << " " << name_of(format);
        EXPECT_GE(time, before) << gpu.name << " " << name_of(format) << " " << rows;
        before = time;
      }
    }
    EXPECT_TRUE(std::isfinite(cached_attention_time(e, gpu, {.heads = 32, .kv_heads = 8, .cached = 1000}).value));
  }
}

TEST(ServedProducts, MoreBandwidthIsNeverSlowerNorAreFewerBits) {
  for (const char* name : {"A100 SXM 80GB", "H100 SXM", "B200", "L40S", "RTX 4090", "MI300X", "V100 SXM2 32GB"}) {
    const Gpu& gpu = *catalogue().find_gpu(name);
    Gpu faster = gpu;
    faster.bandwidth *= 1.5;
    const Efficiency& e = efficiency_of(catalogue(), gpu);
    for (const Format format : kFormats) {
      for (const double rows : {1.0, 32.0, 512.0})
        EXPECT_LE(matmul_time(serving_rate(e, faster, format), rows, 4096, 8192),
                  matmul_time(serving_rate(e, gpu, format), rows, 4096, 8192))
            << name << " " << name_of(format);
    }
    // The same kernel, expanding: 8 bits, 4.85, 4.5, 4.16.
    double before = 1;
    for (const Format format : {Format::kInt8, Format::kQ4K, Format::kNf4, Format::kInt4}) {
      const double time = matmul_time(serving_rate(e, gpu, format), 1, 8192, 8192).value;
      EXPECT_LE(time, before) << name << " " << name_of(format);
      before = time;
    }
  }
}

TEST(CachedAttention, ByHand) {
  // 4 sequences of 1000 tokens with the new one, 8 key heads of 128, keys and values of 2 bytes: 16.384 MB at half of
  // 1 TB/s are 32.768 us. 32 pieces of work on 100 multiprocessors at 10 us a wave: 3.2 us. Floor 7 us.
  CachedAttention a;
  a.batch = 4;
  a.heads = 32;
  a.kv_heads = 8;
  a.cached = 999;
  const auto time = [](const CachedAttention& shape) {
    return cached_attention_time(round_efficiency(), round_gpu(), shape).value * 1e6;
  };
  EXPECT_NEAR(time(a), 7 + std::sqrt(32.768 * 32.768 + 3.2 * 3.2), 1e-6);
  // A window of as many tokens changes nothing; one of 100 leaves a tenth.
  a.window = 1000;
  EXPECT_NEAR(time(a), 7 + std::sqrt(32.768 * 32.768 + 3.2 * 3.2), 1e-6);
  a.window = 100;
  EXPECT_NEAR(time(a), 7 + std::sqrt(3.2768 * 3.2768 + 3.2 * 3.2), 1e-6);
  // Latent attention keeps one vector for both, a cache of 8 bits half the bytes.
  a.window = 0;
  a.latent = true;
  EXPECT_NEAR(time(a), 7 + std::sqrt(16.384 * 16.384 + 3.2 * 3.2), 1e-6);
  a.kv_bytes = 1;
  EXPECT_NEAR(time(a), 7 + std::sqrt(8.192 * 8.192 + 3.2 * 3.2), 1e-6);
}

TEST(CachedAttention, ManyHeadsOnOneKeyAreBoundByArithmetic) {
  const Gpu& h100 = *catalogue().find_gpu("H100 SXM");
  const Efficiency& e = efficiency_of(catalogue(), h100);
  CachedAttention a;
  a.batch = 64;
  a.kv_heads = 1;
  a.head_dim = 576;
  a.latent = true;
  a.cached = 4096;
  a.heads = 16;
  const Seconds few = cached_attention_time(e, h100, a);
  a.heads = 512;
  EXPECT_GT(cached_attention_time(e, h100, a).value, 2 * few.value);
}

TEST(CausalAttention, PairsAreCounted) {
  for (const double window : {0.0, 1.0, 3.0, 5.0, 100.0}) {
    for (const int cached : {0, 2, 7}) {
      for (const int tokens : {1, 4, 9}) {
        double pairs = 0;
        for (int i = 1; i <= tokens; ++i) pairs += window > 0 ? std::min<double>(cached + i, window) : cached + i;
        EXPECT_DOUBLE_EQ(seen_pairs(tokens, cached, window), pairs) << tokens << " " << cached << " " << window;
      }
    }
  }
}

TEST(CausalAttention, PromptsInTwoPartsDoTheSameWork) {
  const Gpu& gpu = *catalogue().find_gpu("H100 SXM");
  const Efficiency& e = efficiency_of(catalogue(), gpu);
  CausalAttention whole{.batch = 4, .tokens = 16384, .heads = 32};
  CausalAttention second{.batch = 4, .tokens = 8192, .cached = 8192, .heads = 32};
  CausalAttention first{.batch = 4, .tokens = 8192, .heads = 32};
  const double share = e.attention;
  const double parts =
      (prompt_attention_time(e, gpu, first, share) + prompt_attention_time(e, gpu, second, share)).value;
  EXPECT_NEAR(parts / prompt_attention_time(e, gpu, whole, share).value, 1, 0.03);
  // Long prompts: training's law plus the floor.
  const double flops = 4.0 * 128 * 32 * 4 * seen_pairs(16384, 0, 0);
  const double expected = attention_time(e, gpu.bf16 * share, flops, 1, 16385).value;
  EXPECT_NEAR(prompt_attention_time(e, gpu, whole, share).value / expected, 1, 0.02);
  // An 8-bit cache: Hopper's kernel wants queries of 8 bits, cast at 8 bytes a number.
  CausalAttention cast = whole;
  cast.kv_bytes = 1;
  const double more = 8.0 * 4 * 16384 * 32 * 128 / (gpu.bandwidth.value * e.bandwidth);
  EXPECT_NEAR((prompt_attention_time(e, gpu, cast, share) - prompt_attention_time(e, gpu, whole, share)).value / more,
              1, 1e-6);
  whole.window = 1024;
  EXPECT_LT(prompt_attention_time(e, gpu, whole, share).value, 0.25 * expected);
}

TEST(Experts, TouchedByHand) {
  EXPECT_NEAR(touched_experts(2, 2, 8), 8 * (1 - 0.75 * 0.75), 1e-12);
  EXPECT_NEAR(touched_experts(1, 8, 128), 8, 1e-12);
  EXPECT_DOUBLE_EQ(touched_experts(3, 4, 4), 4);
  EXPECT_NEAR(touched_experts(1e5, 8, 256), 256, 1e-9);
}

TEST(Experts, SkewedRoutingTouchesFewer) {
  // A mean over the normal deviate, worked by a sum over 20,000 points: 128 experts, 8 of them chosen, deviation 1.
  EXPECT_NEAR(touched_experts(1, 8, 128, 1), 8, 0.01);
  double sum = 0, weights = 0;
  for (int i = 0; i < 20000; ++i) {
    const double z = -5 + 10 * (i + 0.5) / 20000;
    const double weight = std::exp(-z * z / 2);
    const double chance = std::min(8.0 / 128 * std::exp(z - 0.5), 0.98);
    sum += weight * (1 - std::pow(1 - chance, 16));
    weights += weight;
  }
  EXPECT_NEAR(touched_experts(16, 8, 128, 1) / (128 * sum / weights), 1, 0.03);
  for (const double tokens : {2.0, 16.0, 64.0}) {
    EXPECT_LT(touched_experts(tokens, 8, 128, 1), touched_experts(tokens, 8, 128));
    EXPECT_LT(touched_experts(tokens, 8, 128, 1.2), touched_experts(tokens, 8, 128, 0.6));
  }
  EXPECT_DOUBLE_EQ(touched_experts(16, 8, 128, 0), touched_experts(16, 8, 128));
  EXPECT_DOUBLE_EQ(touched_experts(16, 4, 4, 1), 4);
}

TEST(Experts, OneExpertIsTwoPlainProducts) {
  const Gpu& gpu = *catalogue().find_gpu("H100 SXM");
  const Efficiency& e = efficiency_of(catalogue(), gpu);
  for (const Format format : kFormats) {
    const ServingRate rate = experts_rate(e, gpu, format);
    const ExpertLayer layer{.tokens = 64, .hidden = 4096, .width = 14336, .top_k = 1, .experts = 1};
    // Tokens are moved: 4 bytes of each hidden number, and the products of gate and up are joined.
    const double moved = 64 * (4.0 * 4096 + 2 * 3 * 14336) * rate.products.byte.value;
    const double plain = (matmul_time(rate, 64, 2 * 14336, 4096) + matmul_time(rate, 64, 4096, 14336)).value;
    EXPECT_NEAR(experts_time(rate, layer).value, plain - rate.products.floor.value + moved, 1e-12);
  }
}

TEST(Experts, FewTokensReadOnlyWhatTheyUse) {
  const Gpu& gpu = *catalogue().find_gpu("H200 SXM");
  const ServingRate rate = experts_rate(efficiency_of(catalogue(), gpu), gpu, Format::kBf16);
  ExpertLayer layer{.tokens = 1, .hidden = 4096, .width = 1536, .top_k = 8, .experts = 128};
  const double weights = 3 * 4096 * 1536 * 2.0;
  const Seconds one = experts_time(rate, layer) - rate.products.floor;
  EXPECT_NEAR(one.value / (8 * weights * rate.products.byte.value), 1, 0.05);
  layer.tokens = 4096;
  const Seconds all = experts_time(rate, layer);
  EXPECT_GT(all.value, 128 * weights * rate.products.byte.value);
  // Ranks with a quarter of the experts, or a quarter of each, need about a quarter of the time, more where the
  // busiest has half as many rows again.
  layer.ep = 4;
  const Seconds quarter = experts_time(rate, layer);
  EXPECT_LT(quarter.value, 0.4 * all.value);
  layer.skew = 0.5;
  EXPECT_GT(experts_time(rate, layer), quarter);
  layer.skew = 0;
  layer.ep = 1;
  layer.tp = 4;
  EXPECT_LT(experts_time(rate, layer).value, 0.5 * all.value);
  // Narrow experts cost more for the same work.
  ExpertLayer narrow{.tokens = 4096, .hidden = 4096, .width = 192, .top_k = 64, .experts = 1024};
  EXPECT_GT(experts_time(rate, narrow), all);
}

}  // namespace
}  // namespace gpuplan
