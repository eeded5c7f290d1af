// SkyPilot's catalogues: one file a cloud, prices of whole machines in USD, and traps of their own in almost every
// cloud.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "input/feeds/formats/skypilot_clouds.h"
#include "input/feeds/formats/table_formats.h"
#include "input/feeds/rows/feed_table.h"

namespace gpuplan {
namespace {

constexpr double kNoGcpPrice = 700;                 // exactly: a slice of 256 TPUs really costs 691.20
constexpr double kLeastAsked = 0.01;                // dollars an hour that nobody asks for a GPU: it stands for none
constexpr double kSentinel = 9'999'999;             // 99999999 and the like
constexpr std::size_t kMostHeldMachines = 200'000;  // rows of Google's, which wait for each other

bool is_skypilot_header(FeedHeader names) {
  return feed_column(names, {"InstanceType"}) && feed_column(names, {"AcceleratorName"}) &&
         feed_column(names, {"Price", "SpotPrice"});
}

bool has_price(double price) { return !std::isnan(price); }

/// A name up to its first word with a figure: "A100" of "A100 SXM 80GB", "RTX 6000" of "RTX 6000 Ada".
std::string family_of(std::string_view name) {
  const std::size_t figure = name.find_first_of("0123456789");
  return std::string(name.substr(0, figure == std::string_view::npos ? figure : name.find(' ', figure)));
}

/// The text of a quoted value behind a key: A100 PCIe of {'Name': 'A100 PCIe'} or {"Name": "A100 PCIe"}.
std::string_view value_in(std::string_view info, std::string_view key) {
  std::size_t at = info.find(key);
  if (at == std::string_view::npos) return {};
  at = info.find(':', at);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = info.find_first_not_of(" '\"", at + 1);
  if (begin == std::string_view::npos) return {};
  return info.substr(begin, info.find_first_of("'\",}", begin) - begin);
}

class SkypilotReader final : public FeedTable {
 public:
  explicit SkypilotReader(FeedRows& rows) : FeedTable(rows), cloud_(rows.terms().provider) {}

 private:
  struct Columns {
    FeedColumn instance, gpu, gpus, vcpus, memory, info, price, spot, region, zone, upstream;
  };
  /// A machine or GPUs of Google's in one zone.
  struct Held {
    FeedRow row;
    bool used = false;
  };

  bool header(FeedHeader names) override {
    if (!is_skypilot_header(names)) return false;
    columns_ = {feed_column(names, {"InstanceType"}),
                feed_column(names, {"AcceleratorName"}),
                feed_column(names, {"AcceleratorCount"}),
                feed_column(names, {"vCPUs"}),
                feed_column(names, {"MemoryGiB"}),
                feed_column(names, {"GpuInfo"}),
                feed_column(names, {"Price"}),
                feed_column(names, {"SpotPrice"}),
                feed_column(names, {"Region"}),
                feed_column(names, {"AvailabilityZone"}),
                feed_column(names, {"UpstreamCloudId"})};
    return true;
  }
  std::string_view needed() const override { return "InstanceType, AcceleratorName, Price"; }

  void row(const FeedCells& cells) override;
  void end() override;
  bool numbers(const FeedCells& cells, FeedRow& row);
  void read_info(std::string_view info, FeedRow& row);
  void undo_sentinels(FeedRow& row);
  void undo_rules(FeedRow& row);
  double memory_of_one(const FeedRow& row, double mib);
  void hold(FeedRow row);
  void join(Held& machine, const std::vector<std::string_view>& names, double count);
  void attach(Held& card);

