#include "domain/work/model_shape.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/whole.h"

namespace gpuplan {
namespace {

/// Parameters of one normalisation over `width` elements.
double norm_size(NormKind kind, double width) {
  switch (kind) {
    case NormKind::kRms:
    case NormKind::kLayerNoBias:
      return width;
    case NormKind::kLayer:
      return 2 * width;
    case NormKind::kNoParameters:
      return 0;
  }
  return width;
}

/// One MLP of this inner width: up and down, and a gate when gated; a bias for each output.
double mlp_size(const ModelShape& shape, double width, bool bias) {
  const double matrices = shape.gated ? 3 : 2;
  double size = matrices * shape.hidden * width;
  if (bias) size += (matrices - 1) * width + shape.hidden;
  return size;
}

/// Projections of one layer. Under latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1) keys and values come
/// from a latent vector of kv_lora_rank and a rotary part that all heads share.
double attention_size(const ModelShape& shape) {
  const double hidden = shape.hidden;
  if (shape.mla()) {
    const double query_key = shape.qk_nope_dim + shape.qk_rope_dim;
    const double heads = shape.heads;
    const double queries =
        shape.q_lora_rank > 0 ? shape.q_lora_rank * (hidden + heads * query_key) : hidden * heads * query_key;
    const double latent = hidden * (shape.kv_lora_rank + shape.qk_rope_dim);
    const double unfold = shape.kv_lora_rank * heads * (shape.qk_nope_dim + shape.v_dim);
    return queries + latent + unfold + heads * shape.v_dim * hidden;
  }
  const double q = shape.q_width(), kv = shape.kv_width();
  double size = 2 * hidden * q + 2 * hidden * kv;
  if (shape.attention_bias != BiasKind::kNone) size += q + 2 * kv;
  if (shape.attention_bias == BiasKind::kAll) size += hidden;
  return size;
}

/// Norms of queries and keys (one weight an element, no bias in any model known) and of the latent vectors.
double inner_norm_size(const ModelShape& shape) {
  double size = 0;
  if (shape.qk_norm == QkNorm::kHead) size += 2.0 * shape.head_dim;
  if (shape.qk_norm == QkNorm::kFull) size += shape.q_width() + shape.kv_width();
  if (shape.mla()) size += shape.q_lora_rank + shape.kv_lora_rank;
  return size;
}

/// One layer with a state, without norms before it.
double state_size(const ModelShape& shape) {
  const StateLayers& states = shape.states;
  return shape.hidden * (1.0 * states.projected + states.inner) + states.other;
}

double embedding_size(const ModelShape& shape) {
  const double hidden = shape.hidden;
  const double width = shape.embedding_width > 0 ? shape.embedding_width : hidden;
  double size = width * (static_cast<double>(shape.vocab) + shape.positions + shape.token_types);
  if (shape.kind == ModelKind::kVit)  // patch projection with bias, and the class token (arXiv:2010.11929, equation 1)
    size += hidden * (static_cast<double>(shape.patch) * shape.patch * shape.channels + 1) + hidden;
  return size;
}

double round_up(double value, double step) { return std::ceil(value / step) * step; }

}  // namespace

ParameterCount count_parameters(const ModelShape& shape) {
  ParameterCount count;
  const double layers = shape.layers, hidden = shape.hidden;
  const double moe_layers = shape.moe_layers();

  count.embedding = embedding_size(shape);
  count.attention = shape.attention_layers() * attention_size(shape) + shape.states.layers * state_size(shape);
  count.mlp = shape.mlp_layers() * mlp_size(shape, shape.ffn, shape.mlp_bias);
  double idle = 0;
  if (shape.moe()) {
    const double expert = mlp_size(shape, shape.expert_ffn, shape.expert_bias);
    const double router = hidden * shape.experts + (shape.expert_bias ? shape.experts : 0);
    count.experts = moe_layers * shape.experts * expert;
    count.shared = moe_layers * (mlp_size(shape, shape.shared_ffn, false) + router);
    idle = moe_layers * (shape.experts - shape.experts_per_token) * expert;
  }
  // Half of a layer's norms stand before what it has no more.
  const int mixer_free = std::max(0, shape.attention_free - shape.states.layers);
  const double halves = 2 * layers - shape.mlp_free - mixer_free;
  const double norms = halves / 2 * shape.norms_per_layer + (shape.final_norm ? 1 : 0);
  count.norms = norms * norm_size(shape.norm, hidden) + shape.attention_layers() * inner_norm_size(shape);
  // A linear layer makes six scales and shifts a block of the condition (Peebles and Xie 2022, arXiv:2212.09748).
  if (shape.kind == ModelKind::kDit) count.attention += layers * 6 * hidden * (hidden + 1);
  if (shape.scores_tokens() && !shape.tied) count.head = hidden * shape.vocab;
  if (shape.labels > 0) count.head = hidden * shape.labels;
  count.extra = shape.extra;
  count.active = count.total() - idle;
  return count;
}

double kv_elements_per_token_layer(const ModelShape& shape) {
  if (shape.kind != ModelKind::kDecoder) return 0;  // the whole input is there at once, nothing is kept
  if (shape.mla()) return shape.kv_lora_rank + shape.qk_rope_dim;
  return 2.0 * shape.kv_width();
}

double state_elements(const ModelShape& shape) {
  return shape.kind == ModelKind::kDecoder ? shape.states.layers * shape.states.elements : 0;
}

double kv_elements(const ModelShape& shape, double tokens) {
  const int layers = shape.attention_layers();
  const double sliding = shape.window > 0 ? std::min(shape.window_layers, layers) : 0;
  const double kept = sliding * std::min<double>(tokens, shape.window) + (layers - sliding) * tokens;
  return shape.repeats * (kept * kv_elements_per_token_layer(shape) + state_elements(shape));
}

void complete(ModelShape& shape) {
  if (shape.layers <= 0 || shape.hidden <= 0) return;
  const double user_total = shape.published;
  if (shape.heads <= 0) {
    // GPT-2 and BERT have heads of 64, wide models from GPT-3 13B on have 128.
    const int width = shape.head_dim > 0 ? shape.head_dim : shape.hidden <= 2048 ? 64 : 128;
    shape.heads = std::max(1, shape.hidden / width);
    shape.heads_guessed = true;
  }
  if (shape.kv_heads <= 0) shape.kv_heads = shape.heads;
  if (shape.head_dim <= 0) shape.head_dim = std::max(1, shape.hidden / shape.heads);
  if (shape.moe() && shape.expert_ffn <= 0) shape.expert_ffn = shape.ffn;
  if (shape.moe() && shape.experts_per_token <= 0) shape.experts_per_token = std::min(2, shape.experts);
  if (shape.window > 0 && shape.window_layers <= 0) shape.window_layers = shape.layers;
  const bool ffn_given = shape.ffn > 0;
  if (!ffn_given) {
    // Two thirds of 4 x hidden so that three matrices weigh as much as two, rounded up as LLaMA does
    // (arXiv:2302.13971).
    shape.ffn = clamped<int>(shape.gated ? round_up(8.0 / 3 * shape.hidden, 256) : 4.0 * shape.hidden);
    if (shape.moe() && shape.expert_ffn <= 0) shape.expert_ffn = shape.ffn;
    shape.ffn_guessed = true;
  }

  if (shape.vocab <= 0 && shape.kind != ModelKind::kVit && shape.kind != ModelKind::kDit) {
    // What the user's total leaves beside the layers can only be the tables of tokens; without a total, LLaMA's.
    constexpr double kLargest = 300'000;
    const double columns = (shape.tied || shape.kind == ModelKind::kEncoder ? 1.0 : 2.0) * shape.hidden;
    const double rest = user_total - count_parameters(shape).total();
    shape.vocab_guessed = true;
    shape.vocab = user_total <= 0 ? 32'000 : whole<int>(std::clamp(std::floor(rest / columns), 0.0, kLargest));
  }
  if (user_total <= 0) return;
  const double missing = user_total - count_parameters(shape).total();
  if (missing >= 0) {
    shape.extra += missing;
  } else if (!ffn_given && !shape.moe()) {
    // The customary MLP is too wide for this total: a narrower one makes it.
    const double per_column = mlp_size(shape, 1, false) * shape.layers;
    const double width = std::max(1.0, shape.ffn + std::floor(missing / per_column));
    // In steps that kernels and cuts like, small beside the width: what that leaves is odd parts.
    double step = 1;
    while (step < 64 && step * 64 <= shape.hidden) step *= 2;
    shape.ffn = clamped<int>(std::max(1.0, width > step ? width - std::fmod(width, step) : width));
    shape.extra += std::max(0.0, user_total - count_parameters(shape).total());
  }
}

std::string contradiction(const ModelShape& s) {
  const auto text = [](int value) { return count_text(value); };
  if (!s.mla() && (s.kv_heads <= 0 || s.heads % s.kv_heads != 0))
    return "expected heads (" + text(s.heads) + ") to be a multiple of kv_heads (" + text(s.kv_heads) + ")";
  if (s.mla() && (s.qk_nope_dim <= 0 || s.qk_rope_dim <= 0 || s.v_dim <= 0))
    return "kv_lora_rank also needs qk_nope_dim, qk_rope_dim and v_dim";
  if (s.kind == ModelKind::kVit && (s.image <= 0 || s.patch <= 0 || s.patch > s.image || s.channels <= 0))
    return "expected image, patch and channels of a vision transformer, such as image: 224, patch: 16, channels: 3";
  if (s.moe() && (s.experts_per_token <= 0 || s.expert_ffn <= 0))
    return "experts also need experts_per_token and expert_ffn";
  if (s.experts_per_token > s.experts)
    return "experts_per_token (" + text(s.experts_per_token) + ") is more than experts (" + text(s.experts) + ")";
  if (s.dense_layers > s.layers || s.window_layers > s.layers)
    return "expected dense_layers and window_layers of at most layers (" + text(s.layers) + ")";
  const int dense = s.moe() ? s.dense_layers : s.layers;
  if (s.states.layers > s.layers || s.attention_free > s.layers || s.mlp_free > dense || s.repeats < 1 ||
      s.window_layers > s.attention_layers())
    return "expected layers with a state, without attention and without an MLP of at most layers (" + text(s.layers) +
           ")";
  if ((s.window > 0) != (s.window_layers > 0)) return "window also needs window_layers, and the other way round";
  return "";
}

}  // namespace gpuplan
