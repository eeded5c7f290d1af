// Oracle Cloud's price estimator: shapes.json names machines and their parts, the list of products
// (/cetools/api/v1/products, or products.json beside the shapes) what a part costs by its part number. Either may come
// first, in one text or in two. Prices are the same in all commercial regions.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/gpu_words.h"
#include "input/feeds/rows/known_machines.h"
#include "input/feeds/rows/parted_lists.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 1> kOciPaths = {"items[]"};
/// docs.oracle.com/en-us/iaas/Content/Compute/Concepts/preemptible.htm: preemptible capacity costs 50 % less.
constexpr double kPreemptible = 0.5;

struct OldShape {
  std::string_view word, gpu;
};
/// Shapes that were named before they said what is in them.
constexpr std::array kOldShapes = {OldShape{"GPU2", "P100"}, OldShape{"GPU3", "V100"}, OldShape{"GPU4", "A100"}};

/// "H100" of "BM.GPU.H100.8", "A100" of "BM.GPU.A100-v2.8"; empty: none is named.
std::string gpu_of_shape(std::string_view name) {
  std::vector<std::string> words;
  for (const std::string_view part : split(name, '.'))
    for (const std::string_view word : split(part, '-')) words.emplace_back(word);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const OldShape& old : kOldShapes)
      if (iequals(words[i], old.word)) return std::string(old.gpu);
    if (iequals(words[i], "GPU") && i + 1 < words.size()) return words[i + 1];
  }
  return "";
}

/// What one of a part costs an hour, as one pays who has no contract.
PartPrice part_price(const Tree& product) {
  PartPrice price;
  const std::string metric = to_lower(json_text(product, "metricName")), type = json_text(product, "pricetype");
  price.of_gpu = metric.find("gpu") != std::string::npos;
  price.of_cpu = metric.find("ocpu") != std::string::npos;
  if ((!metric.empty() && metric.find("hour") == std::string::npos) || (!type.empty() && !iequals(type, "HOUR"))) {
    price.problem = "a part that is not paid by the hour";
    return price;
  }
  price.problem = "a part without a price in dollars";
  const Tree* currencies = json_at(product, "currencyCodeLocalizations");
  if (currencies == nullptr) return price;
  for (const Tree& currency : currencies->children) {
    const Tree* prices = json_at(currency, "prices");
    if (json_text(currency, "currencyCode") != "USD" || prices == nullptr) continue;
    for (const Tree& one : prices->children) {
      const std::string model = json_text(one, "model");
      if (!model.empty() && model != "PAY_AS_YOU_GO") continue;
      const double value = json_number(one, "value");
      if (std::isnan(value)) continue;
      // The first hours of a month may be free, or those of many cheaper.
      if (price.problem.empty() && value != price.dollars) {
        price.problem = "a part with several prices";
        return price;
      }
      price.dollars = value;
      price.problem.clear();
    }
  }
  return price;
}

class OciFeed final : public JsonFeed {
 public:
  explicit OciFeed(FeedRows& rows) : JsonFeed(rows, kOciPaths), known_(rows.catalogue(), "oci") {}

 private:
  void item(const JsonItem& item) override {
    const Tree& tree = item.tree;
    PartedLists& lists = rows().parted();
    if (tree.is_map() && tree.find("products") != nullptr) {
      if (lists.machines.size() >= PartedLists::kMost) return rows().reject(item.row, "more shapes than a cloud has");
      lists.machines.push_back(machine(item));
      lists.machines_file = rows().terms().file;
    } else if (tree.is_map() && tree.find("partNumber") != nullptr && lists.prices.size() < PartedLists::kMost) {
      lists.prices.emplace(json_text(tree, "partNumber"), part_price(tree));
      if (lists.prices_file.empty()) lists.prices_file = rows().terms().file;
    }
  }

