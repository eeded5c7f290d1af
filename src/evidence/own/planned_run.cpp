#include "evidence/own/planned_run.h"

#include <algorithm>
#include <cmath>

#include "domain/facts/limits.h"
#include "evidence/validation/generation_prediction.h"
#include "model/generation/generation.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/software.h"

namespace gpuplan {
namespace {

constexpr double kGbit = 1e9 / 8;

void set_machine(const PhaseEstimate& estimate, MeasuredRun& run) {
  const NodeShape& node = *estimate.node;
  run.gpu = node.gpu->name;
  run.gpus = estimate.gpus;
  run.gpus_per_node = node.gpus;
  if (estimate.gpus > 1) run.nvlink = node.direct_link();
  run.link_kind = node.link_kind;
  run.link = node.link;
  run.peer_access = node.peer_access;
  if (node.network > BytesPerSecond{}) run.inter_node_gbps = node.network.value / kGbit;
  if (estimate.framework != nullptr) run.framework = estimate.framework->name;
}

void set_networks(const std::vector<ModelUse>& models, MeasuredRun& run) {
  run.networks = models;
  const ModelUse& first = models.front();
  run.model = first.name.empty() ? first.shape.name : first.name;
  run.shape = first.shape;
}

TrainingRun training_run(const TrainPhase& asked, const PhaseEstimate& estimate) {
  const TrainPhase train = as_run(asked, estimate);
  const Strategy& s = estimate.strategy;
  TrainingRun run;
  run.settled = true;
  set_machine(estimate, run);
  set_networks(train.models, run);
  run.sequence = estimate.sequence;
  if (estimate.mean_tokens < estimate.sequence) run.mean_tokens = estimate.mean_tokens;
  run.micro_batch = s.micro_batch;
  run.grad_accum = s.grad_accum;
  run.global_batch = estimate.batch;
  run.dp = s.dp;
  run.tp = s.tp;
  run.pp = s.pp;
  run.vpp = s.interleave;
  run.cp = s.cp;
  run.ep = s.ep;
  run.sharding = s.sharding;
  run.recompute = s.recompute;
  run.precision = s.precision;
  run.master_weights = train.master_weights;
  run.optimizer_state = train.optimizer_state;
  run.optimizer = train.optimizer.matrices;
  const Optimizer usual = train.optimizer.matrices == Optimizer::kMuon ? Optimizer::kAdamW : train.optimizer.matrices;
  if (train.optimizer.rest != usual) run.optimizer_rest = train.optimizer.rest;
  run.offload = s.offload;
  run.method = train.method;
  run.from_scratch = train.method == Method::kFull && estimate.start == StartFrom::kScratch;
  if (trains_adapters(train)) {
    run.lora_rank = train.lora.rank;
    run.lora_targets = train.lora.targets;
  }
  run.trainable = train.trainable;
  run.attention = s.attention;
  run.compile = s.compile;
  return run;
}

GenerationMode mode_of(const GeneratePhase& phase) {
  if (phase.forward_only) return GenerationMode::kPrefill;
  switch (phase.situation) {
    case Situation::kSingle:
      return GenerationMode::kSingle;
    case Situation::kStatic:
      return GenerationMode::kStatic;
    case Situation::kConcurrency:
      return GenerationMode::kConcurrency;
    case Situation::kSaturated:
      break;
  }
  return GenerationMode::kSaturated;
}

std::optional<GenerationRun> generation_run(const GeneratePhase& phase, const PhaseEstimate& estimate) {
  const auto work = generation_work(phase);
  if (!work) return std::nullopt;
  const Strategy& s = estimate.strategy;
  GenerationRun run;
  set_machine(estimate, run);
  set_networks(phase.models, run);
  run.tp = s.tp;
  run.pp = s.pp;
  run.ep = s.ep;
  run.replicas = std::max(1, s.dp / std::max(1, s.ep));  // those that share experts count as one
  run.parts_attention = false;
  run.weights = s.weights;
  run.bits_per_weight = phase.weight_bits;
  run.kv_cache = cache_format(phase, *estimate.node->gpu);
  run.input_tokens = work->prompt_tokens;
  run.output_tokens = phase.forward_only ? 0 : work->new_tokens;
  if (work->longest_new > work->new_tokens) run.longest_output = work->longest_new;
  run.cache_tokens = std::max(1.0, work->longest);
  run.batch = phase.situation == Situation::kConcurrency && phase.concurrency ? *phase.concurrency
                                                                              : std::max(1.0, estimate.batch);
  run.mode = mode_of(phase);
  run.rate_counts = RateCounts::kAll;
  run.requests = work->samples;
  if (work->models > 1) run.placement = s.placement;
  run.store = phase.store;
  run.speculation = phase.speculation;
  return run;
}

/// Engines fill the memory they have, unless the plan tells them to take fewer sequences at a time.
void set_in_flight(const PhaseEstimate& estimate, const Catalogue& catalogue, GenerationRun& run) {
  GenerationRun tried = run;
  const double planned = planned_rate(estimate);
  (run.mode == GenerationMode::kPrefill ? tried.prefill_rate : tried.output_rate) = TokensPerSecond{planned};
  const RunPrediction found = predict_generation_run(catalogue, tried);
  constexpr double kSame = 1e-3;
  const auto differs = [](double a, double b) { return std::abs(a / b - 1) > kSame; };
  if (found.metrics.empty() || differs(found.metrics.front().predicted.p50, planned) ||
      differs(found.generation.memory.total().value, estimate.memory.total().value))
    run.in_flight = std::max(1, estimate.strategy.micro_batch);
}

}  // namespace

std::optional<AnyRun> planned_run(const Phase& phase, const PhaseEstimate& estimate, const Catalogue& catalogue) {
  if (!estimate.node || estimate.node->gpu == nullptr) return std::nullopt;
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) {
    if (train->rollouts) return std::nullopt;  // a row tells nothing of the answers that are given meanwhile
    return training_run(*train, estimate);
  }
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work))
    if (auto run = generation_run(*generate, estimate)) {
      set_in_flight(estimate, catalogue, *run);
      return *std::move(run);
    }
  return std::nullopt;
}

double planned_step(const PhaseEstimate& estimate) {
  return estimate.steps > 0 ? estimate.work_by_model.value / estimate.steps : 0;
}

double planned_rate(const PhaseEstimate& estimate) {
  return estimate.work_by_model > Seconds{} ? estimate.tokens / estimate.work_by_model.value : 0;
}

}  // namespace gpuplan
