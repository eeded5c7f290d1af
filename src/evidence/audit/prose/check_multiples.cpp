#include <algorithm>
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

constexpr std::string_view kMakes[] = {"that is",  "that makes", "that are", "this is",   "it is",     "these are",
                                       "das sind", "das macht",  "sind das", "macht das", "cela fait", "soit",
                                       "ce sont",  "we need",    "makes",    "are"};
constexpr std::string_view kTogether[] = {"together",   "zusammen", "in total", "insgesamt", "au total",
                                          "altogether", "in all",   "all told", "total of",  "sum of"};

/// "For 30 iterations that is 60 hours", "Five seeds: $91", "12 GB and 8 GB, together 20 GB": of what stands before it
/// in the paragraph.
class Multiples {
 public:
  explicit Multiples(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      for (const ClaimAmount& one : line.said.quantities) {
        if (!adds_up(one.dimension) || !is_single(one) || !bench_.go_on()) continue;
        times(line, one);
        together(line, one);
      }
    }
  }

 private:
  static bool is_single(const ClaimAmount& one) {
    return !one.range() && !one.odd && one.low > 0 && !one.at_least && !one.at_most && !one.added && !one.taken;
  }
  static bool adds_up(ClaimDimension dimension) {
    return dimension == ClaimDimension::kMoney || dimension == ClaimDimension::kTime ||
           dimension == ClaimDimension::kGpuTime || dimension == ClaimDimension::kBytes ||
           dimension == ClaimDimension::kEnergy || dimension == ClaimDimension::kTokens;
  }
  static bool is_like(const ClaimAmount& one, const ClaimAmount& stated) {
    return one.dimension == stated.dimension && one.currency == stated.currency && is_single(one);
  }

  /// Amounts of the same kind before it, in the paragraph or in its sentence alone.
  static std::vector<const ClaimAmount*> before(const ClaimLine& line, const ClaimAmount& stated, std::size_t from) {
    std::vector<const ClaimAmount*> found;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.to <= stated.from && is_like(one, stated)) found.push_back(&one);
    return found;
  }

  /// What else the document says of that kind, as one of its figures may be meant.
  bool is_told_elsewhere(const ClaimAmount& stated) {
    if (!bench_.go_through()) return true;
    const auto is_it = [&](const ClaimText& said) {
      return std::ranges::any_of(said.quantities, [&](const ClaimAmount& one) {
        return &one != &stated && is_like(one, stated) && may_be_same(one, stated);
      });
    };
    if (std::ranges::any_of(bench_.document.lines, [&](const ClaimLine& line) { return is_it(line.said); }))
      return true;
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        if (std::ranges::any_of(row.cells, is_it)) return true;
    return false;
  }

  /// How many its sentence says it is for: "for 30 iterations that is", "Five seeds:"; 0: it does not.
  static double count_before(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string lower = to_lower(line.said.text);
    const std::size_t from = begin_of_sentence(lower, stated.from);
    const std::string_view front = trim(std::string_view(lower).substr(from, stated.from - from));
    // "Five seeds:"
    constexpr std::ptrdiff_t kWords = 3;
    if (front.ends_with(':')) {
      const std::vector<double> words = number_words(front);
      const bool starts = !words.empty() && number_words(front.substr(0, front.find(' '))) == words;
      return starts && words.size() == 1 && words[0] > 1 && std::ranges::count(front, ' ') < kWords ? words[0] : 0;
    }
    if (std::ranges::none_of(kMakes, [&](std::string_view words) { return ends_with_word(front, {words}); })) return 0;
    const ClaimAmount* count = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.to <= stated.from) count = &one;
    if (count == nullptr || !count->whole || count->range() || count->low < 2 ||
        (count->dimension != ClaimDimension::kBare && count->dimension != ClaimDimension::kEpochs &&
         count->dimension != ClaimDimension::kSteps && count->dimension != ClaimDimension::kSamples) ||
        !count->currency.empty())
      return 0;
    const std::string_view ahead = trim(std::string_view(lower).substr(0, count->from));
    return ends_with_word(ahead, {"for", "over", "in", "f\xC3\xBCr", "bei", "pour", "sur", "and for", "times"})
               ? count->low
               : 0;
  }

  void times(const ClaimLine& line, const ClaimAmount& stated) {
    const double count = count_before(line, stated);
    if (count <= 0 || !ends_clause(std::string_view(line.said.text).substr(stated.to))) return;
    const std::vector<const ClaimAmount*> bases = before(line, stated, 0);
    if (bases.empty()) return;
    // By epochs, GPUs and other numbers of the paragraph, too.
    std::vector<double> counts{1};
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension != stated.dimension && one.low > 0 && one.currency.empty())
        counts.push_back(one.low / one.unit);
    for (const ClaimAmount* one : bases)
      for (const double more : counts)
        if (fits(stated, ends_of(*one) * count * more) || fits(stated, ends_of(*one) * (count / more))) return;
    constexpr double kBeside = 1.3;
    const ClaimEnds right = ends_of(*bases.back(), true) * count;
    if (stated.dimension == ClaimDimension::kTime && stated.approximate && fits_at_least(stated, right, kBeside))
      return;
    tell(line, stated, right, number_text(count) + " \xC3\x97 " + bases.back()->text);
  }

  void together(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string lower = to_lower(line.said.text);
    const std::size_t from = begin_of_sentence(lower, stated.from);
    const std::string_view front = trim(std::string_view(lower).substr(from, stated.from - from));
    if (std::ranges::none_of(kTogether, [&](std::string_view word) { return ends_with_word(front, {word}); })) return;
    const std::vector<const ClaimAmount*> parts = before(line, stated, from);
    constexpr std::size_t kMost = 8;
    if (parts.size() < 2 || parts.size() > kMost || has_word_of(front, {"each", "per", "than", "of which", "not"}))
      return;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.to <= stated.from &&
          (one.dimension == ClaimDimension::kShare || one.range() || one.approximate))
        return;
    const std::vector<const ClaimAmount*> all = before(line, stated, 0);
    if (all.size() > kMost || is_sum(stated, all) || is_product(line, stated, parts) || is_told_elsewhere(stated))
      return;
    ClaimEnds right = ends_of(0.0);
    // Memory of either kind of thousands, and sums of rounded figures.
    for (const ClaimAmount* one : parts) right = right + ends_of(*one);
    constexpr double kFar = 2;
    if (parts.size() > 3 || stated.low > kFar * right.most() || right.least() > kFar * stated.low) return;
    tell(line, stated, right, "the sum of " + std::to_string(parts.size()) + " parts of the sentence");
  }

  static bool is_sum(const ClaimAmount& stated, const std::vector<const ClaimAmount*>& all) {
    for (std::size_t mask = 1; mask < (std::size_t{1} << all.size()); ++mask) {
      ClaimEnds sum = ends_of(0.0);
      for (std::size_t bit = 0; bit < all.size(); ++bit)
        if ((mask >> bit & 1U) != 0) sum = sum + ends_of(*all[bit]);
      if (fits(stated, sum) || fits(stated, sum * 1.024) || fits(stated, sum * (1 / 1.024))) return true;
    }
    return false;
  }

  /// "16 GB each for 3 models": of some number in the sentence.
  static bool is_product(const ClaimLine& line, const ClaimAmount& stated,
                         const std::vector<const ClaimAmount*>& parts) {
    std::vector<double> counts = number_words(line.said.text);
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension != stated.dimension && one.low > 0) counts.push_back(one.low / one.unit);
    for (const GpuMention& gpu : line.said.gpus) counts.push_back(std::max(gpu.count, 1));
    ClaimEnds all = ends_of(0.0);
    for (const ClaimAmount* one : parts) all = all + ends_of(*one);
    return std::ranges::any_of(counts, [&](double count) {
      return fits(stated, all * count) || std::ranges::any_of(parts, [&](const ClaimAmount* one) {
               return fits(stated, ends_of(*one) * count) || fits(stated, all + ends_of(*one) * (count - 1));
             });
    });
  }

  void tell(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how) {
    const int at = line.line_of(stated);
    bench_.use(stated);
    if (std::ranges::none_of(bench_.findings, [&](const Finding& one) { return one.line == at; }))
      bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, right), how);
  }

  Bench& bench_;
};

}  // namespace

void check_multiples(Bench& bench) { Multiples(bench).check(); }

}  // namespace gpuplan::audit
