// A part of a phase's work, and round numbers to say it in.
#pragma once

#include <string>

#include "domain/work/phase.h"

namespace gpuplan {

/// Rounded to two significant digits, away from zero (`up`) or towards it.
double two_digits(double value, bool up);

/// Does `share` of the phase's work; says how in the words of the job file. Empty when it has none that can shrink.
std::string shrink(Phase& phase, double share);

}  // namespace gpuplan
