// A chart as plain data: where everything lies, and every text as it is shown. Whoever draws it (svg/svg.h, a page)
// formats no number and words no sentence.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/names.h"

namespace gpuplan {

class JsonWriter;

enum class ChartKind { kCostTime, kMemory, kStepTime, kSchedule, kFan, kTornado, kPriceAge };
template <>
struct Names<ChartKind> {
  static constexpr std::array entries = {
      Named<ChartKind>{ChartKind::kCostTime, "cost_time"},
      Named<ChartKind>{ChartKind::kMemory, "memory"},
      Named<ChartKind>{ChartKind::kStepTime, "step_time"},
      Named<ChartKind>{ChartKind::kSchedule, "schedule"},
      Named<ChartKind>{ChartKind::kFan, "fan"},
      Named<ChartKind>{ChartKind::kTornado, "tornado"},
      Named<ChartKind>{ChartKind::kPriceAge, "price_age"},
  };
};

/// Category: whole numbers from 0 on, the first on top, each with a row of its own from -1/2 to +1/2 around it.
enum class PlotScale { kLog, kLinear, kCategory };
template <>
struct Names<PlotScale> {
  static constexpr std::array entries = {
      Named<PlotScale>{PlotScale::kLog, "log"},
      Named<PlotScale>{PlotScale::kLinear, "linear"},
      Named<PlotScale>{PlotScale::kCategory, "category"},
  };
};

struct PlotTick {
  double at = 0;
  std::string text;
};

/// Everything drawn lies from `min` to `max`, which is more than `min`; both are positive on a logarithmic axis.
struct PlotAxis {
  std::string title;
  PlotScale scale = PlotScale::kLinear;
  double min = 0, max = 1;
  std::vector<PlotTick> ticks;  ///< in rising order; of numbers at most kMostTicks
};
inline constexpr std::size_t kMostTicks = 7;

/// point: `x`, `y`, with ranges from x0 to x1 and from y0 to y1 where these are set. bar: from x0 to x1, in the row `y`
/// or from y0 to y1; its label stands inside, or beyond its end at `x` where that is set. span: a range from x0 to x1
/// at `y`, or under the bars of the row `y`. line: through `points`. area: `points`, the upper edge and then the lower
/// one. rule: a line at `x` from bottom to top, or in the row `y` alone.
enum class MarkShape { kPoint, kBar, kSpan, kLine, kArea, kRule };
template <>
struct Names<MarkShape> {
  static constexpr std::array entries = {
      Named<MarkShape>{MarkShape::kPoint, "point"}, Named<MarkShape>{MarkShape::kBar, "bar"},
      Named<MarkShape>{MarkShape::kSpan, "span"},   Named<MarkShape>{MarkShape::kLine, "line"},
      Named<MarkShape>{MarkShape::kArea, "area"},   Named<MarkShape>{MarkShape::kRule, "rule"},
  };
};

/// What a mark stands for, and so how it looks. c1 to c8 are kinds of parts, each of one colour; c8 is hatched too.
enum class MarkRole { kPick, kBest, kBeaten, kReference, kC1, kC2, kC3, kC4, kC5, kC6, kC7, kC8 };
template <>
struct Names<MarkRole> {
  static constexpr std::array entries = {
      Named<MarkRole>{MarkRole::kPick, "pick"},     Named<MarkRole>{MarkRole::kBest, "best"},
      Named<MarkRole>{MarkRole::kBeaten, "beaten"}, Named<MarkRole>{MarkRole::kReference, "reference"},
      Named<MarkRole>{MarkRole::kC1, "c1"},         Named<MarkRole>{MarkRole::kC2, "c2"},
      Named<MarkRole>{MarkRole::kC3, "c3"},         Named<MarkRole>{MarkRole::kC4, "c4"},
      Named<MarkRole>{MarkRole::kC5, "c5"},         Named<MarkRole>{MarkRole::kC6, "c6"},
      Named<MarkRole>{MarkRole::kC7, "c7"},         Named<MarkRole>{MarkRole::kC8, "c8"},
  };
};

struct ChartMark {
  MarkShape shape = MarkShape::kPoint;
  MarkRole role = MarkRole::kBeaten;
  std::optional<double> x{}, y{}, x0{}, x1{}, y0{}, y1{};
  std::vector<std::pair<double, double>> points{};
  std::string label{};             ///< drawn where there is room; empty: none
  std::string note{};              ///< a second line under the label
  std::vector<std::string> tip{};  ///< all there is to say of it, a line each; the first is its name
};

/// What a colour stands for, where no label at the marks says it.
struct LegendEntry {
  MarkRole role;
  std::string text;
};

struct Chart {
  ChartKind kind = ChartKind::kCostTime;
  std::string key;      ///< its own among the charts of a document, and a name for files: "fan-cost"
  std::string title;    ///< the question that it answers
  std::string finding;  ///< the answer, a sentence with figures
  std::string caption;  ///< how to read it
  std::string alt;      ///< for those who do not see it: what is drawn, with the figures that matter
  PlotAxis x, y;
  std::vector<ChartMark> marks;  ///< in the order they are drawn in, the last on top
  std::vector<LegendEntry> legend{};
};

/// {"kind", "key", "title", "finding", "caption", "alt", "x": {"title", "scale", "min", "max", "ticks": [{"at",
/// "text"}]}, "y", "marks": [{"shape", "mark", "x", ..., "label", "note", "tip"}], "legend": [{"mark", "text"}]}; what
/// a mark does not have is left out. Where a value stands in an object.
void write_chart(JsonWriter& json, const Chart& chart);

}  // namespace gpuplan
