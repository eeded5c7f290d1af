// Lists of which one names machines and their parts, and another what a part costs: they are joined in whatever order
// they come.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/feeds/rows/feed_rows.h"

namespace gpuplan {

/// What one of a part costs.
struct PartPrice {
  double dollars = kNoPrice;  ///< an hour
  bool of_gpu = false;        ///< the list says that it is counted in GPUs
  bool of_cpu = false;        ///< in processors
  std::string problem;        ///< why there is no price; empty: there is one
};

struct PartedMachine {
  struct Part {
    std::string number, kind;  ///< "B98202", "ocpu"
    double quantity = kNoPrice;
  };
  FeedRow row;  ///< but for its price
  std::vector<Part> parts;
  bool preemptible = false;
};

/// What lists of one call have told so far.
struct PartedLists {
  static constexpr std::size_t kMost = 20'000;  ///< machines, and parts; Oracle Cloud has some 300 and 2,000

  std::vector<PartedMachine> machines;      ///< that wait for prices
  std::map<std::string, PartPrice> prices;  ///< by number of the part
  std::string machines_file;                ///< the list that has the machines
  std::string prices_file;                  ///< the first that has prices
  bool joined = false;                      ///< machines got their prices

  /// How often spot machines of AWS are interrupted, by region and instance in lower case, parted by a line end.
  std::map<std::string, SpotBand> bands;
  std::string bands_file;
  bool banded = false;  ///< offers got theirs

  /// The band of an offer that has a spot price and says nothing of interruptions itself.
  void give_band(Offer& offer);
  void give_bands(std::vector<Feed>& lists);

  /// What is not there yet that the others need; none: nothing.
  std::optional<Error> missing() const;
};

}  // namespace gpuplan
