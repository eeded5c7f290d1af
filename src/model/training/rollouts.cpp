#include "model/training/rollouts.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "domain/facts/limits.h"
#include "model/generation/cuts.h"
#include "model/generation/step.h"

namespace gpuplan {

namespace {

/// Tokens of prompts that TRL lets the engine read in one pass (trl/generation/vllm_generation.py, colocate).
constexpr double kChunkTokens = 4096;
/// Answers that are asked for at once are those of a strategy, not of the work: more than any.
constexpr double kAnswers = 1e6;
/// Shares of memory are told the engine in steps of this size.
constexpr double kShareSteps = 20;

/// One replica of the engine over `tp` of the GPUs that train, with the answers of all of them.
Strategy replica_of(const Strategy& strategy, int tp) {
  Strategy replica;
  replica.tp = tp;
  replica.dp = std::max(1, strategy.dp / tp);
  const double answers = static_cast<double>(strategy.micro_batch) * strategy.grad_accum * tp;
  replica.micro_batch = static_cast<int>(std::min(answers, kAnswers));
  return replica;
}

/// Memory on a GPU beside the cache: weights, and the work of a pass. Context and driver are those of the process,
/// which training counts.
MemoryUse beside_cache(const GenerationWork& work, const GenerationRates& rates, const Strategy& replica) {
  MemoryUse use = generation_memory(work, rates, replica);
  use.kv_cache = use.driver = Bytes{};
  return use;
}

/// The least share of a GPU's memory, in steps, that holds so much.
double share_for(Bytes need, const Gpu& gpu) { return std::ceil(need / gpu.memory * kShareSteps - 1e-9) / kShareSteps; }

}  // namespace

Result<std::shared_ptr<const RolloutWork>> rollout_work(const TrainPhase& phase) {
  auto work = std::make_shared<RolloutWork>();
  work->phase.models = {phase.models.front()};
  work->phase.data = {{.name = {},
                       .samples = kAnswers,
                       .prompt_tokens = phase.rollouts->prompt_tokens,
                       .new_tokens = phase.rollouts->new_tokens}};
  work->phase.engine = kRolloutEngine;
  Result<GenerationWork> made = generation_work(work->phase);
  if (!made) return std::unexpected(std::move(made.error()));
  work->generation = *std::move(made);
  return work;
}

Format rollout_format(const ModelShape& shape) { return shape.native; }

std::shared_ptr<const GenerationRates> rollout_rates(const Catalogue& catalogue, const NodeShape& node,
                                                     const TrainingWork& work) {
  if (!work.rollouts) return nullptr;
  const Framework* engine = catalogue.find_framework(kRolloutEngine);
  if (engine == nullptr || !runs_on(*engine, *node.gpu)) return nullptr;
  const Format weights = rollout_format(work.phase->models.front().shape);
  // It refuses bf16 where the hardware has none, and TRL has no word to ask for another format.
  if (weights == Format::kBf16 && !(node.gpu->bf16.value > 0)) return nullptr;
  const Format cache = weights == Format::kFp16 || !(node.gpu->bf16.value > 0) ? Format::kFp16 : Format::kBf16;
  auto rates = generation_rates(catalogue, node, *engine, weights, cache);
  if (!rates) return nullptr;
  rates->chunk_tokens = kChunkTokens;
  return std::make_shared<const GenerationRates>(*rates);
}

RolloutUse rollout_use(const TrainingWork& work, const GenerationRates& rates, const Strategy& s) {
  const Rollouts& asked = *work.phase->rollouts;
  const GenerationWork& answers = work.rollouts->generation;
  const NetworkWork& network = answers.networks.front();
  const Gpu& gpu = *rates.node->gpu;

  // Cut over as few GPUs as leave it the share that was asked for; where none does, over those that need the least.
  RolloutUse use;
  GenerationCut cut;
  Bytes beside{};
  for (int tp = 1; tp <= std::min(s.dp, rates.node->gpus) && s.dp % tp == 0; tp *= 2) {
    if (tensor_problem(work.phase->models.front().shape, tp) != CutProblem::kNone) break;
    const Strategy replica = replica_of(s, tp);
    const MemoryUse other = beside_cache(answers, rates, replica);
    const GenerationCut this_cut = generation_cut(answers, rates, replica);
    // The answers to one prompt must have room at their longest, or they would be put out and begun again.
    const double group = std::min<double>(asked.generations, replica.micro_batch);
    const Bytes need = other.total() + cache_memory(network, rates, this_cut, answers.longest) * group;
    const double share = std::max(asked.memory_share, share_for(need, gpu));
    if (tp > 1 && share >= use.share) continue;
    use.share = share;
    use.tp = tp;
    use.weights = other.weights;
    beside = other.total();
    cut = this_cut;
  }
  use.held = gpu.memory * use.share;

  // All answers of a replica are asked for at once. Those that end leave room, and the longest decides when all are
  // done: `passes` of the model, with `busy` answers in each on average. Replicas wait for each other, so it is the
  // longest of the step.
  const double asked_for = static_cast<double>(s.micro_batch) * s.grad_accum;
  const double all = asked_for * use.tp, step_answers = asked_for * s.dp;
  const double in = answers.prompt_tokens, out = answers.new_tokens;
  const Bytes each = cache_memory(network, rates, cut, in + out / 2);
  const double room = std::floor((use.held - beside) / each);
  use.in_flight = std::clamp(room, 1.0, std::min(all, rates.most_in_flight));
  use.longest = longest_of(asked.new_tokens.mean, asked.new_tokens.max, step_answers);
  use.passes = all * out / use.in_flight + (use.longest - out);
  const double busy = std::max(1.0, all * out / use.passes);
  const double together = std::clamp(std::floor(rates.chunk_tokens / std::max(in, 1.0)), 1.0, all);
  use.prompts = prefill_time(network, rates, cut, together, in) * (all / together);
  use.answers = decode_step(network, rates, cut, busy, in + out / 2).total() * use.passes;
  return use;
}

void add_rollout_memory(const TrainingWork& work, const GenerationRates& rates, const Strategy& strategy,
                        MemoryUse& use) {
  const RolloutUse engine = rollout_use(work, rates, strategy);
  if (work.phase->rollouts->sleep) {
    // Asleep it has neither weights nor cache; awake it stands beside what is kept from step to step.
    MemoryUse awake = use;
    awake.gradients = awake.activations = awake.logits = awake.buffers = awake.fragmentation = Bytes{};
    if (awake.total() + engine.held <= use.total()) return;
    use = awake;
  }
  const Bytes weights = std::min(engine.weights, engine.held);
  use.weights += weights;
  use.kv_cache += engine.held - weights;
  use.frozen += engine.held;  // it takes what it is told, to the byte
}

Spread with_rollouts(Spread spread, const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy,
                     const TrainingEstimate& estimate) {
  if (!estimate.rollouts || !rates.rollouts) return spread;
  const Strategy replica = replica_of(strategy, estimate.rollouts->tp);
  const Spread engine = generation_spread(work.rollouts->generation, *rates.rollouts, replica);
  const double share = estimate.step.rollouts / estimate.step.total();
  const ErrorComponent& unmeasured = rates.errors->component(ErrorFigure::kTime, ErrorPart::kNetworks);
  const double wide = std::sqrt(engine.time * engine.time + unmeasured.deviation * unmeasured.deviation);
  spread.time = std::max(spread.time, (1 - share) * spread.time + share * wide);
  spread.regime = "answers given and learned from in turn, never measured";
  return spread;
}

double longest_of(double mean, double most, double n) {
  if (!(most > mean) || !(mean > 0)) return mean;
  const double sigma = math::log(most / mean) / 3.1;
  const double z = math::normal_quantile((n - 0.375) / (n + 0.25));
  return std::min(most, mean * math::exp(z * sigma));
}

void pad_answers(TrainingWork& work, double answers) {
  if (!work.rollouts) return;
  const Rollouts& asked = *work.phase->rollouts;
  double micro = 1;
  for (double& tokens : work.padded) {
    const double together = std::max(micro, answers);
    const double prompts = std::max(1.0, together / asked.generations);
    tokens = longest_of(asked.prompt_tokens.mean, asked.prompt_tokens.max, prompts) +
             longest_of(asked.new_tokens.mean, asked.new_tokens.max, together);
    micro *= 2;
  }
}

}  // namespace gpuplan
