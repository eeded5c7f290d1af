// What gpuplan prices export writes: offers with all that is kept of them (output/prices/changes_report.h).
#include <cmath>
#include <utility>

#include "base/text.h"
#include "input/feeds/formats/table_formats.h"
#include "input/feeds/rows/feed_table.h"

namespace gpuplan {
namespace {

bool is_exported_header(FeedHeader names) {
  return feed_column(names, {"price_per_hour"}) && feed_column(names, {"spot_price_per_hour"}) &&
         feed_column(names, {"billing_increment_seconds"}) && feed_column(names, {"source"}) &&
         feed_column(names, {"as_of"});
}

/// The apostrophe before a text that a spreadsheet would take for a formula is none of it.
std::string unquoted(std::string_view text) {
  if (text.size() > 1 && text.front() == '\'') text.remove_prefix(1);
  return std::string(text);
}

class ExportedReader final : public FeedTable {
 public:
  using FeedTable::FeedTable;

 private:
  struct Columns {
    FeedColumn provider, region, zone, instance, gpu, gpus, price, spot, vcpus, ram, stock, availability, reliability,
        band, low, middle, high, minimum, increment, disk, egress, label, source, as_of;
  };

  bool header(FeedHeader names) override {
    if (!is_exported_header(names)) return false;
    columns_ = {feed_column(names, {"provider"}),
                feed_column(names, {"region"}),
                feed_column(names, {"zone"}),
                feed_column(names, {"instance"}),
                feed_column(names, {"gpu"}),
                feed_column(names, {"gpus"}),
                feed_column(names, {"price_per_hour"}),
                feed_column(names, {"spot_price_per_hour"}),
                feed_column(names, {"vcpus"}),
                feed_column(names, {"ram_gib"}),
                feed_column(names, {"stock"}),
                feed_column(names, {"availability"}),
                feed_column(names, {"reliability"}),
                feed_column(names, {"interruption_band"}),
                feed_column(names, {"interruptions_per_hour_low"}),
                feed_column(names, {"interruptions_per_hour"}),
                feed_column(names, {"interruptions_per_hour_high"}),
                feed_column(names, {"billing_minimum_seconds"}),
                feed_column(names, {"billing_increment_seconds"}),
                feed_column(names, {"disk_price_per_gb_month"}),
                feed_column(names, {"egress_price_per_gb"}),
                feed_column(names, {"label"}),
                feed_column(names, {"source"}),
                feed_column(names, {"as_of"})};
    return true;
  }
  std::string_view needed() const override { return "price_per_hour, spot_price_per_hour, source, as_of"; }

  void row(const FeedCells& cells) override {
    FeedRow row;
    row.row = cells.line();
    bool numbers = true;
    const auto number = [&](FeedColumn column, double& to) {
      const auto read = cells.number(column);
      numbers = numbers && read.has_value();
      if (read && !std::isnan(*read)) to = *read;
    };
    number(columns_.gpus, row.gpus);
    number(columns_.price, row.price);
    number(columns_.spot, row.spot);
    number(columns_.vcpus, row.vcpus);
    number(columns_.ram, row.ram_gib);
    number(columns_.reliability, row.reliability);
    number(columns_.minimum, row.minimum_s);
    number(columns_.increment, row.increment_s);
    number(columns_.disk, row.disk_price);
    number(columns_.egress, row.egress_price);
    double low = 0, middle = 0, high = 0;
    number(columns_.low, low);
    number(columns_.middle, middle);
    number(columns_.high, high);
    if (!numbers) return rows().reject(cells.line(), "a number that is none", cells.words());
    if (low > 0 && low <= middle && middle <= high)
      row.interruptions = Interval<PerSecond>{low / units::hour, middle / units::hour, high / units::hour};
    row.provider = unquoted(cells.text(columns_.provider));
    row.region = unquoted(cells.text(columns_.region));
    row.zone = unquoted(cells.text(columns_.zone));
    row.instance = unquoted(cells.text(columns_.instance));
    row.gpu = unquoted(cells.text(columns_.gpu));
    row.availability = unquoted(cells.text(columns_.availability));
    row.label = unquoted(cells.text(columns_.label));
    row.source = unquoted(cells.text(columns_.source));
    row.as_of = cells.text(columns_.as_of);
    row.band = from_name<SpotBand>(cells.text(columns_.band));
    row.stock = from_name<Stock>(cells.text(columns_.stock)).value_or(Stock::kUnsaid);
    rows().take(std::move(row));
  }

  Columns columns_;
};

}  // namespace

bool begins_exported(std::string_view head) { return table_begins(head, is_exported_header); }
std::unique_ptr<FeedReader> read_exported(FeedRows& rows) { return std::make_unique<ExportedReader>(rows); }

}  // namespace gpuplan
