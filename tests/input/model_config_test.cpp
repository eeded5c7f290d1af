#include "input/models/model_config.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

ModelConfig read(std::string_view json) {
  const Result<ModelConfig> config = read_model_config(json, "config.json");
  EXPECT_TRUE(config.has_value()) << (config ? "" : config.error().message);
  return config ? *config : ModelConfig{};
}

double parameters(std::string_view json) { return count_parameters(read(json).shape).total(); }

Error config_error(std::string_view json) {
  const Result<ModelConfig> config = read_model_config(json, "config.json");
  EXPECT_FALSE(config.has_value());
  return config ? Error{} : config.error();
}

bool noted(const ModelConfig& config, std::string_view part) {
  for (const std::string& note : config.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

constexpr std::string_view kLlama = R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
  "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256,
  "max_position_embeddings": 131072, "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"})";

// Every total below is the published count of the model whose sizes it uses (sources: data/models.csv).
TEST(ModelConfig, Llama) {
  const ModelConfig config = read(kLlama);
  EXPECT_EQ(count_parameters(config.shape).total(), 8'030'261'248);
  EXPECT_EQ(config.shape.kv_heads, 8);
  EXPECT_EQ(config.shape.head_dim, 128);
  EXPECT_FALSE(config.shape.tied);
  EXPECT_EQ(config.shape.max_context, 131072);
  EXPECT_EQ(config.shape.native, Format::kBf16);
  EXPECT_TRUE(config.notes.empty());
}

TEST(ModelConfig, NullAndAbsentKvHeadsMeanHeads) {
  for (const char* kv : {R"("num_key_value_heads": null, "head_dim": null,)", ""})
    EXPECT_EQ(parameters(std::string(R"({"model_type": "llama", )") + kv +
                         R"("hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
                            "num_hidden_layers": 32, "vocab_size": 32000})"),
              6'738'415'616);
}

TEST(ModelConfig, HeadDimWinsOverHiddenByHeads) {  // Qwen3 0.6B: 16 heads of 128 beside a hidden of 1024
  const ModelConfig config = read(R"({"model_type": "qwen3", "hidden_size": 1024, "head_dim": 128,
    "intermediate_size": 3072, "num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 8,
    "vocab_size": 151936, "tie_word_embeddings": true, "sliding_window": null, "dtype": "bfloat16"})");
  EXPECT_EQ(config.shape.q_width(), 2048);
  EXPECT_EQ(config.shape.qk_norm, QkNorm::kHead);
  EXPECT_EQ(count_parameters(config.shape).total(), 596'049'920);
}

TEST(ModelConfig, TiedByDefaultOfTheClass) {
  constexpr std::string_view sizes = R"("hidden_size": 2304, "intermediate_size": 9216, "num_attention_heads": 8,
    "num_hidden_layers": 26, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 256000, "sliding_window": 4096})";
  const ModelConfig gemma = read(std::string(R"({"model_type": "gemma2", )") + std::string(sizes));
  EXPECT_TRUE(gemma.shape.tied);
  EXPECT_EQ(gemma.shape.norms_per_layer, 4);
  EXPECT_EQ(gemma.shape.window, 4096);
  EXPECT_EQ(gemma.shape.window_layers, 13);
  EXPECT_EQ(count_parameters(gemma.shape).total(), 2'614'341'888);
  EXPECT_FALSE(read(std::string(R"({"model_type": "llama", )") + std::string(sizes)).shape.tied);
  EXPECT_TRUE(
      read(std::string(R"({"model_type": "llama", "tie_word_embeddings": true, )") + std::string(sizes)).shape.tied);
}

TEST(ModelConfig, QwenBiasesAndUnusedWindow) {
  const ModelConfig config = read(R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
    "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4, "vocab_size": 152064,
    "sliding_window": 131072, "use_sliding_window": false, "max_window_layers": 28})");
  EXPECT_EQ(config.shape.attention_bias, BiasKind::kQkv);
  EXPECT_EQ(config.shape.window, 0);
  EXPECT_EQ(count_parameters(config.shape).total(), 7'615'616'512);
}

