// Lambda: GET /api/v1/instance-types. Prices are cents of the whole machine, at times in quotes.
#include <array>

#include "domain/market/capacity_words.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 2> kLambdaPaths = {"data.*", "data[]"};

/// "A100 SXM4" of "A100 SXM4 (40 GB)"; what stands in brackets tells memory and form factor.
std::string before_bracket(std::string_view words) { return std::string(words.substr(0, words.find(" ("))); }

void lambda_type(const JsonItem& item, FeedRows& rows) {
  const Tree& type = item.tree;
  FeedRow row;
  row.row = item.row;
  row.instance = json_text(type, "instance_type.name");
  row.hints = json_text(type, "instance_type.description");
  const GpuWords described = gpu_words(rows.catalogue(), row.hints);
  std::string gpu = json_text(type, "instance_type.gpu_description");
  // Machines without a GPU have "N/A" there.
  if (gpu == "N/A") gpu.clear();
  row.gpus = json_number_or(type, "instance_type.specs.gpus", described.gpus);
  if (row.gpus != 0) {
    const GpuWords words = gpu_words(rows.catalogue(), before_bracket(gpu.empty() ? row.hints : gpu));
    row.gpu = words.gpu;
    row.hints += ' ' + gpu;
    row.gpu_memory_gib = gpu_words(rows.catalogue(), gpu.empty() ? row.hints : gpu).gib;
  }
  row.price = json_number(type, "instance_type.price_cents_per_hour") / 100;
  row.vcpus = json_number_or(type, "instance_type.specs.vcpus", 0);
  row.ram_gib = json_number_or(type, "instance_type.specs.memory_gib", 0);
  const Tree* regions = json_at(type, "regions_with_capacity_available");
  if (regions == nullptr || !regions->is_list()) return rows.take(std::move(row));
  // Listed without a region: it has no capacity anywhere now.
  if (regions->children.empty()) {
    row.stock = Stock::kSoldOut;
    return rows.take(std::move(row));
  }
  for (const Tree& region : regions->children) {
    FeedRow there = row;
    there.region = region.is_scalar() ? region.text : json_text(region, "name");
    there.availability = kCapacityWhenListed;
    rows.take(std::move(there));
  }
}

}  // namespace

bool begins_lambda(std::string_view head) {
  return json_begins_with_any(
      head, {{"data.*.instance_type.price_cents_per_hour"}, {"data[].instance_type.price_cents_per_hour"}});
}

std::unique_ptr<FeedReader> read_lambda(FeedRows& rows) { return json_reader(rows, kLambdaPaths, lambda_type); }

}  // namespace gpuplan
