#include "evidence/audit/bill_ways.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "evidence/audit/figures/bill_tally.h"
#include "evidence/audit/figures/repeats.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// "8x H100 SXM, 2 at a time" hold more than one of them for a part of the hours. 1: nothing of the kind is said.
double at_a_time(std::string_view label) {
  const std::string lower = to_lower(label);
  const std::size_t words = lower.find(" at a time");
  if (words == std::string::npos || words == 0 || !is_digit(lower[words - 1])) return 1;
  std::size_t from = words;
  while (from > 0 && is_digit(lower[from - 1])) --from;
  double count = 0;
  for (const char c : lower.substr(from, words - from)) count = count * 10 + (c - '0');
  return std::max(count, 1.0);
}

/// "Discount 10%", "VAT 19%" of the row are in the cost, or not.
void add_percents(const ClaimRecord& record, std::vector<Way>& ways) {
  const std::size_t whole = ways.size();
  for (const ClaimFact& one : record.facts) {
    const std::string name = to_lower(one.name);
    const bool off = is_taken_off(name), on = says_tax(name) || has_any(name, {"markup", "surcharge", "buffer"});
    const bool percent = one.value->dimension == ClaimDimension::kShare || name.contains('%') ||
                         (one.value->dimension == ClaimDimension::kBare && one.value->high < 1);
    if (!percent || off == on || one.value->range()) continue;
    double part = one.value->low;
    if (one.value->dimension != ClaimDimension::kShare && name.contains('%')) part /= 100;
    if (off && part > 1) continue;
    for (std::size_t i = 0; i < whole; ++i) ways.push_back({ways[i].value * (off ? 1 - part : 1 + part), ways[i].how});
  }
}

/// Rent that is paid for whole days, weeks, months or years, however few hours of them are used.
void add_whole_periods(const ClaimRecord& record, std::vector<Way>& ways) {
  const auto times = record.all(ClaimRole::kTime), prices = record.all(ClaimRole::kPrice);
  if (times.size() != 1 || times.front()->value->range()) return;
  const double hours = times.front()->value->low / kHour;
  for (const ClaimFact* price : prices)
    for (const double period : {24.0, 168.0, 720.0, 730.0, 744.0, 8760.0})
      for (const int count : {1, record.count})
        if (hours < period && count > 0)
          ways.push_back({ends_of(*price->value) * (period * count),
                          price->value->text + " \xC3\x97 " + number_text(period) + " h"});
}

}  // namespace

std::vector<double> times_over(const ClaimRecord& record) {
  std::vector<double> times;
  for (const ClaimFact& one : record.facts) {
    const std::string lower = to_lower(one.name);
    const bool counts = std::ranges::any_of(
        std::initializer_list<std::string_view>{"nodes",    "# nodes", "node count", "knoten", "machines", "instances",
                                                "replicas", "runs",    "seeds",      "count",  "qty",      "quantity",
                                                "trials",   "copies",  "servers",    "jobs",   "menge",    "anzahl",
                                                "units",    "unit",    "number",     "no.",    "no",       "#",
                                                "n",        "cards",   "size",       "pcs",    "pieces"},
        [&](std::string_view name) { return lower == name || lower == "number of " + std::string(name); });
    if (counts && one.value->whole && !one.value->range()) times.push_back(one.value->low);
  }
  return times;
}

void add_beside(const ClaimDocument& document, const ClaimRecord& record, std::vector<Way>& ways) {
  ClaimEnds more = ends_of(0.0);
  bool any = false;
  double at_once = 1;
  for (const ClaimFact& one : record.facts)
    if (one.role == ClaimRole::kNone && one.value->dimension == ClaimDimension::kMoney && record.row >= 0) {
      more = more + ends_of(*one.value);
      any = true;
    }
  for (const ClaimText* cell : cells_of(document, record)) at_once = std::max(at_once, at_a_time(cell->text));
  const std::size_t plain = ways.size();
  for (std::size_t i = 0; i < plain; ++i) {
    for (const auto& counts : {times_over(record), repeats_of(record)})
      for (const double times : counts) {
        std::optional<ClaimEnds> shown = ways[i].shown;
        if (shown) shown = *shown * times;
        ways.push_back({ways[i].value * times, ways[i].how, shown});
      }
    if (at_once > 1) ways.push_back({{ways[i].value.low, ways[i].value.high * at_once}, ways[i].how});
  }
  add_percents(record, ways);
  const std::size_t several = ways.size();
  for (std::size_t i = 0; any && i < several; ++i) ways.push_back({ways[i].value + more, ways[i].how});
  if (record.table >= 0) add_whole_periods(record, ways);
}

}  // namespace gpuplan::audit
