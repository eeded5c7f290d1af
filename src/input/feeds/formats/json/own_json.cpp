// A list of one's own in JSON, and ledgers that others keep: objects whose fields are found by the names that people
// give them, in a list, one on each line, or under a name of the whole ({"date": ..., "offers": [...]}).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/feeds/formats/own_columns.h"
#include "input/feeds/formats/own_dates.h"
#include "input/feeds/formats/own_extras.h"
#include "input/feeds/formats/own_notes.h"
#include "input/feeds/formats/own_prices.h"
#include "input/feeds/rows/gpu_words.h"
#include "input/feeds/rows/price_notes.h"
#include "input/feeds/rows/stock_words.h"
#include "input/prices/price_kind.h"
#include "input/text/untidy/yes_no.h"

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
constexpr std::string_view kGpuFields[] = {"gpu",
                                           "gpuname",
                                           "gpumodel",
                                           "gputype",
                                           "accelerator",
                                           "acceleratorname",
                                           "gpucanonical",
                                           "acceleratormodel",
                                           "acceleratortype",
                                           "grafikkarte",
                                           "cartegraphique",
                                           "carte",
                                           "tarjetagrafica",
                                           "tarjeta"};
constexpr std::string_view kCountFields[] = {"gpus",      "gpucount",         "numgpus", "ngpus",   "numberofgpus",
                                             "gpuscount", "acceleratorcount", "count",   "quantity"};
constexpr std::string_view kProviderFields[] = {"provider", "cloud",   "providername", "cloudprovider",
                                                "company",  "backend", "providerid"};
constexpr std::string_view kRegionFields[] = {"region",         "location",     "regioncode",     "datacenter",
                                              "geolocation",    "regionname",   "regionid",       "locationname",
                                              "locationregion", "locationcity", "locationcountry"};
constexpr std::string_view kZoneFields[] = {"zone", "availabilityzone"};
constexpr std::string_view kInstanceFields[] = {"instance", "instancetype", "instancename", "machine", "machinetype",
                                                "sku",      "flavor",       "plan",         "name"};
constexpr std::string_view kDateFields[] = {"date",       "asof",      "fetchedat", "updatedat",   "collectedat",
                                            "observedat", "timestamp", "tsutc",     "lastchecked", "lastupdated"};
constexpr std::string_view kMemoryFields[] = {"gpumemory", "vram",      "vramgb",       "gpumemorygb",
                                              "gpumemgb",  "gpuvramgb", "vrampergpugb", "gpumemorygib",
                                              "vramgib",   "gpuvram",   "gpuvramgib",   "acceleratormemorygb"};
constexpr std::string_view kVcpuFields[] = {"vcpus", "vcpu", "cpus", "cpu", "cpucores"};
constexpr std::string_view kRamFields[] = {"ram", "ramgb", "ramgib", "rammemorygb"};
constexpr std::string_view kMemoryOfEither[] = {"memorygib", "memorygb"};
constexpr std::string_view kStockFields[] = {"stock", "stockstatus", "availability", "available", "instock"};

/// What only wraps fields that stand for themselves.
constexpr std::string_view kWrappers =
    "|specs|spec|specifications|resources|hardware|details|attributes|configuration|config|"
    "properties|compute|system|offer|machine|node|server|instance|";

/// Puts the fields of an object in an object beside those around it: "gpu": {"model": ...} is gpu_model. A list of one
/// is that one.
void flatten(const Tree& from, const std::string& name, int depth, Tree& into) {
  constexpr int kDeepest = 4;
  for (const Tree& child : from.children) {
    const bool list = child.is_list() && child.children.size() == 1;
    const Tree* inner = list ? &child.children.front() : &child;
    // "gpus": [{"name": ...}] is gpu_name.
    const std::string own = list && child.key.ends_with('s') ? child.key.substr(0, child.key.size() - 1) : child.key;
    std::string key = name.empty() ? "" : name + '_';
    key += own;
    if (inner->is_map()) {
      if (depth == kDeepest) continue;
      const bool wraps = kWrappers.find('|' + squeeze(child.key) + '|') != std::string_view::npos;
      if (wraps) flatten(*inner, name, depth + 1, into);
      flatten(*inner, key, depth + 1, into);
    } else if (child.is_scalar() && into.find(key) == nullptr) {
      into.children.push_back(child);
      into.children.back().key = key;
    }
  }
}

bool is_flat(const Tree& record) {
  return std::ranges::none_of(record.children, [](const Tree& field) { return field.is_map() || field.is_list(); });
}

