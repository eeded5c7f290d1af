#include "evidence/validation/run_prediction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "evidence/validation/run_setup.h"
#include "model/error/error.h"

namespace gpuplan {
namespace {

/// A share of the layers recomputed whole, the others not at all.
LayerCost between(const LayerCost& none, const LayerCost& full, double share) {
  LayerCost cost = none;
  for (const auto part : {&LayerCost::recompute, &LayerCost::dequantise, &LayerCost::launch, &LayerCost::tensor_traffic,
                          &LayerCost::expert_traffic})
    cost.*part = none.*part * (1 - share) + full.*part * share;
  cost.activations = none.activations * (1 - share) + full.activations * share;
  cost.one_layer = std::max(none.one_layer, full.one_layer);
  return cost;
}

/// Everything the model needs for one run, at one place in memory: the parts refer to each other.
struct Estimated {
  RunSetup setup;
  TrainingWork work;
  TrainingRates rates;
  LayerCost layer;
  std::string refused;

  Estimated(const Catalogue& catalogue, const TrainingRun& run) : setup(run_setup(catalogue, run)) {
    refused = setup.refused;
    if (!refused.empty()) return;
    setup.node.gpu = &setup.gpu;
    estimate(catalogue, run);
    // What nobody stated is lighter as long as the run would not have fitted.
    while (refused.empty() && !fits() && save_memory(run, setup)) estimate(catalogue, run);
    if (refused.empty() && !run.settled && !fits()) hold_gradients_as_reduced();
    if (refused.empty() && may_recompute_more(run, setup)) {
      const double high = math::exp(kZ90 * expected_deviation(catalogue));
      if (!recompute_just_enough(setup.gpu.usable / high) && !recompute_just_enough(setup.gpu.usable)) recompute_all();
    }
  }
  Estimated(const Estimated&) = delete;
  Estimated& operator=(const Estimated&) = delete;

  ErrorLabels labels() const {
    ErrorLabels labels = training_labels(work, rates, setup.strategy, setup.nodes);
    labels.add(!setup.batch_known || !setup.degrees_known, ErrorPart::kAssumed);
    labels.memory_scale = memory_scale(training_memory(work, rates, layer, setup.strategy));
    return labels;
  }

 private:
  Bytes need(const LayerCost& cost) const { return training_memory(work, rates, cost, setup.strategy).needed(); }
  bool fits() const { return need(layer) <= setup.gpu.usable; }
  double expected_deviation(const Catalogue& catalogue) const {
    return std::sqrt(expected_error(catalogue.errors, ErrorFigure::kMemory, labels()).variance);
  }

  /// Keeps of the activations what there is room for. False: more than that stays even if all layers are recomputed.
  bool recompute_just_enough(Bytes room) {
    if (need(layer) <= room) return true;
    LayerCost cost = layer;
    cost.activations = cost_with(Recompute::kFull).activations;
    if (need(cost) > room) return false;
    Bytes least = cost.activations, most = layer.activations;
    while (most - least > units::MiB) {
      cost.activations = (least + most) / 2;
      (need(cost) <= room ? least : most) = cost.activations;
    }
    layer.activations = least;
    assume_anew(setup, "recompute", "just enough to fit surely");
    return true;
  }

  /// Buffers of 16-bit gradients, where software that reduces them so holds them in 32 bit unless told otherwise.
  void hold_gradients_as_reduced() {
    if (rates.gradient_bytes <= rates.software_row->reduce_bytes) return;
    rates.gradient_bytes = rates.software_row->reduce_bytes;
    assume_anew(setup, "gradients", "as they are reduced, else it would not have fitted");
  }

  /// It did run, and so with the least that is known, though that seems too much.
  void recompute_all() {
    const Bytes least = cost_with(Recompute::kFull).activations;
    if (least >= layer.activations) return;
    layer.activations = least;
    assume_anew(setup, "recompute", "full, as nothing less can have fitted");
  }

