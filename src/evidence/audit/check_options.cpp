#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/span.h"

namespace gpuplan::audit {
namespace {

const ClaimFact* time_of(const ClaimRecord& record) {
  if (const ClaimFact* total = record.find(ClaimRole::kTotalTime); total != nullptr) return total;
  const auto times = record.all(ClaimRole::kTime);
  return times.size() == 1 ? times.front() : nullptr;
}

const ClaimFact* cost_of(const ClaimRecord& record) {
  const auto costs = record.all(ClaimRole::kCost);
  return costs.size() == 1 ? costs.front() : nullptr;
}

std::string option_text(const ClaimRecord& record) {
  return record.label + " (" + time_of(record)->value->text + ", " + cost_of(record)->value->text + ")";
}

class Options {
 public:
  explicit Options(Bench& bench) : bench_(bench) {
    for (const ClaimLine& line : bench.document.lines)
      if (to_lower(line.said.text).contains("dominated")) said_dominated_.push_back(&line);
  }

  void check() {
    std::map<int, std::vector<const ClaimRecord*>> groups;
    for (int table = 0; table < bench_.tables(); ++table) {
      const std::vector<const ClaimRecord*> rows = bench_.rows_of(table);
      std::vector<const ClaimRecord*> options;
      for (const ClaimRecord* row : rows)
        if (!row->total && !row->gpu.empty() && time_of(*row) != nullptr && cost_of(*row) != nullptr)
          options.push_back(row);
      same_work(rows, table);
      if (options.empty() || is_schedule(rows)) continue;
      superlatives(options, table);
      auto& group = groups[group_of(table)];
      group.insert(group.end(), options.begin(), options.end());
    }
    for (const auto& [place, options] : groups)
      if (options.size() > 1) {
        dominated(options);
        more_than_linear(options);
      }
    superlatives_in_prose();
    comparisons();
  }

  /// Tables under two headings of one subject ("Single GPU", "Multi-GPU") are of the same work.
  int group_of(int table) const {
    const auto& sections = bench_.document.sections;
    const int section = bench_.document.tables[static_cast<std::size_t>(table)].section;
    const int above = sections[static_cast<std::size_t>(section)].parent;
    constexpr int kSubject = 2;  // level of a heading below that of the document
    return above > 0 && sections[static_cast<std::size_t>(above)].level >= kSubject ? above : -1 - table;
  }

  /// N GPUs more than N times as fast as one.
  void more_than_linear(const std::vector<const ClaimRecord*>& options) {
    std::map<std::string, const ClaimRecord*> singles;
    for (const ClaimRecord* row : options)
      if (row->count <= 1) singles.emplace(row->gpu + "-" + number_text(row->gigabytes), row);
    for (const ClaimRecord* row : options) {
      if (row->count < 2) continue;
      const auto found = singles.find(row->gpu + "-" + number_text(row->gigabytes));
      if (found == singles.end() || found->second->table == row->table) continue;
      const ClaimAmount &one = *time_of(*found->second)->value, &all = *time_of(*row)->value;
      const ClaimEnds ratio = ends_of(one) / ends_of(all);
      if (one.range() || all.range() || ratio.least() <= row->count * 1.001) continue;
      bench_.find(FindingKind::kInconsistent, row->line, row->label, all.text + ", " + cost_of(*row)->value->text,
                  "at least " + told(ClaimDimension::kTime, one.low / row->count),
                  "line " + std::to_string(found->second->line) + " says " + one.text + " on one: " +
                      std::to_string(row->count) + " are not " + told(ClaimDimension::kTimes, ratio) + " as fast");
    }
  }

 private:
  /// Rows that follow each other in time are no options.
  static bool is_schedule(const std::vector<const ClaimRecord*>& rows) {
    return std::ranges::any_of(rows, [](const ClaimRecord* row) {
      const std::string lower = to_lower(row->label);
      return row->total || lower.starts_with("phase") || lower.starts_with("step") || lower.starts_with("hour") ||
             lower.starts_with("stage") || lower.starts_with("day");
    });
  }

