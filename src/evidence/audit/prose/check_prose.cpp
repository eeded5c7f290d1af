#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Buffers and savings told in sentences.
class Prose {
 public:
  explicit Prose(Bench& bench) : bench_(bench) {
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities)
        if (one.dimension == ClaimDimension::kMoney && !one.odd && one.low > 0 && money_.size() < kMost)
          money_.push_back(&one);
    };
    for (const ClaimLine& line : bench.document.lines) take(line.said);
    for (const ClaimTable& table : bench.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) take(cell);
  }

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (!reads_as_prose(line) || all.empty()) continue;
      for (std::size_t i = 1; i + 1 < all.size(); ++i) with_buffer(line, i);
      for (const ClaimAmount& one : all) saves(line, one);
    }
  }

 private:
  static constexpr std::size_t kMost = 400;  // amounts of money that are held against each other

  /// "The run costs $936, and with a 15% buffer $1,076.40": so much more than some sum that the document states.
  void with_buffer(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &share = all[place], &stated = all[place + 1];
    if (share.dimension != ClaimDimension::kShare || stated.dimension != ClaimDimension::kMoney || stated.odd ||
        stated.range() || share.range() || stated.from < share.to || share.low <= 0)
      return;
    const std::string_view text = line.said.text;
    const std::string between = to_lower(text.substr(share.to, stated.from - share.to));
    std::string_view rest = trim(between);
    constexpr std::array<std::string_view, 7> kMore = {"buffer", "contingency", "reserve",  "margin",
                                                       "vat",    "tax",         "surcharge"};
    std::size_t named = 0;
    for (const std::string_view word : kMore)
      if (rest.starts_with(word)) named = word.size();
    if (named == 0) return;
    rest.remove_prefix(named);
    bool verb = false;
    // "a 20% buffer brings it to $312"
    const bool brings = is_one_of(rest, {"brings it to", "brings this to", "brings that to", "takes it to", "makes it",
                                         "raises it to", "brings the total to", "brings the cost to"});
    if (!(brings || leads(rest, verb)) || !ends_clause(text.substr(stated.to))) return;
    const std::string lead = to_lower(trim(text.substr(0, share.from)));
    if (!brings && !lead.ends_with("with a") && !lead.ends_with("with") && !lead.ends_with("including a") &&
        !lead.ends_with("including") && !lead.ends_with("plus a") && !lead.ends_with("plus") &&
        !lead.ends_with("adding a"))
      return;
    const std::size_t from = brings ? 0 : begin_of_sentence(text, share.from);
    std::vector<ClaimEnds> sums;
    const ClaimAmount* last = nullptr;
    for (const ClaimAmount& one : all) {
      if (one.from < from || one.to > share.from) continue;
      if (one.dimension == ClaimDimension::kShare) return;  // "$1,000 less 5% plus 19% VAT"
      if (one.dimension != ClaimDimension::kMoney) continue;
      if (one.odd || one.range() || one.currency != stated.currency) return;
      const std::size_t before = sums.size();
      constexpr std::size_t kSums = 64;
      for (std::size_t i = 0; i < before && sums.size() < kSums; ++i) sums.push_back(sums[i] + ends_of(one, true));
      sums.push_back(ends_of(one, true));
      last = &one;
    }
    if (last == nullptr) return;
    for (const ClaimAmount* one : money_)
      if (one != &stated) sums.push_back(ends_of(*one, true));
    const ClaimEnds part = ends_of(share, true), more = ends_of(1.0) + part;
    bench_.use(share);
    bench_.use(stated);
    for (const ClaimEnds& sum : sums)
      if (fits(stated, sum * more) || fits(stated, sum * part)) return;
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, stated.text,
                told(stated, ends_of(*last, true) * more), last->text + " + " + share.text);
  }

  /// "Option A costs $1,100 and B $530: B saves $570", and the totals of two tables.
  void saves(const ClaimLine& line, const ClaimAmount& stated) {
    if (stated.dimension != ClaimDimension::kMoney || stated.odd || stated.range() || stated.at_least || stated.at_most)
      return;
    const std::string_view text = line.said.text;
    const std::string before = to_lower(trim(text.substr(0, stated.from)));
    if (!before.ends_with("saves") && !before.ends_with("saves about") && !before.ends_with("would save") &&
        !before.ends_with("will save") && !before.ends_with("saving of"))
      return;
    const std::string behind = to_lower(text.substr(stated.to, 24));
    if (has_any(behind, {" per ", " a ", " an ", " each", " every", "/", " over ", " across ", " for ", " in "}))
      return;
    const std::size_t from = begin_of_sentence(text, stated.from), to = end_of_sentence(text, stated.to);
    std::vector<const ClaimAmount*> two;
    for (const ClaimAmount& one : line.said.quantities) {
      if (&one == &stated || one.from < from || one.from >= to || one.dimension == ClaimDimension::kShare) continue;
      const bool money = one.dimension == ClaimDimension::kMoney;
      if (one.from > stated.from && !money) continue;  // "and takes 7 h longer"
      // So many runs, hours, months; and more that is saved, or spent.
      if (!money || one.odd || one.range() || one.from > stated.from) return;
      two.push_back(&one);
    }
    if (two.empty()) two = of_sentence_before(line, from, before.substr(std::min(from, before.size())));
    if (two.empty()) {
      two = of_rows(text.substr(from, stated.from - from), text.substr(stated.to, to - stated.to));
      if (two.empty()) two = totals(before.substr(std::min(from, before.size())));
    } else if (two.size() != 2 || !are_compared(to_lower(text.substr(two[0]->to, two[1]->from - two[0]->to)))) return;
    if (two.size() != 2 || two[0]->currency != stated.currency || two[1]->currency != stated.currency) return;
    const ClaimAmount &more = two[0]->low >= two[1]->low ? *two[0] : *two[1],
                      &less = two[0]->low >= two[1]->low ? *two[1] : *two[0];
    const ClaimEnds right = ends_of(more) - ends_of(less);
    for (const ClaimAmount* one : {&more, &less, &stated}) bench_.use(*one);
    // What is far off is the saving of something else.
    constexpr double kOff = 2.5;
    if (fits(stated, right) || stated.low > kOff * right.most() || right.least() > kOff * stated.low ||
        is_known(stated))
      return;
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, "saves " + stated.text, told(stated, right),
                more.text + " - " + less.text);
  }

  /// "Option A costs $3,000 and option B $2,500. Option B saves $500."
  static std::vector<const ClaimAmount*> of_sentence_before(const ClaimLine& line, std::size_t end,
                                                            std::string_view saver) {
    constexpr std::size_t kStop = 2;  // ". "
    std::vector<const ClaimAmount*> two;
    if (end < kStop) return two;
    const std::size_t from = begin_of_sentence(line.said.text, end - kStop);
    // Who saves is one of the two.
    saver = trim(saver.substr(0, std::min(saver.rfind("sav"), saver.size())));
    for (const std::string_view word : {"so ", "the ", "thus ", "hence "})
      if (saver.starts_with(word)) saver = trim(saver.substr(word.size()));
    if (saver.empty() || !has_word(to_lower(line.said.text.substr(from, end - from)), saver)) return two;
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.from >= end) continue;
      if (one.dimension != ClaimDimension::kMoney || one.odd || one.range()) return {};
      two.push_back(&one);
    }
    if (two.size() != 2) two.clear();
    return two;
  }

  /// The name stands in a text; a single letter as it is written: "a" is no option A.
  static bool names(std::string_view text, const std::string& name) {
    if (name.empty()) return false;
    return name.size() == 1 ? has_word(text, name) : has_word(to_lower(text), to_lower(name));
  }

  /// "Option B is the cheapest and saves $35.20 against A": costs of two rows of one table, one named on either side.
  std::vector<const ClaimAmount*> of_rows(std::string_view saver, std::string_view behind) {
    const std::string lower = to_lower(trim(behind));
    if (!starts_with_any(lower, {"against ", "compared to ", "compared with ", "versus ", "vs ", "vs. "})) return {};
    const std::size_t end = std::min(behind.find_first_of(",;:("), behind.size());
    behind = behind.substr(0, end);
    for (int table = 0; table < bench_.tables(); ++table) {
      std::vector<const ClaimAmount*> who, whom;
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (!bench_.go_on()) return {};
        if (row->total || row->cost() == nullptr || row->cost()->value->range()) continue;
        if (names(saver, row->label)) who.push_back(row->cost()->value);
        if (names(behind, row->label)) whom.push_back(row->cost()->value);
      }
      if (who.size() == 1 && whom.size() == 1 && who != whom) return {whom.front(), who.front()};
    }
    return {};
  }

  /// The amount, or the difference of two, stands somewhere in the document.
  bool is_known(const ClaimAmount& stated) {
    for (std::size_t i = 0; i < money_.size(); ++i) {
      if (money_[i] == &stated) continue;
      if (may_be_same(*money_[i], stated)) return true;
      for (std::size_t j = 0; j < money_.size(); ++j) {
        if (!bench_.go_on()) return true;
        if (j == i || money_[j] == &stated || money_[i]->low <= money_[j]->low) continue;
        if (std::fabs(money_[i]->low - money_[j]->low - stated.low) <= std::max(stated.low_step, money_[i]->low_step))
          return true;
      }
    }
    return false;
  }

  /// "$1,100 and option B $530"
  static bool are_compared(std::string_view between) {
    constexpr std::size_t kLongest = 40;
    return between.size() <= kLongest &&
           has_any(between, {" and ", " vs", "versus", "instead of", "against", " while ", "rather than", " but ",
                             "compared"}) &&
           !has_any(between,
                    {"credit", "discount", "fee", "with", " for ", "plus", "storage", "setup", "per ", "/", "+"});
  }

  /// The money in the total rows of the document's tables, where there are two tables with one each and who saves is in
  /// the heading of one of them alone.
  std::vector<const ClaimAmount*> totals(std::string_view before) const {
    before = trim(before.substr(0, std::min(before.rfind("save"), before.size())));
    const std::size_t blank = before.rfind(' ');
    const std::string_view who = blank == std::string_view::npos ? before : before.substr(blank + 1);
    std::vector<const ClaimAmount*> found;
    int named = 0;
    for (const ClaimTable& table : bench_.document.tables) {
      const ClaimAmount* last = nullptr;
      for (const ClaimRow& row : table.rows) {
        if (std::ranges::none_of(row.cells, [](const ClaimText& cell) { return is_total_word(cell.text); })) continue;
        for (const ClaimText& cell : row.cells)
          for (const ClaimAmount& one : cell.quantities)
            if (one.dimension == ClaimDimension::kMoney) last = &one;
      }
      if (last == nullptr) return {};
      found.push_back(last);
      const std::string title = to_lower(bench_.document.sections[static_cast<std::size_t>(table.section)].title.text);
      named += !who.empty() && has_word(title, who) ? 1 : 0;
    }
    return named == 1 ? found : std::vector<const ClaimAmount*>{};
  }

  Bench& bench_;
  std::vector<const ClaimAmount*> money_;
};

}  // namespace

void check_prose(Bench& bench) { Prose(bench).check(); }

}  // namespace gpuplan::audit
