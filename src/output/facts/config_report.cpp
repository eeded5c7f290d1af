#include "output/facts/config_report.h"

#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

std::string origin_of(const ConfigRow& row) {
  if (row.file.empty()) return "default";
  return printable(row.file) + (row.line > 0 ? ":" + std::to_string(row.line) : "");
}

Table config_table(const std::vector<ConfigRow>& rows, bool origin) {
  Table table({{.title = "KEY", .key = "key"},
               {.title = "VALUE", .narrowest = 20, .wrap = true, .key = "value"},
               {.title = origin ? "ORIGIN" : "", .key = "origin"}});
  for (const ConfigRow& row : rows) {
    const Paint paint = row.file.empty() ? Paint::kDim : Paint::kPlain;
    Cell from = origin ? Cell(origin_of(row), paint) : Cell();
    table.add({{printable(row.key, 80), paint}, {printable(row.value, 300), paint}, std::move(from)});
  }
  return table;
}

Table places_table(const std::vector<ConfigFileRow>& places) {
  Table table({{.title = "FILE", .key = "file"}, {.title = "READ", .key = "read"}, {.title = "WHY", .key = "why"}});
  for (const ConfigFileRow& place : places) {
    const Paint paint = place.there ? Paint::kPlain : Paint::kDim;
    table.add({{printable(place.file), paint}, {place.there ? "yes" : "not found", paint}, {place.why, paint}});
  }
  return table;
}

}  // namespace

std::string config_text(const std::vector<ConfigRow>& rows, const Screen& screen, bool origin) {
  return config_table(rows, origin).text(screen);
}

std::string config_csv(const std::vector<ConfigRow>& rows) { return config_table(rows, true).csv(); }

std::string config_places_text(const std::vector<ConfigFileRow>& places, const Screen& screen) {
  if (places.empty()) return "gpuplan.toml is disabled (GPUPLAN_CONFIG is empty).\n";
  return places_table(places).text(screen);
}

std::string config_places_csv(const std::vector<ConfigFileRow>& places) { return places_table(places).csv(); }

std::string config_json(const std::vector<ConfigRow>& rows, const std::vector<ConfigFileRow>& places) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/config@1");
  json.key("files").begin_array();
  for (const ConfigFileRow& place : places)
    json.begin_object(true).member("file", place.file).member("why", place.why).member("read", place.there).end();
  json.end().key("values").begin_array();
  for (const ConfigRow& row : rows) {
    json.begin_object(true).member("key", row.key).member("value", row.value);
    if (row.file.empty()) json.null_member("file").null_member("line");
    else if (row.line > 0) json.member("file", row.file).member("line", row.line);
    else json.member("file", row.file).null_member("line");
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
