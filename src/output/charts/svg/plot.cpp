// Points, ranges and lines over two axes of numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "output/charts/svg/layout.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMany = 30;       // with more of them beaten points are dots without a name
constexpr std::size_t kManyNotes = 12;  // with more of them only their tips say what beats them
constexpr std::size_t kManySmall = 8;   // with more of them they have no name in a narrow picture

class Plot {
 public:
  Plot(const Chart& chart, double width, Canvas& canvas)
      : chart_(chart), canvas_(canvas), width_(width), small_(width < kSmall) {
    const bool high = chart.kind == ChartKind::kCostTime;
    height_ = high ? (small_ ? 380 : 430) : (small_ ? 260 : 290);
    double labels = 0;
    for (const PlotTick& tick : chart.y.ticks) labels = std::max(labels, text_width(tick.text));
    left_ = std::min(labels, width / 3) + 10;
    right_ = small_ ? 12 : 24;
    for (const ChartMark& mark : chart.marks)
      if (mark.shape == MarkShape::kPoint && mark.role == MarkRole::kBeaten) ++beaten_;
  }

  double draw() {
    axes();
    for (const ChartMark& mark : chart_.marks) {
      canvas_.begin(mark.tip);
      shape(mark);
      canvas_.end();
    }
    labels();
    return height_;
  }

 private:
  static constexpr double kTop = 30, kBottom = 44;

  double x(double value) const { return left_ + place_on(chart_.x, value) * (width_ - left_ - right_); }
  double y(double value) const { return height_ - kBottom - place_on(chart_.y, value) * (height_ - kTop - kBottom); }
  Box field() const { return {left_ + 2, kTop - 6, width_ - 3, height_ - kBottom - 2}; }
  bool many() const { return beaten_ > kMany; }

  void axes() {
    const double floor = height_ - kBottom, end = width_ - right_;
    for (const PlotTick* tick : roomy_ticks(chart_.x, left_, end)) {
      canvas_.line(x(tick->at), kTop, x(tick->at), floor, "grid");
      draw_tick_text(x(tick->at), floor + 16, tick->text, width_, canvas_);
    }
    for (const PlotTick& tick : chart_.y.ticks) {
      canvas_.line(left_, y(tick.at), end, y(tick.at), "grid");
      const Box box = text_box(left_ - 8, y(tick.at) + 4, tick.text, Anchor::kEnd);
      if (canvas_.free(box)) canvas_.text(left_ - 8, y(tick.at) + 4, tick.text, "t", Anchor::kEnd);
    }
    canvas_.text(0, 13, fitted(chart_.y.title, width_), "t");
    canvas_.text(end, height_ - 8, fitted(chart_.x.title, width_ - right_), "t", Anchor::kEnd);
  }

  static const char* range_look(MarkRole role) {
    return role == MarkRole::kPick ? "rpick" : role == MarkRole::kBest ? "rbest" : "rbeaten";
  }

  double radius(const ChartMark& mark) const {
    return mark.role == MarkRole::kPick   ? (chart_.kind == ChartKind::kFan ? 5 : 7)
           : mark.role == MarkRole::kBest ? 5
                                          : (many() ? 2.5 : 4);
  }

  void shape(const ChartMark& mark) {
    std::vector<std::pair<double, double>> points;
    for (const auto& [px, py] : mark.points) points.emplace_back(x(px), y(py));
    switch (mark.shape) {
      case MarkShape::kPoint:
        if (mark.x0 && mark.x1) canvas_.line(x(*mark.x0), y(*mark.y), x(*mark.x1), y(*mark.y), range_look(mark.role));
        if (mark.y0 && mark.y1) canvas_.line(x(*mark.x), y(*mark.y0), x(*mark.x), y(*mark.y1), range_look(mark.role));
        canvas_.circle(x(*mark.x), y(*mark.y), radius(mark),
                       mark.role == MarkRole::kPick   ? "pick"
                       : mark.role == MarkRole::kBest ? "best"
                       : many()                       ? "dot"
                                                      : "beaten");
        break;
      case MarkShape::kLine:
        canvas_.path(points, mark.role == MarkRole::kPick     ? "lpick"
                             : mark.role == MarkRole::kBest   ? "lbest"
                             : mark.role == MarkRole::kBeaten ? "lbeaten"
                                                              : "lref");
        break;
      case MarkShape::kArea:
        canvas_.path(points, "apick", true);
        break;
      case MarkShape::kRule:
        canvas_.line(x(*mark.x), kTop, x(*mark.x), height_ - kBottom, "limit");
        break;
      case MarkShape::kBar:
      case MarkShape::kSpan:
        break;  // of rows
    }
  }

