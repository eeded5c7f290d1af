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
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

constexpr double kOneDay = 24 * kHour;

/// What a sentence counts on from the figure before it: other units, so many of each, how many fit.
class Counts {
 public:
  explicit Counts(Bench& bench) : bench_(bench), near_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      in_one_ratio(line);
      for (std::size_t i = 1; i < all.size() && bench_.go_on(); ++i) {
        other_unit(line, all[i - 1], all[i]);
        of_one_gpu(line, all[i - 1], all[i]);
        as_many_fit(line, all[i - 1], all[i]);
        so_many(line, all[i - 1], all[i]);
        all_of_them(line, all[i]);
        one_and_several(line, all[i - 1], all[i]);
        if (i > 1) {
          steps_each(line, all[i - 2], all[i - 1], all[i]);
          by_the_month(line, all[i - 2], all[i - 1], all[i]);
        }
      }
    }
  }

 private:
  /// "98 hours are 4.1 days". Days of work have eight hours, weeks of work five days.
  void other_unit(const ClaimLine& line, const ClaimAmount& a, const ClaimAmount& b) {
    if (a.dimension != ClaimDimension::kTime || b.dimension != ClaimDimension::kTime || a.unit == b.unit ||
        !is_single_value(a) || !is_single_value(b))
      return;
    const std::string gap = between(line.said, a, b);
    const bool same = is_one_of(gap, {"are", "is", ", that is", "that is", ", i.e.", "i.e.", "which is", ", which is",
                                      "are about", "is about", "make", "makes", "\xE2\x86\x92"});
    // "20 h or 2 days" may be a choice; one that is worked out has digits behind the point.
    const bool either = !b.whole && is_one_of(gap, {"or", ", or", "or about", "or roughly"});
    if ((!same && !either) || !ends_clause(std::string_view(line.said.text).substr(b.to))) return;
    bench_.use(a);
    constexpr double kWorkingDays = 3, kWorkingWeek = 7.0 / 5;
    for (const double times : {kWorkingDays, kWorkingWeek, kWorkingDays * kWorkingWeek})
      if (b.unit >= kOneDay && fits(b, ends_of(a) * times)) return;
    near_.judge(line, b, ends_of(a), a.text + " in another unit", 3, true);
  }

  /// "811,000 tokens/s over the cluster or 50,700 tokens/s per GPU"
  void of_one_gpu(const ClaimLine& line, const ClaimAmount& all, const ClaimAmount& each) {
    if ((all.dimension != ClaimDimension::kTokenRate && all.dimension != ClaimDimension::kSampleRate &&
         all.dimension != ClaimDimension::kBytes) ||
        each.dimension != all.dimension || all.per_gpu || !is_single_value(all) || each.low >= all.low)
      return;
    const std::string gap = between(line.said, all, each);
    const std::string_view behind = trim(std::string_view(line.said.text).substr(each.to));
    constexpr std::size_t kNear = 40;
    if (gap.size() > kNear || gap.contains('.') ||
        !(has_word_of(gap, {"or", "i.e", "that is", "which is"}) || gap.ends_with('(')) ||
        !(each.per_gpu || starts_with_any(behind, {"per GPU", "a GPU", "per card", "/GPU", "on each GPU"})))
      return;
    std::set<double> counts;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities)
        if (one.dimension == ClaimDimension::kGpus && one.low > 1) counts.insert(one.low);
      for (const GpuMention& gpu : said.gpus)
        if (gpu.count > 1) counts.insert(gpu.count);
    };
    take(line.said);
    if (counts.empty())
      for (const ClaimLine& other : bench_.document.lines)
        if (bench_.within(other.section, line.section) || bench_.within(line.section, other.section)) take(other.said);
    if (counts.size() != 1) return;
    near_.judge(line, each, with_zeros(all) * (1 / *counts.begin()),
                all.text + " / " + number_text(*counts.begin()) + " GPUs");
  }

  /// "A request takes 229 MB, so 40 GB hold about 174 of them". A part of one is none.
  void as_many_fit(const ClaimLine& line, const ClaimAmount& room, const ClaimAmount& stated) {
    if (room.dimension != ClaimDimension::kBytes || !counts_things(stated) || !is_single_value(room)) return;
    const std::string gap = between(line.said, room, stated);
    if (!is_one_of(gap, {"hold", "holds", "hold about", "holds about", "fit", "fit about", "have room for",
                         "are enough for", "hold at most", "hold up to", "hold roughly", "has room for",
                         "has room for about", "have room for about"}))
      return;
    const auto before = like_before(line, room, begin_of_two_sentences(line.said.text, room.from));
    if (before.size() != 1 || before[0]->low >= room.low) return;
    const ClaimEnds ratio = ends_of(room) / ends_of(*before[0]);
    // Of memory something is kept free, and of either thousands.
    constexpr double kLeast = 0.8, kMost = 1.1;
    near_.judge(line, stated, {{ratio.least() * kLeast, ratio.most()}, {ratio.least(), ratio.most() * kMost}},
                room.text + " / " + before[0]->text);
  }

  /// "A checkpoint has 38 GB; 440 checkpoints, together 16.7 TB", "We keep 10 of them: 156 GB"
  void so_many(const ClaimLine& line, const ClaimAmount& number, const ClaimAmount& stated) {
    if (!counts_things(number) || number.approximate ||
        (stated.dimension != ClaimDimension::kBytes && stated.dimension != ClaimDimension::kTokens &&
         stated.dimension != ClaimDimension::kMoney && stated.dimension != ClaimDimension::kGpuTime))
      return;
    const std::string gap = between(line.said, number, stated);
    constexpr std::size_t kNear = 36;
    if (gap.size() > kNear || has_any(gap, {".", "=", "\xC3\x97", " at", " x ", "+", "per ", "each", "left"})) return;
    const bool needs = gap.size() <= 30 && ends_with_word(gap, {"need", "take", "use", "occupy", "need about"}) &&
                       has_word_of(front_of(line, number), {"so", "thus", "hence"});
    if (!(needs || gap.ends_with(':') ||
          ends_with_word(gap, {"together", "in all", "in total", "that is", "these are", "come to", "take together",
                               "altogether", "make"})))
      return;
    if (!ends_clause(std::string_view(line.said.text).substr(stated.to))) return;
    // Of each of them the sentence, or the one before it, tells one figure.
    const auto each = like_before(line, stated, begin_of_two_sentences(line.said.text, number.from));
    if (each.size() != 1 || each[0]->to > number.from) return;
    if (has_any(between(line.said, *each[0], number), {"in all", "together", "total"})) return;
    bench_.use(number);
    near_.judge(line, stated, ends_of(*each[0]) * number.low, number.text + " \xC3\x97 " + each[0]->text);
  }

  /// "each takes 2,048 bytes and all of them 369 GB", where the document counts one thing that comes near it.
  void all_of_them(const ClaimLine& line, const ClaimAmount& stated) {
    if (stated.dimension != ClaimDimension::kBytes && stated.dimension != ClaimDimension::kMoney) return;
    const std::string front = front_of(line, stated);
    if (!is_single_value(stated) ||
        !ends_with_word(trim(front), {"all of them", "all together", "and all", "all take"}))
      return;
    auto each = like_before(line, stated, begin_of_sentence(line.said.text, stated.from));
    // "2,048 bytes" may be the width of a number.
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kWidth && stated.dimension == ClaimDimension::kBytes &&
          one.from >= begin_of_sentence(line.said.text, stated.from) && one.to <= stated.from)
        each.push_back(&one);
    if (each.size() != 1 || !has_word_of(front, {"each", "one", "a", "per"})) return;
    constexpr double kNear = 1.35;
    std::set<double> counts;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities) {
        const double ratio = stated.low / (each[0]->low * std::max(one.low, 1e-9));
        if (counts_things(one) && ratio < kNear && ratio > 1 / kNear) counts.insert(one.low);
      }
    };
    for (const ClaimLine& other : bench_.document.lines) take(other.said);
    if (counts.size() == 1)
      near_.judge(line, stated, ends_of(*each[0]) * *counts.begin(),
                  count_text(*counts.begin()) + " \xC3\x97 " + each[0]->text);
  }

  /// "3,750 steps, 4.4 s each: 4.6 hours"
  void steps_each(const ClaimLine& line, const ClaimAmount& steps, const ClaimAmount& each, const ClaimAmount& stated) {
    if (steps.dimension != ClaimDimension::kSteps || stated.dimension != ClaimDimension::kTime ||
        (each.dimension != ClaimDimension::kTime && each.dimension != ClaimDimension::kStepTime) ||
        !is_single_value(steps) || !is_single_value(each))
      return;
    if (!is_one_of(between(line.said, steps, each), {"", ",", "at", "of", ", at", "with", "x", "\xC3\x97"})) return;
    std::string gap = between(line.said, each, stated);
    const bool a_step = each.dimension == ClaimDimension::kStepTime || gap.starts_with("each") ||
                        gap.starts_with("per step") || gap.starts_with("a step");
    for (const std::string_view word : {"each", "per step", "a step"})
      if (gap.starts_with(word)) gap = trim(std::string_view(gap).substr(word.size()));
    if (!a_step || !is_one_of(gap, {":", "=", ", that is", ", so", "are", "\xE2\x86\x92", ", i.e.", "is"})) return;
    near_.judge(line, stated, ends_of(each) * steps.low, steps.text + " \xC3\x97 " + each.text, 3, true);
  }

  /// "a 7B model 14 GB, a 13B model 26 GB, a 34B model 68 GB, a 70B model 140 GB": three and more in one ratio, and one
  /// that breaks it.
  void in_one_ratio(const ClaimLine& line) {
    const auto& all = line.said.quantities;
    std::vector<std::pair<const ClaimAmount*, const ClaimAmount*>> pairs;
    constexpr std::size_t kNear = 14;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const ClaimAmount &a = all[i - 1], &b = all[i];
      const std::string gap = between(line.said, a, b);
      if (a.dimension == b.dimension || b.dimension == ClaimDimension::kBare || b.dimension == ClaimDimension::kShare ||
          gap.size() > kNear || has_any(gap, {",", ";", ".", "+", "/", "\xC3\x97", "="}) || a.range() ||
          !is_single_value(b) || a.low <= 0)
        continue;
      if (!pairs.empty() &&
          (pairs.back().first->dimension != a.dimension || pairs.back().second->dimension != b.dimension))
        continue;
      pairs.emplace_back(&a, &b);
    }
    constexpr std::size_t kLeast = 4;
    if (pairs.size() < kLeast) return;
    for (const auto& [a, b] : pairs) {
      const double ratio = b->low / a->low;
      const std::pair<const ClaimAmount*, const ClaimAmount*>* off = nullptr;
      std::size_t good = 0;
      for (const auto& one : pairs) {
        if (fits(*one.second, ends_of(one.first->low * ratio))) ++good;
        else off = &one;
      }
      if (good + 1 != pairs.size() || off == nullptr) continue;
      near_.judge(line, *off->second, ends_of(off->first->low * ratio), "as the others: " + a->text + " is " + b->text,
                  3, true);
      return;
    }
  }

  /// "an epoch takes 5.4 hours and three epochs 16.2 hours", "one for $1.05/h; two of them cost $2.10/h"
  void one_and_several(const ClaimLine& line, const ClaimAmount& one, const ClaimAmount& all) {
    if (one.dimension != all.dimension || one.currency != all.currency || one.unit != all.unit ||
        one.dimension == ClaimDimension::kBare || one.dimension == ClaimDimension::kShare || !is_single_value(one))
      return;
    const std::string gap = between(line.said, one, all);
    constexpr std::size_t kLongest = 28;
    const auto numbers = number_words(gap);
    if (gap.size() > kLongest || numbers.size() != 1 || numbers[0] < 2 ||
        !starts_with_any(gap, {"and ", ", ", "; ", "for one and for ", "for one, ", "for one and "}) ||
        has_any(gap, {"faster", "less", "more", "gpus", "nodes"}) ||
        !ends_clause(std::string_view(line.said.text).substr(all.to)))
      return;
    constexpr double kNear = 1.5;
    near_.judge(line, all, ends_of(one) * numbers[0], number_text(numbers[0]) + " \xC3\x97 " + one.text, kNear);
  }

  /// "720 hours a month at $1.10/h cost $792": both are of a month.
  void by_the_month(const ClaimLine& line, const ClaimAmount& time, const ClaimAmount& price,
                    const ClaimAmount& stated) {
    if (time.dimension != ClaimDimension::kTime || time.range() || time.approximate ||
        price.dimension != ClaimDimension::kPrice || price.per_gpu || price.per_node ||
        stated.dimension != ClaimDimension::kMoney || stated.currency != price.currency || !is_single_value(price))
      return;
    if (!is_one_of(between(line.said, time, price),
                   {"a month at", "per month at", "a year at", "per year at", "a week at", "a day at", "per day at"}) ||
        !is_one_of(between(line.said, price, stated),
                   {"cost", "costs", "are", "is", "=", "come to", "make", ", so", "\xE2\x86\x92", ", that is"}) ||
        gpus_counted(line.said, time.from, stated.to) > 1)
      return;
    bench_.use(time);
    near_.judge(line, stated, ends_of(time, true) * ends_of(price, true) * (1 / kHour),
                time.text + " \xC3\x97 " + price.text);
  }

  Bench& bench_;
  Nearby near_;
};

}  // namespace

void check_counts(Bench& bench) { Counts(bench).check(); }

}  // namespace gpuplan::audit
