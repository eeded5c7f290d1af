// Any bytes as a job file, with a log behind a line "===": the log held against the plan of the job, in every form.
// seeds: examples/*.yaml fuzz/seeds/*.job.yaml fuzz/seeds/*.check.yaml
#include "laws/questions.h"
#include "planned.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Parts parts = parts_of(data, size);
  if (too_large(parts.job) || parts.rest.size() > 16384) return -1;
  must_hold(gpuplan::laws::wrong_check(parts.job, kSmallMarket, parts.rest));
  return 0;
}