  /// The pick first, then limits, best trade-offs, lines, and the others while there is room.
  void labels() {
    for (const ChartMark& mark : chart_.marks)
      if (mark.shape == MarkShape::kPoint && (mark.role != MarkRole::kBeaten || !many())) {
        const double r = radius(mark) + 2;
        points_.push_back({x(*mark.x) - r, y(*mark.y) - r, x(*mark.x) + r, y(*mark.y) + r});
      }
    for (const ChartMark& mark : chart_.marks)
      if (mark.shape == MarkShape::kPoint) centers_.emplace_back(x(*mark.x), y(*mark.y));
    // Of curves that run side by side a name has to lie clear.
    if (chart_.kind == ChartKind::kFan)
      for (const ChartMark& mark : chart_.marks)
        if (mark.shape == MarkShape::kLine)
          for (const auto& [px, py] : mark.points) points_.push_back({x(px) - 2, y(py) - 2, x(px) + 2, y(py) + 2});
    const auto each = [&](auto&& wanted, auto&& put) {
      for (const ChartMark& mark : chart_.marks)
        if (!mark.label.empty() && wanted(mark)) put(mark);
    };
    const auto point_of = [](MarkRole role) {
      return [role](const ChartMark& mark) { return mark.shape == MarkShape::kPoint && mark.role == role; };
    };
    const auto shaped = [](MarkShape shape) { return [shape](const ChartMark& mark) { return mark.shape == shape; }; };
    const auto beside = [&](const ChartMark& mark) { label_point(mark); };
    each(point_of(MarkRole::kPick), [&](const ChartMark& mark) {
      const std::size_t before = canvas_.texts().size();
      label_point(mark);
      if (canvas_.texts().size() != before) return;
      over_points_ = true;  // the pick has its name in any crowd
      label_point(mark);
      over_points_ = false;
    });
    each(shaped(MarkShape::kRule), [&](const ChartMark& mark) { label_rule(mark); });
    each(shaped(MarkShape::kArea), [&](const ChartMark& mark) { label_area(mark); });
    each(point_of(MarkRole::kBest), beside);
    each(shaped(MarkShape::kLine), [&](const ChartMark& mark) { label_line(mark); });
    if (!many() && (!small_ || beaten_ <= kManySmall)) each(point_of(MarkRole::kBeaten), beside);
  }

  bool room(const Box& box) const {
    return box.within(field()) && canvas_.free(box) &&
           (over_points_ || std::ranges::none_of(points_, [&](const Box& point) { return point.meets(box); }));
  }

  static double distance(const Box& box, double px, double py) {
    const double dx = std::max({box.x0 - px, 0.0, px - box.x1}), dy = std::max({box.y0 - py, 0.0, py - box.y1});
    return std::sqrt(dx * dx + dy * dy);
  }

  /// A name that stands nearer to another mark would be read as that one's.
  bool belongs(const Box& box, double px, double py) const {
    if (chart_.kind != ChartKind::kCostTime) return true;
    constexpr double kClearly = 1;
    const double own = distance(box, px, py);
    return std::ranges::all_of(centers_, [&](const std::pair<double, double>& other) {
      return (other.first == px && other.second == py) || distance(box, other.first, other.second) > own + kClearly;
    });
  }

  /// Further off, with a line from the mark to its name.
  bool put_led(const ChartMark& mark, const std::string& note, const std::string& look) {
    struct Way {
      double dx, dy;
      Anchor anchor;
    };
    static constexpr std::array kWays = {
        Way{-1, -1, Anchor::kEnd},       Way{1, -1, Anchor::kStart},    Way{-1, 1, Anchor::kEnd},
        Way{1, 1, Anchor::kStart},       Way{-1.6, 0, Anchor::kEnd},    Way{1.6, 0, Anchor::kStart},
        Way{0, -1.2, Anchor::kMiddle},   Way{0, 1.2, Anchor::kMiddle},  Way{-1.5, -.5, Anchor::kEnd},
        Way{1.5, -.5, Anchor::kStart},   Way{-1.5, .5, Anchor::kEnd},   Way{1.5, .5, Anchor::kStart},
        Way{-.5, -1.2, Anchor::kMiddle}, Way{.5, -1.2, Anchor::kMiddle}};
    const double px = x(*mark.x), py = y(*mark.y);
    for (const double far : {28.0, 42.0, 60.0, 82.0, 108.0, 140.0})
      for (const Way& way : kWays) {
        const double bx = px + way.dx * far, by = py + way.dy * far + 4;
        const Box box = label_box(bx, by, mark.label, note, look, way.anchor);
        const double ex = std::clamp(px, box.x0, box.x1), ey = std::clamp(py, box.y0, box.y1);
        if (!crosses_nothing(px, py, ex, ey) || !put(bx, by, mark.label, note, look, way.anchor)) continue;
        const double reach = distance(box, px, py), from = (radius(mark) + 1) / std::max(reach, 1.0);
        canvas_.line(px + (ex - px) * from, py + (ey - py) * from, ex, ey, "lead");
        constexpr int kParts = 24;  // no name stands on it later
        for (int i = 0; i <= kParts; ++i) {
          const double at = static_cast<double>(i) / kParts, lx = px + (ex - px) * at, ly = py + (ey - py) * at;
          points_.push_back({lx - 2, ly - 2, lx + 2, ly + 2});
        }
        return true;
      }
    return false;
  }

