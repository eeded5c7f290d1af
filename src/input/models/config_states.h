// Layers of a Hugging Face configuration that are not attention followed by an MLP: with a state of fixed size in place
// of attention or beside it (Mamba, linear attention), or with one half only.
#pragma once

#include "input/models/config_fields.h"
#include "input/models/model_config.h"

namespace gpuplan {

/// How many layers of each kind a configuration lists.
struct LayerKinds {
  int attention = 0, sliding = 0, states = 0;
  int mlps = -1, experts = 0;  ///< mlps: -1 where every layer has one, or experts
  int mixers() const { return attention + sliding + states; }
};

/// From hybrid_override_pattern, layer_types, layers_block_type, attn_layer_indices, attn_layer_period,
/// full_attention_interval, attn_type_list or linear_attn_config; all attention where none of them stands. Fails for
/// lists that do not agree with `layers`.
LayerKinds read_layer_kinds(const Fields& fields, std::string_view type, int layers, ModelConfig& out);

/// Sets `states`, `attention_free` and `mlp_free` of the shape, whose widths are known. Fails for layers that keep a
/// state and whose sizes are not told by keys known here.
void read_states(const Fields& fields, std::string_view type, const LayerKinds& kinds, ModelConfig& out);

/// `block_configs` of networks whose layers were pruned one by one (Bercovich et al. 2024, arXiv:2411.19146): heads,
/// widths and what is left out.
void read_block_configs(const Fields& fields, ModelConfig& out);

/// The key of a configuration that tells of layers no code here reads; "" when there is none.
std::string_view unread_layers(const Fields& fields);

}  // namespace gpuplan
