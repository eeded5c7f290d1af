// GPU names as users write them, with messages that help when there is no such GPU.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// "RTX 4090", "4x RTX 4090", "H100 SXM:8". The error names near misses, or the memory sizes that do exist
/// ("there is no H100 with 40 GB: ..."); it has no place.
Result<GpuCount> find_gpu(const Catalogue& catalogue, std::string_view text);

/// The memory that a name speaks of: 40 for "8x H100 40GB"; 0 when it has none.
double gigabytes_in(std::string_view name);

}  // namespace gpuplan
