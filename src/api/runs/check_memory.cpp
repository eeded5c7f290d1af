#include "api/runs/check_memory.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"

namespace gpuplan::api {
namespace {

/// Of the same program, degrees of parallelism and sharding, as far as they are known.
bool is_alike(const PhaseEstimate& estimate, const Expectation& expected) {
  const bool program =
      expected.framework.empty() || (estimate.framework != nullptr && estimate.framework->name == expected.framework);
  if (!expected.layout) return program;
  const Strategy &a = estimate.strategy, &b = *expected.layout;
  return program && a.dp == b.dp && a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.sharding == b.sharding;
}

/// What keeps the search to those; `address`: of the phase's training, with the dot behind it.
std::vector<std::string> layout_settings(const Expectation& expected, const std::string& address) {
  std::vector<std::string> settings;
  if (!expected.framework.empty()) settings.push_back(address + "framework=" + expected.framework);
  if (!expected.layout) return settings;
  const Strategy& layout = *expected.layout;
  const std::string parallel = address + "parallel.";
  for (const auto& [name, degree] :
       {std::pair("dp=", layout.dp), {"tp=", layout.tp}, {"pp=", layout.pp}, {"cp=", layout.cp}})
    settings.push_back(parallel + name + std::to_string(degree));
  settings.push_back(parallel + "sharding=" + std::string(name_of(layout.sharding)));
  return settings;
}

}  // namespace

std::vector<MemoryTrial> memory_trials(const Question& question, const std::vector<std::string>& asked,
                                       const CheckedRun& run, const Catalogue& catalogue) {
  std::vector<MemoryTrial> trials;
  const auto* train = std::get_if<TrainPhase>(&run.phase.work);
  if (train == nullptr || run.expected.micro_batch < 1) return trials;
  const std::string address = "phases." + run.phase.name + ".train.";
  const std::vector<std::string> layout = layout_settings(run.expected, address);
  const auto attempt = [&](const std::string& change, const std::string& setting) {
    std::vector<std::string> settings = asked;
    settings.push_back(setting);
    settings.insert(settings.end(), layout.begin(), layout.end());
    auto changed = changed_job(question, settings, catalogue);
    if (!changed) return;
    const auto searched = search_job(std::move(changed->job), question.known, catalogue, question.terms);
    if (!searched) return;
    const PhasePlan* best = nullptr;
    for (const Plan& plan : searched->found.plans)
      for (const PhasePlan& part : plan.phases) {
        const PhaseEstimate& estimate = part.estimate;
        if (searched->job.phases[static_cast<std::size_t>(estimate.phase)].name != run.phase.name) continue;
        if (!estimate.node || estimate.node->gpu == nullptr || estimate.node->gpu->name != run.expected.gpu) continue;
        if (estimate.gpus != run.expected.gpus || estimate.nodes != run.expected.nodes) continue;
        if (!is_alike(estimate, run.expected)) continue;
        if (best == nullptr || part.hours.p50 < best->hours.p50) best = &part;
      }
    if (best == nullptr) {
      trials.push_back({.change = change, .setting = setting, .found = false});
      return;
    }
    if ((run.expected.memory && best->estimate->memory_total.p50 >= run.expected.memory->p50)) return;
    trials.push_back(
        {change, setting, best->estimate->memory_total.p50, best->hours.p50, best->estimate->fit == Fit::kFits});
  };
  const double micro = run.expected.micro_batch;
  if (micro >= 2)
    attempt("micro-batch " + count_text(std::floor(micro / 2)) + " instead of " + count_text(micro),
            address + "micro=" + number_text(std::floor(micro / 2)));
  attempt("recomputing all activations", address + "recompute=full");
  return trials;
}

}  // namespace gpuplan::api
