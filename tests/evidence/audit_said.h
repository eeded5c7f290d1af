// What audit says of a text, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "api/questions/facts.h"
#include "evidence/audit/audit.h"
#include "input/claims/claims_file.h"

namespace gpuplan {

/// All but what is missing: "$950 -> $900.00; "; empty: nothing.
inline std::string said_of(const std::string& text, ClaimsForm form = ClaimsForm::kMarkdown) {
  static const Catalogue catalogue = *api::read_facts();
  const auto document = read_claims(text, form, "plan", catalogue);
  EXPECT_TRUE(document) << text;
  std::string said;
  if (document)
    for (const Finding& finding : audit_claims(*document, catalogue).findings)
      if (finding.kind != FindingKind::kMissing) said += finding.said + " -> " + finding.right + "; ";
  return said;
}

}  // namespace gpuplan
