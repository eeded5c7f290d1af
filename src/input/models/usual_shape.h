// The shape of a network of which only the size is known.
#pragma once

namespace gpuplan {

/// Width and depth of a decoder with so many parameters, and a vocabulary to match, as published ones have them.
struct UsualShape {
  int layers = 0, hidden = 0, vocab = 0;
  bool tied = false;  ///< embedding and output share their weights
};
/// REQUIRES: from 100 thousand to 10 trillion parameters.
UsualShape usual_shape(double params);

}  // namespace gpuplan
