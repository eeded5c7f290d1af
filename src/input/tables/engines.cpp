#include "input/tables/engines.h"

#include <algorithm>
#include <string>
#include <utility>

#include "input/text/csv.h"
#include "input/text/number_columns.h"

namespace gpuplan {

namespace {

unsigned bits_in(CsvReader& cells, std::size_t row, CsvReader::Column column) {
  unsigned bits = 0;
  for (const Format format : cells.choices<Format>(row, column)) bits |= 1U << static_cast<unsigned>(format);
  return bits;
}

}  // namespace

Result<void> read_engines(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), formats = cells.column("formats"), caches = cells.column("caches"),
             unfused = cells.column("unfused"), attention = cells.column("attention"), source = cells.column("source"),
             as_of = cells.column("as_of");
  const NumberColumns numbers(cells, kEngineFields);
  struct Flag {
    CsvReader::Column column;
    bool EngineProfile::* field;
  };
  const Flag flags[] = {{cells.column("own_kernels"), &EngineProfile::own_kernels},
                        {cells.column("half_accumulate"), &EngineProfile::half_accumulate},
                        {cells.column("continuous"), &EngineProfile::continuous},
                        {cells.column("prompts_first"), &EngineProfile::prompts_first},
                        {cells.column("evicts"), &EngineProfile::evicts},
                        {cells.column("pipelines"), &EngineProfile::pipelines},
                        {cells.column("copies_cache"), &EngineProfile::copies_cache},
                        {cells.column("loops_experts"), &EngineProfile::loops_experts},
                        {cells.column("emulates"), &EngineProfile::emulates},
                        {cells.column("one_shot"), &EngineProfile::one_shot},
                        {cells.column("host_tables"), &EngineProfile::host_tables}};

  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    EngineProfile engine;
    engine.name = cells.required(row, name);
    if (!engine.name.starts_with('*')) {
      const Framework* framework = catalogue.find_framework(engine.name);
      if (framework != nullptr && framework->generates) engine.name = framework->name;
      else cells.fail_cell(row, name, "a framework of frameworks.csv that generates");
    }
    if (std::ranges::find(catalogue.engines, engine.name, &EngineProfile::name) != catalogue.engines.end())
      cells.fail_cell(row, name, "given once");
    cells.required(row, formats);
    cells.required(row, caches);
    engine.formats = bits_in(cells, row, formats);
    engine.caches = bits_in(cells, row, caches);
    engine.unfused = bits_in(cells, row, unfused);
    for (const auto& entry : Names<Format>::entries)
      if (engine.keeps_cache(entry.value) && !stores_cache(entry.value))
        cells.fail_cell(row, caches, "formats of a KV cache");
    if ((engine.unfused & ~engine.formats) != 0) cells.fail_cell(row, unfused, "formats that it reads");
    numbers.read(row, engine);
    cells.required(row, attention);
    for (const Flag& flag : flags) cells.required(row, flag.column);
    engine.attention = cells.choice(row, attention, engine.attention);
    for (const Flag& flag : flags) engine.*flag.field = cells.yes_no(row, flag.column);
    engine.source = cells.required(row, source);
    engine.as_of = cells.date(row, as_of);
    catalogue.engines.push_back(std::move(engine));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
