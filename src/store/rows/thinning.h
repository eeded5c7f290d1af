// What is long past, thinned.
#pragma once

#include <cstdint>

#include "store/sql/sql.h"

namespace gpuplan {

/// Days from `whole_from` on stay as they are; before that one price a day and series stays, before `daily_from` one a
/// week: the last. Days are as in store/rows/dates.h. Returns how many prices went. Failures are the database's.
std::int64_t thin(Database& database, int whole_from, int daily_from);

}  // namespace gpuplan
