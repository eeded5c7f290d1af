#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

constexpr std::array<std::string_view, 11> kSetup = {"setup",    "set up",      "startup",     "overhead",
                                                     "download", "provision",   "install",     "loading",
                                                     "warmup",   "einrichtung", "vorbereitung"};
constexpr std::array<std::string_view, 13> kBuffer = {"buffer",    "contingency", "margin",    "reserve", "safety",
                                                      "debugging", "headroom",    "slack",     "puffer",  "risk",
                                                      "retries",   "rerun",       "worst case"};

/// What bills have and plans have not, as words: numbers of invoices and dates to pay by. Taxes are told beside.
constexpr std::array<std::string_view, 14> kBillWords = {
    "invoice",     "rechnung", "facture",     "factura",  "fattura",        "receipt",      "amount due",
    "balance due", "bill to",  "payment due", "due date", "billing period", "usage period", "sku"};

/// What was rented is billed: there is nothing left that could fail. Words of headings, of tables' heads and of what
/// stands first in rows and lists count, not prose, which may speak of an invoice to come.
bool is_bill(const ClaimDocument& document) {
  const auto says = [](std::string_view text) {
    const std::string lower = to_lower(text);
    return says_tax(lower) ||
           std::ranges::any_of(kBillWords, [&](std::string_view word) { return has_word(lower, word); });
  };
  const auto says_label = [&](const ClaimLine& line) { return says(line.label); };
  const auto says_title = [&](const ClaimSection& section) { return says(section.title.text); };
  if (std::ranges::any_of(document.sections, says_title) || std::ranges::any_of(document.lines, says_label))
    return true;
  for (const ClaimTable& table : document.tables) {
    if (std::ranges::any_of(table.heads, says, &ClaimText::text)) return true;
    for (const ClaimRow& row : table.rows)
      for (const ClaimText& cell : row.cells)
        if (!cell.text.empty()) {
          if (says(cell.text)) return true;
          break;
        }
  }
  return false;
}

/// What is bought or rented by the year is started once.
bool is_of_a_year(const ClaimRecord& record) {
  const ClaimFact* time = record.find(ClaimRole::kTime);
  return time != nullptr && to_lower(time->name).contains("year");
}

/// Tables without a word beside them: lists of prices, or figures taken out of a plan, which say the rest elsewhere.
bool is_bare_list(const ClaimDocument& document) {
  return std::ranges::all_of(document.lines, [](const ClaimLine& line) { return trim(line.said.text).empty(); }) &&
         std::ranges::all_of(document.sections, [](const ClaimSection& section) { return section.title.text.empty(); });
}

}  // namespace

void check_missing(Bench& bench) {
  // A plan has options or phases with money and time; a page of facts needs neither set-up nor buffer.
  const ClaimRecord* first = nullptr;
  int plans = 0;
  for (const ClaimRecord& record : bench.records)
    if (record.find(ClaimRole::kCost) != nullptr && !is_of_a_year(record) &&
        (record.find(ClaimRole::kTime) != nullptr || record.find(ClaimRole::kTotalTime) != nullptr)) {
      if (first == nullptr || record.line < first->line) first = &record;
      ++plans;
    }
  if (plans < 2) return;
  if (is_bill(bench.document) || is_bare_list(bench.document)) return;
  bool setup = false, buffer = false;
  const auto look = [&](std::string_view text) {
    // "set-up" is setup, "re-runs" are reruns.
    std::string lower = to_lower(text);
    std::erase(lower, '-');
    for (const std::string_view word : kSetup) setup = setup || lower.find(word) != std::string::npos;
    // Ranges say how much longer it may take.
    buffer = buffer || says_percentiles(lower);
    for (const std::string_view word : kBuffer) buffer = buffer || lower.find(word) != std::string::npos;
  };
  for (const ClaimSection& section : bench.document.sections) look(section.title.text);
  for (const ClaimLine& line : bench.document.lines) look(line.said.text);
  for (const ClaimTable& table : bench.document.tables) {
    for (const ClaimText& head : table.heads) look(head.text);
    for (const ClaimRow& row : table.rows)
      for (const ClaimText& cell : row.cells) look(cell.text);
  }
  if (!setup)
    bench.find(FindingKind::kMissing, first->line, "", "hours and cost", "",
               "nothing is said of setup: starting machines, downloads, loading of models, which are billed too");
  if (!buffer)
    bench.find(FindingKind::kMissing, first->line, "", "hours and cost", "",
               "nothing is said of a buffer for runs that fail or take longer");
}

}  // namespace gpuplan::audit
