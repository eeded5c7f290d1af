// RowPlot of bars over one axis of numbers.
#include <algorithm>
#include <string>

#include "output/charts/svg/layout.h"

namespace gpuplan {
namespace {

constexpr double kBar = 18, kGap = 8;

class RowPlot {
 public:
  RowPlot(const Chart& chart, double width, const std::string& hatch, Canvas& canvas)
      : chart_(chart),
        canvas_(canvas),
        hatch_("fill=\"url(#" + hatch + ")\" class=\"c8\""),
        width_(width),
        small_(width < kSmall),
        row_(small_ ? 46 : 34) {
    top_ = 4 + legend_height();
    if (std::ranges::any_of(chart.marks, [](const ChartMark& mark) { return is_line(mark); })) top_ += 18;
    floor_ = top_ + (chart.y.max - chart.y.min) * row_;
    height_ = floor_ + (chart.x.ticks.empty() ? 6 : 42);
    lay_out();
  }

  double draw() {
    legend();
    for (const PlotTick* tick : roomy_ticks(chart_.x, left_, right_)) {
      canvas_.line(x(tick->at), top_, x(tick->at), floor_, "grid");
      draw_tick_text(x(tick->at), floor_ + 16, tick->text, width_, canvas_);
    }
    canvas_.text(right_, height_ - 8, fitted(chart_.x.title, right_), "t", Anchor::kEnd);
    for (const ChartMark& mark : chart_.marks) {
      canvas_.begin(mark.tip);
      shape(mark);
      canvas_.end();
    }
    for (const PlotTick& tick : chart_.y.ticks) title(tick);
    for (const bool picked : {true, false})
      for (const ChartMark& mark : chart_.marks)
        if ((mark.role == MarkRole::kPick) == picked && !mark.label.empty()) label(mark);
    return height_;
  }

 private:
  static bool is_line(const ChartMark& mark) { return mark.shape == MarkShape::kRule && !mark.y; }
  static bool labels_inside(const ChartMark& mark) { return mark.shape == MarkShape::kBar && !mark.x; }
  /// A bar that reaches to the left has its label there.
  static bool to_the_left(const ChartMark& mark) {
    return mark.shape == MarkShape::kBar && mark.x && mark.x0 && mark.x1 && *mark.x == *mark.x0 && *mark.x < *mark.x1;
  }
  bool both_sides() const { return chart_.kind == ChartKind::kTornado; }

  double x(double value) const { return left_ + place_on(chart_.x, value) * (right_ - left_); }
  double y(double value) const { return top_ + (value - chart_.y.min) * row_; }
  /// Of the bar of a row; its title stands above it in narrow pictures.
  double middle(double row) const { return small_ ? y(row - 0.5) + 20 + kBar / 2 : y(row); }

  static std::string label_of(const ChartMark& mark, bool with_note) {
    return with_note && !mark.note.empty() ? mark.label + " (" + mark.note + ")" : mark.label;
  }

  /// The farthest that anything in the row reaches.
  double reach(double row) const {
    double end = chart_.x.min;
    for (const ChartMark& mark : chart_.marks) {
      if (!mark.y || *mark.y != row) continue;
      for (const auto& value : {mark.x, mark.x1})
        if (value) end = std::max(end, *value);
    }
    return end;
  }

  /// Where the label of a mark begins, as a value.
  double start_of(const ChartMark& mark) const {
    return both_sides() || mark.shape == MarkShape::kBar ? *mark.x : reach(*mark.y);
  }

  /// In narrow pictures what stands beyond a bar goes above it, but for the two ends of an input.
  bool above(const ChartMark&) const { return small_ && !both_sides(); }

