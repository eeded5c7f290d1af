#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/bill_tally.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Totals of tables whose options are columns. A sum is of one unit: hours, counts and prices of an hour that stand
/// between the amounts of a bill are no terms of it. Which of its amounts are, is what is right for most options.
class Across {
 public:
  explicit Across(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimTable& table : bench_.document.tables) {
      if (!table.across) continue;
      table_ = &table;
      parts_.clear();
      instead_.clear();
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const std::string label = to_lower(table.rows[row].cells.front().text);
        if (!has_money(row)) continue;
        if (is_total_word(label)) {
          total(row);
          // What follows is added to it, or begins anew.
          parts_ = {row};
        } else if (!is_of_one(label)) {
          share(row);
          parts_.push_back(row);
        }
      }
    }
  }

 private:
  /// "Price per hour", "Rate", "$/run": of one of something, and no part of a sum.
  static bool is_of_one(std::string_view label) {
    return has_any(label, {"per ", "/", "price", "hourly", "saved", "saving"}) || has_word(label, "rate") ||
           has_word(label, "each");
  }
  /// Amounts that a plan is held against.
  static bool is_limit(std::string_view label) {
    return has_any(label, {"budget", "limit", "target", "ceiling", "at most", "instead", "before", "old"});
  }

  const ClaimAmount* at(std::size_t row, std::size_t column) const {
    const auto& all = table_->rows[row].cells[column].quantities;
    return all.size() == 1 && all[0].dimension == ClaimDimension::kMoney && !all[0].odd ? &all.front() : nullptr;
  }
  bool has_money(std::size_t row) const {
    for (std::size_t column = 1; column < table_->heads.size(); ++column)
      if (at(row, column) != nullptr) return true;
    return false;
  }

  BillTally tally_of(const std::vector<std::size_t>& rows, std::size_t column) const {
    BillTally tally;
    for (const std::size_t row : rows) {
      const ClaimAmount* value = at(row, column);
      if (value == nullptr) continue;
      const auto told = instead_.find({row, column});
      const auto right = bench_.right.find(value->id);
      const ClaimEnds known = right == bench_.right.end() ? ClaimEnds{} : ends_of(right->second);
      tally.part(*value, table_->rows[row].cells.front().text,
                 told != instead_.end()        ? &told->second
                 : right != bench_.right.end() ? &known
                                               : nullptr);
    }
    return tally;
  }

  /// So many columns have the total that these rows come to, and so many have not.
  struct Fit {
    int good = 0;
    std::vector<std::size_t> off;  ///< columns
  };
  Fit fit(const std::vector<std::size_t>& rows, std::size_t total) {
    Fit found;
    for (std::size_t column = 1; column < table_->heads.size(); ++column) {
      const ClaimAmount* stated = at(total, column);
      if (stated == nullptr || !bench_.go_on()) continue;
      const BillTally tally = tally_of(rows, column);
      if (tally.parts() == 0) continue;
      if (tally.is_total(*stated) || is_times(*stated, tally, column)) ++found.good;
      else found.off.push_back(column);
    }
    return found;
  }

  /// Of several runs, nodes or months that the column counts.
  bool is_times(const ClaimAmount& stated, const BillTally& tally, std::size_t column) const {
    return std::ranges::any_of(table_->rows, [&](const ClaimRow& row) {
      const auto& all = row.cells[column].quantities;
      return all.size() == 1 && all[0].whole && all[0].low > 1 && all[0].unit > 0 &&
             fits(stated, tally.right_total() * (all[0].low / all[0].unit));
    });
  }

  void total(std::size_t row) {
    // The total above alone is no part that a sum could be made of.
    if (parts_.size() < 2) return;
    Fit best = fit(parts_, row);
    std::vector<std::size_t> terms = parts_;
    bool sure = best.good > 0;
    constexpr std::size_t kMost = 8;
    if (!sure && parts_.size() <= kMost)
      for (std::uint32_t choice = 1; choice < (1U << parts_.size()); ++choice) {
        std::vector<std::size_t> some;
        for (std::size_t i = 0; i < parts_.size(); ++i)
          if ((choice >> i & 1U) != 0) some.push_back(parts_[i]);
        Fit other = fit(some, row);
        if (other.good > best.good) best = std::move(other), terms = std::move(some);
      }
    if (best.good > 0 && !sure) sure = terms.size() > 1;
    else if (best.good == 0) sure = is_plain(row);
    if (!sure || (best.good > 0 && best.off.size() > static_cast<std::size_t>(best.good))) return;
    for (std::size_t column = 1; column < table_->heads.size(); ++column) {
      if (const ClaimAmount* stated = at(row, column)) bench_.use(*stated);
      for (const std::size_t part : terms)
        if (const ClaimAmount* value = at(part, column)) bench_.use(*value);
    }
    for (const std::size_t column : best.off) {
      const BillTally tally = tally_of(terms, column);
      const ClaimAmount& stated = *at(row, column);
      if (bench_.right.contains(stated.id)) continue;
      bench_.find(FindingKind::kWrong, table_->rows[row].line, about(row, column), stated.text,
                  told(stated, tally.right_total()), tally.words());
    }
  }

  /// Nothing but its parts can be meant: no total "with spot" or "per month", and no budget among the parts.
  bool is_plain(std::size_t total) const {
    const std::string label = to_lower(trim(table_->rows[total].cells.front().text));
    if (!is_one_of(label, {"total", "total cost", "sum", "grand total", "gesamt", "summe", "gesamtkosten"}))
      return false;
    return std::ranges::none_of(
        parts_, [&](std::size_t row) { return is_limit(to_lower(table_->rows[row].cells.front().text)); });
  }

  /// "Buffer 10%" is so much of something above it.
  void share(std::size_t row) {
    const ClaimText& label = table_->rows[row].cells.front();
    if (parts_.empty() || label.quantities.size() != 1 || label.quantities[0].dimension != ClaimDimension::kShare ||
        to_lower(label.text).contains(" on "))
      return;
    const ClaimAmount& part = label.quantities[0];
    for (std::size_t column = 1; column < table_->heads.size(); ++column) {
      const ClaimAmount* stated = at(row, column);
      if (stated == nullptr) continue;
      const BillTally tally = tally_of(parts_, column);
      if (tally.parts() == 0) continue;
      bench_.use(*stated);
      bench_.use(part);
      if (tally.is_share(*stated, part)) continue;
      instead_[{row, column}] = tally.right_share(part);
      bench_.find(FindingKind::kWrong, table_->rows[row].line, about(row, column), stated->text,
                  told(*stated, tally.right_share(part)), part.text + " of " + told(*stated, tally.so_far()));
    }
  }

  /// "Total, Plan A"
  std::string about(std::size_t row, std::size_t column) const {
    const std::string& option = table_->heads[column].text;
    const std::string& label = table_->rows[row].cells.front().text;
    return table_->heads.size() == 2 || option.empty() ? label : label + ", " + option;
  }

  Bench& bench_;
  const ClaimTable* table_ = nullptr;
  /// By row and column, what was told to be right in place of a share.
  std::map<std::pair<std::size_t, std::size_t>, ClaimEnds> instead_;
  std::vector<std::size_t> parts_;  ///< rows since the last total, that one included
};

}  // namespace

void check_across(Bench& bench) { Across(bench).check(); }

}  // namespace gpuplan::audit
