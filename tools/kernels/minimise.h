// Smallest value of a function of a few bounded numbers that has kinks but no steps (Nelder and Mead 1965).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace gpuplan::kernels {

struct Bound {
  double least = 0, most = 1;
};

/// Searches from `start`, several times with smaller and larger first steps. Values outside of the bounds are moved to
/// them before the function sees them.
inline std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& function,
                                    std::vector<double> start, const std::vector<Bound>& bounds) {
  const std::size_t n = start.size();
  const auto inside = [&](std::vector<double> x) {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::clamp(x[i], bounds[i].least, bounds[i].most);
    return x;
  };
  // A little more outside, so that the search turns back.
  const auto value = [&](const std::vector<double>& x) {
    const std::vector<double> moved = inside(x);
    double away = 0;
    for (std::size_t i = 0; i < n; ++i) away += std::abs(x[i] - moved[i]) / (bounds[i].most - bounds[i].least);
    return function(moved) + away;
  };
  for (const double size : {0.2, 0.05, 0.3, 0.05, 0.1, 0.02}) {
    std::vector<std::vector<double>> corners(n + 1, start);
    for (std::size_t i = 0; i < n; ++i) {
      const double step = size * (bounds[i].most - bounds[i].least);
      corners[i + 1][i] += start[i] + step > bounds[i].most ? -step : step;
    }
    std::vector<double> values;
    for (const auto& corner : corners) values.push_back(value(corner));
    for (int round = 0; round < 600; ++round) {
      std::vector<std::size_t> order(n + 1);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
      const std::size_t best = order.front(), worst = order.back();
      if (values[worst] - values[best] < 1e-9) break;
      const auto along = [&](double share) {  // from the worst corner through the middle of the others
        std::vector<double> x(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
          for (const std::size_t corner : order)
            if (corner != worst) x[i] += corners[corner][i] / static_cast<double>(n);
          x[i] += share * (x[i] - corners[worst][i]);
        }
        return x;
      };
      const auto replace = [&](std::vector<double> x, double v) {
        corners[worst] = std::move(x);
        values[worst] = v;
      };
      std::vector<double> mirrored = along(1);
      const double at_mirrored = value(mirrored);
      if (at_mirrored < values[best]) {
        std::vector<double> further = along(2);
        const double at_further = value(further);
        if (at_further < at_mirrored) replace(std::move(further), at_further);
        else replace(std::move(mirrored), at_mirrored);
      } else if (at_mirrored < values[order[n - 1]]) {
        replace(std::move(mirrored), at_mirrored);
      } else {
        std::vector<double> nearer = along(at_mirrored < values[worst] ? 0.5 : -0.5);
        const double at_nearer = value(nearer);
        if (at_nearer < std::min(at_mirrored, values[worst])) {
          replace(std::move(nearer), at_nearer);
        } else {
          for (std::size_t c = 0; c <= n; ++c) {
            if (c == best) continue;
            for (std::size_t i = 0; i < n; ++i) corners[c][i] = 0.5 * (corners[c][i] + corners[best][i]);
            values[c] = value(corners[c]);
          }
        }
      }
    }
    start = inside(corners[static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin())]);
  }
  return start;
}

}  // namespace gpuplan::kernels
