#include "input/measured/generation_run_table.h"

#include <gtest/gtest.h>

#include <string>

#include "../model/training_fixture.h"

namespace gpuplan {
namespace {

GenerationRunTable read(const std::string& text) {
  auto table = read_generation_runs(text, "runs.csv", training_fixture::catalogue());
  EXPECT_TRUE(table.has_value()) << (table ? "" : table.error().message);
  return table ? *std::move(table) : GenerationRunTable{};
}

TEST(GenerationRunTable, ReadsAConfigurationAndWhatCameOut) {
  const GenerationRunTable table = read(
      "id,source,gpu,gpu_power_w,gpus,intra_node,tp,pp,ep,replicas,framework,model,layers,hidden,heads,kv_heads,"
      "weights,"
      "bits_per_weight,kv_cache,input_tokens,output_tokens,cache_tokens,batch,mode,rate_counts,"
      "output_tokens_per_second,total_tokens_per_second,prefill_tokens_per_second,ttft_ms,tpot_ms,peak_memory_gib,"
      "memory_kind,distrust\n"
      "a-1,mine,A100 SXM 80GB,330,8,nvlink,4,1,2,2,vllm,my-net,12,768,12,4,int4,4.15,fp8,100.5,20,2048,64,concurrency,"
      "decode,1000,6000,5000,250,12.5,20.5,device,no such speed\n");
  ASSERT_EQ(table.runs.size(), 1U);
  const GenerationRun& run = table.runs[0];
  EXPECT_EQ(run.id, "a-1");
  EXPECT_EQ(run.place.line, 2);
  EXPECT_EQ(run.gpu_power_w, 330);
  EXPECT_EQ(run.gpus, 8);
  EXPECT_EQ(run.nvlink, true);
  EXPECT_EQ(run.tp, 4);
  EXPECT_EQ(run.pp, 1);
  EXPECT_EQ(run.ep, 2);
  EXPECT_EQ(run.replicas, 2);
  EXPECT_EQ(run.weights, Format::kInt4);
  EXPECT_EQ(run.bits_per_weight, 4.15);
  EXPECT_EQ(run.kv_cache, Format::kFp8);
  EXPECT_EQ(run.input_tokens, 100.5);
  EXPECT_EQ(run.output_tokens, 20);
  EXPECT_EQ(run.cache_tokens, 2048);
  EXPECT_EQ(run.batch, 64);
  EXPECT_EQ(run.mode, GenerationMode::kConcurrency);
  EXPECT_EQ(run.rate_counts, RateCounts::kDecode);
  EXPECT_EQ(run.output_rate->value, 1000);
  EXPECT_EQ(run.total_rate->value, 6000);
  EXPECT_EQ(run.prefill_rate->value, 5000);
  EXPECT_DOUBLE_EQ(run.first_token->value, 0.25);
  EXPECT_DOUBLE_EQ(run.per_token->value, 0.0125);
  EXPECT_NEAR(*run.memory / units::GiB, 20.5, 1e-12);
  EXPECT_EQ(run.memory_kind, MemoryKind::kDevice);
  EXPECT_EQ(run.distrust, "no such speed");
  EXPECT_EQ(run.shape->layers, 12);
  EXPECT_EQ(run.shape->kv_heads, 4);
}

TEST(GenerationRunTable, WhatIsMissingIsNotStated) {
  const GenerationRunTable table = read("gpu,model,tpot_ms\nH100 SXM,Llama-3-8B,9\n");
  ASSERT_EQ(table.runs.size(), 1U);
  const GenerationRun& run = table.runs[0];
  EXPECT_EQ(run.id, "line 2");
  EXPECT_FALSE(run.mode || run.batch || run.weights || run.kv_cache || run.tp || run.input_tokens || run.output_rate);
  EXPECT_EQ(run.distrust, "");
}

TEST(GenerationRunTable, AMalformedLineIsToldAndTheOthersGoOn) {
  const GenerationRunTable table = read(
      "gpu,model,mode,weights,tpot_ms\n"
      "H100 SXM,Llama-3-8B,single,bf16,9\n"
      "H100 SXM,Llama-3-8B,sometimes,bf16,9\n"
      "H100 SXM,Llama-3-8B,single,int3,9\n"
      "H100 SXM,Llama-3-8B,single,bf16,-9\n"
      "H100 SXM,Llama-3-8B,single\n"
      "H100 SXM,Llama-3-8B,single,bf16,\n"
      "H100 SXM,Llama-3-8B,static,fp8,7\n");
  ASSERT_EQ(table.runs.size(), 2U);
  EXPECT_EQ(table.runs[1].place.line, 8);
  ASSERT_EQ(table.bad_lines.size(), 5U);
  const char* const words[] = {"mode", "Did you mean 'int8' or 'int4", "tpot_ms", "", "no measured figure"};
  for (std::size_t i = 0; i < table.bad_lines.size(); ++i) {
    EXPECT_EQ(table.bad_lines[i].place.line, static_cast<int>(i) + 3);
    EXPECT_NE(table.bad_lines[i].message.find(words[i]), std::string::npos) << table.bad_lines[i].message;
  }
}

TEST(GenerationRunTable, ATableOfSomethingElseIsAnError) {
  const Catalogue& catalogue = training_fixture::catalogue();
  const auto none = read_generation_runs("gpu,price\nH100 SXM,2\n", "prices.csv", catalogue);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("output_tokens_per_second"), std::string::npos);
  EXPECT_FALSE(read_generation_runs("model,tpot_ms\nx,1\n", "x.csv", catalogue));
  EXPECT_FALSE(read_generation_runs("", "empty.csv", catalogue));
}

TEST(GenerationRunTable, LatentAttentionAndWindowsComeFromTheirColumns) {
  const GenerationRunTable table = read(
      "gpu,model,layers,hidden,heads,head_dim,experts,experts_per_token,moe_ffn_hidden,dense_layers,shared_ffn,"
      "kv_lora_rank,qk_rope_dim,window,window_layers,tpot_ms\n"
      "H200 SXM,latent-net,12,1024,16,128,64,4,512,1,512,512,64,,,9\n"
      "H200 SXM,window-net,12,1024,16,64,,,,,,,,128,6,9\n");
  ASSERT_EQ(table.runs.size(), 2U) << table.bad_lines.front().message;
  const ModelShape& latent = *table.runs[0].shape;
  EXPECT_TRUE(latent.mla());
  EXPECT_EQ(kv_elements_per_token_layer(latent), 512 + 64);
  EXPECT_EQ(latent.v_dim, 128);
  EXPECT_EQ(latent.moe_layers(), 11);
  EXPECT_EQ(latent.shared_ffn, 512);
  const ModelShape& windowed = *table.runs[1].shape;
  EXPECT_EQ(kv_elements(windowed, 1128), (6 * 128 + 6 * 1128) * 2 * 16 * 64);
}

TEST(GenerationRunTable, TiedEmbeddingsFollowFromTheParameters) {
  // 12 x 12 x 1024^2 and a table of 50k x 1024, once or twice.
  const std::string head = "gpu,model,layers,hidden,ffn_hidden,gated_mlp,vocab,params_b,tpot_ms\n";
  const GenerationRunTable table = read(head +
                                        "H200 SXM,one,12,1024,4096,0,50000,0.202,9\n"
                                        "H200 SXM,two,12,1024,4096,0,50000,0.253,9\n");
  ASSERT_EQ(table.runs.size(), 2U);
  EXPECT_TRUE(table.runs[0].shape->tied);
  EXPECT_FALSE(table.runs[1].shape->tied);
}

}  // namespace
}  // namespace gpuplan
