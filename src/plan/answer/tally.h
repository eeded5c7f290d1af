// What was tried and why it could not run: the sentence "nothing fits: ..." is made from this.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "domain/hardware/hardware.h"
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

/// What fills the memory of a host.
enum class HostUse : std::uint8_t {
  kLoading,  ///< the checkpoint that is read into it
  kOffload,  ///< part of the training
  kKept,     ///< activations that a phase collects
};

/// A way that fits on the GPUs and asks for more host memory than the machine has.
struct HostMiss {
  int phase = -1;
  Bytes needed{}, room{};  ///< of one machine
  HostUse use = HostUse::kLoading;
  double shortfall() const { return needed / room; }
  /// A machine with so much may be looked for; beyond a few times as much there is none.
  bool may_be_had() const { return phase >= 0 && shortfall() < 4; }
};

/// The phase that came closest to ending within the time that a job may take.
struct TooLong {
  int phase = -1;
  Seconds takes{}, limit{};  ///< p90 of the phase, buffer included
};

/// considered == feasible + the sum of rejected.
struct Tally {
  long considered = 0;
  long feasible = 0;
  std::array<long, kMisfits> rejected{};
  NearMiss nearest;                ///< phase == -1: no candidate failed by memory
  HostMiss host;                   ///< phase == -1: none failed by host memory alone
  TooLong soonest;                 ///< phase == -1: none failed by the time limit of a pool
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
  void host_miss(const HostMiss& miss) {
    if (host.phase < 0 || miss.shortfall() < host.shortfall()) host = miss;
  }
  /// Candidates that were accepted and then found too long for the pool.
  void too_long(const TooLong& found, long count) {
    rejected[static_cast<std::size_t>(Misfit::kTimeLimit)] += count;
    feasible -= count;
    if (soonest.phase < 0 || found.takes / found.limit < soonest.takes / soonest.limit) soonest = found;
  }
  /// Adds another tally; call in a fixed order.
  void add(const Tally& other) {
    considered += other.considered;
    feasible += other.feasible;
    for (std::size_t i = 0; i < kMisfits; ++i) rejected[i] += other.rejected[i];
    if (other.nearest.phase >= 0) near_miss(other.nearest);
    if (other.host.phase >= 0) host_miss(other.host);
    if (other.soonest.phase >= 0 &&
        (soonest.phase < 0 || other.soonest.takes / other.soonest.limit < soonest.takes / soonest.limit))
      soonest = other.soonest;
    if (unsupported_reason.empty()) unsupported_reason = other.unsupported_reason;
  }
};

}  // namespace gpuplan
