#include "domain/work/model_shape.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace gpuplan {
namespace {

ModelShape llama_3_8b() {
  ModelShape s;
  s.name = "Llama-3-8B";
  s.layers = 32, s.hidden = 4096, s.heads = 32, s.kv_heads = 8, s.head_dim = 128, s.ffn = 14336, s.vocab = 128256;
  return s;
}

// Llama 3 8B by hand:
//   embedding   128256 x 4096                                              =   525,336,576, twice since untied
//   attention   q, o 4096 x 4096, k, v 4096 x 1024: 41,943,040 a layer     = 1,342,177,280
//   mlp         3 x 4096 x 14336 = 176,160,768 a layer                     = 5,637,144,576
//   norms       (2 x 32 + 1) x 4096                                        =       266,240
TEST(ModelShape, Llama3By8BPart) {
  const ParameterCount n = count_parameters(llama_3_8b());
  EXPECT_EQ(n.embedding, 525'336'576);
  EXPECT_EQ(n.head, 525'336'576);
  EXPECT_EQ(n.attention, 1'342'177'280);
  EXPECT_EQ(n.mlp, 5'637'144'576);
  EXPECT_EQ(n.norms, 266'240);
  EXPECT_EQ(n.experts, 0);
  EXPECT_EQ(n.total(), 8'030'261'248);  // published
  EXPECT_EQ(n.active, n.total());
}

// GPT-2: (50257 + 1024) x 768 = 39,383,808; a layer: attention 4 x 768^2 + 4 x 768 = 2,362,368, MLP 2 x 768 x 3072 +
// 3072 + 768 = 4,722,432, norms 2 x 2 x 768 = 3,072; final norm 1,536.
TEST(ModelShape, Gpt2WithBiasesAndPositions) {
  ModelShape s;
  s.layers = 12, s.hidden = 768, s.heads = 12, s.kv_heads = 12, s.head_dim = 64, s.ffn = 3072, s.gated = false;
  s.vocab = 50257, s.tied = true, s.positions = 1024, s.attention_bias = BiasKind::kAll, s.mlp_bias = true;
  s.norm = NormKind::kLayer;
  const ParameterCount n = count_parameters(s);
  EXPECT_EQ(n.embedding, 39'383'808);
  EXPECT_EQ(n.attention, 12 * 2'362'368);
  EXPECT_EQ(n.mlp, 12 * 4'722'432);
  EXPECT_EQ(n.norms, 12 * 3'072 + 1'536);
  EXPECT_EQ(n.head, 0);
  EXPECT_EQ(n.total(), 124'439'808);
}

// Mixtral 8x7B: an expert has 3 x 4096 x 14336 = 176,160,768 parameters; 8 of them in 32 layers, 2 active.
TEST(ModelShape, MixtralActiveParameters) {
  ModelShape s = llama_3_8b();
  s.vocab = 32000, s.experts = 8, s.experts_per_token = 2, s.expert_ffn = 14336;
  const ParameterCount n = count_parameters(s);
  EXPECT_EQ(n.mlp, 0);
  EXPECT_EQ(n.experts, 32.0 * 8 * 176'160'768);
  EXPECT_EQ(n.shared, 32.0 * 4096 * 8);  // routers
  EXPECT_EQ(n.total(), 46'702'792'704);
  EXPECT_EQ(n.total() - n.active, 32.0 * 6 * 176'160'768);
}

ModelShape deepseek_v3() {
  ModelShape s;
  s.layers = 61, s.hidden = 7168, s.heads = 128, s.kv_heads = 128, s.head_dim = 192, s.ffn = 18432, s.vocab = 129280;
  s.experts = 256, s.experts_per_token = 8, s.expert_ffn = 2048, s.shared_ffn = 2048, s.dense_layers = 3;
  s.q_lora_rank = 1536, s.kv_lora_rank = 512, s.qk_nope_dim = 128, s.qk_rope_dim = 64, s.v_dim = 128;
  return s;
}

// DeepSeek V3 attention of a layer: q 7168 x 1536 + 1536 x 128 x 192 = 48,758,784; latent 7168 x 576 = 4,128,768;
// k, v from it 512 x 128 x 256 = 16,777,216; output 128 x 128 x 7168 = 117,440,512. Sum 187,105,280.
TEST(ModelShape, LatentAttention) {
  const ModelShape s = deepseek_v3();
  const ParameterCount n = count_parameters(s);
  EXPECT_EQ(n.attention, 61.0 * 187'105'280);
  EXPECT_EQ(n.norms, (2 * 61 + 1) * 7168.0 + 61 * (1536 + 512));
  EXPECT_NEAR(n.total() / 671e9, 1, 0.001);
  EXPECT_NEAR(n.active / 37e9, 1, 0.02);
  // 576 elements a token and layer, 61 layers, 2 bytes: 70,272 bytes a token.
  EXPECT_EQ(kv_elements_per_token_layer(s), 576);
  EXPECT_EQ(kv_elements(s, 1) * 2, 70'272);
}

TEST(ModelShape, KvCacheOfGroupedQueries) {
  // Llama 3 8B: 2 x 8 x 128 x 32 layers x 2 bytes = 131,072 bytes a token.
  EXPECT_EQ(kv_elements(llama_3_8b(), 1) * 2, 131'072);
  EXPECT_EQ(kv_elements(llama_3_8b(), 8192) * 2, 8192.0 * 131'072);
}

TEST(ModelShape, SlidingWindowsBoundTheCache) {
  ModelShape s = llama_3_8b();
  s.window = 4096, s.window_layers = 24;
  EXPECT_EQ(kv_elements(s, 1000), kv_elements(llama_3_8b(), 1000));
  EXPECT_EQ(kv_elements(s, 10'000), 2048.0 * (24 * 4096 + 8 * 10'000.0));
}

TEST(ModelShape, EncodersKeepNoCacheAndHaveNoHead) {
  ModelShape s = llama_3_8b();
  s.kind = ModelKind::kEncoder;
  EXPECT_EQ(kv_elements(s, 512), 0);
  EXPECT_EQ(count_parameters(s).head, 0);
}

// ViT-B/16: patches 16 x 16 x 3 x 768 + 768 = 590,592, class token 768, positions 197 x 768 = 151,296.
TEST(ModelShape, VisionTransformer) {
  ModelShape s;
  s.kind = ModelKind::kVit;
  s.layers = 12, s.hidden = 768, s.heads = 12, s.kv_heads = 12, s.head_dim = 64, s.ffn = 3072, s.gated = false;
  s.attention_bias = BiasKind::kAll, s.mlp_bias = true, s.norm = NormKind::kLayer;
  s.image = 224, s.patch = 16, s.channels = 3, s.positions = 197, s.extra = 769'000;
  EXPECT_EQ(count_parameters(s).embedding, 590'592 + 768 + 151'296);
  EXPECT_EQ(count_parameters(s).total(), 86'567'656);  // with 1000 classes, as published
}

TEST(ModelShape, CompleteFillsCustomaryWidths) {
  ModelShape s;
  s.layers = 32, s.hidden = 4096;
  complete(s);
  EXPECT_EQ(s.heads, 32);
  EXPECT_EQ(s.kv_heads, 32);
  EXPECT_EQ(s.head_dim, 128);
  EXPECT_EQ(s.ffn, 11008);  // as LLaMA 7B
  EXPECT_EQ(s.vocab, 32000);
  EXPECT_EQ(count_parameters(s).total(), 6'738'415'616);  // and so it is LLaMA 7B
}

TEST(ModelShape, CompleteKeepsWhatIsGiven) {
  ModelShape s = llama_3_8b();
  complete(s);
  EXPECT_EQ(count_parameters(s).total(), 8'030'261'248);
  EXPECT_EQ(s.ffn, 14336);
}

TEST(ModelShape, CompleteMeetsTheUsersTotal) {
  // 6 layers of 384: 6 x (4 x 384^2 + 3 x 384 x 1024) + 13 x 384 = 10,621,824; the rest fills two tables of 18,721.
  ModelShape s;
  s.published = 25e6, s.layers = 6, s.hidden = 384;
  complete(s);
  EXPECT_EQ(s.heads, 6);
  EXPECT_EQ(s.vocab, 18'721);
  EXPECT_EQ(count_parameters(s).total(), 25e6);
  EXPECT_LT(s.extra, 1000);
}

TEST(ModelShape, CompleteNarrowsAnMlpThatIsTooWide) {
  ModelShape s;
  s.published = 9e6, s.layers = 6, s.hidden = 384;
  complete(s);
  EXPECT_LT(s.ffn, 1024);
  EXPECT_EQ(count_parameters(s).total(), 9e6);
}

RC_GTEST_PROP(ModelShapeProperty, MoreOfAnythingIsNeverLess, ()) {
  ModelShape s;
  s.layers = *rc::gen::inRange(1, 100), s.heads = *rc::gen::inRange(1, 64),
  s.kv_heads = *rc::gen::inRange(1, s.heads + 1);
  s.head_dim = 8 * *rc::gen::inRange(1, 32), s.hidden = s.heads * s.head_dim, s.ffn = *rc::gen::inRange(1, 20'000);
  s.vocab = *rc::gen::inRange(0, 300'000), s.gated = *rc::gen::arbitrary<bool>(), s.tied = *rc::gen::arbitrary<bool>();
  s.experts = *rc::gen::inRange(0, 64);
  if (s.moe())
    s.experts_per_token = *rc::gen::inRange(1, s.experts + 1), s.expert_ffn = *rc::gen::inRange(1, 5000),
    s.dense_layers = *rc::gen::inRange(0, s.layers + 1);
  const ParameterCount before = count_parameters(s);
  RC_ASSERT(before.active > 0);
  RC_ASSERT(before.active <= before.total());
  ModelShape bigger = s;
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      ++bigger.layers;
      break;
    case 1:
      bigger.ffn += 64;
      break;
    case 2:
      bigger.vocab += 1;
      break;
    case 3:
      bigger.tied = false;
      break;
  }
  RC_ASSERT(count_parameters(bigger).total() >= before.total());
  const double tokens = *rc::gen::inRange(1, 100'000);
  ModelShape sliding = s;
  sliding.window = *rc::gen::inRange(1, 10'000), sliding.window_layers = s.layers;
  RC_ASSERT(kv_elements(sliding, tokens) <= kv_elements(s, tokens));
  RC_ASSERT(kv_elements(s, tokens + 1) > kv_elements(s, tokens));
}

}  // namespace
}  // namespace gpuplan
