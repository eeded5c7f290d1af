// vast.ai: what `vastai search offers --raw` prints (a list), and the bundles of its API ({"offers": [...]}, or one
// offer).
#include <array>
#include <cmath>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 3> kVastPaths = {"[]", "offers[]", "offers{}"};
constexpr double kMbOfGib = 1024, kGbOfTb = 1000;

/// The price of the machine without a disk: dph_total holds the disk that the search asked for, so that it would be
/// counted twice beside storage_cost.
double price_of_vast(const Tree& offer, FeedRow& row) {
  const double base = json_number(offer, "dph_base");
  if (!std::isnan(base)) return base;
  const double total = json_number(offer, "dph_total");
  const double disk = json_number(offer, "storage_total_cost");
  if (std::isnan(total)) return kNoPrice;
  if (disk >= 0 && disk < total) {
    row.corrections.emplace_back("dph_total without the disk that is in it");
    return total - disk;
  }
  row.corrections.emplace_back("dph_base is missing: dph_total, with some disk in it");
  return total;
}

std::string words_of_vast(const Tree& offer) {
  std::string words = json_text(offer, "verification");
  if (words.empty())
    if (const auto verified = json_flag(offer, "verified")) words = *verified ? "verified" : "unverified";
  if (json_text(offer, "hosting_type") == "1") words += words.empty() ? "datacenter" : ", datacenter";
  return words;
}

void vast_offer(const JsonItem& item, FeedRows& rows) {
  const Tree& offer = item.tree;
  FeedRow row;
  row.row = item.row;
  row.region = json_text(offer, "geolocation");
  const std::string id = json_text(offer, json_at(offer, "id") != nullptr ? "id" : "ask_contract_id");
  const std::string machine = json_text(offer, "machine_id");
  if (!id.empty()) row.instance = "offer " + id;
  if (!id.empty() && !machine.empty()) row.instance += " (machine " + machine + ")";
  row.gpu = gpu_words(rows.catalogue(), json_text(offer, "gpu_name")).gpu;
  row.gpus = json_number_or(offer, "num_gpus", 0);
  row.gpu_memory_gib = json_number_or(offer, "gpu_ram", 0) / kMbOfGib;
  row.price = price_of_vast(offer, row);
  // A bid of 0 says that none is known; nothing is free.
  const double bid = json_number(offer, "min_bid");
  if (bid > 0) row.spot = bid;
  else if (bid == 0) row.corrections.emplace_back("min_bid 0 stands for none");
  // Searched with --type bid: the price of an offer is what to bid.
  if (json_flag(offer, "is_bid").value_or(false)) {
    if (std::isnan(row.spot)) row.spot = row.price;
    row.price = kNoPrice;
    row.corrections.emplace_back("an offer to bid on: spot only");
  }
  row.vcpus = json_number_or(offer, "cpu_cores_effective", 0);
  // cpu_ram is that of the whole machine, of which an offer may be a part.
  const double share = json_number(offer, "gpu_frac");
  if (share > 0 && share <= 1) row.ram_gib = json_number_or(offer, "cpu_ram", 0) * share / kMbOfGib;
  row.disk_price = json_number(offer, "storage_cost");
  row.egress_price = json_number(offer, "inet_up_cost");
  if (std::isnan(row.egress_price)) row.egress_price = json_number(offer, "internet_up_cost_per_tb") / kGbOfTb;
  row.reliability = json_number_or(offer, "reliability2", json_number_or(offer, "reliability", 0));
  row.availability = words_of_vast(offer);
  if (!json_flag(offer, "rentable").value_or(true) || json_flag(offer, "rented").value_or(false))
    row.stock = Stock::kSoldOut;
  rows.take(std::move(row));
}

}  // namespace

bool begins_vast(std::string_view head) {
  return json_begins_with_any(head, {{"[].gpu_name", "[].num_gpus", "[].dph_base"},
                                     {"[].gpu_name", "[].num_gpus", "[].dph_total"},
                                     {"offers[].gpu_name", "offers[].num_gpus", "offers[].dph_base"},
                                     {"offers[].gpu_name", "offers[].num_gpus", "offers[].dph_total"},
                                     {"offers.gpu_name", "offers.num_gpus", "offers.dph_total"}});
}

std::unique_ptr<FeedReader> read_vast(FeedRows& rows) { return json_reader(rows, kVastPaths, vast_offer); }

}  // namespace gpuplan
