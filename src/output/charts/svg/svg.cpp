#include "output/charts/svg/svg.h"

#include <algorithm>

#include "base/math.h"
#include "output/charts/svg/layout.h"
#include "output/charts/svg/style.h"

namespace gpuplan {

double place_on(const PlotAxis& axis, double value) {
  const double inside = std::clamp(value, axis.min, axis.max);
  if (axis.scale == PlotScale::kLog) return math::log(inside / axis.min) / math::log(axis.max / axis.min);
  return (inside - axis.min) / (axis.max - axis.min);
}

std::vector<const PlotTick*> roomy_ticks(const PlotAxis& axis, double from, double to) {
  constexpr double kGap = 10;
  std::vector<const PlotTick*> kept;
  for (std::size_t stride = 1; stride <= kMostTicks; ++stride) {
    kept.clear();
    bool room = true;
    double used = -1e9;
    for (std::size_t i = 0; i < axis.ticks.size(); i += stride) {
      const PlotTick& tick = axis.ticks[i];
      const double middle = from + place_on(axis, tick.at) * (to - from), half = text_width(tick.text) / 2;
      room = room && middle - half >= used + kGap;
      used = middle + half;
      kept.push_back(&tick);
    }
    if (room) break;
  }
  return kept;
}

void draw_tick_text(double x, double y, const std::string& text, double width, Canvas& canvas) {
  const double half = text_width(text) / 2 + 0.5;
  canvas.text(std::clamp(x, half, std::max(width - half, half)), y, text, "t", Anchor::kMiddle);
}

Drawing draw(const Chart& chart, const SvgLook& look) {
  Canvas canvas;
  const double width = std::max(look.width, kNarrowest);
  const std::string id = "gp-" + chart.key, hatch = id + "-idle";
  const double height =
      chart.y.scale == PlotScale::kCategory ? draw_rows(chart, width, hatch, canvas) : draw_plot(chart, width, canvas);
  const std::string size = coordinate(width) + " " + coordinate(height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gpchart\" viewBox=\"0 0 " + size +
                    "\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) +
                    "\" role=\"img\" aria-labelledby=\"" + id + "-title " + id + "-desc\">\n";
  svg += "<title id=\"" + id + "-title\">" + xml_text(chart.title) + "</title>\n";
  svg += "<desc id=\"" + id + "-desc\">" + xml_text(chart.alt) + "</desc>\n";
  svg += "<style>" + chart_style(look.theme) + "</style>\n";
  if (std::ranges::any_of(chart.marks, [](const ChartMark& mark) {
        return mark.shape == MarkShape::kBar && mark.role == MarkRole::kC8;
      }))
    svg += hatch_pattern(hatch) + "\n";
  svg += "<rect width=\"100%\" height=\"100%\" class=\"bg\"/>\n" + canvas.body() + "</svg>\n";
  return {std::move(svg), width, height, canvas.texts()};
}

std::string svg_of(const Chart& chart, const SvgLook& look) { return draw(chart, look).svg; }

}  // namespace gpuplan
