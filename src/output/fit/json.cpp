// `gpuplan fit` for other programs: JSON and CSV.
#include "output/fit/report.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/collection_words.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

bool is_written(const FitReport& report, const FitSection& section, const FitRow& row, const FitLook& look) {
  return row.best || look.all || report.every_count || !section.held();
}

/// {"sequences", "part", "part_gib", "needed_gib"}: one sequence more than fits, and what takes most of its memory.
void write_limit(JsonWriter& json, const FitRow& row) {
  if (!row.limit) {
    json.null_member("stopped_by");
    return;
  }
  const Limit& limit = *row.limit;
  json.key("stopped_by").begin_object(true).member("sequences", limit.sequences).member("part", limit.part);
  json.member("part_gib", limit.size / units::GiB).member("needed_gib", limit.needed / units::GiB).end();
}

/// {"sequences", "tokens", "all_of_the_model"}; null for training.
void write_context(JsonWriter& json, std::string_view name, const std::optional<LongestContext>& context) {
  if (!context) {
    json.null_member(name);
    return;
  }
  json.key(name).begin_object(true).member("sequences", context->sequences).member("tokens", context->tokens);
  json.member("all_of_the_model", context->whole).end();
}

void write_row(JsonWriter& json, const FitSection& section, const FitRow& row) {
  json.begin_object().member("gpu", row.node.gpu->name).member("gpus", row.gpus);
  json.member("fit", row.best ? std::optional<std::string_view>(name_of(row.best->fit)) : std::nullopt);
  json.member("usable_gib", row.node.gpu->usable / units::GiB);
  if (!row.best) {
    if (row.nearest.phase >= 0) json.member("needed_gib", row.nearest.needed / units::GiB);
    else json.null_member("needed_gib");
    json.null_member("memory_gib").null_member("sums_gib").null_member("host_memory_gib");
    json.null_member("activations_kept");
    write_limit(json, row);
    json.null_member("largest_batch")
        .null_member("more_with")
        .null_member("longest_context")
        .null_member("longest_context_at_batch");
    json.null_member("how").end();
    return;
  }
  const Interval<Bytes>& total = row.best->memory_total;
  const MemoryUse& use = row.best->memory;
  json.member("needed_gib", total.p50 / units::GiB);
  json.key("memory_gib").begin_object();
  json.key("total").begin_object(true).member("p10", total.p10 / units::GiB).member("p50", total.p50 / units::GiB);
  json.member("p90", total.p90 / units::GiB).end();
  for (const MemoryPart& part : kMemoryParts) json.member(part.key, use.*part.size / units::GiB);
  json.end();
  json.key("sums_gib").begin_object(true).member("allocated", use.allocated() / units::GiB);
  json.member("reserved", use.reserved() / units::GiB).member("device", use.total() / units::GiB).end();
  json.member("host_memory_gib", row.best->host_memory / units::GiB);
  write_collection(json, *row.best, std::nullopt);
  write_limit(json, row);
  json.member("largest_batch", row.largest_micro_batch);
  if (row.otherwise) json.member("more_with", strategy_words(*row.otherwise, phase_of(section, row)));
  else json.null_member("more_with");
  write_context(json, "longest_context", row.context);
  write_context(json, "longest_context_at_batch", row.context_at_batch);
  json.member("how", strategy_words(*row.best, phase_of(section, row))).end();
}

}  // namespace

std::string fit_csv(const FitReport& report, const FitLook& look) {
  std::vector<Column> columns;
  for (const char* key : {"question",
                          "gpu",
                          "gpus",
                          "fit",
                          "usable_gib",
                          "needed_gib_p10",
                          "needed_gib_p50",
                          "needed_gib_p90",
                          "weights_gib",
                          "gradients_gib",
                          "optimizer_gib",
                          "activations_gib",
                          "logits_gib",
                          "kv_cache_gib",
                          "buffers_gib",
                          "framework_gib",
                          "fragmentation_gib",
                          "driver_gib",
                          "learned_gib",
                          "largest_batch",
                          "longest_context",
                          "stopped_by",
                          "stopped_by_gib",
                          "how"})
    columns.push_back({.title = "", .key = key});
  Table table(std::move(columns));
  const auto gib = [](Bytes size) { return Cell(size / units::GiB); };
  for (const FitSection& section : report.sections) {
    for (const FitRow& row : section.rows) {
      if (!is_written(report, section, row, look)) continue;
      std::vector<Cell> cells = {section.name, row.node.gpu->name, Cell(static_cast<double>(row.gpus)),
                                 row.best ? std::string(name_of(row.best->fit)) : "no", gib(row.node.gpu->usable)};
      if (row.best) {
        const MemoryUse& use = row.best->memory;
        const Interval<Bytes>& total = row.best->memory_total;
        for (const Bytes size : {total.p10, total.p50, total.p90}) cells.push_back(gib(size));
        for (const MemoryPart& part : kMemoryParts) cells.push_back(gib(use.*part.size));
        cells.emplace_back(static_cast<double>(row.largest_micro_batch));
        cells.push_back(row.context ? Cell(static_cast<double>(row.context->tokens)) : Cell());
        cells.emplace_back(row.limit ? std::string(row.limit->part) : std::string());
        cells.push_back(row.limit ? gib(row.limit->size) : Cell());
        cells.emplace_back(strategy_words(*row.best, phase_of(section, row)));
      } else if (row.nearest.phase >= 0) {
        cells.emplace_back();
        cells.push_back(gib(row.nearest.needed));
      }
      table.add(std::move(cells));
    }
  }
  return table.csv();
}

std::string fit_json(const FitReport& report, const Catalogue& catalogue, const FitLook& look) {
  JsonWriter json;
  begin_fit_json(json, report);
  for (const FitSection& section : report.sections) {
    json.begin_object().member("name", section.name).member("title", section.title).member("held", section.held());
    json.key("rows").begin_array();
    for (const FitRow& row : section.rows)
      if (is_written(report, section, row, look)) write_row(json, section, row);
    json.end().key("remedies").begin_array();
    for (const Remedy& remedy : section.remedies)
      json.begin_object(true)
          .member("change", remedy.change)
          .member("needed_gib", remedy.needed / units::GiB)
          .member("enough", remedy.enough)
          .end();
    json.end();
    if (const FitRow* row = smallest(section); look.explain && row != nullptr) {
      Plan storage;
      json.key("explain");
      write_terms(json, terms_of(section, *row, catalogue, storage), catalogue.errors);
    }
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
