// The catalogue of Google Cloud's billing API: prices of parts. That of a GPU is without the machine that it needs, so
// nothing in it is the price of what can be rented.
#include <array>

#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 1> kGcpSkuPaths = {"skus[]"};

void gcp_sku(const JsonItem& item, FeedRows& rows) {
  if (json_text(item.tree, "category.resourceGroup") != "GPU") return rows.skip("no GPU");
  rows.reject(item.row, "the price of a GPU without its machine", json_text(item.tree, "description"));
}

}  // namespace

bool begins_gcp_billing(std::string_view head) {
  return json_begins_with_any(head, {{"skus[].category.resourceGroup", "skus[].pricingInfo"}});
}

std::unique_ptr<FeedReader> read_gcp_billing(FeedRows& rows) { return json_reader(rows, kGcpSkuPaths, gcp_sku); }

}  // namespace gpuplan
