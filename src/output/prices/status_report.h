// What a store of prices holds, how old it is, and what its last import could not use.
#pragma once

#include <string>

#include "domain/market/price_records.h"
#include "output/text/style.h"

namespace gpuplan {

/// What the age of prices is told by.
struct PriceAges {
  std::string today;    ///< 2026-11-26
  double old_days = 0;  ///< age from which prices are called stale
};

/// Of many sources one row for each provider, unless `details`.
std::string store_text(const StoreStatus& status, const PriceAges& ages, const Screen& screen, bool details);
std::string store_json(const StoreStatus& status, const PriceAges& ages);
std::string store_csv(const StoreStatus& status, const PriceAges& ages);
/// The same where there is no store.
std::string no_store_text(const std::string& file);
std::string no_store_json(const std::string& file);

}  // namespace gpuplan
