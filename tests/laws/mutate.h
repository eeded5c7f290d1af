// Jobs that are broken on purpose, and what the program owes to any text.
#pragma once

#include <string>

#include "laws/case.h"

namespace gpuplan::laws {

/// The job's text with one to four changes: numbers at their extremes, empty texts, unknown keys, deep nesting, values
/// and lines of other places, single characters; a price now and then.
std::string mutated_text(Random& random, Case& one);

/// Reads, plans, shows and launches a text: what is wrong with a figure or an error; empty: nothing.
std::string wrong_answer(const std::string& job, const std::vector<PriceRow>& prices);

}  // namespace gpuplan::laws