/// The record with all of its fields side by side.
Tree flat_record(const Tree& record) {
  Tree flat;
  flat.kind = Tree::Kind::kMap;
  for (const Tree& child : record.children)
    if (child.is_scalar()) flat.children.push_back(child);
  Tree nested;
  nested.kind = Tree::Kind::kMap;
  for (const Tree& child : record.children)
    if (!child.is_scalar()) nested.children.push_back(child);
  flatten(nested, "", 0, flat);
  return flat;
}

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

  const std::vector<std::pair<std::string, const Tree*>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, const Tree*>> fields_;
};

/// Of all fields that tell it, by their names or by nothing but such words in them.
PriceKind kind_said(const OwnFields& fields) {
  PriceKind all = PriceKind::kUnsaid;
  bool is_spot = false, others = false;
  for (const auto& [key, field] : fields.all()) {
    const auto is_one = [&](std::span<const std::string_view> names) {
      return std::ranges::find(names, key) != names.end();
    };
    if (is_one(kProviderFields) || is_one(kRegionFields) || is_one(kZoneFields) || is_one(kGpuFields)) continue;
    const KindAsked asked = kind_asked(key);
    const PriceKind kind = price_kind(field->text, asked);
    is_spot = is_spot || (asked == KindAsked::kSpot && kind == PriceKind::kSpot);
    if (kind != PriceKind::kOther) all = std::max(all, kind);
    else others = others || asked == KindAsked::kAny;
  }
  // "is_spot": what else it is called by does not matter.
  return others && !is_spot ? PriceKind::kOther : all;
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

/// What is known of a list when its rows are read.
struct OwnJsonList {
  FieldNames names{};
  LooseNumbers numbers{};
  bool counts = false;  ///< a row has a number of GPUs
};

/// The record as fields side by side: `flat` holds those that stood in objects of their own.
const Tree* record_in(const Tree* nested, Tree& flat) {
  if (is_flat(*nested)) return nested;
  flat = flat_record(*nested);
  return &flat;
}

bool says_count(const Tree& nested, FieldNames& names, const Catalogue& catalogue) {
  if (!nested.is_map()) return false;
  Tree flat;
  const Tree& record = *record_in(&nested, flat);
  const OwnFields fields(record);
  return fields.find(kCountFields) != nullptr || gpu_words(catalogue, fields.text(kGpuFields)).gpus > 0 ||
         std::ranges::any_of(record.children, [&](const Tree& field) {
           return field.is_scalar() && names.of(field.key).column.field == OwnField::kGpus;
         });
}

void own_record(const Tree& nested, std::uint64_t number, const std::string& date, OwnJsonList& list, FeedRows& rows) {
  FieldNames& names = list.names;
  LooseNumbers& numbers = list.numbers;
  if (!nested.is_map()) return rows.reject(number, "an entry that is no object in braces");
  Tree flat;
  const Tree& record = *record_in(&nested, flat);
  const OwnFields fields(record);
  // By its usual name, else under one that people give it in tables.
  std::array<const Tree*, static_cast<std::size_t>(OwnField::kCount)> meant{};
  for (const Tree& field : record.children)
    if (const Tree*& first = meant[static_cast<std::size_t>(names.of(field.key).column.field)];
        field.is_scalar() && first == nullptr)
      first = &field;
  const auto field_of = [&](std::span<const std::string_view> usual, OwnField meaning) {
    const Tree* field = fields.find(usual);
    return field != nullptr ? field : meant[static_cast<std::size_t>(meaning)];
  };
  const auto text_of = [&](std::span<const std::string_view> usual, OwnField meaning) {
    const Tree* field = field_of(usual, meaning);
    return field == nullptr ? std::string() : field->text;
  };
  const auto number_of = [&](std::span<const std::string_view> usual, OwnField meaning, double otherwise) {
    const Tree* field = field_of(usual, meaning);
    if (field == nullptr) return otherwise;
    double value = number_said(field->text);
    bool known = true;
    if (std::isnan(value)) value = read_own_number(trim(field->text), numbers, false, known);
    return std::isnan(value) || !known ? otherwise : value;
  };
  FeedRow row;
  row.row = number;
  row.provider = to_lower(text_of(kProviderFields, OwnField::kProvider));
  row.region = text_of(kRegionFields, OwnField::kRegion);
  row.zone = text_of(kZoneFields, OwnField::kZone);
  row.instance = fields.text(kInstanceFields);
  const GpuWords words = gpu_words(rows.catalogue(), fields.text(kGpuFields));
  row.gpu = words.gpu;
  row.form = form_said(text_of({}, OwnField::kForm));
  row.gpu_memory_gib = number_of(kMemoryFields, OwnField::kGpuMemory, words.gib);
  row.gpus = number_of(kCountFields, OwnField::kGpus, words.gpus);
  row.vcpus = number_of(kVcpuFields, OwnField::kVcpus, 0);
  row.ram_gib = number_of(kRamFields, OwnField::kRam, 0);
  // "memory" is that of the GPU where the GPU has been made with it.
  if (const double memory = number_of(kMemoryOfEither, OwnField::kMemory, 0); memory > 0) {
    if (row.gpu_memory_gib == 0 && rows.had_memory(row, memory)) row.gpu_memory_gib = memory;
    else if (row.ram_gib == 0) row.ram_gib = memory;
  }
  row.availability = fields.text(kStockFields);
  row.stock = stock_said(row.availability);
  if (read_yes_no(row.availability)) row.availability.clear();  // it is said in `stock`
  const OwnDate own_date = date_of(fields, record, names);
  if (!own_date.problem.empty()) return rows.reject(number, std::string(own_date.problem), row.words());
  row.as_of = own_date.text.empty() ? date : own_date.text;

  OwnPrices prices(numbers);
  prices.say_of_one(!list.counts && !row.provider.empty());
  prices.say_least(number_of({}, OwnField::kLeastGpus, 0));
  for (const Tree& field : record.children) {
    if (!field.is_scalar()) continue;
    const OwnColumn& column = names.of(field.key).column;
    if (says_other_system(column, field.text)) return rows.reject(number, "not with Linux", row.words());
    prices.add(column, field.text);
  }
  if (std::string wrong = prices.read(row); !wrong.empty()) return rows.reject(number, std::move(wrong), row.words());
  for (const Tree& field : record.children)
    if (field.is_scalar()) read_own_extra(names.of(field.key).column, field.text, numbers, row);
  const PriceKind kind = kind_said(fields);
  if (kind == PriceKind::kCommitted) return rows.reject(number, "a reservation or commitment", row.words());
  if (kind == PriceKind::kServerless) return rows.reject(number, std::string(kServerlessPrice), row.words());
  if (kind == PriceKind::kOther) return rows.reject(number, "a kind of price that gpuplan does not know", row.words());
  if (kind == PriceKind::kSpot && std::isnan(row.spot)) std::swap(row.spot, row.price);
  heed_availability(kind, row);
  for (const auto& [key, field] : fields.all())
    if (is_note_name(key))
      if (std::string wrong = heed_note(field->text, kind, row); !wrong.empty())
        return rows.reject(number, std::move(wrong), row.words());
  rows.take(std::move(row));
}

class OwnJson final : public JsonFeed {
 public:
  OwnJson(FeedRows& rows, std::span<const JsonPath> paths, std::size_t dates) : JsonFeed(rows, paths), dates_(dates) {}

 private:
  /// Whether rows have numbers of GPUs shows in the first ones, which wait until then.
  struct Held {
    Tree record;
    std::uint64_t number;
    std::string date;
  };

  void item(const JsonItem& item) override {
    if (item.path < dates_) {
      if (date_.empty() && item.tree.is_scalar()) date_ = read_own_date(item.tree.text).text;
      return;
    }
    constexpr std::size_t kFirst = 256;
    const bool early = ++records_ <= kFirst;
    if (early && !list_.counts) list_.counts = says_count(item.tree, list_.names, rows().catalogue());
    if (list_.counts || !early) {
      end();
      return own_record(item.tree, records_, date_, list_, rows());
    }
    held_.push_back({item.tree, records_, date_});
  }
  void end() override {
    for (const Held& held : std::exchange(held_, {})) own_record(held.record, held.number, held.date, list_, rows());
  }

  std::size_t dates_;
  std::uint64_t records_ = 0;
  std::string date_;
  std::vector<Held> held_;
  OwnJsonList list_;
};

/// Notes whether a record has a GPU and a price.
class OwnSign final : public JsonRecordSink {
 public:
  Result<void> record(const JsonRecord& record) override {
    const auto tree = record.tree();
    if (!tree || !tree->is_map()) return {};
    const Tree flat = flat_record(*tree);
    const OwnFields fields(flat);
    const bool price = std::ranges::any_of(flat.children, [&](const Tree& field) {
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