  Columns columns_;
  std::string cloud_;
  std::vector<Held> held_;
  std::map<std::string, std::vector<std::size_t>> cards_, hosts_;  ///< held rows by zone; hosts_ also by name
  std::map<std::string, double> memories_;
};

/// False: a cell holds no number, and the row is rejected.
bool SkypilotReader::numbers(const FeedCells& cells, FeedRow& row) {
  const auto read = [&](FeedColumn column, const char* name, double& into, bool or_none) {
    const auto value = cells.number(column);
    if (!value) rows().reject(cells.line(), std::string(name) + " that is no number", row.words());
    else if (has_price(*value) || or_none) into = *value;
    return value.has_value();
  };
  return read(columns_.gpus, "an AcceleratorCount", row.gpus, false) &&
         read(columns_.vcpus, "a number of vCPUs", row.vcpus, false) &&
         read(columns_.memory, "a MemoryGiB", row.ram_gib, false) && read(columns_.price, "a Price", row.price, true) &&
         read(columns_.spot, "a SpotPrice", row.spot, true);
}

/// Memory of one GPU in GiB: catalogues write that of one, the sum over all, or gigabytes where MiB should stand. What
/// the GPU of that name can have decides; 0: nothing fits.
double SkypilotReader::memory_of_one(const FeedRow& row, double mib) {
  const std::string key = row.gpu + '\n' + number_text(row.gpus) + '\n' + number_text(mib);
  if (const auto known = memories_.find(key); known != memories_.end()) return known->second;
  constexpr double kLeastMib = 1024;  // no GPU has less: these are gigabytes
  const double one = mib < kLeastMib ? mib : mib / 1024, share = one / std::max(row.gpus, 1.0);
  const bool sum_first = gpu_memory_of(cloud_) == GpuMemory::kSum;
  const Gpu* named = rows().catalogue().find_gpu(row.gpu);
  const std::string family = named == nullptr ? "" : family_of(named->name);
  double found = 0;
  for (const double gib : {sum_first ? share : one, sum_first ? one : share}) {
    for (const Gpu& gpu : rows().catalogue().gpus) {
      constexpr double kLeast = 0.88, kMost = 1.09;  // GB, GiB, or what a driver leaves
      const double part = gib / (gpu.memory / units::GiB);
      if (part >= kLeast && part <= kMost && family_of(gpu.name) == family) found = gib;
    }
    if (found > 0) break;
  }
  memories_.emplace(key, found);
  return found;
}

void SkypilotReader::read_info(std::string_view info, FeedRow& row) {
  if (!info.starts_with('{')) return;  // a bare name tells nothing new
  row.hints.append(" ").append(value_in(info, "Name"));
  const std::string_view mib = value_in(info, "SizeInMiB");
  double value = 0;
  for (const char c : mib.substr(0, mib.find('.'))) value = is_digit(c) ? value * 10 + (c - '0') : -1e9;
  if (value <= 0) return;
  row.gpu_memory_gib = memory_of_one(row, value);
  if (row.gpu_memory_gib == 0 && rows().catalogue().find_gpu(row.gpu) != nullptr)
    row.corrections.emplace_back("a memory in GpuInfo that the GPU never had, left out");
}

/// Figures that stand for no price.
void SkypilotReader::undo_sentinels(FeedRow& row) {
  for (const auto& [price, name] : {std::pair(&row.price, "Price"), std::pair(&row.spot, "SpotPrice")}) {
    std::string_view shown;
    if (*price == 0) shown = "0";
    else if (*price == kLeastAsked && !row.gpu.empty()) shown = "0.01";
    else if (*price >= kSentinel) shown = "99999999";
    else if (cloud_ == "gcp" && *price == kNoGcpPrice) shown = "700";
    if (shown.empty()) continue;
    *price = kNoPrice;
    row.corrections.push_back(std::string(name).append(" ").append(shown).append(" stands for none"));
  }
}

/// Spot prices that follow a rule and are nobody's offer.
void SkypilotReader::undo_rules(FeedRow& row) {
  if (!has_price(row.price) || !has_price(row.spot)) return;
  constexpr double kSame = 1e-4;  // prices are rounded
  const auto is_share = [&](double share) { return std::abs(row.spot / row.price - share) < kSame * share; };
  constexpr double kAwsFloor = 0.1, kOciRule = 0.5;
  if (cloud_ == "aws" && is_share(kAwsFloor)) {
    row.corrections.emplace_back("a SpotPrice of a tenth, which AWS writes where there is no spot market, left out");
  } else if (cloud_ == "oci" && is_share(kOciRule) && row.instance.starts_with("BM.")) {
    row.corrections.emplace_back("a SpotPrice of half by rule, which OCI has for no bare metal, left out");
  } else {
    return;
  }
  row.spot = kNoPrice;
}

void SkypilotReader::row(const FeedCells& cells) {
  const std::string_view instance = cells.text(columns_.instance), gpu = cells.text(columns_.gpu);
  // Only Google has rows without a machine.
  if (cloud_.empty()) cloud_ = instance.empty() ? "gcp" : cloud_of_instance(instance);
  const bool google = cloud_ == "gcp";
  if (gpu.empty() && !google) return rows().skip("no GPU");
  const bool machine = google && gpu.empty();
  if (machine && gcp_gpus_of(instance).names.empty() && !instance.starts_with("n1-highmem-") &&
      !instance.starts_with("n1-standard-"))
    return rows().skip("no GPU");

  FeedRow row;
  row.row = cells.line();
  row.provider = cloud_;
  row.instance = instance;
  row.gpu = gpu;
  row.region = cells.text(columns_.region);
  row.zone = cells.text(columns_.zone);
  if (row.region.starts_with(", ")) row.region.erase(0, 2);  // a place whose town is not known
  if (row.region == "UNSPECIFIED") row.region.clear();
  if (!numbers(cells, row)) return;
  const double asked = row.price;
  undo_sentinels(row);
  if (has_price(asked) && !has_price(row.price) && !has_price(row.spot))
    return rows().reject(row.row, row.corrections.front(), row.words());
  if (google && row.instance.empty()) {
    if (const int chips = tpu_chips(row.gpu, row.gpu); chips > 0) {
      row.instance = gpu;
      row.gpus *= chips;
      return rows().take(std::move(row));
    }
  }
  if (machine || (google && row.instance.empty())) return hold(std::move(row));

  // "A100-80GB-640GB": memory of one, then of all.
  if (const std::size_t dash = row.gpu.rfind('-');
      row.gpu.ends_with("GB") && dash != std::string::npos && row.gpu.substr(0, dash).ends_with("GB"))
    row.gpu.resize(dash);
  row.hints.append(form_factor_of(cloud_, row.gpu)).append(" ").append(cells.text(columns_.upstream));
  read_info(cells.text(columns_.info), row);
  if (cloud_ == "primeintellect" && row.vcpus > 0 && row.vcpus == row.ram_gib) {
    row.vcpus = 0;
    row.corrections.emplace_back("vCPUs that repeat the memory, left out");
  }
  undo_rules(row);
  // A slice of an A10 is written as a whole one; 36 vCPUs have one.
  constexpr double kVcpusOfA10 = 36;
  if (cloud_ == "azure" && row.instance.find("_A10_v5") != std::string::npos && row.vcpus > 0 &&
      row.vcpus < kVcpusOfA10)
    row.gpus = row.vcpus / kVcpusOfA10;
  rows().take(std::move(row));
}

void SkypilotReader::hold(FeedRow row) {
  if (held_.size() == kMostHeldMachines) return rows().reject(row.row, "more machines than Google has", row.words());
  const std::string zone = row.zone.empty() ? row.region : row.zone;
  if (row.gpu.empty()) hosts_[zone + '\n' + row.instance].push_back(held_.size());
  else cards_[zone].push_back(held_.size());
  held_.push_back({std::move(row)});
}

/// Adds the price of the GPUs that a machine is made for.
void SkypilotReader::join(Held& machine, const std::vector<std::string_view>& names, double count) {
  FeedRow& row = machine.row;
  const auto cards = cards_.find(row.zone.empty() ? row.region : row.zone);
  Held* best = nullptr;
  if (cards != cards_.end())
    for (const std::size_t i : cards->second) {
      Held& card = held_[i];
      if (std::ranges::find(names, squeeze(card.row.gpu)) == names.end() || card.row.gpus <= 0) continue;
      if (best == nullptr || card.row.gpus == count) best = &card;
    }
  if (best == nullptr)
    return rows().reject(row.row, "a price without the GPUs, of which the zone has none", row.words());
  best->used = true;
  const double times = count / best->row.gpus;
  row.price += best->row.price * times;  // none of either is none of both
  row.spot += best->row.spot * times;
  row.corrections.emplace_back("the price of its GPUs added to that of the machine");
  rows().take(std::move(row));
}

/// Cards go into a general machine, whose price is added.
void SkypilotReader::attach(Held& card) {
  FeedRow& row = card.row;
  const bool whole = row.gpus >= 1 && row.gpus == std::floor(row.gpus) && row.gpus <= 16;
  const std::string zone = (row.zone.empty() ? row.region : row.zone) + '\n';
  for (const std::string& name : gcp_hosts_of(row.gpu, whole ? static_cast<int>(row.gpus) : 0)) {
    const auto hosts = hosts_.find(zone + name);
    if (hosts == hosts_.end()) continue;
    const FeedRow& host = held_[hosts->second.front()].row;
    row.instance = name;
    row.vcpus = host.vcpus;
    row.ram_gib = host.ram_gib;
    row.price += host.price;
    row.spot += host.spot;
    row.hints = form_factor_of("gcp", row.gpu);
    row.corrections.emplace_back("the price of the machine that takes these GPUs added");
    return rows().take(std::move(row));
  }
  if (card.used) return rows().skip("GPUs without a machine, whose price was added to the machines of their zone");
  rows().reject(row.row, "GPUs without a machine, and the zone has none that takes them", row.words());
}

void SkypilotReader::end() {
  for (Held& held : held_) {
    if (!held.row.gpu.empty()) continue;
    const GcpGpus gpus = gcp_gpus_of(held.row.instance);
    if (gpus.names.empty()) {
      rows().skip("no GPU");
      continue;
    }
    held.row.gpu = gpus.gpu;
    held.row.gpus = gpus.count;
    held.used = true;
    join(held, gpus.names, gpus.count);
  }
  for (const auto& [zone, cards] : cards_)
    for (const std::size_t i : cards) attach(held_[i]);
}

}  // namespace

bool begins_skypilot(std::string_view head) { return table_begins(head, is_skypilot_header); }

std::unique_ptr<FeedReader> read_skypilot(FeedRows& rows) { return std::make_unique<SkypilotReader>(rows); }

}  // namespace gpuplan