  void estimate(const Catalogue& catalogue, const TrainingRun& run) {
    auto made = training_work(setup.phase);
    if (!made) {
      refused = made.error().message;
      return;
    }
    work = *std::move(made);
    const Strategy& s = setup.strategy;
    rates = training_rates(catalogue, setup.node, *setup.framework, s.precision, s.compile, work);
    if (run.sequence_parallel) rates.sequence_parallel = *run.sequence_parallel;
    if (run.fused_kernels) rates.fused = *run.fused_kernels;
    if (run.fused_optimizer) rates.fused_step = *run.fused_optimizer;
    const TrainingSoftware& software = *rates.software_row;
    if (run.compiled_loss)
      rates.logit_bytes = *run.compiled_loss ? software.logit_bytes_compiled : software.logit_bytes;
    if (setup.fused_loss > 0) rates.fused_loss = setup.fused_loss;
    if (rates.blocks.flop.value <= 0) {
      refused = setup.gpu.name + " has no " + std::string(name_of(s.precision)) + " matmuls";
      return;
    }
    layer = run.recomputed_layers
                ? between(cost_with(Recompute::kNone), cost_with(Recompute::kFull), *run.recomputed_layers)
                : cost_with(s.recompute);
  }

  LayerCost cost_with(Recompute recompute) const {
    const Strategy& s = setup.strategy;
    return layer_cost(work, rates, {s.tp, s.cp, s.ep, s.micro_batch, recompute, s.attention});
  }
};

}  // namespace

double memory_of_kind(const MemoryUse& use, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kAllocated:
    case MemoryKind::kActive:
      return use.allocated() / units::GiB;
    case MemoryKind::kDevice:
      return use.total() / units::GiB;
    case MemoryKind::kUnknown:
    case MemoryKind::kReserved:
      break;
  }
  return use.reserved() / units::GiB;
}

ErrorLabels with_names_of(ErrorLabels labels, const Gpu& gpu) {
  labels.card = gpu.name;
  labels.architecture = gpu.architecture;
  labels.memory_type = gpu.memory_type;
  return labels;
}

double MetricPrediction::log_error() const {
  const double error = math::log(predicted.p50 / measured);
  return is_rate(metric) ? -error : error;
}

RunPrediction predict_run(const Catalogue& catalogue, const TrainingRun& run) {
  Estimated e(catalogue, run);
  RunPrediction out;
  out.refused = std::move(e.refused);
  out.assumptions = std::move(e.setup.assumptions);
  out.gpu = e.setup.catalogue_gpu;
  out.framework = e.setup.framework;
  out.nodes = e.setup.nodes;
  if (run.shape) out.parameters = count_parameters(*run.shape).total();
  out.method = run.method.value_or(Method::kFull);
  out.strategy = e.setup.strategy;
  if (!out.refused.empty()) return out;
  out.estimate = training_estimate(e.work, e.rates, e.layer, out.strategy, out.nodes);
  out.spread = training_spread(catalogue.errors, e.labels());
  out.spread.labels = with_names_of(out.spread.labels, *out.gpu);
  const MemoryUse plain = out.estimate.memory;
  correct(out.estimate, out.spread);
  const double seconds = out.estimate.step.total().value;
  if (!std::isfinite(seconds) || seconds <= 0 || !std::isfinite(out.estimate.memory.total().value)) {
    out.refused =
        "no finite result; gpus, gpus_per_node, the degrees (dp, tp, pp, cp, ep) and the batch contradict each other";
    return out;
  }
  if (run.step) out.metrics.push_back({Metric::kStepSeconds, run.step->value, lognormal(seconds, out.spread.time)});
  if (run.token_rate) {
    const double tokens = e.setup.global_batch * e.work.sequence;
    const double gpus = out.strategy.gpus();
    out.metrics.push_back(
        {Metric::kTokenRate, run.token_rate->value, lognormal(tokens / (gpus * seconds), out.spread.time)});
  }
  if (run.memory) {
    const double gib = memory_of_kind(plain, run.memory_kind) * out.spread.memory_factor;
    out.metrics.push_back(
        {Metric::kPeakMemory, *run.memory / units::GiB, lognormal(gib, out.spread.memory), Judged::kMemory});
  }
  return out;
}

std::vector<Term> explain_run(const Catalogue& catalogue, const TrainingRun& run) {
  const Estimated e(catalogue, run);
  if (!e.refused.empty()) return {};
  return explain_training(e.work, e.rates, e.layer, e.setup.strategy, e.setup.nodes);
}

}  // namespace gpuplan
