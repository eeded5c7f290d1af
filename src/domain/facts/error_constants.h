// What the error of a prediction is made of: what two plans of one job share cancels when they are compared. Rows of
// data/error_constants.csv, shares of the variance of the logarithm of a time; what comes of them stands in
// plan/ranking/comparison.h.
#pragma once

#include <array>
#include <string_view>

#include "base/unset.h"

namespace gpuplan {

struct ErrorConstants {
  // Of the time of work by the model: these add up to 1.
  double job = kUnset;       ///< all plans of one job have it in common
  double software = kUnset;  ///< those with one framework or engine
  double card = kUnset;      ///< those on one GPU
  double machine = kUnset;   ///< those on one provider's machines with it
  double cut = kUnset;       ///< those of one class of cuts: none, inside a machine, over several
  double own = kUnset;       ///< those that run it in one way
  // Of the time beside the work.
  double beside_job = kUnset;  ///< all plans of one job have it in common; the rest is the provider's

  bool operator==(const ErrorConstants&) const = default;
};

/// A constant by its name in the table.
struct ErrorConstant {
  std::string_view name;
  double ErrorConstants::* field;
};

inline constexpr std::array kErrorConstants = {
    ErrorConstant{"job", &ErrorConstants::job},
    ErrorConstant{"software", &ErrorConstants::software},
    ErrorConstant{"card", &ErrorConstants::card},
    ErrorConstant{"machine", &ErrorConstants::machine},
    ErrorConstant{"cut", &ErrorConstants::cut},
    ErrorConstant{"own", &ErrorConstants::own},
    ErrorConstant{"beside_job", &ErrorConstants::beside_job},
};

}  // namespace gpuplan
