#include "plan/notes/known_problems.h"

#include <algorithm>
#include <tuple>

#include "base/sorting.h"
#include "domain/facts/limits.h"
#include "domain/facts/published_weights.h"
#include "plan/capacity/largest_batch.h"

namespace gpuplan {
namespace {

/// From here on the logits of a whole prompt are worth a thought.
constexpr double kLongPrompt = 8192;

bool is_4_bit(Format format) {
  return format == Format::kInt4 || format == Format::kNf4 || format == Format::kMxfp4 || format == Format::kNvfp4;
}

/// Whether any network of a phase is so.
template <class Is>
bool any_model(const Phase& phase, Is is) {
  const std::vector<ModelUse>* models = models_of(phase);
  return models != nullptr && std::ranges::any_of(*models, is);
}

/// GPUs that wait for each other: all that train together; in generation those that share a model.
bool exchanges(const Phase& phase, const PhaseEstimate& estimate) {
  const Strategy& strategy = estimate.strategy;
  if (std::holds_alternative<TrainPhase>(phase.work)) return estimate.gpus > 1;
  return strategy.tp > 1 || strategy.pp > 1 || strategy.ep > 1;
}

/// Weights with rotary positions for fewer tokens than the sequences have.
bool beyond_context(const Phase& phase, const PhaseEstimate& estimate) {
  if (!std::holds_alternative<TrainPhase>(phase.work) || estimate.start == StartFrom::kScratch) return false;
  return any_model(phase, [&](const ModelUse& model) {
    const bool text = !model.custom && !model.drawn && model.shape.max_context > 0 && model.shape.image == 0;
    return text && model.shape.positions == 0 && estimate.sequence > model.shape.max_context;
  });
}

bool is_8bit(Optimizer optimizer) {
  return optimizer == Optimizer::kAdam8bit || optimizer == Optimizer::kPagedAdamW8bit;
}

bool trains_with(const TrainPhase* train, const Strategy& strategy, ProblemFeature feature) {
  if (train == nullptr) return false;
  switch (feature) {
    case ProblemFeature::kFp16:
      return strategy.precision == Precision::kFp16;
    case ProblemFeature::kFp8:
      return strategy.precision == Precision::kFp8;
    case ProblemFeature::kMxfp8:
      return strategy.precision == Precision::kMxfp8;
    case ProblemFeature::kLora:
      return trains_adapters(*train);
    case ProblemFeature::kQlora:
      return train->method == Method::kQlora;
    case ProblemFeature::kAdam8bit:
      return is_8bit(train->optimizer.matrices) || is_8bit(train->optimizer.rest);
    case ProblemFeature::kFrozenBase:
      return train->method != Method::kFull;
    case ProblemFeature::kFullRecompute:
      return strategy.recompute == Recompute::kFull;
    case ProblemFeature::kZero3:
      return shards_weights(strategy.sharding);
    case ProblemFeature::kOffload:
      return strategy.offload != Offload::kNone;
    case ProblemFeature::kLengthsVary:
      return train->data.tokens_per_sample && !train->data.packing &&
             train->data.tokens_per_sample->max > train->data.tokens_per_sample->mean;
    default:
      return false;
  }
}

bool generates_with(const GeneratePhase* generate, const Strategy& strategy, ProblemFeature feature) {
  if (generate == nullptr) return false;
  switch (feature) {
    case ProblemFeature::kWeights4Bit:
      return is_4_bit(strategy.weights);
    case ProblemFeature::kWeightsMxfp4:
      return strategy.weights == Format::kMxfp4;
    case ProblemFeature::kWeightsFp8:
      return strategy.weights == Format::kFp8;
    case ProblemFeature::kLongPrompts:
      return std::ranges::any_of(generate->data,
                                 [](const Prompts& prompts) { return prompts.prompt_tokens.max >= kLongPrompt; });
    case ProblemFeature::kHooks:
      return generate->store.has_value();
    default:
      return false;
  }
}

bool has(const Phase& phase, const PhaseEstimate& estimate, ProblemFeature feature) {
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  const auto* generate = std::get_if<GeneratePhase>(&phase.work);
  const Strategy& strategy = estimate.strategy;
  switch (feature) {
    case ProblemFeature::kCompile:
      return train != nullptr ? strategy.compile
                              : estimate.framework != nullptr && estimate.framework->compile && !generate->store;
    case ProblemFeature::kCudaGraphs:
      // Training frameworks that can use graphs leave them off unless told.
      return generate != nullptr && estimate.framework != nullptr && estimate.framework->cuda_graphs &&
             !generate->store;
    case ProblemFeature::kFlash:
      return strategy.attention != AttentionKernel::kEager;
    case ProblemFeature::kTraffic:
      return exchanges(phase, estimate);
    case ProblemFeature::kNoPeerAccess:
      return estimate.node->gpus > 1 && !estimate.node->peer_access && exchanges(phase, estimate);
    case ProblemFeature::kSeveralMachines:
      return estimate.nodes > 1;
    case ProblemFeature::kLayersInTurn:
      return generate != nullptr && strategy.pp > 1;
    case ProblemFeature::kWeightsMadeFp8:
      return generates_with(generate, strategy, ProblemFeature::kWeightsFp8) && estimate.framework != nullptr &&
             made_while_loading(Format::kFp8, estimate.framework->name) && any_model(phase, [](const ModelUse& model) {
               return !model.custom && bits_of(model.shape.native) > bits_of(Format::kFp8);
             });
    case ProblemFeature::kExperts:
      return any_model(phase, [](const ModelUse& model) { return !model.custom && model.shape.moe(); });
    case ProblemFeature::kBeyondContext:
      return beyond_context(phase, estimate);
    case ProblemFeature::kAdam8bit:
      return estimate.lighter || trains_with(train, strategy, feature);
    default:
      return trains_with(train, strategy, feature) || generates_with(generate, strategy, feature);
  }
}

bool names(const std::vector<std::string>& list, std::string_view name) {
  return list.empty() || std::ranges::find(list, name) != list.end();
}

}  // namespace

bool touches(const KnownProblem& problem, const Phase& phase, const PhaseEstimate& estimate) {
  const bool train = std::holds_alternative<TrainPhase>(phase.work);
  if (!computes(phase) || !estimate.node || estimate.node->gpu == nullptr) return false;
  if (problem.kind && (*problem.kind == KnownProblem::Kind::kTrain) != train) return false;
  const Gpu& gpu = *estimate.node->gpu;
  if (!problem.frameworks.empty() &&
      (estimate.framework == nullptr || !names(problem.frameworks, estimate.framework->name)))
    return false;
  if (!names(problem.hardware, gpu.name) && !names(problem.hardware, gpu.architecture)) return false;
  const bool by_capability = problem.capability_from > 0 || problem.capability_below > 0;
  if (by_capability && gpu.compute_capability == 0) return false;  // no CUDA hardware
  if (gpu.compute_capability < problem.capability_from) return false;
  if (problem.capability_below > 0 && gpu.compute_capability >= problem.capability_below) return false;
  if (estimate.gpus < problem.gpus_from) return false;
  return std::ranges::all_of(problem.features, [&](ProblemFeature feature) { return has(phase, estimate, feature); });
}

std::vector<TouchedPhases> known_problems(const Plan& plan, const Job& job, const Catalogue& catalogue) {
  std::vector<TouchedPhases> found;
  for (const KnownProblem& problem : catalogue.problems) {
    TouchedPhases touched{&problem, {}};
    for (const PhasePlan& part : plan.phases) {
      const int phase = part.estimate->phase;
      if (touches(problem, job.phases[static_cast<std::size_t>(phase)], part.estimate)) touched.phases.push_back(phase);
    }
    if (!touched.phases.empty()) found.push_back(std::move(touched));
  }
  // Current software has what is fixed behind it.
  const auto rank = [](const TouchedPhases& touched) {
    const KnownProblem& problem = *touched.problem;
    return std::tuple(!problem.fixed_in.empty(), problem.effect, -static_cast<int>(problem.confidence));
  };
  sort_stably(found, {}, rank);
  return found;
}

}  // namespace gpuplan
