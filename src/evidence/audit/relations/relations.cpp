#include "evidence/audit/relations/relations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan::audit {
namespace {

constexpr std::size_t kMostColumns = 10, kMostRows = 80, kLeastRows = 4, kLeastGood = 3;
/// Ten thousand tables of ten relations each would hold one by chance.
constexpr double kNoChance = 1e-3;
/// Factors of other orders of magnitude are as likely: natural logarithm of how far they reach.
constexpr double kReach = 14;

/// Between units of one kind.
constexpr double kConversions[] = {1,    60,  1.0 / 60, 3600, 1.0 / 3600, 24,  1.0 / 24, 1000, 1e-3, 1e6,
                                   1e-6, 1e9, 1e-9,     12,   1.0 / 12,   365, 730,      30,   100,  0.01};
/// Dollars an hour and tokens a second to dollars for a million tokens, either way.
constexpr double kOfMillions[] = {0.0036, 1e3 / 3.6};

/// In which factors of sentences and heads may count.
constexpr double kUnits[] = {1, 1.0 / 60, 1.0 / 3600, 1e-3, 1e-9};

double column_unit(const AmountGrid& grid, std::size_t column) {
  for (const auto& row : grid.values)
    if (row[column] != nullptr) return row[column]->unit;
  return 1;
}

/// The values that the digits of a cell allow, in the unit of its column. What is computed may be cut off or rounded
/// up.
struct GridSpan {
  double low = 0, high = 0;
};

GridSpan span_of(const ClaimAmount& amount, double unit, bool computed) {
  const ClaimEnds ends = ends_of(amount);
  GridSpan span{ends.least() / unit, ends.most() / unit};
  if (computed) {
    const double step = amount.low_step / unit, value = amount.low / unit;
    constexpr double kManyDigits = 100;
    const double room = amount.whole || value >= kManyDigits * step ? step * (1 - 1e-9) : step / 2;
    span = {std::min(span.low, value - room), std::max(span.high, value + room)};
  }
  return span;
}

/// All of a search for relations in one table.
class Relations {
 public:
  Relations(const AmountGrid& grid, long& steps) : grid_(grid), steps_(steps) {
    rows_ = std::min(grid.values.size(), kMostRows);
    for (std::size_t column = 0; column < grid.names.size() && columns_.size() < kMostColumns; ++column)
      if (is_of_one_kind(column)) columns_.push_back(column);
    const double n = static_cast<double>(columns_.size());
    trials_ = n * (n + n * n / 2 + n * n * n / 6);
  }

  std::vector<GridRelation> find() {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      for (std::size_t j = i + 1; j < columns_.size(); ++j) {
        steps_ -= static_cast<long>(rows_);
        if (steps_ <= 0) return std::move(found_);
        product(columns_[j], {columns_[i]}, true);
        product(columns_[j], {columns_[i]}, false);
        for (std::size_t k = j + 1; k < columns_.size(); ++k) {
          for (const auto& [target, a, b] : {std::array{k, i, j}, {i, j, k}, {j, i, k}}) {
            product(columns_[target], {columns_[a], columns_[b]}, false);
            sum(columns_[target], {columns_[a], columns_[b]});
          }
          product(columns_[k], {columns_[i], columns_[j]}, true);
          for (std::size_t l = k + 1; l < columns_.size(); ++l) {
            steps_ -= static_cast<long>(rows_);
            if (steps_ <= 0) return std::move(found_);
            for (const auto& [target, a, b, c] : {std::array{l, i, j, k}, {k, i, j, l}, {j, i, k, l}, {i, j, k, l}}) {
              product(columns_[target], {columns_[a], columns_[b], columns_[c]}, false);
              sum(columns_[target], {columns_[a], columns_[b], columns_[c]});
            }
          }
        }
      }
    return std::move(found_);
  }

