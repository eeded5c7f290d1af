#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/math.h"
#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/span.h"

namespace gpuplan::audit {
namespace {

/// An operand of a sum that is written out, with the sign in front of it.
struct Term {
  char sign = 0;  ///< '*', '/', '+', '-', '='; 0: the first
  ClaimEnds base, written;
  ClaimDimension dimension = ClaimDimension::kBare;
  const ClaimAmount* quantity = nullptr;
  std::size_t from = 0, to = 0;
};

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
    else if (rest.starts_with("\xE2\x88\x92") && i > 0 && gap[i - 1] == ' ') here = '-', length = 3;
    else if (rest[0] == '*' || rest[0] == '/' || rest[0] == '+' || rest[0] == '=') here = rest[0];
    else if (rest[0] == '-' && i > 0 && gap[i - 1] == ' ' && rest.size() > 1 && rest[1] == ' ') here = '-';
    else if ((rest[0] == 'x' || rest[0] == 'X') && (i == 0 || !is_letter(gap[i - 1])) &&
             (rest.size() == 1 || !is_letter(rest[1])))
      here = '*';
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

ClaimEnds minus(const ClaimEnds& a, const ClaimEnds& b) { return {a.low - b.low, a.high - b.high}; }

/// Products first, then sums. nullopt: a negative result.
std::optional<ClaimEnds> worth(const std::vector<Term>& terms, std::size_t count,
                               const std::vector<ClaimEnds>& values) {
  ClaimEnds sum = ends_of(0.0), product = values[0];
  char pending = '+';
  const auto take = [&] { sum = pending == '-' ? minus(sum, product) : sum + product; };
  for (std::size_t i = 1; i < count; ++i) {
    if (terms[i].sign == '*') product = product * values[i];
    else if (terms[i].sign == '/') product = ClaimEnds{product.low / values[i].low, product.high / values[i].high};
    else {
      take();
      pending = terms[i].sign;
      product = values[i];
    }
  }
  take();
  if (sum.low.low < 0 || sum.high.low < 0) return std::nullopt;
  // "4 h / 8-16 h": the greater divisor gives less.
  if (sum.low_middle() > sum.high_middle()) std::swap(sum.low, sum.high);
  return sum;
}

class Sums {
 public:
  explicit Sums(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.said.quantities.size() > 40) continue;
      written_out(line.line, line.label, line.said);
      share_of(line.line, line.label, line.said);
      saved(line);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) {
          if (cell.quantities.size() < 2 || cell.quantities.size() > 40) continue;
          written_out(row.line, row.cells.front().text, cell);
          share_of(row.line, row.cells.front().text, cell);
        }
    lists();
    node_hours();
  }

 private:
  /// Amounts and GPUs with memory, in the order of the text.
  std::vector<Term> terms_of(const ClaimText& said) const {
    std::vector<Term> terms;
    for (const ClaimAmount& quantity : said.quantities) {
      const ClaimEnds base = ends_of(quantity, true);
      terms.push_back({0, base, base * (1 / quantity.unit), quantity.dimension, &quantity, quantity.from, quantity.to});
    }
    for (const GpuMention& gpu : said.gpus) {
      if (gpu.count <= 0) continue;
      Term term;
      term.from = gpu.from;
      term.to = gpu.to;
      if (gpu.gigabytes > 0) {
        term.dimension = ClaimDimension::kBytes;
        term.base = ends_of(gpu.count * gpu.gigabytes * 1e9);
        term.written = ends_of(gpu.count * gpu.gigabytes);
      } else {
        term.dimension = ClaimDimension::kGpus;
        term.base = term.written = ends_of(gpu.count);
      }
      terms.push_back(term);
    }
    std::ranges::sort(terms, {}, &Term::from);
    return terms;
  }

  void written_out(int line, const std::string& label, const ClaimText& said) {
    if (said.text.find('=') == std::string::npos && said.text.find("\xE2\x89\x88") == std::string::npos) {
      reversed(line, label, said);
      return;
    }
    const std::vector<Term> all = terms_of(said);
    for (std::size_t i = 0; i < all.size();) {
      std::vector<Term> chain{all[i]};
      std::size_t next = i + 1;
      for (; next < all.size(); ++next) {
        const std::string_view gap = std::string_view(said.text).substr(
            chain.back().to, all[next].from > chain.back().to ? all[next].from - chain.back().to : 0);
        // "4x RTX 3090 (24 GB each) = 96 GB"
        if (chain.size() == 1 && chain[0].dimension == ClaimDimension::kGpus && chain[0].quantity == nullptr &&
            trim(gap) == "(" && all[next].dimension == ClaimDimension::kBytes &&
            std::string_view(said.text).substr(all[next].to).starts_with(" each)")) {
          chain.push_back(all[next]);
          chain.back().sign = '*';
          chain.back().to += std::string_view(" each)").size();
          continue;
        }
        const char sign = sign_in(gap);
        if (sign == 0) break;
        chain.push_back(all[next]);
        chain.back().sign = sign;
        if (sign == '=') {
          judge(line, label, said, chain);
          // "= 16 steps = 12 min" goes on from the result.
          chain = {all[next]};
        }
      }
      i = std::max(next, i + 1);
    }
  }

