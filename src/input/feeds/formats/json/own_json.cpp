// A list of one's own in JSON, and ledgers that others keep: objects whose fields are found by the names that people
// give them, in a list, one on each line, or under a name of the whole ({"date": ..., "offers": [...]}).
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"
#include "input/prices/price_kind.h"

namespace gpuplan {
namespace {

/// Where records stand. A ledger's own date comes before them.
constexpr std::array<JsonPath, 16> kOwnPaths = {
    "date",   "as_of",    "generated_at", "fetched_at", "updated_at", "collected_at", "latest_date", "[]",
    "data[]", "offers[]", "prices[]",     "rows[]",     "items[]",    "results[]",    "entries[]",   "gpus[]"};
constexpr std::size_t kDatePaths = 7;
constexpr std::array<JsonPath, 1> kLinePaths = {"{}"};

// Names are compared in squeezed spelling: "price_per_hour" and "pricePerHour" are one.
constexpr std::string_view kGpuFields[] = {"gpu",         "gpuname",         "gpumodel",    "gputype",
                                           "accelerator", "acceleratorname", "gpucanonical"};
constexpr std::string_view kCountFields[] = {"gpus",      "gpucount",         "numgpus", "ngpus",   "numberofgpus",
                                             "gpuscount", "acceleratorcount", "count",   "quantity"};
constexpr std::string_view kPriceFields[] = {
    "priceperhour", "pricehour",   "hourlyprice",   "pricehourly",   "priceusdhour",  "priceusdperhour", "usdperhour",
    "usdhour",      "pricehr",     "priceperhr",    "priceusd",      "priceusdhr",    "usdperhr",        "usdhr",
    "costperhour",  "hourlycost",  "hourlyrate",    "ondemandprice", "priceondemand", "ondemand",        "ondemandusd",
    "totalprice",   "totalhourly", "instanceprice", "price"};
constexpr std::string_view kGpuPriceFields[] = {"pricepergpu",        "pricepergpuhour",    "pergpu",
                                                "pergpuhour",         "usdpergpuhour",      "pricepergpuusd",
                                                "priceusdpergpuhour", "pricegpuhour",       "gpuhour",
                                                "gpuhourprice",       "gpuhourusd",         "usdpergpuhr",
                                                "pricepergpuhr",      "ondemandpergpu",     "pricepergpuperhour",
                                                "usdpergpu",          "gpuhourlyprice",     "hourlypricepergpu",
                                                "pricegpuhourusd",    "pricepergpuhourusd", "priceperhourpergpu"};
constexpr std::string_view kCentFields[] = {"pricecentsperhour", "centsperhour", "hourlypricecents", "pricecents"};
constexpr std::string_view kSpotFields[] = {"spotprice",  "pricespot",     "spotpriceperhour", "spotusdperhour",
                                            "spothourly", "spotpricehour", "spotusd"};
constexpr std::string_view kGpuSpotFields[] = {"spotpricepergpu", "spotpergpu", "spotpricepergpuhour"};
constexpr std::string_view kProviderFields[] = {"provider", "cloud",   "providername", "cloudprovider",
                                                "company",  "backend", "providerid"};
constexpr std::string_view kRegionFields[] = {"region", "location", "regioncode", "datacenter", "geolocation"};
constexpr std::string_view kZoneFields[] = {"zone", "availabilityzone"};
constexpr std::string_view kInstanceFields[] = {"instance", "instancetype", "instancename", "machine", "machinetype",
                                                "sku",      "flavor",       "plan",         "name"};
constexpr std::string_view kDateFields[] = {"date",       "asof",      "fetchedat", "updatedat",   "collectedat",
                                            "observedat", "timestamp", "tsutc",     "lastchecked", "lastupdated"};
constexpr std::string_view kMemoryFields[] = {"gpumemory", "vram",         "vramgb",       "gpumemorygb", "gpumemgb",
                                              "gpuvramgb", "vrampergpugb", "gpumemorygib", "vramgib"};
constexpr std::string_view kVcpuFields[] = {"vcpus", "vcpu", "cpus", "cpu", "cpucores"};
constexpr std::string_view kRamFields[] = {"ram", "ramgb", "ramgib", "memorygib", "memorygb", "rammemorygb"};
constexpr std::string_view kStockFields[] = {"stock", "stockstatus", "availability", "available", "instock"};
constexpr std::string_view kCurrencyFields[] = {"currency", "currencycode"};
constexpr std::string_view kFormFields[] = {"formfactor", "interconnect", "variant", "socket", "gpuvariant"};

/// The fields of a record, by squeezed names, looked up in the order of the names.
class OwnFields {
 public:
  explicit OwnFields(const Tree& record) {
    for (const Tree& field : record.children)
      if (field.is_scalar()) fields_.emplace_back(squeeze(field.key), &field);
  }
  const Tree* find(std::span<const std::string_view> names) const {
    for (const std::string_view name : names)
      for (const auto& [key, field] : fields_)
        if (key == name) return field;
    return nullptr;
  }
  std::string text(std::span<const std::string_view> names) const {
    const Tree* field = find(names);
    return field == nullptr ? std::string() : field->text;
  }
  double number(std::span<const std::string_view> names, double otherwise = kNoPrice) const {
    const Tree* field = find(names);
    const double value = field == nullptr ? kNoPrice : number_said(field->text);
    return std::isnan(value) ? otherwise : value;
  }

