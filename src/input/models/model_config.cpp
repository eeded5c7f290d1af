#include "input/models/model_config.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "input/models/config_fields.h"
#include "input/models/config_parts.h"
#include "input/models/config_states.h"
#include "input/models/config_storage.h"
#include "input/models/config_windows.h"
#include "input/models/model_families.h"
#include "input/text/json_text.h"

namespace gpuplan {
namespace {

using Keys = std::initializer_list<std::string_view>;

const Keys kLayers = {"num_hidden_layers", "n_layer", "num_layers", "n_layers"};
const Keys kHidden = {"hidden_size", "n_embd", "d_model", "n_embed", "dim"};
const Keys kHeads = {"num_attention_heads", "n_head", "num_heads", "n_heads"};
const Keys kKvHeads = {"num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv"};
const Keys kHeadDim = {"head_dim", "kv_channels", "attention_head_dim"};
const Keys kFfn = {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "hidden_dim"};
const Keys kContext = {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx",
                       "max_sequence_length"};
const Keys kExperts = {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"};
const Keys kPerToken = {"num_experts_per_tok", "num_experts_per_token", "moe_top_k", "experts_per_token"};

// Larger than in any real network, and small enough that products of them are numbers.
constexpr int kMostUnits = 100'000'000;
constexpr int kMostHidden = 10'000'000;
constexpr int kMostHeads = 10'000;
constexpr int kMostHeadDim = 65'536;

class ConfigReader {
 public:
  ConfigReader(Fields& fields, const Fields& top, ModelConfig& out)
      : fields_(fields), top_(top), out_(out), shape_(out.shape) {}

  void read() {
    const std::string_view type = out_.model_type;
    if (const ModelFamily* known = find_family(type)) {
      family_ = *known;
    } else {
      guess_family(type);
    }
    widths();
    norms_and_biases();
    tables();
    if (shape_.kind == ModelKind::kVit) image();
    latent_attention();
    experts();
    const LayerKinds kinds = read_layer_kinds(fields_, out_.model_type, shape_.layers, out_);
    read_states(fields_, out_.model_type, kinds, out_);
    if (fields_.has("block_configs")) read_block_configs(fields_, out_);
    read_windows(fields_, family_, kinds, out_);
    head();
    extras();
    read_storage(fields_, top_, out_);
  }

 private:
  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  /// The generic names are enough for an ordinary decoder; what they do not tell is taken from the keys' spelling.
  void guess_family(std::string_view type) {
    if (const std::string_view key = unread_layers(fields_); !key.empty())
      return fields_.fail(
          key, "layers of models of type '" + printable(type, 40) +
                   "' are not read; give the size instead: --params 9B, {params: 9B, layers: 32, hidden: 4096}");
    out_.shape.doubt = "model_type " +
                       (type.empty() ? std::string("is missing") : "'" + printable(type, 40) + "' is unknown") +
                       ": read as an ordinary decoder";
    const bool layer_norm =
        !fields_.has("rms_norm_eps") && (fields_.has("layer_norm_eps") || fields_.has("layer_norm_epsilon"));
    if (layer_norm) family_.norm = NormKind::kLayer;
    const std::string_view activation = fields_.word({"hidden_act", "activation_function", "hidden_activation"});
    if (layer_norm && (activation.starts_with("gelu") || activation.starts_with("relu"))) family_.gated = false;
    family_.window = WindowRule::kFlag;
  }

  void widths() {
    shape_.kind = family_.kind;
    shape_.layers = fields_.required(kLayers, 10'000);
    shape_.hidden = fields_.required(kHidden, kMostHidden);
    shape_.embedding_width = fields_.integer({"embedding_size", "word_embed_proj_dim"}, 0, kMostHidden);
    if (shape_.embedding_width == shape_.hidden) shape_.embedding_width = 0;
    // Only layers with a state: heads say how their width divides over GPUs.
    if (family_.type == "mamba" || family_.type == "falcon_mamba") shape_.heads = std::max(1, 2 * shape_.hidden / 64);
    else shape_.heads = fields_.required(kHeads, kMostHeads);
    shape_.kv_heads = fields_.integer(kKvHeads, 0, kMostHeads);
    if (family_.type == "falcon" && !fields_.flag("new_decoder_architecture", false))
      shape_.kv_heads = fields_.flag("multi_query", true) ? 1 : shape_.heads;
    if (family_.type == "gpt_bigcode" && fields_.flag("multi_query", true)) shape_.kv_heads = 1;
    if (const Fields inner = fields_.inside("attn_config"); inner.valid())
      shape_.kv_heads = inner.integer({"kv_n_heads"}, shape_.kv_heads, kMostHeads);
    if (family_.type == "chatglm" && !fields_.flag("multi_query_attention", true)) shape_.kv_heads = 0;
    if (shape_.kv_heads == 0) shape_.kv_heads = shape_.heads;
    if (shape_.heads % shape_.kv_heads != 0) {
      fields_.fail("num_key_value_heads", "expected a divisor of the " + std::to_string(shape_.heads) + " heads, got " +
                                              std::to_string(shape_.kv_heads));
      shape_.kv_heads = shape_.heads;
    }
    shape_.head_dim = fields_.integer(kHeadDim, 0, kMostHeadDim);
    if (shape_.head_dim == 0 && shape_.heads > 0) shape_.head_dim = std::max(1, shape_.hidden / shape_.heads);
    shape_.gated = family_.gated;
    shape_.ffn = fields_.integer(kFfn, 0, kMostUnits);
    if (shape_.ffn == 0) shape_.ffn = fields_.integer({"expansion_ratio", "mlp_ratio"}, 4, 100) * shape_.hidden;
    if (fields_.flag("use_swiglu_ffn", false)) {  // DINOv2 keeps the parameters: two thirds, rounded up to eight
      shape_.gated = true;
      shape_.ffn = (shape_.ffn / 3 * 2 + 7) / 8 * 8;
    }
    if (family_.type == "nomic_bert") shape_.gated = fields_.word({"activation_function"}) == "swiglu";
    if (family_.type == "albert")  // layers of a group share their weights
      shape_.repeats = std::max(1, shape_.layers / std::max(1, fields_.integer({"num_hidden_groups"}, 1, 10'000)));
    shape_.layers = std::max(1, shape_.layers / shape_.repeats);
  }

  void norms_and_biases() {
    shape_.norm = family_.norm;
    shape_.norms_per_layer = family_.norms;
    if (family_.type == "falcon") shape_.norms_per_layer = falcon_norms();
    if (family_.type.starts_with("stablelm") && fields_.flag("use_parallel_residual", false))
      shape_.norms_per_layer = 1;
    if (family_.type == "mpt" && !fields_.flag("no_bias", true)) {
      shape_.norm = NormKind::kLayer;
      shape_.attention_bias = BiasKind::kAll;
      shape_.mlp_bias = true;
    }
    shape_.final_norm = family_.kind != ModelKind::kEncoder || family_.type == "modernbert";

    shape_.attention_bias = family_.bias;
    shape_.mlp_bias = family_.mlp_bias;
    for (const std::string_view key : {"attention_bias", "use_qkv_bias", "qkv_bias", "add_qkv_bias"})
      if (fields_.has(key)) shape_.attention_bias = fields_.flag(key, false) ? attention_bias_on() : BiasKind::kNone;
    for (const std::string_view key : {"use_bias", "bias", "add_bias_linear"})
      if (fields_.has(key) && family_.type != "mpt" && shape_.kind != ModelKind::kVit) {
        const bool on = fields_.flag(key, false);
        if (key != "add_bias_linear" || on) shape_.attention_bias = on ? BiasKind::kAll : BiasKind::kNone;
        shape_.mlp_bias = on;
      }
    shape_.mlp_bias = fields_.flag("mlp_bias", shape_.mlp_bias);

    shape_.qk_norm = family_.qk_norm;
    if (family_.type == "glm4_moe" && fields_.flag("use_qk_norm", false)) shape_.qk_norm = QkNorm::kHead;
    if (fields_.flag("use_qk_norm", false) && shape_.qk_norm == QkNorm::kNone) shape_.qk_norm = QkNorm::kFull;
    if (fields_.flag("qk_layernorm", false))
      shape_.qk_norm = family_.type.starts_with("stablelm") ? QkNorm::kFull : QkNorm::kHead;
  }

  BiasKind attention_bias_on() const { return family_.bias == BiasKind::kQkv ? BiasKind::kQkv : family_.bias_on; }

  int falcon_norms() {
    if (fields_.flag("new_decoder_architecture", false)) return fields_.integer({"num_ln_in_parallel_attn"}, 2, 2);
    return fields_.flag("parallel_attn", true) ? 1 : 2;
  }

  void tables() {
    const bool vit = shape_.kind == ModelKind::kVit;
    if (!vit && fields_.has("padded_vocab_size")) shape_.vocab = fields_.required({"padded_vocab_size"}, kMostUnits);
    else if (!vit) shape_.vocab = fields_.required({"vocab_size"}, kMostUnits);
    shape_.max_context = fields_.integer(kContext, 0, 1'000'000'000);
    if (family_.learned_positions && !vit) shape_.positions = shape_.max_context + family_.position_offset;
    shape_.token_types = family_.kind == ModelKind::kEncoder ? fields_.integer({"type_vocab_size"}, 0, kMostUnits) : 0;
    shape_.tied = fields_.flag("tie_word_embeddings", top_.flag("tie_word_embeddings", family_.tied));
    if (family_.kind == ModelKind::kEncoder || vit) shape_.tied = true;
  }

  void image() {
    shape_.image = fields_.required({"image_size"}, 100'000);
    shape_.patch = fields_.required({"patch_size"}, 100'000);
    shape_.channels = fields_.integer({"num_channels"}, 3, 10'000);
    const int side = shape_.patch > 0 ? shape_.image / shape_.patch : 0;
    if (side > 10'000) return fields_.fail("patch_size", "more than 100,000,000 patches in an image");
    shape_.positions = side * side + (family_.class_token ? 1 : 0);
    shape_.max_context = shape_.positions;
  }

  void latent_attention() {
    shape_.kv_lora_rank = fields_.integer({"kv_lora_rank"}, 0, kMostUnits);
    if (!shape_.mla()) return;
    shape_.q_lora_rank = fields_.integer({"q_lora_rank"}, 0, kMostUnits);
    shape_.qk_nope_dim = fields_.required({"qk_nope_head_dim"}, kMostHeadDim);
    shape_.qk_rope_dim = fields_.required({"qk_rope_head_dim"}, kMostHeadDim);
    shape_.v_dim = fields_.required({"v_head_dim"}, kMostHeadDim);
    shape_.head_dim = shape_.qk_nope_dim + shape_.qk_rope_dim;
    shape_.attention_bias = BiasKind::kNone;
  }

  void experts() {
    const Fields nested = fields_.inside("ffn_config");  // DBRX
    const Fields& from = nested.valid() && nested.has("moe_num_experts") ? nested : fields_;
    shape_.experts = from.integer(kExperts, 0, 1'000'000);
    if (shape_.experts <= 1) {
      shape_.experts = 0;
      // Granite 4 without experts keeps the one that every token passes.
      if (family_.type == "granitemoehybrid")
        shape_.ffn = fields_.integer({"shared_intermediate_size"}, shape_.ffn, kMostUnits);
      return;
    }
    shape_.experts_per_token = std::min(from.integer(kPerToken, 2, 1'000'000), shape_.experts);
    shape_.expert_ffn = from.integer({"moe_intermediate_size", "expert_ffn_hidden_size"}, 0, kMostUnits);
    if (shape_.expert_ffn == 0) shape_.expert_ffn = from.integer(kFfn, shape_.ffn, kMostUnits);
    if (family_.ffn_is_expert && !from.has("moe_intermediate_size")) shape_.ffn = shape_.expert_ffn;
    if (family_.type == "gpt_oss") shape_.expert_bias = true;

    const int shared = fields_.integer({"n_shared_experts", "num_shared_experts"}, 0, 10'000);
    shape_.shared_ffn = std::min(shared, kMostUnits / std::max(1, shape_.expert_ffn)) * shape_.expert_ffn;
    shape_.shared_ffn =
        fields_.integer({"shared_expert_intermediate_size", "shared_intermediate_size"}, shape_.shared_ffn, kMostUnits);
    shape_.dense_layers = std::min(fields_.integer({"first_k_dense_replace"}, 0, 10'000), shape_.layers);
    if (const int period = fields_.integer({"expert_layer_period"}, 0, 10'000); period > 0) {  // Jamba
      const int offset = fields_.integer({"expert_layer_offset"}, 0, 10'000);
      const int sparse = offset < shape_.layers ? (shape_.layers - offset - 1) / period + 1 : 0;
      shape_.dense_layers = shape_.layers - sparse;
    }
    if (family_.type == "llama4_text") {
      shape_.shared_ffn = shape_.expert_ffn;
      shape_.ffn = fields_.integer({"intermediate_size_mlp"}, shape_.ffn, kMostUnits);
      const int step = std::max(1, fields_.integer({"interleave_moe_layer_step"}, 1, 10'000));
      shape_.dense_layers = shape_.layers - shape_.layers / step;
    }
    const int step = std::max(1, fields_.integer({"decoder_sparse_step"}, 1, 10'000));
    if (step > 1 || fields_.length_of("mlp_only_layers") > 0)
      shape_.dense_layers =
          std::min(shape_.layers, shape_.layers - shape_.layers / step + fields_.length_of("mlp_only_layers"));
  }

  /// What follows the last layer, by the class that the checkpoint was saved from.
  void head() {
    const auto saved_from = [&](std::string_view part) {
      return fields_.contains("architectures", part) || top_.contains("architectures", part);
    };
    if (shape_.kind == ModelKind::kVit) return;
    if (saved_from("ForSequenceClassification") || saved_from("ForTokenClassification") ||
        saved_from("ForRewardModel")) {
      const int named = std::max(fields_.length_of("id2label"), top_.length_of("id2label"));
      shape_.labels = fields_.integer({"num_labels"}, named > 0 ? named : 2, 1'000'000);
      return;
    }
    // "LlamaModel" is a network without a head. Those of GLM have one and are called so all the same.
    const std::string_view saved = fields_.first_word("architectures");
    shape_.headless = shape_.kind == ModelKind::kDecoder && saved.ends_with("Model") &&
                      !saved.ends_with("LMHeadModel") && family_.type != "chatglm";
  }

  /// Of vision transformers: what their own code has beside patches, positions and layers.
  void vision_extras() {
    const double hidden = shape_.hidden;
    if (!family_.class_token) shape_.extra -= hidden;
    if (!family_.patch_bias) shape_.extra -= hidden;
    if (family_.type == "dinov2")
      shape_.extra += hidden + 2.0 * shape_.layers * hidden;  // mask token, scales of layers
    if (family_.attentive_pool) {
      // A query of its own, attention with biases, a norm and an MLP (Zhai et al. 2022, arXiv:2106.04560).
      const double ffn = shape_.ffn;
      shape_.extra += hidden + 4 * hidden * (hidden + 1) + 2 * hidden + 2 * hidden * ffn + ffn + hidden;
    }
    if (fields_.contains("architectures", "ForImageClassification")) {
      const int classes = std::max(2, fields_.length_of("id2label"));
      shape_.extra += classes * (hidden + 1);
    }
  }

  /// Parameters outside the formula of ModelShape.
  void extras() {
    const double hidden = shape_.hidden, layers = shape_.layers;
    const double moe_layers = shape_.moe_layers();
    if (family_.embedding_norm) shape_.extra += 2 * hidden;
    if (family_.pooler) shape_.extra += hidden * (hidden + 1);
    if (const double width = shape_.embedding_width; width > 0) {
      const bool both_ways = family_.type == "opt";  // whose positions are as wide as the layers
      shape_.extra += both_ways ? 2 * width * hidden + shape_.positions * (hidden - width) : (width + 1) * hidden;
      if (family_.embedding_norm) shape_.extra -= 2 * (hidden - width);
    }
    if (family_.type == "deberta-v2")
      shape_.extra += 2.0 * fields_.integer({"position_buckets"}, 256, 1'000'000) * hidden;
    if (family_.type == "qwen3_next" || family_.type.starts_with("qwen3_5")) {
      shape_.extra += shape_.attention_layers() * hidden * shape_.q_width();  // gate of the attention's output
      shape_.extra += moe_layers * hidden;                                    // gate of the shared expert
    }
    if (family_.head_bias || fields_.flag("lm_head_bias", false)) shape_.extra += shape_.vocab;
    if (family_.type == "gpt_neo") shape_.extra += layers * hidden;        // only the attention output has a bias
    if (family_.type == "gpt_oss") shape_.extra += layers * shape_.heads;  // attention sinks
    if (family_.type == "qwen2_moe") shape_.extra += moe_layers * hidden;  // gate of the shared expert
    if (family_.score_bias) shape_.extra += moe_layers * shape_.experts;
    if (shape_.kind == ModelKind::kVit) vision_extras();
    if (fields_.integer({"num_nextn_predict_layers", "mtp_num_hidden_layers"}, 0, 10'000) > 0)
      note("multi-token prediction layers are not counted");
  }

  Fields& fields_;
  const Fields& top_;
  ModelConfig& out_;
  ModelShape& shape_;
  ModelFamily family_;
};

}  // namespace

Result<ModelConfig> read_model_config(std::string_view json, const std::string& file) {
  Result<Tree> tree = parse_json(json, file);
  if (!tree) return std::unexpected(tree.error());
  if (!tree->is_map())
    return failure("expected the configuration of a model ({\"model_type\": ...}), got " + got_text(*tree), {file});

  std::vector<std::string> defaults = add_defaults(*tree);
  FieldError error;
  const Fields top(*tree, json, file, error);
  if (top.has("peft_type"))
    return failure(
        "this is an adapter; give its base model" +
            (top.has("base_model_name_or_path") ? " (" + printable(top.word({"base_model_name_or_path"}), 100) + ")"
                                                : std::string()),
        {file});
  if (top.flag("is_encoder_decoder", false))
    return failure(
        "encoder-decoder models are not supported; describe the work with {custom: {params, flops_per_sample, "
        "...}}",
        {file});

  ModelConfig config;
  config.notes = std::move(defaults);
  Fields fields = language_part(top);
  const bool sees = top.inside("vision_config").valid(), hears = top.inside("audio_config").valid();
  config.model_type = std::string(fields.word({"model_type"}));
  if (config.model_type.empty()) config.model_type = std::string(top.word({"model_type"}));
  ConfigReader(fields, top, config).read();
  if (sees || hears) {
    config.shape.uncounted = sees && hears ? "vision and audio towers" : sees ? "vision tower" : "audio tower";
    config.shape.beside = vision_parameters(top, config.shape.hidden);
    if (sees && !hears && config.shape.beside > 0)
      config.shape.uncounted += " of about " + count_short(config.shape.beside) + " parameters";
  }
  if (error.first) return std::unexpected(*error.first);
  return config;
}

}  // namespace gpuplan
