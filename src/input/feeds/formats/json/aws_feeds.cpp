// What AWS publishes beside its price list: the feed of its pricing page, spot prices of the console's page (spot.json)
// and of `aws ec2 describe-spot-price-history`.
#include <algorithm>
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

constexpr std::array<JsonPath, 2> kAwsPagePaths = {"manifest.hawkFilePublicationDate", "regions.*.*"};
constexpr std::array<JsonPath, 1> kAwsSpotPagePaths = {"config.regions[]"};
constexpr std::array<JsonPath, 2> kAwsSpotHistoryPaths = {"SpotPriceHistory[]", "[]"};

struct NamedRegion {
  std::string_view name, code;
};

/// How pages write regions (squeezed) and what commands call them; the short ones are those of spot.json.
constexpr std::array kAwsRegions = {
    NamedRegion{"useastnvirginia", "us-east-1"},
    NamedRegion{"useast", "us-east-1"},
    NamedRegion{"useastohio", "us-east-2"},
    NamedRegion{"uswestncalifornia", "us-west-1"},
    NamedRegion{"uswest", "us-west-1"},
    NamedRegion{"uswestoregon", "us-west-2"},
    NamedRegion{"canadacentral", "ca-central-1"},
    NamedRegion{"canadawestcalgary", "ca-west-1"},
    NamedRegion{"mexicocentral", "mx-central-1"},
    NamedRegion{"southamericasaopaulo", "sa-east-1"},
    NamedRegion{"euireland", "eu-west-1"},
    NamedRegion{"europeireland", "eu-west-1"},
    NamedRegion{"eulondon", "eu-west-2"},
    NamedRegion{"europelondon", "eu-west-2"},
    NamedRegion{"euparis", "eu-west-3"},
    NamedRegion{"europeparis", "eu-west-3"},
    NamedRegion{"eufrankfurt", "eu-central-1"},
    NamedRegion{"europefrankfurt", "eu-central-1"},
    NamedRegion{"europezurich", "eu-central-2"},
    NamedRegion{"eustockholm", "eu-north-1"},
    NamedRegion{"europestockholm", "eu-north-1"},
    NamedRegion{"eumilan", "eu-south-1"},
    NamedRegion{"europemilan", "eu-south-1"},
    NamedRegion{"europespain", "eu-south-2"},
    NamedRegion{"asiapacifictokyo", "ap-northeast-1"},
    NamedRegion{"apactokyo", "ap-northeast-1"},
    NamedRegion{"asiapacificseoul", "ap-northeast-2"},
    NamedRegion{"asiapacificosaka", "ap-northeast-3"},
    NamedRegion{"asiapacificsingapore", "ap-southeast-1"},
    NamedRegion{"apacsin", "ap-southeast-1"},
    NamedRegion{"asiapacificsydney", "ap-southeast-2"},
    NamedRegion{"apacsyd", "ap-southeast-2"},
    NamedRegion{"asiapacificjakarta", "ap-southeast-3"},
    NamedRegion{"asiapacificmelbourne", "ap-southeast-4"},
    NamedRegion{"asiapacificmalaysia", "ap-southeast-5"},
    NamedRegion{"asiapacificthailand", "ap-southeast-7"},
    NamedRegion{"asiapacificmumbai", "ap-south-1"},
    NamedRegion{"asiapacifichyderabad", "ap-south-2"},
    NamedRegion{"asiapacifichongkong", "ap-east-1"},
    NamedRegion{"middleeastbahrain", "me-south-1"},
    NamedRegion{"middleeastuae", "me-central-1"},
    NamedRegion{"israeltelaviv", "il-central-1"},
    NamedRegion{"africacapetown", "af-south-1"},
};

/// A name that is not listed stays as it is: it may be a code.
std::string aws_region(std::string_view name) {
  const std::string squeezed = squeeze(name);
  for (const NamedRegion& region : kAwsRegions)
    if (region.name == squeezed) return std::string(region.code);
  return std::string(name);
}

/// Machines of AWS, and the floor below which no spot price falls.
class AwsMachines {
 public:
  explicit AwsMachines(const Catalogue& catalogue) : machines_(catalogue, "aws") {
    for (const Offer& offer : catalogue.offers)
      if (offer.price && iequals(offer.provider, "aws"))
        on_demand_.emplace(to_lower(offer.instance), offer.price->p50.value * 3600);
  }

  /// False: no GPU, or none that is known.
  bool fill(FeedRow& row) const {
    const KnownMachine* machine = machines_.find(row.instance);
    if (machine == nullptr) return false;
    row.gpu = machine->gpu;
    row.gpus = machine->gpus;
    row.vcpus = machine->vcpus;
    row.ram_gib = machine->ram_gib;
    return true;
  }

