#include "model/compute.h"

#include <gtest/gtest.h>

#include <cmath>

#include <rapidcheck.h>

#include "model/training_fixture.h"
#include "self_check/made_up.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

Efficiency row(const char* architecture, const char* memory, const char* accumulation, double matmul) {
  Efficiency e = made_up::efficiency();
  e.architecture = architecture;
  e.memory_type = memory;
  e.accumulation = accumulation;
  e.matmul = matmul;
  return e;
}

TEST(EfficiencyOf, MostSpecificRowWins) {
  Catalogue c;
  c.efficiencies = {row("*", "*", "*", 0.1), row("Ada", "GDDR", "full", 0.2), row("Ada", "GDDR", "half", 0.3),
                    row("Hopper", "HBM", "*", 0.4)};
  Gpu gpu;
  gpu.architecture = "Ada";
  gpu.memory_type = "GDDR6X";
  gpu.fp16 = FlopsPerSecond{1e12};
  EXPECT_EQ(efficiency_of(c, gpu).matmul, 0.2);
  gpu.fp16_acc16 = FlopsPerSecond{2e12};
  EXPECT_EQ(efficiency_of(c, gpu).matmul, 0.3);
  gpu.architecture = "Hopper";
  EXPECT_EQ(efficiency_of(c, gpu).matmul, 0.1) << "Hopper with GDDR has no row of its own";
  gpu.memory_type = "HBM3";
  EXPECT_EQ(efficiency_of(c, gpu).matmul, 0.4);
  EXPECT_TRUE(std::isnan(efficiency_of({}, gpu).matmul)) << "no rows, no numbers";
}

TEST(EfficiencyOf, EveryGpuOfTheCatalogueHasARowOfItsArchitecture) {
  for (const Gpu& gpu : catalogue().gpus) {
    const Efficiency& e = efficiency_of(catalogue(), gpu);
    EXPECT_EQ(e.architecture, gpu.architecture) << gpu.name << " (" << gpu.memory_type << ")";
  }
}

TEST(MatmulTime, LargeProductReachesTheShareOfPeakItsRowSays) {
  const Gpu& gpu = *catalogue().find_gpu("H100 SXM");
  const Efficiency& e = efficiency_of(catalogue(), gpu);
  const MatmulRate rate = matmul_rate(gpu, e, Precision::kBf16);
  const double n = 16384;
  const double reached = 2 * n * n * n / matmul_time(rate, n, n, n).value / gpu.bf16.value;
  EXPECT_NEAR(reached, e.matmul, 0.05 * e.matmul);
}

TEST(MatmulTime, FullPrecisionReachesTheShareOfItsOwnPeak) {
  for (const char* name : {"H100 SXM", "MI300X"}) {
    const Gpu& gpu = *catalogue().find_gpu(name);
    Efficiency e = efficiency_of(catalogue(), gpu);
    e.matmul_fp32 = 0.37;
    EXPECT_DOUBLE_EQ((Flops{1} / matmul_rate(gpu, e, Precision::kFp32).flop).value, gpu.fp32.value * 0.37) << name;
  }
}

TEST(MatmulTime, ThinProductIsBoundByItsWeights) {
  // One row: 8192 x 8192 weights of 2 bytes are read once; 134 MB at 88 % of 3.35 TB/s are 45.5 us.
  const Gpu& gpu = *catalogue().find_gpu("H100 SXM");
  const MatmulRate rate = matmul_rate(gpu, efficiency_of(catalogue(), gpu), Precision::kBf16);
  EXPECT_NEAR(matmul_time(rate, 1, 8192, 8192).value, 45.5e-6, 5e-6);
}

TEST(MatmulTime, QuantisedWavesShowOnAmpere) {
  // 108 multiprocessors: 109 tiles of 128 x 256 need two waves, 108 need one. Dividing the inner dimension instead pays
  // only where it is long.
  const Gpu& gpu = *catalogue().find_gpu("A100 SXM 80GB");
  const MatmulRate rate = matmul_rate(gpu, efficiency_of(catalogue(), gpu), Precision::kBf16);
  const double one = matmul_time(rate, 128.0 * 108, 256, 1024).value;
  const double more = matmul_time(rate, 128.0 * 109, 256, 1024).value;
  EXPECT_GT(more, 1.2 * one);
}

