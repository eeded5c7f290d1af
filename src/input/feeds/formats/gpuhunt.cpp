// gpuhunt's catalogues: one file a provider, which only its name tells; one row a kind of price.
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "input/feeds/formats/skypilot_clouds.h"
#include "input/feeds/formats/table_formats.h"
#include "input/feeds/rows/feed_table.h"
#include "input/feeds/rows/provider_names.h"

namespace gpuplan {
namespace {

constexpr double kGiBOfGB = 1.073741824;

bool is_gpuhunt_header(FeedHeader names) {
  return feed_column(names, {"instance_name"}) && feed_column(names, {"location"}) && feed_column(names, {"price"}) &&
         feed_column(names, {"gpu_name"}) && feed_column(names, {"spot"});
}

class GpuhuntReader final : public FeedTable {
 public:
  explicit GpuhuntReader(FeedRows& rows) : FeedTable(rows), provider_(rows.terms().provider) {
    if (provider_.empty()) provider_ = stem_of_file(rows.terms().file);
  }

 private:
  bool header(FeedHeader names) override {
    if (!is_gpuhunt_header(names)) return false;
    instance_ = feed_column(names, {"instance_name"});
    region_ = feed_column(names, {"location"});
    price_ = feed_column(names, {"price"});
    vcpus_ = feed_column(names, {"cpu"});
    memory_ = feed_column(names, {"memory"});
    gpus_ = feed_column(names, {"gpu_count"});
    gpu_ = feed_column(names, {"gpu_name"});
    gpu_memory_ = feed_column(names, {"gpu_memory"});
    spot_ = feed_column(names, {"spot"});
    flags_ = feed_column(names, {"flags"});
    return true;
  }
  std::string_view needed() const override { return "instance_name, location, price, gpu_name, spot"; }
  void row(const FeedCells& cells) override;
  bool numbers(const FeedCells& cells, FeedRow& row, bool spot);

  std::string provider_;
  FeedColumn instance_, region_, price_, vcpus_, memory_, gpus_, gpu_, gpu_memory_, spot_, flags_;
};

/// False: a cell holds no number, and the row is rejected.
bool GpuhuntReader::numbers(const FeedCells& cells, FeedRow& row, bool spot) {
  double price = kNoPrice;
  for (const auto& [column, into, name] :
       {std::tuple(price_, &price, "a price"), std::tuple(vcpus_, &row.vcpus, "a cpu"),
        std::tuple(memory_, &row.ram_gib, "a memory"), std::tuple(gpus_, &row.gpus, "a gpu_count"),
        std::tuple(gpu_memory_, &row.gpu_memory_gib, "a gpu_memory")}) {
    const auto value = cells.number(column);
    if (!value) {
      rows().reject(row.row, std::string(name) + " that is no number", row.words());
      return false;
    }
    if (!std::isnan(*value)) *into = *value;
  }
  (spot ? row.spot : row.price) = price;
  return true;
}

void GpuhuntReader::row(const FeedCells& cells) {
  const std::string_view gpu = cells.text(gpu_);
  if (gpu.empty()) return rows().skip("no GPU");
  FeedRow row;
  row.row = cells.line();
  row.provider = provider_;
  row.instance = cells.text(instance_);
  row.region = cells.text(region_);
  row.gpu = gpu;
  const std::string_view kind = cells.text(spot_);
  const bool spot = iequals(kind, "true");
  if (!spot && !kind.empty() && !iequals(kind, "false"))
    return rows().reject(row.row, "a cell of spot that is neither True nor False", row.words());
  if (!numbers(cells, row, spot)) return;

  const std::string flags = to_lower(cells.text(flags_));
  for (const std::string_view other : {"calendar", "flex-start", "reserv", "capacity-block"})
    if (flags.find(other) != std::string::npos)
      return rows().reject(row.row, "a price of capacity booked ahead", row.words());
  if (provider_ == "oci" && spot && row.instance.starts_with("BM."))
    return rows().reject(row.row, "a spot price by rule, of a machine that OCI has not as spot", row.words());

  // A TPU: v6e, and the instance tells the slice (v6e-8); or the slice as the name.
  const bool named = row.gpu.starts_with("tpu-");
  if (named) row.gpu.erase(0, 4);
  if (const int chips = tpu_chips("tpu-" + row.gpu, row.gpu); chips > 0) row.gpus = chips;
  else if (const int slice = tpu_chips("tpu-" + row.instance, row.gpu); slice > 0) row.gpus = slice;
  else if (named) row.gpu.insert(0, "TPU ");
  row.hints = form_factor_of(provider_, row.gpu);
  // Listed with the memory that was announced first.
  constexpr double kAnnounced = 288;
  if (iequals(row.gpu, "MI325X") && row.gpu_memory_gib == kAnnounced) {
    row.gpu_memory_gib = 0;
    row.corrections.emplace_back("288 GB for MI325X, which has 256");
  }
  if (provider_ == "lambda") row.ram_gib /= kGiBOfGB;
  rows().take(std::move(row));
}

}  // namespace

bool begins_gpuhunt(std::string_view head) { return table_begins(head, is_gpuhunt_header); }

std::unique_ptr<FeedReader> read_gpuhunt(FeedRows& rows) { return std::make_unique<GpuhuntReader>(rows); }

}  // namespace gpuplan
