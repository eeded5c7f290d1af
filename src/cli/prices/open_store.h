// The store for actions that look at it.
#pragma once

#include "base/result.h"
#include "cli/load/price_store.h"
#include "store/price_store.h"

namespace gpuplan::cli {

/// For reading. Fails where there is none, and says how one is made.
Result<PriceStore> open_prices(System& system, const StoreOptions& options);

}  // namespace gpuplan::cli
