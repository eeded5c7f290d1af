// Weights of fewer bits, where nobody has said which and they would pay.
#pragma once

#include <cstddef>
#include <optional>

#include "plan/search.h"

namespace gpuplan {

struct LighterWeights {
  std::size_t phase = 0;
  Format format{};
  Seconds hours{};  ///< median, with them on the same offers
  Dollars cost{};   ///< the same
};

/// The first phase that writes with published weights of 16 bit and more, and the format of least loss of quality that
/// makes `plan` half as dear again or half as slow again as it need be, on the offers that it takes; nullopt where none
/// does.
std::optional<LighterWeights> lighter_weights(const Job& job, const Catalogue& catalogue, const SearchOptions& how,
                                              const Plan& plan);

}  // namespace gpuplan
