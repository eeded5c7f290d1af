#include "output/text/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

constexpr double kLogFrom = 6;  // a linear axis would press what is cheap and fast into one corner
constexpr int kWidest = 110;    // wider charts are no easier to read

// Ticks within a decade, from many to few.
constexpr std::array kThree = {1.0, 2.0, 5.0};
constexpr std::array kTwo = {1.0, 3.0};
constexpr std::array kOne = {1.0};

/// The least of 1, 2 and 5 times powers of ten that is not below the value.
double round_step(double at_least) {
  const double power = math::pow(10, std::floor(math::log(at_least) / math::log(10.0) + 1e-9));
  for (const double step : kThree)
    if (step * power >= at_least * (1 - 1e-9)) return step * power;
  return 10 * power;
}

struct Character {
  std::string text = " ";
  Paint paint = Paint::kPlain;
  bool taken = false;  ///< by a point; lines may be drawn over
};

/// The field that points are drawn on; row 0 is at the top.
class Field {
 public:
  Field(int columns, int rows)
      : columns_(columns), rows_(rows), places_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  int column_of(double position) const { return clamped(position, columns_); }
  int row_of(double position) const { return rows_ - 1 - clamped(position, rows_); }

  void line(int from_column, int to_column, int from_row, int to_row, const char* stroke) {
    for (int row = std::min(from_row, to_row); row <= std::max(from_row, to_row); ++row)
      for (int column = from_column; column <= to_column; ++column)
        if (Character& place = at(column, row); !place.taken) place = {stroke, Paint::kDim, false};
  }

  void point(int column, int row, const ChartPoint& what) {
    // The place itself, then its neighbours from near to far: sideways first, since a row is twice as high as a column
    // is wide.
    static constexpr std::array<std::pair<int, int>, 9> kBeside = {
        {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-2, 0}, {2, 0}, {-1, -1}, {1, 1}}};
    for (const auto& [dx, dy] : kBeside) {
      const int c = column + dx, r = row + dy;
      if (c >= 0 && c < columns_ && r >= 0 && r < rows_ && !at(c, r).taken) {
        at(c, r) = {what.mark, what.paint, true};
        return;
      }
      if (!what.keep) return;
    }
  }

  std::string row_text(int row, const Screen& screen) {
    // Neighbours of one paint are painted together.
    std::string text, run;
    Paint paint = Paint::kPlain;
    for (int column = 0; column < columns_; ++column) {
      const Character& place = at(column, row);
      if (place.paint != paint) {
        text += painted(run, paint, screen);
        run.clear();
        paint = place.paint;
      }
      run += place.text;
    }
    return text + painted(run, paint, screen);
  }

 private:
  static int clamped(double position, int cells) {
    return static_cast<int>(std::floor(std::clamp(position, 0.0, 1.0) * (cells - 1) + 0.5));
  }
  Character& at(int column, int row) {
    return places_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                   static_cast<std::size_t>(column)];
  }

  int columns_, rows_;
  std::vector<Character> places_;
};

std::vector<double> all_values(std::span<const ChartPoint> points, double ChartPoint::* value,
                               std::optional<std::pair<double, double>> ChartPoint::* range) {
  std::vector<double> values;
  for (const ChartPoint& point : points) {
    values.push_back(point.*value);
    if (const auto& ends = point.*range) values.insert(values.end(), {ends->first, ends->second});
  }
  return values;
}

std::string rstripped(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line + '\n';
}

}  // namespace

ChartScale::ChartScale(std::span<const double> values) {
  const auto [least, most] = std::ranges::minmax(values);
  low_ = least;
  high_ = most;
  if (least == most) {
    only_ = least;
    low_ = 0;
    high_ = most > 0 ? 2 * most : 1;
    if (most <= 0) low_ = -1;
  } else if (least > 0 && most > kLogFrom * least) {
    logarithmic_ = true;
  } else if (least < most / 2) {
    low_ = 0;
  }
}

double ChartScale::position(double value) const {
  if (logarithmic_) return math::log(value / low_) / math::log(high_ / low_);
  return (value - low_) / (high_ - low_);
}

