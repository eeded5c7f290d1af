// How long the sequences of networks are that look at images.
#pragma once

#include "domain/work/model_shape.h"

namespace gpuplan {

/// Patches of an image, and the class token of a vision transformer; 0: the shape does not say how large they are.
inline double image_tokens(const ModelShape& shape) {
  if (shape.image <= 0 || shape.patch <= 0) return 0;
  const int side = shape.image / shape.patch;  // what does not fill a patch is cut off
  return static_cast<double>(side) * side + (shape.kind == ModelKind::kVit ? 1 : 0);
}

}  // namespace gpuplan
