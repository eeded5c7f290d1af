#include <gtest/gtest.h>

#include "model/generation_engines.h"
#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

std::optional<GenerationRates> rates_of(const Gpu& gpu, const std::string& by, Format weights,
                                        Format cache = Format::kFp16) {
  static const Catalogue all = catalogue();
  const NodeShape node = node_of(gpu);
  const Framework framework = engine(by);
  auto rates = generation_rates(all, node, framework, weights, cache);
  if (rates) rates->node = nullptr, rates->engine = nullptr;  // they die here
  return rates;
}

TEST(GenerationRates, FormatsNeedHardware) {
  EXPECT_TRUE(rates_of(h100(), "vllm", Format::kFp8));
  EXPECT_TRUE(rates_of(a100(), "vllm", Format::kFp8));  // expanded to 16 bit
  EXPECT_FALSE(rates_of(a100(), "tensorrt-llm", Format::kNvfp4) &&
               rates_of(a100(), "tensorrt-llm", Format::kNvfp4)->native_products);
  EXPECT_FALSE(rates_of(t4(), "vllm", Format::kFp8));
  EXPECT_FALSE(rates_of(a100(), "hf", Format::kFp8));
  EXPECT_FALSE(rates_of(a100(), "vllm", Format::kBf16, Format::kNvfp4));
  EXPECT_TRUE(rates_of(t4(), "vllm", Format::kFp16));
  Gpu nothing = t4();
  nothing.fp16 = {};
  EXPECT_FALSE(rates_of(nothing, "vllm", Format::kFp16));
  EXPECT_TRUE(rates_of(nothing, "llama.cpp", Format::kQ4K));
}

TEST(GenerationRates, FormatsNeedAnEngineThatReadsThem) {
  EXPECT_TRUE(rates_of(h100(), "llama.cpp", Format::kQ4K));
  EXPECT_FALSE(rates_of(h100(), "vllm", Format::kQ4K));
  EXPECT_FALSE(rates_of(h100(), "llama.cpp", Format::kInt4));
  EXPECT_TRUE(rates_of(h100(), "vllm", Format::kInt4));
  EXPECT_FALSE(rates_of(h100(), "hf", Format::kNvfp4));
}

TEST(GenerationRates, AnUnknownEngineIsTrustedLess) {
  Framework framework = engine("something new");
  EXPECT_GT(engine_profile(framework).host_per_layer.value, 0);
  framework.cuda_graphs = true;
  EXPECT_EQ(engine_profile(framework).host_per_layer.value, 0);
  EXPECT_GT(engine_profile(framework).trust, engine_profile(engine("vllm")).trust);
}

TEST(GenerationRates, AchievedStaysBelowTheDataSheet) {
  for (const Gpu& gpu : {h100(), a100(), rtx4090()})
    for (const char* by : {"vllm", "hf", "llama.cpp", "exllama", "tensorrt-llm"})
      for (const Format format :
           {Format::kFp16, Format::kBf16, Format::kFp8, Format::kInt8, Format::kInt4, Format::kQ4K}) {
        const auto rates = rates_of(gpu, by, format);
        if (!rates) continue;
        EXPECT_LT(rates->decode_stream, gpu.bandwidth);
        EXPECT_LT(rates->kv_stream, gpu.bandwidth);
        EXPECT_LE(rates->expert_stream, rates->decode_stream);
        const FlopsPerSecond most = format == Format::kFp8 && gpu.fp8.value > 0 ? gpu.fp8 : gpu.fp16;
        EXPECT_LT(rates->matmul, most * (gpu.fp16_acc16.value > 0 ? 2.0 : 1.0)) << gpu.name << by << name_of(format);
        EXPECT_GT(rates->matmul.value, 0);
      }
}

TEST(GenerationRates, PowerLimitsProducts) {
  Gpu weak = h100();
  weak.tdp_watts = 350;
  EXPECT_LT(rates_of(weak, "vllm", Format::kBf16)->matmul, rates_of(h100(), "vllm", Format::kBf16)->matmul * 0.75);
}

TEST(GenerationRates, EightBitIsNoSlowerThanSixteen) {
  EXPECT_GT(rates_of(h100(), "vllm", Format::kFp8)->matmul, rates_of(h100(), "vllm", Format::kBf16)->matmul * 1.5);
  EXPECT_LT(rates_of(a100(), "vllm", Format::kFp8)->matmul, rates_of(a100(), "vllm", Format::kBf16)->matmul);
}

TEST(GenerationRates, PeerAccessMakesPcieFaster) {
  static const Catalogue all = catalogue();
  const Gpu gpu = rtx4090();
  NodeShape node = node_of(gpu);
  const Framework framework = engine("vllm");
  const auto without = generation_rates(all, node, framework, Format::kFp16, Format::kFp16);
  node.peer_access = true;
  const auto with = generation_rates(all, node, framework, Format::kFp16, Format::kFp16);
  EXPECT_LT(without->link_bus, with->link_bus);
  EXPECT_GT(without->link_latency, with->link_latency);
  EXPECT_NEAR(with->link_bus.value, 0.81 * 32e9, 1);
}

}  // namespace
}  // namespace gpuplan
