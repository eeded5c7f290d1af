// Shadeform: GET /v1/instances/types and /v1/clusters/types. Prices are cents of the whole machine.
#include <array>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 2> kShadeformPaths = {"instance_types[]", "cluster_types[]"};

/// A field that stands in the configuration, and at times beside it too.
std::string shade_text(const Tree& type, const std::string& name) {
  const std::string text = json_text(type, "configuration." + name);
  return text.empty() ? json_text(type, name) : text;
}

double shade_number(const Tree& type, const std::string& name) {
  return json_number_or(type, "configuration." + name, json_number_or(type, name, 0));
}

/// What is rented as one: `places` is where it can be had.
void shadeform_machine(std::uint64_t number, const Tree& type, const Tree* places, double machines, FeedRows& rows) {
  FeedRow row;
  row.row = number;
  const std::string machine = json_text(type, "cloud_instance_type");
  row.instance = json_text(type, "cloud") + ' ' + (machine.empty() ? json_text(type, "shade_instance_type") : machine);
  const GpuWords words = gpu_words(rows.catalogue(), shade_text(type, "gpu_type"));
  row.gpu = words.gpu;
  row.gpus = shade_number(type, "num_gpus");
  row.form = shade_text(type, "interconnect");
  row.gpu_memory_gib = shade_number(type, "vram_per_gpu_in_gb");
  if (row.gpu_memory_gib <= 0) row.gpu_memory_gib = words.gib;
  row.price = json_number(type, "hourly_price") / 100;
  row.vcpus = shade_number(type, "vcpus");
  row.ram_gib = shade_number(type, "memory_in_gb");
  // Its machines come together or not at all, at a price that one of them alone does not have.
  if (machines > 1) return rows.reject(number, "several machines as one cluster", row.words());
  const auto there = [&](const Tree& region) {
    FeedRow here = row;
    here.region = json_text(region, "region");
    if (!json_flag(region, "available").value_or(true)) here.stock = Stock::kSoldOut;
    else here.availability = "capacity when listed";
    rows.take(std::move(here));
  };
  if (places != nullptr && places->is_map()) return there(*places);
  if (places == nullptr || !places->is_list() || places->children.empty()) {
    if (places != nullptr) row.stock = Stock::kSoldOut;
    return rows.take(std::move(row));
  }
  for (const Tree& region : places->children) there(region);
}

void shadeform_type(const JsonItem& item, FeedRows& rows) {
  const Tree& type = item.tree;
  const Tree* places = json_at(type, "availability");
  if (item.path == 0) return shadeform_machine(item.row, type, places, 1, rows);
  const Tree* machine = json_at(type, "cluster_type");
  if (machine == nullptr) return rows.reject(item.row, "a cluster that does not say what is in it");
  shadeform_machine(item.row, *machine, places, json_number_or(type, "num_instances", 0), rows);
}

}  // namespace

bool begins_shadeform(std::string_view head) {
  return json_begins_with_any(head, {{"instance_types[].shade_instance_type", "instance_types[].hourly_price"},
                                     {"cluster_types[].num_instances", "cluster_types[].cluster_type.hourly_price"}});
}

std::unique_ptr<FeedReader> read_shadeform(FeedRows& rows) {
  return json_reader(rows, kShadeformPaths, shadeform_type);
}

}  // namespace gpuplan
