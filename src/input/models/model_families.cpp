#include "input/models/model_families.h"

#include <algorithm>

namespace gpuplan {
namespace {

constexpr auto kLayer = NormKind::kLayer;
constexpr auto kNoBias = NormKind::kLayerNoBias;
constexpr auto kQkv = BiasKind::kQkv;

// Class defaults of Hugging Face transformers: configuration_*.py for the keys, modeling_*.py for biases and norms.

/// GPT-2 and those made after it: two matrices, biases and LayerNorm everywhere, embedding and output tied.
constexpr ModelFamily like_gpt2(std::string_view type) {
  ModelFamily family{.type = type, .tied = true, .gated = false, .norm = kLayer};
  family.bias = BiasKind::kAll;
  family.mlp_bias = true;
  family.learned_positions = true;
  return family;
}

constexpr ModelFamily like_bert(std::string_view type) {
  ModelFamily family = like_gpt2(type);
  family.kind = ModelKind::kEncoder;
  family.embedding_norm = true;
  family.pooler = true;
  return family;
}

/// Qwen2: biases of queries, keys and values; its sliding window is off unless a flag says otherwise.
constexpr ModelFamily like_qwen2(std::string_view type) {
  ModelFamily family{.type = type, .bias = kQkv, .bias_on = kQkv};
  family.window = WindowRule::kFlag;
  return family;
}

constexpr ModelFamily like_qwen3(std::string_view type) {
  return {.type = type, .qk_norm = QkNorm::kHead, .window = WindowRule::kFlag};
}

constexpr ModelFamily like_gemma3(std::string_view type) {
  ModelFamily family{.type = type, .tied = true, .norms = 4, .qk_norm = QkNorm::kHead};
  family.window = WindowRule::kAllButEvery;
  family.full_every = 6;
  return family;
}

constexpr ModelFamily like_phi() {
  ModelFamily family = like_gpt2("phi");
  family.tied = family.learned_positions = false;
  family.norms = 1;
  family.head_bias = true;
  return family;
}

constexpr ModelFamily like_opt() {
  ModelFamily family = like_gpt2("opt");
  family.position_offset = 2;
  return family;
}

/// As GPT-2, but positions are not learned.
constexpr ModelFamily rotary(ModelFamily family) {
  family.learned_positions = false;
  return family;
}

constexpr ModelFamily with_embedding_norm(ModelFamily family) {
  family.embedding_norm = true;
  return family;
}

constexpr ModelFamily untied(ModelFamily family) {
  family.tied = false;
  return family;
}

/// As BERT, with relative positions, whose table all layers share (He et al. 2021, arXiv:2111.09543).
constexpr ModelFamily like_deberta(std::string_view type) {
  ModelFamily family = like_bert(type);
  family.pooler = family.learned_positions = false;
  return family;
}

/// As BERT, but rotary and gated, without biases but those of norms.
constexpr ModelFamily like_nomic() {
  ModelFamily family{.type = "nomic_bert", .kind = ModelKind::kEncoder, .tied = true, .norm = kLayer};
  family.embedding_norm = true;
  return family;
}

constexpr ModelFamily like_siglip() {
  ModelFamily family = like_gpt2("siglip_vision_model");
  family.kind = ModelKind::kVit;
  family.class_token = false;
  family.attentive_pool = true;
  return family;
}

constexpr ModelFamily like_clip_vision() {
  ModelFamily family = like_gpt2("clip_vision_model");
  family.kind = ModelKind::kVit;
  family.patch_bias = false;
  family.embedding_norm = true;
  return family;
}

constexpr ModelFamily without_pooler(ModelFamily family) {
  family.pooler = false;
  return family;
}

constexpr ModelFamily of_kind(ModelKind kind, ModelFamily family) {
  family.kind = kind;
  return family;
}

constexpr ModelFamily with_window(WindowRule rule, ModelFamily family) {
  family.window = rule;
  return family;
}

constexpr ModelFamily kFamilies[] = {
    {.type = "llama"},
    {.type = "llama4_text", .window = WindowRule::kAllButEvery, .full_every = 4, .ffn_is_expert = true},
    {.type = "mistral", .window = WindowRule::kAll},
    {.type = "mixtral", .window = WindowRule::kAll, .ffn_is_expert = true},
    {.type = "smollm3", .tied = true},
    {.type = "internlm2"},
    {.type = "baichuan"},
    {.type = "granite"},
    {.type = "granitemoe", .ffn_is_expert = true},
    {.type = "seed_oss", .bias_on = kQkv},
    like_qwen2("qwen2"),
    like_qwen2("qwen2_moe"),
    like_qwen2("qwen2_5_vl_text"),
    like_qwen2("qwen2_vl_text"),
    like_qwen2("qwen2_vl"),
    like_qwen2("qwen2_5_vl"),
    like_qwen3("qwen3"),
    like_qwen3("qwen3_moe"),
    like_qwen3("qwen3_next"),
    like_qwen3("qwen3_vl_text"),
    like_qwen3("qwen3_vl_moe_text"),
    like_qwen3("qwen3_5_text"),
    like_qwen3("qwen3_5_moe_text"),
    {.type = "gemma", .tied = true},
    {.type = "gemma2", .tied = true, .norms = 4, .window = WindowRule::kAlternate},
    like_gemma3("gemma3"),
    like_gemma3("gemma3_text"),
    like_phi(),
    {.type = "phi3", .window = WindowRule::kAll},
    {.type = "phimoe", .norm = kLayer, .window = WindowRule::kAll, .ffn_is_expert = true},
    {.type = "olmo", .norm = NormKind::kNoParameters},
    {.type = "olmo2", .qk_norm = QkNorm::kFull},
    {.type = "olmo3", .qk_norm = QkNorm::kFull, .window = WindowRule::kAllButEvery, .full_every = 4},
    {.type = "olmoe", .qk_norm = QkNorm::kFull, .ffn_is_expert = true},
    {.type = "deepseek"},
    {.type = "deepseek_v2"},
    {.type = "deepseek_v3", .score_bias = true},
    {.type = "deepseek_v32", .score_bias = true},
    {.type = "kimi_k2", .score_bias = true},
    {.type = "gpt_oss", .bias = BiasKind::kAll, .window = WindowRule::kAlternate, .ffn_is_expert = true},
    {.type = "chatglm", .bias = kQkv, .bias_on = kQkv},
    {.type = "glm", .bias = kQkv, .bias_on = kQkv},
    {.type = "glm4", .norms = 4, .bias_on = kQkv},
    {.type = "glm4_moe", .bias_on = kQkv, .score_bias = true},
    {.type = "minimax_m2", .ffn_is_expert = true, .score_bias = true},
    like_gpt2("gpt2"),
    like_gpt2("gpt_bigcode"),
    {.type = "gpt_neo", .tied = true, .gated = false, .norm = kLayer, .mlp_bias = true, .learned_positions = true},
    untied(rotary(like_gpt2("gpt_neox"))),
    {.type = "gptj", .gated = false, .norm = kLayer, .norms = 1, .mlp_bias = true, .head_bias = true},
    like_opt(),
    with_embedding_norm(rotary(like_gpt2("bloom"))),
    {.type = "falcon", .tied = true, .gated = false, .norm = kLayer},
    {.type = "mpt", .tied = true, .gated = false, .norm = kNoBias},
    with_window(WindowRule::kAll, rotary(like_gpt2("starcoder2"))),
    {.type = "stablelm", .norm = kLayer, .bias_on = kQkv},
    {.type = "stablelm_epoch", .norm = kLayer, .bias_on = kQkv},
    {.type = "cohere", .tied = true, .norm = kNoBias, .norms = 1},
    {.type = "cohere2", .tied = true, .norm = kNoBias, .norms = 1, .window = WindowRule::kAllButEvery, .full_every = 4},
    {.type = "jamba"},
    {.type = "mamba", .tied = true},
    {.type = "mamba2"},
    {.type = "falcon_mamba", .tied = true},
    {.type = "falcon_h1"},
    {.type = "bamba"},
    {.type = "nemotron_h", .gated = false},
    {.type = "nemotron-nas"},
    {.type = "granitemoehybrid", .ffn_is_expert = true},
    {.type = "kimi_linear", .score_bias = true},
    {.type = "minimax_text_01", .ffn_is_expert = true},
    {.type = "minimax", .ffn_is_expert = true},
    {.type = "dbrx", .norm = kNoBias, .ffn_is_expert = true},
    {.type = "nemotron", .gated = false, .norm = kLayer},
    like_bert("bert"),
    like_bert("roberta"),
    like_bert("xlm-roberta"),
    like_bert("camembert"),
    without_pooler(like_bert("distilbert")),
    without_pooler(like_bert("electra")),
    like_bert("albert"),
    like_deberta("deberta-v2"),
    like_nomic(),
    {.type = "modernbert", .kind = ModelKind::kEncoder, .tied = true, .norm = kNoBias},
    of_kind(ModelKind::kVit, like_gpt2("vit")),
    of_kind(ModelKind::kVit, like_gpt2("dinov2")),
    like_siglip(),
    like_clip_vision(),
    of_kind(ModelKind::kEncoder, like_gpt2("clip_text_model")),
    of_kind(ModelKind::kEncoder, like_gpt2("siglip_text_model")),
};

}  // namespace

const ModelFamily* find_family(std::string_view model_type) {
  const auto* found = std::ranges::find(kFamilies, model_type, &ModelFamily::type);
  return found == std::end(kFamilies) ? nullptr : found;
}

}  // namespace gpuplan
