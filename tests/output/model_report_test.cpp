#include "output/facts/model_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gpuplan {
namespace {

ModelShape llama_8b() {
  ModelShape shape;
  shape.name = "Llama-3.1-8B";
  shape.layers = 32;
  shape.hidden = 4096;
  shape.heads = 32;
  shape.kv_heads = 8;
  shape.head_dim = 128;
  shape.ffn = 14336;
  shape.vocab = 128256;
  shape.max_context = 131072;
  shape.published = 8030261248;
  return shape;
}

ModelShape small_moe() {
  ModelShape shape = llama_8b();
  shape.name = "small-moe";
  shape.experts = 8;
  shape.experts_per_token = 2;
  shape.expert_ffn = 1024;
  shape.shared_ffn = 2048;
  shape.dense_layers = 1;
  shape.window = 4096;
  shape.window_layers = 16;
  shape.published = 0;
  return shape;
}

TEST(ModelReport, Text) {
  Catalogue catalogue;
  catalogue.models = {llama_8b()};
  ModelReport report = describe_model(llama_8b(), catalogue);
  report.source = "catalogue";
  // Weights in 16 bits: 8,030,261,248 x 2 = 14.96 GiB; cache: 2 x 8 x 128 x 32 layers x 2 bytes = 128 KiB.
  // fp8: 6,979,321,856 in matrices + 2 x 1,050,939,392 = 8.46 GiB.
  EXPECT_EQ(model_text(report, {.columns = 100}),
            "Llama-3.1-8B: decoder, 8.03B parameters\n\n  layers        32\n  hidden        4,096\n  attention     32 "
            "heads x 128, 8 KV heads\n  MLP           14,336, gated\n  vocabulary    128,256, untied output\n  context "
            "      131,072 tokens\n  dtype         bf16\n  from          catalogue\n\n  PARAMETERS\n  embedding     "
            "525,336,576   6.5%\n  attention   1,342,177,280  16.7%\n  MLP         5,637,144,576  70.2%\n  norms       "
            "      266,240   0.0%\n  head          525,336,576   6.5%\n  total       8,030,261,248\n  published   "
            "8,030,261,248         the same\n\n  WEIGHTS\n  fp32     29.9 GiB\n  bf16     15.0 GiB\n  fp8       8.5 "
            "GiB\n  int4      5.3 GiB\n  fp8, int4: layer weights only; embeddings, head and norms stay 16-bit. int4 "
            "group size 128.\n\n  KV cache (16-bit): 128 KiB per token, 16 GiB at 131,072 tokens.\n");
}

TEST(ModelReport, ExpertsWindowsAndNotes) {
  ModelReport report = describe_model(small_moe(), Catalogue{});
  report.notes = {"something was assumed\x1b[0m"};
  const std::string text = model_text(report, {.columns = 100});
  EXPECT_NE(text.find("layers        32, the first dense, 16 with a sliding window of 4,096 tokens\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("MLP           8 experts x 1,024, 2 active per token, gated, 2,048 shared; 14,336 in dense layers\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("note          something was assumed?[0m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("active per token"), std::string::npos);
  EXPECT_EQ(text.find("published"), std::string::npos);
}

TEST(ModelReport, FindsWhatItLooksLike) {
  Catalogue catalogue;
  catalogue.models = {llama_8b(), small_moe()};
  ModelShape tuned = llama_8b();
  tuned.name = "my-tune";
  tuned.vocab += 8;
  const ModelReport same = describe_model(tuned, catalogue);
  EXPECT_EQ(same.like, "Llama-3.1-8B");
  EXPECT_TRUE(same.same);
  EXPECT_NE(model_text(same, {}).find("similar to    same layers as Llama-3.1-8B\n"), std::string::npos);

  ModelShape pruned = tuned;
  pruned.layers = 30;
  const ModelReport near = describe_model(pruned, catalogue);
  EXPECT_EQ(near.like, "Llama-3.1-8B");
  EXPECT_FALSE(near.same);

  ModelShape tiny = tuned;
  tiny.layers = 2;
  tiny.hidden = 128;
  tiny.ffn = 512;
  EXPECT_EQ(describe_model(tiny, catalogue).like, "");
  EXPECT_EQ(describe_model(llama_8b(), catalogue).like, "") << "known models are not compared with themselves";
}

TEST(ModelReport, Json) {
  Catalogue catalogue;
  catalogue.models = {llama_8b()};
  ModelReport report = describe_model(llama_8b(), catalogue);
  report.source = "catalogue";
  const auto json = nlohmann::json::parse(model_json(report));
  EXPECT_EQ(json["schema"], "gpuplan/model@1");
  EXPECT_EQ(json["name"], "Llama-3.1-8B");
  EXPECT_EQ(json["shape"]["layers"], 32);
  EXPECT_TRUE(json["shape"]["experts"].is_null());
  EXPECT_EQ(json["parameters"]["total"], 8030261248);
  EXPECT_EQ(json["parameters"]["published"], 8030261248);
  EXPECT_TRUE(json["parameters"]["active_published"].is_null());
  EXPECT_EQ(json["weight_bytes"]["bf16"], 2 * 8030261248);
  EXPECT_EQ(json["weight_bytes"]["fp8"], 6979321856 + 2 * 1050939392);
  EXPECT_EQ(json["kv_cache_bytes"]["per_token"], 131072);
  EXPECT_EQ(json["kv_cache_bytes"]["at_max_context"], 131072.0 * 131072);
  const auto moe = nlohmann::json::parse(model_json(describe_model(small_moe(), Catalogue{})));
  EXPECT_EQ(moe["shape"]["experts"]["count"], 8);
  EXPECT_EQ(moe["shape"]["window"]["tokens"], 4096);
}

TEST(ModelReport, PartsOfTheWeightsAddUp) {
  const ParameterCount count = count_parameters(small_moe());
  EXPECT_EQ(weight_bytes(count, Format::kFp32).value, 4 * count.total());
  EXPECT_EQ(weight_bytes(count, Format::kBf16).value, 2 * count.total());
  EXPECT_LT(weight_bytes(count, Format::kInt4), weight_bytes(count, Format::kFp8));
  EXPECT_GT(weight_bytes(count, Format::kInt4).value, count.total() / 2) << "tables stay in 16 bits";
}

}  // namespace
}  // namespace gpuplan