 private:
  /// Every cell that has an amount has one of the same kind.
  bool is_of_one_kind(std::size_t column) const {
    const ClaimAmount* first = nullptr;
    std::size_t filled = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
      const ClaimAmount* one = grid_.values[row][column];
      if (one == nullptr) continue;
      if (first != nullptr && (one->dimension != first->dimension || one->currency != first->currency)) return false;
      first = first == nullptr ? one : first;
      ++filled;
    }
    return filled >= kLeastRows && !first->odd;
  }

  struct Row {
    std::size_t row;
    GridSpan ratio;         ///< factors that its digits allow
    double target, others;  ///< logarithms
  };

  /// Rows with all that a product needs; empty: too few, or nothing varies.
  std::vector<Row> rows_of(std::size_t target, const std::vector<std::size_t>& others, bool inverse) const {
    std::vector<Row> rows;
    for (std::size_t row = 0; row < rows_; ++row) {
      const ClaimAmount* result = grid_.values[row][target];
      if (result == nullptr || result->low <= 0) continue;
      GridSpan ratio = span_of(*result, column_unit(grid_, target), true);
      double product = 0;
      bool whole = ratio.low > 0;
      for (const std::size_t other : others) {
        const ClaimAmount* one = grid_.values[row][other];
        if (one == nullptr || one->low <= 0) {
          whole = false;
          break;
        }
        const GridSpan span = span_of(*one, column_unit(grid_, other), false);
        whole = whole && span.low > 0;
        ratio = inverse ? GridSpan{ratio.low * span.low, ratio.high * span.high}
                        : GridSpan{ratio.low / span.high, ratio.high / std::max(span.low, 1e-300)};
        product += std::log(one->low);
      }
      if (whole) rows.push_back({row, ratio, std::log(result->low), product});
    }
    if (rows.size() < kLeastRows) rows.clear();
    return rows;
  }

  /// Where most intervals meet.
  static double meeting(const std::vector<Row>& rows) {
    double best = 0;
    std::size_t most = 0;
    for (const Row& one : rows)
      for (const double end : {one.ratio.low, one.ratio.high}) {
        const auto within = static_cast<std::size_t>(std::ranges::count_if(rows, [&](const Row& other) {
          return other.ratio.low <= end * (1 + 1e-12) && other.ratio.high >= end * (1 - 1e-12);
        }));
        if (within > most) most = within, best = end;
      }
    return best;
  }

  /// A factor that is known, among how many, and whether it may be that of rows of different things.
  struct Known {
    double factor, among;
    bool of_all;
  };
  std::optional<Known> known_in(GridSpan span, bool of_tokens, bool of_one) const {
    const auto is_in = [&](double one) { return one >= span.low && one <= span.high; };
    double among = 1;
    if (is_in(1)) return Known{1, among, true};
    among += static_cast<double>(std::size(kConversions));
    for (const double one : kConversions)
      if (is_in(one)) return Known{one, among, true};
    for (const double one : kOfMillions)
      if (of_tokens && is_in(one)) return Known{one, among, true};
    // Those of a column beside it, of the same thing.
    among += static_cast<double>(grid_.constants.size());
    for (const double one : grid_.constants)
      if (of_one && is_in(one)) return Known{one, among, true};
    for (const auto& [factors, of_all] : {std::pair{&grid_.in_heads, true}, {&grid_.in_text, false}}) {
      among += static_cast<double>(std::size(kUnits) * factors->size());
      for (const double one : *factors)
        for (const double unit : kUnits)
          if (is_in(one * unit)) return Known{one * unit, among, of_all};
    }
    return std::nullopt;
  }

