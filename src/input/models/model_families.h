// What the `model_type` of a Hugging Face configuration implies without saying so in the file.
#pragma once

#include <string_view>

#include "domain/work/model_shape.h"

namespace gpuplan {

/// Which layers see only a sliding window, when `layer_types` does not say it.
enum class WindowRule {
  kNever,
  kAll,          ///< all, when sliding_window is a number
  kFlag,         ///< all, but only with use_sliding_window
  kAlternate,    ///< every second
  kAllButEvery,  ///< all but every n-th; n is sliding_window_pattern, else the family's
};

struct ModelFamily {
  std::string_view type;
  ModelKind kind = ModelKind::kDecoder;
  bool tied = false;  ///< when tie_word_embeddings is absent
  bool gated = true;
  NormKind norm = NormKind::kRms;
  int norms = 2;
  BiasKind bias = BiasKind::kNone;    ///< when no key says otherwise
  BiasKind bias_on = BiasKind::kAll;  ///< what a true attention_bias means
  bool mlp_bias = false;
  QkNorm qk_norm = QkNorm::kNone;
  bool learned_positions = false;
  int position_offset = 0;  ///< rows of the position table beyond the longest context
  WindowRule window = WindowRule::kNever;
  int full_every = 0;           ///< for kAllButEvery
  bool ffn_is_expert = false;   ///< intermediate_size is the width of an expert
  bool head_bias = false;       ///< the output matrix has a bias
  bool embedding_norm = false;  ///< a norm follows the embedding
  bool pooler = false;          ///< a dense layer on the first token
  bool score_bias = false;      ///< a correction bias for each routed expert
  bool class_token = true;      ///< vision: a token stands before the patches
  bool patch_bias = true;       ///< vision: the projection of patches has a bias
  bool attentive_pool = false;  ///< vision: a layer with one learned query pools the patches
};

/// Nullptr for a type not known here.
const ModelFamily* find_family(std::string_view model_type);

}  // namespace gpuplan
