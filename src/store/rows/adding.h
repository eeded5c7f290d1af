// Lists of an import added to the database, each offer to the series of its kind.
#pragma once

#include <cstdint>
#include <span>

#include "input/feeds/rows/feed.h"
#include "store/rows/names.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// Within a transaction. `whole_from`: since that day (store/rows/dates.h) nothing was thinned out. Failures are the
/// database's.
void add_lists(Database& database, std::span<const Feed> lists, std::int64_t import, int whole_from);

}  // namespace gpuplan
