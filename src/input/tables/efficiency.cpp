#include "input/tables/efficiency.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "domain/facts/number_fields.h"
#include "input/text/csv.h"
#include "input/text/number_columns.h"

namespace gpuplan {

Result<void> read_efficiencies(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto architecture = cells.column("architecture"), memory_type = cells.column("memory_type"),
             accumulation = cells.column("accumulation"), source = cells.column("source"),
             as_of = cells.column("as_of");
  const NumberColumns numbers(cells, kEfficiencyFields);

  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Efficiency efficiency;
    efficiency.architecture = cells.required(row, architecture);
    if (efficiency.architecture != "*" &&
        std::none_of(catalogue.gpus.begin(), catalogue.gpus.end(),
                     [&](const Gpu& gpu) { return gpu.architecture == efficiency.architecture; }))
      cells.fail_cell(row, architecture, "the architecture of any GPU");
    efficiency.memory_type = cells.required(row, memory_type);
    efficiency.accumulation = cells.required(row, accumulation);
    if (efficiency.accumulation != "*" && efficiency.accumulation != "half" && efficiency.accumulation != "full")
      cells.fail_cell(row, accumulation, "half, full or *");
    numbers.read(row, efficiency);
    efficiency.source = cells.required(row, source);
    efficiency.as_of = cells.date(row, as_of);
    catalogue.efficiencies.push_back(std::move(efficiency));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

Result<void> read_training_software(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), fused = cells.column("fused"),
             vendor_attention = cells.column("vendor_attention"), paged_8bit = cells.column("paged_8bit"),
             gathers_outside = cells.column("gathers_outside"), sequence_parallel = cells.column("sequence_parallel"),
             adapts_all = cells.column("adapts_all"), loops_experts = cells.column("loops_experts"),
             adds_gradients = cells.column("adds_gradients"), keeps_format = cells.column("keeps_format"),
             copies_shards = cells.column("copies_shards"), gathers_8bit = cells.column("gathers_8bit"),
             gathers_ahead = cells.column("gathers_ahead"), overlaps_tensor = cells.column("overlaps_tensor"),
             copy_engines = cells.column("copy_engines"), planned_memory = cells.column("planned_memory"),
             keeps_quantised = cells.column("keeps_quantised"), loading = cells.column("loading"),
             recompute = cells.column("recompute"), source = cells.column("source"), as_of = cells.column("as_of");
  const NumberColumns numbers(cells, kSoftwareFields);

  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    TrainingSoftware software;
    software.name = cells.required(row, name);
    if (software.name != "*") {
      if (const Framework* framework = catalogue.find_framework(software.name)) software.name = framework->name;
      else cells.fail_cell(row, name, "a framework of frameworks.csv");
    }
    numbers.read(row, software);
    for (const auto column : {fused, vendor_attention, paged_8bit, gathers_outside, sequence_parallel, loops_experts,
                              adapts_all, adds_gradients, copies_shards, gathers_8bit, gathers_ahead, overlaps_tensor,
                              copy_engines, keeps_format, planned_memory, keeps_quantised, loading, recompute})
      cells.required(row, column);
    software.fused = cells.yes_no(row, fused);
    software.vendor_attention = cells.yes_no(row, vendor_attention);
    software.paged_8bit = cells.yes_no(row, paged_8bit);
    software.gathers_outside = cells.yes_no(row, gathers_outside);
    software.sequence_parallel = cells.yes_no(row, sequence_parallel);
    software.adapts_all = cells.yes_no(row, adapts_all);
    software.loops_experts = cells.yes_no(row, loops_experts);
    software.adds_gradients = cells.yes_no(row, adds_gradients);
    software.keeps_format = cells.yes_no(row, keeps_format);
    software.copies_shards = cells.yes_no(row, copies_shards);
    software.gathers_8bit = cells.yes_no(row, gathers_8bit);
    software.gathers_ahead = cells.yes_no(row, gathers_ahead);
    software.overlaps_tensor = cells.yes_no(row, overlaps_tensor);
    software.copy_engines = cells.yes_no(row, copy_engines);
    software.planned_memory = cells.yes_no(row, planned_memory);
    software.keeps_quantised = cells.yes_no(row, keeps_quantised);
    software.loading = cells.choice(row, loading, software.loading);
    software.recompute = cells.choice(row, recompute, software.recompute);
    software.source = cells.required(row, source);
    software.as_of = cells.date(row, as_of);
    catalogue.training_software.push_back(std::move(software));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
