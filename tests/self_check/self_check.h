// One number that stands for everything the core computes: equal numbers from two builds mean equal answers.
#pragma once

#include <cstdint>

namespace gpuplan {

/// Hash of many results of the core: functions, random streams and texts of base, estimates of training and generation
/// with all their terms, plans of whole jobs on a made-up market. Builds with another compiler, processor level or for
/// WebAssembly must give the same; `./test same` compares them.
std::uint64_t self_check_hash();

}  // namespace gpuplan
