#include "input/job/checks/framework.h"

#include <string>

#include "base/text.h"
#include "domain/facts/limits.h"
#include "input/job/checks/fail_at.h"
#include "plan/strategy/practice.h"

namespace gpuplan {
bool check_framework(Reader& reader, const Tree& tree, const TrainPhase& phase) {
  const Framework* framework = phase.framework.empty() ? nullptr : reader.catalogue.find_framework(phase.framework);
  if (framework == nullptr) return true;
  const auto fail_here = [&](std::string_view key, const std::string& message) {
    // The job may say it in other words ("parallel: zero1"), or for all phases.
    return fail_at(reader, tree, tree.find(key.substr(0, key.find('.'))) != nullptr ? key : "framework", message);
  };
  if (!framework->trains)
    return fail_here("framework", framework->name + " does not train; expected a training framework");
  const auto work = training_work(phase);
  const StartFrom start = work ? start_from(reader.catalogue.practice_constants, *work) : StartFrom::kWeights;
  // As far as it holds on every GPU.
  const Strategy asked = asked_strategy(phase, "", 0);
  const auto found = obstacle(*framework, phase, start, asked);
  // Where the phase does not say how much work there is, which is told elsewhere, nobody knows what it starts from.
  if (!found || (!work && !found->instead.empty())) return true;
  if (!found->instead.empty()) return fail_here(found->key, found->what + "; write " + found->instead);
  const std::string names = who_trains(reader.catalogue, phase, start, asked);
  return fail_here(found->key,
                   found->what + (names.empty() ? "; no framework that gpuplan knows does all that this phase asks for"
                                                : "; framework: " + names + " does, or leave the framework out"));
}

}  // namespace gpuplan
