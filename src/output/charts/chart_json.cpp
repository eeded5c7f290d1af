#include "output/charts/chart.h"
#include "output/text/json_writer.h"

namespace gpuplan {
namespace {

void write_axis(JsonWriter& json, std::string_view name, const PlotAxis& axis) {
  json.key(name).begin_object().member("title", axis.title).member("scale", name_of(axis.scale));
  json.member("min", axis.min).member("max", axis.max).key("ticks").begin_array();
  for (const PlotTick& tick : axis.ticks) json.begin_object(true).member("at", tick.at).member("text", tick.text).end();
  json.end().end();
}

void write_mark(JsonWriter& json, const ChartMark& mark) {
  json.begin_object(true).member("shape", name_of(mark.shape)).member("mark", name_of(mark.role));
  const auto number = [&](std::string_view name, const std::optional<double>& value) {
    if (value) json.member(name, *value);
  };
  number("x", mark.x);
  number("y", mark.y);
  number("x0", mark.x0);
  number("x1", mark.x1);
  number("y0", mark.y0);
  number("y1", mark.y1);
  if (!mark.points.empty()) {
    json.key("points").begin_array(true);
    for (const auto& [x, y] : mark.points) json.begin_array(true).value(x).value(y).end();
    json.end();
  }
  if (!mark.label.empty()) json.member("label", mark.label);
  if (!mark.note.empty()) json.member("note", mark.note);
  if (!mark.tip.empty()) json.member("tip", mark.tip);
  json.end();
}

}  // namespace

void write_chart(JsonWriter& json, const Chart& chart) {
  json.begin_object().member("kind", name_of(chart.kind)).member("key", chart.key).member("title", chart.title);
  json.member("finding", chart.finding).member("caption", chart.caption).member("alt", chart.alt);
  write_axis(json, "x", chart.x);
  write_axis(json, "y", chart.y);
  json.key("marks").begin_array();
  for (const ChartMark& mark : chart.marks) write_mark(json, mark);
  json.end();
  json.key("legend").begin_array();
  for (const LegendEntry& entry : chart.legend)
    json.begin_object(true).member("mark", name_of(entry.role)).member("text", entry.text).end();
  json.end().end();
}

}  // namespace gpuplan