  void product(std::size_t target, std::vector<std::size_t> others, bool inverse) {
    const std::vector<Row> rows = rows_of(target, others, inverse);
    if (rows.empty()) return;
    const double at = meeting(rows);
    GridRelation one{target, std::move(others), inverse};
    one.factor = at;
    one.work = inverse && one.others.size() == 1 && is_work(target, one.others.front());
    GridSpan common{0, 1e300};
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    std::set<std::pair<double, double>> different;
    std::vector<double> widths;
    for (const Row& row : rows) {
      if (row.ratio.low > at * (1 + 1e-12) || row.ratio.high < at * (1 - 1e-12)) {
        one.bad.push_back(row.row);
        continue;
      }
      one.good.push_back(row.row);
      common = {std::max(common.low, row.ratio.low), std::min(common.high, row.ratio.high)};
      if (!different.emplace(row.target, row.others).second) continue;
      const double width = std::log(row.ratio.high / row.ratio.low);
      widths.push_back(width);
      low[0] = std::min(low[0], row.target), high[0] = std::max(high[0], row.target);
      low[1] = std::min(low[1], row.others), high[1] = std::max(high[1], row.others);
    }
    const double spread = std::max(high[0] - low[0], high[1] - low[1]);
    constexpr double kVaries = 0.18;  // by a fifth
    if (widths.size() < kLeastGood || one.good.size() < 2 * one.bad.size() || spread < kVaries) return;
    if (!std::ranges::all_of(one.others, [&](std::size_t other) { return varies(one, other); })) return;
    common = {common.low * (1 - 1e-12), common.high * (1 + 1e-12)};
    const auto known = known_in(common, is_of_tokens(one), one.others.size() == 1 && !one.inverse);
    one.chance = trials_;
    // A factor that nobody tells may be that of some rows alone, and one of a sentence is that of rows of one thing.
    if (!one.work && (!known || !(known->of_all || grid_.same))) return;
    if (known) one.factor = known->factor;
    if (!one.work) one.chance *= std::min(1.0, known->among * std::log(common.high / common.low) / kReach);
    std::ranges::sort(widths);
    for (std::size_t i = 1; i < widths.size(); ++i) one.chance *= std::min(1.0, widths[i] / spread);
    // Two columns that are mostly equal need not be the same: prices at two times, a least and a usual one.
    if (one.others.size() == 1 && !inverse && one.factor == 1) return;
    keep(std::move(one));
  }

  ClaimDimension kind(std::size_t column) const {
    for (const auto& row : grid_.values)
      if (row[column] != nullptr) return row[column]->dimension;
    return ClaimDimension::kBare;
  }

  /// A price of an hour and a speed are among its columns.
  bool is_of_tokens(const GridRelation& relation) const {
    bool price = kind(relation.target) == ClaimDimension::kPrice, speed = false;
    for (const std::size_t other : relation.others) {
      price = price || kind(other) == ClaimDimension::kPrice;
      speed = speed || kind(other) == ClaimDimension::kTokenRate;
    }
    return price && (speed || kind(relation.target) == ClaimDimension::kTokenRate);
  }

  /// Hours and tokens a second: options do the same work, which need not be told.
  bool is_work(std::size_t a, std::size_t b) const {
    const auto is_speed = [&](std::size_t column) {
      const ClaimDimension of = kind(column);
      const std::string head = to_lower(grid_.names[column]);
      // "Images/min", of whatever is made.
      return of == ClaimDimension::kTokenRate || of == ClaimDimension::kSampleRate ||
             (of == ClaimDimension::kBare && !head.contains('$') &&
              (head.ends_with("/min") || head.ends_with("/s") || head.ends_with("/h") || head.ends_with("per second") ||
               head.ends_with("per minute") || head.ends_with("per hour")));
    };
    return (kind(a) == ClaimDimension::kTime && is_speed(b)) || (kind(b) == ClaimDimension::kTime && is_speed(a));
  }

  /// What is the same in all rows that agree is a part of the factor.
  bool varies(const GridRelation& relation, std::size_t column) const {
    const double first = grid_.values[relation.good.front()][column]->low;
    return std::ranges::any_of(relation.good, [&](std::size_t row) { return grid_.values[row][column]->low != first; });
  }

