// `gpuplan whatif`: a job and changes of it side by side.
#pragma once

#include <string>
#include <vector>

#include "output/text/style.h"
#include "output/words/plan_report.h"
#include "plan/advice/whatif.h"

namespace gpuplan {

class JsonWriter;

/// One value that a case changes.
struct WhatIfChange {
  std::string typed;    ///< "samples=x2"
  std::string address;  ///< in full
  std::string before;   ///< empty: not stated
  std::string after;    ///< empty: taken away
};

/// The job as it stands, or with changes, and what was found for it. Refers to its search, which must outlive it.
struct WhatIfCase {
  std::string title;                  ///< "as it stands", "all together"; empty: only what follows
  std::vector<std::string> settings;  ///< as typed: "samples=x2", "limits.deadline=12 h"
  std::vector<WhatIfChange> changes;
  const PlanReport* plan_report = nullptr;
  const Plan* stays = nullptr;  ///< the plan that keeps the machines of the first case's pick
  std::string stays_not;        ///< why there is none; empty also when the first case has no pick
};

struct WhatIfReport {
  std::vector<WhatIfCase> cases;  ///< the job as it stands first
  std::string command;            ///< what the user typed, for hints
};

std::string whatif_text(const WhatIfReport& report, const Screen& screen, bool details = false);

/// A line for each case: its pick, and hours and cost on the machines of the first case's pick.
std::string whatif_csv(const WhatIfReport& report);

/// The members "base" and "scenarios", inside an object.
void write_whatif(JsonWriter& json, const WhatIfReport& report);

}  // namespace gpuplan
