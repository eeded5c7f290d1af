// A part of a phase's work, and round numbers to say it in.
#pragma once

#include <string>

#include "domain/work/phase.h"

namespace gpuplan {

/// Rounded to two significant digits, away from zero (`up`) or towards it.
double two_digits(double value, bool up);

/// A smaller amount of work in the words of the job file, and what part of the former one that is: amounts are round,
/// so it is not quite what was asked for. No setting: the phase has no work that can shrink.
struct Shrunk {
  std::string setting;
  double share = 0;
};

/// Does about `share` of the phase's work, no more of it unless the least there can be is more.
Shrunk shrink(Phase& phase, double share);

}  // namespace gpuplan
