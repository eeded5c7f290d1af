#include <algorithm>
#include <array>
#include <cmath>
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

/// Times may hold so much beside the work, where no sign of equality stands.
constexpr double kBesideWork = 1.3;
constexpr double kDay = 24 * kHour;

/// Words between two amounts, without what says that the second is about so much.
std::string words_between(const ClaimText& said, const ClaimAmount& a, const ClaimAmount& b) {
  const std::string lower = between(said, a, b);
  std::string_view rest = lower;
  for (const std::string_view sign : {"~", "\xE2\x89\x88", "about", "around", "roughly", "approx.", "ca."})
    if (rest.size() > sign.size() && rest.ends_with(sign)) rest = trim(rest.substr(0, rest.size() - sign.size()));
  return std::string(rest);
}

/// Sums told in words.
class Told {
 public:
  explicit Told(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      constexpr std::size_t kMost = 40;
      if (all.size() < 2 || all.size() > kMost) continue;
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (i + 2 < all.size()) time_of_work(line, all[i], all[i + 1], all[i + 2]);
        same(line, all[i], all[i + 1]);
        in_brackets(line, all[i], all[i + 1]);
      }
      for (std::size_t i = 0; i + 2 < all.size(); ++i) changed(line, i);
    }
  }

 private:
  /// "60M tokens at 60,000 tokens/s takes 17 min", "At 60,000 tokens/s 60M tokens take 17 min".
  void time_of_work(const ClaimLine& line, const ClaimAmount& first, const ClaimAmount& second,
                    const ClaimAmount& time) {
    if (time.dimension != ClaimDimension::kTime || first.odd || second.odd || time.odd) return;
    const std::string joined = words_between(line.said, first, second), verb = words_between(line.said, second, time);
    const std::string before = to_lower(std::string_view(line.said.text).substr(0, first.from));
    // "2.4 s per step, 3,000 steps"
    const bool by_step = first.dimension == ClaimDimension::kStepTime && is_one_of(joined, {",", ";"});
    const bool turned = by_step || (trim(before).ends_with("at") && is_one_of(joined, {"", ","}));
    // "We train on 12B tokens. At 165,000 tokens/s that takes 20 h"
    if (!turned && !is_one_of(joined, {". at", "; at", ", at", "at", "@", "with", "at a rate of", "of"})) return;
    // What is told with three digits is computed, and has nothing beside it.
    constexpr double kDigits = 100;
    const bool exact = !time.approximate && !time.range() && time.low >= kDigits * time.low_step &&
                       is_one_of(verb, {"is", "are", ", i.e.", "comes to", ", which is", "means"});
    const bool equal = exact || is_one_of(verb, {"=", "\xE2\x89\x88", "\xE2\x87\x92", "=>"});
    if (!equal && !is_one_of(verb, {", so",
                                    "copies in",
                                    "copy in",
                                    "uploads in",
                                    "downloads in",
                                    "transfers in",
                                    "is done in",
                                    "are done in",
                                    "finishes in",
                                    ", i.e.",
                                    ", hence",
                                    "takes",
                                    "take",
                                    "taking",
                                    "is",
                                    "are",
                                    ":",
                                    "->",
                                    "\xE2\x86\x92",
                                    "need",
                                    "needs",
                                    "in",
                                    ", which takes",
                                    "which takes",
                                    "that takes",
                                    "this takes",
                                    "it takes",
                                    ", so it takes",
                                    ", that takes",
                                    ", which is",
                                    ", which means",
                                    "will take",
                                    "would take",
                                    "lasts",
                                    "last",
                                    "means",
                                    "comes to",
                                    "run for",
                                    "runs for"}))
      return;
    const ClaimAmount &work = turned ? second : first, &speed = turned ? first : second;
    if (speed.per_gpu || work.range() || speed.range() || work.low <= 0 || speed.low <= 0) return;
    if (has_any(before, {"each", "per ", "every", "epoch", "\xC3\x97", "*", "("})) return;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kEpochs) return;
    constexpr double kManyTokens = 1e5;
    const auto works = [&](ClaimDimension what) { return work.dimension == what; };
    const bool bare = works(ClaimDimension::kBare) && work.low >= kManyTokens;
    std::optional<ClaimEnds> right;
    std::string sign = " / ";
    switch (speed.dimension) {
      case ClaimDimension::kTokenRate:
        if (works(ClaimDimension::kTokens) || bare) right = ends_of(work, true) / ends_of(speed, true);
        break;
      case ClaimDimension::kSampleRate:
        if (works(ClaimDimension::kSamples) || bare) right = ends_of(work, true) / ends_of(speed, true);
        break;
      case ClaimDimension::kByteRate:
        if (works(ClaimDimension::kBytes)) right = ends_of(work, true) / ends_of(speed, true);
        break;
      case ClaimDimension::kStepTime:
        sign = " \xC3\x97 ";
        if (works(ClaimDimension::kSteps)) right = ends_of(work, true) * ends_of(speed, true);
        break;
      default:
        break;
    }
    if (!right) return;
    for (const ClaimAmount* one : {&work, &speed, &time}) bench_.use(*one);
    if (equal ? fits(time, *right) : fits_at_least(time, *right, kBesideWork)) return;
    bench_.find(FindingKind::kWrong, line.line_of(time), line.label, time.text, told(ClaimDimension::kTime, *right),
                work.text + sign + speed.text);
  }

  /// "5 days (120 h)": of few days the last is often a part of one, and days of work have 12 hours at most.
  void in_brackets(const ClaimLine& line, const ClaimAmount& days, const ClaimAmount& hours) {
    constexpr double kFew = 3, kOfWork = 12;
    if (days.dimension != ClaimDimension::kTime || hours.dimension != ClaimDimension::kTime || days.unit != kDay ||
        hours.unit != kHour || days.range() || hours.range() || days.at_most || days.at_least || hours.at_least ||
        hours.at_most || days.odd || hours.odd || between(line.said, days, hours) != "(" ||
        !std::string_view(line.said.text).substr(hours.to).starts_with(')'))
      return;
    bench_.use(days);
    bench_.use(hours);
    if (fits(hours, ends_of(days)) || days.low < kFew * kDay || hours.low / kHour <= kOfWork * days.low / kDay) return;
    bench_.find(FindingKind::kWrong, line.line_of(days), line.label, days.text + " (" + hours.text + ")",
                number_text(std::round(days.low / kHour)) + " h", days.text + " \xC3\x97 24 h");
  }

  /// "1,000 s, which is 16.7 min"
  void same(const ClaimLine& line, const ClaimAmount& a, const ClaimAmount& b) {
    if (a.dimension != b.dimension || a.unit == b.unit || a.range() || b.range() ||
        (a.dimension != ClaimDimension::kTime && a.dimension != ClaimDimension::kEnergy) ||
        !is_one_of(words_between(line.said, a, b),
                   {", which is", "which is", ", that is", "that is", ", i.e.", "i.e.", "or", ", or", "oder", ", oder",
                    "ou", "soit", ", soit", "d.h.", ", d.h.", "bzw.", ", also"}))
      return;
    // "6 h or 90 min with four of them" are two of a choice.
    constexpr double kNear = 3;
    if (a.low > kNear * b.low || b.low > kNear * a.low) return;
    bench_.use(a);
    bench_.use(b);
    if (fits(b, ends_of(a, true)) || a.unit >= kDay || b.unit >= kDay) return;
    bench_.find(FindingKind::kWrong, line.line_of(a), line.label, a.text + " = " + b.text,
                told(b.dimension, ends_of(a, true)), a.text);
  }

  /// "With a 10% buffer: $440 -> $484", "Spot saves 60%: $3.20 becomes $1.28"
  void changed(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &share = all[place], &to = all[place + 2];
    if (share.dimension != ClaimDimension::kShare) return;
    // Nothing else is counted in the sentence.
    const std::size_t first = begin_of_sentence(line.said.text, share.from),
                      last = end_of_sentence(line.said.text, to.to);
    if ((place > 0 && all[place - 1].from >= first) || (place + 3 < all.size() && all[place + 3].from < last) ||
        end_of_sentence(line.said.text, share.from) < to.from)
      return;
    ClaimAmount from = all[place + 1];
    // "$1.60 becomes $0.64 per hour": both of an hour.
    if (from.dimension == ClaimDimension::kMoney && to.dimension == ClaimDimension::kPrice && !from.odd) {
      from.dimension = to.dimension;
      for (double* value : {&from.low, &from.high, &from.low_step, &from.high_step}) *value *= to.unit;
      from.unit = to.unit;
    }
    if (from.dimension != to.dimension || from.currency != to.currency || share.range() || from.range() || to.range() ||
        (from.dimension != ClaimDimension::kMoney && from.dimension != ClaimDimension::kPrice &&
         from.dimension != ClaimDimension::kTime && from.dimension != ClaimDimension::kBytes) ||
        !is_one_of(words_between(line.said, from, to), {"->", "\xE2\x86\x92", "becomes", "become", "=>"}))
      return;
    const std::string before = to_lower(std::string_view(line.said.text).substr(first, from.from - first));
    const bool more = has_any(before,
                              {"buffer", "vat", " tax", "contingency", "surcharge", "markup", "margin", "reserve "}),
               less = has_any(before, {"discount", "saves", "saving", " off"});
    if (more == less || before.contains("up to") || (less && share.high > 1)) return;
    for (const ClaimAmount* one : {&share, &all[place + 1], &to}) bench_.use(*one);
    const ClaimEnds part = ends_of(share, true);
    const ClaimEnds factor =
        more ? ends_of(1.0) + part
             : ClaimEnds{{1 - part.low.high, 1 - part.low.low}, {1 - part.high.high, 1 - part.high.low}};
    const ClaimEnds right = ends_of(from, true) * factor;
    if (fits(to, right)) return;
    bench_.find(FindingKind::kWrong, line.line_of(to), line.label, to.text, told(to, right),
                from.text + (more ? " + " : " - ") + share.text);
  }

  Bench& bench_;
};

}  // namespace

void check_told(Bench& bench) { Told(bench).check(); }

}  // namespace gpuplan::audit
