// Configurations whose layers are not attention followed by an MLP, that end otherwise than in a language head, or that
// leave sizes to the class they are of. Counts are those that the models' publishers state.
#include <gtest/gtest.h>

#include <string>

#include "input/models/model_config.h"
#include "plan/notes/model_notes.h"

namespace gpuplan {
namespace {

ModelConfig parts_of(std::string_view json) {
  const Result<ModelConfig> config = read_model_config(json, "config.json");
  EXPECT_TRUE(config.has_value()) << (config ? "" : config.error().message);
  return config ? *config : ModelConfig{};
}

double parameters(const ModelConfig& config) { return count_parameters(config.shape).total(); }

std::string message_of(std::string_view json) {
  const Result<ModelConfig> config = read_model_config(json, "config.json");
  return config ? "" : config.error().message;
}

/// Bytes of cache that each further token takes, in 16 bit.
double bytes_a_token(const ModelConfig& config) {
  return 2 * (kv_elements(config.shape, 1001) - kv_elements(config.shape, 1000));
}

struct Hybrid {
  const char* name;
  const char* config;
  double parameters;
  double cache;  ///< bytes a token
};

std::string repeated(const std::string& word, int times) {
  std::string list;
  for (int i = 0; i < times; ++i) list += (list.empty() ? "\"" : ", \"") + word + "\"";
  return list;
}

const Hybrid kHybrids[] = {
    {"Nemotron-H-8B", R"({"model_type": "nemotron_h", "hidden_size": 4096, "intermediate_size": 21504,
      "num_hidden_layers": 52, "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-",
      "num_attention_heads": 32, "num_key_value_heads": 8, "attention_head_dim": 128, "mamba_num_heads": 128,
      "mamba_head_dim": 64, "n_groups": 8, "ssm_state_size": 128, "conv_kernel": 4, "vocab_size": 131072})",
     8.1e9, 16'384},
    {"Mamba2-2.7B", R"({"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 64, "state_size": 128,
      "conv_kernel": 4, "expand": 2, "num_heads": 80, "head_dim": 64, "n_groups": 1, "vocab_size": 50288,
      "tie_word_embeddings": true})",
     2.7e9, 0},
    {"Mamba-2.8B", R"({"model_type": "mamba", "hidden_size": 2560, "num_hidden_layers": 64, "state_size": 16,
      "conv_kernel": 4, "expand": 2, "intermediate_size": 5120, "time_step_rank": 160, "vocab_size": 50280})",
     2.77e9, 0},
    {"Falcon-Mamba-7B", R"({"model_type": "falcon_mamba", "hidden_size": 4096, "num_hidden_layers": 64,
      "state_size": 16, "conv_kernel": 4, "expand": 2, "intermediate_size": 8192, "time_step_rank": 256,
      "vocab_size": 65024, "tie_word_embeddings": false})",
     7.27e9, 0},
    {"Jamba-Mini", R"({"model_type": "jamba", "hidden_size": 4096, "intermediate_size": 14336,
      "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "num_experts": 16,
      "num_experts_per_tok": 2, "expert_layer_period": 2, "expert_layer_offset": 1, "attn_layer_period": 8,
      "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_dt_rank": 256,
      "vocab_size": 65536})",
     51.6e9, 16'384},
    {"Falcon-H1-7B", R"({"model_type": "falcon_h1", "hidden_size": 3072, "intermediate_size": 12288,
      "num_hidden_layers": 44, "num_attention_heads": 12, "num_key_value_heads": 2, "head_dim": 128,
      "mamba_d_ssm": 3072, "mamba_d_state": 256, "mamba_d_conv": 4, "mamba_n_heads": 24, "mamba_d_head": 128,
      "mamba_n_groups": 1, "vocab_size": 130048})",
     7.59e9, 45'056},
    {"Qwen3-Next-80B", R"({"model_type": "qwen3_next", "hidden_size": 2048, "intermediate_size": 5120,
      "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512, "num_hidden_layers": 48,
      "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256, "num_experts": 512,
      "num_experts_per_tok": 10, "full_attention_interval": 4, "linear_num_key_heads": 16,
      "linear_num_value_heads": 32, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
      "linear_conv_kernel_dim": 4, "decoder_sparse_step": 1, "vocab_size": 151936})",
     79.7e9, 24'576},
};

