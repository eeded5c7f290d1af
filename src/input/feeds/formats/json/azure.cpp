// Azure retail prices (https://prices.azure.com/api/retail/prices): pages of Items, one after another.
#include <array>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/known_machines.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 2> kAzurePaths = {"Items[]", "[]"};

/// Sizes with a part of an A10 each: a sixth, a third, half (Azure's documentation of the NVadsA10 v5 series). Lists
/// made of them say one GPU.
constexpr std::array<std::string_view, 3> kAzureParts = {"Standard_NV6ads_A10_v5", "Standard_NV12ads_A10_v5",
                                                         "Standard_NV18ads_A10_v5"};

bool is_azure_part(std::string_view size) {
  for (const std::string_view part : kAzureParts)
    if (iequals(part, size)) return true;
  // NVas v4: parts of a Radeon MI25.
  const std::string lower = to_lower(size);
  return lower.starts_with("standard_nv") && lower.ends_with("as_v4");
}

bool azure_says(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

/// Why a price is none of a Linux machine by the hour; empty: it is one.
std::string_view no_azure_price(const Tree& item) {
  const std::string type = json_text(item, "type");
  const std::string product = json_text(item, "productName");
  const std::string meter = json_text(item, "meterName") + ' ' + json_text(item, "skuName");
  if (type == "Reservation" || !json_text(item, "reservationTerm").empty())
    return "a reservation, priced for its whole term";
  if (type == "DevTestConsumption") return "a price for development and test";
  if (azure_says(product, "Windows")) return "with Windows";
  if (azure_says(meter, "Low Priority")) return "Low Priority of Azure Batch, which is no Spot";
  if (azure_says(product, "CloudServices") || azure_says(product, "Cloud Services")) return "Azure Cloud Services";
  if (azure_says(product, "Dedicated Host") || azure_says(meter, "Dedicated Host")) return "a dedicated host";
  if (const std::string unit = json_text(item, "unitOfMeasure"); !unit.empty() && unit != "1 Hour")
    return "no price by the hour";
  if (json_number_or(item, "tierMinimumUnits", 0) > 0) return "a price for large amounts";
  return "";
}

class AzureFeed final : public JsonFeed {
 public:
  explicit AzureFeed(FeedRows& rows) : JsonFeed(rows, kAzurePaths), machines_(rows.catalogue(), "azure") {}

 private:
  void item(const JsonItem& record) override {
    const Tree& item = record.tree;
    FeedRow row;
    row.row = record.row;
    row.instance = json_text(item, "armSkuName");
    row.region = json_text(item, "armRegionName");
    // GPUs are in the sizes whose names begin with N.
    if (!to_lower(row.instance).starts_with("standard_n")) return rows().skip("no GPU");
    if (const std::string_view why = no_azure_price(item); !why.empty())
      return rows().reject(record.row, std::string(why), row.words());
    if (is_azure_part(row.instance)) return rows().reject(record.row, "a part of a GPU", row.words());
    const KnownMachine* machine = machines_.find(row.instance);
    if (machine == nullptr)
      return rows().reject(record.row, "a size of Azure that gpuplan does not know: " + printable(row.instance, 60),
                           row.words());
    row.gpu = machine->gpu;
    row.gpus = machine->gpus;
    row.vcpus = machine->vcpus;
    row.ram_gib = machine->ram_gib;
    row.currency = json_text(item, "currencyCode");
    double price = json_number(item, "retailPrice");
    if (std::isnan(price)) price = json_number(item, "unitPrice");
    const bool spot =
        azure_says(json_text(item, "meterName"), "Spot") || azure_says(json_text(item, "skuName"), "Spot");
    (spot ? row.spot : row.price) = price;
    rows().take(std::move(row));
  }

  KnownMachines machines_;
};

}  // namespace

bool begins_azure(std::string_view head) {
  return json_begins_with_any(head,
                              {{"Items[].armSkuName", "Items[].retailPrice"}, {"[].armSkuName", "[].retailPrice"}});
}

std::unique_ptr<FeedReader> read_azure(FeedRows& rows) { return std::make_unique<AzureFeed>(rows); }

}  // namespace gpuplan
