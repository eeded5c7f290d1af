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
#include "evidence/audit/figures/span.h"

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
