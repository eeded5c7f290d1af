#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/claims.h"

namespace gpuplan::audit {
namespace {

/// Cells that two things speak against: a part of a total that is off by just as much as the cell is off by what the
/// other rows bear out; a price that is not the first one less its discount; a saving that is no difference. They are
/// looked for before all sums, so that nothing that follows from the right value is accused.
class Repairs {
 public:
  explicit Repairs(Bench& bench) : bench_(bench) {}

  void check(bool shares) {
    for (int table = 0; table < bench_.tables(); ++table) {
      rows_ = bench_.rows_of(table);
      constexpr std::size_t kLeast = 3, kMost = 60;
      if (rows_.size() < kLeast || rows_.size() > kMost ||
          bench_.document.tables[static_cast<std::size_t>(table)].across)
        continue;
      read();
      if (shares) {
        relatives();
        continue;
      }
      for (std::size_t column = 1; column < columns_; ++column) part_of_total(column);
      discounts();
      savings();
    }
  }

 private:
  void read() {
    values_.clear();
    columns_ = 0;
    for (const ClaimRecord* row : rows_) {
      auto& values = values_.emplace_back();
      for (const ClaimText* cell : cells_of(bench_.document, *row)) values.push_back(the_amount(*cell));
      columns_ = std::max(columns_, values.size());
    }
    for (auto& values : values_) values.resize(columns_);
  }

  static const ClaimAmount* the_amount(const ClaimText& cell) {
    if (cell.quantities.size() != 1 || !cell.gpus.empty()) return nullptr;
    const ClaimAmount& one = cell.quantities.front();
    return one.range() || one.odd || one.approximate || one.at_least || one.at_most || one.added || one.taken ? nullptr
                                                                                                              : &one;
  }

  /// The values that an amount may be the rounding of.
  static ClaimEnds as_stated(const ClaimAmount& one) {
    const double step = one.low_step;
    return {{one.low - step, one.low + step}, {one.high - step, one.high + step}};
  }

  std::optional<std::size_t> only_total() const {
    std::optional<std::size_t> found;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (!rows_[row]->total) continue;
      if (found) return std::nullopt;
      found = row;
    }
    return found && *found + 1 == rows_.size() ? found : std::nullopt;
  }

  void part_of_total(std::size_t column) {
    const auto last = only_total();
    if (!last || values_[*last][column] == nullptr) return;
    const ClaimAmount& total = *values_[*last][column];
    ClaimEnds sum = ends_of(0.0);
    double plain = 0;
    for (std::size_t row = 0; row < *last; ++row) {
      const ClaimAmount* part = values_[row][column];
      if (part == nullptr || part->dimension != total.dimension || part->unit != total.unit) return;
      sum = sum + ends_of(*part);
      plain += part->low;
    }
    if (fits(total, sum)) return;
    for (std::size_t a = 1; a < columns_ && bench_.go_on(); ++a)
      for (std::size_t b = a; b < columns_; ++b)
        if (a != column && b != column && put_right(column, a, b, total.low - plain)) return;
  }

  /// What is known to be wrong counts as what is right.
  ClaimEnds right(const ClaimAmount& one) const {
    const auto found = bench_.right.find(one.id);
    return found == bench_.right.end() ? ends_of(one, true) : ends_of(found->second);
  }

  /// The factors of a row: one column, or two; nullopt: not all are there.
  std::optional<ClaimEnds> factors(std::size_t row, std::size_t a, std::size_t b) const {
    const ClaimAmount *x = values_[row][a], *y = values_[row][b];
    if (x == nullptr || y == nullptr || x->low <= 0 || y->low <= 0) return std::nullopt;
    return a == b ? right(*x) : right(*x) * right(*y);
  }

