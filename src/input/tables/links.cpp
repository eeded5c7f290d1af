#include "input/tables/links.h"

#include <utility>

#include "input/text/csv.h"

namespace gpuplan {

Result<void> read_links(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto path = cells.column("path"), least = cells.column("least", "GB/s"), below = cells.column("below", "GB/s"),
             least_gpus = cells.column("least_gpus"), most_gpus = cells.column("most_gpus"),
             gather = cells.column("gather"), reduce = cells.column("reduce"), exchange = cells.column("exchange"),
             own = cells.column("own"), latency = cells.column("latency", "us"), hop = cells.column("hop", "us"),
             fill = cells.column("fill", "us"), fill_half = cells.column("fill_half", "us"),
             source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kLeastShare = 0.001, kMostShare = 1.5, kLongest = 1e5;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    LinkEfficiency link;
    for (const auto column : {path, gather, reduce, exchange, own, latency, hop, fill, fill_half})
      cells.required(row, column);
    link.path = cells.choice(row, path, LinkPath::kDirect);
    link.least = BytesPerSecond{cells.number(row, least, 0, 1e5) * 1e9};
    if (!cells.text(row, below).empty()) link.below = BytesPerSecond{cells.number(row, below, 0, 1e5) * 1e9};
    link.least_gpus = cells.whole(row, least_gpus, 1, 1'000'000, link.least_gpus);
    link.most_gpus = cells.whole(row, most_gpus, 2, 1'000'000, link.most_gpus);
    link.gather = cells.number(row, gather, kLeastShare, kMostShare);
    link.reduce = cells.number(row, reduce, kLeastShare, kMostShare);
    link.exchange = cells.number(row, exchange, kLeastShare, kMostShare);
    link.own = cells.number(row, own, 0, 10);
    link.latency_us = cells.number(row, latency, 0, kLongest);
    link.hop_us = cells.number(row, hop, 0, kLongest);
    link.fill_us = cells.number(row, fill, 0, kLongest);
    link.fill_half_us = cells.number(row, fill_half, 0, kLongest);
    link.source = cells.required(row, source);
    link.as_of = cells.date(row, as_of);
    catalogue.links.push_back(std::move(link));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