  void sum(std::size_t target, std::vector<std::size_t> others) {
    const auto unit_of = [&](std::size_t column) { return column_unit(grid_, column); };
    const ClaimAmount* first = nullptr;
    GridRelation one{target, std::move(others), false, true};
    double low = 1e300, high = 0;
    one.chance = trials_;
    std::vector<double> widths;
    for (std::size_t row = 0; row < rows_; ++row) {
      const ClaimAmount* result = grid_.values[row][target];
      if (result == nullptr) continue;
      if (first == nullptr) first = result;
      GridSpan total{0, 0};
      bool whole = true;
      for (const std::size_t other : one.others) {
        const ClaimAmount* part = grid_.values[row][other];
        whole = whole && part != nullptr && part->dimension == result->dimension && part->low > 0 &&
                unit_of(other) == unit_of(target);
        if (!whole) break;
        const GridSpan span = span_of(*part, unit_of(other), false);
        total = {total.low + span.low, total.high + span.high};
      }
      if (!whole) continue;
      const GridSpan stated = span_of(*result, unit_of(target), true);
      if (stated.low > total.high * (1 + 1e-12) || stated.high < total.low * (1 - 1e-12)) {
        one.bad.push_back(row);
        continue;
      }
      one.good.push_back(row);
      low = std::min(low, stated.low), high = std::max(high, stated.high);
      widths.push_back(stated.high - stated.low + total.high - total.low);
    }
    if (one.good.size() < kLeastGood || one.good.size() < 2 * one.bad.size()) return;
    for (const double width : widths) one.chance *= std::min(1.0, width / std::max(high - low, 1e-300));
    keep(std::move(one));
  }

  void keep(GridRelation one) {
    // Where one row of three breaks it, it must be all the surer.
    constexpr double kFewer = 1e-3;
    if (one.chance <= (one.good.size() < 3 * one.bad.size() ? kNoChance * kFewer : kNoChance))
      found_.push_back(std::move(one));
  }

  const AmountGrid& grid_;
  long& steps_;
  std::size_t rows_ = 0;
  std::vector<std::size_t> columns_;
  double trials_ = 1;
  std::vector<GridRelation> found_;
};

bool differ_in_one(const GridRelation& a, const GridRelation& b) {
  return std::ranges::count_if(a.others, [&](std::size_t other) { return !b.uses(other); }) == 1;
}

}  // namespace

bool GridRelation::holds(std::size_t row) const { return std::ranges::find(good, row) != good.end(); }
bool GridRelation::uses(std::size_t column) const {
  return column == target || std::ranges::find(others, column) != others.end();
}

std::vector<GridRelation> relations_of(const AmountGrid& grid, long& steps) {
  std::vector<GridRelation> found = Relations(grid, steps).find();
  // "More = hours saved x dollars per hour saved" holds everywhere: a column that is mostly equal to one of these is
  // another.
  const auto is_stand_in = [&](const GridRelation& one) {
    return !one.bad.empty() && std::ranges::any_of(found, [&](const GridRelation& whole) {
      return whole.bad.empty() && whole.sum == one.sum && whole.inverse == one.inverse && whole.target == one.target &&
             whole.others.size() == one.others.size() && differ_in_one(whole, one);
    });
  };
  std::vector<GridRelation> kept;
  for (const GridRelation& one : found)
    if (!is_stand_in(one)) kept.push_back(one);
  return kept;
}

double in_unit_of(const AmountGrid& grid, std::size_t row, std::size_t column) {
  return grid.values[row][column]->low / column_unit(grid, column);
}

double value_for(const AmountGrid& grid, const GridRelation& relation, std::size_t row, std::size_t column) {
  double rest = relation.sum ? 0 : relation.factor;
  for (const std::size_t other : relation.others) {
    if (other == column) continue;
    const double value = in_unit_of(grid, row, other);
    if (relation.sum) rest += value;
    else rest = relation.inverse ? rest / value : rest * value;
  }
  if (column == relation.target) return rest;
  const double result = in_unit_of(grid, row, relation.target);
  if (relation.sum) return result - rest;
  return relation.inverse ? rest / result : result / rest;
}

}  // namespace gpuplan::audit