  /// One row alone has another ratio than all others, and the one of the others where the total is right.
  bool put_right(std::size_t column, std::size_t a, std::size_t b, double missing) {
    for (std::size_t bad = 0; bad + 1 < rows_.size(); ++bad) {
      const ClaimAmount& stated = *values_[bad][column];
      const double instead = stated.low + missing;
      const auto own = factors(bad, a, b);
      if (!own || instead <= 0) continue;
      double low = 0, high = 1e300;
      std::vector<double> different;
      bool good = true;
      for (std::size_t row = 0; row < rows_.size() && good; ++row) {
        const ClaimAmount* target = values_[row][column];
        const auto by = factors(row, a, b);
        if (row == bad || target == nullptr || !by || target->low <= 0) {
          good = row == bad || (rows_[row]->total && !by);
          continue;
        }
        const ClaimEnds ratio = as_stated(*target) / *by;
        low = std::max(low, ratio.least()), high = std::min(high, ratio.most());
        // A total and one part are no rule.
        if (!rows_[row]->total && std::ranges::find(different, target->low) == different.end())
          different.push_back(target->low);
      }
      constexpr double kRoom = 1e-9, kNear = 3;
      if (!good || different.size() < 2 || low > high * (1 + kRoom) || instead > kNear * stated.low ||
          stated.low > kNear * instead)
        continue;
      const ClaimEnds is = as_stated(stated) / *own;
      ClaimAmount copy = stated;
      copy.low = copy.high = instead;
      const ClaimEnds would = as_stated(copy) / *own;
      if (is.least() <= high && is.most() >= low) continue;
      if (would.least() > high * (1 + kRoom) || would.most() < low * (1 - kRoom)) continue;
      tell(bad, stated, instead, "the total and the other rows");
      return true;
    }
    return false;
  }

  /// "0 % | $2.99", "10 % | $2.69", "25 % | $2.24": the price of the first row less the discount.
  void discounts() {
    for (std::size_t share = 1; share < columns_; ++share) {
      const ClaimAmount* first = values_[0][share];
      if (first == nullptr || first->dimension != ClaimDimension::kShare || first->low != 0) continue;
      for (std::size_t price = 1; price < columns_; ++price) {
        const ClaimAmount* base = values_[0][price];
        if (price == share || base == nullptr || base->low <= 0 ||
            (base->dimension != ClaimDimension::kPrice && base->dimension != ClaimDimension::kMoney))
          continue;
        // A price that the document goes on with is meant as it is, and its discount is wrong.
        if (const auto bad = breaks(price, [&](std::size_t row) { return less_discount(row, share, *base); });
            bad && goes_on_with(*values_[*bad][price])) {
          tell(*bad, *values_[*bad][share], 1 - values_[*bad][price]->low / base->low, "against the row of 0%");
          continue;
        }
        one_breaks(price, [&](std::size_t row) { return less_discount(row, share, *base); });
      }
    }
  }

  /// "Cost | Saved": the first row saves nothing, and the others what they cost less.
  void savings() {
    for (std::size_t saved = 1; saved < columns_; ++saved) {
      const ClaimAmount* none = values_[0][saved];
      if (none == nullptr || none->low != 0 || none->dimension != ClaimDimension::kMoney) continue;
      for (std::size_t cost = 1; cost < columns_; ++cost) {
        const ClaimAmount* base = values_[0][cost];
        if (cost == saved || base == nullptr || base->dimension != ClaimDimension::kMoney || base->low <= 0) continue;
        one_breaks(saved, [&](std::size_t row) -> std::optional<ClaimEnds> {
          const ClaimAmount* of = values_[row][cost];
          if (of == nullptr || of->dimension != ClaimDimension::kMoney || of->low >= base->low) return std::nullopt;
          return ends_of(*base) - ends_of(*of);
        });
      }
    }
  }

  /// "vs. cheapest": +0%, +6%, +12%: how much more a column of the table is than in the row of 0%.
  void relatives() {
    for (std::size_t share = 1; share < columns_; ++share) {
      std::vector<const ClaimAmount*> stated;
      std::size_t zero = rows_.size();
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        const auto& all = cells_of(bench_.document, *rows_[row])[share]->quantities;
        const bool one = all.size() == 1 && all[0].dimension == ClaimDimension::kShare && !all[0].range() &&
                         !all[0].approximate && !rows_[row]->total;
        stated.push_back(one ? &all[0] : nullptr);
        if (one && all[0].low == 0) zero = row;
      }
      if (zero == rows_.size() || std::ranges::find(stated, nullptr) != stated.end()) continue;
      for (std::size_t base = 1; base < columns_; ++base)
        if (base != share && relative_to(base, zero, stated)) break;
    }
  }

