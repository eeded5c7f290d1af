// Work that can be interrupted and goes on from its last checkpoint: what it takes in expectation, and how often a
// checkpoint is worth its time.
#pragma once

#include <optional>
#include <span>

#include "base/units.h"
#include "spot/preemption.h"

namespace gpuplan {

/// How one piece of work is run. Checkpoints stand on a grid of the work: after every `interval` of it, the last piece
/// may be shorter, and after the last one the results are written, which takes as long as a checkpoint. An interruption
/// loses what was done since the last checkpoint and then takes `wait`, during which no machine is there, and
/// `restart`, which can be interrupted like work. These are the assumptions of Young (1974) and Daly (2006).
///
/// A notice that is long enough for a checkpoint saves everything: when it comes, a checkpoint is written, and the work
/// goes on from there after the restart.
struct Recoverable {
  Seconds work{};        ///< without checkpoints
  Seconds interval{};    ///< of work between checkpoints
  Seconds checkpoint{};  ///< time to write one
  Seconds restart{};     ///< from another machine to running again
  Seconds notice{};      ///< from the warning to the interruption
  Seconds wait{};        ///< mean time until another machine is there; exponential where it is drawn

  /// Whether nothing is lost when a machine is taken.
  bool warned() const { return notice > Seconds{} && notice >= checkpoint; }
  /// Pieces between checkpoints, the last one included. REQUIRES: work and interval > 0.
  double pieces() const;
};

/// Beyond this multiple of the work nobody waits: expectations stop here, where they would be infinite or no number.
inline constexpr double kHopeless = 1000;

struct ExpectedRun {
  Seconds wall{};            ///< expected time from start to end, at most kHopeless times the work
  Seconds interval{};        ///< work between checkpoints
  double interruptions = 0;  ///< expected number
  Seconds billed{};          ///< expected time with a machine: `wall` without waiting
  double uninterrupted = 1;  ///< chance of no interruption
};

/// Exact expectation. Memoryless lives: the complete model of Daly (2006) for every piece,
/// e^(rR) (e^(r(t+c)) - 1) / r, and its last, shorter one; with notice the sum of what interruptions add, because none
/// loses work. Other lives: recursion over the checkpoints that a machine reaches before it is taken (exact for up to
/// 200 pieces, beyond them on as many steps of the work).
ExpectedRun expected_run(const Lifetimes& lives, const Recoverable& how);

/// The same over equally likely rates of one machine, `machines` of which work together.
ExpectedRun expected_run(std::span<const PerSecond> rates, int machines, const Recoverable& how);

/// sqrt(2 c / r) (Young 1974, "A first order approximation to the optimum checkpoint interval"). REQUIRES: rate > 0.
Seconds young_interval(PerSecond rate, Seconds checkpoint);
/// sqrt(2 c / r) - c, and 1/r where that is less than c/2 (Daly 2006, first order).
Seconds daly_interval(PerSecond rate, Seconds checkpoint);
/// sqrt(2 c / r) (1 + sqrt(c r / 2) / 3 + c r / 18) - c, and 1/r where c >= 2/r (Daly 2006, "A higher order estimate of
/// the optimum checkpoint interval for restart dumps", the higher-order estimate).
Seconds daly_higher_interval(PerSecond rate, Seconds checkpoint);

/// The interval with the least expected time for these equally likely rates, exact for a whole number of equal pieces:
/// the root of the derivative of Daly's complete model, r t = 1 - e^(-r(t+c)) for one rate, by Newton's method, then
/// the better of the whole numbers of pieces beside it. The whole work where a notice saves everything; a second at
/// least, so that free checkpoints have an interval. `how.interval` is not read.
Seconds best_interval(std::span<const PerSecond> rates, int machines, const Recoverable& how);
/// The same by golden section over the logarithm of the interval, for lives that are not memoryless.
Seconds best_interval(const Lifetimes& lives, const Recoverable& how);

/// What another interval than the best loses in expectation.
struct IntervalLoss {
  ExpectedRun best, other;
  Seconds time{};   ///< expected time lost
  Dollars money{};  ///< billed for it
};
/// For equally likely rates, at this price of all machines together.
IntervalLoss interval_loss(std::span<const PerSecond> rates, int machines, const Recoverable& how, Seconds other,
                           DollarsPerSecond price);

}  // namespace gpuplan
