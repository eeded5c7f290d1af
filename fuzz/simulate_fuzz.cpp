// Any bytes as a job file: its pick on spot machines, every policy, in every form.
// seeds: examples/*.yaml fuzz/seeds/*.job.yaml
#include "laws/questions.h"
#include "planned.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Parts parts = parts_of(data, size);
  if (too_large(parts.job)) return -1;
  must_hold(gpuplan::laws::wrong_simulation(parts.job, kSmallMarket));
  return 0;
}
