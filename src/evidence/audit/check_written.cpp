#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/written.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

constexpr std::size_t kMostInText = 40;  // amounts
constexpr std::string_view kMinus = "\xE2\x88\x92";

/// The sign between two amounts, where nothing else but a few words stands there. 0: there is none.
char sign_in(std::string_view gap) {
  constexpr std::size_t kLongest = 48;
  if (gap.size() > kLongest) return 0;
  char sign = 0;
  int words = 0;
  bool in_word = false;
  for (std::size_t i = 0; i < gap.size(); ++i) {
    const std::string_view rest = gap.substr(i);
    char here = 0;
    std::size_t length = 1;
    if (rest.starts_with("\xC3\x97") || rest.starts_with("\xC2\xB7")) here = '*', length = 2;
    else if (rest.starts_with("\xC3\xB7")) here = '/', length = 2;
    else if (rest.starts_with("\xE2\x89\x88")) here = '=', length = 3;
    else if (rest.starts_with(kMinus) && i > 0 && gap[i - 1] == ' ') here = '-', length = 3;
    else if (rest[0] == '*' || rest[0] == '/' || rest[0] == '+' || rest[0] == '=') here = rest[0];
    else if (rest[0] == '-' && i > 0 && gap[i - 1] == ' ' && rest.size() > 1 && rest[1] == ' ') here = '-';
    else if ((rest[0] == 'x' || rest[0] == 'X') && (i == 0 || !is_letter(gap[i - 1])) &&
             (rest.size() == 1 || !is_letter(rest[1])))
      here = '*';
    // "loss=10.2" is a setting, not the result of what stands before it.
    if (here == '=' && in_word && rest.size() == 1) return 0;
    if (here != 0) {
      if (sign != 0) return 0;
      sign = here;
      i += length - 1;
      in_word = false;
      continue;
    }
    const char c = rest[0];
    const bool letter = is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80 || (c == '-' && in_word);
    if (letter && !in_word) ++words;
    in_word = letter;
    // "(", "," and the like part what is said; '~' and '$' belong to the amount.
    if (!letter && c != ' ' && c != '~') return 0;
  }
  return words <= 5 ? sign : static_cast<char>(0);
}

/// How many a result is of: a million of "per 1M tokens"; 1: of one.
double counted_together(std::string_view words) {
  const std::string lower = to_lower(words);
  for (const auto& [number, names] : {std::pair{1e3, std::array{"1k", "thousand", "1,000", "1000"}},
                                      std::pair{1e6, std::array{"1m", "million", "mtok", "m tokens"}},
                                      std::pair{1e9, std::array{"1b", "billion", "btok", "b tokens"}}})
    for (const std::string_view name : names)
      for (const std::string_view per : {"per ", "/", "a ", "per 1 "}) {
        const std::string said = std::string(per) + std::string(name);
        const std::size_t at = lower.find(said);
        if (at == std::string::npos) continue;
        // "per 1,000,000" is no thousand, and "data million" none at all.
        const std::size_t end = at + said.size();
        const bool begins = at == 0 || !is_letter(lower[at - 1]) || !is_letter(per.front());
        if (begins && (end == lower.size() || (!is_letter(lower[end]) && !is_digit(lower[end]) && lower[end] != ',')))
          return number;
      }
  return 1;
}

/// The text ends within a sum: what follows is a part of it.
bool ends_open(std::string_view text) {
  text = trim(text);
  if (text.ends_with('x') || text.ends_with('X'))
    return text.size() > 1 && !is_letter(text[text.size() - 2]) && text[text.size() - 2] != '-';
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"\xC3\x97", "\xC2\xB7", "*", "/", "\xC3\xB7", "+", "^", kMinus, " -"},
      [&](std::string_view sign) { return text.ends_with(sign); });
}

class Written {
 public:
  explicit Written(Bench& bench) : bench_(bench) {}

  void check() {
    const ClaimLine* above = nullptr;
    for (const ClaimLine& line : bench_.document.lines) {
      // A paragraph's line goes on with the sum of the line above.
      const bool open = above != nullptr && above->block == line.block && !line.item && ends_open(above->said.text);
      above = &line;
      if (line.said.quantities.size() <= kMostInText) look(line.line, line.label, line.said, open);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells)
          if (cell.quantities.size() >= 2 && cell.quantities.size() <= kMostInText)
            look(row.line, row.cells.front().text, cell, false);
  }

