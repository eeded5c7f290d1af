#include "input/prices/price_file.h"

#include <algorithm>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "input/prices/price_bounds.h"
#include "input/prices/price_kind.h"
#include "input/text/csv.h"
#include "input/text/gpu_name.h"

namespace gpuplan {
namespace {

constexpr double kMaxGpus = 100'000;
constexpr double kMaxMinutes = 60 * 24 * 366;
constexpr double kMostAnHour = 60;  // interruptions

bool is_currency(std::string_view code) {
  return code.size() == 3 &&
         std::ranges::all_of(code, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
}

/// Prices an hour are never zero in a list of offers: a zero is a gap of the source, and would win every comparison.
bool is_price(const Interval<double>& price) { return price.p10 >= kLeastPrice.value && price.p90 < 1e7 / 3600; }

/// One list with the positions of its columns.
class PriceReader {
 public:
  PriceReader(const CsvTable& table, const std::vector<CurrencyRate>& rates, const Catalogue& catalogue)
      : table_(table), cells_(table), rates_(rates), catalogue_(catalogue) {
    gpu_ = cells_.column("gpu");
    gpus_ = cells_.optional_column("gpus");
    price_ = cells_.column("price_per_hour");
    provider_ = cells_.optional_column("provider");
    region_ = cells_.optional_column("region");
    instance_ = cells_.optional_column("instance");
    spot_ = cells_.optional_column("spot");
    interruptions_ = cells_.optional_column("interruptions");
    minimum_ = cells_.optional_column("billing_minimum_minutes");
    increment_ = cells_.optional_column("billing_increment_seconds");
    availability_ = cells_.optional_column("availability");
    label_ = cells_.optional_column("label");
    currency_ = cells_.optional_column("currency");
    as_of_ = cells_.optional_column("as_of");
    find_kinds();
  }

  Result<std::vector<Offer>> offers() {
    std::vector<Offer> result;
    result.reserve(table_.rows());
    for (std::size_t row = 0; row < table_.rows() && cells_.ok(); ++row) result.push_back(offer(row));
    if (!cells_.ok()) return std::unexpected(*cells_.error());
    return result;
  }

 private:
  std::string words(std::size_t row, CsvReader::Column column) const { return std::string(cells_.text(row, column)); }

  Offer offer(std::size_t row) {
    Offer offer;
    read_gpu(row, offer);
    const Interval<DollarsPerSecond> price = read_price(row);
    (read_kind(row) ? offer.spot_price : offer.price) = price;
    offer.provider = words(row, provider_);
    offer.region = words(row, region_);
    offer.instance = words(row, instance_);
    offer.availability = words(row, availability_);
    offer.label = words(row, label_);
    offer.source = table_.file();
    offer.as_of = words(row, as_of_);
    if (!offer.as_of.empty() && !is_iso_date(offer.as_of))
      cells_.fail_cell(row, as_of_, "a date such as 2026-01 or 2026-01-31");
    if (const std::string_view rate = cells_.text(row, interruptions_); !rate.empty()) {
      const auto value = parse_interval(rate, AmountKind::kRate);
      offer.band = from_name<SpotBand>(rate);
      if (!offer.band && (!value || value->p10 < 0 || value->p90 > kMostAnHour / 3600))
        cells_.fail_cell(row, interruptions_, expectation(AmountKind::kRate));
      else if (!offer.band) offer.interruptions = {PerSecond{value->p10}, PerSecond{value->p50}, PerSecond{value->p90}};
    }
    offer.billing.minimum = cells_.number(row, minimum_, 0, kMaxMinutes, 0) * units::minute;
    offer.billing.increment = cells_.number(row, increment_, 0, kMaxMinutes * 60, 1) * units::second;
    return offer;
  }

  void read_gpu(std::size_t row, Offer& offer) {
    const auto found = find_gpu(catalogue_, cells_.required(row, gpu_));
    if (!found) {
      cells_.fail(row, "column gpu: " + found.error().message);
      return;
    }
    offer.gpu = found->gpu->name;
    if (found->count == 0 && cells_.text(row, gpus_).empty())
      cells_.fail(row, "'" + printable(cells_.text(row, gpu_), 60) +
                           "' has no count; add a column gpus, or a count in front such as 8x");
    const int count = cells_.whole(row, gpus_, 1, static_cast<int>(kMaxGpus), std::max(found->count, 1));
    if (found->count > 0 && count != found->count)
      cells_.fail(row,
                  "column gpus: " + std::to_string(count) + " contradicts '" + printable(cells_.text(row, gpu_)) + "'");
    offer.gpus = count;
  }

  Interval<DollarsPerSecond> read_price(std::size_t row) {
    const std::string_view text = cells_.required(row, price_);
    auto price = parse_interval(text, AmountKind::kPrice);
    // "$21.50": the column says of what time.
    if (!price)
      if (const auto money = parse_interval(text, AmountKind::kMoney)) price = *money * (1.0 / 3600);
    if (!price || !is_price(*price)) {
      cells_.fail_cell(row, price_, "a price of the whole offer such as 2.49, $2.49/h or 20-24, at least $0.0001/h");
      return {};
    }
    const double dollars = dollars_of(row);
    return {DollarsPerSecond{price->p10 * dollars}, DollarsPerSecond{price->p50 * dollars},
            DollarsPerSecond{price->p90 * dollars}};
  }

  double dollars_of(std::size_t row) {
    const std::string_view code = cells_.text(row, currency_);
    if (code.empty() || iequals(code, "USD")) return 1;
    for (const CurrencyRate& rate : rates_)
      if (iequals(rate.code, code)) return rate.dollars;
    if (!is_currency(code)) {
      cells_.fail_cell(row, currency_, "a currency such as USD or EUR");
    } else {
      cells_.fail(row,
                  "column currency: no rate for " + printable(code) + "; add --rate " + printable(code) + "=DOLLARS");
    }
    return 1;
  }

  /// Other columns that tell kinds of prices, whatever they are called.
  void find_kinds() {
    const std::initializer_list<CsvReader::Column> used = {gpu_,     gpus_,      price_,    provider_,      region_,
                                                           minimum_, increment_, currency_, interruptions_, as_of_};
    for (std::size_t column = 0; column < table_.columns(); ++column) {
      if (std::ranges::find(used, CsvReader::Column(column)) != used.end()) continue;
      const bool is_spot = spot_ == CsvReader::Column(column);
      KindColumn kinds(is_spot ? KindAsked::kSpot : kind_asked(table_.name(column)));
      for (std::size_t row = 0; row < table_.rows() && !kinds.is_of_something_else(); ++row)
        kinds.note(cells_.text(row, column));
      if (!kinds.is_of_kinds()) continue;
      kinds_.emplace_back(column, kinds);
      for (CsvReader::Column* words : {&instance_, &availability_, &label_})
        if (*words == CsvReader::Column(column)) words->reset();
    }
  }

  /// True: the price is that of spot.
  bool read_kind(std::size_t row) {
    bool spot = false;
    for (const auto& [column, kinds] : kinds_) {
      const PriceKind kind = kinds.kind(cells_.text(row, column));
      spot = spot || kind == PriceKind::kSpot;
      if (kind == PriceKind::kOther)
        cells_.fail_cell(row, column, column == spot_ ? "yes or no" : "a kind of price such as on-demand or spot");
      if (kind == PriceKind::kServerless)
        cells_.fail(row, "column " + printable(table_.name(column), 40) +
                             ": a serverless price rents no machine; leave the row out");
      if (kind == PriceKind::kCommitted)
        cells_.fail(row, "column " + printable(table_.name(column), 40) + ": '" +
                             printable(cells_.text(row, column), 40) +
                             "' is a price under a commitment; plans rent without one, so leave the row out");
    }
    return spot;
  }

  const CsvTable& table_;
  CsvReader cells_;
  const std::vector<CurrencyRate>& rates_;
  const Catalogue& catalogue_;
  CsvReader::Column gpu_, gpus_, price_, provider_, region_, instance_, spot_, interruptions_, minimum_, increment_,
      availability_, label_, currency_, as_of_;
  std::vector<std::pair<std::size_t, KindColumn>> kinds_;
};

}  // namespace

Result<CurrencyRate> parse_rate(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view code = trim(text.substr(0, equals));
  const auto dollars =
      equals == std::string_view::npos ? failure("") : parse_amount(text.substr(equals + 1), AmountKind::kMoney);
  if (!is_currency(code) || !dollars || *dollars <= 0 || *dollars > 1e6) {
    return wrong_use("--rate: expected an exchange rate such as EUR=1.08, got '" + printable(text) + "'");
  }
  CurrencyRate rate{std::string(code), *dollars};
  std::ranges::transform(rate.code, rate.code.begin(),
                         [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  return rate;
}

Result<std::vector<Offer>> read_prices(std::string_view text, std::string_view file,
                                       const std::vector<CurrencyRate>& rates, const Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  if (table->rows() == 0) return failure("no rows; expected a header and at least one offer", {std::string(file)});
  return PriceReader(*table, rates, catalogue).offers();
}

}  // namespace gpuplan
