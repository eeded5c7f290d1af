// The checks of an audit, one subject a file. Each looks at the whole document and adds what it finds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/span.h"
#include "evidence/audit/finding.h"
#include "evidence/claims/claims.h"

namespace gpuplan::audit {

inline constexpr double kHour = 3600;  ///< seconds

/// Not code, and with no more amounts than a sentence is read for: longer lines are data.
inline bool reads_as_prose(const ClaimLine& line) {
  constexpr std::size_t kMost = 40;
  return !line.code && line.said.quantities.size() <= kMost;
}

/// One way to come to a value.
struct Way {
  ClaimEnds value;
  std::string how;
  std::optional<ClaimEnds> shown{};  ///< of the figures as they are written, which is told; empty: as `value`
};

struct Bench {
  const ClaimDocument& document;
  const std::vector<ClaimRecord>& records;
  const Catalogue& catalogue;
  std::vector<Finding> findings{};
  std::vector<bool> checked{};  ///< by ClaimAmount::id
  /// Steps left for what holds everything against everything: files of many MB end too.
  static constexpr long kSteps = 5'000'000;  // a second or two
  long steps = kSteps;
  bool cut_short = false;         ///< some check had no steps left
  std::map<int, double> right{};  ///< by ClaimAmount::id, what a wrong cost or time is

  /// A step of such a search; false: enough.
  bool go_on() {
    cut_short = cut_short || steps <= 1;
    return --steps > 0;
  }
  /// The same of one that goes through the whole document.
  bool go_through() {
    constexpr long kRowsOfTable = 10;
    steps -= static_cast<long>(document.lines.size()) + kRowsOfTable * static_cast<long>(document.tables.size());
    return go_on();
  }

