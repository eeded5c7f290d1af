// What most rows of a table bear out: one column is the product or the sum of others, whatever their heads say and in
// whatever language.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evidence/claims/claims.h"

namespace gpuplan::audit {

/// The amounts of a table: a row for every option, a column for every feature. nullptr: none, or several.
struct AmountGrid {
  std::vector<std::string> names;                       ///< of the columns
  std::vector<std::vector<const ClaimAmount*>> values;  ///< row by row
  std::vector<double> in_heads;   ///< amounts of its heads, in their own units: "Hours for 1,125 steps"
  std::vector<double> constants;  ///< what is the same in every row of a column
  std::vector<double> in_text;    ///< the same of the sentences around it
  bool same = true;               ///< its rows are of the same thing, so that a price may go without saying
};

/// target = factor × the product of `others`, or of 1 / other where `inverse`; or their sum.
struct GridRelation {
  std::size_t target = 0;
  std::vector<std::size_t> others;
  bool inverse = false;  ///< the product of all of them is the factor
  bool sum = false;
  bool work = false;  ///< time by speed: the same work in all rows
  double factor = 1;
  std::vector<std::size_t> good{}, bad{};  ///< rows that bear it out, and those that do not
  double chance = 1;                       ///< that so many rows agree by chance alone

  bool holds(std::size_t row) const;
  bool uses(std::size_t column) const;
};

/// Relations that hold for at least three rows and three of four, and that chance does not explain, and for all
/// rows some that tell which cells are right. `steps`: what is left of them for long files.
std::vector<GridRelation> relations_of(const AmountGrid& grid, long& steps);

/// An amount in the unit that its column is written in.
double in_unit_of(const AmountGrid& grid, std::size_t row, std::size_t column);

/// What a cell would be for the relation to hold, in the unit of its column; 0: it cannot.
double value_for(const AmountGrid& grid, const GridRelation& relation, std::size_t row, std::size_t column);

}  // namespace gpuplan::audit