TEST(ModelParts, HybridsHaveTheirPublishedSizeAndCache) {
  for (const Hybrid& hybrid : kHybrids) {
    const ModelConfig config = parts_of(hybrid.config);
    EXPECT_NEAR(parameters(config) / hybrid.parameters, 1, 0.012) << hybrid.name;
    EXPECT_EQ(bytes_a_token(config), hybrid.cache) << hybrid.name;
    EXPECT_GT(state_elements(config.shape), 0) << hybrid.name;
    EXPECT_EQ(config.shape.doubt, "") << hybrid.name;
  }
}

TEST(ModelParts, LayersMayBeListedByName) {  // Granite 4 H Small: 36 of 40 layers keep a state
  const ModelConfig config =
      parts_of(R"({"model_type": "granitemoehybrid", "hidden_size": 4096, "intermediate_size": 768,
    "shared_intermediate_size": 1536, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8,
    "num_local_experts": 72, "num_experts_per_tok": 10, "mamba_d_state": 128, "mamba_d_conv": 4, "mamba_expand": 2,
    "mamba_n_heads": 128, "mamba_d_head": 64, "mamba_n_groups": 1, "vocab_size": 100352, "tie_word_embeddings": true,
    "layer_types": [)" +
               repeated("mamba", 36) + ", " + repeated("attention", 4) + "]}");
  EXPECT_NEAR(parameters(config) / 32.2e9, 1, 0.012);
  EXPECT_EQ(bytes_a_token(config), 16'384);
}

TEST(ModelParts, LinearAttentionOfOtherKinds) {
  const ModelConfig minimax =
      parts_of(R"({"model_type": "minimax_text_01", "hidden_size": 6144, "intermediate_size": 9216,
    "num_hidden_layers": 8, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128,
    "num_local_experts": 32, "num_experts_per_tok": 2, "attn_type_list": [0, 0, 0, 0, 0, 0, 0, 1],
    "vocab_size": 200064})");
  EXPECT_EQ(minimax.shape.attention_layers(), 1);
  EXPECT_EQ(bytes_a_token(minimax), 4096);
  const ModelConfig kimi = parts_of(R"({"model_type": "kimi_linear", "hidden_size": 2304, "intermediate_size": 9216,
    "moe_intermediate_size": 1024, "num_hidden_layers": 27, "num_attention_heads": 32, "num_key_value_heads": 32,
    "head_dim": 72, "num_experts": 256, "num_experts_per_token": 8, "num_shared_experts": 1,
    "first_k_dense_replace": 1, "kv_lora_rank": 512, "q_lora_rank": null, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 163840, "linear_attn_config": {"full_attn_layers":
    [4, 8, 12, 16, 20, 24, 27], "head_dim": 128, "num_heads": 32, "short_conv_kernel_size": 4}})");
  EXPECT_EQ(bytes_a_token(kimi), 8064);
  EXPECT_NEAR(parameters(kimi) / 49e9, 1, 0.03);
}

TEST(ModelParts, PrunedBlocksKeepWhatIsLeftOfThem) {
  const ModelConfig config = parts_of(R"({"model_type": "nemotron-nas", "hidden_size": 8192, "num_hidden_layers": 3,
    "num_attention_heads": 64, "num_key_value_heads": null, "vocab_size": 128256, "block_configs": [
    {"attention": {"n_heads_in_group": 8, "no_op": false}, "ffn": {"ffn_mult": 5.25, "no_op": false}},
    {"attention": {"n_heads_in_group": null, "no_op": true}, "ffn": {"ffn_mult": 2.625, "no_op": false}},
    {"attention": {"n_heads_in_group": 8, "no_op": false}, "ffn": {"ffn_mult": null, "no_op": true}}]})");
  EXPECT_EQ(config.shape.kv_heads, 8);
  EXPECT_EQ(config.shape.attention_layers(), 2);
  EXPECT_EQ(config.shape.mlp_layers(), 2);
  EXPECT_EQ(config.shape.ffn, (28'672 + 14'336) / 2);
}