  /// So that the labels beyond the ends of bars have room.
  void lay_out() {
    double names = 0;
    for (const PlotTick& tick : chart_.y.ticks) names = std::max(names, text_width(tick.text, true));
    const double column = small_ ? 0 : std::min(names, 0.40 * width_) + 12;
    const double edge = width_ - 2, narrowest = 0.4 * (width_ - column);
    left_ = column;
    right_ = edge - 8;
    for (int round = 0; round < 4; ++round)
      for (const ChartMark& mark : chart_.marks) {
        if (mark.label.empty() || is_line(mark) || labels_inside(mark) || above(mark) || !mark.x || !mark.y) continue;
        const double room = text_width(label_of(mark, !small_), mark.role == MarkRole::kPick) + kGap + 4;
        const double place = place_on(chart_.x, start_of(mark));
        if (to_the_left(mark)) {
          if (place < 1) left_ = std::max(left_, (column + room - place * right_) / (1 - place));
        } else if (place > 0) {
          right_ = std::min(right_, left_ + (edge - room - left_) / place);
        }
        left_ = std::min(left_, column + 0.25 * (edge - column));
        right_ = std::max(right_, left_ + narrowest);
      }
  }

  double legend_height() const {
    if (chart_.legend.empty()) return 0;
    double at = 0, lines = 1;
    for (const LegendEntry& entry : chart_.legend) {
      const double room = text_width(entry.text) + 32;
      if (at > 0 && at + room - 16 > width_) {
        at = 0;
        ++lines;
      }
      at += room;
    }
    return lines * 18 + 6;
  }

  void legend() {
    double at = 0, line = 14;
    for (const LegendEntry& entry : chart_.legend) {
      const double room = text_width(entry.text) + 32;
      if (at > 0 && at + room - 16 > width_) {
        at = 0;
        line += 18;
      }
      canvas_.rect({at, line - 9, at + 10, line + 1}, look_of(entry.role));
      canvas_.text(at + 15, line, fitted(entry.text, width_ - at - 15), "t");
      at += room;
    }
  }

  std::string look_of(MarkRole role) const {
    if (role == MarkRole::kC8) return hatch_;
    if (role == MarkRole::kReference) return "class=\"panel\"";
    if (role == MarkRole::kBeaten) return "class=\"tried\"";
    return "class=\"" + std::string(name_of(role)) + "\"";
  }

  bool is_pick(double row) const {
    return std::ranges::any_of(
        chart_.marks, [&](const ChartMark& mark) { return mark.role == MarkRole::kPick && mark.y && *mark.y == row; });
  }

  void title(const PlotTick& tick) {
    const char* look = is_pick(tick.at) ? "pt h" : "l h";
    if (!small_) {
      canvas_.text(left_column(), y(tick.at) + 4, fitted(tick.text, left_column(), is_pick(tick.at)), look,
                   Anchor::kEnd);
      return;
    }
    double end = 0;  // what stands on the same line
    for (const ChartMark& mark : chart_.marks)
      if (!mark.label.empty() && mark.y && *mark.y == tick.at && above(mark) && !labels_inside(mark))
        end =
            std::max(end, std::min(text_width(label_of(mark, true), mark.role == MarkRole::kPick) + 10, width_ * 0.6));
    // A row that is higher than others has its title on top as well.
    const double first = top_of(tick.at);
    canvas_.text(0, first + 14, fitted(tick.text, width_ - end, is_pick(tick.at)), look);
  }

  double left_column() const {
    double names = 0;
    for (const PlotTick& tick : chart_.y.ticks) names = std::max(names, text_width(tick.text, true));
    return std::min(names, 0.40 * width_) + 2;
  }

  /// RowPlot are as high as others but the last, which may be higher: it lies around its tick as they do.
  double top_of(double row) const {
    const bool last = !chart_.y.ticks.empty() && row == chart_.y.ticks.back().at;
    return y(last ? 2 * row - chart_.y.max : row - 0.5);
  }

