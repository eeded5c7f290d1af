// Plans of any bytes in each form: a document whose findings and unread parts are lines that a terminal shows as they
// are, or one clear line.
// seeds: fuzz/seeds/claims* docs/seeds.md data/offers.csv
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/questions/facts.h"
#include "evidence/audit/audit.h"
#include "input/claims/claims_file.h"
#include "one_line.h"

namespace {

void check(bool holds) {
  if (!holds) __builtin_trap();
}

bool shows(const std::string& text) { return gpuplan::printable(text, 100'000) == text; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuplan::Catalogue catalogue = *gpuplan::api::read_facts();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto form : {gpuplan::ClaimsForm::kMarkdown, gpuplan::ClaimsForm::kCsv, gpuplan::ClaimsForm::kYaml}) {
    const auto document = gpuplan::read_claims(bytes, form, "plan", catalogue);
    if (!document) {
      check_error(document.error());
      continue;
    }
    for (const gpuplan::ClaimLine& line : document->lines)
      for (const gpuplan::ClaimAmount& amount : line.said.quantities) {
        check(amount.from < amount.to && amount.to <= line.said.text.size());
        check(amount.low <= amount.high && amount.low_step > 0 && amount.high_step > 0);
        check(amount.id >= 0 && amount.id < document->quantities);
      }
    for (const gpuplan::ClaimTable& table : document->tables)
      for (const gpuplan::ClaimRow& row : table.rows) check(row.cells.size() == table.heads.size());
    const gpuplan::Audit audit = gpuplan::audit_claims(*document, catalogue);
    check(audit.checked >= 0 && audit.checked <= audit.claims);
    for (const gpuplan::Finding& finding : audit.findings) {
      check(finding.line >= 1);
      for (const std::string* text : {&finding.about, &finding.said, &finding.right, &finding.how}) check(shows(*text));
    }
  }
  return 0;
}
