// One question as its two files: a job and a price list, kept as trees and rows so that laws can change a part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "input/text/tree.h"

namespace gpuplan::laws {

using PriceRow = std::vector<std::pair<std::string, std::string>>;  ///< column, cell; absent columns are empty

struct Case {
  Tree job;
  std::vector<PriceRow> prices;  ///< empty: the job brings its own market
  std::uint64_t salt = 0;        ///< of what a law chooses at random: stays while a case shrinks
};

// ---- trees ----------------------------------------------------------------------------------------------------------

Tree map_tree();
Tree list_tree();
Tree number_tree(double value, std::string_view unit = "");
/// Sets a key of a map and returns what stands there now.
Tree& put(Tree& map, std::string_view key, Tree value);
Tree& put(Tree& map, std::string_view key, std::string_view text);
void drop(Tree& map, std::string_view key);
/// The lists of the job's own market that are there, and the job's phases.
std::vector<Tree*> offer_lists(Tree& job);
std::vector<Tree>& phases_of(Tree& job);
const std::vector<Tree>& phases_of(const Tree& job);
std::string phase_name(const Tree& phase);
/// The work of a phase: the value under train, generate, ...; nullptr when it has none.
Tree* work_of(Tree& phase);

/// How many offers the case brings: rows, or entries of the job's market.
std::size_t offers_of(const Case& one);
/// Takes away the offer at this position.
void drop_offer(Case& one, std::size_t position);

// ---- texts ----------------------------------------------------------------------------------------------------------

/// The job as YAML that people can read, and the prices as CSV.
std::string job_text(const Tree& job);
std::string price_text(const std::vector<PriceRow>& rows);

// ---- numbers --------------------------------------------------------------------------------------------------------

/// Multiplies every number in a text such as "$2.10-2.40/h", "5%/h", "10M tokens", keeping what stands around it.
std::string scaled(std::string_view amount, double factor);

double between(Random& random, double low, double high);  ///< uniform by ratio
bool chance(Random& random, double probability);
std::string_view one_of(Random& random, std::initializer_list<std::string_view> choices);
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace gpuplan::laws
