#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/span.h"
#include "evidence/audit/relations/relations.h"
#include "evidence/claims/claims.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Rows that break what the other rows of their table bear out.
class BrokenRows {
 public:
  explicit BrokenRows(Bench& bench) : bench_(bench) {
    for (const ClaimLine& line : bench.document.lines)
      middles_ = middles_ || says_percentiles(to_lower(line.said.text));
  }

  void check() {
    for (int table = 0; table < bench_.tables(); ++table) {
      rows_.clear();
      for (const ClaimRecord* row : bench_.rows_of(table))
        if (!row->total) rows_.push_back(row);
      constexpr std::size_t kLeast = 4;
      if (rows_.size() >= kLeast) look_at(bench_.document.tables[static_cast<std::size_t>(table)]);
    }
  }

 private:
  void look_at(const ClaimTable& table) {
    AmountGrid grid = grid_of(table);
    // What is put right in one round may bear out another relation in the next.
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      const auto relations = relations_of(grid, bench_.steps);
      bench_.go_on();
      for (const GridRelation& one : relations)
        for (const std::size_t row : one.good)
          for (std::size_t column = 0; column < grid.names.size(); ++column)
            if (one.uses(column)) bench_.use(*grid.values[row][column]);
      const std::size_t known = bench_.right.size();
      for (std::size_t row = 0; row < rows_.size(); ++row) judge(grid, relations, row);
      if (bench_.right.size() == known) return;
      put_right(grid);
    }
  }

  /// Copies of what is known to be wrong, with the right values.
  void put_right(AmountGrid& grid) {
    for (auto& values : grid.values)
      for (const ClaimAmount*& one : values) {
        if (one == nullptr || one->id < 0) continue;
        const auto right = bench_.right.find(one->id);
        if (right == bench_.right.end()) continue;
        ClaimAmount copy = *one;
        copy.id = -1;
        copy.low = copy.high = right->second;
        counts_.push_back(std::move(copy));
        one = &counts_.back();
      }
  }

  AmountGrid grid_of(const ClaimTable& table) {
    AmountGrid grid;
    counts_.clear();
    std::string gpu;
    for (const ClaimRecord* row : rows_) {
      auto& values = grid.values.emplace_back();
      const auto cells = cells_of(bench_.document, *row);
      for (const ClaimText* cell : cells) values.push_back(the_amount(*cell));
      values.push_back(count_of(*row));
      if (!row->key().empty() && !gpu.empty() && row->gpu != gpu) grid.same = false;
      if (!row->gpu.empty()) gpu = row->gpu;
    }
    for (std::size_t i = 0; i + 1 < grid.values.front().size(); ++i)
      grid.names.push_back(table.across ? (i == 0 ? "" : table.rows[i - 1].cells.front().text) : table.heads[i].text);
    grid.names.emplace_back("GPUs");
    for (auto& values : grid.values) values.resize(grid.names.size());
    tell_factors(table, grid);
    return grid;
  }

  /// Amounts of its heads and of the sentences of its section.
  void tell_factors(const ClaimTable& table, AmountGrid& grid) const {
    constexpr std::size_t kMost = 60;
    const auto take = [&](const ClaimText& said, std::vector<double>& factors) {
      for (const ClaimAmount& one : said.quantities) {
        if (one.range() || one.low <= 0 || factors.size() >= kMost) continue;
        factors.push_back(one.low / one.unit);
        if (one.dimension == ClaimDimension::kShare) {
          factors.push_back(1 + one.low);
          factors.push_back(1 - one.low);
        }
      }
    };
    for (const ClaimText& head : table.heads) take(head, grid.in_heads);
    take_constants(grid);
    if (table.across)
      for (const ClaimRow& row : table.rows) take(row.cells.front(), grid.in_heads);
    for (const ClaimLine& line : bench_.document.lines)
      if (bench_.within(line.section, table.section) || bench_.within(table.section, line.section))
        take(line.said, grid.in_text);
    by_gpus(table, grid);
  }

  /// "Monthly (730 h)" of the 64 GPUs that sentences tell.
  void by_gpus(const ClaimTable& table, AmountGrid& grid) const {
    std::set<int> counts;
    for (const ClaimLine& line : bench_.document.lines)
      if (bench_.within(line.section, table.section) || bench_.within(table.section, line.section))
        for (const GpuMention& gpu : line.said.gpus)
          if (gpu.count > 1) counts.insert(gpu.count);
    constexpr std::size_t kFew = 3;
    if (counts.size() > kFew || grid.in_heads.size() > kFew) return;
    for (const int count : counts) {
      grid.in_text.push_back(count);
      for (const double head : grid.in_heads) grid.in_text.push_back(head * count);
    }
  }

  /// What is the same in every row is as a number of its head.
  static void take_constants(AmountGrid& grid) {
    for (std::size_t column = 0; column < grid.names.size(); ++column) {
      const ClaimAmount* first = grid.values.front()[column];
      const bool same = first != nullptr && first->low > 0 && std::ranges::all_of(grid.values, [&](const auto& row) {
                          return row[column] != nullptr && row[column]->low == first->low &&
                                 row[column]->dimension == first->dimension;
                        });
      if (same) grid.constants.push_back(first->low / first->unit);
    }
  }

  /// The only amount of a cell, all of what it says.
  static const ClaimAmount* the_amount(const ClaimText& cell) {
    if (cell.quantities.size() != 1 || !cell.gpus.empty()) return nullptr;
    const ClaimAmount& one = cell.quantities.front();
    if (one.range() || one.odd || one.approximate || one.at_least || one.at_most || one.added || one.taken)
      return nullptr;
    return &one;
  }

  const ClaimAmount* count_of(const ClaimRecord& row) {
    if (row.count <= 0 || row.find(ClaimRole::kGpus) != nullptr) return nullptr;
    ClaimAmount one;
    one.dimension = ClaimDimension::kGpus;
    one.low = one.high = row.count;
    one.low_step = one.high_step = 1;
    one.whole = true;
    one.id = -1;
    counts_.push_back(one);
    return &counts_.back();
  }

  /// All relations that a row breaks have one cell in common that no relation which it bears out uses: that cell is
  /// wrong, the last of them where there are several.
  void judge(const AmountGrid& grid, const std::vector<GridRelation>& relations, std::size_t row) {
    std::vector<bool> guilty(grid.names.size(), true), innocent(grid.names.size(), false);
    const GridRelation* surest = nullptr;
    for (const GridRelation& one : relations) {
      const bool broken = std::ranges::find(one.bad, row) != one.bad.end();
      if (broken && uses_wrong(grid, one, row)) continue;
      for (std::size_t column = 0; column < grid.names.size(); ++column) {
        if (broken) guilty[column] = guilty[column] && one.uses(column);
        else if (one.uses(column) && one.holds(row) && is_exact(grid, one, row)) innocent[column] = true;
      }
      if (broken && !explained(grid, one, row) && (surest == nullptr || one.chance < surest->chance)) surest = &one;
      else if (broken && explained(grid, one, row)) return;
    }
    if (surest == nullptr) return;
    // Speeds are measured, and times follow from them, as costs do from times.
    if (surest->work)
      for (const std::size_t column : {surest->target, surest->others.front()})
        if (guilty[column] && grid.values[row][column]->dimension == ClaimDimension::kTime)
          return tell(grid, *surest, row, column);
    for (std::size_t column = grid.names.size(); column-- > 0;) {
      const ClaimAmount* stated = grid.values[row][column];
      if (!guilty[column] || innocent[column] || stated == nullptr || stated->id < 0 || !surest->uses(column)) continue;
      tell(grid, *surest, row, column);
      return;
    }
  }

  /// It holds for the figures as they are written, and not only for what their digits leave open.
  static bool is_exact(const AmountGrid& grid, const GridRelation& relation, std::size_t row) {
    const ClaimAmount& stated = *grid.values[row][relation.target];
    const double off =
        std::fabs(in_unit_of(grid, row, relation.target) - value_for(grid, relation, row, relation.target));
    return off * stated.unit <= stated.low_step * (1 + 1e-9);
  }

  /// One of its cells is known to be wrong.
  bool uses_wrong(const AmountGrid& grid, const GridRelation& relation, std::size_t row) const {
    for (std::size_t column = 0; column < grid.names.size(); ++column)
      if (relation.uses(column) && bench_.right.contains(grid.values[row][column]->id)) return true;
    return false;
  }

  /// What its other cells say of it makes it another: "2 nodes", "30% off", "x3"; "free", "minimum".
  bool explained(const AmountGrid& grid, const GridRelation& relation, std::size_t row) const {
    const double is = in_unit_of(grid, row, relation.target), would = value_for(grid, relation, row, relation.target);
    if (would <= 0) return true;
    const double ratio = is / would;
    // Middles of ranges are no products of each other.
    constexpr double kOfMiddles = 1.3;
    if (middles_ && ratio < kOfMiddles && ratio > 1 / kOfMiddles) return true;
    const auto near = [&](double factor) {
      constexpr double kClose = 0.03;
      return factor > 0 && (std::fabs(ratio / factor - 1) < kClose || std::fabs(ratio * factor - 1) < kClose);
    };
    const auto cells = cells_of(bench_.document, *rows_[row]);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (relation.uses(column)) continue;
      for (const ClaimAmount& one : cells[column]->quantities) {
        const double value = one.dimension == ClaimDimension::kShare ? one.low : one.low / one.unit;
        // "0%" changes nothing.
        if (value == 0) continue;
        if (near(value) || (one.dimension == ClaimDimension::kShare && (near(1 + value) || near(1 - value))))
          return true;
      }
      if (has_word_of(to_lower(cells[column]->text),
                      {"free",      "minimum", "min.",   "discount", "discounted", "credit", "credits",   "reserved",
                       "flat",      "twice",   "double", "half",     "both",       "incl",   "including", "excl",
                       "excluding", "rabatt",  "frei",   "gratis",   "pauschal",   "remise", "forfait",   "gratuit"}))
        return true;
    }
    return false;
  }

  void tell(const AmountGrid& grid, const GridRelation& relation, std::size_t row, std::size_t column) {
    const ClaimAmount& stated = *grid.values[row][column];
    const ClaimRecord& record = *rows_[row];
    int line = record.line;
    for (const ClaimFact& fact : record.facts)
      if (fact.value == &stated) line = fact.line;
    const auto is_there = [&](const Finding& one) {
      return one.line == line && (one.kind == FindingKind::kWrong || one.kind == FindingKind::kInconsistent);
    };
    if (std::ranges::any_of(bench_.findings, is_there)) return;
    const double right = value_for(grid, relation, row, column) * stated.unit;
    if (right <= 0) return;
    bench_.use(stated);
    bench_.right.emplace(stated.id, right);
    bench_.find(FindingKind::kWrong, line, record.label, stated.text, in_its_unit(stated, right),
                "as in the other rows: " + equation(grid, relation));
  }

  /// "$3,635 a month" where the price is told so.
  static std::string in_its_unit(const ClaimAmount& stated, double right) {
    if (stated.dimension == ClaimDimension::kBare) {
      // With as many digits as the cell shows.
      const double step = stated.low_step / stated.unit;
      return fixed_text(right,
                        std::clamp(static_cast<int>(std::lround(-std::log10(std::clamp(step, 1e-6, 1.0)))), 0, 6));
    }
    if (stated.dimension != ClaimDimension::kPrice || stated.unit == 1) return told(stated, ends_of(right));
    ClaimAmount money = stated;
    money.dimension = ClaimDimension::kMoney;
    return told(money, ends_of(right / stated.unit));
  }

  static std::string equation(const AmountGrid& grid, const GridRelation& relation) {
    const auto name = [&](std::size_t column) {
      return grid.names[column].empty() ? "column " + std::to_string(column + 1) : grid.names[column];
    };
    std::string others;
    for (const std::size_t other : relation.others)
      others += (others.empty() ? "" : relation.sum ? " + " : " \xC3\x97 ") + name(other);
    if (relation.inverse) return name(relation.target) + " \xC3\x97 " + others + " = " + number_text(relation.factor);
    return name(relation.target) + " = " + others +
           (relation.sum || relation.factor == 1 ? "" : " \xC3\x97 " + significant_text(relation.factor, 4));
  }

  Bench& bench_;
  std::vector<const ClaimRecord*> rows_;
  std::deque<ClaimAmount> counts_;
  bool middles_ = false;  ///< the document tells ranges
};

}  // namespace

void check_relations(Bench& bench) { BrokenRows(bench).check(); }

}  // namespace gpuplan::audit
