// The two layouts of charts: points over two axes of numbers, and rows of bars.
#pragma once

#include "output/charts/chart.h"
#include "output/charts/svg/canvas.h"

namespace gpuplan {

/// Each draws on the canvas and returns the height.
double draw_plot(const Chart& chart, double width, Canvas& canvas);
double draw_rows(const Chart& chart, double width, const std::string& hatch, Canvas& canvas);

/// From 0 to 1 along the axis.
double place_on(const PlotAxis& axis, double value);

/// Of ticks as many as their texts have room for, evenly: every one, every second, ... `at` gives the middle of the
/// text.
std::vector<const PlotTick*> roomy_ticks(const PlotAxis& axis, double from, double to);

/// The text of a tick under the middle `x`, moved inside of [0, width].
void draw_tick_text(double x, double y, const std::string& text, double width, Canvas& canvas);

/// Pictures narrower than that have their texts above the bars and fewer of them.
inline constexpr double kSmall = 560;

}  // namespace gpuplan
