// Up to which price the recommended machines stay the recommended ones.
#pragma once

#include <optional>

#include "plan/answer/search_result.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {

struct BreakEven {
  DollarsPerSecond now{};    ///< price_of() the pick
  DollarsPerSecond price{};  ///< above it, plan `then` is the pick, and up to it (to a thousandth) it is not
  const Plan* then = nullptr;
};

/// By the rule of the recommendation itself: prices of the pick's GPU at its provider rise, all of them by the same
/// factor, until a plan without any of these is the pick. nullopt: none is before 64 times the price; nothing is
/// recommended; the pick joins several offers, is no rented machine, or has a price of the user's own
/// (Job::commitments). Credits pay first whatever the bill is; what they pay is taken of the medians, so that the price
/// is a few percent off where they pay some of it. `compared` is what the search was made with.
std::optional<BreakEven> break_even(const Job& job, const SearchResult& found, const Compared& compared);

}  // namespace gpuplan
