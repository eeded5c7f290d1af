#include "input/models/config_states.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/text.h"
#include "base/whole.h"

namespace gpuplan {
namespace {

constexpr int kWidestState = 10'000'000;
constexpr int kMostLayers = 10'000;

/// Names of layers in `layer_types` and `layers_block_type`.
constexpr std::array<std::string_view, 3> kStateNames = {"mamba", "mamba2", "linear_attention"};
constexpr std::array<std::string_view, 2> kSlidingNames = {"sliding_attention", "chunked_attention"};
constexpr std::array<std::string_view, 2> kAttentionNames = {"attention", "full_attention"};

int counted(const Fields& fields, std::string_view key, const auto& names) {
  int count = 0;
  for (const std::string_view name : names) count += fields.count_of(key, name);
  return count;
}

int of_layers(int wanted, int layers) { return std::clamp(wanted, 0, layers); }

LayerKinds from_list(const Fields& fields, std::string_view key, int layers, ModelConfig& out) {
  LayerKinds kinds;
  const int listed = fields.length_of(key);
  if (listed != layers) {
    fields.fail(
        key, "expected an entry for each of the " + std::to_string(layers) + " layers, got " + std::to_string(listed));
    return kinds;
  }
  kinds.states = counted(fields, key, kStateNames);
  kinds.sliding = counted(fields, key, kSlidingNames);
  kinds.attention = layers - kinds.states - kinds.sliding;
  if (const int other = kinds.attention - counted(fields, key, kAttentionNames); other > 0)
    out.shape.doubt = std::to_string(other) + " of its " + std::to_string(layers) +
                      " layers are of a kind that gpuplan does not know (" + std::string(key) +
                      ") and read as attention";
  return kinds;
}

/// A letter for each layer, which is one thing only: M a state, * attention, - an MLP, E experts (NVIDIA 2025,
/// arXiv:2504.03624).
LayerKinds from_pattern(const Fields& fields, int layers) {
  const std::string_view pattern = fields.word({"hybrid_override_pattern"});
  const auto count = [&](char letter) { return static_cast<int>(std::ranges::count(pattern, letter)); };
  const LayerKinds kinds{count('*'), 0, count('M'), count('-'), count('E')};
  if (static_cast<int>(pattern.size()) != layers || kinds.mixers() + kinds.mlps + kinds.experts != layers)
    fields.fail("hybrid_override_pattern",
                "expected a letter of M, *, - and E for each of the " + std::to_string(layers) + " layers");
  return kinds;
}

// Sizes of one layer with a state, by the published code of each kind.

/// Gu and Dao 2023 (arXiv:2312.00752): the step size comes from a low rank, decay is one number an element.
StateLayers mamba(double inner, double state, double convolution, double rank) {
  StateLayers layer{.projected = clamped<int>(2 * inner), .inner = clamped<int>(inner)};
  layer.other = inner * (convolution + 1) + inner * (rank + 2 * state) + (rank + 1) * inner + inner * state + inner;
  layer.elements = inner * (state + convolution);
  return layer;
}

/// Dao and Gu 2024 (arXiv:2405.21060): one decay a head, inputs of groups of heads projected with the rest.
StateLayers mamba2(double heads, double head_dim, double groups, double state, double convolution) {
  const double inner = heads * head_dim, mixed = inner + 2 * groups * state;
  StateLayers layer{.projected = clamped<int>(inner + mixed + heads), .inner = clamped<int>(inner)};
  layer.other = mixed * (convolution + 1) + 3 * heads + inner;
  layer.elements = inner * state + mixed * (convolution - 1);
  return layer;
}

/// Gated delta nets (Yang et al. 2024, arXiv:2412.06464) as Qwen3-Next has them: queries, keys, values, a gate, and two
/// numbers a head of values.
StateLayers delta_net(double key_heads, double key_dim, double value_heads, double value_dim, double convolution) {
  const double value = value_heads * value_dim, mixed = 2 * key_heads * key_dim + value;
  StateLayers layer{.projected = clamped<int>(mixed + value + 2 * value_heads), .inner = clamped<int>(value)};
  layer.other = mixed * convolution + 2 * value_heads + value_dim;
  layer.elements = value * key_dim + mixed * (convolution - 1);
  return layer;
}

/// Kimi delta attention (Kimi Team 2025, arXiv:2510.26692): decay and gate come from two low ranks.
StateLayers kimi_delta(double heads, double head_dim, double convolution) {
  const double width = heads * head_dim;
  StateLayers layer{.projected = clamped<int>(3 * width + 2 * head_dim + heads), .inner = clamped<int>(width)};
  layer.other = 2 * head_dim * width + 3 * width * convolution + heads + width + head_dim;
  layer.elements = width * head_dim + 3 * width * (convolution - 1);
  return layer;
}

/// Lightning attention (MiniMax 2025, arXiv:2501.08313): a matrix for each head, and a gate.
StateLayers lightning(double heads, double head_dim) {
  const double width = heads * head_dim;
  return {
      .projected = clamped<int>(4 * width), .inner = clamped<int>(width), .other = width, .elements = width * head_dim};
}

/// Layers of one kind, without their number; `inner` 0: the configuration does not tell.
StateLayers state_layer(const Fields& fields, std::string_view type, const ModelShape& shape) {
  const auto number = [&](Fields::Keys keys, int fallback) { return fields.integer(keys, fallback, kWidestState); };
  const int convolution = std::max(1, number({"mamba_d_conv", "conv_kernel", "linear_conv_kernel_dim"}, 4));
  if (type.starts_with("qwen3") || fields.has("linear_num_value_heads"))
    return delta_net(number({"linear_num_key_heads"}, 16), number({"linear_key_head_dim"}, 128),
                     number({"linear_num_value_heads"}, 32), number({"linear_value_head_dim"}, 128), convolution);
  if (const Fields kimi = fields.inside("linear_attn_config"); kimi.valid())
    return kimi_delta(kimi.integer({"num_heads"}, shape.heads, kWidestState),
                      kimi.integer({"head_dim"}, shape.head_dim, kWidestState),
                      std::max(1, kimi.integer({"short_conv_kernel_size"}, 4, kWidestState)));
  if (fields.has("attn_type_list")) return lightning(shape.heads, shape.head_dim);
  const int expanded = clamped<int>(1.0 * std::max(1, number({"mamba_expand", "expand"}, 2)) * shape.hidden);
  const int inner = number({"mamba_d_ssm"}, expanded);
  const int state = number({"mamba_d_state", "ssm_state_size", "state_size"}, 0);
  if (state == 0) return {};
  const int heads = number({"mamba_n_heads", "mamba_num_heads"}, type == "mamba2" ? number({"num_heads"}, 0) : 0);
  if (heads > 0) {
    const int head_dim = number({"mamba_d_head", "mamba_head_dim"}, type == "mamba2" ? number({"head_dim"}, 64) : 0);
    return mamba2(heads, head_dim > 0 ? head_dim : std::max(1, inner / heads),
                  number({"mamba_n_groups", "n_groups"}, 1), state, convolution);
  }
  const int rank = (shape.hidden + 15) / 16;  // what "auto" means
  const bool stated = fields.word({"mamba_dt_rank", "time_step_rank"}) != "auto";
  StateLayers layer = mamba(type == "jamba" ? expanded : number({"intermediate_size"}, expanded), state, convolution,
                            stated ? number({"mamba_dt_rank", "time_step_rank"}, rank) : rank);
  if (type == "jamba") layer.other += rank + 2.0 * state;  // norms inside
  return layer;
}

}  // namespace

LayerKinds read_layer_kinds(const Fields& fields, std::string_view type, int layers, ModelConfig& out) {
  const auto rest = [&](int attention) {
    const int kept = of_layers(attention, layers);
    return LayerKinds{kept, 0, layers - kept};
  };
  if (type == "mamba" || type == "mamba2" || type == "falcon_mamba") return LayerKinds{0, 0, layers, 0};
  if (type == "falcon_h1") return LayerKinds{layers, 0, layers};
  if (fields.has("hybrid_override_pattern")) return from_pattern(fields, layers);
  for (const std::string_view key : {"layer_types", "layers_block_type"})
    if (fields.has(key)) return from_list(fields, key, layers, out);
  if (fields.has("attn_layer_indices")) return rest(fields.length_of("attn_layer_indices"));
  if (fields.has("attn_type_list")) return rest(fields.count_of("attn_type_list", "1"));
  if (const Fields kimi = fields.inside("linear_attn_config"); kimi.valid())
    return rest(kimi.length_of("full_attn_layers"));
  if (const int period = fields.integer({"attn_layer_period"}, 0, kMostLayers); period > 0) {
    const int offset = fields.integer({"attn_layer_offset"}, 0, kMostLayers);
    return rest(offset < layers ? (layers - offset - 1) / period + 1 : 0);
  }
  if (const int every = fields.integer({"full_attention_interval"}, type == "qwen3_next" ? 4 : 0, kMostLayers);
      every > 0)
    return rest(layers / every);
  return LayerKinds{layers, 0, 0};
}

void read_states(const Fields& fields, std::string_view type, const LayerKinds& kinds, ModelConfig& out) {
  ModelShape& shape = out.shape;
  if (kinds.states > 0) {
    shape.states = state_layer(fields, type, shape);
    shape.states.layers = kinds.states;
    if (shape.states.inner <= 0)
      return fields.fail("model_type",
                         "has layers with a state, whose sizes no known key tells; give its size instead: "
                         "--params 9B, {params: 9B, layers: 32, hidden: 4096}");
  }
  const int attention = kinds.attention + kinds.sliding;
  if (kinds.mlps < 0) {
    shape.attention_free = shape.layers - attention;
    return;
  }
  // Each layer is one half: mixers and MLPs are paired, and what is left over has the other half only.
  shape.layers = std::max({kinds.mixers(), kinds.mlps + kinds.experts, 1});
  shape.attention_free = shape.layers - attention;
  if (kinds.experts > 0) shape.dense_layers = shape.layers - kinds.experts;
  shape.mlp_free = shape.layers - kinds.experts - kinds.mlps;
}

void read_block_configs(const Fields& fields, ModelConfig& out) {
  ModelShape& shape = out.shape;
  const std::vector<Fields> blocks = fields.items("block_configs");
  if (static_cast<int>(blocks.size()) != shape.layers)
    return fields.fail("block_configs", "expected an entry for each of the " + std::to_string(shape.layers) +
                                            " layers, got " + std::to_string(blocks.size()));
  const double hidden = shape.hidden;
  double widths = 0, groups = 0;
  int attention = 0, mlps = 0, replaced = 0;
  for (const Fields& block : blocks) {
    const Fields heads = block.inside("attention"), ffn = block.inside("ffn");
    if (heads.flag("replace_with_linear", false)) ++replaced;
    else if (!heads.flag("no_op", false)) {
      ++attention;
      groups += std::max(1, heads.integer({"n_heads_in_group"}, 1, kWidestState));
    }
    if (ffn.flag("replace_with_linear", false)) ++replaced;
    else if (!ffn.flag("no_op", false)) {
      ++mlps;
      // Rounded up to 256 as the published code does.
      const double stated = ffn.integer({"intermediate_size"}, 0, kWidestState);
      widths += stated > 0 ? stated : std::ceil(std::floor(2 * ffn.real("ffn_mult", 4) * hidden / 3) / 256) * 256;
    }
  }
  shape.attention_free = shape.layers - attention;
  shape.mlp_free = shape.layers - mlps;
  // Layers of several widths are counted with the mean one.
  if (mlps > 0) shape.ffn = clamped<int>(std::floor(widths / mlps + 0.5));
  if (attention > 0) {
    int kept = std::max(1, whole<int>(shape.heads * attention / groups));
    while (shape.heads % kept != 0) ++kept;
    shape.kv_heads = kept;
  }
  shape.extra += replaced * hidden * hidden;
}

std::string_view unread_layers(const Fields& fields) {
  for (const std::string_view key :
       {"num_mem_blocks", "hybrid_layer_ids", "lru_width", "attention_hidden_size", "rescale_every", "block_types",
        "num_kv_shared_layers", "hidden_size_per_layer_input", "mixer_types", "ssm_cfg", "layer_group_size"})
    if (fields.has(key)) return key;
  return {};
}

}  // namespace gpuplan
