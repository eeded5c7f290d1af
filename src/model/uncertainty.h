// How far predictions of the models are off, by regime: standard deviations of ln(measured / predicted).
#pragma once

#include <string_view>

#include "model/estimate.h"

namespace gpuplan {

/// One regime's 80 % band, as the half width of ln(measured / predicted).
struct Regime {
  double half_width = 0;
  std::string_view words;
};

/// Standard deviation of a normal whose central 80 % have this half width.
double deviation_of(double half_width);

/// The wider of two regimes.
inline Regime wider(Regime a, Regime b) { return b.half_width > a.half_width ? b : a; }

}  // namespace gpuplan
