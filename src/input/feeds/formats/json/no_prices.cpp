// What providers publish beside their price lists and people take for one: the answer names what it is.
#include <array>
#include <span>
#include <string>

#include "input/feeds/formats/json/json_feed.h"
#include "input/feeds/formats/json/json_formats.h"

namespace gpuplan {
namespace {

struct NoPriceList {
  std::array<JsonPath, 2> paths;  ///< the second may be empty
  std::string_view what;
};

constexpr std::array kNoPriceLists = {
    NoPriceList{{"[].location_code", "[].availabilities"},
                "says where Verda has machines, not what they cost; import its instance-types"},
    NoPriceList{{"items[].spec.pricePerUnit", "items[].security"},
                "is the list of disks of Prime Intellect, without GPUs; import its availability/gpus"},
    NoPriceList{{"[].id", "[].specifics.securePrice"},
                "is the list of processors of RunPod, without GPUs; import its gpuTypes"},
    NoPriceList{{"group_by", "gpus[].name"},
                "are offers of dstack in groups, with ranges of prices; run dstack offer --json without --group-by"},
    NoPriceList{{"errors[].message", ""}, "is an error that a provider answered with, no list: look into it"},
    NoPriceList{{"error.message", ""}, "is an error that a provider answered with, no list: look into it"},
    NoPriceList{{"openapi", "info.title"},
                "describes a programming interface and holds no prices; import what it answers"},
};

const NoPriceList* no_price_list(std::string_view head) {
  for (const NoPriceList& list : kNoPriceLists) {
    const std::span<const JsonPath> paths(list.paths.data(), list.paths[1].empty() ? 1 : 2);
    if (json_begins_with(head, paths)) return &list;
  }
  return nullptr;
}

class NoPricesReader final : public FeedReader {
 public:
  explicit NoPricesReader(FeedRows& rows) : file_(rows.terms().file) {}
  Result<void> take(std::string_view piece) override {
    if (head_.size() < kFeedHead) head_ += piece.substr(0, kFeedHead - head_.size());
    return {};
  }
  Result<void> finish() override {
    const NoPriceList* list = no_price_list(head_);
    return failure(list == nullptr ? "has no prices" : std::string(list->what), {file_});
  }

 private:
  std::string file_, head_;
};

}  // namespace

bool begins_no_prices(std::string_view head) { return no_price_list(head) != nullptr; }

std::unique_ptr<FeedReader> read_no_prices(FeedRows& rows) { return std::make_unique<NoPricesReader>(rows); }

}  // namespace gpuplan
