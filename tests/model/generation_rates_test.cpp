// What a machine, an engine and a format of weights reach together.
#include <gtest/gtest.h>

#include <cmath>

#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

constexpr const char* kEngines[] = {"vllm", "hf", "llama.cpp", "exllama"};

const Catalogue& rates_facts() {
  static const Catalogue all = small_catalogue();
  return all;
}

std::optional<GenerationRates> rates_of(const Gpu& gpu, const std::string& by, Format weights,
                                        Format cache = Format::kFp16) {
  const NodeShape node = node_of(gpu);
  const Framework framework = engine(by);
  auto rates = generation_rates(rates_facts(), node, framework, weights, cache);
  if (rates) rates->node = nullptr, rates->engine = nullptr;  // they die here
  return rates;
}

double products(const std::optional<GenerationRates>& rates) { return 1 / rates->blocks.products.flop.value; }

TEST(GenerationRates, FormatsNeedHardware) {
  EXPECT_TRUE(rates_of(h100(), "vllm", Format::kFp8)->native_products());
  EXPECT_FALSE(rates_of(a100(), "vllm", Format::kFp8)->native_products());  // expanded to 16 bit
  EXPECT_FALSE(rates_of(a100(), "vllm", Format::kNvfp4)->native_products());
  EXPECT_FALSE(rates_of(t4(), "vllm", Format::kFp8));
  EXPECT_FALSE(rates_of(a100(), "vllm", Format::kBf16, Format::kNvfp4));
  EXPECT_TRUE(rates_of(t4(), "vllm", Format::kFp16));
  Gpu nothing = t4();
  nothing.fp16 = {};
  EXPECT_FALSE(rates_of(nothing, "vllm", Format::kBf16));
  EXPECT_TRUE(rates_of(nothing, "vllm", Format::kFp16)) << "halves are stored, and multiplied in 32 bit";
  EXPECT_TRUE(rates_of(nothing, "llama.cpp", Format::kQ4K));
}

TEST(GenerationRates, FormatsNeedAnEngineThatReadsThem) {
  EXPECT_TRUE(rates_of(h100(), "llama.cpp", Format::kQ4K));
  EXPECT_FALSE(rates_of(h100(), "vllm", Format::kQ4K));
  EXPECT_FALSE(rates_of(h100(), "llama.cpp", Format::kInt4));
  EXPECT_TRUE(rates_of(h100(), "vllm", Format::kInt4));
  EXPECT_FALSE(rates_of(h100(), "hf", Format::kNvfp4));
  EXPECT_FALSE(rates_of(a100(), "hf", Format::kFp8));
}

TEST(GenerationRates, AnEngineWithoutARowIsTakenAsItsKind) {
  Framework framework = engine("something new");
  EXPECT_EQ(&engine_profile(rates_facts(), framework), &rates_facts().engines[0]);
  framework.cuda_graphs = false;
  EXPECT_EQ(&engine_profile(rates_facts(), framework), &rates_facts().engines[1]);
  // Where no table was read nothing is known: no format, and no number that could pass for one.
  const EngineProfile& none = engine_profile(Catalogue{}, framework);
  EXPECT_FALSE(none.reads(Format::kBf16));
  EXPECT_TRUE(std::isnan(none.host_layer_us));
  EXPECT_EQ(engine_profile(rates_facts(), engine("exllama")).name, "exllama");
}

TEST(GenerationRates, AnEngineWithoutRunsIsTrustedLess) {
  const GeneratePhase phase = phase_of(llama_3_8b(), Situation::kStatic, 1000, 500, 200);
  const auto width = [&](const char* by) {
    const Rig rig(h100(), phase, by);
    return generation_spread(rig.work, rig.rates, strategy_of(1, 1, 1, 8));
  };
  EXPECT_GT(width("something new").time, width("vllm").time);
  EXPECT_GT(width("something new").memory, width("vllm").memory);
}

TEST(GenerationRates, AchievedStaysBelowTheDataSheet) {
  for (const Gpu& gpu : {h100(), a100(), rtx4090()})
    for (const char* by : kEngines)
      for (const Format format :
           {Format::kFp16, Format::kBf16, Format::kFp8, Format::kInt8, Format::kInt4, Format::kQ4K}) {
        const auto rates = rates_of(gpu, by, format);
        if (!rates) continue;
        for (const ServingRate* rate : {&rates->blocks, &rates->blocks_16, &rates->experts, &rates->head}) {
          EXPECT_LT(1 / rate->products.byte.value, gpu.bandwidth.value);
          EXPECT_GT(rate->products.floor.value, 0);
          EXPECT_GT(1 / rate->products.flop.value, 0);
        }
        EXPECT_LT(rates->decode_stream, gpu.bandwidth);
        EXPECT_LT(rates->stream, gpu.bandwidth);
        EXPECT_GE(rates->experts.products.byte, rates->blocks_16.products.byte);
        const FlopsPerSecond most = format == Format::kFp8 && gpu.fp8.value > 0 ? gpu.fp8 : gpu.fp16;
        EXPECT_LT(products(rates), most.value * (gpu.fp16_acc16.value > 0 ? 2.0 : 1.0)) << gpu.name << by;
      }
}

