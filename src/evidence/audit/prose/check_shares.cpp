#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// What is added, and what is taken off.
constexpr std::string_view kMoreWords[] = {"buffer",     "contingency",  "reserve",  "margin",   "vat",
                                           "surcharge",  "overhead",     "restarts", "headroom", "puffer",
                                           "aufschlag",  "mwst",         "zuschlag", "tva",      "marge",
                                           "majoration", "safety",       "reruns",   "failures", "sicherheitsaufschlag",
                                           "neustarts",  "interruptions"};
constexpr std::string_view kLessWords[] = {"discount", "off",    "rebate",    "rabatt",
                                           "nachlass", "remise", "reduziert", "reduction"};

/// Costs, hours and energy with a share more or less than an amount that stands before them, wherever that is.
class Shares {
 public:
  explicit Shares(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (!reads_as_prose(line) || all.size() < 2) continue;
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j)
          if (with_share(line, all[i], all[j])) break;
      for (std::size_t i = 1; i < all.size(); ++i) part_of(line, all[i - 1], all[i]);
      for (const ClaimAmount& one : all) difference(line, one);
    }
  }

 private:
  static bool is_whole(const ClaimAmount& one) { return !one.range() && !one.odd && one.low > 0; }

  static bool adds_up(ClaimDimension dimension) {
    return dimension == ClaimDimension::kMoney || dimension == ClaimDimension::kGpuTime ||
           dimension == ClaimDimension::kEnergy || dimension == ClaimDimension::kTime ||
           dimension == ClaimDimension::kPrice || dimension == ClaimDimension::kNodeTime;
  }

  /// "PUE 1.25" is 25 % more.
  static double share_of(std::string_view lower, const ClaimAmount& one) {
    if (one.dimension == ClaimDimension::kShare) return one.low;
    std::string_view front = trim(lower.substr(0, one.from));
    for (const std::string_view word : {" of", " von", " de", ":", "="})
      if (front.ends_with(word)) front = trim(front.substr(0, front.size() - word.size()));
    constexpr double kMostPue = 3;
    const bool pue = one.dimension == ClaimDimension::kBare && ends_with_word(front, {"pue"});
    return pue && one.low > 1 && one.low < kMostPue ? one.low - 1 : 0;
  }

  /// "A saving of $784 or 29%": such a share of some amount that is told near it.
  void part_of(const ClaimLine& line, const ClaimAmount& part, const ClaimAmount& stated) {
    if (stated.dimension != ClaimDimension::kShare || !is_whole(stated) || !is_whole(part) ||
        !adds_up(part.dimension) || part.dimension == ClaimDimension::kPrice || stated.at_least || stated.at_most)
      return;
    const std::string lower = to_lower(line.said.text);
    const std::string gap = between(line.said, part, stated);
    if (!is_one_of(gap, {"or", ", or", "(", "= ", "=", ", i.e.", "oder", "ou", "bzw."})) return;
    const std::size_t from = begin_of_sentence(lower, stated.from), to = end_of_sentence(lower, stated.to);
    const std::string_view said = std::string_view(lower).substr(from, to - from);
    if (!has_word_of(said, {"saving", "save", "saves", "saved", "less", "more", "cheaper", "dearer", "ersparnis",
                            "spart", "weniger", "mehr", "sparen"}))
      return;
    std::vector<const ClaimAmount*> bases;
    const ClaimAmount* last = nullptr;
    if (!bench_.go_through()) return;
    gather(line, part, bases, last);
    // Of what its own sentence tells the largest is the whole.
    const ClaimAmount* whole = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (&one != &part && one.from >= from && one.from < part.from && is_money_or(one, part) && is_whole(one) &&
          one.low > part.low && (whole == nullptr || one.low > whole->low))
        whole = &one;
    if (whole == nullptr) return;
    for (const ClaimAmount* one : bases)
      if (!bench_.go_on() || fits(stated, ends_of(part, true) / ends_of(*one, true))) return;
    tell(line, stated, ends_of(part, true) / in_money(*whole), part.text + " / " + whole->text);
  }
  /// "$2,667 a month" is an amount of money as well.
  static bool is_money_or(const ClaimAmount& one, const ClaimAmount& like) {
    return one.dimension == like.dimension ||
           (like.dimension == ClaimDimension::kMoney && one.dimension == ClaimDimension::kPrice && one.unit != 1);
  }
  static ClaimEnds in_money(const ClaimAmount& one) {
    return ends_of(one, true) * (one.dimension == ClaimDimension::kPrice ? 1 / one.unit : 1.0);
  }

  /// "The grant covers $25,000, so $2,327 are missing": two amounts that are told near it differ by so much.
  void difference(const ClaimLine& line, const ClaimAmount& stated) {
    if (!(adds_up(stated.dimension) || stated.dimension == ClaimDimension::kBytes) || !is_whole(stated) ||
        stated.at_least || stated.at_most || stated.dimension == ClaimDimension::kPrice)
      return;
    const std::string lower = to_lower(line.said.text);
    const std::size_t from = begin_of_sentence(lower, stated.from);
    const std::string_view behind = trim(std::string_view(lower).substr(stated.to));
    if (!starts_with_any(
            behind, {"are missing", "is missing", "missing", "short", "too much", "over budget", "are left", "is left",
                     "left over", "remain", "fehlen", "bleiben", "manquent", "restent"}) ||
        has_word_of(std::string_view(lower).substr(from, stated.from - from), {"if", "about", "each", "per"}))
      return;
    std::vector<const ClaimAmount*> all;
    const ClaimAmount* last = nullptr;
    if (!bench_.go_through()) return;
    gather(line, stated, all, last);
    std::vector<const ClaimAmount*> own;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.to <= stated.from && one.dimension == stated.dimension && one.currency == stated.currency &&
          is_whole(one))
        own.push_back(&one);
    constexpr std::size_t kMost = 60;
    if (own.size() < 2 || all.size() > kMost) return;
    for (const ClaimAmount* a : all)
      for (const ClaimAmount* b : all) {
        if (!bench_.go_on() || may_be_same(*a, stated)) return;
        if (a->low > b->low && fits(stated, ends_of(*a) - ends_of(*b))) return;
        for (const ClaimAmount* c : own)
          if (a->low > b->low + c->low && fits(stated, ends_of(*a) - ends_of(*b) - ends_of(*c))) return;
      }
    const ClaimAmount *a = own[own.size() - 2], *b = own.back();
    if (a->low < b->low) std::swap(a, b);
    const ClaimEnds right = ends_of(*a, true) - ends_of(*b, true);
    constexpr double kFar = 3;
    if (right.least() <= 0 || stated.low > kFar * right.most() || right.least() > kFar * stated.low) return;
    tell(line, stated, right, a->text + " - " + b->text);
  }

  void tell(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how) {
    const int at = line.line_of(stated);
    bench_.use(stated);
    if (std::ranges::none_of(bench_.findings, [&](const Finding& one) { return one.line == at; }))
      bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, right), how);
  }

  /// True: this share is of no later amount.
  bool with_share(const ClaimLine& line, const ClaimAmount& share, const ClaimAmount& stated) {
    if (!adds_up(stated.dimension)) return false;
    const std::string lower = to_lower(line.said.text);
    const double part = is_whole(share) ? share_of(lower, share) : 0;
    const std::size_t from = begin_of_sentence(lower, stated.from);
    if (part <= 0 || share.from < from || !is_whole(stated) || stated.at_least || stated.at_most) return true;
    // Sums that are written out and items of bills are checked with their like.
    const std::string_view ahead = trim(std::string_view(lower).substr(0, share.from));
    if (ahead.ends_with('+') || ahead.ends_with('-') || ahead.ends_with("\xE2\x88\x92") || share.added || share.taken ||
        std::string_view(lower).substr(share.to, stated.from - share.to).contains('=') ||
        share.from < line.label.size())
      return true;
    const bool pue = share.dimension != ClaimDimension::kShare;
    // The word stands close to the share.
    constexpr std::size_t kNear = 24;
    const std::size_t near = std::max(from, share.from - std::min(share.from, kNear));
    const std::string_view words = std::string_view(lower).substr(near, stated.from - near);
    const bool more = pue || has_word_of(words, kMoreWords), less = has_word_of(words, kLessWords);
    if (more == less || has_word_of(words, {"not", "without", "if", "saves", "save", "saving", "or"})) return true;
    if (!ends_clause(std::string_view(lower).substr(stated.to))) return true;
    std::vector<const ClaimAmount*> bases;
    const ClaimAmount* last = nullptr;
    bool other_share = false;
    if (!bench_.go_through()) return true;
    gather(line, stated, bases, last);
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.from >= stated.from || &one == &share) continue;
      other_share = other_share || one.dimension == ClaimDimension::kShare;
      // "... 20% buffer and 8 runs: $500": more than a share.
      if (one.from > share.to) {
        if (one.dimension != stated.dimension) return true;
        last = &one;
      }
    }
    if (last == nullptr || other_share) return other_share;
    if (is_given(bases, stated, part, more)) return true;
    const ClaimEnds right = ends_of(*last, true) * (less ? 1 - part : 1 + part);
    constexpr double kFar = 3;
    if (stated.low > kFar * right.most() || right.least() > kFar * stated.low) return true;
    bench_.use(share);
    tell(line, stated, right, last->text + (less ? " - " : " + ") + share.text);
    return true;
  }

  /// Amounts of the same kind in the section, and the last one before it.
  void gather(const ClaimLine& line, const ClaimAmount& stated, std::vector<const ClaimAmount*>& bases,
              const ClaimAmount*& last) const {
    constexpr int kFarthest = 6;
    const auto is_base = [&](const ClaimAmount& one) {
      return &one != &stated && one.dimension == stated.dimension && one.currency == stated.currency && is_whole(one);
    };
    for (const ClaimLine& other : bench_.document.lines) {
      if (!bench_.within(other.section, line.section) && !bench_.within(line.section, other.section)) continue;
      for (const ClaimAmount& one : other.said.quantities) {
        if (!is_base(one)) continue;
        bases.push_back(&one);
        const bool before = &other == &line ? one.to <= stated.from : other.line < line.line;
        if (before && other.section == line.section && other.line >= line.line - kFarthest) last = &one;
      }
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells)
          for (const ClaimAmount& one : cell.quantities)
            if (is_base(one)) bases.push_back(&one);
  }

  /// One of them, or the sum of two, with the share in any of its meanings.
  bool is_given(const std::vector<const ClaimAmount*>& bases, const ClaimAmount& stated, double part, bool more) {
    constexpr double kMost = 0.99;
    const auto ways = more ? std::array{1 + part, part, 1 / (1 - std::min(part, kMost)), 1 / (1 + part), 1.0}
                           : std::array{1 - part, part, 1 / (1 - std::min(part, kMost)), 1.0, 1.0};
    const auto fits_one = [&](const ClaimEnds& base) {
      return std::ranges::any_of(ways, [&](double way) { return fits(stated, base * way); });
    };
    for (const ClaimAmount* one : bases)
      if (!bench_.go_on() || fits_one(ends_of(*one, true))) return true;
    constexpr std::size_t kFew = 12;
    for (std::size_t i = 0; i < bases.size() && bases.size() <= kFew; ++i)
      for (std::size_t j = i + 1; j < bases.size(); ++j)
        if (fits(stated, (ends_of(*bases[i], true) + ends_of(*bases[j], true)) * (1 + part))) return true;
    return false;
  }

  Bench& bench_;
};

}  // namespace

void check_shares(Bench& bench) { Shares(bench).check(); }

}  // namespace gpuplan::audit
