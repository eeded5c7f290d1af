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
#include "evidence/audit/figures/repeats.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

class Options {
 public:
  explicit Options(Bench& bench) : bench_(bench) {
    for (const ClaimLine& line : bench.document.lines)
      if (says_beaten(line.said.text)) {
        said_dominated_.push_back(&line);
        careful_ = careful_ || to_lower(line.said.text).contains("beaten by");
      }
    for (const ClaimTable& table : bench.document.tables) marked_.push_back(std::ranges::any_of(table.rows, says_so));
    weighed_ = std::ranges::find(marked_, true) != marked_.end();
    careful_ = careful_ || weighed_;
  }

  void check() {
    std::map<int, std::vector<const ClaimRecord*>> groups;
    for (int table = 0; table < bench_.tables(); ++table) {
      const std::vector<const ClaimRecord*> rows = bench_.rows_of(table);
      std::vector<const ClaimRecord*> options;
      for (const ClaimRecord* row : rows)
        if (!row->total && !row->gpu.empty() && row->time() != nullptr && row->cost() != nullptr)
          options.push_back(row);
      same_work(rows, table);
      if (options.empty() || is_schedule(rows) || is_of_parts(table)) continue;
      superlatives(options);
      auto& group = groups[group_of(table)];
      group.insert(group.end(), options.begin(), options.end());
    }
    for (const auto& [place, options] : groups)
      if (options.size() > 1) {
        dominated(options);
        more_than_linear(options);
      }
    superlatives_in_prose();
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
      const ClaimAmount &one = *found->second->time()->value, &all = *row->time()->value;
      const ClaimEnds ratio = ends_of(one) / ends_of(all);
      if (one.range() || all.range() || ratio.least() <= row->count * 1.001) continue;
      bench_.find(FindingKind::kInconsistent, row->line, row->label, all.text + ", " + row->cost()->value->text,
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

  /// "Phase", "Task": its rows are all done.
  bool is_of_parts(int table) const {
    const ClaimTable& whole = bench_.document.tables[static_cast<std::size_t>(table)];
    if (whole.headless) return false;
    const std::string head = to_lower(whole.heads.front().text);
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"phase", "phases", "stage", "stages", "task", "tasks", "step", "part",
                                                "item", "component", "job", "workload", "experiment", "day", "week",
                                                "month", "variant", "variants"},
        [&](std::string_view name) { return head == name; });
  }

  static bool says_beaten(std::string_view text) { return has_any(to_lower(text), {"dominated", "beaten by"}); }
  static bool says_so(const ClaimRow& row) {
    return std::ranges::any_of(row.cells, [](const ClaimText& cell) { return says_beaten(cell.text); });
  }

  bool told_dominated(const ClaimRecord& row) const {
    // A table that marks what is beaten has weighed all; the others of its document say more of the same options.
    const auto table = static_cast<std::size_t>(row.table);
    // What is taken where the best is not to be had may well be beaten by it.
    const auto stands_in = [](const ClaimText* cell) {
      return std::ranges::any_of(std::array<std::string_view, 4>{"elsewhere", "unavailable", "fallback", "stand-in"},
                                 [&](std::string_view word) { return cell->text.find(word) != std::string::npos; });
    };
    if (std::ranges::any_of(cells_of(bench_.document, row), stands_in)) return true;
    if (marked_[table]) {
      if (std::ranges::any_of(cells_of(bench_.document, row),
                              [](const ClaimText* cell) { return says_beaten(cell->text); }))
        return true;
    } else if (weighed_) {
      return true;
    }
    const int count = std::max(row.count, 1);
    for (const ClaimLine* line : said_dominated_) {
      if (line->said.gpus.empty()) continue;
      const GpuMention& first = line->said.gpus.front();
      if (std::max(first.count, 1) != count || (first.gigabytes != 0 && first.gigabytes != row.gigabytes)) continue;
      if (first.key == row.gpu) return true;
      // "H100" for "H100 SXM", where it is told with this one's time.
      const auto is_its = [&](const ClaimAmount& one) {
        return one.dimension == ClaimDimension::kTime && may_be_same(one, *row.time()->value);
      };
      if (row.gpu.starts_with(first.key) && std::ranges::any_of(line->said.quantities, is_its)) return true;
    }
    return false;
  }

  /// Two that are told as equal are so: of "0.3 h" and "0.3 h" either may be the lower. Who marks what is beaten has
  /// weighed more digits than are told.
  bool is_fine(const ClaimFact& fact) const {
    const double fine = careful_ ? 0 : 0.05;
    return fact.value->low_step <= fine * fact.value->low;
  }

  /// A cell of the row says that it is the fastest, or the cheapest: of two that are told as equal it is.
  bool calls_best(const ClaimRecord& row, bool fastest) const {
    return std::ranges::any_of(cells_of(bench_.document, row), [&](const ClaimText* cell) {
      return fastest ? claims_fastest(cell->text) : claims_cheapest(cell->text);
    });
  }

