// What is paid for work that is interrupted where machines are billed in blocks: each time that one is taken is a
// rental of its own, with its minimum and its rounding.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "domain/market/offer.h"
#include "spot/checkpointing.h"
#include "spot/preemption.h"

namespace gpuplan {

/// Expected time paid for, under the rules of Recoverable. Memoryless lives, in closed form: with k pieces left
/// (e^(r(t+c)) - 1) e^(rR) rentals begin in expectation, and one that has X before it pays for the n-th block where it
/// lasts so long, with a chance of e^(-r n u). On notice they begin anywhere in the work, and hold on for a checkpoint.
Seconds expected_paid(PerSecond rate, int machines, const Recoverable& how, const Billing& billing);
/// The same over equally likely rates.
Seconds expected_paid(std::span<const PerSecond> rates, int machines, const Recoverable& how, const Billing& billing);
/// Other lives: the mean of simulated histories.
Seconds simulated_paid(const Lifetimes& lives, const Recoverable& how, const Billing& billing, std::uint64_t seed);

}  // namespace gpuplan
