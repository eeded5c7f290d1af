// GPUs that one short name may mean, told apart by memory.
#pragma once

#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Whether a GPU has this memory, as lists count it: in GB, GiB or what a driver leaves of it.
bool has_memory(const Gpu& gpu, double gib);

/// "RTX 6000" of 48 GB is an RTX 6000 Ada, of 96 GB an RTX PRO 6000: those of this memory in whose names all words of
/// the name stand, in the order of the catalogue. A single word says too little.
std::vector<const Gpu*> gpu_namesakes(const Catalogue& catalogue, std::string_view name, double gib);

}  // namespace gpuplan
