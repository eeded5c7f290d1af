// Monte Carlo: histories of work that is interrupted.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "domain/market/offer.h"
#include "spot/checkpointing.h"
#include "spot/preemption.h"

namespace gpuplan {

/// One run of the work, from start to end.
struct History {
  Seconds wall{};
  Seconds billed{};  ///< time with a machine: without waiting
  int interruptions = 0;
  Seconds paid{};  ///< where it is asked for: each machine by itself, as it is billed
};

/// Interruptions after which a history ends as it would go on: in proportion to the work done, at most kHopeless times
/// the work.
inline constexpr int kMostInterruptions = 20'000;

/// Fills `histories` with independent runs under the rules of Recoverable; history i has the lives `lives[i % size]`,
/// so that equally likely rates have equal shares. Goes from interruption to interruption, and draws nothing else. The
/// same seed gives the same histories on any number of threads: every 1024 of them have a stream of their own.
/// `billing`: how machines are billed; null: nobody asks. REQUIRES: lives not empty; how.work and how.interval > 0.
void simulate_histories(std::span<const Lifetimes> lives, const Recoverable& how, std::uint64_t seed, int threads,
                        std::span<History> histories, const Billing* billing = nullptr);

}  // namespace gpuplan