TEST(GenerationRates, WeightsTakeTheirBytes) {
  EXPECT_DOUBLE_EQ(rates_of(h100(), "vllm", Format::kBf16)->blocks.weight_bytes, 2);
  EXPECT_DOUBLE_EQ(rates_of(h100(), "vllm", Format::kFp8)->blocks.weight_bytes, 1);
  EXPECT_DOUBLE_EQ(rates_of(h100(), "vllm", Format::kFp8)->head.weight_bytes, 2);
  EXPECT_LT(rates_of(h100(), "llama.cpp", Format::kQ4K)->head.weight_bytes, 1);
  const Gpu gpu = h100();
  const NodeShape node = node_of(gpu);
  const Framework served = engine("vllm");
  const auto stated = generation_rates(rates_facts(), node, served, Format::kInt4, Format::kFp16, 6.5);
  EXPECT_DOUBLE_EQ(stated->blocks.weight_bytes, 6.5 / 8);
  EXPECT_DOUBLE_EQ(stated->weight_bytes, 6.5 / 8);
}

TEST(GenerationRates, PowerLimitsProducts) {
  Gpu weak = h100();
  weak.tdp_watts = 350;
  EXPECT_LT(products(rates_of(weak, "vllm", Format::kBf16)), products(rates_of(h100(), "vllm", Format::kBf16)) * 0.75);
}

TEST(GenerationRates, EightBitIsNoSlowerThanSixteen) {
  EXPECT_GT(products(rates_of(h100(), "vllm", Format::kFp8)), products(rates_of(h100(), "vllm", Format::kBf16)) * 1.5);
  EXPECT_LT(products(rates_of(a100(), "vllm", Format::kFp8)), products(rates_of(a100(), "vllm", Format::kBf16)));
}

TEST(GenerationRates, SumsInSixteenBitHelpOnlyCardsThatHaveThem) {
  // 330 instead of 165 TFLOPS on the 4090; on the H100 there is no such mode.
  Catalogue all = rates_facts();
  for (EngineProfile& profile : all.engines) profile.half_accumulate = false;
  const Framework framework = engine("exllama");
  const auto with_out = [&](const Gpu& gpu) {
    const NodeShape node = node_of(gpu);
    const auto without = generation_rates(all, node, framework, Format::kFp16, Format::kFp16);
    return products(rates_of(gpu, "exllama", Format::kFp16)) / products(without);
  };
  EXPECT_GT(with_out(rtx4090()), 1.1);
  EXPECT_DOUBLE_EQ(with_out(h100()), 1);
}

TEST(GenerationRates, MultiprocessorsBoundHowFastWeightsAreTakenIn) {
  // 2 bytes a clock: half of what memory would deliver, or less.
  Catalogue slow = rates_facts();
  slow.generation_constants.load_bytes_clock = 2;
  const Gpu gpu = h100();
  const NodeShape node = node_of(gpu);
  const Framework framework = engine("vllm");
  const auto rates = generation_rates(slow, node, framework, Format::kBf16, Format::kBf16);
  EXPECT_DOUBLE_EQ(1 / rates->blocks.products.byte.value, 67e12 / 256 * 2);
  // Not so from Blackwell on.
  Gpu next = gpu;
  next.compute_capability = 10;
  const NodeShape box = node_of(next);
  const auto free = generation_rates(slow, box, framework, Format::kBf16, Format::kBf16);
  EXPECT_DOUBLE_EQ(1 / free->blocks.products.byte.value, 3350e9 * 0.8);
}

TEST(GenerationRates, PeerAccessMakesPcieNoSlower) {
  Catalogue all = rates_facts();
  LinkEfficiency peer = made_up::link(), host = made_up::link();
  peer.path = LinkPath::kPeer;
  peer.gather = 0.8;
  host.path = LinkPath::kHost;
  host.gather = 0.3;
  host.latency_us = 60;
  all.links = {peer, host};
  const Gpu gpu = rtx4090();
  NodeShape node = node_of(gpu, 2);
  const Framework framework = engine("vllm");
  const auto without = generation_rates(all, node, framework, Format::kFp16, Format::kFp16);
  node.peer_access = true;
  const auto with = generation_rates(all, node, framework, Format::kFp16, Format::kFp16);
  EXPECT_DOUBLE_EQ(with->groups[0].bus.value, 0.8 * 32e9);  // 16 lanes of generation 4
  EXPECT_DOUBLE_EQ(without->groups[0].bus.value, 0.3 * 32e9);
  EXPECT_GT(without->groups[0].latency, with->groups[0].latency);
}

TEST(GenerationRates, OneStepReductionsNeedADirectLinkAndAnEngineThatHasThem) {
  EXPECT_GT(rates_of(h100(), "vllm", Format::kBf16)->one_shot.value, 0);
  EXPECT_EQ(rates_of(h100(), "exllama", Format::kBf16)->one_shot.value, 0);
  EXPECT_EQ(rates_of(rtx4090(), "vllm", Format::kBf16)->one_shot.value, 0);
}

}  // namespace
}  // namespace gpuplan
