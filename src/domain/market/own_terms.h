// What somebody has agreed with a provider or paid already: capacity at a price of one's own, and credits.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"

namespace gpuplan {

/// GPUs on demand that cost what a contract says: reserved, or committed to.
struct Commitment {
  std::string provider;
  std::string gpu;                        ///< name in the catalogue; empty: all of the provider's
  std::string region;                     ///< as the provider names it; empty: all
  int gpus = 0;                           ///< that it covers at one time; 0: all
  std::optional<DollarsPerSecond> price;  ///< of one GPU, on top of what is paid in any case
  std::optional<double> discount;         ///< share (0..1) off the price that would be paid without it
  std::string until;                      ///< last day on which it counts, 2027-01-31; empty: no end

  bool operator==(const Commitment&) const = default;
};

/// A sum at a provider that pays bills there before the user does.
struct Credit {
  std::string provider;
  Dollars amount{};
  std::string until;  ///< last day on which it pays; empty: no end

  bool operator==(const Credit&) const = default;
};

}  // namespace gpuplan
