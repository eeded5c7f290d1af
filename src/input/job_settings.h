// `--set ADDRESS=VALUE`: changes to a job as written.
#pragma once

#include <string_view>

#include "base/result.h"
#include "input/tree.h"

namespace gpuplan {

/// Applies "phases.train.train.epochs=16", "limits.deadline=12 h", "market.offers[2].price=$3/h". The value is YAML; an
/// empty one takes the key away, so that its default holds. Maps on the way are made where they are missing; a
/// position one past the end of a list adds an item. Phases are named or numbered. An address that does not exist is
/// a usage error with near misses.
Result<void> set_value(Tree& job, std::string_view assignment);

/// The same with the value as a tree; a null value takes the key away.
Result<void> set_tree(Tree& job, std::string_view address, Tree value);

}  // namespace gpuplan
