// What all fits of kernels share: how far a number is given, and how far an error counts.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace gpuplan::kernels {

/// Three digits, more than the tables justify.
inline double rounded(double value) {
  if (value < 1e-3) return 0;
  const double scale = std::pow(10.0, 2 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Quadratic up to about 8 %, linear beyond: a few odd kernels shall not decide.
inline double robust(double log_error) {
  constexpr double kWidth = 0.08;
  const double e = log_error / kWidth;
  return std::sqrt(1 + e * e) - 1;
}

}  // namespace gpuplan::kernels
