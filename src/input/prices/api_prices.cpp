#include "input/prices/api_prices.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {

Result<void> read_api_prices(std::string_view text, std::string_view file, Catalogue& catalogue) {
  constexpr double kMostAMillion = 10'000;  // dollars: fifty times what the dearest model of 2026 asks
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto model = cells.column("model"), provider = cells.column("provider"),
             input = cells.column("input", "USD/Mtok"), output = cells.column("output", "USD/Mtok"),
             source = cells.column("source"), as_of = cells.column("as_of");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    ApiPrice price;
    const std::string_view name = cells.required(row, model);
    if (const ModelShape* shape = catalogue.find_model(name)) price.model = shape->name;
    else if (catalogue.models.empty()) price.model = name;
    else cells.fail_cell(row, model, "a model of models.csv");
    price.provider = cells.required(row, provider);
    for (const auto& [column, to] : {std::pair(input, &price.input), std::pair(output, &price.output)}) {
      cells.required(row, column);
      *to = Dollars{cells.number(row, column, 0, kMostAMillion)};
      if (*to <= Dollars{}) cells.fail_cell(row, column, "a positive price of a million tokens");
    }
    price.source = cells.required(row, source);
    price.as_of = cells.date(row, as_of);
    if (std::ranges::any_of(catalogue.api_prices, [&](const ApiPrice& other) {
          return other.model == price.model && other.provider == price.provider;
        }))
      cells.fail(row, "'" + printable(price.provider, 40) + "' has " + printable(price.model, 60) + " twice");
    catalogue.api_prices.push_back(std::move(price));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
