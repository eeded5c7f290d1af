// Hyperstack's flavors as resellers list them: {"data": {"CANADA": {"A100": [...]}}}. Prices are of the whole machine.
#include <array>
#include <chrono>
#include <cmath>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 2> kFlavorPaths = {"data.*.*[]", "data[]"};

/// The day of a time in seconds since 1970; empty for none between 2010 and 2100.
std::string day_of(double seconds) {
  constexpr double kYear2010 = 1'262'304'000, kYear2100 = 4'102'444'800;
  if (!(seconds >= kYear2010 && seconds < kYear2100)) return "";
  using namespace std::chrono;
  const year_month_day day(floor<days>(sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(seconds)))));
  const auto two = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  return std::to_string(static_cast<int>(day.year())) + "-" + two(static_cast<unsigned>(day.month())) + "-" +
         two(static_cast<unsigned>(day.day()));
}

void hyperstack_flavor(const JsonItem& item, FeedRows& rows) {
  const Tree& flavor = item.tree;
  FeedRow row;
  row.row = item.row;
  row.instance = json_text(flavor, "name");
  row.region = json_text(flavor, "vendor_region_name");
  if (row.region.empty()) row.region = json_text(flavor, "region_name");
  // "A100-80G-PCIe-NVLink": cards joined by bridges, no board.
  row.hints = json_text(flavor, "gpu");
  const GpuWords words = gpu_words(rows.catalogue(), row.hints);
  row.gpu = words.gpu;
  row.gpu_memory_gib = words.gib;
  row.gpus = json_number_or(flavor, "gpu_count", 0);
  if (row.gpus == 0) return rows.skip("no GPU");
  row.price = json_number(flavor, "price_per_hour");
  row.vcpus = json_number_or(flavor, "cpu", 0);
  row.ram_gib = json_number_or(flavor, "ram", 0);
  const double stock = json_number(flavor, "stock");
  if (stock == 0 || !json_flag(flavor, "is_available").value_or(true) ||
      !json_flag(flavor, "stock_available").value_or(true))
    row.stock = Stock::kSoldOut;
  // These lists are kept for years: each row says when it was made.
  row.as_of = day_of(json_number_or(flavor, "created_at", 0));
  rows.take(std::move(row));
}

}  // namespace

bool begins_hyperstack(std::string_view head) {
  return json_begins_with_any(head, {{"data.*.*[].gpu_count", "data.*.*[].gpu", "data.*.*[].price_per_hour"},
                                     {"data[].gpu_count", "data[].vendor_region_name", "data[].price_per_hour"}});
}

std::unique_ptr<FeedReader> read_hyperstack(FeedRows& rows) {
  return json_reader(rows, kFlavorPaths, hyperstack_flavor);
}

}  // namespace gpuplan
