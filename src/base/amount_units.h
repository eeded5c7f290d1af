// The units people write amounts in. For base/amount.cpp; others use base/amount.h.
#pragma once

#include <optional>
#include <string_view>

#include "base/amount.h"

namespace gpuplan {

/// What one of this unit is in the base unit of the kind (dollars a second for prices); nullopt when it is no unit of
/// the kind. An empty unit is a bare number. `dollar` says that the number had a dollar sign in front.
std::optional<double> unit_factor(std::string_view unit, AmountKind kind, bool dollar);

/// The kind a unit belongs to in words ("a time"), "" for an unknown unit.
std::string_view kind_of_unit(std::string_view unit, bool dollar);

}  // namespace gpuplan
