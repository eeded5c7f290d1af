// GPUs that one short name may mean, told apart by memory and form factor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Whether a GPU has this memory, as lists count it: in GB, GiB or what a driver leaves of it.
bool has_memory(const Gpu& gpu, double gib);

/// "RTX 6000" of 48 GB is an RTX 6000 Ada, of 96 GB an RTX PRO 6000: those of this memory in whose names all words of
/// the name stand, in the order of the catalogue. A single word says too little.
std::vector<const Gpu*> gpu_namesakes(const Catalogue& catalogue, std::string_view name, double gib);

/// "sxm", "nvl", "pcie"; empty: the words tell none. "H100 PCIe NVLink" are cards with bridges; "H100 NVLink" alone is
/// a baseboard, and no H100 NVL.
std::string form_factor_in(std::string_view words);
/// The same of words that name it, and not only a link.
std::string named_form_factor(std::string_view words);
/// Whether two named form factors are of different GPUs: an NVL is a pair of PCIe cards.
bool forms_differ(std::string_view a, std::string_view b);

/// What GPUs share that differ in form factor and memory alone: "H100" of "H100 SXM", "H100 PCIe" and "H100 NVL".
std::string stem_of(std::string_view name);

}  // namespace gpuplan
