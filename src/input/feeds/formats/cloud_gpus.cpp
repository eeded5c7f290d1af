// The tables of cloud-gpus: whole machines in USD an hour, of many clouds and ages.
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "input/feeds/formats/list_gpu.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/feeds/formats/skypilot_clouds.h"
#include "input/feeds/formats/table_formats.h"
#include "input/feeds/rows/feed_table.h"
#include "input/feeds/rows/provider_names.h"

namespace gpuplan {
namespace {

bool is_cloud_gpus_header(FeedHeader names) {
  return feed_column(names, {"GPU Type"}) && feed_column(names, {"GPU Arch"}) && feed_column(names, {"Per-GPU"}) &&
         (feed_column(names, {"On-demand"}) || feed_column(names, {"Per-Hour"}));
}

class CloudGpusReader final : public FeedTable {
 public:
  using FeedTable::FeedTable;

 private:
  /// "$40.97" of an hour; none: it says something else.
  std::optional<double> written_price(std::string_view cell, FeedRow& row) {
    const OwnPrice price = read_own_price(cell, numbers_);
    const bool other = price.per_gpu || price.range || price.cents || (price.hours != 0 && price.hours != 1);
    if (!price.problem.empty() || std::isnan(price.value) || other) return std::nullopt;
    if (!price.currency.empty()) row.currency = price.currency;
    return price.value;
  }

  bool header(FeedHeader names) override {
    if (!is_cloud_gpus_header(names)) return false;
    price_ = feed_column(names, {"On-demand"});
    if (!price_)
      refuse(
          "prices of serverless GPUs, which are billed by the second of a call: no machines to plan with; the table of "
          "machines is cloud-gpus.csv");
    cloud_ = feed_column(names, {"Cloud", "Vendor"});
    gpu_ = feed_column(names, {"GPU Type"});
    gpus_ = feed_column(names, {"GPUs"});
    gpu_memory_ = feed_column(names, {"GPU RAM"});
    vcpus_ = feed_column(names, {"vCPUs"});
    memory_ = feed_column(names, {"RAM"});
    spot_ = feed_column(names, {"Spot"});
    name_ = feed_column(names, {"Name"});
    return true;
  }
  std::string_view needed() const override { return "Cloud, GPU Type, GPUs, On-demand"; }

  void row(const FeedCells& cells) override {
    FeedRow row;
    row.row = cells.line();
    row.provider = to_lower(usual_provider(cells.text(cloud_)));
    row.instance = cells.text(name_);
    if (row.provider == "azure" && !row.instance.empty()) {
      row.instance.insert(0, "Standard_");
      for (char& c : row.instance) c = c == ' ' ? '_' : c;
    }
    read_list_gpu(cells.text(gpu_), rows().catalogue(), row);
    row.hints.append(" ").append(form_factor_of(row.provider, row.gpu));
    for (const auto& [column, into, name] :
         {std::tuple(vcpus_, &row.vcpus, "vCPUs"), std::tuple(memory_, &row.ram_gib, "RAM")}) {
      bool known = true;  // "24-30": what there is at least
      const double value = read_own_number(cells.text(column), numbers_, true, known);
      if (!known) row.corrections.push_back(std::string(name) + " that is no number, left out");
      else if (!std::isnan(value)) *into = value;
    }
    double sum = 0;  // of the memory of all GPUs, and not always: the name comes first
    for (const auto& [column, into, name] :
         {std::tuple(gpus_, &row.gpus, "GPUs"), std::tuple(gpu_memory_, &sum, "GPU RAM"),
          std::tuple(price_, &row.price, "On-demand"), std::tuple(spot_, &row.spot, "Spot")}) {
      auto value = cells.number(column);
      if (!value && (into == &row.price || into == &row.spot)) value = written_price(cells.text(column), row);
      if (!value) return rows().reject(row.row, std::string(name) + " that is no number", row.words());
      if (!std::isnan(*value)) *into = *value;
    }
    if (row.gpu_memory_gib == 0 && row.gpus > 0) row.gpu_memory_gib = sum / row.gpus;
    rows().take(std::move(row));
  }

  LooseNumbers numbers_;
  FeedColumn cloud_, gpu_, gpus_, gpu_memory_, vcpus_, memory_, price_, spot_, name_;
};

}  // namespace

bool begins_cloud_gpus(std::string_view head) { return table_begins(head, is_cloud_gpus_header); }

std::unique_ptr<FeedReader> read_cloud_gpus(FeedRows& rows) { return std::make_unique<CloudGpusReader>(rows); }

}  // namespace gpuplan
