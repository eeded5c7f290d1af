// What interruptions of spot machines and preemptible pools do to a phase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "spot/checkpointing.h"
#include "spot/preemption.h"

namespace gpuplan {

/// One phase on one offer whose machines can be taken away.
struct SpotTerms {
  Interval<PerSecond> rate{};  ///< of one machine; with `bathtub` the mean one
  Seconds checkpoint{}, restart{}, notice{};
  Seconds interval{};  ///< of work between checkpoints; zero: the one that loses least
  int machines = 1;    ///< all stop when one is taken
  Seconds wait{};      ///< mean time until another machine is there
  std::optional<Bathtub> bathtub{};
  bool anew = false;  ///< nothing is saved until the end (starts_over()), unless there is an interval

  bool operator==(const SpotTerms&) const = default;
};

/// How often one machine of this offer is interrupted, on spot or in a preemptible pool; nullopt when nobody says. The
/// first of: the offer's own rate; what the job says (a rate, a band, or the mean of its bathtub); the offer's band;
/// the rate that gpuplan assumes where it was asked to.
std::optional<Interval<PerSecond>> interruption_rate(const Job& job, const Offer& offer);

/// Median time of a phase without checkpoints, which the terms below have of their own.
Seconds interruptible_work(const PhaseEstimate& estimate);

/// Terms of one phase. The interval is the job's where it states one. REQUIRES: interruption_rate().
SpotTerms spot_terms(const Job& job, const PhaseEstimate& estimate, const Offer& offer);

/// The terms as the spot floor reads them, with the interval that loses least where none is stated.
Recoverable recoverable(const SpotTerms& terms, Seconds work);

/// Expectation in closed form, over what the rate can be (rate_levels).
ExpectedRun with_interruptions(const SpotTerms& terms, Seconds work);

/// What interruptions make of a phase, over the work: in expectation, without any, and as quantiles.
struct InterruptedPhase {
  ExpectedRun expected;
  double undisturbed = 1;              ///< with the checkpoints, where no interruption comes
  std::vector<double> wall, billed{};  ///< TimeQuantiles of the rates of with_interruptions, whose mean is `expected`
};
/// REQUIRES: work > 0. The seed is for lives that are not memoryless, which are simulated.
InterruptedPhase interrupted_phase(const SpotTerms& terms, Seconds work, std::uint64_t seed, int quantiles);

/// Seconds paid with every interruption beyond what is paid for the same time at one go: each begins a rental, with its
/// minimum and its rounding. `met`: of the same terms and work.
Seconds paid_beyond(const SpotTerms& terms, Seconds work, const InterruptedPhase& met, const Billing& billing,
                    std::uint64_t seed);

/// Whether machines of this offer can be taken away.
bool can_be_taken(bool spot, const Offer& offer);

/// The estimate of a training phase with as many checkpoints as are written where its machines can be taken away and
/// the job does not say how often: as many as the plan counts with, one an hour of work where nobody says how often
/// that happens. On other machines it is the plan's own.
PhaseEstimate with_due_checkpoints(const Job& job, const PhasePlan& part);

/// A sentence when a checkpoint or a restart takes longer than machines stay on average ("", else): what that means.
std::string interruption_warning(const SpotTerms& terms);

}  // namespace gpuplan