  const std::vector<std::pair<std::string, const Tree*>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, const Tree*>> fields_;
};

/// Of all fields that tell it, by their names or by nothing but such words in them.
PriceKind kind_said(const OwnFields& fields) {
  PriceKind all = PriceKind::kUnsaid;
  for (const auto& [key, field] : fields.all()) {
    const auto is_one = [&](std::span<const std::string_view> names) {
      return std::ranges::find(names, key) != names.end();
    };
    if (is_one(kProviderFields) || is_one(kRegionFields) || is_one(kZoneFields) || is_one(kGpuFields)) continue;
    const KindAsked asked = kind_asked(key);
    const PriceKind kind = price_kind(field->text, asked);
    if (kind != PriceKind::kOther || asked == KindAsked::kAny) all = std::max(all, kind);
  }
  return all;
}

/// A price that is written, but no number.
bool is_no_number(const OwnFields& fields, std::span<const std::string_view> names) {
  const Tree* field = fields.find(names);
  return field != nullptr && !field->text.empty() && !iequals(field->text, "null") &&
         std::isnan(number_said(field->text));
}

void own_record(const Tree& record, std::uint64_t number, const std::string& date, FeedRows& rows) {
  if (!record.is_map()) return rows.reject(number, "an entry that is no object in braces");
  const OwnFields fields(record);
  FeedRow row;
  row.row = number;
  row.provider = to_lower(fields.text(kProviderFields));
  row.region = fields.text(kRegionFields);
  row.zone = fields.text(kZoneFields);
  row.instance = fields.text(kInstanceFields);
  const GpuWords words = gpu_words(rows.catalogue(), fields.text(kGpuFields));
  row.gpu = words.gpu;
  row.hints = fields.text(kFormFields);
  row.gpu_memory_gib = fields.number(kMemoryFields, words.gib);
  row.gpus = fields.number(kCountFields, words.gpus);
  row.currency = fields.text(kCurrencyFields);
  row.vcpus = fields.number(kVcpuFields, 0);
  row.ram_gib = fields.number(kRamFields, 0);
  row.availability = fields.text(kStockFields);
  row.stock = stock_said(row.availability);
  if (row.availability == "true" || row.availability == "false") row.availability.clear();
  row.as_of = date_said(fields.text(kDateFields));
  if (row.as_of.empty()) row.as_of = date;

  row.price = fields.number(kPriceFields, fields.number(kCentFields) / 100);
  row.spot = fields.number(kSpotFields);
  // A count that stands beside a price of one GPU says what is sold together; without it, one is.
  const double one = fields.number(kGpuPriceFields), one_spot = fields.number(kGpuSpotFields);
  if (std::isnan(row.price) && !std::isnan(one) && row.gpus == 0) {
    row.gpus = 1;
    row.corrections.emplace_back("a price of one GPU, no number of them: taken as one");
  }
  if (std::isnan(row.price)) row.price = one * row.gpus;
  if (std::isnan(row.spot)) row.spot = one_spot * row.gpus;
  if (is_no_number(fields, kSpotFields)) row.corrections.emplace_back("a spot price that is no number, left out");
  if (is_no_number(fields, kPriceFields)) row.corrections.emplace_back("a price that is no number, left out");
  const PriceKind kind = kind_said(fields);
  if (kind == PriceKind::kCommitted) return rows.reject(number, "a reservation or commitment", row.words());
  if (kind == PriceKind::kOther) return rows.reject(number, "a kind of price that gpuplan does not know", row.words());
  if (kind == PriceKind::kSpot && std::isnan(row.spot)) std::swap(row.spot, row.price);
  rows.take(std::move(row));
}

class OwnJson final : public JsonFeed {
 public:
  OwnJson(FeedRows& rows, std::span<const JsonPath> paths, std::size_t dates) : JsonFeed(rows, paths), dates_(dates) {}

 private:
  void item(const JsonItem& item) override {
    if (item.path >= dates_) return own_record(item.tree, ++records_, date_, rows());
    if (date_.empty()) date_ = date_said(item.tree.text);
  }

  std::size_t dates_;
  std::uint64_t records_ = 0;
  std::string date_;
};

/// Notes whether a record has a GPU and a price.
class OwnSign final : public JsonRecordSink {
 public:
  Result<void> record(const JsonRecord& record) override {
    const auto tree = record.tree();
    if (!tree || !tree->is_map()) return {};
    const OwnFields fields(*tree);
    const bool price = fields.find(kPriceFields) != nullptr || fields.find(kGpuPriceFields) != nullptr ||
                       fields.find(kCentFields) != nullptr || fields.find(kSpotFields) != nullptr;
    found = found || (price && fields.find(kGpuFields) != nullptr);
    return {};
  }
  bool found = false;
};

bool own_sign(std::string_view head, std::span<const JsonPath> paths) {
  OwnSign sign;
  JsonRecords records(paths, "", sign);
  // Whatever breaks off or is wrong behind it, what was seen counts.
  [[maybe_unused]] const Result<void> read = records.take(head);
  return sign.found;
}

}  // namespace

bool begins_own_json(std::string_view head) {
  return own_sign(head, std::span<const JsonPath>(kOwnPaths).subspan(kDatePaths));
}

std::unique_ptr<FeedReader> read_own_json(FeedRows& rows) {
  return std::make_unique<OwnJson>(rows, kOwnPaths, kDatePaths);
}

bool begins_own_json_lines(std::string_view head) { return own_sign(head, kLinePaths); }

std::unique_ptr<FeedReader> read_own_json_lines(FeedRows& rows) {
  return std::make_unique<OwnJson>(rows, kLinePaths, 0);
}

}  // namespace gpuplan
