#include "input/models/weights/tensor_names.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

#include "base/whole.h"

namespace gpuplan {
namespace {

constexpr int kMostLayers = 10'000, kMostExperts = 1'000'000, kMostWidth = 100'000'000;

/// Text behind ".N." and the number N of the first such piece: "layers.3.mlp.up_proj.weight" gives 3 and the rest.
std::optional<int> numbered(std::string_view& name, int most) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    int number = 0;
    const char* begin = name.data() + dot + 1;
    const auto [end, problem] = std::from_chars(begin, name.data() + name.size(), number);
    if (problem != std::errc() || end == name.data() + name.size() || *end != '.' || number < 0 || number >= most)
      continue;
    name = name.substr(static_cast<std::size_t>(end - name.data()) + 1);
    return number;
  }
  return std::nullopt;
}

}  // namespace

void TensorNames::add(std::string_view name, std::span<const double> dims) {
  if (dims.empty() || dims.size() > 3 || std::ranges::any_of(dims, [](double d) { return d > kMostWidth; })) return;
  std::vector<int> sizes;
  for (const double dim : dims) sizes.push_back(clamped<int>(dim));
  const bool matrix = sizes.size() == 2;
  if (name.ends_with("embed_tokens.weight") || name.ends_with("wte.weight") || name.ends_with("embed_in.weight")) {
    if (!matrix) return;
    found_.vocab = sizes[0];
    found_.hidden = sizes[1];
  } else if (name.ends_with("lm_head.weight") || name.ends_with("embed_out.weight")) {
    found_.tied = false;
  } else if (name.ends_with("wpe.weight") && matrix) {
    found_.positions = sizes[0];
  } else if (std::string_view rest = name; const auto layer = numbered(rest, kMostLayers)) {
    found_.layers = std::max(found_.layers, *layer + 1);
    in_layer(rest, sizes, *layer);
  }
}

void TensorNames::in_layer(std::string_view part, std::span<const int> dims, int layer) {
  const bool matrix = dims.size() == 2;
  const int rows = dims[0], columns = matrix ? dims[1] : 0;
  if (const std::size_t at = part.find("experts.");
      at != std::string_view::npos && !part.starts_with("mlp.shared") && matrix) {
    std::string_view rest = part.substr(at);
    if (const auto expert = numbered(rest, kMostExperts)) {
      expert_ = std::max(expert_, *expert);
      if (rest == "gate_proj.weight" || rest == "w1.weight") found_.expert_ffn = rows;
    }
  } else if (part.ends_with("shared_expert.gate_proj.weight") || part.ends_with("shared_experts.gate_proj.weight")) {
    found_.shared_ffn = rows;
  } else if (part.ends_with("attn.q_proj.weight") && matrix) {
    q_width_ = rows;
  } else if (part.ends_with("attn.k_proj.weight") && matrix) {
    kv_width_ = rows;
  } else if (part.ends_with("attn.c_attn.weight") && matrix) {  // GPT-2 stores [in, out], q k v side by side
    q_width_ = kv_width_ = columns / 3;
  } else if (part.ends_with("query_key_value.weight") && matrix) {
    q_width_ = kv_width_ = rows / 3;
  } else if (part.ends_with("q_norm.weight") && !matrix) {
    head_norm_ = rows;
  } else if (part.ends_with("q_proj.bias") || part.ends_with("c_attn.bias") || part.ends_with("query_key_value.bias")) {
    if (found_.attention_bias == BiasKind::kNone) found_.attention_bias = BiasKind::kQkv;
  } else if (part.ends_with("o_proj.bias") || part == "attn.c_proj.bias" || part.ends_with("attention.dense.bias")) {
    found_.attention_bias = BiasKind::kAll;
  } else if (part == "mlp.gate_proj.weight" && matrix) {
    found_.ffn = rows;
    ++dense_layers_;
  } else if ((part == "mlp.c_fc.weight") && matrix) {
    found_.ffn = columns;
    found_.gated = false;
  } else if ((part == "mlp.dense_h_to_4h.weight" || part == "fc1.weight" || part == "mlp.fc1.weight") && matrix) {
    found_.ffn = rows;
    found_.gated = false;
  } else if (part.ends_with("c_fc.bias") || part.ends_with("h_to_4h.bias") || part.ends_with("fc1.bias") ||
             part.ends_with("up_proj.bias")) {
    found_.mlp_bias = true;
  } else if (layer == 0 && !matrix && (part.ends_with("norm.weight") || part.starts_with("ln_")) &&
             !part.ends_with("k_norm.weight")) {
    if (part.ends_with(".bias")) found_.norm = NormKind::kLayer;
    else ++found_.norms_per_layer;
  } else if (layer == 0 && part.ends_with("layernorm.bias")) {
    found_.norm = NormKind::kLayer;
  }
}

std::optional<ModelShape> TensorNames::shape(double elements) const {
  if (found_.layers == 0 || found_.hidden == 0 || q_width_ == 0 || kv_width_ == 0) return std::nullopt;
  if (found_.ffn == 0 && found_.expert_ffn == 0) return std::nullopt;
  ModelShape shape = found_;
  if (head_norm_ > 0) shape.qk_norm = head_norm_ == q_width_ ? QkNorm::kFull : QkNorm::kHead;
  // Heads of 128 in wide models and of 64 in narrow ones, when both widths are whole numbers of them.
  const int common = std::gcd(q_width_, kv_width_);
  const int usual = shape.hidden > 2048 ? 128 : 64;
  shape.head_dim = shape.qk_norm == QkNorm::kHead && common % head_norm_ == 0 ? head_norm_
                   : common % usual == 0                                      ? usual
                                                                              : common;
  shape.heads = q_width_ / shape.head_dim;
  shape.kv_heads = kv_width_ / shape.head_dim;
  if (expert_ >= 0 && shape.expert_ffn > 0) {
    shape.experts = expert_ + 1;
    shape.experts_per_token = std::min(shape.experts, 2);
    shape.dense_layers = std::min(dense_layers_, shape.layers);
  }
  if (shape.ffn == 0) shape.ffn = shape.expert_ffn;
  shape.published = elements;
  shape.extra = std::max(0.0, elements - count_parameters(shape).total());
  return shape;
}

}  // namespace gpuplan