  /// "$327 ($32.77 × 10)"
  void reversed(int line, const std::string& label, const ClaimText& said) {
    const std::vector<Term> all = terms_of(said);
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
      const std::string_view text = said.text;
      if (all[i].quantity == nullptr || trim(text.substr(all[i].to, all[i + 1].from - all[i].to)) != "(") continue;
      std::vector<Term> chain{all[i + 1]};
      std::size_t last = i + 1;
      while (last + 1 < all.size()) {
        const char sign = sign_in(text.substr(all[last].to, all[last + 1].from - all[last].to));
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

  void judge(int line, const std::string& label, const ClaimText& said, const std::vector<Term>& chain) {
    const std::size_t count = chain.size() - 1;
    const Term& result = chain.back();
    // "4x A100 40GB = 160 GB" is a product of its own.
    const bool product = chain[0].quantity == nullptr && chain[0].dimension == ClaimDimension::kBytes;
    if (count < (product ? 1U : 2U) || result.quantity == nullptr) return;
    std::vector<ClaimEnds> base, written, hourly;
    bool time = false, money = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (chain[i].sign == '/' && chain[i].base.low.low <= 0) return;
      base.push_back(chain[i].base);
      written.push_back(chain[i].written);
      hourly.push_back(chain[i].dimension == ClaimDimension::kTime ? chain[i].base * (1 / kHour) : chain[i].base);
      time = time || chain[i].dimension == ClaimDimension::kTime;
      money = money || chain[i].dimension == ClaimDimension::kMoney || chain[i].dimension == ClaimDimension::kPrice;
    }
    const ClaimAmount& stated = *result.quantity;
    std::optional<ClaimEnds> right;
    const auto good = [&](const std::vector<ClaimEnds>& values, double unit) {
      const auto value = worth(chain, count, values);
      if (!value) return false;
      const ClaimEnds scaled = *value * unit;
      if (fits(stated, scaled)) return true;
      if (!right) right = scaled;
      return false;
    };
    for (std::size_t i = 0; i < count; ++i)
      if (chain[i].quantity != nullptr) bench_.use(*chain[i].quantity);
    bench_.use(stated);
    // The first is the most sensible reading of the units; it is the one that is told.
    const bool hours = time && money && stated.dimension == ClaimDimension::kMoney;
    if (hours && good(hourly, 1)) return;
    if (good(base, 1) || good(written, stated.unit)) return;
    if (time && good(hourly, stated.dimension == ClaimDimension::kGpuTime ? kHour : stated.unit)) return;
    if (stated.dimension == ClaimDimension::kTimes && good(base, 1)) return;
    if (!right) return;
    std::string how;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = std::string_view(said.text).substr(chain[i].from, chain[i].to - chain[i].from);
      const char sign = chain[i].sign;
      if (i > 0) how += sign == '*' ? " \xC3\x97 " : std::string(" ") + sign + " ";
      how += trim(text);
    }
    bench_.find(FindingKind::kWrong, line, label, how + " = " + stated.text, told(stated.dimension, *right), how);
  }