  bool told_dominated(const ClaimRecord& row) const {
    const int count = std::max(row.count, 1);
    for (const ClaimLine* line : said_dominated_) {
      if (line->said.gpus.empty()) continue;
      const GpuMention& first = line->said.gpus.front();
      if (std::max(first.count, 1) != count || (first.gigabytes != 0 && first.gigabytes != row.gigabytes)) continue;
      if (first.key == row.gpu) return true;
      // "H100" for "H100 SXM", where it is told with this one's time.
      const auto is_its = [&](const ClaimAmount& one) {
        return one.dimension == ClaimDimension::kTime && may_be_same(one, *time_of(row)->value);
      };
      if (row.gpu.starts_with(first.key) && std::ranges::any_of(line->said.quantities, is_its)) return true;
    }
    return false;
  }

  /// Sorted by cost, the fastest so far beats what follows.
  void dominated(std::vector<const ClaimRecord*> options) {
    const auto ends = [](const ClaimRecord* row) {
      return std::array{cost_of(*row)->value->low, cost_of(*row)->value->high, time_of(*row)->value->low,
                        time_of(*row)->value->high};
    };
    const bool foreign = cost_of(*options.front())->value->foreign;
    for (const ClaimRecord* row : options) {
      if (cost_of(*row)->value->foreign != foreign) return;
      bench_.use(*cost_of(*row)->value);
      bench_.use(*time_of(*row)->value);
    }
    constexpr std::size_t kMost = 2000;  // of which each is held against each
    if (options.size() > kMost) options.resize(kMost);
    for (const ClaimRecord* row : options) {
      const auto mine = ends(row);
      const ClaimRecord* better = nullptr;
      for (const ClaimRecord* other : options) {
        if (other == row) continue;
        if (!bench_.go_on()) return;
        const auto its = ends(other);
        bool beats = true, strictly = false;
        for (std::size_t i = 0; i < mine.size(); ++i) {
          beats = beats && its[i] <= mine[i];
          strictly = strictly || its[i] < mine[i];
        }
        // One of two equal costs, rounded, may be the lower: only a clear gain of time or money counts.
        if (beats && strictly && (better == nullptr || its[1] < ends(better)[1])) better = other;
      }
      if (better == nullptr || told_dominated(*row)) continue;
      bench_.find(FindingKind::kDominated, row->line, row->label, option_text(*row), option_text(*better),
                  "as cheap and as fast, or better in one or both; line " + std::to_string(better->line));
    }
  }

  static bool claims(std::string_view text, std::initializer_list<std::string_view> words) {
    const std::string lower = to_lower(text);
    for (const std::string_view word : words) {
      const std::size_t at = lower.find(word);
      if (at == std::string::npos) continue;
      const std::string_view after = std::string_view(lower).substr(at + word.size());
      const std::string_view before = std::string_view(lower).substr(0, at);
      // "fastest/dollar", "cheapest single GPU", "2nd fastest" are about something else.
      if (after.starts_with('/') || after.starts_with(" per") || after.contains("single") ||
          before.contains("single") || before.ends_with("second ") || before.ends_with("2nd ") ||
          before.contains("not ") || after.starts_with(" under") || after.starts_with(" with") ||
          after.starts_with(" hardware"))
        return false;
      return true;
    }
    return false;
  }
  static bool claims_fastest(std::string_view text) { return claims(text, {"fastest", "shortest time", "schnellste"}); }
  static bool claims_cheapest(std::string_view text) {
    return claims(text, {"cheapest", "lowest cost", "lowest total cost", "g\xC3\xBCnstigste"});
  }

  void best_of(const ClaimRecord& row, const std::vector<const ClaimRecord*>& options, bool fastest, int line,
               const std::string& said) {
    const auto value = [&](const ClaimRecord* one) { return fastest ? time_of(*one)->value : cost_of(*one)->value; };
    const ClaimRecord*& best = best_[fastest ? 0 : 1];
    if (best_of_ != options.front()) {
      best_ = {};
      best_of_ = options.front();
    }
    if (best == nullptr) {
      best = options.front();
      for (const ClaimRecord* one : options)
        if (value(one)->high < value(best)->high) best = one;
    }
    bench_.use(*value(&row));
    if (value(best)->high >= value(&row)->high || value(best)->low >= value(&row)->low) return;
    bench_.find(FindingKind::kWrong, line, row.label, said, best->label + " (" + value(best)->text + ")",
                std::string(fastest ? "fastest" : "cheapest") + " of the same table; " + row.label + " is " +
                    value(&row)->text);
  }

