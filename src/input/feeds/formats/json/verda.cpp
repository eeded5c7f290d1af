// Verda (DataCrunch): GET /v1/instance-types. Prices are in quotes, of the whole machine; no list says where.
#include <array>

#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 2> kVerdaPaths = {"[]", "data[]"};

void verda_type(const JsonItem& item, FeedRows& rows) {
  const Tree& type = item.tree;
  FeedRow row;
  row.row = item.row;
  row.instance = json_text(type, "instance_type");
  row.gpus = json_number_or(type, "gpu.number_of_gpus", 0);
  if (row.gpus != 0) {
    const std::string described = json_text(type, "gpu.description");
    const GpuWords words = gpu_words(rows.catalogue(), described.empty() ? json_text(type, "name") : described);
    row.gpu = words.gpu;
    // Its V100, A100 and H100 are those of boards with eight, also where a name says nothing of it.
    row.hints = described + " HGX";
    // The memory listed is that of all GPUs: 96 GB for two A6000.
    if (row.gpus > 0) row.gpu_memory_gib = json_number_or(type, "gpu_memory.size_in_gigabytes", 0) / row.gpus;
  }
  row.price = json_number(type, "price_per_hour");
  row.spot = json_number(type, "spot_price");
  row.currency = json_text(type, "currency");
  row.vcpus = json_number_or(type, "cpu.number_of_cores", 0);
  row.ram_gib = json_number_or(type, "memory.size_in_gigabytes", 0);
  rows.take(std::move(row));
}

}  // namespace

bool begins_verda(std::string_view head) {
  return json_begins_with_any(head, {{"[].instance_type", "[].gpu.number_of_gpus", "[].price_per_hour"},
                                     {"data[].instance_type", "data[].gpu.number_of_gpus", "data[].price_per_hour"}});
}

std::unique_ptr<FeedReader> read_verda(FeedRows& rows) { return json_reader(rows, kVerdaPaths, verda_type); }

}  // namespace gpuplan
