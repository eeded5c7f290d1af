// A scatter chart made of letters: points to scale over two axes with ticks, linear or logarithmic. Plain text that is
// read without colour.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "output/text/style.h"

namespace gpuplan {

struct ChartPoint {
  double x = 0, y = 0;  ///< finite, not negative
  std::string mark;     ///< one column
  int rank = 0;         ///< where two points fall on one place the higher rank is drawn
  /// A point of this kind is moved to a free place beside when its own is taken; others are covered.
  bool keep = false;
  Paint paint = Paint::kPlain;
  /// A line through the point, from low to high.
  std::optional<std::pair<double, double>> x_range{}, y_range{};
};

struct ChartAxis {
  std::string title;             ///< with the unit when the labels have none
  std::string (*label)(double);  ///< of a tick
};

/// How values lie on an axis: from its beginning (0) to its end (1).
class ChartScale {
 public:
  /// Logarithmic when the values are positive and span most of a decade; else linear, and from zero when zero is
  /// near. All values equal: they lie in the middle. REQUIRES: values, all finite and not negative.
  explicit ChartScale(std::span<const double> values);

  bool logarithmic() const { return logarithmic_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double position(double value) const;  ///< outside of 0 to 1 for values beyond the ends

  /// At most `most` round values in rising order: 1, 2 and 5, 1 and 3, or 1 times powers of ten.
  std::vector<double> ticks(int most) const;

 private:
  double low_ = 0, high_ = 1;
  std::optional<double> only_{};  ///< the value that all are
  bool logarithmic_ = false;
};

/// `rows` lines for the points and four for the axes and their titles, never wider than the screen; each line ends in a
/// line feed. No points: empty.
std::string scatter_text(std::span<const ChartPoint> points, const ChartAxis& x, const ChartAxis& y, int rows,
                         const Screen& screen);

}  // namespace gpuplan
