#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
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

bool is_plain(const ClaimAmount& one) {
  return !one.range() && !one.odd && one.low > 0 && !one.at_most && !one.at_least && !one.approximate;
}

/// The same in units of its own: "10.7 of 64.3 GPU-hours" are both of the unit that stands once.
ClaimEnds in_own_unit(const ClaimAmount& one) { return ends_of(one) * (1 / one.unit); }

/// What a few words say of two amounts beside them: how far apart they are, what part one is of the other, what the
/// difference comes to.
class Spread {
 public:
  explicit Spread(Bench& bench) : bench_(bench) {}

  void check() {
    constexpr std::size_t kLongest = 60;
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (line.code || all.size() > kLongest) continue;
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        span(line, all[i], all[i + 1]);
        with_reserve(line, all[i], all[i + 1]);
        in_range(line, all[i], all[i + 1]);
        if (i + 2 < all.size()) part(line, all[i], all[i + 1], all[i + 2]);
      }
      for (std::size_t i = 0; i + 2 < all.size(); ++i) saves_of_two(line, all[i], all[i + 1], all[i + 2]);
      for (const ClaimAmount& one : all) {
        an_hour_saved(line, one);
        costs_more(line, one);
      }
    }
    parts_of_rows();
    ranges_of_rows();
    for (const ClaimRecord& record : bench_.records)
      if (record.row >= 0) more_by_hours(record);
  }

 private:
  void judge(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how) {
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, stated.text, told(stated, right), how);
  }

  /// "Choices span $0.12-$0.27 (2.4x)": one end over the other.
  void span(const ClaimLine& line, const ClaimAmount& range, const ClaimAmount& ratio) {
    const std::string_view text = line.said.text;
    if (ratio.dimension != ClaimDimension::kTimes || ratio.range() || !range.range() || range.low <= 0 ||
        range.high <= 0 || between(line.said, range, ratio) != "(" || !text.substr(ratio.to).starts_with(')'))
      return;
    const std::size_t from = begin_of_sentence(text, range.from);
    if (!has_word_of(to_lower(text.substr(from, range.from - from)),
                     {"span", "spans", "spread", "vary", "varies", "range", "ranges", "differ", "differs"}))
      return;
    bench_.use(range);
    bench_.use(ratio);
    const ClaimEnds ends = ends_of(range);
    const ClaimEnds &low = ends, up{ends.high, ends.high}, down{ends.low, ends.low};
    const ClaimEnds right = low.low_middle() <= low.high_middle() ? up / down : down / up;
    if (!fits(ratio, right)) judge(line, ratio, right, "the ends of " + range.text);
  }

  /// "$0.27 ($0.21-0.35)", "18 min (8 in 10 runs: 15.5-20.5 min)": the range that goes with a figure holds it.
  void in_range(const ClaimLine& line, const ClaimAmount& figure, const ClaimAmount& range) {
    const std::string_view text = line.said.text;
    if (!is_plain(figure) || !range.range() || range.odd || range.low <= 0 || range.low > range.high ||
        !text.substr(range.to).starts_with(')') ||
        !is_one_of(between(line.said, figure, range), {"(", "(8 in 10 runs:", "(80% range:", "(p10-p90:"}))
      return;
    const bool alike = range.dimension == figure.dimension && range.currency == figure.currency;
    if ((!alike && range.dimension != ClaimDimension::kBare) || figure.dimension == ClaimDimension::kBare) return;
    if (holds(range, figure, alike)) return;
    bench_.find(FindingKind::kInconsistent, line.line_of(figure), line.label, figure.text, range.text,
                "it lies outside the range that is told with it");
  }

  /// A figure is within the range; `alike`: both have a unit.
  bool holds(const ClaimAmount& range, const ClaimAmount& figure, bool alike) {
    bench_.use(figure);
    bench_.use(range);
    const ClaimEnds value = alike ? ends_of(figure) : in_own_unit(figure),
                    ends = alike ? ends_of(range) : in_own_unit(range);
    return value.most() >= ends.least() && value.least() <= ends.most();
  }

  /// "Cost" and "8 in 10 runs" side by side.
  void ranges_of_rows() {
    for (const ClaimTable& table : bench_.document.tables) {
      if (table.headless || table.across) continue;
      for (std::size_t i = 1; i < table.heads.size(); ++i) {
        if (!has_any(to_lower(table.heads[i].text), {"8 in 10", "p10-p90", "p10\xE2\x80\x93p90", "80% range"}))
          continue;
        for (const ClaimRow& row : table.rows) {
          const auto &figures = row.cells[i - 1].quantities, &ranges = row.cells[i].quantities;
          if (figures.size() != 1 || ranges.size() != 1) continue;
          const ClaimAmount &figure = figures[0], &range = ranges[0];
          const bool alike = range.dimension == figure.dimension && range.currency == figure.currency;
          if (!is_plain(figure) || !range.range() || range.odd || range.low <= 0 || range.low > range.high ||
              (!alike && range.dimension != ClaimDimension::kBare && figure.dimension != ClaimDimension::kBare) ||
              holds(range, figure, alike))
            continue;
          bench_.find(FindingKind::kInconsistent, row.line, row.cells.front().text, figure.text, range.text,
                      "it lies outside the range beside it");
        }
      }
    }
  }

  /// "It saves $10.72: a mean cost of $57.78 instead of $68.50".
  void saves_of_two(const ClaimLine& line, const ClaimAmount& stated, const ClaimAmount& now,
                    const ClaimAmount& before) {
    for (const ClaimAmount* one : {&stated, &now, &before})
      if (one->dimension != ClaimDimension::kMoney || !is_plain(*one) || one->currency != stated.currency) return;
    const std::string_view text = line.said.text;
    const std::string gap = between(line.said, stated, now);
    constexpr std::size_t kLongest = 30;
    if (!ends_with_word(to_lower(trim(text.substr(0, stated.from))), {"saves", "saving", "save"}) ||
        !gap.starts_with(':') || gap.size() > kLongest || has_any(gap, {"per ", "each", "a day", "a month"}) ||
        !is_one_of(between(line.said, now, before), {"instead of", "in place of", "rather than"}))
      return;
    for (const ClaimAmount* one : {&stated, &now, &before}) bench_.use(*one);
    const ClaimEnds right = ends_of(before) - ends_of(now);
    if (!fits(stated, right)) judge(line, stated, right, before.text + " - " + now.text);
  }

  /// "Used 10.7 of 64.3 GPU-hours (17%)".
  void part(const ClaimLine& line, const ClaimAmount& part, const ClaimAmount& whole, const ClaimAmount& share) {
    if (share.dimension != ClaimDimension::kShare || share.range() || share.approximate || !is_plain(part) ||
        !is_plain(whole))
      return;
    if (!std::string_view(line.said.text).substr(share.to).starts_with(')')) return;
    const std::string gap = between(line.said, whole, share);
    constexpr std::size_t kLongest = 30;
    if (gap.size() > kLongest || !gap.ends_with('(') || gap.find_first_of(".;:,()") != gap.size() - 1 ||
        !is_part(line.said, part, whole))
      return;
    for (const ClaimAmount* one : {&part, &whole, &share}) bench_.use(*one);
    if (const auto right = share_of(part, whole); !is_share(share, *right))
      judge(line, share, *right, part.text + " / " + whole.text);
  }

  static bool is_part(const ClaimText& said, const ClaimAmount& part, const ClaimAmount& whole) {
    return is_one_of(between(said, part, whole), {"of", "of the", "out of"}) && share_of(part, whole).has_value();
  }
  /// nullopt: one is of another kind.
  static std::optional<ClaimEnds> share_of(const ClaimAmount& part, const ClaimAmount& whole) {
    // "245 of 268" GiB are no counts, and their unit may stand elsewhere.
    constexpr double kFew = 10;
    const auto digits = [](ClaimAmount one) {
      one.whole = one.whole && (one.dimension == ClaimDimension::kGpus || one.low < kFew);
      return one;
    };
    if (part.dimension == whole.dimension) return ends_of(digits(part)) / ends_of(digits(whole));
    if (part.dimension == ClaimDimension::kBare) return in_own_unit(digits(part)) / in_own_unit(digits(whole));
    return std::nullopt;
  }
  /// The part, or what is left of it.
  static bool is_share(const ClaimAmount& share, const ClaimEnds& part) {
    const ClaimEnds rest = ends_of(1.0) - ClaimEnds{part.high, part.low};
    return fits(share, part) || fits(share, rest);
  }

  /// "30.8 of 39.4" under "Needs" and "78%" under "Used", in one row.
  void parts_of_rows() {
    for (const ClaimTable& table : bench_.document.tables) {
      if (table.headless || table.across) continue;
      for (const ClaimRow& row : table.rows) {
        const ClaimAmount *part = nullptr, *whole = nullptr, *share = nullptr;
        int parts = 0, shares = 0;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
          const auto& all = row.cells[i].quantities;
          if (all.size() == 2 && is_plain(all[0]) && is_plain(all[1]) && is_part(row.cells[i], all[0], all[1]) &&
              trim(row.cells[i].text.substr(0, all[0].from)).empty())
            part = &all[0], whole = &all[1], ++parts;
          if (all.size() == 1 && all[0].dimension == ClaimDimension::kShare && is_plain(all[0]) &&
              is_one_of(to_lower(table.heads[i].text), {"used", "% used", "in use", "memory used", "utilization",
                                                        "utilisation", "full", "filled", "share"}))
            share = &all[0], ++shares;
        }
        if (parts != 1 || shares != 1) continue;
        for (const ClaimAmount* one : {part, whole, share}) bench_.use(*one);
        if (const auto right = share_of(*part, *whole); !is_share(*share, *right))
          bench_.find(FindingKind::kWrong, row.line, row.cells.front().text, share->text, told(*share, *right),
                      part->text + " / " + whole->text);
      }
    }
  }

  /// "More", "Hours saved" and "$ an hour saved" of one row.
  void more_by_hours(const ClaimRecord& row) {
    const ClaimFact *more = nullptr, *hours = nullptr, *stated = nullptr;
    for (const ClaimFact& one : row.facts) {
      const std::string name = to_lower(one.name);
      if (one.value->range() || one.value->low <= 0) continue;
      if (one.value->dimension == ClaimDimension::kMoney &&
          is_one_of(name, {"more", "extra", "extra cost", "costs more"}))
        more = &one;
      else if (name.ends_with("hour saved")) stated = &one;
      else if (is_one_of(name, {"hours saved", "saved hours", "time saved", "saves"})) hours = &one;
    }
    if (more == nullptr || hours == nullptr || stated == nullptr) return;
    const bool bare = hours->value->dimension == ClaimDimension::kBare;
    if ((!bare && hours->value->dimension != ClaimDimension::kTime) || more->value->currency != stated->value->currency)
      return;
    bench_.use(*more->value);
    bench_.use(*hours->value);
    bench_.judge(row, *stated,
                 {{ends_of(*more->value) / (ends_of(*hours->value) * (bare ? 1 : 1 / kHour)),
                   more->value->text + " / " + hours->value->text + " saved"}});
  }

  /// "It costs $98.75; set aside $118.75 with the reserve of $20": the rest stands somewhere.
  void with_reserve(const ClaimLine& line, const ClaimAmount& total, const ClaimAmount& reserve) {
    if (total.dimension != ClaimDimension::kMoney || reserve.dimension != ClaimDimension::kMoney ||
        total.currency != reserve.currency || !is_plain(total) || !is_plain(reserve) || reserve.low >= total.low)
      return;
    if (!is_one_of(between(line.said, total, reserve),
                   {"with the reserve of", "with a reserve of", "including a reserve of", "including the reserve of",
                    "with the buffer of", "with a buffer of", "including a buffer of", "including the buffer of",
                    "with a contingency of", "including a contingency of"}) ||
        !ends_clause(std::string_view(line.said.text).substr(reserve.to)))
      return;
    const std::size_t from = begin_of_sentence(line.said.text, total.from);
    if (says_tax(to_lower(line.said.text))) return;
    const ClaimAmount* base = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kMoney && is_plain(one) && one.from >= from && one.to <= total.from &&
          base == nullptr)
        base = &one;
    if (base == nullptr || says_money(ends_of(total) - ends_of(reserve, true))) return;
    for (const ClaimAmount* one : {base, &total, &reserve}) bench_.use(*one);
    const ClaimEnds right = ends_of(*base) + ends_of(reserve, true);
    judge(line, total, right, base->text + " + " + reserve.text);
  }

  bool says_money(const ClaimEnds& value) {
    const auto has = [&](const ClaimText& said) {
      return std::ranges::any_of(said.quantities, [&](const ClaimAmount& one) {
        return one.dimension == ClaimDimension::kMoney && !one.range() && fits(one, value);
      });
    };
    if (!bench_.go_on()) return true;
    return std::ranges::any_of(bench_.document.lines, [&](const ClaimLine& line) { return has(line.said); }) ||
           std::ranges::any_of(bench_.document.tables, [&](const ClaimTable& table) {
             return std::ranges::any_of(table.rows,
                                        [&](const ClaimRow& row) { return std::ranges::any_of(row.cells, has); });
           });
  }

  /// "It costs $114.47 more and saves 34 min, $203 per hour saved".
  void an_hour_saved(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string lower = to_lower(line.said.text);
    const std::string_view text = lower;
    if ((stated.dimension != ClaimDimension::kPrice && stated.dimension != ClaimDimension::kMoney) || !is_plain(stated))
      return;
    const std::string_view behind = trim(text.substr(std::min(stated.to, text.size())));
    const bool told_as = stated.text.ends_with("hour") || stated.text.ends_with("/h")
                             ? behind.starts_with("saved")
                             : starts_with_any(behind, {"per hour saved", "an hour saved", "for each hour saved",
                                                        "for every hour saved", "per saved hour", "each hour saved"});
    if (!told_as) return;
    const std::size_t from = begin_of_sentence(text, stated.from);
    const ClaimAmount *more = nullptr, *hours = nullptr;
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.to > stated.from) continue;
      if (one.dimension == ClaimDimension::kMoney) {
        if (more != nullptr) return;
        more = &one;
      } else if (one.dimension == ClaimDimension::kTime) {
        if (hours != nullptr) return;
        hours = &one;
      }
    }
    if (more == nullptr || hours == nullptr || !is_plain(*more) || !is_plain(*hours) ||
        more->currency != stated.currency || !trim(text.substr(more->to)).starts_with("more") ||
        !ends_with_word(trim(text.substr(0, hours->from)), {"saves", "saving", "save", "saves about"}))
      return;
    for (const ClaimAmount* one : {more, hours, &stated}) bench_.use(*one);
    const ClaimEnds right = ends_of(*more) / (ends_of(*hours) * (1 / kHour));
    if (!fits(stated, right)) judge(line, stated, right, more->text + " / " + hours->text);
  }

  /// "8x B200 costs $10.86 more than 4x H100": rows of a table by what stands first in them.
  void costs_more(const ClaimLine& line, const ClaimAmount& stated) {
    if (stated.dimension != ClaimDimension::kMoney || !is_plain(stated)) return;
    const std::string lower = to_lower(line.said.text);
    const std::string_view text = lower;
    std::string_view behind = text.substr(std::min(stated.to, text.size()));
    bool more = true;
    if (behind.starts_with(" less than ")) more = false;
    else if (!behind.starts_with(" more than ")) return;
    behind.remove_prefix(std::string_view(" more than ").size());
    if (behind.starts_with("the ")) behind.remove_prefix(4);
    std::string_view before = trim(text.substr(0, stated.from));
    if (!ends_with_word(before, {"costs", "cost"})) return;
    before = trim(before.substr(0, before.rfind("cost")));
    for (const std::string_view stop : {". ", "; ", ": ", ", "})
      if (const std::size_t at = before.rfind(stop); at != std::string_view::npos)
        before = trim(before.substr(at + stop.size()));
    if (before.starts_with("the ")) before.remove_prefix(4);
    std::optional<ClaimEnds> right;
    std::string how;
    for (int table = 0; table < bench_.tables(); ++table) {
      const ClaimRecord *mine = nullptr, *other = nullptr;
      int mines = 0, others = 0;
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (!bench_.go_on()) return;
        const std::string name = to_lower(cells_of(bench_.document, *row).front()->text);
        if (row->total || name.size() < 3 || row->cost() == nullptr) continue;
        if (before == name) mine = row, ++mines;
        if (behind.starts_with(name) && ends_name(behind.substr(name.size()))) other = row, ++others;
      }
      if (mines != 1 || others != 1 || mine == other) continue;
      const ClaimAmount &a = *mine->cost()->value, &b = *other->cost()->value;
      if (a.range() || b.range() || a.currency != stated.currency || b.currency != stated.currency ||
          bench_.right.contains(a.id) || bench_.right.contains(b.id))
        return;
      const ClaimEnds difference = more ? ends_of(a) - ends_of(b) : ends_of(b) - ends_of(a);
      if (fits(stated, difference)) {
        bench_.use(stated);
        return;
      }
      if (!right) right = difference, how = more ? a.text + " - " + b.text : b.text + " - " + a.text;
    }
    if (!right) return;
    bench_.use(stated);
    judge(line, stated, *right, how);
  }

  /// Nothing that makes another option of a name, and no "per run" or "an hour" behind it.
  static bool ends_name(std::string_view behind) {
    return trim(behind).empty() || starts_with_any(behind, {". ", ", ", "; ", ")", " and ", " but "}) || behind == ".";
  }

  Bench& bench_;
};

}  // namespace

void check_spread(Bench& bench) { Spread(bench).check(); }

}  // namespace gpuplan::audit
