// What a sentence says between its amounts: whether one leads to the other, and what else is counted in it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/claims/claims.h"

namespace gpuplan::audit {

/// Bytes at which the sentence of a place begins and ends.
std::size_t begin_of_sentence(std::string_view text, std::size_t at);
std::size_t end_of_sentence(std::string_view text, std::size_t at);

/// Nothing but words such as "so it costs", commas and colons stand between two amounts; `verb`: there is one, or a
/// colon, that says "comes to".
bool leads(std::string_view between, bool& verb);

/// What follows ends the clause: no "for storage", "each" or "+ 10%".
bool ends_clause(std::string_view behind);

/// The text between two amounts, in lower case and without blanks around it; "?" where they are not in this order.
std::string between(const ClaimText& said, const ClaimAmount& a, const ClaimAmount& b);

/// The same without the GPUs that are named there: "on at" of "on 8x H100 at".
std::string without_gpus(const ClaimText& said, const ClaimAmount& a, const ClaimAmount& b);

/// The one number of GPUs in the sentences of two places and between them; 0: none, or several.
double gpus_counted(const ClaimText& said, std::size_t first, std::size_t last);

/// "two", "both", "half" in a text, in the languages of plans.
std::vector<double> number_words(std::string_view text);

/// All products of what is counted in a part of a text: GPUs, nodes, runs, "two", one first. Amounts of `known` are
/// left out. nullopt: there is something in it that changes a cost in another way, as a percentage or more hours and
/// money in front of the last of `known`.
std::optional<std::vector<double>> multipliers(const ClaimText& said, std::size_t from, std::size_t to,
                                               std::initializer_list<const ClaimAmount*> known);

}  // namespace gpuplan::audit
