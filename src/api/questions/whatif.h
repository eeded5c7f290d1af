// "What if": a job and changes of it side by side, and which of its inputs move the answer most.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/questions/question.h"
#include "api/questions/whatif_cases.h"
#include "output/questions/sensitivity_report.h"
#include "output/questions/whatif_report.h"

namespace gpuplan::api {

/// Owns all that its report shows.
template <class Report>
class WhatIfAnswer {
 public:
  struct Parts;
  explicit WhatIfAnswer(std::unique_ptr<Parts> parts);
  WhatIfAnswer(const WhatIfAnswer&) = delete;
  WhatIfAnswer& operator=(const WhatIfAnswer&) = delete;
  WhatIfAnswer(WhatIfAnswer&&) noexcept;
  WhatIfAnswer& operator=(WhatIfAnswer&&) noexcept;
  ~WhatIfAnswer();

  const Report& report() const;
  /// The job as it stands.
  const Searched& base() const;
  /// The document "gpuplan/whatif@1".
  std::string json() const;

 private:
  std::unique_ptr<Parts> parts_;
};

using CasesAnswer = WhatIfAnswer<WhatIfReport>;
using SensitivityAnswer = WhatIfAnswer<SensitivityReport>;

/// The cases of the request, which has no settings of its own. `command` is what was typed, for hints. `catalogue` must
/// outlive the answer. Fails for wrong input of any case.
Result<CasesAnswer> ask_whatif(const Request& request, const std::vector<AskedCase>& cases, const Catalogue& catalogue,
                               const std::string& command);

/// Moves every amount of the question, what has no range of its own by the share `by` down and up.
Result<SensitivityAnswer> ask_sensitivity(const Request& request, double by, const Catalogue& catalogue);

}  // namespace gpuplan::api
