// Vultr: GET /v2/plans and /v2/plans-metal.
#include <array>
#include <cmath>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 1> kVultrPaths = {"plans[]"};
constexpr std::array<JsonPath, 1> kVultrMetalPaths = {"plans_metal[]"};
constexpr double kMbOfVultrGib = 1024;
/// Hours that a monthly price stands for where none by the hour is listed; what both are in the lists.
constexpr double kHoursOfPlan = 730, kHoursOfMetal = 672;
constexpr double kA100 = 80;  // GB: Vultr's A100 have 80; a plan with 40 is half of one

double vultr_price(const Tree& plan, std::string_view suffix, double hours, FeedRow& row) {
  const double hourly = json_number(plan, "hourly_cost" + std::string(suffix));
  if (!std::isnan(hourly)) return hourly;
  const double monthly = json_number(plan, "monthly_cost" + std::string(suffix));
  if (!std::isnan(monthly)) row.corrections.emplace_back("an hour taken as its part of a month's price");
  return monthly / hours;
}

/// One offer for each place; without one it is sold out.
void vultr_places(const Tree& plan, FeedRow row, FeedRows& rows) {
  const Tree* places = json_at(plan, "locations");
  if (places == nullptr || !places->is_list()) return rows.take(std::move(row));
  if (places->children.empty()) {
    row.stock = Stock::kSoldOut;
    return rows.take(std::move(row));
  }
  for (const Tree& place : places->children) {
    FeedRow there = row;
    there.region = place.text;
    rows.take(std::move(there));
  }
}

void vultr_plan(const JsonItem& item, FeedRows& rows) {
  const Tree& plan = item.tree;
  FeedRow row;
  row.row = item.row;
  row.instance = json_text(plan, "id");
  const std::string type = json_text(plan, "gpu_type");
  if (type.empty()) return rows.skip("no GPU");
  row.gpu = gpu_words(rows.catalogue(), type).gpu;
  // The memory of the plan against that of the card tells how many it has, or what part of one.
  const double memory = json_number(plan, "gpu_vram_gb");
  const Gpu* gpu = rows.catalogue().find_gpu(row.gpu);
  const bool a100 = squeeze(type).ends_with("a100");
  const double card = a100 ? kA100 : gpu == nullptr ? memory : gpu->memory / units::GiB;
  const double cards = memory / card;
  row.gpus = 1;
  if (cards > 0.88) row.gpus = std::round(cards);
  else if (cards > 0) row.gpus = cards;
  if (a100) row.gpu_memory_gib = kA100;
  row.price = vultr_price(plan, "", kHoursOfPlan, row);
  row.vcpus = json_number_or(plan, "vcpu_count", 0);
  row.ram_gib = json_number_or(plan, "ram", 0) / kMbOfVultrGib;
  vultr_places(plan, std::move(row), rows);
}

/// The GPU of a machine stands only in its name: "vbm-112c-2048gb-8-h100-gpu", "vbm-72c-480gb-gh200-gpu".
void vultr_metal(const JsonItem& item, FeedRows& rows) {
  const Tree& plan = item.tree;
  FeedRow row;
  row.row = item.row;
  row.instance = json_text(plan, "id");
  std::string_view words = row.instance;
  if (!words.ends_with("-gpu")) return rows.skip("no GPU");
  words.remove_suffix(std::string_view("-gpu").size());
  const std::size_t memory = words.find("gb-");
  if (memory != std::string_view::npos) words.remove_prefix(memory + std::string_view("gb-").size());
  row.gpus = 1;
  if (const std::size_t dash = words.find('-'); dash != std::string_view::npos && is_digit(words.front())) {
    row.gpus = number_said(words.substr(0, dash));
    if (!(row.gpus > 0)) row.gpus = 0;
    words.remove_prefix(dash + 1);
  }
  row.gpu = gpu_words(rows.catalogue(), words).gpu;
  if (squeeze(words) == "a100") row.gpu_memory_gib = kA100;
  row.price = vultr_price(plan, "", kHoursOfMetal, row);
  row.spot = vultr_price(plan, "_preemptible", kHoursOfMetal, row);
  row.vcpus = json_number_or(plan, "cpu_threads", 0);
  row.ram_gib = json_number_or(plan, "ram", 0) / kMbOfVultrGib;
  vultr_places(plan, std::move(row), rows);
}

}  // namespace

bool begins_vultr(std::string_view head) {
  return json_begins_with_any(head, {{"plans[].id", "plans[].vcpu_count", "plans[].monthly_cost"}});
}

std::unique_ptr<FeedReader> read_vultr(FeedRows& rows) { return json_reader(rows, kVultrPaths, vultr_plan); }

bool begins_vultr_metal(std::string_view head) {
  return json_begins_with_any(head, {{"plans_metal[].id", "plans_metal[].monthly_cost"}});
}

std::unique_ptr<FeedReader> read_vultr_metal(FeedRows& rows) {
  return json_reader(rows, kVultrMetalPaths, vultr_metal);
}

}  // namespace gpuplan
