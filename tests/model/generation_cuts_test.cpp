// Over how many GPUs networks can be cut.
#include "model/generation/cuts.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

ModelShape shape(int heads, int kv_heads, int ffn) {
  ModelShape result;
  result.layers = 28;
  result.hidden = 128 * heads;
  result.heads = heads;
  result.kv_heads = kv_heads;
  result.head_dim = 128;
  result.ffn = ffn;
  return result;
}

TEST(TensorCuts, HeadsShareOutEvenly) {
  const ModelShape qwen = shape(28, 4, 28 * 512);
  EXPECT_EQ(tensor_problem(qwen, 1), CutProblem::kNone);
  EXPECT_EQ(tensor_problem(qwen, 4), CutProblem::kNone);
  EXPECT_EQ(tensor_problem(qwen, 8), CutProblem::kHeads);
  EXPECT_EQ(tensor_problem(qwen, 7), CutProblem::kKvHeads) << "4 KV heads neither share out nor copy evenly over 7";
  EXPECT_EQ(tensor_problem(qwen, 28), CutProblem::kNone) << "each KV head on seven GPUs";
}

TEST(TensorCuts, SoDoWidths) {
  EXPECT_EQ(tensor_problem(shape(24, 24, 1000), 3), CutProblem::kWidth);
  ModelShape mixture = shape(32, 8, 6144);
  mixture.experts = 128;
  mixture.expert_ffn = 760;
  EXPECT_EQ(tensor_problem(mixture, 8), CutProblem::kNone);
  EXPECT_EQ(tensor_problem(mixture, 16), CutProblem::kExpertWidth);
}

TEST(TensorCuts, LatentAttentionCopiesItsVector) {
  ModelShape latent = shape(128, 3, 18432);
  EXPECT_EQ(tensor_problem(latent, 8), CutProblem::kKvHeads);
  latent.kv_lora_rank = 512;
  EXPECT_EQ(tensor_problem(latent, 8), CutProblem::kNone);
}

TEST(TensorCuts, TheNearestThatWorkAreNamed) {
  const ModelShape qwen = shape(28, 4, 28 * 512);
  EXPECT_EQ(nearest_tensor_degrees(qwen, 8), (std::vector{4, 28}));
  EXPECT_EQ(nearest_tensor_degrees(qwen, 3), (std::vector{2, 4}));
  EXPECT_EQ(nearest_tensor_degrees(qwen, 100), (std::vector{28}));
}

TEST(ExpertCuts, ExpertsShareOutEvenly) {
  ModelShape mixture = shape(32, 8, 6144);
  EXPECT_FALSE(experts_divide(mixture, 2)) << "it has none";
  EXPECT_TRUE(experts_divide(mixture, 1));
  mixture.experts = 60;
  EXPECT_TRUE(experts_divide(mixture, 6));
  EXPECT_FALSE(experts_divide(mixture, 8));
  EXPECT_EQ(nearest_expert_degrees(mixture, 8), (std::vector{6, 10}));
}

}  // namespace
}  // namespace gpuplan
