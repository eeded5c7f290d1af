#include "evidence/validation/generation_prediction.h"

#include <cmath>
#include <utility>

#include "base/math.h"
#include "base/text.h"

namespace gpuplan {
namespace {

/// Tokens a second, seconds or GiB of one metric.
/// `rate`: of all the work, tokens a second.
double predicted(const GenerationSetup& s, const GenerationEstimate& estimate, double rate, Metric metric) {
  const double step = estimate.time_per_output_token.value;
  const double output = s.rate_counts == RateCounts::kDecode ? estimate.replicas * estimate.batch / step : rate;
  constexpr double kMilliseconds = 1e3;
  switch (metric) {
    case Metric::kOutputRate:
      return output;
    case Metric::kTotalRate:
      return output * (s.input_tokens + s.output_tokens) / s.output_tokens;
    case Metric::kPrefillRate:
      return s.phase.forward_only
                 ? rate
                 : estimate.replicas * estimate.batch * s.input_tokens / estimate.time_to_first_token.value;
    case Metric::kFirstToken:
      return estimate.time_to_first_token.value * kMilliseconds;
    case Metric::kPerToken:
      return step * kMilliseconds;
    case Metric::kPeakMemory:
    case Metric::kStepSeconds:
    case Metric::kTokenRate:
      break;
  }
  return 0;
}

Judged judged_as(GenerationMode mode, Metric metric) {
  const bool loaded = mode == GenerationMode::kConcurrency || mode == GenerationMode::kSaturated;
  switch (metric) {
    case Metric::kPeakMemory:
      return Judged::kServingMemory;
    case Metric::kPerToken:
      return Judged::kPerToken;
    case Metric::kPrefillRate:
      return Judged::kPrefill;
    case Metric::kFirstToken:
      return loaded ? Judged::kFirstToken : Judged::kPrefill;
    default:
      break;
  }
  switch (mode) {
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

}  // namespace

FigureList measured_figures(const GenerationRun& run) {
  constexpr double kMilliseconds = 1e3;
  const GenerationMode mode = mode_of(run);
  FigureList figures;
  const auto add = [&](Metric metric, double value) { figures.add(metric, value, judged_as(mode, metric)); };
  if (run.output_rate) add(Metric::kOutputRate, run.output_rate->value);
  if (run.total_rate) add(Metric::kTotalRate, run.total_rate->value);
  if (run.prefill_rate) add(Metric::kPrefillRate, run.prefill_rate->value);
  if (run.first_token) add(Metric::kFirstToken, run.first_token->value * kMilliseconds);
  if (run.per_token) add(Metric::kPerToken, run.per_token->value * kMilliseconds);
  if (run.memory) add(Metric::kPeakMemory, *run.memory / units::GiB);
  return figures;
}

PreparedGeneration::PreparedGeneration(const Catalogue& catalogue, const GenerationRun& run)
    : run_(&run), setup_(generation_setup(catalogue, run)) {
  if (!setup_.refused.empty()) return;
  setup_.node.gpu = &setup_.gpu;
  auto made = generation_work(setup_.phase);
  if (!made) {
    setup_.refused = made.error().message;
    return;
  }
  work_ = *std::move(made);
  if (!setup_.phase.forward_only || !run.memory) return;
  // A run that only reads prompts keeps their cache all the same.
  kept_phase_ = setup_.phase;
  kept_phase_->forward_only = false;
  if (auto kept = generation_work(*kept_phase_)) kept_work_ = *std::move(kept);
}

/// Of plans, whose work is stated, the last round counts as it is.
double PreparedGeneration::rate_of_work(const GenerationEstimate& estimate) const {
  if (!run_->requests) return estimate.tokens_per_second;
  const double each = setup_.phase.forward_only ? work_.prompt_tokens : work_.new_tokens;
  return work_.samples * work_.models * each / estimate.parts.total().value;
}

std::optional<GenerationRates> PreparedGeneration::rates(const Catalogue& catalogue) const {
  auto rates = generation_rates(catalogue, setup_.node, *setup_.engine, setup_.weights, setup_.kv_cache,
                                setup_.phase.weight_bits);
  if (!rates) return rates;
  if (setup_.scores) rates->prompt_attention = PromptAttention::kScores;
  // An engine that was told how many to run had the memory for them.
  if (run_->in_flight) rates->most_share = rates->profile->most_share;
  return rates;
}

RunPrediction PreparedGeneration::predict(const Catalogue& catalogue) const {
  RunPrediction out;
  out.refused = setup_.refused;
  out.assumptions = setup_.assumptions;
  out.gpu = setup_.catalogue_gpu;
  out.framework = setup_.engine;
  out.nodes = setup_.nodes;
  if (run_->shape) out.parameters = count_parameters(*run_->shape).total();
  out.strategy = setup_.strategy;
  if (!out.refused.empty()) return out;
  const auto rates = this->rates(catalogue);
  if (!rates) {
    out.refused = setup_.engine->name + " on " + setup_.gpu.name + " does not run " +
                  std::string(name_of(setup_.weights)) + " weights with a KV cache in " +
                  std::string(name_of(setup_.kv_cache));
    return out;
  }
  out.generation = generation_estimate(work_, *rates, out.strategy);
  ErrorLabels labels = generation_labels(work_, *rates, out.strategy);
  labels.add(!setup_.batch_known || !setup_.degrees_known, ErrorPart::kAssumed);
  const bool queued = waits_in_turn(setup_.phase, *rates, out.strategy);
  if (queued) labels.first_scale = first_token_scale(catalogue.errors, labels, out.generation.waiting);
  labels.memory_scale = serving_memory_scale(out.generation.memory);
  out.spread = generation_spread(catalogue.errors, labels, setup_.phase.forward_only, queued);
  out.spread.labels = with_names_of(out.spread.labels, *out.gpu);
  for (const MeasuredFigure& figure : measured_figures(*run_)) {
    const bool memory = figure.metric == Metric::kPeakMemory;
    const MemoryUse use =
        memory && kept_work_ ? generation_estimate(*kept_work_, *rates, out.strategy).memory : out.generation.memory;
    const double value = memory ? memory_of_kind(use, run_->memory_kind)
                                : predicted(setup_, out.generation, rate_of_work(out.generation), figure.metric);
    if (!std::isfinite(value) || value <= 0) continue;
    const ExpectedError error = expected_error(catalogue.errors, error_figure(figure.judged), out.spread.labels);
    const double factor = is_rate(figure.metric) ? 1 / factor_of(error) : factor_of(error);
    out.metrics.push_back(
        {figure.metric, figure.value, lognormal(value * factor, std::sqrt(error.variance)), figure.judged});
  }
  correct(out.generation, out.spread);
  if (out.metrics.empty())
    out.refused = "no finite result; gpus, the degrees (tp, pp, ep, replicas) and the lengths contradict each other";
  return out;
}

std::vector<Term> PreparedGeneration::explain(const Catalogue& catalogue) const {
  if (!setup_.refused.empty()) return {};
  const auto rates = this->rates(catalogue);
  return rates ? explain_generation(work_, *rates, setup_.strategy) : std::vector<Term>();
}

RunPrediction predict_generation_run(const Catalogue& catalogue, const GenerationRun& run) {
  return PreparedGeneration(catalogue, run).predict(catalogue);
}

std::vector<Term> explain_generation_run(const Catalogue& catalogue, const GenerationRun& run) {
  return PreparedGeneration(catalogue, run).explain(catalogue);
}

}  // namespace gpuplan
