// `gpuplan plan --json`: the document other programs read ("gpuplan/plan@1").
#pragma once

#include <string>
#include <vector>

#include "output/words/plan_report.h"
#include "plan/capacity/fit.h"

namespace gpuplan {

struct PlanView;

struct PlanJsonLook {
  bool all = false;      ///< every plan; else the frontier and the 50 nearest
  bool explain = false;  ///< terms of the pick (with `all`: of every frontier plan)
  double elapsed_ms = 0;
  std::vector<const PlanView*> views{};  ///< further tables, in the member `tables`; none: no such member
  const Plan* launched = nullptr;        ///< only this plan is written, and the member `launched` names it
  std::string job_file{};                ///< as the user named it
  std::string job_text{};  ///< the job with its settings, so that a kept plan stands alone; empty: not said
};

/// The plans that other programs get: the frontier, what is recommended and the 50 nearest, or all of them.
std::vector<const Plan*> plans_told(const PlanReport& report, bool all);

/// The same plans as CSV, one row each: the amounts of the JSON with their units in the heads. Only heads when nothing
/// fits.
std::string plan_csv(const PlanReport& report, bool all);

/// Written for jobs that nothing fits, too: then `plans` is empty and `nothing_fits` says why.
std::string plan_json(const PlanReport& report, const PlanJsonLook& look, const std::vector<Remedy>& remedies = {});

}  // namespace gpuplan
