// The AWS price list of EC2 (offers/v1.0/aws/AmazonEC2/current/REGION/index.json): products, then what each costs. Half
// a gigabyte a region, of which a few hundred machines have GPUs.
#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// A machine as the products of all regions have it.
struct AwsMachine {
  std::string instance, gpu;
  double gpus = 0, vcpus = 0, ram_gib = 0;

  auto operator<=>(const AwsMachine&) const = default;
};

/// A product whose price has not come.
struct AwsProduct {
  std::uint32_t sku = 0, sku_size = 0;  ///< where its SKU stands among those of all
  std::uint32_t machine = 0, region = 0;
  std::uint64_t row = 0;
  bool waits = true;
};

/// Products by SKU, a few dozen bytes each: a list may have hundreds of thousands, and their prices come behind the
/// last of them.
class AwsProducts {
 public:
  /// Null: there is none, or its price has come.
  AwsProduct* find(std::string_view sku) {
    if (slots_.empty()) return nullptr;
    const std::uint32_t number = slots_[slot_of(sku)];
    return number != 0 && products_[number - 1].waits ? &products_[number - 1] : nullptr;
  }
  /// The product that it takes the place of; null: it is the first of its SKU.
  const AwsProduct* add(std::string_view sku, AwsProduct product) {
    if (slots_.size() < 2 * (products_.size() + 1)) grow();
    product.sku = static_cast<std::uint32_t>(skus_.size());
    product.sku_size = static_cast<std::uint32_t>(sku.size());
    std::uint32_t& slot = slots_[slot_of(sku)];
    AwsProduct* const before = slot == 0 ? nullptr : &products_[slot - 1];
    products_.push_back(product);
    skus_.insert(skus_.end(), sku.begin(), sku.end());
    slot = static_cast<std::uint32_t>(products_.size());
    if (before == nullptr || !before->waits) return nullptr;
    before->waits = false;
    return before;
  }
  /// As they came.
  const std::deque<AwsProduct>& all() const { return products_; }

 private:
  std::string sku(const AwsProduct& product) const {
    const auto begin = skus_.begin() + product.sku;
    return {begin, begin + product.sku_size};
  }
  std::size_t slot_of(std::string_view sku) const {
    for (std::size_t at = std::hash<std::string_view>()(sku);; ++at) {
      const std::uint32_t number = slots_[at & (slots_.size() - 1)];
      if (number == 0 || is(products_[number - 1], sku)) return at & (slots_.size() - 1);
    }
  }
  bool is(const AwsProduct& product, std::string_view sku) const {
    return product.sku_size == sku.size() &&
           std::ranges::equal(
               sku, std::ranges::subrange(skus_.begin() + product.sku, skus_.begin() + product.sku + product.sku_size));
  }
  void grow() {
    constexpr std::size_t kFirst = 1024;
    slots_.assign(slots_.empty() ? kFirst : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < products_.size(); ++i)
      slots_[slot_of(sku(products_[i]))] = static_cast<std::uint32_t>(i + 1);
  }

  std::deque<AwsProduct> products_;
  std::deque<char> skus_;
  std::vector<std::uint32_t> slots_;  ///< numbers of products from 1, by hash, the last of each SKU; 0: free
};

/// Equal values once, by number.
template <class T>
class Numbered {
 public:
  std::uint32_t number_of(const T& value) {
    const auto [at, fresh] = numbers_.try_emplace(value, static_cast<std::uint32_t>(values_.size()));
    if (fresh) values_.push_back(&at->first);
    return at->second;
  }
  const T& operator[](std::uint32_t number) const { return *values_[number]; }

 private:
  std::map<T, std::uint32_t> numbers_;
  std::vector<const T*> values_;
};

class AwsPriceList final : public JsonFeed {
 public:
  explicit AwsPriceList(FeedRows& rows) : JsonFeed(rows, kAwsPaths), machines_(rows.catalogue(), "aws") {}

 private:
  bool wanted(const JsonRecord& record) override {
    if (record.path == kOnDemand) return waiting_.find(record.keys[2]) != nullptr;
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
    else if (AwsProduct* const product = waiting_.find(item.keys[2])) price(item.tree, *product);
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
    const std::uint32_t kind =
        machines_told_.number_of({row.instance, machine->gpu, static_cast<double>(machine->gpus),
                                  json_number_or(item.tree, "attributes.vcpu", machine->vcpus),
                                  json_number_or(item.tree, "attributes.memory", machine->ram_gib)});
    const AwsProduct* const before =
        waiting_.add(item.keys[1], {.machine = kind, .region = regions_.number_of(row.region), .row = item.row});
    if (before != nullptr) rows().reject(before->row, "another product of the same SKU follows", row.words());
  }

  FeedRow row_of(const AwsProduct& product) const {
    const AwsMachine& machine = machines_told_[product.machine];
    FeedRow row;
    row.row = product.row;
    row.instance = machine.instance;
    row.region = regions_[product.region];
    row.gpu = machine.gpu;
    row.gpus = machine.gpus;
    row.vcpus = machine.vcpus;
    row.ram_gib = machine.ram_gib;
    row.as_of = as_of_;
    return row;
  }

  void price(const Tree& term, AwsProduct& product) {
    const Tree* dimensions = term.find("priceDimensions");
    if (dimensions == nullptr || !dimensions->is_map()) return;
    FeedRow row = row_of(product);
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
    product.waits = false;
  }

  void end() override {
    for (const AwsProduct& product : waiting_.all())
      if (product.waits) rows().reject(product.row, "no price on demand", row_of(product).words());
  }

  KnownMachines machines_;
  std::string as_of_;
  Numbered<AwsMachine> machines_told_;
  Numbered<std::string> regions_;
  AwsProducts waiting_;  ///< machines whose price has not come
};

}  // namespace

bool begins_aws_price_list(std::string_view head) {
  return json_begins_with_any(head, {{"offerCode", "products.*.attributes"}});
}

std::unique_ptr<FeedReader> read_aws_price_list(FeedRows& rows) { return std::make_unique<AwsPriceList>(rows); }

}  // namespace gpuplan
