#include <algorithm>
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

bool is_single(const ClaimAmount& one) { return !one.range() && !one.odd && one.low > 0; }

/// Sums that a clause tells with words between its amounts.
class Clauses {
 public:
  explicit Clauses(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (!reads_as_prose(line)) continue;
      for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        added(line, all[i], all[i + 1], all[i + 2]);
        share_of(line, all[i], all[i + 1], all[i + 2]);
        of_each_one(line, all[i], all[i + 1], all[i + 2]);
      }
      of_each(line);
    }
    totals();
  }

 private:
  /// "1.2 TB plus 800 GB of shards add up to 2 TB."
  void added(const ClaimLine& line, const ClaimAmount& a, const ClaimAmount& b, const ClaimAmount& sum) {
    if (a.dimension != b.dimension || a.dimension != sum.dimension || a.dimension == ClaimDimension::kShare ||
        a.dimension == ClaimDimension::kTimes || !is_single(a) || !is_single(b) || !is_single(sum) ||
        a.currency != sum.currency || b.currency != sum.currency || b.from < a.to || sum.from < b.to)
      return;
    const std::string joined = between(line.said, a, b), verb = between(line.said, b, sum);
    if (joined.contains(". ") || verb.contains(". ") || !has_word_of(joined, {"plus", "and"}) ||
        has_word_of(joined, {"of which", "minus", "less", "times"}) ||
        !has_any(verb, {"add up to", "adds up to", "adding up to", "sum to", "sum up to", "sums to", "together make",
                        "makes together", "together come to", "come together to"}))
      return;
    // "A and B plus the rest add up to": more than the two.
    const std::size_t from = begin_of_sentence(line.said.text, a.from);
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.from < a.from) return;
    if (has_any(verb, {" with ", " plus ", "rest", "other", " and "}) || has_any(joined, {"each", "per "})) return;
    for (const ClaimAmount* one : {&a, &b, &sum}) bench_.use(*one);
    const ClaimEnds right = ends_of(a) + ends_of(b);
    if (fits(sum, right)) return;
    // Bytes of either kind.
    if (a.dimension == ClaimDimension::kBytes && (fits(sum, right * 1.024) || fits(sum, right * (1 / 1.024)))) return;
    tell(line, sum, right, a.text + " + " + b.text);
  }

  /// "10 % of 600k pairs go to validation = 60k pairs", "5 % of 48,000 conversations, i.e. 2,400".
  void share_of(const ClaimLine& line, const ClaimAmount& share, const ClaimAmount& whole, const ClaimAmount& part) {
    if (share.dimension != ClaimDimension::kShare || !is_single(share) || !is_single(whole) || !is_single(part) ||
        share.high > 1 || part.from < whole.to)
      return;
    if (whole.dimension != part.dimension && part.dimension != ClaimDimension::kBare) return;
    if (whole.dimension == ClaimDimension::kShare || whole.currency != part.currency) return;
    if (!is_one_of(between(line.said, share, whole), {"of", "of the", "of all", "of our", "of these", "of the total"}))
      return;
    std::string verb = between(line.said, whole, part);
    for (const std::string_view about : {"about", "roughly", "around", "~", "\xE2\x89\x88"})
      if (verb.ends_with(about)) verb = std::string(trim(std::string_view(verb).substr(0, verb.size() - about.size())));
    if (verb.contains('.') && !verb.ends_with("i.e.")) return;
    constexpr std::size_t kLongest = 48;
    if (verb.size() > kLongest || has_any(verb, {"plus", "minus", "less", "more", ";", "+", "*", "/", "("})) return;
    bool equal = false;
    for (const std::string_view sign : {"=", "i.e.", "that is", "which is", "which are", ", or", "\xE2\x86\x92", "->"})
      equal = equal || verb.ends_with(sign);
    if (!equal) return;
    // "= 60k pairs × 3"
    const std::string_view rest = std::string_view(line.said.text).substr(part.to);
    if (rest.substr(0, 24).contains('*') || rest.substr(0, 24).contains("\xC3\x97")) return;
    for (const ClaimAmount* one : {&share, &whole, &part}) bench_.use(*one);
    const ClaimEnds right = ends_of(share, true) * ends_of(whole, true);
    if (fits(part, right)) return;
    tell(line, part, right, share.text + " of " + whole.text);
  }

  /// "25 files of 400 MB each need 10 GB", "10 runs at 16 GPU-hours each add 160 GPU-hours".
  void of_each_one(const ClaimLine& line, const ClaimAmount& count, const ClaimAmount& each, const ClaimAmount& all) {
    constexpr double kMost = 1e6;
    if (count.dimension != ClaimDimension::kBare || !count.whole || !is_single(count) || count.low > kMost ||
        !count.currency.empty() || !is_single(each) || !is_single(all) || each.dimension != all.dimension ||
        each.currency != all.currency)
      return;
    if (each.dimension != ClaimDimension::kBytes && each.dimension != ClaimDimension::kGpuTime &&
        each.dimension != ClaimDimension::kTokens && each.dimension != ClaimDimension::kMoney)
      return;
    const std::string noun = between(line.said, count, each), verb = between(line.said, each, all);
    const bool joined = noun.ends_with(" of") || noun.ends_with(" at") || noun.ends_with(" with");
    constexpr std::size_t kLongest = 32;
    if (!joined || noun.size() > kLongest || noun.find_first_of(".,;:(+") != std::string::npos) return;
    if (!is_one_of(verb, {"each need", "each take", "each add", "each adds", "each make", "each, need", "each are",
                          "each come to", "each, take", "each make up", "each cost", "each, in all", "each is",
                          "each add another", "each adds another"}))
      return;
    const std::size_t from = begin_of_sentence(line.said.text, count.from);
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.from < count.from) return;
    for (const GpuMention& gpu : line.said.gpus)
      if (gpu.from >= from && gpu.from < all.from && gpu.count > 1) return;
    if (!ends_clause(std::string_view(line.said.text).substr(all.to))) return;
    for (const ClaimAmount* one : {&count, &each, &all}) bench_.use(*one);
    const ClaimEnds right = ends_of(each, true) * count.low;
    if (fits(all, right)) return;
    if (each.dimension == ClaimDimension::kBytes && (fits(all, right * 1.024) || fits(all, right * (1 / 1.024))))
      return;
    tell(line, all, right, count.text + " \xC3\x97 " + each.text);
  }

  /// "One 8xH200 node costs $28 an hour, so each H200 is $3.50/h."
  void of_each(const ClaimLine& line) {
    const auto& all = line.said.quantities;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const ClaimAmount &node = all[i], &each = all[i + 1];
      if (node.dimension != ClaimDimension::kPrice || each.dimension != ClaimDimension::kPrice || !is_single(node) ||
          !is_single(each) || node.per_gpu || node.currency != each.currency || node.unit != each.unit)
        continue;
      const std::string lower = to_lower(line.said.text);
      const std::size_t from = begin_of_sentence(lower, node.from);
      const std::string joined = between(line.said, node, each);
      if (joined.contains(". ") || !has_word_of(joined, {"so", "hence", "i.e.", "thus", "which", "means", "makes"}))
        continue;
      const std::string_view behind = std::string_view(lower).substr(each.to, 16);
      const bool one = has_any(joined, {"each", "a gpu", "per gpu", "one gpu", "every", "a card", "per card"}) ||
                       each.per_gpu || starts_with_any(behind, {" each", " per gpu", " a gpu", " per card"});
      if (!one) continue;
      double count = 0;
      bool several = false;
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.from >= from && gpu.from < node.from && gpu.count > 1) {
          several = several || (count > 0 && count != gpu.count);
          count = gpu.count;
        }
      if (count == 0 || several) continue;
      bench_.use(node);
      bench_.use(each);
      const ClaimEnds right = ends_of(node, true) * (1 / count);
      if (!fits(each, right)) tell(line, each, right, node.text + " / " + number_text(count));
    }
  }

  /// Lists whose last item is "Total $59.40" and whose other items end with money.
  void totals() {
    const auto& lines = bench_.document.lines;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const ClaimLine& last = lines[i];
      const std::string lower = to_lower(trim(last.said.text));
      if (!last.item || last.code || !last.label.empty() || last.said.quantities.size() != 1 ||
          !starts_with_any(lower, {"total", "in total", "altogether", "sum", "all in all"}))
        continue;
      const ClaimAmount& stated = last.said.quantities.front();
      if (stated.dimension != ClaimDimension::kMoney || !is_single(stated)) continue;
      std::vector<const ClaimAmount*> parts;
      bool clear = true;
      for (std::size_t back = i; back-- > 0;) {
        const ClaimLine& one = lines[back];
        if (one.block != last.block || !one.item || one.section != last.section) break;
        if (one.said.quantities.empty()) continue;
        const ClaimAmount& end = one.said.quantities.back();
        if (end.dimension == ClaimDimension::kMoney && is_single(end) && end.currency == stated.currency)
          parts.push_back(&end);
        // Taxes and discounts are checked with bills.
        clear = clear && !has_any(to_lower(one.said.text), {"vat", "tax", "discount", "credit", "%"});
      }
      constexpr std::size_t kMost = 10;
      if (!clear || parts.size() < 2 || parts.size() > kMost) continue;
      bench_.use(stated);
      bool good = false;
      ClaimEnds all = ends_of(0.0);
      for (std::size_t mask = 1; mask < (std::size_t{1} << parts.size()); ++mask) {
        ClaimEnds sum = ends_of(0.0);
        for (std::size_t bit = 0; bit < parts.size(); ++bit)
          if ((mask >> bit & 1U) != 0) sum = sum + ends_of(*parts[bit]);
        good = good || fits(stated, sum);
        all = sum;
      }
      if (!good) tell(last, stated, all, "sum of the items above");
    }
  }

  void tell(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how) {
    const int at = line.line_of(stated);
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == at; })) return;
    bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, right), how);
  }

  Bench& bench_;
};

}  // namespace

void check_clauses(Bench& bench) { Clauses(bench).check(); }

}  // namespace gpuplan::audit