std::vector<double> ChartScale::ticks(int most) const {
  const auto limit = static_cast<std::size_t>(std::max(most, 2));
  if (only_) return {*only_};
  std::vector<double> result;
  if (!logarithmic_) {
    const double least = std::max(low_, 0.0);
    const double step = round_step((high_ - least) / static_cast<double>(limit - 1));
    const double first = std::ceil(least / step - 1e-9);
    while (result.size() < limit) {
      const double tick = (first + static_cast<double>(result.size())) * step;
      if (tick > high_ * (1 + 1e-9)) break;
      result.push_back(tick);
    }
    return result;
  }
  for (const std::span<const double> steps :
       {std::span<const double>(kThree), std::span<const double>(kTwo), std::span<const double>(kOne)}) {
    result.clear();
    double power = math::pow(10, std::floor(math::log(low_) / math::log(10.0) - 1e-9));
    while (power <= high_) {
      for (const double step : steps)
        if (const double tick = step * power; tick >= low_ * (1 - 1e-9) && tick <= high_ * (1 + 1e-9))
          result.push_back(tick);
      power *= 10;
    }
    if (result.size() <= limit) return result;
  }
  // More decades than ticks: every second, third, ... of them.
  const std::size_t stride = (result.size() + limit - 1) / limit;
  std::vector<double> some;
  for (std::size_t i = 0; i < result.size(); i += stride) some.push_back(result[i]);
  return some;
}

std::string scatter_text(std::span<const ChartPoint> points, const ChartAxis& x, const ChartAxis& y, int rows,
                         const Screen& screen) {
  if (points.empty()) return "";
  const ChartScale across(all_values(points, &ChartPoint::x, &ChartPoint::x_range));
  const ChartScale up(all_values(points, &ChartPoint::y, &ChartPoint::y_range));

  const std::vector<double> y_ticks = up.ticks(rows / 2);
  int label_width = 0;
  for (const double tick : y_ticks) label_width = std::max(label_width, display_width(y.label(tick)));
  constexpr int kIndent = 2;
  const int columns = std::max(std::min(screen.columns, kWidest) - kIndent - label_width - 2, 20);
  Field field(columns, rows);

  for (const ChartPoint& point : points) {
    const int column = field.column_of(across.position(point.x)), row = field.row_of(up.position(point.y));
    if (const auto& range = point.x_range)
      field.line(field.column_of(across.position(range->first)), field.column_of(across.position(range->second)), row,
                 row, "─");
    if (const auto& range = point.y_range)
      field.line(column, column, field.row_of(up.position(range->first)), field.row_of(up.position(range->second)),
                 "│");
  }
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, [&](std::size_t a, std::size_t b) { return points[a].rank > points[b].rank; });
  for (const std::size_t i : order) {
    const ChartPoint& point = points[i];
    field.point(field.column_of(across.position(point.x)), field.row_of(up.position(point.y)), point);
  }

  const std::string margin(kIndent, ' ');
  std::string text = rstripped(margin + y.title + (up.logarithmic() ? " (log scale)" : ""));
  for (int row = 0; row < rows; ++row) {
    std::string label;
    for (const double tick : y_ticks)
      if (field.row_of(up.position(tick)) == row && label.empty()) label = y.label(tick);
    std::string line = margin + padded(label, label_width, Align::kRight);
    line += label.empty() ? " │" : " ┤";
    line += field.row_text(row, screen);
    text += rstripped(line);
  }
  // Labels of the horizontal axis stand under their ticks; one that would touch its neighbour is left out.
  std::vector<std::string> axis(static_cast<std::size_t>(columns), "─");
  std::string labels;
  int used = 0;
  for (const double tick : across.ticks(columns / 10)) {
    const int column = field.column_of(across.position(tick));
    const std::string label = x.label(tick);
    const int width = display_width(label);
    const int before = label_width + 2 + column - width / 2;
    const int start = std::min(before, label_width + 2 + columns - width);
    if (start < (used == 0 ? 0 : used + 2)) continue;
    labels += std::string(static_cast<std::size_t>(start - used), ' ') + label;
    used = start + width;
    axis[static_cast<std::size_t>(column)] = "┬";
  }
  text += margin + std::string(static_cast<std::size_t>(label_width), ' ') + " └";
  for (const std::string& part : axis) text += part;
  text += '\n';
  text += rstripped(margin + labels);
  const std::string title = x.title + (across.logarithmic() ? " (log scale)" : "");
  return text + rstripped(margin + padded(title, label_width + 2 + columns, Align::kRight));
}

}  // namespace gpuplan
