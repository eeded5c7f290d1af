// The shape of a network: what decides its parameters, its work and its memory.
#pragma once

#include <string>

#include "base/names.h"
#include "base/units.h"
#include "domain/hardware/precision.h"

namespace gpuplan {

/// kDit: a diffusion transformer, whose modulation (adaLN) makes scales and shifts of a sample's condition.
enum class ModelKind { kDecoder, kEncoder, kVit, kDit };

template <>
struct Names<ModelKind> {
  static constexpr std::array entries = {
      Named<ModelKind>{ModelKind::kDecoder, "decoder"},
      Named<ModelKind>{ModelKind::kEncoder, "encoder"},
      Named<ModelKind>{ModelKind::kVit, "vit"},
      Named<ModelKind>{ModelKind::kDit, "dit"},
  };
};

enum class NormKind { kRms, kLayer, kLayerNoBias, kNoParameters };

template <>
struct Names<NormKind> {
  static constexpr std::array entries = {
      Named<NormKind>{NormKind::kRms, "rms"},
      Named<NormKind>{NormKind::kLayer, "layer"},
      Named<NormKind>{NormKind::kLayerNoBias, "layer-nobias"},
      Named<NormKind>{NormKind::kNoParameters, "none-parametric"},
  };
};

enum class BiasKind { kNone, kQkv, kAll };

template <>
struct Names<BiasKind> {
  static constexpr std::array entries = {
      Named<BiasKind>{BiasKind::kNone, "none"},
      Named<BiasKind>{BiasKind::kQkv, "qkv"},
      Named<BiasKind>{BiasKind::kAll, "all"},
  };
};

enum class QkNorm { kNone, kHead, kFull };

template <>
struct Names<QkNorm> {
  static constexpr std::array entries = {
      Named<QkNorm>{QkNorm::kNone, "none"},
      Named<QkNorm>{QkNorm::kHead, "head"},
      Named<QkNorm>{QkNorm::kFull, "full"},
  };
};

/// Layers that keep a state of fixed size for each sequence: Mamba, gated delta nets, lightning attention, short
/// convolutions. Their input passes one wide product, a recurrence that is cheap beside it, and a product back.
struct StateLayers {
  int layers = 0;       ///< of the network's layers, in place of attention or beside it
  int projected = 0;    ///< columns of the first product
  int inner = 0;        ///< width that the second one reads
  double other = 0;     ///< parameters of a layer besides these two matrices
  double elements = 0;  ///< of the state of one sequence in one layer

  bool operator==(const StateLayers&) const = default;
};

/// A transformer. Widths are in elements; counts are plain numbers.
struct ModelShape {
  std::string name;
  ModelKind kind = ModelKind::kDecoder;

  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;   ///< query and key width of a head; hidden / heads unless the model says otherwise
  int ffn = 0;        ///< width of the dense MLP (of the dense layers of a mixture of experts)
  bool gated = true;  ///< three matrices (SwiGLU, GeGLU) or two
  int vocab = 0;
  bool tied = false;  ///< embedding and head share their weights
  int positions = 0;  ///< rows of a learned position table; 0 for rotary and ALiBi
  int token_types = 0;
  int max_context = 0;  ///< tokens; 0 unknown
  BiasKind attention_bias = BiasKind::kNone;
  bool mlp_bias = false;
  NormKind norm = NormKind::kRms;
  int norms_per_layer = 2;
  QkNorm qk_norm = QkNorm::kNone;
  bool final_norm = true;

  // Mixture of experts; experts == 0 means a dense MLP.
  int experts = 0;
  int experts_per_token = 0;
  int expert_ffn = 0;
  int shared_ffn = 0;    ///< total width of the experts every token passes
  int dense_layers = 0;  ///< leading layers with a dense MLP
  bool expert_bias = false;

