// A list of one's own in JSON, and ledgers that others keep: objects whose fields are found by the names that people
// give them, in a list, one on each line, or under a name of the whole ({"date": ..., "offers": [...]}).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/formats/own_columns.h"
#include "input/feeds/formats/own_dates.h"
#include "input/feeds/formats/own_prices.h"
#include "input/feeds/rows/gpu_words.h"
#include "input/prices/price_kind.h"

namespace gpuplan {
namespace {

/// Where records stand. A ledger's own date comes before them.
constexpr std::array<JsonPath, 32> kOwnPaths = {
    "date",           "as_of",       "asOf",       "generated_at", "generatedAt", "fetched_at",    "collected_at",
    "observed_at",    "recorded_at", "scraped_at", "updated_at",   "updatedAt",   "last_updated",  "lastUpdated",
    "latest_date",    "timestamp",   "ts",         "time",         "snapshot",    "snapshot_date", "created_at",
    "effective_date", "updated",     "[]",         "data[]",       "offers[]",    "prices[]",      "rows[]",
    "items[]",        "results[]",   "entries[]",  "gpus[]"};
constexpr std::size_t kDatePaths = 23;
constexpr std::array<JsonPath, 1> kLinePaths = {"{}"};

// Names are compared in squeezed spelling: "price_per_hour" and "pricePerHour" are one.
constexpr std::string_view kGpuFields[] = {"gpu",         "gpuname",         "gpumodel",    "gputype",
                                           "accelerator", "acceleratorname", "gpucanonical"};
constexpr std::string_view kCountFields[] = {"gpus",      "gpucount",         "numgpus", "ngpus",   "numberofgpus",
                                             "gpuscount", "acceleratorcount", "count",   "quantity"};
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

/// What fields mean by their names, which are those of the record before most of the time.
class FieldNames {
 public:
  struct Meaning {
    OwnColumn column;
    bool tells_time = false;
  };
  const Meaning& of(const std::string& name) {
    const auto [known, is_new] = names_.try_emplace(name);
    if (is_new) known->second = {own_column(name), tells_time_of_record(name)};
    return known->second;
  }

 private:
  std::map<std::string, Meaning, std::less<>> names_;
};

/// The date of a record: in a field of one of the usual names, else in one whose name tells a time and that holds one.
OwnDate date_of(const OwnFields& fields, const Tree& record, FieldNames& names) {
  for (const std::string_view name : kDateFields)
    if (const Tree* field = fields.find({&name, 1}); field != nullptr)
      if (OwnDate date = read_own_date(field->text); !date.text.empty() || !date.problem.empty()) return date;
  for (const Tree& field : record.children)
    if (field.is_scalar() && names.of(field.key).tells_time)
      if (OwnDate date = read_own_date(field.text); !date.text.empty()) return date;
  return {};
}

void own_record(const Tree& record, std::uint64_t number, const std::string& date, FieldNames& names, FeedRows& rows) {
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
  row.vcpus = fields.number(kVcpuFields, 0);
  row.ram_gib = fields.number(kRamFields, 0);
  row.availability = fields.text(kStockFields);
  row.stock = stock_said(row.availability);
  if (row.availability == "true" || row.availability == "false") row.availability.clear();
  const OwnDate own_date = date_of(fields, record, names);
  if (!own_date.problem.empty()) return rows.reject(number, std::string(own_date.problem), row.words());
  row.as_of = own_date.text.empty() ? date : own_date.text;

  LooseNumbers numbers;
  OwnPrices prices(numbers);
  for (const Tree& field : record.children)
    if (field.is_scalar()) prices.add(names.of(field.key).column, field.text);
  if (std::string wrong = prices.read(row); !wrong.empty()) return rows.reject(number, std::move(wrong), row.words());
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
    if (item.path >= dates_) return own_record(item.tree, ++records_, date_, names_, rows());
    if (date_.empty() && item.tree.is_scalar()) date_ = read_own_date(item.tree.text).text;
  }

  std::size_t dates_;
  std::uint64_t records_ = 0;
  std::string date_;
  FieldNames names_;
};

/// Notes whether a record has a GPU and a price.
class OwnSign final : public JsonRecordSink {
 public:
  Result<void> record(const JsonRecord& record) override {
    const auto tree = record.tree();
    if (!tree || !tree->is_map()) return {};
    const OwnFields fields(*tree);
    const bool price = std::ranges::any_of(tree->children, [&](const Tree& field) {
      const OwnField meaning = field.is_scalar() ? names_.of(field.key).column.field : OwnField::kNone;
      return meaning == OwnField::kPrice || meaning == OwnField::kSpotPrice;
    });
    found = found || (price && fields.find(kGpuFields) != nullptr);
    return {};
  }
  bool found = false;

 private:
  FieldNames names_;
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
