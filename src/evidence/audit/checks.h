// The checks of an audit, one subject a file. Each looks at the whole document and adds what it finds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/audit/finding.h"
#include "evidence/audit/records.h"
#include "evidence/claims/claims.h"

namespace gpuplan::audit {

inline constexpr double kHour = 3600;  ///< seconds

struct Bench {
  const ClaimDocument& document;
  const std::vector<ClaimRecord>& records;
  const Catalogue& catalogue;
  std::vector<Finding> findings{};
  std::vector<bool> checked{};  ///< by ClaimAmount::id
  /// Steps left for what holds everything against everything: files of many MB end too.
  static constexpr long kSteps = 5'000'000;  // a second or two
  long steps = kSteps;
  bool cut_short = false;  ///< some check had no steps left

  /// A step of such a search; false: enough.
  bool go_on() {
    cut_short = cut_short || steps <= 1;
    return --steps > 0;
  }

  void use(const ClaimAmount& quantity) {
    const auto place = static_cast<std::size_t>(quantity.id);
    if (place < checked.size()) checked[place] = true;
  }
  void find(FindingKind kind, int line, std::string about, std::string said, std::string right, std::string how) {
    findings.push_back({kind, line, std::move(about), std::move(said), std::move(right), std::move(how)});
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

/// Products and quotients within a row or list: cost, GPU-hours, times from steps, tokens and samples.
void check_rows(Bench& bench);
/// What is written out: "3 h × $2.49 = $7.47", "34 GB (42% of 80 GB)", sums of lists, chance of several hours.
void check_sums(Bench& bench);
/// Columns: sums, buffers, relative speeds, prices by GPU, money for an hour saved.
void check_columns(Bench& bench);
/// Options: dominated ones, "fastest" and "cheapest", GPUs left out, the same work, comparisons in prose.
void check_options(Bench& bench);
/// The same stated twice: tables that repeat each other, totals of phases, prices of several GPUs.
void check_repeats(Bench& bench);
/// Hardware, prices and models that exist.
void check_facts(Bench& bench);
/// Memory: by batch, by number of GPUs, caches, optimizers.
void check_memory(Bench& bench);
/// Set-up time and buffer.
void check_missing(Bench& bench);

}  // namespace gpuplan::audit
