// How far predictions of the models are off, by regime: standard deviations of ln(measured / predicted).
#pragma once

#include <cmath>
#include <string_view>

#include "base/interval.h"

namespace gpuplan {

/// One regime's 80 % band, as the half width of ln(measured / predicted).
struct Regime {
  double half_width = 0;
  std::string_view words;
};

/// Standard deviation of a normal whose central 80 % have this half width.
inline double deviation_of(double half_width) { return half_width / kZ90; }

/// Half widths of independent circumstances add in quadrature; the widest gives the words.
class Width {
 public:
  explicit Width(Regime base) : square_(base.half_width * base.half_width), words_(base.words) {}
  void add(bool applies, double half_width, std::string_view words) {
    if (!applies) return;
    square_ += half_width * half_width;
    if (half_width <= widest_) return;
    widest_ = half_width;
    words_ = words;
  }
  void scale(double factor) { square_ *= factor * factor; }
  Regime regime() const { return {std::sqrt(square_), words_}; }

 private:
  double square_ = 0;
  double widest_ = 0;
  std::string_view words_;
};

}  // namespace gpuplan
