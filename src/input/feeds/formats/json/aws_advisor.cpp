// The AWS Spot Advisor: in which band the share of interrupted machines was in the last month, by region, system and
// machine. It has no prices: offers of other lists of the call get the bands.
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_fields.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/rows/known_machines.h"
#include "input/feeds/rows/parted_lists.h"

namespace gpuplan {
namespace {

constexpr std::array<JsonPath, 2> kAdvisorPaths = {"spot_advisor.*.Linux.*", "ranges[]"};

class AdvisorFeed final : public JsonFeed {
 public:
  explicit AdvisorFeed(FeedRows& rows) : JsonFeed(rows, kAdvisorPaths), known_(rows.catalogue(), "aws") {}

 private:
  /// Machines without a GPU are the most.
  bool wanted(const JsonRecord& record) override { return record.path == 1 || known_.find(record.keys[3]) != nullptr; }

  void item(const JsonItem& item) override {
    if (item.path == 1) {
      const double index = json_number(item.tree, "index");
      if (const auto band = from_name<SpotBand>(json_text(item.tree, "label")); band && !std::isnan(index))
        labels_[index] = *band;
    } else if (const double index = json_number(item.tree, "r"); !std::isnan(index)) {
      told_.emplace_back(to_lower(item.keys[1] + '\n' + item.keys[3]), index);
    }
  }

  void end() override {
    PartedLists& lists = rows().parted();
    for (const auto& [machine, index] : told_)
      if (const auto label = labels_.find(index); label != labels_.end()) lists.bands[machine] = label->second;
    lists.bands_file = rows().terms().file;
    rows().wait();
  }

  KnownMachines known_;
  std::map<double, SpotBand> labels_;
  std::vector<std::pair<std::string, double>> told_;  ///< machines by place, with the index of their band
};

}  // namespace

bool begins_aws_advisor(std::string_view head) {
  return json_begins_with_any(head, {{"spot_advisor", "ranges[].label"},
                                     {"ranges[].label", "instance_types.*.emr"},
                                     {"instance_types.*.emr", "instance_types.*.ram_gb"},
                                     {"spot_advisor.*.Linux.*.r"}});
}

std::unique_ptr<FeedReader> read_aws_advisor(FeedRows& rows) { return std::make_unique<AdvisorFeed>(rows); }

}  // namespace gpuplan
