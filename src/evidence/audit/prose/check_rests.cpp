#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/computed_words.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

constexpr double kThousands = 1.024, kMillions = kThousands * kThousands, kGiga = kMillions * kThousands;

/// What is left of a whole: of what the sentence names, less what was told before.
class Rests {
 public:
  explicit Rests(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      const std::string lower = to_lower(line.said.text);
      for (const ClaimAmount& one : line.said.quantities)
        if (is_told(one) && is_rest(lower, one)) rest(line, lower, one);
    }
  }

 private:
  /// "which leaves 28.8 GB", "leaves us about $500", "leaving 12 h".
  static bool is_rest(std::string_view lower, const ClaimAmount& one) {
    if (one.dimension != ClaimDimension::kBytes && one.dimension != ClaimDimension::kMoney &&
        one.dimension != ClaimDimension::kTime && one.dimension != ClaimDimension::kGpuTime)
      return false;
    std::string_view front = trim(lower.substr(0, one.from));
    for (const std::string_view word : {"about", "around", "roughly", "only", "us", "you", "me", "some", "just"})
      if (ends_with_word(front, {word})) front = trim(front.substr(0, front.size() - word.size()));
    return ends_with_word(front, {"leaves", "leaving", "leave"});
  }

  static bool is_like(const ClaimAmount& one, const ClaimAmount& rest) {
    return &one != &rest && one.dimension == rest.dimension && one.currency == rest.currency && is_told(one);
  }

  /// Bytes may be counted in either kind of thousands.
  static bool is_it(const ClaimAmount& rest, const ClaimEnds& value) {
    if (fits(rest, value)) return true;
    return rest.dimension == ClaimDimension::kBytes &&
           (agrees(rest, value) || fits(rest, value * kGiga) || fits(rest, value * (1 / kGiga)));
  }

  void rest(const ClaimLine& line, const std::string& lower, const ClaimAmount& stated) {
    const std::size_t from = begin_of_sentence(lower, stated.from);
    const ClaimAmount* whole = nullptr;
    for (const ClaimAmount& one : line.said.quantities) {
      if (!is_like(one, stated)) continue;
      constexpr std::size_t kNear = 36;
      if (one.from >= from && one.to <= stated.from && stated.from - one.to <= kNear) whole = &one;
      if (one.from >= stated.to && is_one_of(between(line.said, stated, one), {"of", "of the", "of its", "of our"})) {
        whole = &one;
        break;
      }
    }
    if (whole == nullptr || whole->low <= stated.low || !bench_.go_through()) return;
    // What was told in tables, and before it in the section.
    std::vector<const ClaimAmount*> parts;
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells)
          for (const ClaimAmount& one : cell.quantities)
            if (is_like(one, stated) && bench_.within(line.section, table.section)) parts.push_back(&one);
    for (const ClaimLine& other : bench_.document.lines) {
      if (other.section != line.section || other.line > line.line) continue;
      for (const ClaimAmount& one : other.said.quantities)
        if (is_like(one, stated) && &one != whole && (&other != &line || one.to <= stated.from)) parts.push_back(&one);
    }
    constexpr std::size_t kMost = 40;
    if (parts.empty() || parts.size() > kMost) return;
    std::vector<double> counts{1};
    for (const ClaimAmount& one : line.said.quantities)
      if (one.low > 0 && (one.dimension == ClaimDimension::kShare || one.dimension == ClaimDimension::kBare ||
                          one.dimension == ClaimDimension::kGpus))
        counts.push_back(one.low);
    for (const GpuMention& gpu : line.said.gpus) counts.push_back(std::max(gpu.count, 1));
    const ClaimEnds all = ends_of(*whole);
    const ClaimAmount* nearest = nullptr;
    for (const ClaimAmount* one : parts) {
      for (const double count : counts) {
        if (!bench_.go_on()) return;
        if (is_it(stated, all * count) || is_it(stated, all - ends_of(*one) * count) ||
            is_it(stated, all - ends_of(*one) * (1 / count)))
          return;
      }
      for (const ClaimAmount* more : parts)
        if (more != one && is_it(stated, all - (ends_of(*one) + ends_of(*more)))) return;
      if (one->low < whole->low && (nearest == nullptr || std::abs(whole->low - one->low - stated.low) <=
                                                              std::abs(whole->low - nearest->low - stated.low)))
        nearest = one;
    }
    ClaimEnds sum = ends_of(0.0);
    for (const ClaimAmount* one : parts) sum = sum + ends_of(*one);
    constexpr double kFar = 3;
    if (nearest == nullptr || is_it(stated, all - sum)) return;
    const ClaimEnds right = all - ends_of(*nearest);
    if (stated.low > kFar * right.most() || right.least() > kFar * stated.low) return;
    for (const ClaimAmount* one : {whole, nearest, &stated}) bench_.use(*one);
    const int at = line.line_of(stated);
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == at; })) return;
    bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, right),
                whole->text + " - " + nearest->text);
  }

  Bench& bench_;
};

}  // namespace

void check_rests(Bench& bench) { Rests(bench).check(); }

}  // namespace gpuplan::audit
