// What the amounts of a sentence are of, in powers of what they are counted in, so that only what can be multiplied is.
#pragma once

#include <optional>

#include "evidence/claims/claims.h"

namespace gpuplan::audit {

/// Powers of seconds, dollars, bytes, joules, operations, tokens, samples, steps and GPUs. Numbers of other things have
/// none.
struct ChainUnits {
  int time = 0, money = 0, bytes = 0, energy = 0, operations = 0, tokens = 0, samples = 0, steps = 0, gpus = 0;

  bool operator==(const ChainUnits&) const = default;
  friend ChainUnits operator+(ChainUnits a, const ChainUnits& b);
  ChainUnits operator-() const;
  /// The same but for GPUs: those of one machine often go without saying.
  bool is_like(const ChainUnits& other) const;
};

/// nullopt: it is none that is reckoned with.
std::optional<ChainUnits> chain_units_of(const ClaimAmount& one);

/// Base units of an amount in seconds, dollars and so on: prices are dollars an hour.
double chain_scale_of(const ClaimAmount& one);

/// The number that is shown is the other one but for one digit, or two that changed places. Both in units of the last
/// digit shown.
bool is_slip_of_a_digit(double shown, double meant);

}  // namespace gpuplan::audit