TEST(ModelConfig, NestedTextConfig) {  // Gemma 3 27B
  const ModelConfig config = read(R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3",
    "torch_dtype": "bfloat16", "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27},
    "text_config": {"model_type": "gemma3_text", "hidden_size": 5376, "intermediate_size": 21504, "head_dim": 128,
    "num_attention_heads": 32, "num_hidden_layers": 62, "num_key_value_heads": 16, "vocab_size": 262208,
    "sliding_window": 1024, "sliding_window_pattern": 6}})");
  EXPECT_EQ(config.model_type, "gemma3_text");
  EXPECT_TRUE(config.shape.tied);
  EXPECT_EQ(config.shape.window_layers, 52);
  EXPECT_NEAR(count_parameters(config.shape).total() / 27.016e9, 1, 0.001);
  EXPECT_NE(config.shape.uncounted.find("vision"), std::string::npos);
}

TEST(ModelConfig, MixturesOfExperts) {
  EXPECT_EQ(parameters(R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 32000,
    "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null})"),
            46'702'792'704);
  for (const char* name : {"num_experts", "num_local_experts"}) {
    const ModelConfig qwen = read(std::string(R"({"model_type": "qwen3_moe", "hidden_size": 2048, "head_dim": 128,
      "intermediate_size": 6144, "moe_intermediate_size": 768, "num_attention_heads": 32, "num_hidden_layers": 48,
      "num_key_value_heads": 4, "vocab_size": 151936, "num_experts_per_tok": 8, "decoder_sparse_step": 1,
      "mlp_only_layers": [], ")") +
                                  name + R"(": 128})");
    EXPECT_EQ(count_parameters(qwen.shape).total(), 30'532'122'624);
    EXPECT_EQ(qwen.shape.dense_layers, 0);
  }
}

TEST(ModelConfig, LatentAttentionAndDenseLayers) {  // DeepSeek V2 Lite: queries without a latent vector
  const ModelConfig config = read(R"({"model_type": "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10944,
    "moe_intermediate_size": 1408, "num_attention_heads": 16, "num_hidden_layers": 27, "num_key_value_heads": 16,
    "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1,
    "q_lora_rank": null, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "vocab_size": 102400})");
  EXPECT_EQ(count_parameters(config.shape).total(), 15'706'484'224);
  EXPECT_EQ(kv_elements_per_token_layer(config.shape), 576);
}

TEST(ModelConfig, Fp8AndPredictionLayer) {
  const ModelConfig config = read(R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "num_attention_heads": 128, "num_hidden_layers": 61, "num_key_value_heads": 128,
    "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
    "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "vocab_size": 129280, "num_nextn_predict_layers": 1,
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})");
  EXPECT_NEAR(count_parameters(config.shape).total() / 671e9, 1, 0.001);
  EXPECT_EQ(config.shape.native, Format::kFp8);
  EXPECT_TRUE(noted(config, "prediction"));
  EXPECT_TRUE(noted(config, "frozen base"));
}

TEST(ModelConfig, GptOss) {
  const ModelConfig config = read(R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880,
    "head_dim": 64, "num_attention_heads": 64, "num_hidden_layers": 4, "num_key_value_heads": 8, "vocab_size": 201088,
    "num_local_experts": 32, "num_experts_per_tok": 4, "attention_bias": true, "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
    "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}})");
  EXPECT_EQ(config.shape.window_layers, 2);
  EXPECT_TRUE(config.shape.expert_bias);
  EXPECT_EQ(config.shape.extra, 4 * 64);
  EXPECT_EQ(config.shape.native, Format::kMxfp4);
}

TEST(ModelConfig, Gpt2Names) {
  const ModelConfig config = read(R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_inner": null,
    "n_positions": 1024, "n_ctx": 1024, "vocab_size": 50257})");
  EXPECT_EQ(count_parameters(config.shape).total(), 124'439'808);
  EXPECT_EQ(config.shape.positions, 1024);
}

