// What the cost of a row may be besides price × hours.
#pragma once

#include <vector>

#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/claims/claims.h"

namespace gpuplan::audit {

/// Columns such as "nodes" and "Qty": how many there are of what the others say of one.
std::vector<double> times_over(const ClaimRecord& record);

/// Adds to `ways` what taxes, discounts, storage in columns of their own, several machines, machines that run a part of
/// the time ("2 at a time") and periods that are paid whole make of them.
void add_beside(const ClaimDocument& document, const ClaimRecord& record, std::vector<Way>& ways);

}  // namespace gpuplan::audit
