// From where on a figure of a run is a sign that something is wrong.
#pragma once

namespace gpuplan {

inline constexpr double kBusyGpu = 0.9;          ///< share of the time; below, it waits for data or the CPU
inline constexpr double kSteadySteps = 1.3;      ///< P90 over P10 of step times; above, something disturbs them
inline constexpr double kMemoryAsPlanned = 0.7;  ///< of the planned memory; below, the work is smaller than planned

}  // namespace gpuplan
