// When each phase of a job runs on one set of machines, and for how long the machines are billed.
#pragma once

#include <utility>
#include <vector>

#include "domain/job.h"
#include "domain/offer.h"

namespace gpuplan {

/// What a schedule needs to know of a phase.
struct Slot {
  std::vector<int> needs;   ///< positions of phases that must have ended
  int gpus = 0;             ///< 0: runs on the user's own machine
  bool on_machine = false;  ///< holds the rented machine (has GPUs, or runs `on` a phase that has)
};

/// Slots of a job's phases, needs by name turned into positions. `gpus` by phase.
std::vector<Slot> slots_of(const Job& job, const std::vector<int>& gpus);

/// Positions of the phases in an order in which needs come first; the job's own order wherever it allows.
std::vector<int> sorted(const std::vector<Slot>& slots);

/// Places the phases of a job in time, for one set of durations after another without allocating.
class Timeline {
 public:
  /// `gpus` to share. `slots` must outlive the timeline.
  Timeline(const std::vector<Slot>& slots, int gpus);

  /// Each phase, in the order of the job, as early as its needs and the free GPUs allow. Durations in seconds.
  void place(const std::vector<double>& durations);

  const std::vector<double>& starts() const { return starts_; }
  /// Seconds from the start of the job to the end of its last phase.
  double end() const;
  /// Seconds that the machines are held: from first to last use when `keep`, else only while a phase uses them.
  double held(bool keep);
  /// Seconds of the machines that each phase answers for: an instant is shared by the phases running at it, by their
  /// GPUs (a phase that holds the machine without GPUs counts as one). Adds up to held(false).
  std::vector<double> machine_seconds() const;

 private:
  /// GPUs in use from an instant on, up to the next step.
  struct Step {
    double from;
    int used;
  };

  /// First instant from `ready` on at which so many GPUs are free for so long. REQUIRES: wanted <= gpus.
  double earliest(double ready, double duration, int wanted) const;
  void take(double from, double to, int gpus);

  const std::vector<Slot>& slots_;
  int gpus_;
  std::vector<int> order_;
  std::vector<double> durations_, starts_;
  std::vector<Step> steps_;
  std::vector<std::pair<double, double>> uses_;
};

/// Seconds paid for: whole increments, never less than the minimum.
double billed_seconds(double held, const Billing& billing);

}  // namespace gpuplan