 private:
  void look(int line, const std::string& label, const ClaimText& said, bool open) {
    const std::vector<WrittenTerm> all = written_terms(said);
    if (!said.text.contains('=') && !said.text.contains("\xE2\x89\x88")) reversed(line, label, said, all);
    chains(line, label, said, all, open);
  }

  /// What joins a term to those before it. `chain` is changed where more than a sign does.
  static char joins(const ClaimText& said, std::vector<WrittenTerm>& chain, WrittenTerm& next) {
    WrittenTerm& last = chain.back();
    const std::string_view text = said.text;
    const std::string_view gap = text.substr(last.to, next.from > last.to ? next.from - last.to : 0);
    // "4x RTX 3090 (24 GB each) = 96 GB"
    if (chain.size() == 1 && last.dimension == ClaimDimension::kGpus && last.quantity == nullptr && trim(gap) == "(" &&
        next.dimension == ClaimDimension::kBytes && text.substr(next.to).starts_with(" each)")) {
      next.to += std::string_view(" each)").size();
      return '*';
    }
    const std::string lower = to_lower(gap);
    // "36 GB plus 4 GB = 40 GB"
    if (next.dimension == last.dimension && next.dimension != ClaimDimension::kShare) {
      if (is_one_of(lower, {"plus"})) return '+';
      if (is_one_of(lower, {"minus"})) return '-';
    }
    const bool share = last.dimension == ClaimDimension::kShare && chain.size() == 1;
    if (share && is_one_of(lower, {"of", "of the"})) return '*';
    if (share && is_one_of(lower, {"off", "off of", "off the"})) {
      last.off = true;
      return '*';
    }
    // "$478 (+10% buffer = $526)"
    if (next.dimension == ClaimDimension::kShare) {
      if (is_one_of(lower, {"(+", "plus", "(plus", ", plus", ", +"})) return '+';
      if (is_one_of(lower, {"(-", "minus", "(minus", ", minus", "less", "(\xE2\x88\x92"})) return '-';
    }
    if (chain.size() == 2 && chain[0].dimension == ClaimDimension::kShare &&
        is_one_of(lower, {"is", ":", "=", "->", "\xE2\x86\x92"}) &&
        is_one_of(to_lower(text.substr(chain[0].to, last.from - chain[0].to)), {"of", "of the", "off", "off the"}))
      return '=';
    // "10 h × $2.49/h is $24.90", and not "on 2 x 8 GPUs are 640 GPU-hours"
    const auto counts = [](const WrittenTerm& term) {
      return term.dimension == ClaimDimension::kBare || term.dimension == ClaimDimension::kGpus;
    };
    if (chain.size() > 1 &&
        is_one_of(lower, {"is", "are", "makes", "make", "gives", "comes to", "come to", ", which is"}) &&
        std::ranges::all_of(chain.begin() + 1, chain.end(), [](const WrittenTerm& term) { return term.sign == '*'; }) &&
        (counts(next) || !std::ranges::all_of(chain, counts)) && ends_clause(text.substr(next.to)))
      return '=';
    return sign_in(gap);
  }

  void chains(int line, const std::string& label, const ClaimText& said, const std::vector<WrittenTerm>& all,
              bool open) {
    for (std::size_t i = 0; i < all.size();) {
      std::vector<WrittenTerm> chain{all[i]};
      // Of "(2 + 3) × 4 h = ..." no part is a sum of its own, nor of "N × 4 × 2 = ...".
      bool partial = (open && i == 0) || (i > 0 && touches(said.text, all[i - 1], all[i])) ||
                     ends_open(std::string_view(said.text).substr(0, all[i].from));
      std::size_t next = i + 1;
      for (; next < all.size(); ++next) {
        WrittenTerm one = all[next];
        const char sign = joins(said, chain, one);
        if (sign == 0) break;
        one.sign = sign;
        chain.push_back(one);
        if (sign != '=') continue;
        // "24 × 2 = 6 × 8": the result is what follows in all.
        const bool goes_on = next + 1 < all.size() && product_follows(said.text, one, all[next + 1]);
        if (!partial && !goes_on) judge(line, label, said, chain);
        partial = goes_on;
        // "= 16 steps = 12 min" goes on from the result.
        chain = {all[next]};
      }
      turned(line, label, said, all, i, next);
      i = std::max(next, i + 1);
    }
  }

