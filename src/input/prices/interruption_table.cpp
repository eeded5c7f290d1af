#include "input/prices/interruption_table.h"

#include <algorithm>
#include <vector>

#include "input/text/csv.h"

namespace gpuplan {

namespace {

struct RateRow {
  std::string_view provider, region, instance;
  SpotBand band = SpotBand::kBelow5;

  bool same_machine(const RateRow& other) const {
    return instance == other.instance && region == other.region && provider == other.provider;
  }
};

}  // namespace

Result<void> read_interruptions(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto provider = cells.column("provider"), region = cells.column("region"), instance = cells.column("instance"),
             band = cells.column("band"), source = cells.column("source"), as_of = cells.column("as_of");
  std::vector<RateRow> rows;
  rows.reserve(table->rows());
  for (std::size_t i = 0; i < table->rows() && cells.ok(); ++i) {
    RateRow row{cells.required(i, provider), cells.text(i, region), cells.required(i, instance)};
    cells.required(i, band);
    row.band = cells.choice(i, band, SpotBand::kBelow5);
    cells.required(i, source);
    cells.date(i, as_of);
    if (std::ranges::any_of(rows, [&](const RateRow& other) { return row.same_machine(other); }))
      cells.fail(i, "a second row for this machine");
    rows.push_back(row);
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  for (Offer& offer : catalogue.offers) {
    if (!offer.spot_price) continue;
    const auto found = std::ranges::find_if(rows, [&](const RateRow& row) {
      return row.instance == offer.instance && row.region == offer.region && row.provider == offer.provider;
    });
    if (found != rows.end()) offer.band = found->band;
  }
  return {};
}

}  // namespace gpuplan
