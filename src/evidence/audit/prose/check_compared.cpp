#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan::audit {
namespace {

/// Comparisons in prose, against the figures of the document.
class Comparisons {
 public:
  explicit Comparisons(Bench& bench) : bench_(bench) {}

  /// "~15% faster than H100" under the heading of another GPU; "A100 is 40% cheaper" with "A100 vs H100" as label;
  /// "only 2-3 hours faster than 2 GPUs". Wrong where no measure of the document, at no end of a range, comes near.
  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const std::string lower = to_lower(line.said.text);
      const bool faster = lower.contains("faster"), cheaper = lower.contains("cheaper");
      if (!faster && !cheaper) continue;
      for (const ClaimAmount& stated : line.said.quantities) {
        const std::string_view after = std::string_view(lower).substr(std::min(stated.to, lower.size()));
        const std::string_view next = trim(after.substr(0, 12));
        const bool time = next.starts_with("faster"), money = next.starts_with("cheaper");
        if (!time && !money) continue;
        if (stated.dimension == ClaimDimension::kShare || stated.dimension == ClaimDimension::kTimes)
          compare(line, stated, after, time);
        else if (stated.dimension == ClaimDimension::kTime && time) hours_less(line, stated, after);
      }
    }
  }

 private:
  /// What is compared: GPUs of a kind, or a number of GPUs.
  struct Side {
    std::string gpu;
    int count = 0;
  };

  /// What one side is of the other in all that the document says of both.
  struct Ratios {
    const ClaimAmount& stated;
    bool time = false;  ///< faster; false: cheaper
    double least = 0, most = 0;
    int pairs = 0;
    std::string how{};

    void add(const ClaimAmount& mine, const ClaimAmount& other, bool more_is_better) {
      if (mine.low <= 0 || other.low <= 0) return;
      const bool share = stated.dimension == ClaimDimension::kShare;
      for (const auto& [x, y] : {std::pair{mine.low, other.low}, {mine.high, other.high}}) {
        double ratio = more_is_better ? x / y : y / x;
        if (share) ratio = time ? ratio - 1 : 1 - 1 / ratio;
        least = pairs == 0 ? ratio : std::min(least, ratio);
        most = pairs == 0 ? ratio : std::max(most, ratio);
        ++pairs;
        // "30% faster" may also mean 30% less time.
        if (time && share) least = std::min(least, ratio / (1 + ratio));
      }
      constexpr std::size_t kEnough = 100;
      if (how.size() < kEnough) how += (how.empty() ? "" : "; ") + mine.text + " and " + other.text;
    }

    /// What is known to be wrong compares as it should be.
    static ClaimAmount put_right(const ClaimAmount& one, const std::map<int, double>* wrong) {
      ClaimAmount right = one;
      if (wrong != nullptr)
        if (const auto known = wrong->find(one.id); known != wrong->end()) right.low = right.high = known->second;
      return right;
    }

    /// Of two options; `wrong`: what amounts by their id should be.
    void add(const ClaimRecord& mine, const ClaimRecord& other, const std::map<int, double>* wrong = nullptr) {
      const std::initializer_list<ClaimRole> times{ClaimRole::kTotalTime, ClaimRole::kTime, ClaimRole::kStepTime,
                                                   ClaimRole::kTokenRate, ClaimRole::kSampleRate};
      const std::initializer_list<ClaimRole> money{ClaimRole::kCost, ClaimRole::kPrice};
      for (const ClaimRole role : time ? times : money) {
        const ClaimFact *x = mine.find(role), *y = other.find(role);
        if (x == nullptr || y == nullptr || x->value->currency != y->value->currency) continue;
        add(put_right(*x->value, wrong), put_right(*y->value, wrong),
            role == ClaimRole::kTokenRate || role == ClaimRole::kSampleRate);
      }
    }
  };

  /// Rows of every table, and lists, of this side with a value of that kind.
  bool matches(const ClaimRecord& record, const Side& side) const {
    return !record.total && !record.gpu.empty() &&
           (side.gpu.empty() || record.gpu == side.gpu ||
            (record.gpu.starts_with(side.gpu) && is_letter(record.gpu[side.gpu.size()]))) &&
           (side.count == 0 || std::max(record.count, 1) == side.count);
  }

  std::optional<std::pair<Side, Side>> sides(const ClaimLine& line, const ClaimAmount& stated,
                                             std::string_view after) const {
    Side a, b;
    const bool than = after.substr(0, 24).contains("than ");
    const auto& gpus = line.said.gpus;
    const GpuMention* other = nullptr;
    for (const GpuMention& gpu : gpus)
      if (than && gpu.from >= stated.to && gpu.from < stated.to + 24 && other == nullptr) other = &gpu;
    if (other != nullptr) {
      b = {other->key, other->count};
      const GpuMention* own = nullptr;
      for (const GpuMention& gpu : gpus)
        if (gpu.to <= stated.from) own = &gpu;
      if (own != nullptr) a = {own->key, own->count};
      else {
        const ClaimSection& section = bench_.document.sections[static_cast<std::size_t>(line.section)];
        if (section.title.gpus.size() != 1) return std::nullopt;
        a = {section.title.gpus.front().key, section.title.gpus.front().count};
      }
    } else if (to_lower(line.label).contains(" vs") && gpus.size() >= 2 && gpus[0].to <= line.label.size() &&
               gpus[1].to <= line.label.size()) {
      a = {gpus[0].key, gpus[0].count};
      b = {gpus[1].key, gpus[1].count};
    } else if (than) {
      // "8 GPUs: 2x faster than 4 GPUs"
      for (const ClaimAmount& one : line.said.quantities) {
        if (one.dimension != ClaimDimension::kGpus) continue;
        if (one.to <= stated.from && a.count == 0) a.count = static_cast<int>(std::min(one.low, 1e6));
        if (one.from >= stated.to && one.from < stated.to + 24 && b.count == 0)
          b.count = static_cast<int>(std::min(one.low, 1e6));
      }
      if (a.count == 0 || b.count == 0) return std::nullopt;
    } else {
      return std::nullopt;
    }
    if (a.gpu == b.gpu && a.count == b.count) return std::nullopt;
    return std::pair{a, b};
  }

  void compare(const ClaimLine& line, const ClaimAmount& stated, std::string_view after, bool time) {
    Ratios ratios{stated, time};
    const auto compared = sides(line, stated, after);
    if (!compared) {
      by_name(line, after, ratios);
      judge(line, ratios);
      return;
    }
    const auto& [a, b] = *compared;
    constexpr int kMostPairs = 400;
    for (const ClaimRecord& mine : bench_.records) {
      if (!bench_.go_on()) return;
      if (!matches(mine, a)) continue;
      for (const ClaimRecord& other : bench_.records) {
        if (ratios.pairs > kMostPairs || !bench_.go_on()) return;
        const bool by_count = a.gpu.empty() && mine.gpu == other.gpu && mine.gigabytes == other.gigabytes &&
                              mine.table >= 0 && other.table >= 0;
        if (!matches(other, b) || (a.gpu.empty() && !by_count) || (!by_count && other.table != mine.table) ||
            (mine.table < 0 && !same_heading(mine, other)) ||
            (a.count == 0 && std::max(mine.count, 1) != std::max(other.count, 1)))
          continue;
        ratios.add(mine, other);
      }
    }
    // Lists below the headings of the two: steps of a phase.
    if (time) below(a, b, ratios);
    judge(line, ratios);
  }

  void judge(const ClaimLine& line, const Ratios& ratios) {
    if (ratios.pairs == 0) return;
    const ClaimAmount& stated = ratios.stated;
    bench_.use(stated);
    const double room = std::max(stated.high_step / 2, stated.approximate ? 0.1 * stated.high : 0.0);
    if (stated.low - room <= ratios.most && stated.high + room >= ratios.least) return;
    const bool less = stated.dimension == ClaimDimension::kShare && ratios.most <= 0;
    const std::string right = !less         ? told(stated.dimension, ratios.least, ratios.most)
                              : ratios.time ? "not faster"
                                            : "not cheaper";
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label,
                stated.text + (ratios.time ? " faster" : " cheaper"), right,
                "by the document's own figures: " + ratios.how);
  }

  /// "Lambda is 40% cheaper than aws", "Option E is ... than option A": rows of a table by what stands first in them.
  void by_name(const ClaimLine& line, std::string_view after, Ratios& ratios) {
    const std::string lower = to_lower(line.said.text);
    const std::size_t than = after.find("than ");
    constexpr std::size_t kNear = 12;  // "cheaper" stands between
    if (than > kNear || ratios.stated.from > lower.size()) return;
    std::string_view before = std::string_view(lower).substr(0, ratios.stated.from);
    for (const std::string_view end : {". ", "; ", ": "})
      if (const std::size_t at = before.rfind(end); at != std::string_view::npos)
        before = before.substr(at + end.size());
    for (int table = 0; table < bench_.tables(); ++table) {
      const ClaimTable& whole = bench_.document.tables[static_cast<std::size_t>(table)];
      if (whole.headless) continue;
      const std::string kind = to_lower(whole.heads.front().text);
      const ClaimRecord *mine = nullptr, *other = nullptr;
      int mines = 0, others = 0;
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (!bench_.go_on()) return;
        const std::string_view cell = cells_of(bench_.document, *row).front()->text;
        constexpr std::size_t kName = 3;  // shorter ones only behind what they are: "option A"
        const std::string name = cell.size() >= kName ? to_lower(cell) : kind + " " + to_lower(cell);
        if (row->total || cell.empty() || name.size() < kName || name.starts_with(' ')) continue;
        if (begins(before, name, {"is", "is about", "is roughly", "is around", "is ~", "is only"})) mine = row, ++mines;
        // "Option C is 13x faster than A": what the first was called the second need not be.
        const bool bare = cell.size() < kName && whole_word(line.said.text, stated_end(ratios, after, than), cell);
        if (begins(after.substr(than + 5), name, {}) || bare) other = row, ++others;
      }
      if (mines == 1 && others == 1 && mine != other) ratios.add(*mine, *other, &bench_.right);
    }
  }

  /// Where the text behind "than " begins.
  static std::size_t stated_end(const Ratios& ratios, std::string_view after, std::size_t than) {
    constexpr std::size_t kThan = 5;
    return ratios.stated.to + std::min(than + kThan, after.size());
  }
  /// One short name, as it is written: "A", and not an article.
  static bool whole_word(std::string_view text, std::size_t from, std::string_view word) {
    text = text.substr(std::min(from, text.size()));
    return text.starts_with(word) && (text.size() == word.size() || !in_word(text[word.size()])) &&
           (word.empty() || !(word[0] >= 'a' && word[0] <= 'z'));
  }

  /// The text is the name, behind which there is one of `rest` and no more; without `rest` whatever there is.
  static bool begins(std::string_view text, std::string_view name, std::initializer_list<std::string_view> rest) {
    text = trim(text);
    if (text.starts_with("the ")) text = trim(text.substr(4));
    if (!text.starts_with(name)) return false;
    text.remove_prefix(name.size());
    if (rest.size() == 0)
      return text.empty() || !(in_word(text[0]) || (text[0] == ' ' && text.size() > 1 && is_digit(text[1])));
    return text.starts_with(' ') && std::ranges::find(rest, trim(text)) != rest.end();
  }
  static bool in_word(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }

  /// Two lists with headings of the same words beside the GPU.
  bool same_heading(const ClaimRecord& a, const ClaimRecord& b) const {
    return bench_.document.sections[static_cast<std::size_t>(a.section)].level ==
           bench_.document.sections[static_cast<std::size_t>(b.section)].level;
  }

  const GpuMention& gpu_of(int section) const {
    return bench_.document.sections[static_cast<std::size_t>(section)].title.gpus.front();
  }
  bool same_gpu(int a, int b) const {
    return gpu_of(a).key == gpu_of(b).key && gpu_of(a).gigabytes == gpu_of(b).gigabytes;
  }
  bool same_count(int a, int b) const { return gpu_of(a).count == gpu_of(b).count; }

  void below(const Side& a, const Side& b, Ratios& ratios) {
    const auto& sections = bench_.document.sections;
    const auto is = [&](int section, const Side& side) {
      const auto& gpus = sections[static_cast<std::size_t>(section)].title.gpus;
      return gpus.size() == 1 && (side.gpu.empty() || gpus.front().key == side.gpu) &&
             (side.count == 0 || std::max(gpus.front().count, 1) == side.count);
    };
    for (const ClaimRecord& mine : bench_.records) {
      if (!bench_.go_on()) return;
      if (mine.table >= 0) continue;
      const int above = sections[static_cast<std::size_t>(mine.section)].parent;
      if (above <= 0 || !is(above, a)) continue;
      for (const ClaimRecord& other : bench_.records) {
        if (!bench_.go_on()) return;
        if (other.table >= 0) continue;
        const int beside = sections[static_cast<std::size_t>(other.section)].parent;
        if (beside <= 0 || beside == above || !is(beside, b) || other.label != mine.label ||
            !(a.gpu.empty() ? same_gpu(above, beside) : same_count(above, beside)))
          continue;
        for (const ClaimRole role : {ClaimRole::kStepTime, ClaimRole::kTime})
          if (const ClaimFact *x = mine.find(role), *y = other.find(role); x != nullptr && y != nullptr)
            ratios.add(*x->value, *y->value, false);
      }
    }
  }

  /// "Only 2-3 hours faster than 2 GPUs" under a heading about 4 GPUs.
  void hours_less(const ClaimLine& line, const ClaimAmount& stated, std::string_view after) {
    const ClaimAmount* other = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kGpus && one.from >= stated.to &&
          after.substr(0, one.from - stated.to).contains("than"))
        other = &one;
    if (other == nullptr) return;
    const ClaimSection& section = bench_.document.sections[static_cast<std::size_t>(line.section)];
    const auto own = std::ranges::find(section.title.quantities, ClaimDimension::kGpus, &ClaimAmount::dimension);
    if (own == section.title.quantities.end()) return;
    double least = 0, most = 0;
    std::string how;
    bool any = false;
    for (int table = 0; table < bench_.tables(); ++table) {
      const ClaimFact *mine = nullptr, *its = nullptr;
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (!bench_.go_on()) return;
        const ClaimFact* time = row->time();
        if (time == nullptr) continue;
        if (row->count == static_cast<int>(own->low)) mine = time;
        if (row->count == static_cast<int>(other->low)) its = time;
      }
      if (mine == nullptr || its == nullptr) continue;
      const double low = its->value->low - mine->value->high, high = its->value->high - mine->value->low;
      const double room = (its->value->high_step + mine->value->high_step) / 2;
      least = any ? std::min(least, low - room) : low - room;
      most = any ? std::max(most, high + room) : high + room;
      any = true;
      how = its->value->text + " and " + mine->value->text;
    }
    if (!any) return;
    bench_.use(stated);
    if (stated.low - stated.low_step / 2 <= most && stated.high + stated.high_step / 2 >= least) return;
    bench_.find(FindingKind::kWrong, line.line_of(stated), section.title.text, stated.text + " faster",
                told(ClaimDimension::kTime, (least + most) / 2), "from " + how);
  }

  Bench& bench_;
};

}  // namespace

void check_compared(Bench& bench) { Comparisons(bench).check(); }

}  // namespace gpuplan::audit
