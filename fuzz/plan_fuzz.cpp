// Any bytes as a job file, with a price list behind a line "===": read, planned, shown as table, JSON, CSV and Markdown
// with every further table and explanation, and written for every launcher. What tests/laws holds of random jobs holds
// here: no figure below zero or out of order, parts that add up, ids that are unique, errors of one line.
// seeds: examples/*.yaml fuzz/seeds/*.job.yaml
#include "laws/questions.h"
#include "planned.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Parts parts = parts_of(data, size);
  if (too_large(parts.job) || parts.rest.size() > 2000) return -1;
  must_hold(gpuplan::laws::wrong_answer(parts.job, parts.rest.empty() ? kSmallMarket : parts.rest));
  return 0;
}
