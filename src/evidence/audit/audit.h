// A plan that somebody made by hand, recomputed from its own numbers and held against what is known.
#pragma once

#include "domain/facts/catalogue.h"
#include "evidence/audit/finding.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

/// Every finding, by line. A number is called wrong only where no value that its digits and those it is computed from
/// allow makes it right.
Audit audit_claims(const ClaimDocument& document, const Catalogue& catalogue);

}  // namespace gpuplan
