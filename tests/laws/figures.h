// What must hold of one answer by itself. Shared with the fuzzers; each returns what is wrong, or nothing.
#pragma once

#include <string>

#include "laws/answer.h"

namespace gpuplan::laws {

std::string wrong_sums(const Answer& answer);       ///< phases, leases and idle against totals
std::string wrong_chances(const Answer& answer);    ///< outside 0 to 1
std::string wrong_dominance(const Answer& answer);  ///< ids, frontier, who beats whom, recommendations
/// Of any document: numbers below zero or missing, p10 <= p50 <= p90 broken, "nan" or "inf" in a sentence.
std::string wrong_document(std::string_view json);
/// "nan" or "inf" as words of a text.
std::string wrong_words(std::string_view text);

/// All of these, over the document with every table.
std::string wrong_figures(const Answer& answer);

}  // namespace gpuplan::laws
