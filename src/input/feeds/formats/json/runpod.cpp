// RunPod: gpuTypes of its GraphQL API, and the list of GPUs of its catalogue, v2. Prices are those of one GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"
#include "input/feeds/rows/stock_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 3> kGpuTypePaths = {"data.gpuTypes[]", "gpuTypes[]", "[]"};
constexpr std::array<JsonPath, 2> kRunpodV2Paths = {"gpus[]", "data.gpus[]"};
/// Pods have any number of GPUs up to a limit; these are the ones people rent.
constexpr std::array<int, 4> kPodSizes = {1, 2, 4, 8};
constexpr std::string_view kOutOfStock = "no price: out of stock";

struct RunpodCloud {
  std::string_view name, price, spot, most;
};
constexpr std::array<RunpodCloud, 2> kRunpodClouds = {
    RunpodCloud{"secure", "securePrice", "secureSpotPrice", "maxGpuCountSecureCloud"},
    RunpodCloud{"community", "communityPrice", "communitySpotPrice", "maxGpuCountCommunityCloud"}};

/// Numbers of GPUs that lowestPrice says are there now; empty: it does not say.
std::vector<double> counts_there(const Tree& type) {
  std::vector<double> counts;
  const Tree* list = json_at(type, "lowestPrice.availableGpuCounts");
  if (list == nullptr || !list->is_list()) return counts;
  for (const Tree& one : list->children) counts.push_back(number_said(one.text));
  return counts;
}

/// A GPU's row for one GPU; the name that nvidia-smi shows says more than the one displayed.
FeedRow runpod_row(const JsonItem& item, FeedRows& rows, std::string_view shown, std::string_view memory) {
  FeedRow row;
  row.row = item.row;
  const std::string id = json_text(item.tree, "id");
  const GpuWords by_id = gpu_words(rows.catalogue(), id);
  row.gpu = rows.catalogue().find_gpu(by_id.gpu) != nullptr ? by_id.gpu : json_text(item.tree, shown);
  if (row.gpu.empty()) row.gpu = by_id.gpu;
  row.instance = id;
  row.hints = id + ' ' + json_text(item.tree, shown);
  row.gpu_memory_gib = json_number_or(item.tree, memory, by_id.gib);
  return row;
}

/// The row of one GPU made that of several, of one cloud.
FeedRow pod_of(FeedRow row, int gpus, std::string_view cloud) {
  row.gpus = gpus;
  for (double* part : {&row.price, &row.spot, &row.vcpus, &row.ram_gib}) *part *= gpus;
  row.instance = std::to_string(gpus) + "x " + row.gpu;
  if (!cloud.empty()) row.instance += " " + std::string(cloud);
  return row;
}

void runpod_type(const JsonItem& item, FeedRows& rows) {
  const Tree& type = item.tree;
  FeedRow one = runpod_row(item, rows, "displayName", "memoryInGb");
  const Tree* lowest = json_at(type, "lowestPrice");
  const double lowest_price = json_number(type, "lowestPrice.uninterruptablePrice");
  const double lowest_bid = json_number(type, "lowestPrice.minimumBidPrice");
  one.vcpus = json_number_or(type, "lowestPrice.minVcpu", 0);
  one.ram_gib = json_number_or(type, "lowestPrice.minMemory", 0);
  one.availability = json_text(type, "lowestPrice.stockStatus");
  one.stock = stock_said(one.availability);
  const std::vector<double> there = counts_there(type);
  const Tree* uninterruptable = lowest == nullptr ? nullptr : lowest->find("uninterruptablePrice");
  // The list has a price, but a search for the lowest found nobody who asks one.
  const bool none_there = uninterruptable != nullptr && uninterruptable->is_null();

  bool any = false;
  const auto offer = [&](std::string_view cloud, double price, double spot, double most) {
    FeedRow row = one;
    row.price = price;
    row.spot = spot;
    for (const int gpus : kPodSizes) {
      const bool listed = std::ranges::find(there, gpus) != there.end();
      if (gpus > std::max(most, 1.0) && !listed) continue;
      FeedRow pod = pod_of(row, gpus, cloud);
      if (none_there || (!there.empty() && !listed)) pod.stock = Stock::kSoldOut;
      rows.take(std::move(pod));
      any = true;
    }
  };
  const double most = json_number_or(type, "maxGpuCount", 1);
  for (const RunpodCloud& cloud : kRunpodClouds) {
    const double price = json_number(type, cloud.price);
    double spot = json_number(type, cloud.spot);
    if (std::isnan(price) && std::isnan(spot)) continue;
    // The lowest bid is that of the cloud whose price stands beside it.
    if (std::isnan(spot) && price == lowest_price) spot = lowest_bid;
    offer(cloud.name, price, spot, json_number_or(type, cloud.most, most));
  }
  if (!any && (!std::isnan(lowest_price) || !std::isnan(lowest_bid))) offer("", lowest_price, lowest_bid, most);
  if (!any) rows.reject(item.row, std::string(kOutOfStock), one.words());
}

void runpod_v2_gpu(const JsonItem& item, FeedRows& rows) {
  FeedRow one = runpod_row(item, rows, "name", "memory");
  one.availability = json_text(item.tree, "availability");
  one.stock = stock_said(one.availability);
  bool any = false;
  for (const RunpodCloud& cloud : kRunpodClouds) {
    FeedRow row = one;
    row.price = json_number(item.tree, "price." + std::string(cloud.name));
    if (std::isnan(row.price)) continue;
    rows.take(pod_of(std::move(row), 1, cloud.name));
    any = true;
  }
  if (!any) rows.reject(item.row, std::string(kOutOfStock), one.words());
}

}  // namespace

bool begins_runpod(std::string_view head) {
  return json_begins_with_any(head, {{"data.gpuTypes[].id", "data.gpuTypes[].lowestPrice"},
                                     {"data.gpuTypes[].id", "data.gpuTypes[].securePrice"},
                                     {"data.gpuTypes[].id", "data.gpuTypes[].communityPrice"},
                                     {"gpuTypes[].id", "gpuTypes[].lowestPrice"},
                                     {"gpuTypes[].id", "gpuTypes[].securePrice"},
                                     {"[].id", "[].memoryInGb", "[].lowestPrice"},
                                     {"[].id", "[].memoryInGb", "[].securePrice"}});
}

std::unique_ptr<FeedReader> read_runpod(FeedRows& rows) { return json_reader(rows, kGpuTypePaths, runpod_type); }

bool begins_runpod_v2(std::string_view head) {
  return json_begins_with_any(head, {{"gpus[].id", "gpus[].price.secure"},
                                     {"gpus[].id", "gpus[].price.community"},
                                     {"data.gpus[].id", "data.gpus[].price.secure"}});
}

std::unique_ptr<FeedReader> read_runpod_v2(FeedRows& rows) { return json_reader(rows, kRunpodV2Paths, runpod_v2_gpu); }

}  // namespace gpuplan
