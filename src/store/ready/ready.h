// The present offers of a store, laid out to be taken as they are: a planner reads this file beside the database, and
// not the database, as long as it is of the same state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/market/offer.h"
#include "plan/answer/market.h"
#include "plan/answer/newest_offers.h"

namespace gpuplan {

/// Which state of a database offers are of.
struct ReadyState {
  std::uint32_t changes = 0;  ///< its change counter
  std::int64_t modified = 0;  ///< nanoseconds since 1970
  std::uint64_t size = 0;     ///< bytes

  bool operator==(const ReadyState&) const = default;
};

/// "prices.db.ready" of "prices.db".
std::string ready_file(const std::string& database);

std::string pack_ready(const std::vector<Offer>& offers, const OwnScatters& scatter, const ReadyState& state);
/// None where the bytes are damaged, of another version of the layout, or of another state. Any bytes may come.
/// `wanted_at`: of a large list (kDearerFrom) what is dearer than two that differ from it in place and price alone is
/// left out, but at these places; null: nothing is.
std::optional<ThinnedOffers> unpack_ready(std::string_view bytes, const ReadyState& state,
                                          const Places* wanted_at = nullptr);

}  // namespace gpuplan
