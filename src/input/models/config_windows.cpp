#include "input/models/config_windows.h"

#include <algorithm>

namespace gpuplan {
namespace {

void set_window(ModelShape& shape, int window, int layers) {
  shape.window = layers > 0 ? window : 0;
  shape.window_layers = shape.window > 0 ? layers : 0;
}

/// Layers that see only the window when the configuration does not list them.
int windowed_layers(const Fields& fields, const ModelFamily& family, int layers) {
  const auto period = [&](Fields::Keys keys, int fallback) {
    return std::max(1, fields.integer(keys, fallback, 10'000));
  };
  if (family.type == "gpt_neo") return layers / 2;
  if (family.type == "modernbert") {
    const int every = period({"global_attn_every_n_layers"}, 3);
    return layers - (layers + every - 1) / every;  // layer 0 is global
  }
  switch (family.window) {
    case WindowRule::kNever:
      break;
    case WindowRule::kAll:
      return layers;
    case WindowRule::kFlag:
      if (!fields.flag("use_sliding_window", false)) break;
      return layers - std::min(layers, fields.integer({"max_window_layers"}, 0, 10'000));
    case WindowRule::kAlternate:
      return layers / 2;
    case WindowRule::kAllButEvery:
      return layers - layers / period({"sliding_window_pattern", "_sliding_window_pattern"}, family.full_every);
  }
  return 0;
}

}  // namespace

void read_windows(const Fields& fields, const ModelFamily& family, const LayerKinds& kinds, ModelConfig& out) {
  const int window =
      fields.integer({"sliding_window", "window_size", "attention_chunk_size", "local_attention"}, 0, 1'000'000'000);
  set_window(out.shape, window,
             fields.has("layer_types") ? kinds.sliding : windowed_layers(fields, family, out.shape.attention_layers()));
}

}  // namespace gpuplan