TEST(ModelConfig, OlderFamilies) {
  EXPECT_EQ(
      parameters(R"({"model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71, "num_hidden_layers": 32,
    "multi_query": true, "new_decoder_architecture": false, "parallel_attn": true, "bias": false, "vocab_size": 65024})"),
      6'921'720'704);
  EXPECT_EQ(parameters(R"({"model_type": "falcon", "hidden_size": 8192, "num_attention_heads": 128, "num_kv_heads": 8,
    "num_hidden_layers": 60, "new_decoder_architecture": true, "bias": false, "vocab_size": 65024})"),
            41'303'293'952);
  EXPECT_EQ(parameters(R"({"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "expansion_ratio": 4,
    "no_bias": true, "max_seq_len": 2048, "vocab_size": 50432, "attn_config": {"alibi": true}})"),
            6'649'286'656);
  EXPECT_EQ(
      parameters(R"({"model_type": "gpt_neox", "hidden_size": 5120, "intermediate_size": 20480, "vocab_size": 50688,
    "num_attention_heads": 40, "num_hidden_layers": 36, "attention_bias": true, "use_parallel_residual": true})"),
      11'846'072'320);
  EXPECT_EQ(parameters(R"({"model_type": "opt", "hidden_size": 2048, "ffn_dim": 8192, "num_attention_heads": 32,
    "num_hidden_layers": 24, "max_position_embeddings": 2048, "vocab_size": 50272, "word_embed_proj_dim": 2048})"),
            1'315'758'080);
  EXPECT_EQ(
      parameters(R"({"model_type": "bloom", "n_embed": 1024, "n_layer": 24, "n_head": 16, "vocab_size": 250880})"),
      559'214'592);
  EXPECT_EQ(parameters(R"({"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 28, "n_positions": 2048,
    "vocab_size": 50400})"),
            6'050'882'784);
  EXPECT_EQ(parameters(R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "vocab_size": 51200,
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": null, "qk_layernorm": false})"),
            2'779'683'840);
  EXPECT_EQ(
      parameters(R"({"model_type": "starcoder2", "hidden_size": 3072, "intermediate_size": 12288, "use_bias": true,
    "num_attention_heads": 24, "num_hidden_layers": 30, "num_key_value_heads": 2, "vocab_size": 49152,
    "sliding_window": 4096})"),
      3'030'371'328);
  EXPECT_EQ(parameters(R"({"model_type": "chatglm", "hidden_size": 4096, "ffn_hidden_size": 13696, "kv_channels": 128,
    "multi_query_attention": true, "multi_query_group_num": 2, "num_attention_heads": 32, "num_layers": 28,
    "padded_vocab_size": 65024, "add_bias_linear": false, "add_qkv_bias": true, "seq_length": 8192})"),
            6'243'584'000);
  EXPECT_EQ(parameters(R"({"model_type": "cohere", "hidden_size": 12288, "intermediate_size": 33792,
    "num_attention_heads": 96, "num_key_value_heads": 8, "num_hidden_layers": 64, "use_qk_norm": true,
    "vocab_size": 256000})"),
            103'810'674'688);
  EXPECT_EQ(parameters(R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "max_seq_len": 32768,
    "vocab_size": 100352, "attn_config": {"kv_n_heads": 8},
    "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}})"),
            131'596'523'520);
  EXPECT_EQ(
      parameters(R"({"model_type": "stablelm", "hidden_size": 2048, "intermediate_size": 5632, "vocab_size": 100352,
    "num_attention_heads": 32, "num_hidden_layers": 24, "num_key_value_heads": 32, "use_qkv_bias": true})"),
      1'644'515'328);
}

TEST(ModelConfig, SlidingWindowsOfOlmo3) {
  constexpr std::string_view sizes = R"({"model_type": "olmo3", "hidden_size": 4096, "intermediate_size": 11008,
    "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 100278, "sliding_window": 4096})";
  EXPECT_EQ(read(sizes).shape.window_layers, 24);
  EXPECT_EQ(parameters(sizes), 7'298'011'136);
}

TEST(ModelConfig, Encoders) {
  const ModelConfig bert =
      read(R"({"model_type": "bert", "hidden_size": 768, "intermediate_size": 3072, "vocab_size": 30522,
    "num_attention_heads": 12, "num_hidden_layers": 12, "max_position_embeddings": 512, "type_vocab_size": 2})");
  EXPECT_EQ(bert.shape.kind, ModelKind::kEncoder);
  EXPECT_EQ(count_parameters(bert.shape).total(), 109'482'240);
  const ModelConfig vit =
      read(R"({"model_type": "vit", "architectures": ["ViTForImageClassification"], "hidden_size": 768,
    "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12, "image_size": 224, "patch_size": 16,
    "num_channels": 3, "qkv_bias": true, "id2label": {"0": "cat", "1": "dog"}})");
  EXPECT_EQ(vit.shape.kind, ModelKind::kVit);
  EXPECT_EQ(vit.shape.positions, 197);
  EXPECT_EQ(count_parameters(vit.shape).total(), 86'567'656 - 769'000 + 2 * 769);
}

TEST(ModelConfig, UnknownTypeIsReadByGenericNames) {
  const ModelConfig config =
      read(R"({"model_type": "\u001b[31mbrandnew", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "rms_norm_eps": 1e-6})");
  EXPECT_EQ(count_parameters(config.shape).total(), 8'030'261'248);
  EXPECT_NE(config.shape.doubt.find("brandnew"), std::string::npos);
  EXPECT_EQ(config.shape.doubt.find('\x1b'), std::string::npos);
}

TEST(ModelConfig, LinearAttentionKeepsAStateInPlaceOfACache) {
  const ModelConfig config = read(R"({"model_type": "qwen3_next", "hidden_size": 2048, "intermediate_size": 5120,
    "num_attention_heads": 16, "num_hidden_layers": 4, "num_key_value_heads": 2, "head_dim": 256, "vocab_size": 151936,
    "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"]})");
  EXPECT_EQ(config.shape.states.layers, 3);
  // 32 heads of 128 x 128, and three inputs of a convolution over queries, keys and values.
  const double state = 32 * 128 * 128.0 + 3 * 8192;
  EXPECT_EQ(kv_elements(config.shape, 1000), 1000 * 2 * 2 * 256.0 + 3 * state);
}

TEST(ModelConfig, QuantisationMethods) {
  const auto native = [](std::string_view quantisation) {
    return read(std::string(kLlama.substr(0, kLlama.size() - 1)) + R"(, "quantization_config": )" +
                std::string(quantisation) + "}")
        .shape.native;
  };
  EXPECT_EQ(native(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})"), Format::kNf4);
  EXPECT_EQ(native(R"({"quant_method": "bitsandbytes", "load_in_8bit": true, "load_in_4bit": false})"), Format::kInt8);
  EXPECT_EQ(native(R"({"quant_method": "gptq", "bits": 4, "group_size": 128})"), Format::kInt4);
  EXPECT_EQ(native(R"({"quant_method": "awq", "bits": 8})"), Format::kInt8);
  EXPECT_EQ(native(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8,
    "type": "float"}}}})"),
            Format::kFp8);
  EXPECT_EQ(native(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})"), Format::kNvfp4);
  EXPECT_EQ(native(R"({"quant_method": "something"})"), Format::kBf16);
}

