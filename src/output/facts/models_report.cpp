#include "output/facts/models_report.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/amount.h"
#include "base/text.h"
#include "output/facts/model_report.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

Table table_of(const Catalogue& catalogue) {
  Table table({{.title = "MODEL", .narrowest = 16, .key = "name"},
               {.title = "KIND", .drop = 2, .key = "kind"},
               {.title = "PARAMETERS", .align = Align::kRight, .key = "parameters"},
               {.title = "ACTIVE", .align = Align::kRight, .drop = 1, .key = "parameters_active"},
               {.title = "CONTEXT", .align = Align::kRight, .key = "max_context"},
               {.title = "KV CACHE/TOKEN", .align = Align::kRight, .key = "kv_cache_bytes_per_token"}});
  for (const ModelShape& model : catalogue.models) {
    const ParameterCount count = count_parameters(model);
    const Bytes cache = cache_bytes_per_token(model);
    const auto figure = [](double value, std::string text) { return Cell(value, std::move(text)); };
    std::vector<Cell> row{model.name, std::string(name_of(model.kind))};
    row.push_back(figure(count.total(), count_short(count.total())));
    row.push_back(count.active < count.total() ? figure(count.active, count_short(count.active)) : Cell());
    row.push_back(model.max_context > 0 ? figure(model.max_context, count_text(model.max_context)) : Cell());
    row.push_back(cache > Bytes{} ? figure(cache.value, to_text(cache)) : Cell());
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

std::string models_text(const Catalogue& catalogue, const Screen& screen) {
  return table_of(catalogue).text(screen) +
         paragraph("\nOther names of each are understood too. The cache is in 16 bits. gpuplan model NAME tells more.",
                   screen);
}

std::string models_csv(const Catalogue& catalogue) { return table_of(catalogue).csv(); }

std::string models_json(const Catalogue& catalogue) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/models@1").key("models").begin_array();
  for (const ModelShape& model : catalogue.models) {
    const ParameterCount count = count_parameters(model);
    json.begin_object(true).member("name", model.name).member("kind", name_of(model.kind));
    json.member("parameters", count.total()).member("parameters_active", count.active);
    json.member("max_context", model.max_context > 0 ? std::optional(model.max_context) : std::nullopt);
    json.member("kv_cache_bytes_per_token", cache_bytes_per_token(model).value).end();
  }
  return json.end().end().take();
}

}  // namespace gpuplan
