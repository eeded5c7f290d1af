// Reconstructs the shape of a network from the names and sizes of its tensors, as Hugging Face models name them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "domain/work/model_shape.h"

namespace gpuplan {

class TensorNames {
 public:
  /// Sizes in the order of the file (rows first).
  void add(std::string_view name, std::span<const double> dims);

  /// Nullopt when the names are none that are known. `elements` is the number of all weights; what the formula does not
  /// explain becomes `extra`. The size of a head is in no tensor unless queries are normalised: see head_assumed().
  std::optional<ModelShape> shape(double elements) const;
  bool head_assumed() const { return head_norm_ == 0; }

 private:
  void in_layer(std::string_view part, std::span<const int> dims, int layer);

  ModelShape found_ = nothing();
  int q_width_ = 0, kv_width_ = 0, head_norm_ = 0;
  int expert_ = -1;       ///< highest number of an expert
  int dense_layers_ = 0;  ///< layers with an MLP outside experts

  static ModelShape nothing() {
    ModelShape shape;
    shape.tied = true;  // until an output matrix appears
    shape.norms_per_layer = 0;
    return shape;
  }
};

}  // namespace gpuplan
