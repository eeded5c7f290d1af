// What people type for GPUs elsewhere: "H100:8" (SkyPilot), "H100:1..8" and "24GB..80GB" (dstack), "8x H100".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gpuplan {

/// Bounds of a figure, each as written; empty: none.
struct WrittenRange {
  std::string least, most;
};

struct RowShorthand {
  std::string word;  ///< the name, to be looked for; empty: any
  std::optional<WrittenRange> gpus, memory;
};

/// Nullopt for a term that is none of these: a plain word. A usage error for one that begins like these and goes on
/// differently ("H100:many", "80GB..24GB..").
Result<std::optional<RowShorthand>> read_shorthand(std::string_view term);

}  // namespace gpuplan
