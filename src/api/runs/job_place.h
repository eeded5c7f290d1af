// Where in the job file something stands that only a later step found wrong.
#pragma once

#include "base/result.h"
#include "input/job/job_reader.h"

namespace gpuplan::api {

/// An error without a place whose message begins with an address ("phases.train: ..."), with the line where the job
/// states it, or what is around it. In a list, the line of the value that the message quotes.
Error placed(Error error, const JobSource& source);

}  // namespace gpuplan::api