  // Multi-head latent attention (DeepSeek V2); kv_lora_rank == 0 means ordinary attention.
  int q_lora_rank = 0;  ///< 0: queries are projected directly
  int kv_lora_rank = 0;
  int qk_nope_dim = 0;
  int qk_rope_dim = 0;
  int v_dim = 0;

  // Sliding-window attention; window == 0 means that every layer sees everything.
  int window = 0;
  int window_layers = 0;

  // Layers that are not attention and an MLP: all zero in an ordinary transformer.
  StateLayers states;
  int attention_free = 0;   ///< layers without attention
  int mlp_free = 0;         ///< layers without an MLP, of those without experts
  int repeats = 1;          ///< times the layers are run with the same weights (ALBERT)
  int embedding_width = 0;  ///< of the table of tokens where it is narrower than the layers; 0: as wide
  int labels = 0;           ///< outputs of a classifier in place of the output matrix; 0: it has a language head
  bool headless = false;    ///< ends with its last layer: embedding models and backbones

  // Vision transformers.
  int image = 0, patch = 0, channels = 0;

  double extra = 0;       ///< parameters outside the formula (pooler, classifier, sinks)
  std::string uncounted;  ///< what comes with it and is no part of the shape: "vision tower of about 0.7B parameters"
  double beside = 0;      ///< parameters of that, which lie in memory where the model generates; 0: unknown, or none
  std::string doubt;      ///< what its description says and the shape can not hold; a sentence, empty when all is read
  double published = 0;   ///< published parameter count, or what the user said; 0 unknown
  double active_published = 0;
  Format native = Format::kBf16;

  /// Nobody said these: complete() took what models of this size usually have.
  bool heads_guessed = false, ffn_guessed = false, vocab_guessed = false;

  bool mla() const { return kv_lora_rank > 0; }
  bool moe() const { return experts > 0; }
  int moe_layers() const { return moe() ? layers - dense_layers : 0; }
  int mlp_layers() const { return (moe() ? dense_layers : layers) - mlp_free; }  ///< with a dense MLP
  int attention_layers() const { return layers - attention_free; }
  /// Every layer is attention and an MLP of its own, and a language head follows.
  bool plain() const {
    return states.layers == 0 && attention_free == 0 && mlp_free == 0 && repeats == 1 && labels == 0 && !headless;
  }
  bool scores_tokens() const { return kind == ModelKind::kDecoder && labels == 0 && !headless; }
  int q_width() const { return heads * head_dim; }
  int kv_width() const { return kv_heads * head_dim; }
  bool operator==(const ModelShape&) const = default;
};

/// Parameters by part; the parts always add up to total().
struct ParameterCount {
  double embedding = 0;  ///< token, position and type tables, patch projection
  double attention = 0;  ///< all layers
  double mlp = 0;        ///< dense MLPs, all layers
  double experts = 0;    ///< routed experts, all layers
  double shared = 0;     ///< shared experts and routers
  double norms = 0;
  double head = 0;  ///< untied output matrix; 0 when tied
  double extra = 0;
  double active = 0;  ///< parameters one token meets (all for dense models)

  double total() const { return embedding + attention + mlp + experts + shared + norms + head + extra; }
};

ParameterCount count_parameters(const ModelShape& shape);

/// Elements that the cache keeps for one token in one layer (keys and values; the latent vector under MLA).
double kv_elements_per_token_layer(const ModelShape& shape);
/// Elements of the states of one sequence, however long it is.
double state_elements(const ModelShape& shape);

/// Elements of KV cache for a sequence of this many tokens over all layers, sliding windows and states honoured.
double kv_elements(const ModelShape& shape, double tokens);

/// Fills what follows from other fields (kv_heads, head_dim, ffn, ...) in a shape given by hand.
void complete(ModelShape& shape);

/// What in a complete shape can not be: heads that do not share evenly, more experts chosen than there are.
/// "" when all is well.
std::string contradiction(const ModelShape& shape);

}  // namespace gpuplan
