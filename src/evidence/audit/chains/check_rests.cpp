#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/chains/nearby.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// What is left of an amount, what the results of a sentence come to together, and so many times what a line is of.
class Rests {
 public:
  explicit Rests(Bench& bench) : bench_(bench), near_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      const auto& all = line.said.quantities;
      for (std::size_t i = 1; i < all.size(); ++i) hours_or_money(line, all[i - 1], all[i]);
      for (const ClaimAmount& one : all) {
        if (!bench_.go_on()) return;
        if (!is_single_value(one)) continue;
        rest(line, one);
        together(line, one);
        times_a_named_one(line, one);
        of_epochs(line, one);
        average(line, one);
        by_parameter(line, one);
      }
    }
  }

 private:
  static bool adds_up(const ClaimAmount& one) {
    return one.dimension == ClaimDimension::kMoney || one.dimension == ClaimDimension::kTime ||
           one.dimension == ClaimDimension::kGpuTime || one.dimension == ClaimDimension::kBytes ||
           one.dimension == ClaimDimension::kTokens;
  }

  /// "at most $5,669. The approved budget is $6,500; this leaves $831"
  void rest(const ClaimLine& line, const ClaimAmount& stated) {
    if (!adds_up(stated)) return;
    const std::string front = front_of(line, stated);
    if (!ends_with_word(trim(front), {"this leaves", "that leaves", "which leaves", "leaving", "leaves us",
                                      "so it leaves", "and leaves", "leaves"}) ||
        !ends_clause(std::string_view(line.said.text).substr(stated.to)))
      return;
    if (has_word_of(front, {"after", "taxes", "tax", "fees", "plus"})) return;
    const auto before = like_before(line, stated, begin_of_two_sentences(line.said.text, stated.from));
    const ClaimAmount* whole = nullptr;
    const std::string lower = to_lower(line.said.text);
    for (const ClaimAmount* one : before) {
      constexpr std::size_t kNear = 40;
      const std::size_t from = one->from - std::min(one->from, kNear);
      const std::string_view words = std::string_view(lower).substr(from, one->from - from);
      if (has_word_of(words, {"budget", "grant", "limit", "of", "cap", "approved", "has", "have"})) whole = one;
    }
    const ClaimAmount* taken = nullptr;
    for (const ClaimAmount* one : before)
      if (one != whole && whole != nullptr && one->low < whole->low) taken = one;
    if (whole == nullptr || taken == nullptr) return;
    near_.judge(line, stated, ends_of(*whole, true) - ends_of(*taken, true), whole->text + " - " + taken->text);
  }

  /// "(12 × 8,760 × $2.24 = $235,469) and rent the others ($28,405). Together $263,874": the results alone.
  void together(const ClaimLine& line, const ClaimAmount& stated) {
    if (!adds_up(stated)) return;
    const std::string front = front_of(line, stated);
    if (!is_one_of(front, {"together", "together that is", "together this is", "in all", "in total", "altogether",
                           "together they are", "together this makes", "the sum is", "together they cost"}))
      return;
    const std::string_view text = line.said.text;
    ClaimEnds sum = ends_of(0.0);
    const ClaimAmount* last = nullptr;
    int parts = 0;
    std::string how;
    const std::size_t own = begin_of_sentence(text, stated.from);
    for (const ClaimAmount* one : like_before(line, stated, begin_of_two_sentences(text, stated.from))) {
      if (one->from >= own) return;
      const std::string_view ahead = trim(text.substr(0, one->from)), behind = trim(text.substr(one->to));
      last = one;
      if (!ahead.ends_with('=') && !behind.starts_with(')')) continue;
      sum = sum + ends_of(*one);
      how += (how.empty() ? "" : " + ") + one->text;
      ++parts;
    }
    constexpr int kMost = 4;
    if (parts < 2 || parts > kMost || last == nullptr) return;
    near_.judge(line, stated, sum, how, 2);
  }

  /// "Average rate: 0.93 requests/s" and, further down, "Peak is 4 times the average: 3.7 requests/s"
  void times_a_named_one(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string front = front_of(line, stated);
    const std::size_t at = front.rfind(" times the ");
    if (at == std::string::npos) return;
    const std::string_view behind = std::string_view(front).substr(at + std::string_view(" times the ").size());
    const std::size_t colon = behind.find_first_of(":,");
    constexpr std::size_t kShortest = 4, kLongest = 24;
    if (colon == std::string_view::npos || colon < kShortest || colon > kLongest) return;
    const std::string_view name = behind.substr(0, colon), rest = trim(behind.substr(colon));
    if (!is_one_of(rest, {":", ", so", ", i.e.", ", that is", ", which is"})) return;
    const ClaimAmount* factor = nullptr;
    const std::size_t from = begin_of_sentence(line.said.text, stated.from);
    for (const ClaimAmount& one : line.said.quantities)
      if (one.to == from + at && counts_things(one)) factor = &one;
    if (factor == nullptr) return;
    const ClaimAmount* base = nullptr;
    for (const ClaimLine& other : bench_.document.lines) {
      if (other.section != line.section || other.line >= line.line || !to_lower(other.label).contains(name)) continue;
      for (const ClaimAmount& one : other.said.quantities)
        if (one.dimension == stated.dimension && is_single_value(one)) base = &one;
    }
    if (base != nullptr)
      near_.judge(line, stated, ends_of(*base) * factor->low, factor->text + " \xC3\x97 " + base->text);
  }

  /// "Tokens per epoch: 120,000 × 850 = 102M" and then "3 epochs, so 306M tokens"
  void of_epochs(const ClaimLine& line, const ClaimAmount& stated) {
    if (stated.dimension != ClaimDimension::kTokens) return;
    const std::size_t from = begin_of_sentence(line.said.text, stated.from);
    const ClaimAmount* epochs = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kEpochs && one.from >= from && one.to <= stated.from) epochs = &one;
    if (epochs == nullptr || !counts_things(*epochs)) return;
    if (!is_one_of(between(line.said, *epochs, stated),
                   {"", ",", ":", ", so", "are", ", that is", "=", "\xE2\x86\x92", "make", "come to", "give", "->"}))
      return;
    const ClaimAmount* base = nullptr;
    for (const ClaimLine& other : bench_.document.lines) {
      if (other.section != line.section || other.line >= line.line) continue;
      if (has_any(to_lower(other.label), {"tokens per epoch", "tokens an epoch", "tokens/epoch"}) &&
          !other.said.quantities.empty())
        base = &other.said.quantities.back();
    }
    if (base == nullptr || base->range() || base->odd ||
        (base->dimension != ClaimDimension::kBare && base->dimension != ClaimDimension::kTokens))
      return;
    near_.judge(line, stated, ends_of(*base) * epochs->low, epochs->text + " \xC3\x97 " + base->text);
  }

  /// "the 1.3B model trains on 5.3B tokens, or 4.1 tokens per parameter"
  void by_parameter(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string_view behind = trim(std::string_view(line.said.text).substr(stated.to));
    const bool bare = stated.dimension == ClaimDimension::kBare &&
                      starts_with_any(behind, {"tokens per parameter", "tokens/parameter", "tokens per param"});
    const bool counted = stated.dimension == ClaimDimension::kTokens &&
                         starts_with_any(behind, {"per parameter", "/parameter", "per param"});
    if (!bare && !counted) return;
    const ClaimAmount *tokens = nullptr, *params = nullptr;
    const std::size_t from = begin_of_sentence(line.said.text, stated.from);
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.to > stated.from || one.range()) continue;
      constexpr double kLeast = 1e7;
      const std::string_view next = trim(std::string_view(line.said.text).substr(one.to));
      if (one.dimension == ClaimDimension::kTokens) tokens = &one;
      else if (one.dimension == ClaimDimension::kParameters ||
               (one.dimension == ClaimDimension::kBare && one.low >= kLeast &&
                starts_with_any(next, {"model", "decoder"})))
        params = params == nullptr ? &one : params;
    }
    if (tokens != nullptr && params != nullptr)
      near_.judge(line, stated, ends_of(*tokens) / ends_of(*params), tokens->text + " / " + params->text);
  }

  /// "Average of the four prices: $2.61": of a column of its kind in the section that has so many rows.
  void average(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string front = front_of(line, stated);
    if (!(front.ends_with(": ") || front.ends_with(" is ")) || !has_any(front, {"average of the ", "mean of the "}))
      return;
    const std::vector<double> counts = number_words(front);
    std::vector<ClaimEnds> means;
    for (const ClaimTable& table : bench_.document.tables) {
      if (table.section != line.section || table.headless || table.across) continue;
      for (std::size_t column = 1; column < table.heads.size(); ++column) {
        ClaimEnds sum = ends_of(0.0);
        double rows = 0;
        for (const ClaimRow& row : table.rows) {
          const auto& all = row.cells[column].quantities;
          if (all.size() != 1 || all[0].dimension != stated.dimension || all[0].range()) continue;
          sum = sum + ends_of(all[0]);
          ++rows;
        }
        if (rows > 1 && rows == static_cast<double>(table.rows.size()) &&
            (counts.empty() || std::ranges::find(counts, rows) != counts.end()))
          means.push_back(sum * (1 / rows));
      }
    }
    if (means.size() == 1) near_.judge(line, stated, means[0], "the mean of the column");
  }

  /// "with reserve 14.0 hours, or $41.86": at some price of the document, by the GPUs that it counts. The nearest is
  /// meant where no other is near.
  void hours_or_money(const ClaimLine& line, const ClaimAmount& time, const ClaimAmount& stated) {
    if (time.dimension != ClaimDimension::kTime || stated.dimension != ClaimDimension::kMoney ||
        !is_single_value(time) || !is_single_value(stated))
      return;
    if (!is_one_of(between(line.said, time, stated),
                   {"or", ", or", "(", ", i.e.", "i.e.", ", that is", "=", "\xE2\x86\x92"}) ||
        !ends_clause(std::string_view(line.said.text).substr(stated.to)))
      return;
    std::set<double> prices, counts{1};
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities) {
        if (one.dimension == ClaimDimension::kPrice && one.currency == stated.currency) prices.insert(one.low);
        if ((one.dimension == ClaimDimension::kGpus || one.dimension == ClaimDimension::kBare) && counts_things(one))
          counts.insert(one.low);
        // Where several sums of money stand, one may be a price without saying so.
        if (one.dimension == ClaimDimension::kMoney && &one != &stated && one.currency == stated.currency)
          others_.insert(one.low);
      }
      for (const GpuMention& gpu : said.gpus) counts.insert(std::max(gpu.count, 1));
    };
    others_.clear();
    for (const ClaimLine& other : bench_.document.lines) take(other.said);
    for (const ClaimTable& table : bench_.document.tables) {
      for (const ClaimText& head : table.heads) take(head);
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) take(cell);
    }
    constexpr std::size_t kMost = 40;
    if (prices.empty() || prices.size() > kMost || counts.size() > kMost || !bench_.go_through()) return;
    for (const double money : others_)
      if (fits(stated, ends_of(time) * (money / kHour))) return;
    constexpr double kNear = 1.15;
    std::set<double> near;
    for (const double price : prices)
      for (const double count : counts) {
        const ClaimEnds right = ends_of(time) * (price * count / kHour);
        if (fits(stated, right)) return;
        if (stated.low < kNear * right.most() && right.least() < kNear * stated.low) near.insert(price * count);
      }
    if (near.size() == 1)
      near_.judge(line, stated, ends_of(time) * (*near.begin() / kHour),
                  time.text + " \xC3\x97 " + told(ClaimDimension::kPrice, *near.begin()));
  }

  Bench& bench_;
  Nearby near_;
  std::set<double> others_;
};

}  // namespace

void check_rests(Bench& bench) { Rests(bench).check(); }

}  // namespace gpuplan::audit
