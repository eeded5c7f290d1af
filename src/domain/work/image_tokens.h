// How long the sequences of networks are that look at images.
#pragma once

#include "domain/work/model_shape.h"

namespace gpuplan {

/// Patches of an image, and the class token of a vision transformer; 0: the shape does not say how large they are.
inline double image_tokens(const ModelShape& shape) {
  if (shape.image <= 0 || shape.patch <= 0) return 0;
  const double side = shape.image / shape.patch;
  return side * side + (shape.kind == ModelKind::kVit ? 1 : 0);
}

}  // namespace gpuplan
