// Answers to the questions that pages ask, as JSON: the plan, and the report that tells of it.
#pragma once

#include <vector>

#include "api/door_runs.h"
#include "output/views/plan_views.h"

namespace gpuplan::api {

/// `views`: those that the question names (`show`).
Result<Reply> reply_plan(const DoorQuestion& asked, const Catalogue& catalogue,
                         const std::vector<const PlanView*>& views = {});
Result<Reply> reply_report(const DoorQuestion& asked, const Catalogue& catalogue);

}  // namespace gpuplan::api
