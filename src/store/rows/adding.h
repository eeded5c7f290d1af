// Offers of an import added to the database, each to the series of its kind.
#pragma once

#include <cstdint>
#include <vector>

#include "store/rows/names.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// Within a transaction. `whole_from`: since that day (store/rows/dates.h) nothing was thinned out. Failures are the
/// database's.
void add_offers(Database& database, const std::vector<const Offer*>& offers, std::int64_t import, int whole_from);

}  // namespace gpuplan
