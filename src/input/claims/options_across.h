// Tables that are told on their side: options are columns, and the first cell of a row says what its amounts are.
#pragma once

#include "evidence/claims/claims.h"
#include "input/claims/quantities.h"

namespace gpuplan {

/// Sets ClaimTable::across where a table is told so, and gives its bare numbers the units that the labels of their rows
/// tell. Reads the GPUs of the heads of any table, and of one that is not told so the amounts of its heads.
void find_options_across(ClaimTable& table, QuantityReader& reader);

}  // namespace gpuplan
