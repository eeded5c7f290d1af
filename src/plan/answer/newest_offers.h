// Offers known from several sources: the newest price of each machine counts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "domain/market/offer.h"

namespace gpuplan {

/// Of offers that name the same machine (provider, region, zone, instance, GPU and number of them, without regard to
/// case) those of the newest date and its source; of sources of one date the one that is listed first. Prices on demand
/// and as spot are told apart: who lists only one of them leaves the other to older lists. A newer list
/// with zones takes the place of an older one without them, and the other way round. A list that tells in which regions
/// a machine is to be had, or that it is sold out everywhere, overtakes older offers of it in all regions. What is
/// dated after `as_of` ("2026-11", "2026-11-25"; empty: nothing is) neither goes nor pushes others out; pools and own
/// boxes stay. The order stays.
std::vector<Offer> newest_offers(std::vector<Offer> offers, std::string_view as_of = "");

/// Of the machine that an offer names, but for its zone. Offers of one machine have equal ones.
std::uint64_t place_hash(const Offer& offer);

using Places = std::unordered_set<std::uint64_t>;
/// place_hash() of all.
Places places_of(std::span<const Offer> offers);

/// The same of two lists, the first of which holds the newest of its machines only, and is listed first: what only that
/// list knows, in its order, then the others. What `more` says of the same day and source too counts once. For a long
/// list and a short one. `places`: place_hash() of each of `newest`, where they are known.
std::vector<Offer> joined_newest(std::vector<Offer> newest, std::span<const Offer> more, std::string_view as_of = "",
                                 std::span<const std::uint64_t> places = {});

}  // namespace gpuplan