  /// Neither a name nor another mark lies on the way.
  bool crosses_nothing(double x0, double y0, double x1, double y1) const {
    constexpr int kParts = 12;
    for (int i = 1; i < kParts; ++i) {
      const double at = static_cast<double>(i) / kParts, lx = x0 + (x1 - x0) * at, ly = y0 + (y1 - y0) * at;
      const Box dot{lx - 1, ly - 1, lx + 1, ly + 1};
      if (!canvas_.free(dot)) return false;
      if (std::ranges::any_of(points_, [&](const Box& point) {
            const bool own = x0 > point.x0 && x0 < point.x1 && y0 > point.y0 && y0 < point.y1;
            return !own && point.meets(dot);
          }))
        return false;
    }
    return true;
  }

  static constexpr double kTextLine = 14;

  /// On two lines where one is longer than a name needs to be.
  static std::vector<std::string> lines_of(const std::string& label, bool bold) {
    constexpr double kWidest = 190;
    if (text_width(label, bold) <= kWidest) return {label};
    std::size_t split = std::string::npos;
    for (std::size_t at = label.find(' '); at != std::string::npos; at = label.find(' ', at + 1))
      if (text_width(std::string_view(label).substr(0, at), bold) <= kWidest) split = at;
    if (split == std::string::npos) return {fitted(label, kWidest, bold)};
    return {label.substr(0, split), fitted(std::string_view(label).substr(split + 1), kWidest, bold)};
  }

  /// What a name takes, with its note below, where its first baseline is at `by`.
  static Box label_box(double bx, double by, const std::string& label, const std::string& note, const std::string& look,
                       Anchor anchor) {
    const std::vector<std::string> names = lines_of(label, is_bold(look));
    Box box = text_box(bx, by, names.front(), anchor, is_bold(look));
    const auto add = [&](const Box& more) {
      box = {std::min(box.x0, more.x0), box.y0, std::max(box.x1, more.x1), more.y1};
    };
    double line = by + kTextLine;
    for (std::size_t i = 1; i < names.size(); ++i, line += kTextLine)
      add(text_box(bx, line, names[i], anchor, is_bold(look)));
    if (!note.empty()) add(text_box(bx, line, note, anchor));
    return box;
  }

