#include "input/measured/first_contact_table.h"

#include <utility>

#include "input/text/csv.h"

namespace gpuplan {

Result<std::vector<ContactFigure>> read_first_contact(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto id = cells.column("id"), source = cells.column("source"), metric = cells.column("metric"),
             measured = cells.column("measured"), predicted = cells.column("predicted"), p10 = cells.column("p10"),
             p90 = cells.column("p90"), status = cells.column("status"), reason = cells.column("reason"),
             commit = cells.column("commit");
  constexpr double kSmallest = 1e-12, kLargest = 1e12;
  std::vector<ContactFigure> figures;
  figures.reserve(table->rows());
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const auto number = [&](CsvReader::Column column) {
      cells.required(row, column);
      return cells.number(row, column, kSmallest, kLargest);
    };
    ContactFigure figure;
    figure.id = cells.required(row, id);
    figure.source = cells.required(row, source);
    cells.required(row, metric);
    figure.metric = cells.choice(row, metric, Metric::kStepSeconds);
    figure.measured = number(measured);
    const std::string_view how = cells.required(row, status);
    if (how == "predicted") {
      const double low = number(p10), middle = number(predicted), high = number(p90);
      if (low > middle || middle > high) cells.fail(row, "p10, predicted and p90 are not in that order");
      figure.predicted = Interval<double>{low, middle, high};
    } else if (how == "refused") {
      figure.reason = cells.required(row, reason);
    } else {
      cells.fail_cell(row, status, "'predicted' or 'refused'");
    }
    figure.version = cells.required(row, commit);
    figures.push_back(std::move(figure));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return figures;
}

}  // namespace gpuplan