  void shape(const ChartMark& mark) {
    switch (mark.shape) {
      case MarkShape::kBar: {
        const double inset = mark.role == MarkRole::kBeaten ? 4 : 0;
        Box box{x(*mark.x0), 0, x(*mark.x1), 0};
        if (mark.y) {
          box.y0 = middle(*mark.y) - kBar / 2 + inset;
          box.y1 = middle(*mark.y) + kBar / 2 - inset;
        } else {
          box.y0 = y(*mark.y0);
          box.y1 = y(*mark.y1);
        }
        // A line of the page between neighbours.
        if (mark.y && box.x1 - box.x0 > 3 && mark.role != MarkRole::kReference) box.x1 -= 1;
        if (box.x1 - box.x0 < 0.5) box.x1 = box.x0 + 0.5;
        canvas_.rect(box, look_of(mark.role));
        break;
      }
      case MarkShape::kSpan: {
        const double at = middle(*mark.y) + (chart_.kind == ChartKind::kMemory ? kBar / 2 + 4 : 0);
        canvas_.line(x(*mark.x0), at, x(*mark.x1), at, "rref");
        for (const double end : {*mark.x0, *mark.x1}) canvas_.line(x(end), at - 2.5, x(end), at + 2.5, "rref");
        break;
      }
      case MarkShape::kRule:
        if (mark.y)
          canvas_.line(x(*mark.x), middle(*mark.y) - kBar / 2 - 3, x(*mark.x), middle(*mark.y) + kBar / 2 + 3, "end");
        else canvas_.line(x(*mark.x), top_ - 4, x(*mark.x), floor_, mark.role == MarkRole::kC8 ? "limit" : "now");
        break;
      case MarkShape::kPoint:
        canvas_.circle(x(*mark.x), middle(*mark.y),
                       mark.role == MarkRole::kPick   ? 6
                       : mark.role == MarkRole::kBest ? 5
                                                      : 4,
                       mark.role == MarkRole::kPick   ? "pick"
                       : mark.role == MarkRole::kBest ? "best"
                                                      : "beaten");
        break;
      case MarkShape::kLine:
      case MarkShape::kArea:
        break;  // of plots
    }
  }

  void label(const ChartMark& mark) {
    if (is_line(mark)) {
      const double half = text_width(mark.label, true) / 2 + 0.5;
      put(std::clamp(x(*mark.x), half, std::max(width_ - half, half)), top_ - 8, mark.label, "b", Anchor::kMiddle);
      return;
    }
    if (labels_inside(mark)) {
      const double room = x(*mark.x1) - x(*mark.x0) - 1;
      if (!mark.y || text_width(mark.label) + 4 > room) return;
      put((x(*mark.x0) + x(*mark.x1)) / 2 - 0.5, middle(*mark.y) + 4, mark.label,
          mark.role == MarkRole::kC1 ? "i1" : "in", Anchor::kMiddle);
      return;
    }
    if (!mark.x || !mark.y) return;
    const char* look = mark.role == MarkRole::kPick ? "pt" : "t";
    if (above(mark)) {
      const double room = width_ * 0.6 - 10;
      for (const bool with_note : {true, false})
        if (put(width_ - 2, top_of(*mark.y) + 14, fitted(label_of(mark, with_note), room, is_bold(look)), look,
                Anchor::kEnd))
          return;
      return;
    }
    const bool left = to_the_left(mark);
    const double beside = kGap + (mark.shape == MarkShape::kPoint ? 4 : 0);
    const double at = x(start_of(mark)) + (left ? -kGap + 2 : beside);
    for (const bool with_note : {true, false}) {
      const std::string text = label_of(mark, with_note);
      if (put(at, middle(*mark.y) + 4, text, look, left ? Anchor::kEnd : Anchor::kStart)) return;
    }
    const double room = left ? at : width_ - 2 - at;
    put(at, middle(*mark.y) + 4, fitted(mark.label, room, is_bold(look)), look, left ? Anchor::kEnd : Anchor::kStart);
  }

  bool put(double at, double base, const std::string& text, const char* look, Anchor anchor) {
    const Box box = text_box(at, base, text, anchor, is_bold(look));
    if (text.empty() || !box.within({0, 0, width_, height_}) || !canvas_.free(box)) return false;
    const bool on_bar = std::string_view(look).starts_with('i');
    canvas_.text(at, base, text, on_bar ? look : std::string(look) + " h", anchor);
    return true;
  }

  const Chart& chart_;
  Canvas& canvas_;
  std::string hatch_;
  double width_, height_ = 0, top_ = 0, floor_ = 0, left_ = 0, right_ = 0;
  bool small_;
  double row_;
};

}  // namespace

double draw_rows(const Chart& chart, double width, const std::string& hatch, Canvas& canvas) {
  return RowPlot(chart, width, hatch, canvas).draw();
}

}  // namespace gpuplan
