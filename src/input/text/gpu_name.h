// GPU names as users write them, with messages that help when there is no such GPU.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// "RTX 4090", "4x RTX 4090", "H100 SXM:8". The error names near misses, or the memory sizes that do exist
/// ("there is no H100 with 40 GB: ..."); it has no place.
Result<GpuCount> find_gpu(const Catalogue& catalogue, std::string_view text);

/// "8x H100": each of these, as many of one kind (count 0: any number).
struct GpuFamily {
  std::vector<const Gpu*> gpus;
  int count = 0;
};

/// Those that may be taken where one says which: "A100" names every A100, of either memory and form, and "H100" PCIe,
/// SXM and NVL. A name in full is that GPU alone, and so is an alias of one that does not begin with it. Errors are
/// those of find_gpu().
Result<GpuFamily> find_gpus(const Catalogue& catalogue, std::string_view text);

/// The memory that a name speaks of: 40 for "8x H100 40GB"; 0 when it has none.
double gigabytes_in(std::string_view name);

}  // namespace gpuplan
