// Seeweb: its list of plans. Prices are euros of the whole machine; numbers stand in quotes.
#include <array>

#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 1> kSeewebPaths = {"plans[]"};

void seeweb_plan(const JsonItem& item, FeedRows& rows) {
  const Tree& plan = item.tree;
  FeedRow row;
  row.row = item.row;
  row.instance = json_text(plan, "name");
  row.gpus = json_number_or(plan, "gpu", 0);
  if (row.gpus == 0) return rows.skip("no GPU");
  const GpuWords words = gpu_words(rows.catalogue(), json_text(plan, "gpu_label"));
  row.gpu = words.gpu;
  row.gpu_memory_gib = words.gib;
  row.price = json_number(plan, "hourly_price");
  row.currency = "EUR";
  row.vcpus = json_number_or(plan, "cpu", 0);
  row.ram_gib = json_number_or(plan, "ram", 0) / 1024;  // MiB
  const Tree* regions = json_at(plan, "available_regions");
  const bool none = regions != nullptr && regions->is_list() && regions->children.empty();
  if (none || !json_flag(plan, "available").value_or(true)) row.stock = Stock::kSoldOut;
  if (regions == nullptr || !regions->is_list() || none) return rows.take(std::move(row));
  for (const Tree& region : regions->children) {
    FeedRow there = row;
    there.region = json_text(region, "location");
    rows.take(std::move(there));
  }
}

}  // namespace

bool begins_seeweb(std::string_view head) {
  return json_begins_with_any(head, {{"plans[].name", "plans[].hourly_price", "plans[].gpu"}});
}

std::unique_ptr<FeedReader> read_seeweb(FeedRows& rows) { return json_reader(rows, kSeewebPaths, seeweb_plan); }

}  // namespace gpuplan
