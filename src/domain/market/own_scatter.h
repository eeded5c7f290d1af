// How far prices of one kind lie apart and move, by what the user has stored of them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/word.h"
#include "domain/market/price_terms.h"

namespace gpuplan {

/// Of one GPU at one provider. Variances are of the logarithm.
struct OwnScatter {
  Word provider, gpu;
  PriceTerms terms = PriceTerms::kOnDemand;

  /// From week to week.
  struct Moves {
    double variance = 0;  ///< of a month
    double months = 0;    ///< that prices tell of; 0: none does
    int prices = 0, days = 0;

    bool operator==(const Moves&) const = default;
  } moves;

  /// Among machines of one kind as they are offered now.
  struct Apart {
    double variance = 0;
    int prices = 0;
    int free = 0;  ///< prices less the means that they are held against; 0: nothing is told

    bool operator==(const Apart&) const = default;
  };
  std::array<Apart, 3> over{};  ///< by SpreadOver

  Apart& of(SpreadOver kind) { return over[static_cast<std::size_t>(kind)]; }
  const Apart& of(SpreadOver kind) const { return over[static_cast<std::size_t>(kind)]; }

  bool operator==(const OwnScatter&) const = default;
};

using OwnScatters = std::vector<OwnScatter>;

}  // namespace gpuplan
