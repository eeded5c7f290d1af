// Prime Intellect: GET /api/v1/availability/gpus and /multi-node, and the summary of both. It rents out machines of
// other clouds at prices of its own.
#include <array>
#include <cmath>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"
#include "input/feeds/rows/stock_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 1> kPrimePaths = {"items[]"};
constexpr std::array<JsonPath, 1> kPrimeSummaryPaths = {"*.*.*"};
constexpr double kHoursOfMonth = 730;
constexpr double kMostOfOneMachine = 16;  // GPUs

void prime_offer(const JsonItem& item, FeedRows& rows) {
  const Tree& offer = item.tree;
  FeedRow row;
  row.row = item.row;
  row.region = json_text(offer, "region");
  row.zone = json_text(offer, "dataCenter");
  row.instance = json_text(offer, "provider");
  const std::string id = json_text(offer, "cloudId");
  if (!id.empty()) row.instance += (row.instance.empty() ? "" : " ") + id;
  const GpuWords words = gpu_words(rows.catalogue(), json_text(offer, "gpuType"));
  row.gpu = words.gpu;
  row.gpus = json_number_or(offer, "gpuCount", 0);
  row.form = json_text(offer, "socket");
  row.hints = id;
  // gpuMemory has been seen as the sum over the GPUs, so it tells only where there is one.
  row.gpu_memory_gib = words.gib > 0 ? words.gib : row.gpus == 1 ? json_number_or(offer, "gpuMemory", 0) : 0;
  if (row.gpus > kMostOfOneMachine) return rows.reject(item.row, "several machines as one cluster", row.words());
  if (const Tree* paid = json_at(offer, "prepaidTime"); paid != nullptr && !paid->is_null() && paid->text != "0")
    return rows.reject(item.row, "paid ahead for a term", row.words());
  double price = json_number(offer, "prices.onDemand");
  if (std::isnan(price)) price = json_number(offer, "prices.communityPrice");
  if (json_flag(offer, "isSpot").value_or(false)) row.spot = price;
  else row.price = price;
  row.currency = json_text(offer, "prices.currency");
  row.vcpus = json_number_or(offer, "vcpu.defaultCount", 0);
  row.ram_gib = json_number_or(offer, "memory.defaultCount", 0);
  // A GB for an hour.
  if (!json_flag(offer, "disk.defaultIncludedInPrice").value_or(false))
    row.disk_price = json_number(offer, "disk.pricePerUnit") * kHoursOfMonth;
  row.availability = json_text(offer, "stockStatus");
  row.stock = stock_said(row.availability);
  rows.take(std::move(row));
}

/// {"H100_80GB": {"8": {"canada": {"onDemand": ...}}}}: prices of so many GPUs, the lowest of each region.
void prime_summary(const JsonItem& item, FeedRows& rows) {
  FeedRow row;
  row.row = item.row;
  const GpuWords words = gpu_words(rows.catalogue(), item.keys[0]);
  row.gpu = words.gpu;
  row.gpu_memory_gib = words.gib;
  row.gpus = number_said(item.keys[1]);
  row.region = item.keys[2];
  if (!(row.gpus > 0)) row.gpus = 0;
  if (row.region == "cheapest") return rows.reject(item.row, "the lowest of the regions once more", row.words());
  if (row.gpus > kMostOfOneMachine) return rows.reject(item.row, "several machines as one cluster", row.words());
  row.price = json_number(item.tree, "onDemand");
  if (std::isnan(row.price)) row.price = json_number(item.tree, "communityPrice");
  row.spot = json_number(item.tree, "spotPrice");
  row.availability = "lowest price of its suppliers";
  rows.take(std::move(row));
}

}  // namespace

bool begins_prime_intellect(std::string_view head) {
  return json_begins_with_any(head, {{"items[].gpuType", "items[].gpuCount", "items[].prices"}});
}

std::unique_ptr<FeedReader> read_prime_intellect(FeedRows& rows) { return json_reader(rows, kPrimePaths, prime_offer); }

bool begins_prime_summary(std::string_view head) {
  return json_begins_with_any(head, {{"*.*.cheapest.onDemand", "*.*.*.spotPrice"}});
}

std::unique_ptr<FeedReader> read_prime_summary(FeedRows& rows) {
  return json_reader(rows, kPrimeSummaryPaths, prime_summary);
}

}  // namespace gpuplan