TEST(ModelParts, WhatIsNotReadIsRefusedOrTold) {
  const std::string body = R"("hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 81,
    "num_attention_heads": 32, "vocab_size": 32000)";
  EXPECT_EQ(message_of("{\"model_type\": \"zamba2\", \"num_mem_blocks\": 2, " + body + "}"),
            "num_mem_blocks: layers of models of type 'zamba2' are not read; give the size instead: --params 9B, "
            "{params: 9B, layers: 32, hidden: 4096}");
  const ModelConfig unknown = parts_of("{\"model_type\": \"brandnew\", " + body + "}");
  Job job;
  Phase& phase = job.phases.emplace_back();
  GeneratePhase generate;
  ModelUse& model = generate.models.emplace_back();
  model.name = "mine";
  model.shape = unknown.shape;
  phase.work = generate;
  const std::vector<std::string> notes = model_notes(job);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes.front().starts_with("Model mine: model_type 'brandnew' is unknown: read as an ordinary decoder."))
      << notes.front();
}

TEST(ModelParts, LayersOfAlbertShareTheirWeights) {
  const ModelConfig config = parts_of(R"({"model_type": "albert", "hidden_size": 4096, "embedding_size": 128,
    "intermediate_size": 16384, "num_hidden_layers": 12, "num_hidden_groups": 1, "num_attention_heads": 64,
    "vocab_size": 30000, "max_position_embeddings": 512})");
  EXPECT_NEAR(parameters(config) / 223e6, 1, 0.01);
  ModelUse use;
  use.shape = config.shape;
  EXPECT_EQ(use.runs(), 12);
  use.loops = 2;
  EXPECT_EQ(use.runs(), 24);
}

TEST(ModelParts, EncodersAreEncoders) {
  struct Encoder {
    const char* config;
    double parameters;
  };
  const Encoder encoders[] = {
      {R"({"model_type": "deberta-v2", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
         "num_attention_heads": 16, "vocab_size": 128100, "max_position_embeddings": 512, "type_vocab_size": 0,
         "relative_attention": true, "position_buckets": 256})",
       435e6},
      {R"({"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_inner": 3072, "n_layer": 12,
         "n_positions": 8192, "vocab_size": 30528, "activation_function": "swiglu", "type_vocab_size": 2})",
       137e6},
      {R"({"model_type": "electra", "hidden_size": 256, "embedding_size": 128, "intermediate_size": 1024,
         "num_hidden_layers": 12, "num_attention_heads": 4, "vocab_size": 30522, "max_position_embeddings": 512,
         "type_vocab_size": 2})",
       13.5e6},
  };
  for (const Encoder& encoder : encoders) {
    const ModelConfig config = parts_of(encoder.config);
    EXPECT_EQ(config.shape.kind, ModelKind::kEncoder) << config.model_type;
    EXPECT_EQ(kv_elements(config.shape, 512), 0) << config.model_type;
    EXPECT_NEAR(parameters(config) / encoder.parameters, 1, 0.012) << config.model_type;
  }
}

constexpr std::string_view kSizes = R"("hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
  "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256})";