  /// True: the column is of the other one.
  bool relative_to(std::size_t base, std::size_t zero, const std::vector<const ClaimAmount*>& stated) {
    const ClaimAmount* first = values_[zero][base];
    if (first == nullptr || first->low <= 0) return false;
    std::size_t good = 0, bad = rows_.size();
    ClaimEnds instead = ends_of(0.0);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const ClaimAmount* one = values_[row][base];
      if (row == zero) continue;
      if (one == nullptr || one->dimension != first->dimension || stated[row]->taken || one->low <= first->low)
        return false;
      // A cell that is wrong itself bears nothing out: as it is written, and as it should be.
      const ClaimEnds share = right(*one) / right(*first) - ends_of(1.0),
                      told_so = ends_of(*one) / ends_of(*first) - ends_of(1.0);
      if (fits(*stated[row], share) || fits(*stated[row], told_so)) ++good;
      else if (bad == rows_.size()) bad = row, instead = share;
      else return false;
    }
    if (good < 2 || bad == rows_.size() || instead.least() <= 0) return good >= 2;
    tell(bad, *stated[bad], (instead.low_middle() + instead.high_middle()) / 2, "against the row of 0%");
    return true;
  }

  std::optional<ClaimEnds> less_discount(std::size_t row, std::size_t share, const ClaimAmount& base) const {
    const ClaimAmount* off = values_[row][share];
    if (off == nullptr || off->dimension != ClaimDimension::kShare || off->low >= 1) return std::nullopt;
    return ends_of(base, true) * (1 - off->low);
  }

  /// A sentence states the same price.
  bool goes_on_with(const ClaimAmount& price) const {
    return std::ranges::any_of(bench_.document.lines, [&](const ClaimLine& line) {
      return std::ranges::any_of(line.said.quantities, [&](const ClaimAmount& one) {
        return !one.range() && !one.currency.empty() && one.low / one.unit == price.low / price.unit;
      });
    });
  }

  /// The one row that breaks it, where two rows below the first bear it out.
  template <class Right>
  std::optional<std::size_t> breaks(std::size_t column, const Right& right_of) const {
    std::size_t good = 0, bad = 0;
    for (std::size_t row = 1; row < rows_.size(); ++row) {
      if (rows_[row]->total) continue;
      const ClaimAmount* stated = values_[row][column];
      const std::optional<ClaimEnds> right = right_of(row);
      if (stated == nullptr || !right || right->least() <= 0) return std::nullopt;
      if (fits(*stated, *right)) ++good;
      else if (bad == 0) bad = row;
      else return std::nullopt;
    }
    return good < 2 || bad == 0 ? std::nullopt : std::optional(bad);
  }

  template <class Right>
  void one_breaks(std::size_t column, const Right& right_of) {
    const auto bad = breaks(column, right_of);
    if (!bad) return;
    const ClaimEnds right = *right_of(*bad);
    constexpr double kNear = 2;
    const ClaimAmount& stated = *values_[*bad][column];
    if (stated.low < kNear * right.most() && right.least() < kNear * stated.low)
      tell(*bad, stated, (right.low_middle() + right.high_middle()) / 2, "as in the other rows, from the first one");
  }

  void tell(std::size_t row, const ClaimAmount& stated, double right, const std::string& how) {
    bench_.use(stated);
    if (!bench_.right.emplace(stated.id, right).second) return;
    const bool bare = stated.dimension == ClaimDimension::kBare;
    bench_.find(FindingKind::kWrong, rows_[row]->line, rows_[row]->label, stated.text,
                bare ? significant_text(right / stated.unit, 6) : told(stated, ends_of(right)), how);
  }

  Bench& bench_;
  std::vector<const ClaimRecord*> rows_;
  std::vector<std::vector<const ClaimAmount*>> values_;  ///< row by row
  std::size_t columns_ = 0;
};

}  // namespace

void check_repairs(Bench& bench) { Repairs(bench).check(false); }

void check_relatives(Bench& bench) { Repairs(bench).check(true); }

}  // namespace gpuplan::audit