/// "config.json:3: hidden_size: ...".
std::string line_of(const std::string& text) {
  const Error error = config_error(text);
  const std::string line = error.place.line > 0 ? ":" + std::to_string(error.place.line) : "";
  return error.place.file + line + ": " + error.message;
}

/// A small llama with more keys, which win over the ones before them.
std::string llama(const std::string& more) {
  return "{\"model_type\": \"llama\", \"hidden_size\": 8, \"num_attention_heads\": 4, \"num_hidden_layers\": 3,\n"
         "\"vocab_size\": 9, " +
         more + "}";
}

TEST(ModelConfig, ErrorsNameKeyAndLine) {
  const std::string wanted = "expected a whole number from 1 to 10,000,000, got ";
  EXPECT_EQ(line_of("{\n \"model_type\": \"llama\", \"num_hidden_layers\": 2,\n \"hidden_size\": -5}"),
            "config.json:3: hidden_size: " + wanted + "'-5'");
  const std::pair<std::string, std::string> sizes[] = {{"0", "'0'"},
                                                       {"1e300", "'1e300'"},
                                                       {"4096.5", "'4096.5'"},
                                                       {"\"4096\"", "'4096'"},
                                                       {"[1]", "a list"},
                                                       {"{}", "an empty map"},
                                                       {"99999999999999999999", "'99999999999999999999'"}};
  for (const auto& [size, got] : sizes)
    EXPECT_EQ(line_of("{\"num_hidden_layers\": 2, \"hidden_size\": " + size + "}"),
              "config.json:1: hidden_size: " + wanted + got);
  EXPECT_EQ(line_of("{\"model_type\": \"llama\"}"),
            "config.json: num_hidden_layers: missing key; expected the Hugging Face configuration of a transformer");
  EXPECT_EQ(line_of(llama("\"layer_types\": [\"full_attention\"]")),
            "config.json:2: layer_types: expected an entry for each of the 3 layers, got 1");
  EXPECT_EQ(line_of(llama("\"num_key_value_heads\": 3")),
            "config.json:2: num_key_value_heads: expected a divisor of the 4 heads, got 3");
  EXPECT_EQ(line_of(llama("\"tie_word_embeddings\": 7")),
            "config.json:2: tie_word_embeddings: expected true or false, got '7'");
  EXPECT_EQ(line_of(R"({"peft_type": "LORA", "base_model_name_or_path": "org/base"})"),
            "config.json: this is an adapter; give its base model (org/base)");
  EXPECT_EQ(line_of(R"({"model_type": "t5", "is_encoder_decoder": true})"),
            "config.json: encoder-decoder models are not supported; describe the work with {custom: {params, "
            "flops_per_sample, ...}}");
}

