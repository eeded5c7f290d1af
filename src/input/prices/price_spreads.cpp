#include "input/prices/price_spreads.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {

Result<void> read_price_spreads(std::string_view text, std::string_view file, Catalogue& catalogue) {
  constexpr double kMost = 2;  // prices of one kind seven times apart are of two kinds
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto provider = cells.column("provider"), terms = cells.column("terms"), over = cells.column("over"),
             deviation = cells.column("deviation"), source = cells.column("source"), as_of = cells.column("as_of");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    PriceSpread spread;
    spread.provider = cells.required(row, provider);
    for (const auto column : {terms, over, deviation}) cells.required(row, column);
    spread.terms = cells.choice(row, terms, PriceTerms::kOnDemand);
    spread.over = cells.choice(row, over, SpreadOver::kHosts);
    spread.deviation = cells.number(row, deviation, 0, kMost);
    if (spread.deviation <= 0) cells.fail_cell(row, deviation, "a standard deviation above 0");
    spread.source = cells.required(row, source);
    spread.as_of = cells.date(row, as_of);
    if (std::ranges::any_of(catalogue.price_spreads, [&](const PriceSpread& other) {
          return iequals(other.provider, spread.provider) && other.terms == spread.terms && other.over == spread.over;
        }))
      cells.fail(row, "'" + printable(spread.provider, 40) + "' has " + std::string(name_of(spread.terms)) + " over " +
                          std::string(name_of(spread.over)) + " twice");
    catalogue.price_spreads.push_back(std::move(spread));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
