#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/computed_words.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// The words of a name, without what makes them plural.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    constexpr std::size_t kLeast = 3;
    if (word.size() > kLeast && word.ends_with('s')) word.pop_back();
    if (word.size() >= kLeast) words.push_back(word);
    word.clear();
  };
  for (const char c : to_lower(text)) {
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80) word += c;
    else end();
  }
  end();
  return words;
}

bool holds_all(const std::vector<std::string>& text, const std::vector<std::string>& words) {
  return std::ranges::all_of(words,
                             [&](const std::string& word) { return std::ranges::find(text, word) != text.end(); });
}

/// What sentences say of the rows of a table by their names.
class RowShares {
 public:
  explicit RowShares(Bench& bench) : bench_(bench) {
    constexpr std::size_t kMostRows = 60;
    for (const ClaimTable& table : bench.document.tables)
      if (!table.across && !table.headless && table.rows.size() >= 3 && table.rows.size() <= kMostRows)
        tables_.push_back(&table);
  }

  void check() {
    constexpr std::size_t kMostTables = 12;
    if (tables_.empty() || tables_.size() > kMostTables) return;
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      for (const ClaimAmount& one : line.said.quantities) {
        if (!is_told(one) || !bench_.go_through()) continue;
        if (one.dimension == ClaimDimension::kShare) share(line, one);
        else if (one.dimension == ClaimDimension::kMoney || one.dimension == ClaimDimension::kTime) against(line, one);
      }
    }
  }

 private:
  struct Place {
    const ClaimTable* table = nullptr;
    const ClaimRow* row = nullptr;
  };

  static bool is_total(const ClaimRow& row) {
    return std::ranges::any_of(row.cells, [](const ClaimText& cell) { return is_total_word(cell.text); });
  }

  /// The one amount of a cell.
  static const ClaimAmount* amount_of(const ClaimRow& row, std::size_t column) {
    const auto& all = row.cells[column].quantities;
    return all.size() == 1 && is_told(all.front()) ? &all.front() : nullptr;
  }

  /// The one row that a part of a sentence names, by the words of its first cell.
  Place named_in(std::string_view part) const {
    const std::vector<std::string> said = words_of(part);
    Place found;
    std::size_t longest = 0;
    bool several = false;
    for (const ClaimTable* table : tables_)
      for (const ClaimRow& row : table->rows) {
        if (row.cells.empty() || is_total(row)) continue;
        const std::vector<std::string> name = words_of(row.cells.front().text);
        if (name.empty() || name.size() < longest || !holds_all(said, name)) continue;
        several = name.size() == longest;
        longest = name.size();
        found = {table, &row};
      }
    return several ? Place{} : found;
  }

  /// The sum of a column, and its total where a row says another; empty: its cells are no amounts of one unit.
  static std::vector<double> totals_of(const ClaimTable& table, std::size_t column) {
    double sum = 0;
    int rows = 0;
    const ClaimAmount* total = nullptr;
    std::optional<ClaimDimension> dimension;
    for (const ClaimRow& row : table.rows) {
      const ClaimAmount* const one = amount_of(row, column);
      if (one == nullptr) continue;
      if (dimension && *dimension != one->dimension) return {};
      dimension = one->dimension;
      if (is_total(row)) {
        total = one;
      } else {
        sum += one->low;
        ++rows;
      }
    }
    if (rows < 2 || !(sum > 0)) return {};
    return total != nullptr && total->low > 0 ? std::vector{sum, total->low} : std::vector{sum};
  }

  /// Whether money of that share is told anywhere: what it is a share of may be another whole.
  bool is_share_of_other(const ClaimAmount& share, const ClaimAmount& part) {
    if (!bench_.go_through()) return true;
    const auto says = [&](const ClaimText& said) {
      return std::ranges::any_of(said.quantities, [&](const ClaimAmount& one) {
        return one.dimension == part.dimension && one.low > 0 && fits(share, ends_of(part) / ends_of(one));
      });
    };
    if (std::ranges::any_of(bench_.document.lines, [&](const ClaimLine& line) { return says(line.said); })) return true;
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        if (std::ranges::any_of(row.cells, says)) return true;
    return false;
  }

  /// "The big model takes 57% of the money and 37% of the GPU-hours."
  void share(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string lower = to_lower(line.said.text);
    const std::string_view behind = trim(std::string_view(lower).substr(stated.to));
    if (!starts_with_any(behind, {"of the", "of all", "of our", "of total", "of it", "of that", "der ", "des ", "du "}))
      return;
    const std::size_t from = begin_of_sentence(lower, stated.from);
    const std::string_view front = std::string_view(lower).substr(from, stated.from - from);
    if (has_any(front, {"than", "without", "if ", "save", "discount", "cut", "less", "another"})) return;
    // Each comma begins another subject.
    const std::size_t comma = front.find_last_of(",;:");
    std::string_view subject = comma == std::string_view::npos ? front : front.substr(comma + 1);
    Place place = named_in(subject);
    if (place.row == nullptr) {
      subject = front;
      place = named_in(front);
    }
    if (place.row == nullptr) return;
    const ClaimAmount* nearest = nullptr;
    double right = 0;
    const std::vector<std::string> of =
        words_of(behind.substr(0, std::min(behind.find_first_of(",.;"), behind.size())));
    bool by_name = false;
    for (std::size_t column = 0; column < place.row->cells.size(); ++column) {
      const ClaimAmount* const part = amount_of(*place.row, column);
      const std::vector<double> totals = totals_of(*place.table, column);
      if (part == nullptr || totals.empty()) continue;
      const double value = part->low / totals.front();
      if (std::ranges::any_of(totals, [&](double all) { return fits(stated, ends_of(part->low / all)); }) ||
          is_share_of_other(stated, *part)) {
        bench_.use(stated);
        return;
      }
      const std::vector<std::string> head = words_of(place.table->heads[column].text);
      const bool money = role_of(place.table->heads[column].text, *part) == ClaimRole::kCost &&
                         has_any(behind, {"money", "cost", "bill", "budget", "spend", "total", "price", "dollar"});
      const bool named = money || (!head.empty() && holds_all(of, head));
      const bool nearer = std::abs(value - stated.low) < std::abs(right - stated.low);
      if (nearest == nullptr || (named && !by_name) || (named == by_name && nearer)) {
        nearest = part;
        right = value;
      }
      by_name = by_name || named;
    }
    constexpr double kFar = 3;
    if (nearest == nullptr || !by_name || right > kFar * stated.low || stated.low > kFar * right) return;
    bench_.use(*nearest);
    tell(line, stated, ends_of(right), nearest->text + " of the total of its column");
  }

  /// "CoreWeave saves $132.48 against Lambda", "the L4 costs $30 more than the L40S": two rows differ by so much.
  void against(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string lower = to_lower(line.said.text);
    const std::size_t from = begin_of_sentence(lower, stated.from), to = end_of_sentence(lower, stated.to);
    const std::string_view front = std::string_view(lower).substr(from, stated.from - from);
    std::string_view behind = trim(std::string_view(lower).substr(stated.to, to - stated.to));
    bool compares = false;
    for (const std::string_view words :
         {"against ", "more than ", "less than ", "compared with ", "compared to ", "over "})
      if (!compares && behind.starts_with(words)) {
        behind.remove_prefix(words.size());
        compares = true;
      }
    if (!compares || has_any(front, {"if ", "would", "each", "per "})) return;
    behind = behind.substr(0, behind.find_first_of(",;("));
    const Place one = named_in(front), other = named_in(behind);
    if (one.row == nullptr || other.row == nullptr || one.table != other.table || one.row == other.row) return;
    const ClaimAmount *a = nullptr, *b = nullptr;
    for (std::size_t column = 0; column < one.row->cells.size() && column < other.row->cells.size(); ++column) {
      const ClaimAmount *const x = amount_of(*one.row, column), *const y = amount_of(*other.row, column);
      if (x == nullptr || y == nullptr || x->dimension != stated.dimension || y->dimension != stated.dimension ||
          x->currency != stated.currency || y->currency != stated.currency)
        continue;
      const ClaimEnds right = x->low > y->low ? ends_of(*x) - ends_of(*y) : ends_of(*y) - ends_of(*x);
      if (fits(stated, right)) {
        bench_.use(stated);
        return;
      }
      a = x->low > y->low ? x : y;  // the last column is what it comes to
      b = x->low > y->low ? y : x;
    }
    if (a == nullptr || a->range() || b->range()) return;
    const ClaimEnds right = ends_of(*a, true) - ends_of(*b, true);
    constexpr double kFar = 3;
    if (right.least() <= 0 || stated.low > kFar * right.most() || right.least() > kFar * stated.low) return;
    bench_.use(*a);
    bench_.use(*b);
    tell(line, stated, right, a->text + " - " + b->text);
  }

  void tell(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how) {
    const int at = line.line_of(stated);
    bench_.use(stated);
    if (std::ranges::any_of(bench_.findings,
                            [&](const Finding& one) { return one.line == at && one.said == stated.text; }))
      return;
    bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, right), how);
  }

  Bench& bench_;
  std::vector<const ClaimTable*> tables_;
};

}  // namespace

void check_row_shares(Bench& bench) { RowShares(bench).check(); }

}  // namespace gpuplan::audit
