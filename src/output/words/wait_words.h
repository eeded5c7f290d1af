// The time that a plan waits in a queue, told the same way wherever its hours are.
#pragma once

#include <string>

#include "output/words/plan_words.h"

namespace gpuplan {

/// ", after 2.2 h in the queue: done in 2.9 h"; "" where it waits in none.
inline std::string wait_words(const Plan& plan) {
  if (plan.wait.p50 <= Seconds{}) return "";
  return ", after " + hours_words(plan.wait.p50) + " in the queue: done in " + hours_words(plan.done());
}

}  // namespace gpuplan
