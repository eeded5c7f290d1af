// What machines take their GPUs from that has only so many of them: a box, a pool, a machine that there is one of, what
// a provider lets the user have at a time.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "domain/market/offer.h"

namespace gpuplan {

/// The rooms of a market, numbered as they are met.
class Rooms {
 public:
  /// `quota`: GPUs by provider; must outlive it.
  explicit Rooms(const std::vector<std::pair<std::string, int>>& quota) : quota_(&quota) {}

  /// Those that the machines of an offer are of; new ones are added.
  std::vector<int> of(const Offer& offer);
  /// GPUs in each of them.
  const std::vector<int>& sizes() const { return sizes_; }

 private:
  int room(const Offer* offer, const std::string& provider, int gpus);

  const std::vector<std::pair<std::string, int>>* quota_;
  std::vector<std::pair<const Offer*, std::string>> names_;  ///< an offer, or a provider
  std::vector<int> sizes_;
};

/// Machines that are held for a while.
struct HeldMachines {
  Seconds from{}, to{};
  int gpus = 0;
  std::vector<int> rooms;
};
/// The first of the rooms that so many GPUs are taken from at one time as it has not; nullopt: there are enough.
std::optional<int> overbooked(const std::vector<int>& sizes, const std::vector<HeldMachines>& held);

}  // namespace gpuplan
