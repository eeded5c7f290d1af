// A hand-made plan or quote: what its own numbers, the facts known and, where one is given, a job's model say of it.
#pragma once

#include <optional>

#include "api/questions/question.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/audit/finding.h"
#include "input/claims/claims_file.h"
#include "output/audit/audit_report.h"

namespace gpuplan::api {

struct AuditAnswer {
  Audit audit;
  std::string file;   ///< as messages call it
  std::string job{};  ///< the same of the job; empty: none

  AuditReport report() const { return {audit, file, job}; }
};

/// Reads and judges `plan`. `job` may be null. Fails for text that can not be read, and for a wrong job.
Result<AuditAnswer> audit(const NamedText& plan, ClaimsForm form, const Request* job, const Catalogue& catalogue);

}  // namespace gpuplan::api
