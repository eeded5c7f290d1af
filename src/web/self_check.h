// One number that stands for everything the core computes: equal numbers from two builds mean equal answers.
#pragma once

#include <cstdint>

namespace gpuplan {

/// Hash of many results of the core: the functions of base/math.h over wide grids, random streams. Builds with another
/// compiler, processor level or for WebAssembly must give the same; `./test` compares them.
std::uint64_t self_check_hash();

}  // namespace gpuplan
