#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/math.h"
#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/bill_tally.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

class Sums {
 public:
  explicit Sums(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.said.quantities.size() > 40) continue;
      share_of(line.line, line.label, line.said);
      saved(line);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) {
          if (cell.quantities.size() < 2 || cell.quantities.size() > 40) continue;
          share_of(row.line, row.cells.front().text, cell);
        }
    lists();
    node_hours();
  }

 private:
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
      bench_.find(FindingKind::kWrong, line + said.lines_to(share.from), label, share.text + " of " + whole.text,
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
          FindingKind::kWrong, line.line_of(less), line.label, less.text + " less \xE2\x86\x92 " + rest.text, "",
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

  /// The lines of a list above a total, in order, those of other totals among them: of one indent that is not less than
  /// its own.
  static std::vector<const ClaimLine*> items_of(const std::vector<ClaimLine>& lines, std::size_t at) {
    const ClaimLine& total = lines[at];
    constexpr std::size_t kMost = 60;
    std::vector<const ClaimLine*> items;
    for (std::size_t j = at; j-- > 0 && items.size() < kMost;) {
      const ClaimLine& item = lines[j];
      if (item.section != total.section || item.code != total.code || item.indent < total.indent) break;
      const bool together = item.block == total.block ||
                            (items.empty() && item.block + 1 == total.block && total.code) ||
                            (!items.empty() && item.block == items.back()->block);
      if (!together || (!items.empty() && item.indent != items.back()->indent)) break;
      items.push_back(&item);
    }
    std::ranges::reverse(items);
    return items;
  }

  /// "Three months: 3 x $100 = $300", "4 nodes: $400": a line above that says $100 is no part of the total beside this
  /// one.
  static bool goes_into(const ClaimAmount& above, const ClaimLine& below, const ClaimAmount& value) {
    for (const ClaimAmount& one : below.said.quantities) {
      if (&one == &value) continue;
      if (one.dimension == above.dimension) {
        if (std::fabs(one.low - above.low) <= 1e-9 * above.low && one.low == one.high) return true;
      } else if (one.whole && one.low >= 2 && one.low == one.high) {
        if (fits(value, ends_of(above) * (one.low / one.unit))) return true;
      }
    }
    return false;
  }

  void lists() {
    const auto& lines = bench_.document.lines;
    for (std::size_t i = 2; i < lines.size(); ++i) {
      const ClaimLine& total = lines[i];
      // "Total: 3 \xC3\x97 $20 = $60" is a sum of its own.
      const bool product =
          total.said.text.contains("\xC3\x97") || (total.said.text.contains('=') && !total.said.text.contains('+'));
      if (total.label.empty() || !is_total_word(total.label) || product) continue;
      const std::vector<const ClaimLine*> items = items_of(lines, i);
      if (items.size() < 2) continue;
      for (const ClaimDimension dimension :
           {ClaimDimension::kMoney, ClaimDimension::kTime, ClaimDimension::kBytes, ClaimDimension::kGpuTime})
        list_total(total, items, dimension);
    }
  }

  void list_total(const ClaimLine& total, const std::vector<const ClaimLine*>& items, ClaimDimension dimension) {
    bool several = false;
    const ClaimAmount* stated = value_of(total, dimension, several);
    if (stated == nullptr) return;
    std::vector<const ClaimAmount*> values(items.size());
    for (std::size_t j = 0; j < items.size(); ++j) values[j] = value_of(*items[j], dimension, several);
    BillTally tally;
    std::size_t told_of = 0;
    std::vector<const ClaimAmount*> used;
    for (std::size_t j = 0; j < items.size(); ++j) {
      if (values[j] == nullptr) continue;
      ++told_of;
      if (is_total_word(items[j]->label)) {
        tally.total(*values[j]);
        used = {values[j]};
        continue;
      }
      bool taken = false;
      for (std::size_t k = j + 1; k < items.size() && !taken; ++k)
        taken = values[k] != nullptr && goes_into(*values[j], *items[k], *values[k]);
      if (taken) continue;
      used.push_back(values[j]);
      tax_of(*items[j], *values[j], tally);
      tally.part(*values[j], items[j]->label);
    }
    // A list of which not all lines have such an amount is no sum, but for words above it.
    const bool enough = tally.parts() >= 2 || (tally.has_total() && tally.parts() >= 1);
    if (several || !enough || told_of + 1 < items.size()) return;
    for (const ClaimAmount* one : used) bench_.use(*one);
    bench_.use(*stated);
    if (!tally.is_total(*stated))
      bench_.find(FindingKind::kWrong, total.line_of(*stated), total.label, stated->text,
                  told(*stated, tally.right_total()), tally.words());
  }

  /// "VAT 19%: $19" is so much of what stands above it.
  void tax_of(const ClaimLine& line, const ClaimAmount& value, const BillTally& tally) {
    const ClaimAmount* share = nullptr;
    for (const ClaimAmount& one : line.said.quantities) {
      // "Tax 8% on storage ($500)" says itself of what.
      if (one.dimension == ClaimDimension::kMoney && &one != &value) return;
      if (one.dimension == ClaimDimension::kShare) {
        if (share != nullptr) return;
        share = &one;
      }
    }
    if (share == nullptr || share->range() || !says_tax(to_lower(line.label)) ||
        to_lower(line.label).contains(" on ") || value.dimension != ClaimDimension::kMoney ||
        (tally.parts() == 0 && !tally.has_total()))
      return;
    bench_.use(*share);
    if (!tally.is_share(value, *share))
      bench_.find(FindingKind::kWrong, line.line_of(value), line.label, value.text,
                  told(value, tally.right_share(*share)), share->text + " of " + told(value, tally.so_far()));
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
          bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, stated.text,
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