  /// "Global batch 512 = 16 GPUs × 8 × 4", "$60 = 3 × $20": the result stands first.
  void turned(int line, const std::string& label, const ClaimText& said, const std::vector<WrittenTerm>& all,
              std::size_t first, std::size_t end) {
    if (end < first + 3 || all[first].quantity == nullptr) return;
    const ClaimAmount& result = *all[first].quantity;
    const bool batch = to_lower(trim(std::string_view(said.text).substr(0, result.from))).ends_with("batch");
    constexpr double kDay = 24 * kHour;
    // "1 node = 2 × 4 GPUs", "1 week = 5 × 8 h" say what is called so.
    const bool measured = (result.dimension == ClaimDimension::kMoney || result.dimension == ClaimDimension::kTime ||
                           result.dimension == ClaimDimension::kBytes) &&
                          result.low != result.unit && result.unit < kDay;
    if ((!batch || result.dimension != ClaimDimension::kBare) && !measured) return;
    if (first > 0 &&
        sign_in(std::string_view(said.text).substr(all[first - 1].to, result.from - all[first - 1].to)) != 0)
      return;
    if (ends_open(std::string_view(said.text).substr(0, result.from))) return;
    std::vector<WrittenTerm> chain;
    for (std::size_t i = first + 1; i < end; ++i) {
      if (all[i].from < all[i - 1].to) return;
      WrittenTerm term = all[i];
      term.sign = sign_in(std::string_view(said.text).substr(all[i - 1].to, term.from - all[i - 1].to));
      if (i == first + 1 ? term.sign != '=' : term.sign != '*') return;
      if (i == first + 1) term.sign = 0;
      chain.push_back(term);
    }
    if (!goes_no_further(std::string_view(said.text).substr(all[end - 1].to))) return;
    chain.push_back(all[first]);
    chain.back().sign = '=';
    judge(line, label, said, chain);
  }

  /// No "× sequence length" and no "+ tax" behind the last number.
  static bool goes_no_further(std::string_view behind) {
    const std::size_t stop = behind.find_first_of(".,;:)");
    const std::string_view rest = behind.substr(0, stop);
    return std::ranges::none_of(
        std::initializer_list<std::string_view>{"\xC3\x97", "\xC2\xB7", "*", "/", "+", " x ", "=", kMinus, " - ", "("},
        [&](std::string_view sign) { return rest.contains(sign); });
  }

  /// "8 nodes 4 × 2 GPUs": nobody knows what the first is for.
  static bool touches(std::string_view text, const WrittenTerm& a, const WrittenTerm& b) {
    return b.from >= a.to && trim(text.substr(a.to, b.from - a.to)).empty();
  }

  static bool product_follows(std::string_view text, const WrittenTerm& result, const WrittenTerm& next) {
    if (next.from <= result.to) return false;
    const char sign = sign_in(text.substr(result.to, next.from - result.to));
    return sign == '*' || sign == '/';
  }

