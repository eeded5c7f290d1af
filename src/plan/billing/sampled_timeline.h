// A packing followed in all joint samples at once.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/billing/samples.h"
#include "plan/billing/timeline.h"

namespace gpuplan {

/// What Timeline::follow() does for one set of durations, for all samples: phase after phase, and of each all samples
/// in one loop.
class SampledTimeline {
 public:
  /// `packed` has followed something, so that its turns are known. Durations of each phase are stretched by a factor.
  /// All that is given must outlive it.
  SampledTimeline(const Timeline& packed, const std::vector<Slot>& slots, const std::vector<LeaseCapacity>& leases,
                  const std::vector<Samples>& durations, double stretch);

  /// Seconds from the start of the job to the end of its last phase.
  Samples wall() const;
  /// Seconds from asking for the machines of a lease to the end of their last phase.
  Samples held(std::size_t lease) const;
  /// Seconds in which at least one phase uses them.
  Samples busy(std::size_t lease) const;

 private:
  struct Use {
    Samples asked, left;      ///< when the machines are asked for, and when their last phase ends
    std::vector<int> phases;  ///< by the turns of the packing
  };

  void run(std::size_t phase, const std::vector<int>& behind);

  const std::vector<Slot>& slots_;
  const std::vector<LeaseCapacity>& leases_;
  const std::vector<Samples>& durations_;
  double stretch_;
  std::vector<Samples> starts_, ends_;  ///< by phase
  std::vector<Use> uses_;               ///< by lease
};

}  // namespace gpuplan