  void superlatives(const std::vector<const ClaimRecord*>& options, int table) {
    const ClaimTable& whole = bench_.document.tables[static_cast<std::size_t>(table)];
    for (const ClaimRecord* row : options)
      for (const ClaimText& cell : whole.rows[static_cast<std::size_t>(row->row)].cells) {
        if (claims_fastest(cell.text)) best_of(*row, options, true, row->line, cell.text);
        if (claims_cheapest(cell.text)) best_of(*row, options, false, row->line, cell.text);
      }
  }

  /// "Fastest: H100 (~8 min)" against the table that has this GPU with this time.
  void superlatives_in_prose() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.label.empty() || line.said.gpus.size() != 1) continue;
      const bool fastest = claims_fastest(line.label), cheapest = claims_cheapest(line.label);
      if (!fastest && !cheapest) continue;
      const GpuMention& gpu = line.said.gpus.front();
      for (int table = 0; table < bench_.tables(); ++table) {
        constexpr int kOfTable = 20;  // finding its rows is not free
        for (int i = 0; i < kOfTable; ++i)
          if (!bench_.go_on()) return;
        std::vector<const ClaimRecord*> options;
        const ClaimRecord* meant = nullptr;
        for (const ClaimRecord* row : bench_.rows_of(table)) {
          if (!bench_.go_on()) return;
          if (row->total || row->gpu.empty() || (fastest ? time_of(*row) : cost_of(*row)) == nullptr) continue;
          options.push_back(row);
          if (row->gpu != gpu.key || std::max(row->count, 1) != std::max(gpu.count, 1)) continue;
          for (const ClaimAmount& one : line.said.quantities)
            if (one.dimension == (fastest ? ClaimDimension::kTime : ClaimDimension::kMoney) &&
                may_be_same(one, *(fastest ? time_of(*row) : cost_of(*row))->value))
              meant = row;
        }
        if (meant != nullptr && options.size() > 1) {
          best_of(*meant, options, fastest, line.line, line.said.text);
          break;
        }
      }
    }
  }

  /// A fixed number of steps with other batches is other work in each row.
  void same_work(const std::vector<const ClaimRecord*>& rows, int number) {
    const ClaimTable& table = bench_.document.tables[static_cast<std::size_t>(number)];
    if (rows.size() < 2 || table.headless) return;
    const ClaimAmount* steps = nullptr;
    const auto& lines = bench_.document.lines;
    constexpr int kAbove = 3;  // lines in which a table is introduced
    for (auto line = std::ranges::lower_bound(lines, table.line - kAbove, {}, &ClaimLine::line);
         line != lines.end() && line->line < table.line; ++line)
      for (const ClaimAmount& one : line->said.quantities)
        if (line->section == table.section && one.dimension == ClaimDimension::kSteps && !one.range() && one.low >= 2)
          steps = &one;
    if (steps == nullptr) return;
    double least = 0;
    for (const ClaimRecord* row : rows) {
      const ClaimFact *batch = row->find(ClaimRole::kBatch), *time = time_of(*row);
      if (batch == nullptr || time == nullptr || row->gpu.empty() || batch->value->range()) return;
      least = least == 0 ? batch->value->low : std::min(least, batch->value->low);
    }
    if (std::ranges::all_of(rows,
                            [&](const ClaimRecord* row) { return row->find(ClaimRole::kBatch)->value->low == least; }))
      return;
    for (const ClaimRecord* row : rows) {
      const ClaimFact *batch = row->find(ClaimRole::kBatch), *time = time_of(*row);
      bench_.use(*batch->value);
      bench_.use(*time->value);
      const double samples = steps->low * batch->value->low, ratio = batch->value->low / least;
      bench_.find(FindingKind::kInconsistent, row->line, row->label,
                  time->value->text + " at batch " + batch->value->text,
                  told(ClaimDimension::kTime, time->value->low / ratio) + " for the work of the smallest batch",
                  steps->text + " \xC3\x97 " + batch->value->text + " = " + told(ClaimDimension::kSamples, samples) +
                      ": rows with other batches do not do the same work");
    }
  }

  // Comparisons in prose.

  /// What is compared: GPUs of a kind, or a number of GPUs.
  struct Side {
    std::string gpu;
    int count = 0;
  };

  /// Rows of every table, and lists, of this side with a value of that kind.
  bool matches(const ClaimRecord& record, const Side& side) const {
    return !record.total && !record.gpu.empty() && (side.gpu.empty() || record.gpu == side.gpu) &&
           (side.count == 0 || std::max(record.count, 1) == side.count);
  }

  /// "~15% faster than H100" under the heading of another GPU; "A100 is 40% cheaper" with "A100 vs H100" as label;
  /// "only 2-3 hours faster than 2 GPUs". Wrong where no measure of the document, at no end of a range, comes near.
  void comparisons() {
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
    const auto compared = sides(line, stated, after);
    if (!compared) return;
    const auto& [a, b] = *compared;
    double least = 0, most = 0;
    int pairs = 0;
    std::string how;
    const auto add = [&](const ClaimAmount& mine, const ClaimAmount& other, bool more_is_better, double factor) {
      if (mine.low <= 0 || other.low <= 0) return;
      for (const auto& [x, y] : {std::pair{mine.low, other.low}, {mine.high, other.high}}) {
        double ratio = (more_is_better ? x / y : y / x) * factor;
        if (stated.dimension == ClaimDimension::kShare) ratio = time ? ratio - 1 : 1 - 1 / ratio;
        least = pairs == 0 ? ratio : std::min(least, ratio);
        most = pairs == 0 ? ratio : std::max(most, ratio);
        ++pairs;
        // "30% faster" may also mean 30% less time.
        if (time && stated.dimension == ClaimDimension::kShare) least = std::min(least, ratio / (1 + ratio));
      }
      if (how.size() < 100) how += (how.empty() ? "" : "; ") + mine.text + " and " + other.text;
    };
    constexpr int kMostPairs = 400;
    for (const ClaimRecord& mine : bench_.records) {
      if (!bench_.go_on()) return;
      if (!matches(mine, a)) continue;
      for (const ClaimRecord& other : bench_.records) {
        if (pairs > kMostPairs || !bench_.go_on()) return;
        const bool by_count = a.gpu.empty() && mine.gpu == other.gpu && mine.gigabytes == other.gigabytes &&
                              mine.table >= 0 && other.table >= 0;
        if (!matches(other, b) || (a.gpu.empty() && !by_count) || (!by_count && other.table != mine.table) ||
            (mine.table < 0 && !same_heading(mine, other)) ||
            (a.count == 0 && std::max(mine.count, 1) != std::max(other.count, 1)))
          continue;
        const std::initializer_list<ClaimRole> times{ClaimRole::kTotalTime, ClaimRole::kTime, ClaimRole::kStepTime,
                                                     ClaimRole::kTokenRate, ClaimRole::kSampleRate};
        const std::initializer_list<ClaimRole> money{ClaimRole::kCost, ClaimRole::kPrice};
        for (const ClaimRole role : time ? times : money) {
          const ClaimFact *x = mine.find(role), *y = other.find(role);
          if (x != nullptr && y != nullptr)
            add(*x->value, *y->value, role == ClaimRole::kTokenRate || role == ClaimRole::kSampleRate, 1);
        }
      }
    }
    // Lists below the headings of the two: steps of a phase.
    below(a, b, time, add);
    if (pairs == 0) return;
    bench_.use(stated);
    const double room = std::max(stated.high_step / 2, stated.approximate ? 0.1 * stated.high : 0.0);
    if (stated.low - room <= most && stated.high + room >= least) return;
    bench_.find(FindingKind::kWrong, line.line, line.label, stated.text + (time ? " faster" : " cheaper"),
                told(stated.dimension, least, most), "by the document's own figures: " + how);
  }

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

  template <class Add>
  void below(const Side& a, const Side& b, bool time, Add& add) {
    if (!time) return;
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
            add(*x->value, *y->value, false, 1);
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
        const ClaimFact* time = time_of(*row);
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
    bench_.find(FindingKind::kWrong, line.line, section.title.text, stated.text + " faster",
                told(ClaimDimension::kTime, (least + most) / 2), "from " + how);
  }

  Bench& bench_;
  std::vector<const ClaimLine*> said_dominated_;
  /// The fastest and the cheapest of the options that begin with `best_of_`; null: not looked for.
  std::array<const ClaimRecord*, 2> best_{};
  const ClaimRecord* best_of_ = nullptr;
};

}  // namespace

void check_options(Bench& bench) { Options(bench).check(); }

}  // namespace gpuplan::audit