TEST(ModelConfig, BrokenTexts) {
  EXPECT_EQ(line_of("{\"a\": 1,\n\"b\": }"), "config.json:2: not valid JSON");
  EXPECT_EQ(line_of(""), "config.json: is empty; expected JSON");
  EXPECT_EQ(line_of("[1, 2]"),
            "config.json: expected the configuration of a model ({\"model_type\": ...}), got a list");
  EXPECT_EQ(line_of(std::string(100, '[') + std::string(100, ']')), "config.json: nested deeper than 64 levels");
  EXPECT_EQ(line_of(std::string(20'000'000, ' ')), "config.json: too large (limit 16,000,000 bytes)");
  std::string many = "[1";
  for (int i = 0; i < 600'000; ++i) many += ",1";
  EXPECT_EQ(line_of(many + "]"), "config.json: more than 500,000 values");
  for (const std::string& bad :
       {std::string("\x7f"
                    "ELF\0\1\2",
                    7),
        std::string("{\"hidden_size\": NaN}"), std::string("{\"a\": \"\xff\"}"),
        std::string("{\"hidden_size\": 1e999}"), std::string("{\"a\": 1} x"), std::string("{\"a\": \"\x1b[31m\"}")})
    EXPECT_EQ(line_of(bad), "config.json:1: not valid JSON");
}

TEST(ModelConfig, TextOfTheFileIsHarmless) {
  EXPECT_EQ(line_of(R"({"num_hidden_layers": "\u001b[31m"})"),
            "config.json:1: num_hidden_layers: expected a whole number from 1 to 10,000, got '?[31m'");
  EXPECT_EQ(line_of(R"({"peft_type": "LORA", "base_model_name_or_path": "\u001b]0;x\u0007"})"),
            "config.json: this is an adapter; give its base model (?]0;x?)");
}

}  // namespace
}  // namespace gpuplan
