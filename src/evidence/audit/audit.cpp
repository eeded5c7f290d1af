#include "evidence/audit/audit.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/sorting.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"

namespace gpuplan {

Audit audit_claims(const ClaimDocument& document, const Catalogue& catalogue) {
  const std::vector<ClaimRecord> records = records_of(document);
  audit::Bench bench{document, records, catalogue};
  bench.checked.resize(static_cast<std::size_t>(document.quantities));
  for (const auto check :
       {audit::check_repairs,   audit::check_bill,      audit::check_lines,     audit::check_rows,
        audit::check_written,   audit::check_told,      audit::check_prose,     audit::check_rates,
        audit::check_amounts,   audit::check_changes,   audit::check_context,   audit::check_clauses,
        audit::check_batches,   audit::check_divisible, audit::check_periods,   audit::check_sums,
        audit::check_relations, audit::check_across,    audit::check_columns,   audit::check_options,
        audit::check_compared,  audit::check_pairs,     audit::check_spread,    audit::check_epochs,
        audit::check_derived,   audit::check_shares,    audit::check_multiples, audit::check_named,
        audit::check_best,      audit::check_solved,    audit::check_relatives, audit::check_counts,
        audit::check_rests,     audit::check_portions,  audit::check_holds,     audit::check_superlatives,
        audit::check_repeats,   audit::check_cards,     audit::check_specs,     audit::check_market,
        audit::check_facts,     audit::check_weights,   audit::check_training,  audit::check_fits,
        audit::check_caches,    audit::check_memory,    audit::check_missing}) {
    bench.steps = audit::Bench::kSteps;
    check(bench);
  }

  Audit result;
  result.findings = std::move(bench.findings);
  const auto order = [](const Finding& a) { return std::tie(a.line, a.kind, a.about, a.said, a.right, a.how); };
  sort_stably(result.findings, [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
  const auto twice = std::ranges::unique(result.findings, [](const Finding& a, const Finding& b) {
    // What is missing is told in why.
    return std::tie(a.line, a.kind, a.about, a.said, a.right) == std::tie(b.line, b.kind, b.about, b.said, b.right) &&
           (a.kind != FindingKind::kMissing || a.how == b.how);
  });
  result.findings.erase(twice.begin(), twice.end());
  result.tables = static_cast<int>(document.tables.size());
  result.claims = document.quantities;
  result.checked = static_cast<int>(std::ranges::count(bench.checked, true));
  result.unread = document.unread;
  if (bench.cut_short)
    result.unread.push_back(
        {1, "the file is too long to hold everything against everything: some comparisons were left out"});
  return result;
}

}  // namespace gpuplan
