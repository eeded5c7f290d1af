// The AWS price list of EC2 (offers/v1.0/aws/AmazonEC2/current/REGION/index.json): products, then what each costs. Half
// a gigabyte a region, of which a few hundred machines have GPUs.
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/known_machines.h"

namespace gpuplan {
namespace {

enum AwsPath : std::size_t { kPublished, kProduct, kOnDemand };
constexpr std::array<JsonPath, 3> kAwsPaths = {"publicationDate", "products.*", "terms.OnDemand.*.*"};

/// Why a product is no plain Linux machine on demand; empty: it is one.
std::string_view no_aws_machine(const Tree& product) {
  const auto is = [&](std::string_view name, std::string_view wanted) {
    const std::string text = json_text(product, "attributes." + std::string(name));
    return text.empty() || text == wanted;
  };
  if (!is("operatingSystem", "Linux")) return "not with Linux";
  if (!is("tenancy", "Shared")) return "a dedicated machine or host";
  if (!is("preInstalledSw", "NA")) return "with software installed";
  if (!is("capacitystatus", "Used")) return "capacity that is reserved, used or not";
  if (!is("marketoption", "OnDemand")) return "a capacity block";
  return "";
}

/// What stands in quotes behind a name, in text that is not read as a tree: ten times as fast, and most of it is
/// dropped.
std::string_view quoted_after(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  const std::size_t open = text.find('"', at + name.size());
  const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
  return close == std::string_view::npos ? std::string_view() : text.substr(open + 1, close - open - 1);
}

class AwsPriceList final : public JsonFeed {
 public:
  explicit AwsPriceList(FeedRows& rows) : JsonFeed(rows, kAwsPaths), machines_(rows.catalogue(), "aws") {}

 private:
  bool wanted(const JsonRecord& record) override {
    if (record.path == kOnDemand) return waiting_.contains(record.keys[2]);
    if (record.path == kPublished) return true;
    // Storage, traffic, addresses: most products are no machines, and most machines have no GPU.
    if (record.text.find("\"Compute Instance") == std::string_view::npos) {
      rows().skip("no machine");
      return false;
    }
    if (record.text.find("\"gpu\"") == std::string_view::npos &&
        machines_.find(quoted_after(record.text, "\"instanceType\"")) == nullptr) {
      rows().skip("no GPU");
      return false;
    }
    return true;
  }

  void item(const JsonItem& item) override {
    if (item.path == kPublished) as_of_ = date_said(item.tree.text);
    else if (item.path == kProduct) product(item);
    else if (const auto machine = waiting_.find(item.keys[2]); machine != waiting_.end()) price(item.tree, machine);
  }

  void product(const JsonItem& item) {
    FeedRow row;
    row.row = item.row;
    row.instance = json_text(item.tree, "attributes.instanceType");
    row.region = json_text(item.tree, "attributes.regionCode");
    const KnownMachine* machine = machines_.find(row.instance);
    const double gpus = json_number_or(item.tree, "attributes.gpu", 0);
    if (machine == nullptr && !(gpus > 0)) return rows().skip("no GPU");
    if (const std::string_view why = no_aws_machine(item.tree); !why.empty())
      return rows().reject(item.row, std::string(why), row.words());
    if (machine == nullptr)
      return rows().reject(item.row, "a machine of AWS that gpuplan does not know: " + printable(row.instance, 60),
                           row.words());
    row.gpu = machine->gpu;
    row.gpus = machine->gpus;
    row.vcpus = json_number_or(item.tree, "attributes.vcpu", machine->vcpus);
    row.ram_gib = json_number_or(item.tree, "attributes.memory", machine->ram_gib);
    row.as_of = as_of_;
    waiting_[item.keys[1]] = std::move(row);
  }

  void price(const Tree& term, std::map<std::string, FeedRow>::iterator machine) {
    const Tree* dimensions = term.find("priceDimensions");
    if (dimensions == nullptr || !dimensions->is_map()) return;
    FeedRow& row = machine->second;
    for (const Tree& dimension : dimensions->children) {
      if (json_text(dimension, "unit") != "Hrs") continue;
      const Tree* prices = dimension.find("pricePerUnit");
      if (prices == nullptr || !prices->is_map() || prices->children.empty()) continue;
      // "USD" everywhere but in China.
      row.currency = prices->children.front().key;
      row.price = number_said(prices->children.front().text);
    }
    if (std::isnan(row.price)) return;
    rows().take(std::move(row));
    waiting_.erase(machine);
  }

  void end() override {
    for (const auto& [sku, row] : waiting_) rows().reject(row.row, "no price on demand", row.words());
  }

  KnownMachines machines_;
  std::string as_of_;
  std::map<std::string, FeedRow> waiting_;  ///< by SKU: machines whose price has not come
};

}  // namespace

bool begins_aws_price_list(std::string_view head) {
  return json_begins_with_any(head, {{"offerCode", "products.*.attributes"}});
}

std::unique_ptr<FeedReader> read_aws_price_list(FeedRows& rows) { return std::make_unique<AwsPriceList>(rows); }

}  // namespace gpuplan
