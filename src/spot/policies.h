// A job with a deadline on machines that are taken away: when it runs on spot, when on demand, when it waits. The
// policies are those of Wu et al., "Can't Be Late: Optimizing Spot Instance Savings under Deadlines" (NSDI 2024),
// called "the paper" below. Histories are followed from event to event: nothing ticks.
#pragma once

#include <array>
#include <vector>

#include "base/names.h"
#include "base/random.h"
#include "base/units.h"
#include "domain/market/offer.h"
#include "spot/preemption.h"
#include "spot/trace.h"

namespace gpuplan {

/// How spot and on-demand machines are mixed. All but the first two end in the paper's safety net: once the time left
/// is hardly more than the work left and two restarts, the job goes on demand and stays there.
enum class SpotPolicy {
  kOnDemand,         ///< from beginning to end
  kSpotOnly,         ///< spot while there is any, else wait; no deadline is kept
  kGreedy,           ///< spot while there is any, else wait for it as long as the deadline allows
  kTimeSliced,       ///< greedy in each of some equal slices of the time
  kUniformProgress,  ///< spot while there is any, on demand whenever behind an even pace (the paper's own policy)
  /// The same by the other reading of the paper's text: a job on demand that is well ahead of the pace waits for spot
  /// without a machine.
  kUniformProgressIdle,
};
template <>
struct Names<SpotPolicy> {
  static constexpr std::array entries = {
      Named<SpotPolicy>{SpotPolicy::kOnDemand, "on_demand"},
      Named<SpotPolicy>{SpotPolicy::kSpotOnly, "spot_only"},
      Named<SpotPolicy>{SpotPolicy::kGreedy, "greedy"},
      Named<SpotPolicy>{SpotPolicy::kTimeSliced, "time_sliced"},
      Named<SpotPolicy>{SpotPolicy::kUniformProgress, "uniform_progress"},
      Named<SpotPolicy>{SpotPolicy::kUniformProgressIdle, "uniform_progress_idle"},
  };
};

/// Whether the policy follows a deadline.
constexpr bool needs_deadline(SpotPolicy policy) {
  return policy != SpotPolicy::kOnDemand && policy != SpotPolicy::kSpotOnly;
}

/// A part of a job that is done before the next one begins. On spot it writes checkpoints: after each interval of work
/// and at its end, as Recoverable (spot/checkpointing.h) has it. On demand nothing is taken away, and none is written
/// but when a policy leaves for spot.
struct SpotPiece {
  Seconds work{};        ///< on a machine that stays
  Seconds interval{};    ///< of work between checkpoints while on spot; 0: only one at the end
  Seconds checkpoint{};  ///< time to write one
  /// The notice is long enough to write one: an interruption loses no work. It comes when a run of machines ends: the
  /// checkpoint is written after that.
  bool saved_by_notice = true;
  bool on_machine = true;  ///< false: only time passes, and no machine is held
};

struct SpotTask {
  std::vector<SpotPiece> pieces;
  Seconds deadline{};     ///< from the start; 0: none
  Seconds restart{};      ///< each start but the first: no progress, and billed (the paper's changeover delay d)
  Seconds first_start{};  ///< the same at the first start (the paper: d)
  int slices = 8;         ///< of kTimeSliced
  /// What has not ended by then is given up; 0: twenty times the work with a start and a restart, or the deadline, and
  /// longer than the longest wait for machines.
  Seconds horizon{};
  Billing billing{.increment = Seconds{0}};  ///< of each time that a machine is taken
  /// What is billed for a machine held so long; null: just as long.
  Seconds (*billed)(Seconds held, const Billing& billing) = nullptr;

  Seconds work() const;  ///< of all pieces
  /// Whether machines on demand could keep the deadline, from the start on. True without a deadline.
  bool feasible() const;
};

/// What became of a job in one history. Times in the sense of one set of machines.
struct SpotOutcome {
  Seconds wall{};               ///< from start to end; where the job did not end: the time when it was given up
  Seconds spot{}, on_demand{};  ///< billed
  Seconds work_on_spot{}, work_on_demand{};  ///< progress made there that was kept
  Seconds lost{};                            ///< work done and lost, because no checkpoint held it
  Seconds waited{};                          ///< without a machine while one was wanted
  int interruptions = 0;                     ///< machines taken away
  int starts = 0;                            ///< machines taken
  bool finished = true;
  bool in_time = true;  ///< ended by the deadline; as `finished` without one
};

/// A replay of the trace from the beginning of `tick`. A trace that ends before the job does begins anew. The policies
/// that need a deadline must have one. REQUIRES: 0 <= tick < runs.ticks().
SpotOutcome replay(const SpotTask& task, SpotPolicy policy, const TraceRuns& runs, int tick);

/// Machines that come and go at random. Refers to its lives, which must outlive it.
struct SpotSupply {
  const Lifetimes& lives;  ///< of all machines of the job together
  Seconds wait{};          ///< mean time until machines are there again, exponential; 0: at once
};

/// A made-up history. Whether machines are there at the start is drawn too, by the share of time that they are.
SpotOutcome simulate(const SpotTask& task, SpotPolicy policy, const SpotSupply& supply, Random& random);

/// Dollars for machines of one history.
Dollars cost_of(const SpotOutcome& outcome, DollarsPerSecond spot_price, DollarsPerSecond on_demand_price);

/// A yardstick: no policy, even one that knows the future, finishes in time for less. Relaxed from the exact optimum:
/// the longest runs of spot machines within the deadline are used first, the rest is done on demand in one go, whatever
/// its place in time, and checkpoints cost nothing. REQUIRES: a deadline, spot_price <= on_demand_price.
struct LowerBound {
  Seconds spot{}, on_demand{};               ///< billed
  Seconds work_on_spot{}, work_on_demand{};  ///< progress
  Dollars cost{};
};
LowerBound lower_bound(const SpotTask& task, const TraceRuns& runs, int tick, DollarsPerSecond spot_price,
                       DollarsPerSecond on_demand_price);

}  // namespace gpuplan
