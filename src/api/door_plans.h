// Answers to the questions that pages ask, as JSON: the plan, and the report that tells of it.
#pragma once

#include "api/door_runs.h"

namespace gpuplan::api {

Result<Reply> reply_plan(const DoorQuestion& asked, const Catalogue& catalogue);
Result<Reply> reply_report(const DoorQuestion& asked, const Catalogue& catalogue);

}  // namespace gpuplan::api
