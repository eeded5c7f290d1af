// What was tried and why it could not run: the sentence "nothing fits: ..." is made from this.
#pragma once

#include <array>
#include <string>

#include "domain/hardware.h"
#include "model/estimate.h"

namespace gpuplan {

inline constexpr std::size_t kMisfits = Names<Misfit>::entries.size();

/// The candidate that came closest to fitting, of one phase.
struct NearMiss {
  int phase = -1;
  const Gpu* gpu = nullptr;
  int gpus = 0;
  Strategy strategy{};
  Bytes needed{}, usable{};
  MemoryUse memory{};
  double shortfall() const { return needed / usable; }
};

/// considered == feasible + the sum of rejected.
struct Tally {
  long considered = 0;
  long feasible = 0;
  std::array<long, kMisfits> rejected{};
  NearMiss nearest;                ///< phase == -1: no candidate failed by memory
  std::string unsupported_reason;  ///< first reason met, in words

  void reject(Misfit why, long count = 1) {
    considered += count;
    rejected[static_cast<std::size_t>(why)] += count;
  }
  void accept() {
    ++considered;
    ++feasible;
  }
  void near_miss(const NearMiss& miss) {
    if (nearest.phase < 0 || miss.shortfall() < nearest.shortfall()) nearest = miss;
  }
  /// Adds another tally; call in a fixed order.
  void add(const Tally& other) {
    considered += other.considered;
    feasible += other.feasible;
    for (std::size_t i = 0; i < kMisfits; ++i) rejected[i] += other.rejected[i];
    if (other.nearest.phase >= 0) near_miss(other.nearest);
    if (unsupported_reason.empty()) unsupported_reason = other.unsupported_reason;
  }
};

}  // namespace gpuplan
