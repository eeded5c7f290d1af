#include "plan/strategy/two_passes.h"

#include <utility>

#include "plan/strategy/phase_search.h"

namespace gpuplan {
namespace {

std::optional<PhaseEstimate> estimate_of(const Job& job, Phase phase, const PhaseEstimate& chosen,
                                         const Catalogue& catalogue) {
  phase.given.clear();
  auto work = generation_work(std::get<GeneratePhase>(phase.work));
  if (!work) return std::nullopt;
  PhaseWorkload workload;
  workload.phase = &phase;
  workload.index = chosen.phase;
  workload.generation = *std::move(work);
  workload.defaults = defaults_of(job, phase);
  const Machines machines{*chosen.node, chosen.nodes, chosen.gpus, true};
  Tally tally;
  return best_generation(workload, catalogue, machines, true, tally);
}

/// The phase's engine generates and keeps nothing; hooks are what ties it to a slow one.
Phase generating(Phase phase) {
  auto& generate = std::get<GeneratePhase>(phase.work);
  generate.collect = false;
  generate.store.reset();
  generate.engine.clear();
  generate.target = {};
  generate.situation = Situation::kSaturated;
  generate.concurrency.reset();
  generate.batch = {};
  return phase;
}

Length joined(const Length& prompt, const Length& answer) {
  const auto most = [](const Length& length) { return length.max > length.mean ? length.max : length.mean; };
  return {prompt.mean + answer.mean, most(prompt) + most(answer)};
}

Phase reading(Phase phase) {
  auto& generate = std::get<GeneratePhase>(phase.work);
  generate.forward_only = true;
  generate.target = {};
  generate.speculation.reset();
  generate.situation = Situation::kSaturated;
  generate.concurrency.reset();
  generate.batch = {};
  for (Prompts& part : generate.data) {
    part.prompt_tokens = joined(part.prompt_tokens, part.new_tokens);
    part.new_tokens = {};
  }
  return phase;
}

Seconds median(const PhaseEstimate& estimate) { return estimate.work.p50 + estimate.extra.p50; }

}  // namespace

std::optional<TwoPasses> two_passes(const Job& job, const PhaseEstimate& chosen, const Catalogue& catalogue) {
  const Phase& phase = job.phases[static_cast<std::size_t>(chosen.phase)];
  const auto* generate = std::get_if<GeneratePhase>(&phase.work);
  if (generate == nullptr || !generate->store || generate->forward_only || !chosen.node ||
      chosen.work_by_model <= Seconds{})
    return std::nullopt;
  auto first = estimate_of(job, generating(phase), chosen, catalogue);
  auto second = estimate_of(job, reading(phase), chosen, catalogue);
  if (!first || !second) return std::nullopt;
  TwoPasses result;
  result.together = median(*first) + median(*second);
  result.one = chosen.work_by_model * (1 + chosen.overhead_share) + chosen.extra.p50;
  result.generate = *std::move(first);
  result.read = *std::move(second);
  return result;
}

}  // namespace gpuplan
