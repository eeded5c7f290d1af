// What `dstack offer --json` prints: offers of many clouds. Prices are of the whole machine.
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

constexpr std::array<JsonPath, 1> kDstackPaths = {"offers[]"};
constexpr double kMibOfGib = 1024;

void dstack_offer(const JsonItem& item, FeedRows& rows) {
  const Tree& offer = item.tree;
  FeedRow row;
  row.row = item.row;
  row.provider = json_text(offer, "backend");
  row.region = json_text(offer, "region");
  row.instance = json_text(offer, "instance_type");
  if (row.instance.empty()) row.instance = json_text(offer, "instance.name");
  const Tree* resources = json_at(offer, "resources");
  if (resources == nullptr) resources = json_at(offer, "instance.resources");
  const Tree* gpus = resources == nullptr ? nullptr : resources->find("gpus");
  if (gpus == nullptr || !gpus->is_list() || gpus->children.empty()) return rows.skip("no GPU");
  // Machines of one's own: they cost nothing here.
  if (row.provider == "ssh" || row.provider == "remote")
    return rows.reject(item.row, "a machine of one's own", row.words());
  // Names have lost their form factor; instances of RunPod are the names that nvidia-smi shows.
  row.gpu = gpu_words(rows.catalogue(), json_text(gpus->children.front(), "name")).gpu;
  row.hints = row.instance;
  row.gpus = static_cast<double>(gpus->children.size());
  row.gpu_memory_gib = json_number_or(gpus->children.front(), "memory_mib", 0) / kMibOfGib;
  const double price = json_number(offer, "price");
  const auto spot = json_flag(offer, "spot");
  (spot.value_or(json_flag(*resources, "spot").value_or(false)) ? row.spot : row.price) = price;
  row.vcpus = json_number_or(*resources, "cpus", 0);
  row.ram_gib = json_number_or(*resources, "memory_mib", 0) / kMibOfGib;
  row.availability = json_text(offer, "availability");
  row.stock = stock_said(row.availability);
  rows.take(std::move(row));
}

}  // namespace

bool begins_dstack(std::string_view head) {
  return json_begins_with_any(head, {{"offers[].backend", "offers[].price"}});
}

std::unique_ptr<FeedReader> read_dstack(FeedRows& rows) { return json_reader(rows, kDstackPaths, dstack_offer); }

}  // namespace gpuplan