  /// Sorted by cost, the fastest so far beats what follows.
  void dominated(std::vector<const ClaimRecord*> options) {
    // Of a figure that is wrong both it and the right one have to say so.
    const auto ends = [&](const ClaimRecord* row, bool least) {
      const ClaimAmount &cost = *row->cost()->value, &time = *row->time()->value;
      return std::array{bounded(cost, cost.low, least), bounded(cost, cost.high, least), bounded(time, time.low, least),
                        bounded(time, time.high, least)};
    };
    const std::string& currency = options.front()->cost()->value->currency;
    for (const ClaimRecord* row : options) {
      if (row->cost()->value->currency != currency) return;
      bench_.use(*row->cost()->value);
      bench_.use(*row->time()->value);
    }
    constexpr std::size_t kMost = 2000;  // of which each is held against each
    if (options.size() > kMost) options.resize(kMost);
    for (const ClaimRecord* row : options) {
      const auto mine = ends(row, true);
      const bool same_cost = is_fine(*row->cost()) && !calls_best(*row, false),
                 same_time = is_fine(*row->time()) && !calls_best(*row, true);
      const ClaimRecord* better = nullptr;
      for (const ClaimRecord* other : options) {
        // What may be interrupted is another thing to rent.
        if (other == row || (other->spot && !row->spot)) continue;
        if (repeats_differ(*row, *other)) continue;
        if (!bench_.go_on()) return;
        const auto its = ends(other, false);
        bool beats = true, strictly = false;
        for (std::size_t i = 0; i < mine.size(); ++i) {
          beats = beats && (its[i] < mine[i] || (its[i] == mine[i] && (i < 2 ? same_cost : same_time)));
          strictly = strictly || its[i] < mine[i];
        }
        // One of two equal costs, rounded, may be the lower: only a clear gain of time or money counts.
        if (beats && strictly && (better == nullptr || its[1] < ends(better, false)[1])) better = other;
      }
      if (better == nullptr || told_dominated(*row)) continue;
      bench_.find(FindingKind::kDominated, row->line, row->label, option_text(*row, false), option_text(*better, true),
                  "as cheap and as fast, or better in one or both; line " + std::to_string(better->line));
    }
  }

  /// `right`: as its figures are where they are wrong.
  std::string option_text(const ClaimRecord& record, bool right) const {
    const auto figure = [&](const ClaimAmount& amount) {
      const auto other = bench_.right.find(amount.id);
      return right && other != bench_.right.end() ? told(amount, ends_of(other->second)) : amount.text;
    };
    return record.label + " (" + figure(*record.time()->value) + ", " + figure(*record.cost()->value) + ")";
  }

  /// The least or most that an amount may be, where a check has another value for it.
  double bounded(const ClaimAmount& amount, double value, bool least) const {
    const auto right = bench_.right.find(amount.id);
    if (right == bench_.right.end()) return value;
    return least ? std::min(value, right->second) : std::max(value, right->second);
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
          before.contains("not ") || before.ends_with("of the ") || before.ends_with("than the ") ||
          after.starts_with(" under") || after.starts_with(" +") || after.starts_with(" with") ||
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
    const auto value = [&](const ClaimRecord* one) { return fastest ? one->time()->value : one->cost()->value; };
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
    const ClaimAmount &its = *value(best), &mine = *value(&row);
    if (bounded(its, its.high, false) >= bounded(mine, mine.high, true) ||
        bounded(its, its.low, false) >= bounded(mine, mine.low, true))
      return;
    bench_.find(FindingKind::kWrong, line, row.label, said, best->label + " (" + value(best)->text + ")",
                std::string(fastest ? "fastest" : "cheapest") + " of the same table; " + row.label + " is " +
                    value(&row)->text);
  }

  void superlatives(const std::vector<const ClaimRecord*>& options) {
    // Who waits in a queue is done later than its hours say.
    const bool queue = std::ranges::any_of(options, [](const ClaimRecord* row) {
      return std::ranges::any_of(row->facts, [](const ClaimFact& fact) {
        return has_word_of(to_lower(fact.name), {"queue", "wait", "waiting"});
      });
    });
    for (const ClaimRecord* row : options)
      for (const ClaimText* cell : cells_of(bench_.document, *row)) {
        if (!queue && claims_fastest(cell->text)) best_of(*row, options, true, row->line, cell->text);
        if (claims_cheapest(cell->text)) best_of(*row, options, false, row->line, cell->text);
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
          if (row->total || row->gpu.empty() || (fastest ? row->time() : row->cost()) == nullptr) continue;
          options.push_back(row);
          if (row->gpu != gpu.key || std::max(row->count, 1) != std::max(gpu.count, 1)) continue;
          for (const ClaimAmount& one : line.said.quantities)
            if (one.dimension == (fastest ? ClaimDimension::kTime : ClaimDimension::kMoney) &&
                may_be_same(one, *(fastest ? row->time() : row->cost())->value))
              meant = row;
        }
        if (meant != nullptr && options.size() > 1) {
          best_of(*meant, options, fastest, line.line_of(gpu), line.said.text);
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
      const ClaimFact *batch = row->find(ClaimRole::kBatch), *time = row->time();
      if (batch == nullptr || time == nullptr || row->gpu.empty() || batch->value->range()) return;
      least = least == 0 ? batch->value->low : std::min(least, batch->value->low);
    }
    if (std::ranges::all_of(rows,
                            [&](const ClaimRecord* row) { return row->find(ClaimRole::kBatch)->value->low == least; }))
      return;
    for (const ClaimRecord* row : rows) {
      const ClaimFact *batch = row->find(ClaimRole::kBatch), *time = row->time();
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

  Bench& bench_;
  std::vector<const ClaimLine*> said_dominated_;
  std::vector<bool> marked_;  ///< by table: it says of some of its rows that they are beaten
  bool weighed_ = false;      ///< some table does
  bool careful_ = false;      ///< the document speaks of being beaten, in a table or a line
  /// The fastest and the cheapest of the options that begin with `best_of_`; null: not looked for.
  std::array<const ClaimRecord*, 2> best_{};
  const ClaimRecord* best_of_ = nullptr;
};

}  // namespace

void check_options(Bench& bench) { Options(bench).check(); }

}  // namespace gpuplan::audit
