// Offers of an import added to the database, each to the series of its kind.
#pragma once

#include <cstdint>
#include <vector>

#include "store/rows/names.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// Within a transaction. Failures are the database's.
void add_offers(Database& database, const std::vector<const Offer*>& offers, std::int64_t import);

}  // namespace gpuplan
