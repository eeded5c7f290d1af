#include <gtest/gtest.h>

#include "model/generation/generation.h"
#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

std::string refusal(const GeneratePhase& phase) {
  const auto work = generation_work(phase);
  return work ? "" : work.error().message;
}

TEST(GenerationWork, AddsUpDataSets) {
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSaturated, 100, 200, 50);
  phase.data.push_back(Prompts{"long", 300, {1000, 2000}, {100, 400}});
  const GenerationWork work = generation_work(phase).value();
  EXPECT_DOUBLE_EQ(work.samples, 400);
  EXPECT_DOUBLE_EQ(work.prompt_tokens, (100 * 200 + 300 * 1000) / 400.0);
  EXPECT_DOUBLE_EQ(work.new_tokens, (100 * 50 + 300 * 100) / 400.0);
  EXPECT_DOUBLE_EQ(work.longest, 2400);
  EXPECT_DOUBLE_EQ(work.longest_new, 400);
  EXPECT_EQ(work.models, 1);
}

TEST(GenerationWork, ForwardPassesHaveNoNewTokens) {
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSaturated, 10, 512, 100);
  phase.forward_only = true;
  const GenerationWork work = generation_work(phase).value();
  EXPECT_DOUBLE_EQ(work.new_tokens, 0);
  EXPECT_DOUBLE_EQ(work.longest, 512);
}

TEST(GenerationWork, CountsStoredActivations) {
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 1500, 200, 512);
  phase.collect = true;
  phase.store = Store{16, 4096, Format::kFp16, "disk"};
  const GenerationWork work = generation_work(phase).value();
  EXPECT_DOUBLE_EQ(work.stored_per_sample.value, 16.0 * 4096 * 712 * 2);  // 93 MB a sample
  EXPECT_TRUE(work.stored_on_disk);
}

TEST(GenerationWork, KnowsNetworksOfOneShape) {
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 10, 100, 100);
  phase.models.push_back(phase.models.front());
  ModelUse other;
  other.shape = llama_3_8b();
  phase.models.push_back(other);
  phase.models.push_back(phase.models.front());
  const GenerationWork work = generation_work(phase).value();
  ASSERT_EQ(work.networks.size(), 4U);
  EXPECT_EQ(work.networks[1].same_as, 0);
  EXPECT_EQ(work.networks[2].same_as, 2);
  EXPECT_EQ(work.networks[3].same_as, 0);
}

TEST(GenerationWork, PartsOfANetworkAreItsParameters) {
  for (const ModelShape& shape : {llama_2_7b(), llama_3_8b(), mixtral(), deepseek_v3()}) {
    const GeneratePhase phase = phase_of(shape, Situation::kSingle, 1, 10, 10);
    const GenerationWork work = generation_work(phase).value();
    const NetworkWork& network = work.networks.front();
    EXPECT_NEAR(network.dense + network.experts + network.head + network.embedding, work.params.front().total(), 1.0)
        << shape.name;
  }
  ModelShape tied = llama_3_8b();
  tied.tied = true;
  const GeneratePhase phase = phase_of(tied, Situation::kSingle, 1, 10, 10);
  const GenerationWork work = generation_work(phase).value();
  EXPECT_DOUBLE_EQ(work.networks.front().embedding, 0);
  EXPECT_DOUBLE_EQ(work.networks.front().head, 4096.0 * 128256);
  EXPECT_NEAR(work.networks.front().dense + work.networks.front().head, work.params.front().total(), 1.0);
}

TEST(GenerationWork, RefusesWhatSaysTooLittle) {
  const GeneratePhase good = phase_of(llama_2_7b(), Situation::kSaturated, 10, 100, 100);
  EXPECT_EQ(refusal(good), "");

  GeneratePhase phase = good;
  phase.models.clear();
  EXPECT_EQ(refusal(phase), "no model; set `model: NAME`");

  phase = good;
  phase.data.clear();
  EXPECT_EQ(refusal(phase), "no data: expected `data: [{samples, prompt_tokens, new_tokens}]`");

  phase = good;
  phase.data.front().samples = 0;
  EXPECT_EQ(refusal(phase), "data: `samples` must be above zero");

  phase = good;
  phase.data.front().new_tokens = {0, 0};
  EXPECT_EQ(refusal(phase),
            "data: nothing to generate; set `new_tokens`, or `forward_only: true` to only read the text");

  phase = good;
  phase.forward_only = true;
  phase.data.front().prompt_tokens = {0, 0};
  EXPECT_EQ(refusal(phase), "data: a forward pass needs `prompt_tokens`");

  phase = good;
  phase.situation = Situation::kConcurrency;
  EXPECT_EQ(refusal(phase), "situation concurrency also needs `concurrency`, the number of concurrent requests");

  phase = good;
  phase.models.front().custom = CustomModel{};
  EXPECT_EQ(refusal(phase),
            "model Llama-2-7B is custom, so its generation work is unknown; give its shape, or use a `fixed` phase");

  phase = good;
  phase.models.front().shape.kind = ModelKind::kEncoder;
  EXPECT_EQ(refusal(phase), "model Llama-2-7B is not a decoder and cannot generate; set `forward_only: true`");
  phase.forward_only = true;
  EXPECT_EQ(refusal(phase), "");

  phase = good;
  phase.models.front().shape.max_context = 150;
  EXPECT_EQ(refusal(phase), "data: the longest sample has 200 tokens, but Llama-2-7B reads at most 150");

  phase = good;
  phase.models.front().name = "evil\x1b[31m";
  phase.models.front().shape.layers = 0;
  EXPECT_EQ(refusal(phase), "model evil?[31m has no layers or no hidden size");
}

}  // namespace
}  // namespace gpuplan