  void use(const ClaimAmount& quantity) {
    const auto place = static_cast<std::size_t>(quantity.id);
    if (place < checked.size()) checked[place] = true;
  }
  void find(FindingKind kind, int line, std::string about, std::string said, std::string is, std::string how) {
    findings.push_back({kind, line, std::move(about), std::move(said), std::move(is), std::move(how)});
  }
  /// `stated` is wrong where it fits none of the ways. `slack`: 1.3 lets 30% more than computed be.
  void judge(const ClaimRecord& record, const ClaimFact& stated, const std::vector<Way>& ways, double slack = 1) {
    if (ways.empty()) return;
    use(*stated.value);
    for (const Way& way : ways)
      if (slack > 1 ? fits_at_least(*stated.value, way.value, slack) : fits(*stated.value, way.value)) return;
    // It goes on from what another figure of the row should be.
    for (const ClaimFact& other : record.facts) {
      const auto known = right.find(other.value->id);
      if (known == right.end() || other.value == stated.value || other.value->low <= 0 || known->second <= 0) continue;
      const double factor = known->second / other.value->low;
      for (const Way& way : ways)
        if (fits(*stated.value, way.value * factor) || fits(*stated.value, way.value * (1 / factor))) return;
    }
    const ClaimEnds& shown = ways.front().shown.value_or(ways.front().value);
    right.emplace(stated.value->id, (shown.low_middle() + shown.high_middle()) / 2);
    find(FindingKind::kWrong, stated.line, record.label, stated.value->text, told(*stated.value, shown),
         ways.front().how);
  }
  /// Rows of a table, in order.
  std::vector<const ClaimRecord*> rows_of(int table) const {
    std::vector<const ClaimRecord*> rows;
    const auto first = std::ranges::lower_bound(
        records, table, {}, [](const ClaimRecord& record) { return record.table < 0 ? 1 << 30 : record.table; });
    for (auto at = first; at != records.end() && at->table == table; ++at)
      if (at->row >= 0) rows.push_back(&*at);
    return rows;
  }
  int tables() const { return static_cast<int>(document.tables.size()); }
  /// The section, its parent and so on contain `section`.
  bool within(int section, int ancestor) const {
    for (int at = section; at >= 0; at = document.sections[static_cast<std::size_t>(at)].parent)
      if (at == ancestor) return true;
    return false;
  }
};

/// Parts of totals, prices with discounts and savings that the other rows put right. Before all others.
void check_repairs(Bench& bench);
/// "+12%" beside "+0%". After those that find wrong costs.
void check_relatives(Bench& bench);
/// What a row or list asks for GPUs: price × hours × GPUs, GPU-hours.
void check_bill(Bench& bench);
/// Times of a row or list: from steps, tokens and samples, with what is beside them.
void check_rows(Bench& bench);
/// What is written out: "3 h × $2.49 = $7.47", "$332 + 10% = $365.20", "3 days = 72 h".
void check_written(Bench& bench);
/// "60M tokens at 60,000 tokens/s takes 16.7 min", "With a 10% buffer: $440 -> $484".
void check_told(Bench& bench);
/// "With a 15% buffer $1,076", "B saves $570".
void check_prose(Bench& bench);
/// "400 GPU-hours at $2.25 cost $900", "3 TB at $0.09/GB are $270".
void check_rates(Bench& bench);
/// "8 GPUs for 12 hours are 96 GPU-hours", "12 checkpoints of 56 GB are 672 GB", "20,000 samples at batch 64 are 313
/// steps".
void check_amounts(Bench& bench);
/// "A 40% discount on $1,000 is $400", "net $100, 19% VAT, gross $119", "$0.99 instead of $2.49 saves 60%".
void check_changes(Bench& bench);
/// "80M tokens ... At 2,500 tokens/s that takes 8.9 h": what a sentence computes from one before it.
void check_context(Bench& bench);
/// "1.2 TB plus 800 GB add up to 2 TB", "10% of 600k pairs go to validation = 60k", "one 8xH200 node costs $28 an hour,
/// so each H200 is $3.50/h", lists that end with "Total $59.40".
void check_clauses(Bench& bench);
/// GPUs × micro-batch × accumulation = global batch.
void check_batches(Bench& bench);
/// A global batch that no whole number of micro-batches on all GPUs makes. After check_batches.
void check_divisible(Bench& bench);
/// "Monthly cost" beside "yearly cost".
void check_periods(Bench& bench);
/// Lines of a bill: quantity, discount, taxes, what is spent so far. After check_bill.
void check_lines(Bench& bench);
/// Shares in brackets ("34 GB (42% of 80 GB)"), savings, sums of lists, hours of machines and of GPUs.
void check_sums(Bench& bench);
/// Totals of tables whose options are columns.
void check_across(Bench& bench);
/// Columns: sums, buffers, relative speeds, prices by GPU, money for an hour saved.
void check_columns(Bench& bench);
/// Rows that break what the others of their table bear out. After check_bill, before check_across.
void check_relations(Bench& bench);
/// Options: dominated ones, "fastest" and "cheapest", GPUs left out, the same work. After those that find wrong costs.
void check_options(Bench& bench);
/// "40% cheaper than", "2x faster than".
void check_compared(Bench& bench);
/// "A costs $100 and B $90, so B is 10% cheaper", "$1,500 of a budget of $2,000, which leaves $500". After
/// check_compared.
void check_pairs(Bench& bench);
/// "Choices span $10-$20 (2x)", "10 of 60 GPU-hours (17%)", "costs $5 more and saves 2 h, $2.50 per hour saved", "A
/// costs $5 more than B".
void check_spread(Bench& bench);
/// Times of an epoch, beside times in all and speeds.
void check_epochs(Bench& bench);
/// "8x L40S is the cheapest": against the table that holds it. After those that find wrong costs.
void check_best(Bench& bench);
/// "800k tokens; at 2,500 tokens/s that takes 9 min", in whatever words. After those that know the words.
void check_derived(Bench& bench);
/// "With a 25% buffer we ask for $49.73", of what stands in other sentences. After the same ones.
void check_shares(Bench& bench);
/// "For 30 iterations that is 60 hours", "12 GB and 8 GB, together 20 GB". After the same ones.
void check_multiples(Bench& bench);
/// "D needs 79% longer than A", by the rows and items of that name; sums of a table in prose. After check_compared.
void check_named(Bench& bench);
/// "98 hours are 4.1 days", "440 checkpoints, together 16.7 TB", "40 GB hold about 174 of them".
void check_counts(Bench& bench);
/// "The budget is $6,500; this leaves $831", "Together $263,874", "Peak is 4 times the average: 3.7 requests/s".
void check_rests(Bench& bench);
/// "The main run is 39% of the total", "saves $1,897, or 54%". After those that find wrong costs.
void check_portions(Bench& bench);
/// Speeds of arithmetic, NVLink, memory of several cards.
void check_specs(Bench& bench);
/// "Needs 26 GB, so it fits on one RTX 4090"; weights of the one model of a document.
void check_holds(Bench& bench);
/// "The L40S has the most memory", "The most expensive is C". After check_best.
void check_superlatives(Bench& bench);
/// Figures that are what those near them come to, but for a digit. After all that know the words.
void check_solved(Bench& bench);
/// The same stated twice: tables that repeat each other, totals of phases, prices of several GPUs.
void check_repeats(Bench& bench);
/// Memory and bandwidth of GPUs.
void check_cards(Bench& bench);
/// Prices of GPUs, against those of all offers known.
void check_market(Bench& bench);
/// Prices of machines by name, least bills, and models that exist.
void check_facts(Bench& bench);
/// Weights of a model by its parameters, and cards that they fit on.
void check_weights(Bench& bench);
/// "Full fine-tuning of an 8B with AdamW needs 130 GB"; "Its weights are 145 GB" below the name of the model.
void check_training(Bench& bench);
/// "Fits on one H100: yes" beside weights that are more than the card has.
void check_fits(Bench& bench);
/// Caches of keys and values.
void check_caches(Bench& bench);
/// Memory: by batch, by number of GPUs, optimizers.
void check_memory(Bench& bench);
/// Set-up time and buffer.
void check_missing(Bench& bench);

}  // namespace gpuplan::audit