  void end() override {
    PartedLists& lists = rows().parted();
    if (lists.machines.empty() || lists.prices.empty()) return rows().wait();
    // Whatever the files are called, the next ones take the place of these.
    rows().stand_for(lists.machines_file, "oci");
    for (PartedMachine& one : std::exchange(lists.machines, {})) join(std::move(one), lists.prices);
    lists.joined = true;
  }

  PartedMachine machine(const JsonItem& item) {
    const Tree& shape = item.tree;
    PartedMachine made;
    FeedRow& row = made.row;
    row.row = item.row;
    row.instance = json_text(shape, "name");
    row.gpus = json_number_or(shape, "gpuQty", 0);
    made.preemptible = json_flag(shape, "allowPreemptible").value_or(false);
    if (json_flag(shape, "hidden").value_or(false)) row.availability = "hidden";
    if (const std::string status = json_text(shape, "status"); !status.empty() && status != "ACTIVE")
      row.availability = "hidden";
    const KnownMachine* known = known_.find(row.instance);
    if (row.gpus > 0)
      row.gpu = known != nullptr ? known->gpu : gpu_words(rows().catalogue(), gpu_of_shape(row.instance)).gpu;
    row.gpu_memory_gib = known == nullptr && row.gpus > 0 ? json_number_or(shape, "gpuMemoryQty", 0) / row.gpus : 0;
    row.ram_gib = json_number_or(shape, "bundleMemoryQty", 0);
    // An OCPU is a core of two threads, where it has them. Shapes with A10 and A100 are listed as ARM and are not.
    const bool threads = json_text(shape, "processorType.value") != "arm" || row.gpu.starts_with("A10");
    for (const Tree& product : json_at(shape, "products")->children) {
      PartedMachine::Part part{json_text(product, "partNumber"), to_lower(json_text(product, "type.value")),
                               json_number(product, "qty")};
      if (part.kind == "ocpu" && !std::isnan(part.quantity)) row.vcpus = part.quantity * (threads ? 2 : 1);
      if (part.kind == "memory" && !std::isnan(part.quantity)) row.ram_gib = part.quantity;
      made.parts.push_back(std::move(part));
    }
    return made;
  }

  void join(PartedMachine machine, const std::map<std::string, PartPrice>& prices) {
    FeedRow& row = machine.row;
    if (row.gpus <= 0) return rows().skip("no GPU");
    const auto refuse = [&](const std::string& why) { rows().reject(row.row, why, row.words()); };
    if (!row.availability.empty()) return refuse("a machine that is no longer offered");
    double total = 0;
    for (const PartedMachine::Part& part : machine.parts) {
      const auto price = prices.find(part.number);
      if (price == prices.end()) return refuse("a part that the list of products has not");
      if (!price->second.problem.empty()) return refuse(price->second.problem);
      // The processors of a machine with GPUs come with them: its "ocpu" is priced by the GPU.
      const bool by_gpu = price->second.of_gpu || (part.kind == "ocpu" && !price->second.of_cpu);
      const double quantity = by_gpu ? row.gpus : part.quantity;
      if (std::isnan(quantity)) return refuse("a part without a quantity");
      total += price->second.dollars * quantity;
    }
    row.price = total;
    if (machine.preemptible && row.instance.starts_with("BM.")) {
      row.corrections.emplace_back("a spot price of half by rule, which OCI has for no bare metal, left out");
    } else if (machine.preemptible) {
      row.spot = total * kPreemptible;
      row.corrections.emplace_back("preemptible at half the price, by Oracle's rule");
    }
    rows().take(std::move(row));
  }

  KnownMachines known_;
};

}  // namespace

bool begins_oci(std::string_view head) {
  return json_begins_with_any(head, {{"items[].partNumber", "items[].currencyCodeLocalizations"},
                                     {"items[].name", "items[].products[].partNumber"}});
}

std::unique_ptr<FeedReader> read_oci(FeedRows& rows) { return std::make_unique<OciFeed>(rows); }

}  // namespace gpuplan