  /// "34 GB (42% of 80 GB)", "2.5 hours (29% of 10 hours)"
  void share_of(int line, const std::string& label, const ClaimText& said) {
    const auto& all = said.quantities;
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
      const ClaimAmount &part = all[i], &share = all[i + 1], &whole = all[i + 2];
      if (share.dimension != ClaimDimension::kShare || part.dimension != whole.dimension || whole.low <= 0) continue;
      const std::string_view text = said.text;
      const std::string_view before = trim(text.substr(part.to, share.from - part.to));
      const std::string_view between = trim(text.substr(share.to, whole.from > share.to ? whole.from - share.to : 0));
      constexpr std::size_t kLongest = 24;
      if (before != "(" || !between.starts_with("of") || between.size() > kLongest) continue;
      for (const ClaimAmount* one : {&part, &share, &whole}) bench_.use(*one);
      const ClaimEnds right = ends_of(part) / ends_of(whole);
      if (fits(share, right)) continue;
      bench_.find(FindingKind::kWrong, line, label, share.text + " of " + whole.text,
                  told(ClaimDimension::kShare, right), part.text + " / " + whole.text);
    }
  }

  /// "Saves: ~2 GPU-hours → 17 GPU-hours total": both together are a total that stands somewhere.
  void saved(const ClaimLine& line) {
    const auto& all = line.said.quantities;
    const std::size_t arrow = line.said.text.find("\xE2\x86\x92");
    if (all.size() < 2 || arrow == std::string::npos || !to_lower(line.said.text).starts_with("save")) return;
    const ClaimAmount &less = all[0], &rest = all[1];
    if (less.to > arrow || rest.from < arrow || less.dimension != rest.dimension ||
        less.dimension == ClaimDimension::kBare || less.range() || rest.range())
      return;
    constexpr int kMost = 50;  // each looks through the whole document
    if (++savings_ > kMost) return;
    bench_.use(less);
    bench_.use(rest);
    const ClaimEnds before = ends_of(less) + ends_of(rest);
    bool stated = false, any = false;
    const auto look = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities) {
        if (one.dimension != less.dimension || &one == &less || &one == &rest) continue;
        any = true;
        stated = stated || fits(one, before);
      }
    };
    for (const ClaimLine& other : bench_.document.lines) {
      if (!bench_.go_on()) return;
      look(other.said);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) look(cell);
    if (!stated && any)
      bench_.find(
          FindingKind::kWrong, line.line, line.label, less.text + " less \xE2\x86\x92 " + rest.text, "",
          rest.text + " + " + less.text + " = " + told(less.dimension, before) + ", which is no total of this plan");
  }

  /// The last amount of a kind that a line of a list gives: of "A = B" the right side.
  static const ClaimAmount* value_of(const ClaimLine& line, ClaimDimension dimension, bool& several) {
    const std::size_t equals = line.said.text.rfind('=');
    const std::size_t from = equals == std::string::npos ? line.label.size() : equals;
    const ClaimAmount* found = nullptr;
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.dimension != dimension) continue;
      if (found != nullptr) {
        several = true;
        continue;
      }
      found = &one;
    }
    return found;
  }

  void lists() {
    const auto& lines = bench_.document.lines;
    for (std::size_t i = 2; i < lines.size(); ++i) {
      const ClaimLine& total = lines[i];
      if (total.label.empty() || !is_total_word(total.label) || total.said.text.find("\xC3\x97") != std::string::npos)
        continue;
      // Its items: the lines above, of one indent that is not less than its own.
      std::vector<const ClaimLine*> items;
      for (std::size_t j = i; j-- > 0 && items.size() < 60;) {
        const ClaimLine& item = lines[j];
        if (item.section != total.section || item.code != total.code || item.indent < total.indent) break;
        const bool together = item.block == total.block ||
                              (items.empty() && item.block + 1 == total.block && total.code) ||
                              (!items.empty() && item.block == items.back()->block);
        if (!together || (!items.empty() && item.indent != items.back()->indent)) break;
        if (is_total_word(item.label)) break;
        items.push_back(&item);
      }
      if (items.size() < 2) continue;
      for (const ClaimDimension dimension :
           {ClaimDimension::kMoney, ClaimDimension::kTime, ClaimDimension::kBytes, ClaimDimension::kGpuTime}) {
        bool several = false;
        const ClaimAmount* stated = value_of(total, dimension, several);
        if (stated == nullptr) continue;
        ClaimEnds sum = ends_of(0.0);
        std::string words;
        std::vector<const ClaimAmount*> used;
        for (std::size_t j = items.size(); j-- > 0;) {
          const ClaimAmount* one = value_of(*items[j], dimension, several);
          if (one == nullptr) continue;
          used.push_back(one);
          sum = sum + ends_of(*one);
          words += (words.empty() ? "" : " + ") + std::string(one->added ? trim(one->text.substr(1)) : one->text);
        }
        // A list of which not all lines have such an amount is no sum, but for words above it.
        if (several || used.size() < 2 || used.size() + 1 < items.size()) continue;
        for (const ClaimAmount* one : used) bench_.use(*one);
        bench_.use(*stated);
        if (!fits(*stated, sum))
          bench_.find(FindingKind::kWrong, total.line, total.label, stated->text, told(dimension, sum), words);
      }
    }
  }

  /// "64 node-hours" of a machine of 8 GPUs that runs 8 hours are GPU-hours.
  void node_hours() {
    std::set<int> counts;
    for (const ClaimSection& section : bench_.document.sections)
      for (const GpuMention& gpu : section.title.gpus)
        if (gpu.count > 1) counts.insert(gpu.count);
    std::vector<const ClaimAmount*> nodes;
    for (const ClaimLine& line : bench_.document.lines) {
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.count > 1) counts.insert(gpu.count);
      const std::string lower = to_lower(line.label);
      if (lower.find("node-hours") == std::string::npos && lower.find("node hours") == std::string::npos) continue;
      for (const ClaimAmount& one : line.said.quantities)
        if (one.dimension == ClaimDimension::kTime && !one.range()) nodes.push_back(&one);
    }
    for (const ClaimLine& line : bench_.document.lines)
      for (const ClaimAmount& stated : line.said.quantities) {
        if (stated.dimension != ClaimDimension::kNodeTime || stated.range()) continue;
        for (const ClaimAmount* node : nodes) {
          if (!bench_.go_on()) return;
          bench_.use(stated);
          if (may_be_same(stated, *node)) break;
          const auto count = std::ranges::find_if(
              counts, [&](int gpus) { return fits(stated, ends_of(*node, true) * static_cast<double>(gpus)); });
          if (count == counts.end()) continue;
          bench_.find(FindingKind::kWrong, line.line, line.label, stated.text,
                      told(ClaimDimension::kGpuTime, stated.low),
                      node->text + " of a machine with " + std::to_string(*count) + " GPUs: these are GPU-hours");
          break;
        }
      }
  }

  Bench& bench_;
  int savings_ = 0;
};

}  // namespace

void check_sums(Bench& bench) { Sums(bench).check(); }

}  // namespace gpuplan::audit
