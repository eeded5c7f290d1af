// JarvisLabs: server_meta of its API. Prices, processors and memory are those of one GPU.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 1> kJarvisPaths = {"server_meta[]"};
constexpr std::array<int, 4> kJarvisSizes = {1, 2, 4, 8};

void jarvis_server(const JsonItem& item, FeedRows& rows) {
  const Tree& server = item.tree;
  FeedRow one;
  one.row = item.row;
  one.region = json_text(server, "region");
  const GpuWords words = gpu_words(rows.catalogue(), json_text(server, "gpu_type"));
  one.gpu = words.gpu;
  one.gpu_memory_gib = json_number_or(server, "vram", 0);
  // H100 and H200 are rented up to eight of a board; A100 may be cards.
  if (squeeze(words.gpu).starts_with("h")) one.hints = "HGX";
  const double price = json_number(server, "price_per_hour"), spot = json_number(server, "spot_price");
  const double free = json_number(server, "num_free_devices"), most = json_number_or(server, "num_gpus", 1);
  const std::string kind = json_text(server, "workload_type");
  for (const int gpus : kJarvisSizes) {
    if (gpus > std::max(most, 1.0)) break;
    FeedRow row = one;
    row.gpus = gpus;
    row.instance = std::to_string(gpus) + "x " + json_text(server, "gpu_type");
    // The same GPUs are listed as containers and as virtual machines.
    if (!kind.empty()) row.instance += " " + kind;
    row.price = price * gpus;
    row.spot = spot * gpus;
    row.vcpus = json_number_or(server, "cpus_per_gpu", 0) * gpus;
    row.ram_gib = json_number_or(server, "ram_per_gpu", 0) * gpus;
    if (free < gpus) row.stock = Stock::kSoldOut;
    if (!std::isnan(free)) row.availability = count_of(free, "free GPU");
    rows.take(std::move(row));
  }
}

}  // namespace

bool begins_jarvislabs(std::string_view head) {
  return json_begins_with_any(head, {{"server_meta[].gpu_type", "server_meta[].price_per_hour"}});
}

std::unique_ptr<FeedReader> read_jarvislabs(FeedRows& rows) { return json_reader(rows, kJarvisPaths, jarvis_server); }

}  // namespace gpuplan
