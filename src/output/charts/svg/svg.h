// Charts as SVG: one text, no script, no font of its own.
#pragma once

#include <string>
#include <vector>

#include "output/charts/chart.h"
#include "output/charts/svg/canvas.h"

namespace gpuplan {

/// kBoth: as the reader's system says (prefers-color-scheme), by variables that a page may set itself. The others name
/// their colours, for programs that know no variables.
enum class ChartTheme { kLight, kDark, kBoth };

inline constexpr double kReportWidth = 760, kPhoneWidth = 360;

struct SvgLook {
  double width = kReportWidth;  ///< pixels, from kNarrowest on
  ChartTheme theme = ChartTheme::kLight;
};
inline constexpr double kNarrowest = 240;

/// A drawing with where its texts lie: inside of the picture, none over another.
struct Drawing {
  std::string svg;
  double width = 0, height = 0;
  std::vector<PlacedText> texts;
};

Drawing draw(const Chart& chart, const SvgLook& look);

/// The SVG alone. The same chart gives the same bytes.
std::string svg_of(const Chart& chart, const SvgLook& look = {});

}  // namespace gpuplan
