#include <gtest/gtest.h>

#include "model/training/adapters.h"

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

TEST(Adapters, QueryAndValueOfLlama2) {
  // 32 layers x 2 matrices of 4096 x 4096, rank 8: 32 x 2 x 8 x (4096 + 4096) = 4,194,304 (Hu et al. 2021 count alike).
  const auto size = adapter_size(use_of("Llama-2-7B").shape, {8, {"q_proj", "v_proj"}});
  ASSERT_TRUE(size);
  EXPECT_EQ(size->parameters, 4194304);
  EXPECT_TRUE(size->attention_inputs);
  EXPECT_FALSE(size->mlp_inputs);
}

TEST(Adapters, AllLinearLayersOfLlama31) {
  // A layer, rank 16: q and o 4096 + 4096, k and v 4096 + 1024, gate, up and down 4096 + 14336 each:
  // 16 x (2 x 8192 + 2 x 5120 + 3 x 18432) = 1,310,720; 32 layers: 41,943,040, as PEFT prints for this model.
  const auto size = adapter_size(use_of("Llama-3.1-8B").shape, {16, {}});
  ASSERT_TRUE(size);
  EXPECT_EQ(size->parameters, 41943040);
}

TEST(Adapters, RoutedExpertsOnlyByName) {
  const ModelShape shape = use_of("Mixtral-8x7B").shape;
  const auto all = adapter_size(shape, {16, {}});
  const auto experts = adapter_size(shape, {16, {"q_proj", "experts"}});
  ASSERT_TRUE(all && experts);
  EXPECT_GT(experts->parameters, 5 * all->parameters);
  const auto none = adapter_size(shape, {16, {"gate_proj"}});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("experts"), std::string::npos);
}

TEST(Adapters, UnknownTargetIsRefusedAndMadeHarmless) {
  const auto size = adapter_size(use_of("Llama-2-7B").shape, {8, {"q_prj\x1b[31m"}});
  ASSERT_FALSE(size);
  EXPECT_EQ(
      size.error().message,
      "lora target 'q_prj?[31m' is not known; use names such as q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, "
      "down_proj, experts or all-linear");
}

}  // namespace
}  // namespace gpuplan
