#include "evidence/generation_prediction.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/math.h"
#include "base/text.h"
#include "model/uncertainty.h"

namespace gpuplan {
namespace {

/// Everything the model needs for one run, at one place in memory: the parts refer to each other.
struct Estimated {
  GenerationSetup setup;
  GenerationWork work;
  std::optional<GenerationRates> rates;
  std::string refused;

  Estimated(const Catalogue& catalogue, const GenerationRun& run) : setup(generation_setup(catalogue, run)) {
    refused = setup.refused;
    if (!refused.empty()) return;
    setup.node.gpu = &setup.gpu;
    auto made = generation_work(setup.phase);
    if (!made) {
      refused = made.error().message;
      return;
    }
    work = *std::move(made);
    rates = generation_rates(catalogue, setup.node, *setup.engine, setup.weights, setup.kv_cache);
    if (!rates)
      refused = setup.engine->name + " on " + setup.gpu.name + " runs no " + std::string(name_of(setup.weights)) +
                " weights with a cache in " + std::string(name_of(setup.kv_cache));
  }
  Estimated(const Estimated&) = delete;
  Estimated& operator=(const Estimated&) = delete;
};

/// A run that only reads prompts keeps their cache all the same.
MemoryUse memory_of(const Estimated& e, const GenerationEstimate& estimate) {
  if (!e.setup.phase.forward_only) return estimate.memory;
  GeneratePhase phase = e.setup.phase;
  phase.forward_only = false;
  const auto work = generation_work(phase);
  return work ? generation_estimate(*work, *e.rates, e.setup.strategy).memory : estimate.memory;
}

/// Tokens a second, seconds or GiB of one metric.
double predicted(const Estimated& e, const GenerationEstimate& estimate, Metric metric, MemoryKind kind) {
  const GenerationSetup& s = e.setup;
  const double step = estimate.time_per_output_token.value;
  const double output =
      s.rate_counts == RateCounts::kDecode ? estimate.replicas * estimate.batch / step : estimate.tokens_per_second;
  constexpr double kMilliseconds = 1e3;
  switch (metric) {
    case Metric::kOutputRate:
      return output;
    case Metric::kTotalRate:
      return output * (s.input_tokens + s.output_tokens) / s.output_tokens;
    case Metric::kPrefillRate:
      return s.phase.forward_only
                 ? estimate.tokens_per_second
                 : estimate.replicas * estimate.batch * s.input_tokens / estimate.time_to_first_token.value;
    case Metric::kFirstToken:
      return estimate.time_to_first_token.value * kMilliseconds;
    case Metric::kPerToken:
      return step * kMilliseconds;
    case Metric::kPeakMemory:
      return memory_of_kind(memory_of(e, estimate), kind);
    case Metric::kStepSeconds:
    case Metric::kTokenRate:
      break;
  }
  return 0;
}

}  // namespace

Judged judged_as(const GenerationSetup& setup, Metric metric) {
  const bool loaded = setup.mode == GenerationMode::kConcurrency || setup.mode == GenerationMode::kSaturated;
  switch (metric) {
    case Metric::kPeakMemory:
      return Judged::kMemory;
    case Metric::kPerToken:
      return Judged::kPerToken;
    case Metric::kPrefillRate:
      return Judged::kPrefill;
    case Metric::kFirstToken:
      return loaded ? Judged::kFirstToken : Judged::kPrefill;
    default:
      break;
  }
  switch (setup.mode) {
    case GenerationMode::kSingle:
      return Judged::kSingle;
    case GenerationMode::kStatic:
      return Judged::kStatic;
    case GenerationMode::kConcurrency:
      return Judged::kConcurrency;
    case GenerationMode::kSaturated:
      return Judged::kSaturated;
    case GenerationMode::kPrefill:
      break;
  }
  return Judged::kPrefill;
}

RunPrediction predict_generation_run(const Catalogue& catalogue, const GenerationRun& run) {
  Estimated e(catalogue, run);
  RunPrediction out;
  out.refused = std::move(e.refused);
  out.assumptions = std::move(e.setup.assumptions);
  out.gpu = e.setup.catalogue_gpu;
  out.framework = e.setup.engine;
  out.nodes = e.setup.nodes;
  if (run.shape) out.parameters = count_parameters(*run.shape).total();
  out.strategy = e.setup.strategy;
  if (!out.refused.empty()) return out;
  out.generation = generation_estimate(e.work, *e.rates, out.strategy);
  out.spread = generation_spread(e.work, *e.rates, out.strategy);
  const auto add = [&](Metric metric, double measured) {
    const double value = predicted(e, out.generation, metric, run.memory_kind);
    if (!std::isfinite(value) || value <= 0) return;
    const double spread = metric == Metric::kPeakMemory ? out.spread.memory : out.spread.time;
    out.metrics.push_back({metric, measured, lognormal(value, spread), judged_as(e.setup, metric)});
  };
  constexpr double kMilliseconds = 1e3;
  if (run.output_rate) add(Metric::kOutputRate, run.output_rate->value);
  if (run.total_rate) add(Metric::kTotalRate, run.total_rate->value);
  if (run.prefill_rate) add(Metric::kPrefillRate, run.prefill_rate->value);
  if (run.first_token) add(Metric::kFirstToken, run.first_token->value * kMilliseconds);
  if (run.per_token) add(Metric::kPerToken, run.per_token->value * kMilliseconds);
  if (run.memory) add(Metric::kPeakMemory, *run.memory / units::GiB);
  if (out.metrics.empty())
    out.refused =
        "nothing finite comes out; gpus, the degrees (tp, pp, ep, replicas) and the lengths contradict each "
        "other";
  return out;
}

std::vector<Term> explain_generation_run(const Catalogue& catalogue, const GenerationRun& run) {
  const Estimated e(catalogue, run);
  if (!e.refused.empty()) return {};
  return explain_generation(e.work, *e.rates, e.setup.strategy);
}

}  // namespace gpuplan
