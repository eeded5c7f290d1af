// Lists of one's own: gpuplan's columns, and spreadsheets as people export them.
#include <cmath>
#include <string>
#include <utility>

#include "base/amount.h"
#include "base/names.h"
#include "base/text.h"
#include "input/feeds/formats/list_gpu.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/feeds/formats/own_columns.h"
#include "input/feeds/formats/skypilot_clouds.h"
#include "input/feeds/formats/table_formats.h"
#include "input/feeds/rows/feed_table.h"
#include "input/feeds/rows/provider_names.h"

namespace gpuplan {
namespace {

bool is_own_header(FeedHeader names) { return OwnColumns::of(names).has_value(); }

Stock stock_in(std::string_view words) {
  const std::string lower = to_lower(words);
  if (const auto stock = from_name<Stock>(lower)) return *stock;
  for (const std::string_view none : {"no", "false", "0", "unavailable", "out of stock", "soldout", "none"})
    if (lower == none) return Stock::kSoldOut;
  return Stock::kUnsaid;
}

/// What a cell says of the kind of price.
enum class PriceKind { kOnDemand, kSpot, kCommitted, kOther };

PriceKind kind_of(std::string_view cell) {
  const std::string lower = to_lower(cell);
  const auto holds = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  if (lower == "yes" || lower == "true" || lower == "1" || holds("spot") || holds("preempt") || holds("interrupt") ||
      holds("bid"))
    return PriceKind::kSpot;
  if (holds("reserv") || holds("commit") || holds("year") || holds("1yr") || holds("3yr")) return PriceKind::kCommitted;
  if (lower.empty() || lower == "no" || lower == "false" || lower == "0" || holds("demand") || holds("payg") ||
      holds("secure") || holds("community") || holds("standard"))
    return PriceKind::kOnDemand;
  return PriceKind::kOther;
}

class OwnListReader final : public FeedTable {
 public:
  using FeedTable::FeedTable;

 private:
  bool header(FeedHeader names) override {
    const auto columns = OwnColumns::of(names);
    if (columns) columns_ = *columns;
    return columns.has_value();
  }
  std::string_view needed() const override { return "gpu, gpus, price_per_hour"; }
  void row(const FeedCells& cells) override;

  std::string_view text(const FeedCells& cells, OwnField field) const { return cells.text(columns_.at(field)); }
  std::string read_words(const FeedCells& cells, FeedRow& row);
  std::string read_figures(const FeedCells& cells, FeedRow& row);
  std::string read_prices(const FeedCells& cells, FeedRow& row);
  std::string read_price(const FeedCells& cells, OwnField field, FeedRow& row, double& into);

