// Hand-made plans and quotes as files: Markdown, CSV, and YAML with a list of claims.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/names.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

enum class ClaimsForm { kMarkdown, kCsv, kYaml };
template <>
struct Names<ClaimsForm> {
  static constexpr std::array entries = {
      Named<ClaimsForm>{ClaimsForm::kMarkdown, "markdown"},
      Named<ClaimsForm>{ClaimsForm::kCsv, "csv"},
      Named<ClaimsForm>{ClaimsForm::kYaml, "yaml"},
  };
};

/// By the end of the name (.csv, .tsv; .yaml, .yml); everything else is Markdown.
ClaimsForm claims_form(std::string_view file);

inline constexpr std::size_t kMaxClaimsBytes = std::size_t{32} << 20U;

/// Reads UTF-8 or UTF-16 text with any line ends and an optional byte order mark. Errors: binary data; YAML that is
/// none, or without a list `claims`. In Markdown and CSV a part that can not be read is listed in `unread`. `file` is
/// what messages call the text; control characters become '?'.
Result<ClaimDocument> read_claims(std::string_view bytes, ClaimsForm form, const std::string& file,
                                  const Catalogue& catalogue);

}  // namespace gpuplan
