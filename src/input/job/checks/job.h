// Limits and rules of a job that contradict each other or what its phases say.
#pragma once

#include "domain/work/job.h"
#include "input/declaration/reader.h"
#include "input/text/tree.h"

namespace gpuplan {

/// False, with an error in the reader, for a job that nothing could ever fulfil: the message says which two things
/// contradict and what to do. REQUIRES: names in `needs` and `on` are phases, without circles.
bool check_job(Reader& reader, const Tree& tree, const Job& job);

}  // namespace gpuplan
