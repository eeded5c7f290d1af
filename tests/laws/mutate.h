// Jobs that are broken on purpose.
#pragma once

#include <string>

#include "laws/case.h"

namespace gpuplan::laws {

/// The job's text with one to four changes: numbers at their extremes, empty texts, unknown keys, deep nesting, values
/// and lines of other places, single characters; a price now and then.
std::string mutated_text(Random& random, Case& one);

/// One change of a job's tree.
void mutate_tree(Random& random, Tree& job);

}  // namespace gpuplan::laws
