// What was tried and why it could not run: the sentence "nothing fits: ..." is made from this.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
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

/// Room on a machine for which an answer is the same: no comparison that led to it would have gone otherwise.
struct RoomRange {
  static constexpr Bytes kEndless{std::numeric_limits<double>::infinity()};
  Bytes from{}, below = kEndless;

  bool holds(Bytes room) const { return from <= room && (room < below || below == kEndless); }
  /// A machine with so much room was asked for `wanted`.
  void asked(Bytes wanted, Bytes room) {
    if (wanted > room) below = std::min(below, wanted);
    else from = std::max(from, wanted);
  }
  void narrow(const RoomRange& other) {
    from = std::max(from, other.from);
    below = std::min(below, other.below);
  }
};

/// Machines that differ in host memory and disk alone, and get the same answer.
struct SameFor {
  RoomRange ram, disk;        ///< endless where it is not known
  bool usual_counts = false;  ///< host memory that is not known was taken for what is usual, or would have been

  bool holds(const NodeShape& node, const NodeShape& asked) const {
    const bool like = (node.ram > Bytes{}) == (asked.ram > Bytes{});
    return (like || !usual_counts) && ram.holds(known(node.ram)) && disk.holds(known(node.disk));
  }
  static Bytes known(Bytes room) { return room > Bytes{} ? room : RoomRange::kEndless; }
  void narrow(const SameFor& other) {
    ram.narrow(other.ram);
    disk.narrow(other.disk);
    usual_counts = usual_counts || other.usual_counts;
  }
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
  SameFor same_for;

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
    same_for.narrow(other.same_for);
  }
  /// The same of a machine that differs in its host memory alone, of the range that it is the same for.
  Tally on(Bytes ram, Bytes instead_of) const {
    Tally tally = *this;
    if (host.phase >= 0 && ram > Bytes{} && instead_of > Bytes{}) tally.host.room = host.room * (ram / instead_of);
    return tally;
  }
};

}  // namespace gpuplan