  OwnColumns columns_;
  LooseNumbers numbers_;
};

/// Each of these returns what is wrong with the row; empty: nothing.
std::string OwnListReader::read_words(const FeedCells& cells, FeedRow& row) {
  row.provider = usual_provider(text(cells, OwnField::kProvider));
  if (row.provider.empty() && rows().terms().provider.empty()) row.provider = stem_of_file(rows().terms().file);
  row.region = text(cells, OwnField::kRegion);
  row.zone = text(cells, OwnField::kZone);
  row.instance = text(cells, OwnField::kInstance);
  row.availability = text(cells, OwnField::kAvailability);
  row.stock = stock_in(row.availability);
  row.label = text(cells, OwnField::kLabel);
  row.source = text(cells, OwnField::kSource);
  row.as_of = read_own_date(text(cells, OwnField::kAsOf));
  read_list_gpu(text(cells, OwnField::kGpu), rows().catalogue(), row);
  row.hints.append(" ").append(form_factor_of(row.provider, row.gpu));
  const std::string_view rate = text(cells, OwnField::kInterruptions);
  if (rate.empty()) return "";
  row.band = from_name<SpotBand>(rate);
  if (row.band) return "";
  constexpr double kMostAnHour = 60;
  const auto value = parse_interval(rate, AmountKind::kRate);
  if (!value || value->p10 < 0 || value->p90 > kMostAnHour / 3600) return "interruptions that are no rate such as 5%/h";
  row.interruptions = {PerSecond{value->p10}, PerSecond{value->p50}, PerSecond{value->p90}};
  return "";
}

std::string OwnListReader::read_figures(const FeedCells& cells, FeedRow& row) {
  double gpus = 0, minimum = 0, increment = 0;
  struct Figure {
    OwnField field;
    double* into;
    const char* name;
    bool left_out = false;  ///< nobody plans by it: what is no number is left out
  };
  for (const Figure& figure : {Figure{OwnField::kGpus, &gpus, "a number of GPUs"},
                               Figure{OwnField::kGpuMemory, &row.gpu_memory_gib, "a memory of GPUs"},
                               Figure{OwnField::kVcpus, &row.vcpus, "a number of vCPUs", true},
                               Figure{OwnField::kRam, &row.ram_gib, "a memory", true},
                               Figure{OwnField::kMinimum, &minimum, "a billing minimum"},
                               Figure{OwnField::kIncrement, &increment, "a billing increment"}}) {
    bool known = true;
    const double value = read_own_number(text(cells, figure.field), numbers_, figure.left_out, known);
    if (!known && figure.left_out) row.corrections.push_back(std::string(figure.name) + " that is no number, left out");
    else if (!known) return std::string(figure.name) + " that is no number";
    if (!std::isnan(value)) *figure.into = value * columns_.meaning(figure.field).unit;
  }
  constexpr double kLongest = 366.0 * 24 * 3600;
  if (minimum < 0 || minimum > kLongest || increment < 0 || increment > kLongest) return "a billing time that none has";
  row.minimum_s = minimum;
  if (increment > 0) row.increment_s = increment;
  if (gpus != 0 && row.gpus != 0 && gpus != row.gpus) return "a number of GPUs that contradicts their name";
  if (gpus != 0) row.gpus = gpus;
  return "";
}

std::string OwnListReader::read_price(const FeedCells& cells, OwnField field, FeedRow& row, double& into) {
  const OwnColumn& column = columns_.meaning(field);
  const OwnPrice price = read_own_price(text(cells, field), numbers_);
  if (!price.problem.empty()) return std::string(price.problem);
  if (std::isnan(price.value)) return "";
  into = price.value;
  const double hours = price.hours > 0 ? price.hours : column.hours;
  if (hours > 0) into /= hours;
  if (price.per_gpu || column.per_gpu) {
    if (row.gpus == 0) row.gpus = 1;  // lists of what one GPU costs
    into *= row.gpus;
  }
  if (price.range) row.corrections.emplace_back("a range of prices, taken at its middle");
  row.currency = text(cells, OwnField::kCurrency);
  if (row.currency.empty()) row.currency = price.currency.empty() ? column.currency : price.currency;
  return "";
}

std::string OwnListReader::read_prices(const FeedCells& cells, FeedRow& row) {
  if (std::string wrong = read_price(cells, OwnField::kPrice, row, row.price); !wrong.empty()) return wrong;
  const std::string currency = row.currency;
  if (std::string wrong = read_price(cells, OwnField::kSpotPrice, row, row.spot); !wrong.empty()) return wrong;
  if (!currency.empty() && row.currency != currency) return "prices in two currencies";
  const std::string_view said = text(cells, OwnField::kSpot);
  switch (kind_of(said)) {
    case PriceKind::kOnDemand:
      return "";
    case PriceKind::kCommitted:
      return "a price under a commitment";
    case PriceKind::kSpot:
      if (std::isnan(row.spot)) row.spot = std::exchange(row.price, kNoPrice);
      return "";
    case PriceKind::kOther:
      break;
  }
  // "Spot" may head prices.
  if (columns_.at(OwnField::kSpotPrice)) return "a kind of price that gpuplan does not know";
  const OwnPrice spot = read_own_price(said, numbers_);
  if (!spot.problem.empty()) return "a kind of price that gpuplan does not know";
  const OwnColumn& like = columns_.meaning(OwnField::kPrice);
  row.spot = spot.value / (like.hours > 0 ? like.hours : 1) * (like.per_gpu ? row.gpus : 1);
  return "";
}

void OwnListReader::row(const FeedCells& cells) {
  FeedRow row;
  row.row = cells.line();
  for (const auto read : {&OwnListReader::read_words, &OwnListReader::read_figures, &OwnListReader::read_prices})
    if (std::string wrong = (this->*read)(cells, row); !wrong.empty())
      return rows().reject(row.row, std::move(wrong), row.words());
  rows().take(std::move(row));
}

}  // namespace

bool begins_own_list(std::string_view head) { return table_begins(head, is_own_header); }

std::unique_ptr<FeedReader> read_own_list(FeedRows& rows) { return std::make_unique<OwnListReader>(rows); }

}  // namespace gpuplan
