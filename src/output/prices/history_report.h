// What a GPU cost over time: a table by day and a chart, in the terminal or as SVG.
#pragma once

#include <string>
#include <vector>

#include "domain/market/price_records.h"
#include "output/text/style.h"

namespace gpuplan {

/// One day: dollars an hour of one GPU, of all offers that were known then.
struct HistoryRow {
  std::string day;
  double lowest = 0, median = 0, highest = 0;
  std::size_t offers = 0;
  std::vector<std::string> providers;  ///< in order of their names
};

struct HistoryReport {
  std::string gpu;   ///< "H100 SXM"
  std::string what;  ///< "on demand at aws, machines of 8": how it was narrowed
  std::vector<HistoryRow> rows;
};

/// Days from `since` on ("2026-11", "2026-11-25"; empty: all).
std::vector<HistoryRow> history_rows(const PriceHistory& history, const std::string& since);

std::string history_text(const HistoryReport& report, const Screen& screen);
std::string history_json(const HistoryReport& report);
std::string history_csv(const HistoryReport& report);
std::string history_svg(const HistoryReport& report);

}  // namespace gpuplan
