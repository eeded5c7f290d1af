#include "input/measured/run_table.h"

#include <gtest/gtest.h>

#include <string>

#include "../model/training_fixture.h"

namespace gpuplan {
namespace {

RunTable read_table(const std::string& text) {
  auto table = read_training_runs(text, "runs.csv", training_fixture::catalogue());
  EXPECT_TRUE(table.has_value()) << (table ? "" : table.error().message);
  return table ? *std::move(table) : RunTable{};
}

TEST(RunTable, ReadsAConfigurationAndWhatCameOut) {
  const RunTable table = read_table(
      "id,source,gpu,gpus,intra_node,model,layers,hidden,heads,seq_len,micro_batch,sharding,recompute,precision,"
      "optimizer_state,offload,method,attention,compile,step_seconds,tokens_per_second_per_gpu,peak_memory_gib,"
      "memory_kind\n"
      "a-1,mine,A100 SXM 80GB,8,pcie,my-net,12,768,12,1024,4,fsdp,full,bf16,8bit,optimizer+params,pretrain,flash2,1,"
      "0.5,2048,20.5,allocated\n");
  ASSERT_EQ(table.runs.size(), 1U);
  const TrainingRun& run = table.runs[0];
  EXPECT_EQ(run.id, "a-1");
  EXPECT_EQ(run.place.line, 2);
  EXPECT_EQ(run.gpus, 8);
  EXPECT_EQ(run.nvlink, false);
  EXPECT_EQ(run.sharding, Sharding::kZero3);
  EXPECT_EQ(run.recompute, Recompute::kFull);
  EXPECT_EQ(run.optimizer_state, Format::kInt8);
  EXPECT_TRUE(includes(*run.offload, Offload::kParams));
  EXPECT_FALSE(includes(*run.offload, Offload::kActivations));
  EXPECT_EQ(run.attention, AttentionKernel::kFlash2);
  EXPECT_EQ(run.compile, true);
  EXPECT_TRUE(run.from_scratch);
  EXPECT_EQ(run.step->value, 0.5);
  EXPECT_EQ(run.token_rate->value, 2048);
  EXPECT_NEAR(*run.memory / units::GiB, 20.5, 1e-12);
  EXPECT_EQ(run.memory_kind, MemoryKind::kAllocated);
  EXPECT_EQ(run.shape->layers, 12);
  EXPECT_FALSE(run.dp.has_value());
  EXPECT_FALSE(run.optimizer.has_value());
}

TEST(RunTable, AMalformedLineIsToldAndTheOthersGoOn) {
  const RunTable table = read_table(
      "gpu,model,step_seconds\n"
      "H100 SXM,Llama-3-8B,1.5\n"
      "H100 SXM,Llama-3-8B,fast\n"
      "H100 SXM,Llama-3-8B\n"
      "H100 SXM,Llama-3-8B,\n"
      "H100 SXM,Llama-3-8B,2.5\n");
  ASSERT_EQ(table.runs.size(), 2U);
  EXPECT_EQ(table.runs[1].place.line, 6);
  ASSERT_EQ(table.bad_lines.size(), 3U);
  EXPECT_EQ(table.bad_lines[0].place.line, 3);
  EXPECT_NE(table.bad_lines[0].message.find("step_seconds"), std::string::npos);
  EXPECT_EQ(table.bad_lines[1].place.line, 4);
  EXPECT_EQ(table.bad_lines[2].place.line, 5);
  EXPECT_NE(table.bad_lines[2].message.find("no measured figure"), std::string::npos);
}

TEST(RunTable, ATableOfSomethingElseIsAnError) {
  const auto none = read_training_runs("gpu,price\nH100 SXM,2\n", "prices.csv", training_fixture::catalogue());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("step_seconds"), std::string::npos);
  EXPECT_FALSE(read_training_runs("model,step_seconds\nx,1\n", "x.csv", training_fixture::catalogue()));
  EXPECT_FALSE(read_training_runs("", "empty.csv", training_fixture::catalogue()));
}

TEST(RunTable, ShapesComeFromColumnsThenTheCatalogueThenTheSize) {
  const RunTable table = read_table(
      "gpu,model,layers,hidden,params_b,tied_embeddings,step_seconds\n"
      "H100 SXM,llama-3-8b,,,,,1\n"
      "H100 SXM,llama-3-8b,32,4096,8.03,1,1\n"
      "H100 SXM,something,24,2048,1.4,,1\n"
      "H100 SXM,somebody-7b,,,,,1\n"
      "H100 SXM,mystery,,,,,1\n");
  ASSERT_EQ(table.runs.size(), 5U);
  EXPECT_EQ(table.runs[0].shape->kv_heads, 8);
  EXPECT_FALSE(table.runs[0].assumptions.empty());
  EXPECT_EQ(table.runs[1].shape->kv_heads, 8) << "what has no value comes from the model of that name";
  EXPECT_TRUE(table.runs[1].shape->tied) << "what the row says wins";
  EXPECT_TRUE(table.runs[1].assumptions.empty());
  EXPECT_EQ(table.runs[2].shape->hidden, 2048);
  EXPECT_NEAR(count_parameters(*table.runs[3].shape).total(), 7e9, 0.5e9);
  EXPECT_FALSE(table.runs[3].assumptions.empty());
  EXPECT_FALSE(table.runs[4].shape.has_value());
}

TEST(RunTable, SharedExpertsFollowFromTheActiveParameters) {
  const RunTable table = read_table(
      "gpu,model,layers,hidden,heads,kv_heads,head_dim,vocab,params_b,active_params_b,experts,experts_per_token,"
      "moe_ffn_hidden,gated_mlp,step_seconds\n"
      "H100 SXM,own-moe,10,1024,8,8,128,32000,1.14,0.26,64,4,512,1,1\n");
  ASSERT_EQ(table.runs.size(), 1U);
  const ModelShape& shape = *table.runs[0].shape;
  EXPECT_EQ(shape.experts, 64);
  // Attention and tables have 107 M, four experts of ten layers 63 M; what is missing to 260 M are about six more.
  EXPECT_EQ(shape.shared_ffn % 512, 0);
  EXPECT_NEAR(count_parameters(shape).active, 0.26e9, 0.02e9);
}

}  // namespace
}  // namespace gpuplan
