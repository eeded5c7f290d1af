#include "input/claims/options_across.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "input/claims/claim_units.h"

namespace gpuplan {
namespace {

/// Shares and factors stand beside amounts of any unit: "B is 20% cheaper" in a last column.
bool is_beside(ClaimDimension dimension) {
  return dimension == ClaimDimension::kBare || dimension == ClaimDimension::kShare ||
         dimension == ClaimDimension::kTimes;
}

/// What the first amount of a cell is, with the unit of its row's label; kBare: nothing that is known.
ClaimDimension dimension_of(const ClaimText& cell, const UnitHint& hint) {
  if (cell.quantities.empty()) return ClaimDimension::kBare;
  ClaimAmount first = cell.quantities.front();
  give_unit(first, hint);
  return first.dimension;
}

/// Names on the left, amounts of different kinds on the right.
bool is_sheet(const ClaimTable& table) {
  if (table.heads.size() != 2 || table.rows.size() < 2) return false;
  const std::string second = to_lower(table.heads[1].text);
  return second == "value" || second == "wert" || second == "estimate" || second == "amount" || second.empty();
}

/// Each row is of one unit, each column of several: columns are what is compared. What does not hold for an option is
/// left empty, so that few units may be left.
bool is_across(const ClaimTable& table, const std::vector<UnitHint>& hints) {
  constexpr std::size_t kLeastRows = 3;
  if (table.rows.size() < kLeastRows) return false;
  std::vector<std::set<ClaimDimension>> columns(table.heads.size());
  std::vector<bool> has_gap(table.heads.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<ClaimText>& cells = table.rows[i].cells;
    if (!cells.front().gpus.empty()) return false;  // a row of its own option
    std::set<ClaimDimension> of_row;
    for (std::size_t column = 1; column < cells.size(); ++column) {
      const ClaimDimension dimension = dimension_of(cells[column], hints[i]);
      if (cells[column].text.empty()) has_gap[column] = true;
      if (is_beside(dimension)) continue;
      of_row.insert(dimension);
      columns[column].insert(dimension);
    }
    if (of_row.size() > 1) return false;
  }
  bool any = false;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns[column].size() == 1 && !has_gap[column]) return false;
    any = any || columns[column].size() > 1;
  }
  return any;
}

}  // namespace

void find_options_across(ClaimTable& table, QuantityReader& reader) {
  if (table.headless || table.heads.size() < 2 || table.rows.empty()) return;
  constexpr std::size_t kMostRows = 200;  // nobody compares more figures of a few options
  if (table.rows.size() > kMostRows) {
    table.across = is_sheet(table);
    return;
  }
  std::vector<std::string> labels;
  for (const ClaimRow& row : table.rows) labels.push_back(row.cells.front().text);
  const std::vector<UnitHint> hints = hints_of(labels);
  table.across = is_sheet(table) || is_across(table, hints);
  for (ClaimText& head : table.heads)
    head = table.across ? reader.read_head(std::move(head.text)) : reader.read_terms(std::move(head.text));
  if (!table.across) return;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    for (std::size_t column = 1; column < table.rows[i].cells.size(); ++column)
      for (ClaimAmount& amount : table.rows[i].cells[column].quantities) give_unit(amount, hints[i]);
}

}  // namespace gpuplan
