#include "cli/prices/open_store.h"

namespace gpuplan::cli {

Result<PriceStore> open_prices(System& system, const StoreOptions& options) {
  const std::string file = store_file(system, options);
  if (file.empty())
    return wrong_use(
        "there is no store of prices: GPUPLAN_STORE is empty, or there is no home folder; name a file with "
        "--store");
  return PriceStore::open(file, PriceStore::Use::kRead);
}

}  // namespace gpuplan::cli
