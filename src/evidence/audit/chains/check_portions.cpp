#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/chains/nearby.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Percentages of what a row, a saving or the figure before them is of.
class Portions {
 public:
  explicit Portions(Bench& bench) : bench_(bench), near_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      for (const ClaimAmount& one : line.said.quantities) {
        if (!bench_.go_on()) return;
        if (one.dimension != ClaimDimension::kShare || !is_single_value(one)) continue;
        of_total(line, one);
        of_saving(line, one);
        of_two(line, one);
      }
    }
  }

 private:
  static std::string behind_of(const ClaimLine& line, const ClaimAmount& one) {
    const std::size_t end = end_of_sentence(line.said.text, one.to);
    return to_lower(trim(std::string_view(line.said.text).substr(one.to, end - one.to)));
  }

  /// A row without its number and marks: "ppo" of "3. PPO".
  static std::string name_of(std::string_view label) {
    label = trim(label);
    std::size_t digits = 0;
    while (digits < label.size() && is_digit(label[digits])) ++digits;
    if (digits > 0 && digits < label.size() && (label[digits] == '.' || label[digits] == ')'))
      label = trim(label.substr(digits + 1));
    return to_lower(label);
  }

  /// "The main run is 39% of the total": of the one row that is called so, in its table.
  void of_total(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string behind = behind_of(line, stated);
    const bool of =
        is_one_of(behind, {"of the total", "of it", "of the cost", "of the budget", "of the bill", "of all",
                           "of the total cost", "of the total budget", "of the whole", "of everything", "of the total.",
                           "of it.", "of the cost.", "of the budget.", "of the bill."}) ||
        starts_with_any(behind, {"of the total,", "of it,", "of the cost,", "of the budget,", "of the bill,",
                                 "of the cost;", "of the total;", "of it;", "of the budget;"});
    if (!of) return;
    std::string_view front = front_of_clause(line, stated);
    bool verb = false;
    for (const std::string_view word : {" is about", " are about", " is", " are", " takes", " takes up", " makes up",
                                        " make up", " accounts for", " account for", " take"})
      if (!verb && front.ends_with(word)) front = trim(front.substr(0, front.size() - word.size())), verb = true;
    if (!verb) return;
    for (const std::string_view article : {"the ", "our "})
      if (front.starts_with(article)) front.remove_prefix(article.size());
    constexpr std::size_t kShortest = 2, kLongest = 40;
    if (front.size() < kShortest || front.size() > kLongest) return;
    const ClaimRecord* row = row_called(front);
    if (row == nullptr) return;
    judge_row(line, stated, *row);
  }

  /// From the last stop, semicolon or comma on.
  std::string_view front_of_clause(const ClaimLine& line, const ClaimAmount& stated) {
    front_ = audit::front_of(line, stated);
    const std::size_t stop = front_.find_last_of(";,:");
    std::string_view front = front_;
    if (stop != std::string::npos) front.remove_prefix(stop + 1);
    return trim(front);
  }

  const ClaimRecord* row_called(std::string_view name) const {
    const ClaimRecord* found = nullptr;
    for (const ClaimRecord& record : bench_.records) {
      if (record.table < 0 || record.row < 0 || record.total) continue;
      const std::string label = name_of(cells_of(bench_.document, record).front()->text);
      if (label != name) continue;
      if (found != nullptr) return nullptr;
      found = &record;
    }
    return found;
  }

  void judge_row(const ClaimLine& line, const ClaimAmount& stated, const ClaimRecord& row) {
    std::vector<ClaimEnds> shares;
    const ClaimAmount *part = nullptr, *whole = nullptr;
    bool several = false;
    for (const ClaimRecord* other : bench_.rows_of(row.table)) {
      if (!other->total) continue;
      for (const ClaimFact& total : other->facts)
        for (const ClaimFact& fact : row.facts) {
          if (fact.column != total.column || fact.value->dimension != total.value->dimension || total.value->low <= 0 ||
              fact.value->range() || total.value->range())
            continue;
          shares.push_back(right(*fact.value) / right(*total.value));
          shares.push_back(ends_of(*fact.value) / ends_of(*total.value));
          if (fact.value->dimension != ClaimDimension::kMoney) continue;
          several = several || (part != nullptr && part != fact.value);
          part = fact.value;
          whole = total.value;
        }
    }
    if (part == nullptr || several) return;
    constexpr double kRoom = 0.006;
    for (const ClaimEnds& one : shares)
      if (stated.low > one.least() - kRoom - stated.low_step / 2 &&
          stated.low < one.most() + kRoom + stated.low_step / 2)
        return bench_.use(stated);
    near_.judge(line, stated, right(*part) / right(*whole), part->text + " / " + whole->text);
  }

  ClaimEnds right(const ClaimAmount& one) const {
    const auto found = bench_.right.find(one.id);
    return found == bench_.right.end() ? ends_of(one) : ends_of(found->second);
  }

  /// "Spot saves $1,897, or 54%": two amounts of the document differ by that, and it is of the larger one.
  void of_saving(const ClaimLine& line, const ClaimAmount& stated) {
    const ClaimAmount* part = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.to <= stated.from) part = &one;
    if (part == nullptr || part->dimension != ClaimDimension::kMoney || !is_single_value(*part)) return;
    if (!is_one_of(between(line.said, *part, stated), {"or", ", or", "(", ", i.e.", ", that is", "="})) return;
    const std::string front = front_of(line, *part);
    if (!has_word_of(front, {"save", "saves", "saving", "saved"}) || has_word_of(front, {"not", "if", "another"}))
      return;
    std::vector<const ClaimAmount*> all;
    constexpr std::size_t kMost = 60;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities)
        if (one.dimension == ClaimDimension::kMoney && is_single_value(one) && one.low > part->low &&
            one.currency == part->currency)
          all.push_back(&one);
    };
    for (const ClaimLine& other : bench_.document.lines)
      if (!other.code) take(other.said);
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) take(cell);
    if (all.size() > kMost) return;
    for (const ClaimAmount* one : all)
      if (fits(stated, ends_of(*part) / ends_of(*one))) return bench_.use(stated);
    std::set<double> wholes;
    for (const ClaimAmount* a : all) {
      for (const ClaimAmount& b : smaller_than(*a))
        if (fits(*part, ends_of(*a, true) - ends_of(b, true))) wholes.insert(a->low);
      if (!bench_.go_on()) return;
    }
    if (wholes.size() == 1)
      near_.judge(line, stated, ends_of(*part) / ends_of(*wholes.begin()),
                  part->text + " of " + told(ClaimDimension::kMoney, *wholes.begin()));
  }

  /// Amounts of tables in the column or row of a larger one.
  std::vector<ClaimAmount> smaller_than(const ClaimAmount& whole) const {
    std::vector<ClaimAmount> found;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities)
        if (one.dimension == whole.dimension && is_single_value(one) && one.low < whole.low &&
            one.currency == whole.currency)
          found.push_back(one);
    };
    for (const ClaimLine& other : bench_.document.lines)
      if (!other.code) take(other.said);
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) take(cell);
    return found;
  }

  /// Money, also that of a month, as it is written.
  static double money_of(const ClaimAmount& one) {
    if (one.dimension == ClaimDimension::kMoney) return one.low;
    return one.dimension == ClaimDimension::kPrice && !one.per_gpu && !one.per_node ? one.low / one.unit : 0;
  }

  /// "$1,256 a month, that is 40% more than the API's $900"
  void of_two(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string behind = behind_of(line, stated);
    const bool more =
                   starts_with_any(behind, {"more than ", "above ", "over ", "more expensive than ", "higher than "}),
               less = starts_with_any(behind, {"less than ", "below ", "under ", "cheaper than ", "lower than "});
    if (more == less) return;
    const ClaimAmount *mine = nullptr, *its = nullptr;
    const std::size_t from = begin_of_sentence(line.said.text, stated.from),
                      end = end_of_sentence(line.said.text, stated.to);
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.from >= end || &one == &stated) continue;
      if (one.from < stated.from) mine = &one;
      else if (its == nullptr) its = &one;
    }
    if (mine == nullptr || its == nullptr || !is_single_value(*mine) || !is_single_value(*its)) return;
    const double a = money_of(*mine), b = money_of(*its);
    if (a <= 0 || b <= 0 || mine->currency != its->currency) return;
    const std::string gap = between(line.said, *mine, stated);
    constexpr std::size_t kNear = 40;
    if (gap.size() > kNear || !has_any(gap, {"that is", "which is", "i.e.", "thus", "so "})) return;
    if (between(line.said, stated, *its).contains(',')) return;
    const ClaimEnds x = ends_of(a), y = ends_of(b), one = ends_of(1.0);
    if (more ? a <= b : a >= b) return;
    if (less && fits(stated, y / x - one)) return;
    near_.judge(line, stated, more ? x / y - one : one - x / y, mine->text + " against " + its->text, 4);
  }

  Bench& bench_;
  Nearby near_;
  std::string front_;
};

}  // namespace

void check_portions(Bench& bench) { Portions(bench).check(); }

}  // namespace gpuplan::audit
