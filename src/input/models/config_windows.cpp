#include "input/models/config_windows.h"

#include <algorithm>

namespace gpuplan {
namespace {

void set_window(ModelShape& shape, int window, int layers) {
  shape.window = layers > 0 ? window : 0;
  shape.window_layers = shape.window > 0 ? layers : 0;
}

void by_layer_types(const Fields& fields, int window, ModelConfig& out) {
  const int listed = fields.length_of("layer_types");
  if (listed != out.shape.layers)
    return fields.fail("layer_types", "expected an entry for each of the " + std::to_string(out.shape.layers) +
                                          " layers, got " + std::to_string(listed));
  const int linear = fields.count_of("layer_types", "linear_attention");
  if (linear == 0)
    return set_window(
        out.shape, window,
        fields.count_of("layer_types", "sliding_attention") + fields.count_of("layer_types", "chunked_attention"));
  // A state of fixed size stands for all tokens before: nearest to a window of one.
  out.notes.push_back(std::to_string(linear) +
                      " layers with linear attention are read as layers with a window of one token; "
                      "their parameters are approximate");
  set_window(out.shape, 1, linear);
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

void read_windows(const Fields& fields, const ModelFamily& family, ModelConfig& out) {
  const int window =
      fields.integer({"sliding_window", "window_size", "attention_chunk_size", "local_attention"}, 0, 1'000'000'000);
  if (fields.has("layer_types")) return by_layer_types(fields, window, out);
  set_window(out.shape, window, windowed_layers(fields, family, out.shape.layers));
}

}  // namespace gpuplan
