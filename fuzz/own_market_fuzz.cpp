// As plan_fuzz, on the market that the job itself brings: offers, pools, boxes and their rules.
// seeds: examples/*.yaml fuzz/seeds/*.job.yaml
#include "laws/questions.h"
#include "planned.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Parts parts = parts_of(data, size);
  if (too_large(parts.job)) return -1;
  const auto source = gpuplan::parse_job(parts.job, "job.yaml");
  const gpuplan::Tree* market = source ? source->tree.find("market") : nullptr;
  const gpuplan::Tree* use = market != nullptr ? market->find("use") : nullptr;
  if (use == nullptr || use->text != "only") return -1;  // the snapshot is too large to plan on
  must_hold(gpuplan::laws::wrong_answer(parts.job, ""));
  return 0;
}
