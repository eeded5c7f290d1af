// Kept plans of any bytes: a plan or an error of one line, never a crash; every plan in it is found by its id.
// seeds: fuzz/seeds/kept.plan.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "input/question/plan_file.h"
#include "one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuplan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto kept = read_plan_file(text, "plan.json");
  if (!kept) {
    check_error(kept.error());
    return 0;
  }
  for (const KeptPlan& plan : kept->plans) {
    const auto found = plan_named(*kept, plan.id);
    if (!found && !plan.id.empty()) std::abort();
    for (const Expectation& phase : plan.phases)
      if (expectation_of(plan, phase.phase) == nullptr || phase.nodes < 0 || phase.gpus < 0) std::abort();
  }
  if (const auto none = plan_named(*kept, "no such id"); !none) check_error(none.error());
  if (const auto other = made_for(*kept, "another job"); !other) check_error(other.error());
  return 0;
}