TEST(MatmulTime, ByHand) {
  // Ten multiprocessors that together need 1 ps for an operation, and memory of 1 TB/s.
  MatmulRate rate;
  rate.flop = Seconds{1e-12};
  rate.byte = Seconds{1e-12};
  rate.sms = 10;
  rate.wave = 1;
  rate.k_half = 100;
  rate.k_split = 1000;
  // 1280 x 256 results are ten tiles of 128 x 256, one wave: 2 x 327,680 x (900 + 100) operations. Dividing 900 inner
  // elements would cost 1000 more. Inputs and outputs are 3.4 MB, which hides in a 4-norm.
  EXPECT_NEAR(matmul_time(rate, 1280, 256, 900).value, 2 * 327680 * 1000e-12, 1e-9);
  // One tile more takes a second wave of the large tiles; 128 x 128 ones need three waves of half the size.
  EXPECT_NEAR(matmul_time(rate, 1408, 256, 900).value, 2 * 10 * 128 * 128 / 0.93 * 3 * 1000e-12, 1e-9);
  // A single tile of 128 x 256 over a long inner dimension is divided: a tenth of it for each, and 1000 elements.
  EXPECT_NEAR(matmul_time(rate, 128, 256, 65536).value, 2 * 327680 * 7553.6e-12, 1e-7);
  // Ten groups are ten tiles.
  EXPECT_NEAR(matmul_time(rate, 128, 256, 900, 10).value, 2 * 327680 * 1000e-12, 1e-9);
  // Memory alone: 2 x 1000 x (64 + 64) + 2 x 64 x 64 bytes.
  rate.flop = {};
  rate.floor = Seconds{1e-6};
  EXPECT_NEAR(matmul_time(rate, 64, 64, 1000).value, 1e-6 + 264192e-12, 1e-15);
}

TEST(AttentionTime, ByHand) {
  Efficiency e = made_up::efficiency();
  e.attention_short = 500;
  e.attention_softmax = 0.5;
  // 1e12 operations at 1e12 a second; sequences of 500 reach half; heads of 64 wait twice as long for the softmax.
  const FlopsPerSecond reach{1e12};
  EXPECT_DOUBLE_EQ(attention_time(e, reach, 1e12, 1, 500).value, 2);
  EXPECT_DOUBLE_EQ(attention_time(e, reach, 1e12, 2, 500).value, 2 * 2 / 1.5);
  EXPECT_NEAR(attention_time(e, reach, 1e12, 1, 1e9).value, 1, 1e-6);
}

TEST(MatmulTime, MissingFormatHasNoRate) {
  const Gpu& gpu = *catalogue().find_gpu("A100 SXM 80GB");
  EXPECT_EQ(matmul_rate(gpu, efficiency_of(catalogue(), gpu), Precision::kFp8).flop.value, 0);
}

TEST(MatmulTime, CardsWithoutTensorCoresGainNothingFrom16Bit) {
  const Gpu& gpu = *catalogue().find_gpu("P100 SXM2");
  EXPECT_EQ(product_peak(gpu, Precision::kFp16), gpu.fp32);
  EXPECT_EQ(product_peak(*catalogue().find_gpu("GTX 1080 Ti"), Precision::kFp16).value, 0);
}

TEST(MatmulTime, Laws) {
  EXPECT_TRUE(rc::check("more work or a slower card is never faster", [] {
    const Gpu& base = catalogue().gpus[*rc::gen::inRange<std::size_t>(0, catalogue().gpus.size())];
    Gpu better = base;
    better.bandwidth *= 1.5;
    for (FlopsPerSecond* peak : {&better.fp32, &better.bf16, &better.fp16}) *peak *= 1.5;
    const Efficiency& e = efficiency_of(catalogue(), base);
    const Precision precision = base.bf16.value > 0 ? Precision::kBf16 : Precision::kFp32;
    const double m = *rc::gen::inRange(1, 20000), n = *rc::gen::inRange(1, 20000), k = *rc::gen::inRange(1, 20000);
    const MatmulRate rate = matmul_rate(base, e, precision);
    const Seconds time = matmul_time(rate, m, n, k);
    RC_ASSERT(time.value > 0);
    RC_ASSERT(matmul_time(rate, m, n, k + 64) >= time);
    RC_ASSERT(matmul_time(rate, 2 * m, n, k) >= time);
    RC_ASSERT(matmul_time(rate, m + 128, n, k) >= time);
    RC_ASSERT(matmul_time(rate, m, n + 128, k) >= time);
    RC_ASSERT(matmul_time(rate, m, n, k, 2) >= time);
    RC_ASSERT(matmul_time(matmul_rate(better, e, precision), m, n, k) <= time);
    RC_ASSERT(time >= rate.floor);
  }));
}

TEST(Overlapped, LiesBetweenMaximumAndSum) {
  EXPECT_DOUBLE_EQ(overlapped(Seconds{2}, Seconds{0}).value, 2);
  const double both = overlapped(Seconds{2}, Seconds{2}).value;
  EXPECT_GT(both, 2);
  EXPECT_LT(both, 2.5);
}

}  // namespace
}  // namespace gpuplan
