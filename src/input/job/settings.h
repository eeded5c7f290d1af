// `--set ADDRESS=VALUE`: changes to a job as written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/text/tree.h"

namespace gpuplan {

/// What one setting did to one value.
struct Change {
  std::string address;  ///< in full
  std::string before;   ///< as YAML on one line; empty: the job did not state it
  std::string after;    ///< empty: taken away
};

/// Applies "phases.train.train.epochs=16", "limits.deadline=12 h", "market.offers[2].price=$3/h". The address may be
/// short (full_addresses() in input/job/address.h). The value is YAML; an empty one takes the key away, so that its
/// default holds; where an amount belongs, "x2", "+10%" and "-20%" multiply what the job states. Maps on the way are
/// made where they are missing; a position one past the end of a list adds an item. Phases are named or numbered. An
/// address that does not exist is a usage error with near misses.
Result<std::vector<Change>> set_value(Tree& job, std::string_view assignment);

/// The same with the value as a tree; a null value takes the key away.
Result<std::vector<Change>> set_tree(Tree& job, std::string_view address, const Tree& value);

}  // namespace gpuplan