  /// A tenth of the price on demand is what regions without a market show (p5.48xlarge in ap-southeast-3, 7.5955 of
  /// 75.955): no bargain, and nothing to be had.
  bool at_floor(const FeedRow& row) const {
    constexpr double kFloor = 0.1, kSame = 1e-3;
    const auto [first, last] = on_demand_.equal_range(to_lower(row.instance));
    return std::any_of(
        first, last, [&](const auto& price) { return std::abs(row.spot - kFloor * price.second) < kSame * row.spot; });
  }

 private:
  KnownMachines machines_;
  std::multimap<std::string, double> on_demand_;  ///< dollars an hour by machine
};

constexpr std::string_view kFloorPrice =
    "a spot price at a tenth of that on demand: the floor, where there is no market";

class AwsPageFeed final : public JsonFeed {
 public:
  explicit AwsPageFeed(FeedRows& rows) : JsonFeed(rows, kAwsPagePaths), machines_(rows.catalogue()) {}

 private:
  void item(const JsonItem& item) override {
    if (item.path == 0) {
      as_of_ = date_said(item.tree.text);
      return;
    }
    FeedRow row;
    row.row = item.row;
    row.region = aws_region(item.keys[1]);
    row.instance = json_text(item.tree, "Instance Type");
    row.as_of = as_of_;
    if (!machines_.fill(row)) return rows().skip("no GPU");
    if (const std::string system = json_text(item.tree, "Operating System"); !system.empty() && system != "Linux")
      return rows().reject(item.row, "not with Linux", row.words());
    row.price = json_number(item.tree, "price");
    rows().take(std::move(row));
  }

  AwsMachines machines_;
  std::string as_of_;
};

class AwsSpotFeed final : public JsonFeed {
 public:
  AwsSpotFeed(FeedRows& rows, std::span<const JsonPath> paths) : JsonFeed(rows, paths), machines_(rows.catalogue()) {}

 private:
  void item(const JsonItem& item) override {
    if (item.tree.find("InstanceType") != nullptr) history(item);
    else region(item);
  }

  void history(const JsonItem& item) {
    const Tree& price = item.tree;
    FeedRow row;
    row.row = item.row;
    row.instance = json_text(price, "InstanceType");
    row.zone = json_text(price, "AvailabilityZone");
    // us-east-1 of us-east-1a, us-west-2 of us-west-2-lax-1a.
    const std::size_t digit = row.zone.find_first_of("0123456789");
    if (digit != std::string::npos) row.region = row.zone.substr(0, digit + 1);
    row.as_of = date_said(json_text(price, "Timestamp"));
    const std::string system = json_text(price, "ProductDescription");
    row.spot = json_number(price, "SpotPrice");
    keep(std::move(row), system.empty() || system.starts_with("Linux/UNIX"));
  }

  /// One region of spot.json: kinds of machines, sizes, and a price for each system.
  void region(const JsonItem& item) {
    const std::string name = aws_region(json_text(item.tree, "region"));
    const Tree* kinds = json_at(item.tree, "instanceTypes");
    if (kinds == nullptr) return rows().reject(item.row, "a region without machines", name);
    for (const Tree& kind : kinds->children) {
      const Tree* sizes = json_at(kind, "sizes");
      if (sizes == nullptr) continue;
      for (const Tree& size : sizes->children) {
        const Tree* systems = json_at(size, "valueColumns");
        if (systems == nullptr) continue;
        for (const Tree& system : systems->children) {
          FeedRow row;
          row.row = item.row;
          row.region = name;
          row.instance = json_text(size, "size");
          row.spot = json_number(system, "prices.USD");  // "N/A*": none
          keep(std::move(row), json_text(system, "name") == "linux");
        }
      }
    }
  }

  void keep(FeedRow row, bool linux) {
    if (!machines_.fill(row)) return rows().skip("no GPU");
    if (!linux) return rows().reject(row.row, "not with Linux", row.words());
    if (machines_.at_floor(row)) return rows().reject(row.row, std::string(kFloorPrice), row.words());
    rows().take(std::move(row));
  }

  AwsMachines machines_;
};

}  // namespace

bool begins_aws_page(std::string_view head) {
  return json_begins_with_any(head, {{"regions.*.*.Instance Type", "regions.*.*.price"}});
}

std::unique_ptr<FeedReader> read_aws_page(FeedRows& rows) { return std::make_unique<AwsPageFeed>(rows); }

bool begins_aws_spot(std::string_view head) {
  return json_begins_with_any(head, {{"config.regions[].region", "config.regions[].instanceTypes[].sizes[].size"}});
}

std::unique_ptr<FeedReader> read_aws_spot(FeedRows& rows) {
  return std::make_unique<AwsSpotFeed>(rows, kAwsSpotPagePaths);
}

bool begins_aws_spot_history(std::string_view head) {
  return json_begins_with_any(
      head, {{"SpotPriceHistory[].InstanceType", "SpotPriceHistory[].SpotPrice"}, {"[].InstanceType", "[].SpotPrice"}});
}

std::unique_ptr<FeedReader> read_aws_spot_history(FeedRows& rows) {
  return std::make_unique<AwsSpotFeed>(rows, kAwsSpotHistoryPaths);
}

}  // namespace gpuplan
