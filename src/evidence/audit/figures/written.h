// A sum that is written out, worked out with its units: 700 W × 8 × 10 h are 56 kWh.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "evidence/audit/figures/span.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

/// An operand with the sign in front of it.
struct WrittenTerm {
  char sign = 0;            ///< '*', '/', '+', '-', '='; 0: the first
  ClaimEnds base, written;  ///< in base units, and the number as it stands
  ClaimDimension dimension = ClaimDimension::kBare;
  double unit = 1;
  const ClaimAmount* quantity = nullptr;  ///< nullptr: GPUs by name
  std::size_t from = 0, to = 0;
  bool off = false;  ///< "60% off" what follows
};

/// Amounts, and GPUs with how many or how much memory, in the order of the text.
std::vector<WrittenTerm> written_terms(const ClaimText& said);

/// What an amount may be where its operands may be meant in several ways, in its base units.
struct WrittenReadings {
  std::vector<ClaimEnds> values;
  bool sure = false;   ///< the operands' units leave nothing open: what none of the values fits is wrong
  bool plain = false;  ///< the first is what the units say, the others are allowed for
};

/// Products first, then sums; a percentage behind + or - is of what stands before it. No values where the units of
/// the operands can not come to that of `stated`, or one of them is not known.
WrittenReadings work_out(std::span<const WrittenTerm> terms, const ClaimAmount& stated);

/// What to tell in its place: the plain reading, or the one that is nearest to what is stated.
const ClaimEnds& told_reading(const WrittenReadings& readings, const ClaimAmount& stated);

}  // namespace gpuplan
