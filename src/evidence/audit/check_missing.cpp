#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "evidence/audit/checks.h"

namespace gpuplan::audit {
namespace {

constexpr std::array<std::string_view, 11> kSetup = {"setup",    "set up",      "startup",     "overhead",
                                                     "download", "provision",   "install",     "loading",
                                                     "warmup",   "einrichtung", "vorbereitung"};
constexpr std::array<std::string_view, 12> kBuffer = {"buffer", "contingency", "margin",   "reserve",
                                                      "safety", "debugging",   "headroom", "slack",
                                                      "puffer", "risk",        "retries",  "rerun"};

}  // namespace

void check_missing(Bench& bench) {
  // A plan has options or phases with money and time; a page of facts needs neither set-up nor buffer.
  const ClaimRecord* first = nullptr;
  int plans = 0;
  for (const ClaimRecord& record : bench.records)
    if (record.find(ClaimRole::kCost) != nullptr &&
        (record.find(ClaimRole::kTime) != nullptr || record.find(ClaimRole::kTotalTime) != nullptr)) {
      if (first == nullptr || record.line < first->line) first = &record;
      ++plans;
    }
  if (plans < 2) return;
  bool setup = false, buffer = false;
  const auto look = [&](std::string_view text) {
    // "set-up" is setup, "re-runs" are reruns.
    std::string lower = to_lower(text);
    std::erase(lower, '-');
    for (const std::string_view word : kSetup) setup = setup || lower.find(word) != std::string::npos;
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
