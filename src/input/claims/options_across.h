// Tables that are told on their side: options are columns, and the first cell of a row says what its amounts are.
#pragma once

#include "evidence/claims/claims.h"
#include "input/claims/quantities.h"

namespace gpuplan {

/// Sets ClaimTable::across where a table is told so, reads the GPUs of its heads, and gives its bare numbers the units
/// that the labels of their rows tell.
void find_options_across(ClaimTable& table, QuantityReader& reader);

}  // namespace gpuplan
