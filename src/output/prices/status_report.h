// What a store of prices holds, how old it is, and what its last import could not use.
#pragma once

#include <string>

#include "domain/market/price_records.h"
#include "output/text/style.h"

namespace gpuplan {

/// Days after which prices are told to be stale.
inline constexpr int kStaleDays = 60;

std::string store_text(const StoreStatus& status, const std::string& today, const Screen& screen);
std::string store_json(const StoreStatus& status, const std::string& today);
std::string store_csv(const StoreStatus& status, const std::string& today);
/// The same where there is no store.
std::string no_store_text(const std::string& file);
std::string no_store_json(const std::string& file);

}  // namespace gpuplan
