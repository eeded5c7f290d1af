// When each phase of a job runs on the machines it is given, and for how long these are billed.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "domain/market/billed_time.h"
#include "domain/work/job.h"

namespace gpuplan {

/// What a schedule needs to know of a phase.
struct Slot {
  std::vector<int> needs;   ///< positions of phases that must have ended
  int gpus = 0;             ///< 0: runs on the user's own machine
  bool on_machine = false;  ///< holds a rented machine (has GPUs, or runs `on` a phase that has)
  int lease = 0;            ///< the machines it runs on, where it holds any
  int rank = 0;             ///< place in canonical_order()
};

/// Machines taken together, held from the first use to the last.
struct LeaseCapacity {
  int gpus = 0;
  Seconds startup{};  ///< from asking for them to the first use; asked for when the first phase could begin
};

/// Slots of a job's phases, needs by name turned into positions, ranks set; none has GPUs yet.
std::vector<Slot> slots_of(const Job& job);

/// Positions of a job's phases in an order that the job's own has no part in: those first behind which the longest row
/// of other phases waits (so needs come first), and of equal ones by name. Where phases compete for GPUs or share what
/// was fetched this decides, and draws of uncertain figures are numbered by it.
std::vector<int> canonical_order(const Job& job);

/// Positions of the phases in an order in which needs come first, the least rank (then position) first wherever it may.
std::vector<int> sorted(const std::vector<Slot>& slots);

/// Places the phases of a job in time, for one set of durations after another without allocating.
class Timeline {
 public:
  /// `slots` must outlive the timeline.
  Timeline(const std::vector<Slot>& slots, std::vector<LeaseCapacity> leases);

  /// Each phase, in canonical order, as early as its needs, its machines and their free GPUs allow.
  void place(const std::vector<Seconds>& durations);
  /// Places them with other durations in the packing of the last place(): each phase keeps the GPUs that it was given
  /// and comes after the phases that had them before. So no phase overtakes another one on the same GPUs because it
  /// happens to take longer, and the end is the later the longer any phase takes.
  void follow(const std::vector<Seconds>& durations);

  const std::vector<Seconds>& starts() const { return starts_; }
  /// The packing of the last place(), once follow() was called: phases by their start, and those whose GPUs one takes
  /// over.
  const std::vector<int>& turns() const { return turns_; }
  const std::vector<int>& behind(int phase) const { return behind_[static_cast<std::size_t>(phase)]; }
  /// A duration that sums can be made of: what is none by mistake takes for ever, and never no time at all.
  static Seconds sound(Seconds duration) { return duration >= Seconds{} ? std::min(duration, kEver) : kEver; }

  /// From the start of the job to the end of its last phase.
  Seconds end() const;
  /// When the machines of a lease are asked for, and when their last phase ends; equal when nothing uses them.
  std::pair<Seconds, Seconds> held(std::size_t lease) const {
    return {std::min(asked_[lease], left_[lease]), left_[lease]};
  }
  /// Time in which at least one phase uses the machines of a lease.
  Seconds busy(std::size_t lease);
  /// Time of the machines that each phase answers for: an instant is shared by the phases running at it (Sharing).
  /// Adds up to busy() of all leases.
  std::vector<Seconds> machine_seconds() const;

 private:
  /// Longer than anything takes; finite, so that sums of it are numbers.
  static constexpr Seconds kEver{1e100};

  /// GPUs in use from an instant on, up to the next step.
  struct Step {
    Seconds from;
    int used;
  };

  /// First instant from `ready` on at which so many GPUs are free for so long. REQUIRES: wanted <= GPUs of the lease.
  Seconds earliest(std::size_t lease, Seconds ready, Seconds duration, std::size_t size);
  void take(std::size_t lease, Seconds from, Seconds to, int gpus);
  void pack();
  void begin(const std::vector<Seconds>& durations);
  Seconds ready_for(std::size_t phase);
  void leave(std::size_t phase);

  /// A number of GPUs that phases ask of a lease. Before `full_until` never so many are free: what is taken is not
  /// given back within one place().
  struct Size {
    std::size_t lease;
    int wanted;
    Seconds full_until;
  };

  const std::vector<Slot>& slots_;
  std::vector<LeaseCapacity> leases_;
  std::vector<Size> sizes_;
  std::vector<std::size_t> size_of_;  ///< by phase, of those that hold GPUs
  std::vector<int> order_;
  std::vector<char> awaited_;         ///< by phase: whether all behind it in the order begin when it has ended
  std::vector<std::vector<int>> on_;  ///< by lease: the phases, in the order of time that was asked for last
  std::vector<Seconds> durations_, starts_;
  std::vector<Seconds> asked_, ready_, left_;  ///< by lease
  std::vector<std::vector<Step>> steps_;       ///< by lease
  // The packing of the last place(), once follow() has asked for it.
  bool packed_ = false;
  std::vector<int> turns_;                ///< phases by their start
  std::vector<std::vector<int>> behind_;  ///< by phase: those whose GPUs it takes over
};

/// How phases that run on the same machines at one time share them: by the GPUs they use. One that holds the machines
/// without GPUs takes of those that no other uses, one at the most, so that none is given less than it uses.
class Sharing {
 public:
  explicit Sharing(int gpus) : free_(gpus) {}
  /// A phase that uses so many GPUs runs as well.
  void add(int used) {
    free_ -= used;
    if (used == 0) ++without_;
  }
  /// The share of such a phase, relative to those of the others.
  double weight(int used) const {
    return used > 0 ? used : std::clamp(static_cast<double>(free_) / std::max(without_, 1), 0.0, 1.0);
  }

 private:
  int free_;         ///< GPUs that no phase uses
  int without_ = 0;  ///< phases without GPUs
};

}  // namespace gpuplan
