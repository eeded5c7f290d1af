// `gpuplan audit`: what is wrong with a plan, line by line.
#pragma once

#include <string>

#include "evidence/audit/finding.h"
#include "output/text/style.h"

namespace gpuplan {

/// Refers to the audit, which must outlive it.
struct AuditReport {
  const Audit& audit;
  std::string file;   ///< as messages call it
  std::string job{};  ///< that it was held against; empty: none
};

/// Findings, then what was read. With `details` how each was computed, and every part that could not be read.
std::string audit_text(const AuditReport& report, const Screen& screen, bool details);
/// A line for each finding.
std::string audit_csv(const AuditReport& report);
/// "gpuplan/audit@1".
std::string audit_json(const AuditReport& report);

}  // namespace gpuplan
