#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

enum class Measure { kCost, kTime, kMemory, kBandwidth };

struct Superlative {
  std::string_view words;
  Measure measure;
  bool most;
};
constexpr Superlative kSuperlatives[] = {{"cheapest", Measure::kCost, false},
                                         {"least expensive", Measure::kCost, false},
                                         {"most expensive", Measure::kCost, true},
                                         {"fastest", Measure::kTime, false},
                                         {"slowest", Measure::kTime, true},
                                         {"most memory", Measure::kMemory, true},
                                         {"largest memory", Measure::kMemory, true},
                                         {"least memory", Measure::kMemory, false},
                                         {"highest bandwidth", Measure::kBandwidth, true},
                                         {"most bandwidth", Measure::kBandwidth, true},
                                         {"lowest bandwidth", Measure::kBandwidth, false}};

/// "The L40S has the most memory of the cards here", "The most expensive is C in this list": against the one table that
/// has such a row and such a column.
class Superlatives {
 public:
  explicit Superlatives(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line)) continue;
      const std::string& text = line.said.text;
      for (std::size_t at = 0; at < text.size() && bench_.go_on();) {
        const std::size_t end = end_of_sentence(text, at);
        sentence(line, at, std::string_view(text).substr(at, end - at));
        at = end + 2;
      }
    }
  }

 private:
  /// Words of what a superlative is among, at the end of a clause.
  static std::string_view without_scope(std::string_view lower) {
    for (bool taken = true; taken;) {
      taken = false;
      while (!lower.empty() && (lower.back() == '.' || lower.back() == ' ')) lower.remove_suffix(1);
      for (const std::string_view scope : {"here",
                                           "in this list",
                                           "in the list",
                                           "in the table",
                                           "of the two",
                                           "of the three",
                                           "of the four",
                                           "of the five",
                                           "of the six",
                                           "of the cards",
                                           "of all",
                                           "of them",
                                           "of these",
                                           "overall",
                                           "of all cards",
                                           "of these cards",
                                           "of all options",
                                           "of the options",
                                           "option",
                                           "choice",
                                           "provider",
                                           "card",
                                           "gpu",
                                           "one",
                                           "offer",
                                           "plan"})
        if (lower.ends_with(scope) && (lower.size() == scope.size() || lower[lower.size() - scope.size() - 1] == ' ')) {
          lower.remove_suffix(scope.size());
          taken = true;
        }
    }
    return lower;
  }

  void sentence(const ClaimLine& line, std::size_t from, std::string_view said) {
    const std::string whole = to_lower(said);
    if (has_any(whole, {"?", "not ", "n't", "if ", "among", "unless", "second", "would be", "per hour", "an hour"}))
      return;
    const std::string_view lower = without_scope(whole);
    for (const Superlative& one : kSuperlatives) {
      const std::size_t at = lower.find(one.words);
      if (at == std::string_view::npos) continue;
      std::string_view before = trim(lower.substr(0, at));
      std::string_view behind = trim(lower.substr(at + one.words.size()));
      bool per_token = false;
      for (const std::string_view each : {"per token", "per million tokens", "per 1m tokens"})
        if (behind.starts_with(each)) behind = trim(behind.substr(each.size())), per_token = true;
      // "The most expensive is C"
      if (before == "the" && behind.starts_with("is ")) {
        const std::string_view who = trim(behind.substr(3));
        named(line, from, said, said.substr(static_cast<std::size_t>(who.data() - lower.data()), who.size()), one,
              per_token);
        return;
      }
      // "The L40S has the most memory"
      if (!behind.empty() || !before.ends_with(" the")) return;
      before = trim(before.substr(0, before.size() - std::string_view("the").size()));
      for (const std::string_view far : {" by far", " clearly"})
        if (before.ends_with(far)) before = trim(before.substr(0, before.size() - far.size()));
      if (!before.ends_with(" is") && !before.ends_with(" has")) return;
      before = trim(before.substr(0, before.rfind(' ')));
      named(line, from, said, said.substr(0, before.size()), one, per_token);
      return;
    }
  }

  static std::string_view name_in(std::string_view who) {
    for (const std::string_view article : {"The ", "the ", "Our ", "our ", "An ", "A ", "Option ", "option "})
      if (who.starts_with(article) && who.size() > article.size()) who.remove_prefix(article.size());
    return trim(who);
  }

  void named(const ClaimLine& line, std::size_t from, std::string_view said, std::string_view whom,
             const Superlative& one, bool per_token) {
    const std::string_view who = name_in(whom);
    if (who.empty() || who.contains(',')) return;
    const auto place = static_cast<std::size_t>(who.data() - line.said.text.data());
    const GpuMention* gpu = nullptr;
    for (const GpuMention& mention : line.said.gpus)
      if (mention.from == place && mention.to == place + who.size()) gpu = &mention;
    const ClaimRecord* found = nullptr;
    int column = -1, times = 0, anywhere = 0;
    for (int table = 0; table < bench_.tables(); ++table) {
      const int measured = column_of(table, one.measure, per_token);
      if (!bench_.go_on()) return;
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (row->total || !is_called(*row, who, gpu)) continue;
        ++anywhere;
        if (measured >= 0) found = row, column = measured, ++times;
      }
    }
    // An option of several tables is the best in one of them perhaps; a card has one memory in all.
    const bool option = !per_token && (one.measure == Measure::kCost || one.measure == Measure::kTime);
    if (option && anywhere > 1) return;
    if (times == 1) judge(line, from, said, *found, column, one);
  }

  bool is_called(const ClaimRecord& row, std::string_view who, const GpuMention* gpu) const {
    const ClaimText& first = *cells_of(bench_.document, row).front();
    if (to_lower(trim(first.text)) == to_lower(who)) return true;
    return gpu != nullptr && !row.gpu.empty() && row.gpu == gpu->key &&
           (gpu->gigabytes == 0 || row.gigabytes == 0 || gpu->gigabytes == row.gigabytes) &&
           std::max(row.count, 1) == std::max(gpu->count, 1);
  }

  static bool is_of(const ClaimAmount& one, Measure measure, bool per_token) {
    switch (measure) {
      case Measure::kCost:
        return one.dimension == ClaimDimension::kMoney || one.dimension == ClaimDimension::kBare ||
               (per_token && one.dimension == ClaimDimension::kPrice);
      case Measure::kTime:
        return one.dimension == ClaimDimension::kTime;
      case Measure::kMemory:
        return one.dimension == ClaimDimension::kBytes;
      case Measure::kBandwidth:
        return one.dimension == ClaimDimension::kByteRate;
    }
    return false;
  }

  /// The one column of a table that says it, of every row; -1: none, or several.
  int column_of(int number, Measure measure, bool per_token) const {
    const ClaimTable& table = bench_.document.tables[static_cast<std::size_t>(number)];
    if (table.headless || table.across) return -1;
    int found = -1;
    for (std::size_t i = 1; i < table.heads.size(); ++i) {
      const std::string head = to_lower(table.heads[i].text);
      const bool of_token = head.contains("token") && (head.contains('$') || has_any(head, {"cost", "price"}));
      if (measure == Measure::kCost && of_token != per_token) continue;
      if (measure == Measure::kCost && !per_token &&
          (!has_any(head, {"cost", "total", "sum"}) || has_any(head, {"/h", "per ", "hourly", "saved"})))
        continue;
      if (measure == Measure::kMemory && !is_one_of(head, {"memory", "vram", "gpu memory", "memory (gb)", "vram (gb)"}))
        continue;
      if (!all_have(number, static_cast<int>(i), measure, per_token)) continue;
      if (found >= 0) return -1;
      found = static_cast<int>(i);
    }
    return found;
  }

  const ClaimAmount* value(const ClaimRecord& row, int column) const {
    const auto& all = cells_of(bench_.document, row)[static_cast<std::size_t>(column)]->quantities;
    return all.size() == 1 && !all[0].range() ? &all[0] : nullptr;
  }

  bool all_have(int table, int column, Measure measure, bool per_token) const {
    int rows = 0;
    const ClaimRecord* first = nullptr;
    for (const ClaimRecord* row : bench_.rows_of(table)) {
      if (row->total) continue;
      const ClaimAmount* one = value(*row, column);
      if (one == nullptr || !is_of(*one, measure, per_token)) return false;
      // Machines of the spot market and others are not held against each other.
      if (first != nullptr && first->spot != row->spot) return false;
      if (first == nullptr) first = row;
      ++rows;
    }
    constexpr int kLeast = 3;
    return rows >= kLeast;
  }

  double right(const ClaimAmount& one) const {
    const auto found = bench_.right.find(one.id);
    return found == bench_.right.end() ? one.low : found->second;
  }

  void judge(const ClaimLine& line, std::size_t from, std::string_view said, const ClaimRecord& row, int column,
             const Superlative& one) {
    const ClaimAmount& own = *value(row, column);
    const ClaimRecord* best = nullptr;
    for (const ClaimRecord* other : bench_.rows_of(row.table)) {
      if (other->total || other == &row) continue;
      const ClaimAmount& its = *value(*other, column);
      if (its.currency != own.currency || its.dimension != own.dimension) return;
      // As it is written, and as it should be.
      const auto beats = [&](double a, double b, const ClaimAmount& x) {
        return one.most ? a > b + x.low_step / 2 : a < b - x.low_step / 2;
      };
      if (!beats(its.low, own.low, own) || !beats(right(its), right(own), own)) continue;
      if (best == nullptr || (one.most ? its.low > value(*best, column)->low : its.low < value(*best, column)->low))
        best = other;
    }
    bench_.use(own);
    if (best == nullptr) return;
    const int at = line.line + line.said.lines_to(from);
    const auto is_there = [&](const Finding& other) {
      return other.line == at && is_one_of(other.said, {"cheapest", "fastest"});
    };
    if (std::ranges::any_of(bench_.findings, is_there)) return;
    said = trim(said);
    if (said.ends_with('.')) said.remove_suffix(1);
    bench_.find(FindingKind::kWrong, at, row.label, std::string(said),
                best->label + " (" + value(*best, column)->text + ")",
                value(*best, column)->text + " against " + own.text + " in the table of line " +
                    std::to_string(bench_.document.tables[static_cast<std::size_t>(row.table)].line));
  }

  Bench& bench_;
};

}  // namespace

void check_superlatives(Bench& bench) { Superlatives(bench).check(); }

}  // namespace gpuplan::audit