TEST(ModelParts, WhatFollowsTheLastLayerIsByTheClass) {
  const auto saved_from = [](std::string_view what) {
    return parts_of(R"({"model_type": "llama", "architectures": [")" + std::string(what) + std::string(kSizes));
  };
  const double table = 128256.0 * 4096;
  const double whole = parameters(saved_from("LlamaForCausalLM\"], "));
  EXPECT_EQ(whole, 8'030'261'248);
  const ModelConfig reward = saved_from("LlamaForSequenceClassification\"], \"num_labels\": 1, ");
  EXPECT_EQ(parameters(reward), whole - table + 4096);
  EXPECT_FALSE(reward.shape.scores_tokens());
  const ModelConfig classes =
      saved_from(R"(LlamaForSequenceClassification"], "id2label": {"0": "a", "1": "b", "2": "c"}, )");
  EXPECT_EQ(count_parameters(classes.shape).head, 3 * 4096);
  const ModelConfig bare = saved_from("LlamaModel\"], ");
  EXPECT_EQ(parameters(bare), whole - table);
  EXPECT_TRUE(saved_from("GPT2LMHeadModel\"], ").shape.scores_tokens());
}

TEST(ModelParts, VisionTransformersHaveNoVocabulary) {
  const ModelConfig dino = parts_of(R"({"model_type": "dinov2", "hidden_size": 768, "image_size": 518, "patch_size": 14,
    "num_channels": 3, "num_hidden_layers": 12, "num_attention_heads": 12, "mlp_ratio": 4, "use_swiglu_ffn": false})");
  EXPECT_NEAR(parameters(dino) / 86.58e6, 1, 0.002);
  const ModelConfig giant =
      parts_of(R"({"model_type": "dinov2", "hidden_size": 1536, "image_size": 518, "patch_size": 14,
    "num_hidden_layers": 40, "num_attention_heads": 24, "mlp_ratio": 4, "use_swiglu_ffn": true})");
  EXPECT_NEAR(parameters(giant) / 1136.5e6, 1, 0.002);
  const ModelConfig siglip = parts_of(R"({"model_type": "siglip_vision_model", "hidden_size": 1152,
    "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 384,
    "patch_size": 14})");
  EXPECT_NEAR(parameters(siglip) / 428.2e6, 1, 0.002);
  EXPECT_EQ(
      message_of(R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2})"),
      "vocab_size: missing key; expected the Hugging Face configuration of a transformer");
}

TEST(ModelParts, PartsLeaveOutWhatTheirClassHas) {
  const ModelConfig gemma = parts_of(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
    "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024},
    "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152, "image_size": 896,
    "intermediate_size": 4304, "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}})");
  EXPECT_NEAR(parameters(gemma) / 3.88e9, 1, 0.002);
  EXPECT_NEAR(gemma.shape.beside / 420e6, 1, 0.03);
  ASSERT_EQ(gemma.notes.size(), 1U);
  EXPECT_TRUE(
      gemma.notes.front().starts_with("text_config leaves out what gemma3_text has by default: vocab_size 262208"))
      << gemma.notes.front();
  const ModelConfig llava = parts_of(R"({"model_type": "llava", "text_config": {"model_type": "llama",
    "max_position_embeddings": 4096, "vocab_size": 32064}, "vision_config": {"model_type": "clip_vision_model",
    "hidden_size": 1024, "image_size": 336, "intermediate_size": 4096, "num_attention_heads": 16,
    "num_hidden_layers": 24, "patch_size": 14}})");
  EXPECT_NEAR((parameters(llava) + llava.shape.beside) / 7.06e9, 1, 0.002);
  // At the top everything stands: a configuration that lacks its sizes is no configuration.
  EXPECT_NE(message_of(R"({"model_type": "llama"})"), "");
}

TEST(ModelParts, TowersOfQwenAreCounted) {
  const ModelConfig config = parts_of(R"({"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944,
    "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4, "vocab_size": 152064,
    "vision_config": {"model_type": "qwen2_5_vl", "depth": 32, "hidden_size": 1280, "intermediate_size": 3420,
    "out_hidden_size": 3584, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}})");
  EXPECT_NEAR((parameters(config) + config.shape.beside) / 8.292e9, 1, 0.003);
}

}  // namespace
}  // namespace gpuplan