  /// One line or several, the first with its baseline at `by`.
  bool put(double bx, double by, const std::string& label, const std::string& note, const std::string& look,
           Anchor anchor) {
    const std::vector<std::string> names = lines_of(label, is_bold(look));
    const auto line_at = [&](std::size_t i) { return by + kTextLine * static_cast<double>(i); };
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!room(text_box(bx, line_at(i), names[i], anchor, is_bold(look)))) return false;
    if (!note.empty() && !room(text_box(bx, line_at(names.size()), note, anchor))) return false;
    for (std::size_t i = 0; i < names.size(); ++i) canvas_.text(bx, line_at(i), names[i], look + " h", anchor);
    if (!note.empty()) canvas_.text(bx, line_at(names.size()), note, "t h", anchor);
    return true;
  }

  void label_point(const ChartMark& mark) {
    const std::string look = mark.role == MarkRole::kPick ? "pt" : mark.role == MarkRole::kBest ? "b" : "t";
    const bool lesser = mark.role == MarkRole::kBeaten;
    struct Try {
      double dx, dy;
      Anchor anchor;
    };
    static constexpr std::array kTries = {
        Try{10, -9, Anchor::kStart},  Try{10, 16, Anchor::kStart}, Try{-10, -9, Anchor::kEnd},
        Try{-10, 16, Anchor::kEnd},   Try{13, 4, Anchor::kStart},  Try{-13, 4, Anchor::kEnd},
        Try{0, -14, Anchor::kMiddle}, Try{0, 22, Anchor::kMiddle}, Try{15, -24, Anchor::kStart},
        Try{15, 31, Anchor::kStart},  Try{-15, -24, Anchor::kEnd}, Try{-15, 31, Anchor::kEnd},
        Try{18, -40, Anchor::kStart}, Try{18, 46, Anchor::kStart}, Try{-18, -40, Anchor::kEnd},
        Try{-18, 46, Anchor::kEnd},
    };
    // A second line goes above the first try where the label stands above its point.
    for (const bool with_note : {true, false}) {
      if (with_note && (mark.note.empty() || (lesser && (small_ || beaten_ > kManyNotes)))) continue;
      const std::string note = with_note ? mark.note : std::string();
      for (std::size_t i = 0; i < kTries.size(); ++i) {
        // A rising curve leaves room above it on the left.
        const auto& [dx, dy, anchor] = kTries[chart_.kind == ChartKind::kFan ? (i + 2) % kTries.size() : i];
        if (lesser && i >= 12) break;  // so far off it would seem to belong to another
        const double lift = with_note && dy < 0 ? -12 : with_note && dy == 4 ? -6 : 0;
        const double bx = x(*mark.x) + dx, by = y(*mark.y) + dy + lift;
        if (!over_points_ && !belongs(label_box(bx, by, mark.label, note, look, anchor), x(*mark.x), y(*mark.y)))
          continue;
        if (put(bx, by, mark.label, note, look, anchor)) return;
      }
      if (chart_.kind == ChartKind::kCostTime && !lesser && !over_points_ && put_led(mark, note, look)) return;
    }
  }

  void label_rule(const ChartMark& mark) {
    const double at = x(*mark.x);
    constexpr double kLine = 18;
    const int lines = static_cast<int>((height_ - kBottom - kTop - 18) / kLine) + 1;
    for (int line = 0; line < lines; ++line) {
      const double by = height_ - kBottom - 8 - line * kLine;
      if (put(at - 6, by, mark.label, "", "b", Anchor::kEnd)) return;
      if (put(at + 6, by, mark.label, "", "b", Anchor::kStart)) return;
    }
  }

  void label_area(const ChartMark& mark) {
    double low = width_, high = 0;
    for (const auto& [px, py] : mark.points) {
      low = std::min(low, x(px));
      high = std::max(high, x(px));
    }
    const double half = text_width(mark.label) / 2;
    const double middle = std::clamp((low + high) / 2, left_ + half + 4, std::max(width_ - half - 4, left_ + half + 4));
    // Over the plot, where no line goes.
    const Box above = text_box(middle, kTop - 4, mark.label, Anchor::kMiddle);
    if (above.within({0, 0, width_, height_}) && canvas_.free(above)) {
      canvas_.text(middle, kTop - 4, mark.label, "t", Anchor::kMiddle);
      return;
    }
    constexpr double kLine = 16;
    const int lines = static_cast<int>((height_ - kBottom - kTop - 18) / kLine) + 1;
    for (int line = 0; line < lines; ++line)
      if (put(middle, height_ - kBottom - 8 - line * kLine, mark.label, "", "t", Anchor::kMiddle)) return;
  }

  /// Along the line, from its lower end on, where it can be seen.
  void label_line(const ChartMark& mark) {
    if (mark.points.empty()) return;
    const std::string look = mark.role == MarkRole::kReference ? "pt" : "t";
    const std::size_t count = mark.points.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [px, py] =
          chart_.kind == ChartKind::kFan ? mark.points[(count / 3 + i) % count] : mark.points[count - 1 - i];
      if (put(x(px) + 8, y(py) + 2, mark.label, "", look, Anchor::kStart)) return;
      if (put(x(px) - 8, y(py) + 12, mark.label, "", look, Anchor::kEnd)) return;
    }
  }

  const Chart& chart_;
  Canvas& canvas_;
  double width_, height_ = 0, left_ = 0, right_ = 0;
  bool small_;
  std::size_t beaten_ = 0;
  std::vector<Box> points_;
  std::vector<std::pair<double, double>> centers_;  ///< of all points
  bool over_points_ = false;                        ///< a label may hide points
};

}  // namespace

double draw_plot(const Chart& chart, double width, Canvas& canvas) { return Plot(chart, width, canvas).draw(); }

}  // namespace gpuplan
