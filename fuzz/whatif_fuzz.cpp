// Any bytes as a job file, with a setting behind a line "===": whatif and its sensitivity, in every form.
// seeds: examples/*.yaml fuzz/seeds/*.job.yaml
#include "laws/questions.h"
#include "planned.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Parts parts = parts_of(data, size);
  if (too_large(parts.job)) return -1;
  const std::string setting = parts.rest.substr(0, parts.rest.find('\n'));
  must_hold(gpuplan::laws::wrong_whatif(parts.job, kSmallMarket, setting.empty() ? "buffer=20%" : setting));
  return 0;
}
