// DigitalOcean: GET /v2/sizes. Prices are of the whole machine.
#include <array>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 1> kDropletPaths = {"sizes[]"};

void droplet(const JsonItem& item, FeedRows& rows) {
  const Tree& size = item.tree;
  const Tree* gpu = json_at(size, "gpu_info");
  if (gpu == nullptr || !gpu->is_map()) return rows.skip("no GPU");
  FeedRow row;
  row.row = item.row;
  row.instance = json_text(size, "slug");
  row.gpu = gpu_words(rows.catalogue(), json_text(*gpu, "model")).gpu;
  row.gpus = json_number_or(*gpu, "count", 0);
  // vram is that of all GPUs: 640 for eight.
  if (row.gpus > 0) row.gpu_memory_gib = json_number_or(*gpu, "vram.amount", 0) / row.gpus;
  // Single GPUs are parts of the boards with eight: an H100 here is no card.
  row.hints = "HGX";
  row.price = json_number(size, "price_hourly");
  row.vcpus = json_number_or(size, "vcpus", 0);
  row.ram_gib = json_number_or(size, "memory", 0) / 1024;  // MiB
  const Tree* regions = json_at(size, "regions");
  const bool none = regions != nullptr && regions->is_list() && regions->children.empty();
  if (none || !json_flag(size, "available").value_or(true)) row.stock = Stock::kSoldOut;
  if (regions == nullptr || !regions->is_list() || none) return rows.take(std::move(row));
  for (const Tree& region : regions->children) {
    FeedRow there = row;
    there.region = region.text;
    rows.take(std::move(there));
  }
}

}  // namespace

bool begins_digitalocean(std::string_view head) {
  return json_begins_with_any(head, {{"sizes[].slug", "sizes[].price_hourly"}});
}

std::unique_ptr<FeedReader> read_digitalocean(FeedRows& rows) { return json_reader(rows, kDropletPaths, droplet); }

}  // namespace gpuplan