  /// "$327 ($32.77 × 10)"
  void reversed(int line, const std::string& label, const ClaimText& said, const std::vector<WrittenTerm>& all) {
    const std::string_view text = said.text;
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
      const auto between = [&](std::size_t a, std::size_t b) {
        return text.substr(all[a].to, all[b].from > all[a].to ? all[b].from - all[a].to : 0);
      };
      if (all[i].quantity == nullptr || trim(between(i, i + 1)) != "(") continue;
      std::vector<WrittenTerm> chain{all[i + 1]};
      std::size_t last = i + 1;
      while (last + 1 < all.size()) {
        const char sign = sign_in(between(last, last + 1));
        if (sign == 0 || sign == '=') break;
        chain.push_back(all[++last]);
        chain.back().sign = sign;
      }
      if (chain.size() < 2 || !trim(text.substr(all[last].to)).starts_with(')')) continue;
      chain.push_back(all[i]);
      chain.back().sign = '=';
      judge(line, label, said, chain);
    }
  }

  /// "3 days = 72 h": the same in another unit.
  static bool converts(const ClaimText& said, const WrittenTerm& from, const WrittenTerm& to) {
    return from.quantity != nullptr && from.dimension == to.dimension && from.unit != to.unit &&
           (from.dimension == ClaimDimension::kTime || from.dimension == ClaimDimension::kBytes ||
            from.dimension == ClaimDimension::kEnergy || from.dimension == ClaimDimension::kPower) &&
           is_one_of(std::string_view(said.text).substr(from.to, to.from - from.to), {"=", "\xE2\x89\x88"});
  }

  /// What words leave out. "$99 per month × 12 = $1,188 per year": a number of months. "100M tokens × $0.60 = $60":
  /// the price is that of a million.
  static void allow_for_words(std::span<const WrittenTerm> terms, const ClaimAmount& stated,
                              WrittenReadings& readings) {
    const auto bare = [](const WrittenTerm& term) { return term.dimension == ClaimDimension::kBare; };
    const auto priced = std::ranges::find(terms, ClaimDimension::kPrice, &WrittenTerm::dimension);
    const bool products =
        std::ranges::all_of(terms.subspan(1), [](const WrittenTerm& term) { return term.sign == '*'; });
    if (!products) return;
    const ClaimEnds plain = readings.values.front();
    if (stated.dimension == ClaimDimension::kPrice && priced != terms.end() &&
        std::ranges::count_if(terms, bare) + 1 == std::ssize(terms))
      readings.values.push_back(plain * (stated.unit / priced->unit));
    constexpr double kMillion = 1e6, kThousand = 1e3;
    const bool money = stated.dimension == ClaimDimension::kMoney;
    if (money && std::ranges::any_of(terms, [&](const WrittenTerm& term) {
          return (bare(term) || term.dimension == ClaimDimension::kTokens) && term.base.least() >= kThousand;
        }))
      for (const double of : {kMillion, kThousand}) readings.values.push_back(plain * (1 / of));
  }

  /// "× 0.4", "× 1.15", "0.75 of": nobody rounds such a factor. One that may be a third or a sixth keeps its room.
  static bool is_round_factor(const ClaimAmount& amount) {
    if (amount.dimension != ClaimDimension::kBare || amount.whole || amount.approximate || amount.range()) return false;
    constexpr double kTenth = 0.1, kTwentieth = 0.05, kMost = 2;
    if (amount.low <= 0 || amount.low >= kMost) return false;
    const double twentieths = amount.low / kTwentieth;
    const bool even = std::fabs(twentieths - std::round(twentieths)) < 1e-6;
    return even && (amount.low_step > 0.9 * kTenth || amount.low_step < 0.9 * kTwentieth);
  }

  /// Factors of a sum of money that are exact.
  static std::vector<WrittenTerm> with_exact_factors(std::vector<WrittenTerm> chain) {
    const bool money = std::ranges::any_of(chain.begin(), chain.end() - 1, [](const WrittenTerm& term) {
      return term.dimension == ClaimDimension::kMoney;
    });
    if (!money || chain.back().dimension != ClaimDimension::kMoney) return chain;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      WrittenTerm& term = chain[i];
      const bool factor = term.sign == '*' || (i == 0 && chain.size() > 2 && chain[1].sign == '*');
      if (!factor || term.quantity == nullptr || !is_round_factor(*term.quantity)) continue;
      term.base = ends_of(term.quantity->low);
      term.written = ends_of(term.quantity->low / term.unit);
    }
    return chain;
  }

  /// "2.4M × 250 = 0.6B tokens a month": the result, whose month is that of the first number. Where the operands have
  /// times of their own it may be another.
  static ClaimAmount of_a_period(const ClaimText& said, const std::vector<WrittenTerm>& chain) {
    ClaimAmount stated = *chain.back().quantity;
    const std::string_view behind = std::string_view(said.text).substr(stated.to);
    const bool counted = std::ranges::all_of(chain.begin(), chain.end() - 1, [](const WrittenTerm& term) {
      return (term.dimension == ClaimDimension::kBare || term.dimension == ClaimDimension::kTokens ||
              term.dimension == ClaimDimension::kSamples || term.dimension == ClaimDimension::kBytes) &&
             (term.sign == 0 || term.sign == '*') && (term.quantity == nullptr || !term.quantity->odd);
    });
    if (stated.odd && counted &&
        (stated.dimension == ClaimDimension::kTokens || stated.dimension == ClaimDimension::kBytes) &&
        starts_with_any(behind, {" a month", " per month", " a day", " per day", " a year", " per year", " a week"}))
      stated.odd = false;
    return stated;
  }

  void judge(int line, const std::string& label, const ClaimText& said, const std::vector<WrittenTerm>& written) {
    const std::vector<WrittenTerm> chain = with_exact_factors(written);
    const std::size_t count = chain.size() - 1;
    const WrittenTerm& result = chain.back();
    if (result.quantity == nullptr) return;
    // "4x A100 40GB = 160 GB" is a product of its own.
    const bool product = chain[0].quantity == nullptr && chain[0].dimension == ClaimDimension::kBytes;
    // "4 × $25 + 6 × $15 = $100 + $90 = $190": the first of the parts of a result is none.
    const std::string_view goes_on = trim(std::string_view(said.text).substr(std::min(result.to, said.text.size())));
    if (count > 2 && goes_on.starts_with('+')) return;
    if (count < 2 && !product && !converts(said, chain[0], result)) return;
    const ClaimAmount stated = of_a_period(said, chain);
    WrittenReadings readings = work_out(std::span(chain).first(count), stated);
    if (readings.values.empty()) return;
    constexpr double kDay = 24 * kHour, kWorkingDay = 8 * kHour;
    if (count == 1 && chain[0].dimension == ClaimDimension::kTime &&
        (chain[0].unit == kDay || chain[0].unit == 7 * kDay))
      readings.values.push_back(readings.values.front() * (chain[0].unit == kDay ? kWorkingDay / kDay : 5.0 / 21));
    // "1 TB = 1024 GB": of either kind.
    if (count == 1 && chain[0].dimension == ClaimDimension::kBytes)
      for (const double kinds : {1.024, 1 / 1.024, 1.024 * 1.024})
        readings.values.push_back(readings.values[0] * kinds);
    allow_for_words(std::span(chain).first(count), stated, readings);
    // "Cost per 1M tokens: $14,582 / 200B tokens = $0.073": of so many of what it is divided by.
    if (const double many = counted_together(label + ' ' + said.text.substr(stated.to)); many > 1)
      for (std::size_t i = readings.values.size(); i-- > 0;) readings.values.push_back(readings.values[i] * many);
    for (std::size_t i = 0; i < count; ++i)
      if (chain[i].quantity != nullptr) bench_.use(*chain[i].quantity);
    bench_.use(stated);
    for (const ClaimEnds& one : readings.values)
      if (fits(stated, one)) return;
    if (!readings.sure) return;
    const ClaimEnds& right = told_reading(readings, stated);
    bench_.right.emplace(stated.id, (right.low_middle() + right.high_middle()) / 2);
    // Where nothing has a unit and the result is far off, one was meant that is not written.
    constexpr double kOff = 4;
    const bool no_unit = std::ranges::all_of(chain.begin(), chain.end() - 1, [](const WrittenTerm& term) {
      return term.dimension == ClaimDimension::kBare;
    });
    if (no_unit && stated.dimension != ClaimDimension::kBare &&
        (stated.low > kOff * right.most() || stated.high * kOff < right.least()))
      return;
    std::string how;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = std::string_view(said.text).substr(chain[i].from, chain[i].to - chain[i].from);
      const char sign = chain[i].sign;
      if (i > 0 && chain[i - 1].dimension == ClaimDimension::kShare && sign == '*')
        how += chain[i - 1].off ? " off " : " of ";
      else if (i > 0) how += sign == '*' ? " \xC3\x97 " : std::string(" ") + sign + " ";
      how += trim(text);
    }
    bench_.find(FindingKind::kWrong, line + said.lines_to(stated.from), label, how + " = " + stated.text,
                told(stated, right), how);
  }

  Bench& bench_;
};

}  // namespace

void check_written(Bench& bench) { Written(bench).check(); }

}  // namespace gpuplan::audit
