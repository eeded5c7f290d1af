// Words around an amount that tell whether it was computed from what stands before it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/audit/figures/span.h"
#include "evidence/claims/claims.h"

namespace gpuplan::audit {

/// One figure, as it stands: no range, no bound, nothing that is added to another or taken from it.
bool is_told(const ClaimAmount& one);

/// "so", "that is", "makes", "costs", "ergibt", "donc": what stands behind them was computed.
bool says_computed(std::string_view lower);
/// The same of what other sentences say.
bool points_back(std::string_view lower);
/// "instead", "saves", "left", "budget": another amount than the one that would follow.
bool says_other(std::string_view lower);

/// A sentence up to an amount.
struct Front {
  std::size_t from = 0;
  std::string lower;  ///< the text before the amount
  std::vector<const ClaimAmount*> all;
};
Front front_of(const ClaimLine& line, const ClaimAmount& stated);

/// What follows makes it no amount of something else: "per GPU", "more", "with the fee".
bool stands_alone(const ClaimLine& line, const ClaimAmount& stated);

/// The words say that it was computed, and of what stands before it alone.
bool is_result(const ClaimLine& line, const Front& front, const ClaimAmount& stated);

/// An amount that is computed from few may be up to a third more, where it is a time: for what stands beside the work.
/// Counts in prose are rounded.
bool agrees(const ClaimAmount& stated, const ClaimEnds& right);

}  // namespace gpuplan::audit
