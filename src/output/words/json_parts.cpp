#include "output/words/json_parts.h"

#include <ranges>

#include "domain/facts/limits.h"
#include "evidence/check/expectation.h"
#include "output/text/price_age.h"
#include "output/words/beside_words.h"
#include "output/words/collection_words.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"
#include "output/words/strategy_reasons.h"
#include "plan/strategy/practice.h"

namespace gpuplan {
namespace {

void write_offer(JsonWriter& json, const PhasePlan& part) {
  if (part.offer == nullptr) {
    json.null_member("offer");
    return;
  }
  const Offer& offer = *part.offer;
  json.key("offer").begin_object();
  write_text_or_null(json, "provider", offer.provider);
  write_text_or_null(json, "region", offer.region);
  write_text_or_null(json, "instance", offer.instance);
  json.member("gpu", offer.gpu)
      .member("gpus", offer.gpus)
      .member("nodes", part.estimate->nodes)
      .member("spot", part.spot);
  constexpr DollarsPerSecond kDollarAnHour{1.0 / 3600};
  if (const auto& price = part.spot ? offer.spot_price : offer.price)
    write_interval(json, "usd_per_hour", *price, kDollarAnHour);
  else json.null_member("usd_per_hour");
  json.key("billing").begin_object(true).member("minimum_seconds", offer.billing.minimum.value);
  json.member("increment_seconds", offer.billing.increment.value).end();
  write_text_or_null(json, "availability", offer.availability);
  write_text_or_null(json, "as_of", offer.as_of);
  write_text_or_null(json, "source", offer.source);
  json.end();
}

void write_strategy(JsonWriter& json, const PhaseEstimate& estimate, const Phase& phase) {
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  const auto* generate = std::get_if<GeneratePhase>(&phase.work);
  if (!estimate.node || (train == nullptr && generate == nullptr)) {
    json.null_member("strategy");
    return;
  }
  const Strategy& s = estimate.strategy;
  json.key("strategy").begin_object();
  json.member("framework",
              estimate.framework != nullptr ? std::optional<std::string_view>(estimate.framework->name) : std::nullopt);
  json.member("dp", s.dp).member("tp", s.tp).member("pp", s.pp).member("cp", s.cp).member("ep", s.ep);
  json.member("vpp", s.interleave);
  if (train != nullptr) {
    json.member("micro_batch", s.micro_batch).member("grad_accum", s.grad_accum).member("global_batch", estimate.batch);
    json.member("sharding", name_of(s.sharding)).member("recompute", name_of(s.recompute));
    json.member("precision", name_of(s.precision))
        .member("optimizer", name_of(as_run(*train, estimate).optimizer.matrices));
    json.member("offload", name_of(s.offload)).member("method", name_of(train->method));
    const bool adapters = trains_adapters(*train);
    json.member("lora_rank", adapters ? std::optional<int>(train->lora.rank) : std::nullopt);
    json.member("attention", name_of(s.attention)).member("compile", s.compile);
    json.null_member("replicas")
        .null_member("weights")
        .null_member("kv_cache")
        .null_member("batch")
        .null_member("mode");
    json.null_member("placement");
  } else {
    json.null_member("micro_batch").null_member("grad_accum").null_member("global_batch").null_member("sharding");
    json.null_member("recompute").null_member("precision").null_member("optimizer").null_member("offload");
    json.null_member("method").null_member("lora_rank").null_member("attention").null_member("compile");
    json.member("replicas", s.dp).member("weights", name_of(s.weights));
    json.member("kv_cache",
                generate->kv_cache ? std::optional<std::string_view>(name_of(*generate->kv_cache)) : std::nullopt);
    json.member("batch", estimate.batch);
    json.member("mode", generate->forward_only ? std::string_view("prefill") : name_of(generate->situation));
    json.member("placement", name_of(s.placement));
  }
  json.end();
}

/// Only of training that gives the answers it learns from.
void write_rollouts(JsonWriter& json, const PhaseEstimate& estimate) {
  if (!estimate.rollouts) return;
  const RolloutUse& use = *estimate.rollouts;
  json.key("rollouts").begin_object().member("seconds_per_step", use.total().value);
  json.member("answers_at_once", use.in_flight).member("longest_answer", use.longest).member("passes", use.passes);
  json.member("vllm_gpu_memory_utilization", use.share).member("vllm_tensor_parallel_size", use.tp);
  json.member("vllm_gib", use.held / units::GiB).end();
}

}  // namespace

void write_serving(JsonWriter& json, const PhaseEstimate& estimate) {
  if (!estimate.serving) {
    json.null_member("serving");
    return;
  }
  const Serving& serving = *estimate.serving;
  json.key("serving").begin_object().member("sequences_in_flight", serving.in_flight);
  if (serving.output.p50 > TokensPerSecond{})
    write_interval(json, "output_tokens_per_second", serving.output, TokensPerSecond{1});
  else json.null_member("output_tokens_per_second");
  write_interval(json, "total_tokens_per_second", serving.processed, TokensPerSecond{1});
  write_interval(json, "time_to_first_token_seconds", serving.time_to_first_token, units::second);
  if (serving.time_per_output_token.p50 > Seconds{})
    write_interval(json, "time_per_output_token_seconds", serving.time_per_output_token, units::second);
  else json.null_member("time_per_output_token_seconds");
  json.member("target_chance", serving.chance);
  json.member("reaches_target", serving.chance ? std::optional(serving.reaches_target) : std::nullopt).end();
}

void write_price_age(JsonWriter& json, const PlanReport& report) {
  write_text_or_null(json, "as_of", report.found.as_of);
  const auto days = days_old(report.found.as_of, report.price_day());
  json.member("age_days", days ? std::optional<double>(*days) : std::nullopt);
}

std::optional<bool> all_spot(const Plan& plan) {
  if (plan.offer != nullptr) return plan.spot;
  const auto rented = [](const PhasePlan& part) { return part.offer != nullptr; };
  bool some = false, all = true;
  for (const PhasePlan& part : plan.phases | std::views::filter(rented)) {
    some |= part.spot;
    all &= part.spot;
  }
  return some && !all ? std::nullopt : std::optional(some);
}

void write_text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  if (text.empty()) json.null_member(name);
  else json.member(name, text);
}

void write_memory(JsonWriter& json, const PhaseEstimate& estimate) {
  if (!estimate.node || estimate.node->gpu == nullptr || estimate.memory_total.p50 <= Bytes{}) {
    json.null_member("memory_gib");
    return;
  }
  const MemoryUse& use = estimate.memory;
  json.key("memory_gib").begin_object();
  json.member("usable", estimate.node->gpu->usable / units::GiB);
  write_interval(json, "total", estimate.memory_total, units::GiB);
  json.member("weights", use.weights / units::GiB).member("gradients", use.gradients / units::GiB);
  json.member("optimizer", use.optimizer / units::GiB)
      .member("activations", (use.activations + use.logits) / units::GiB);
  json.member("kv_cache", use.kv_cache / units::GiB).member("overhead", (use.buffers + use.context()) / units::GiB);
  json.key("sums").begin_object(true).member("allocated", use.allocated() / units::GiB);
  json.member("reserved", use.reserved() / units::GiB).member("device", use.total() / units::GiB).end();
  json.member("host", estimate.host_memory / units::GiB).end();
}

void write_phase(JsonWriter& json, const PhasePlan& part, const Phase& phase, double buffer,
                 const std::vector<Alternative>& others) {
  const PhaseEstimate& estimate = part.estimate;
  json.begin_object().member("name", phase.name).member("needs", phase.needs);
  write_offer(json, part);
  json.member("gpus_used", estimate.gpus).member("gpus_billed", part.gpus_billed);
  json.member("start_hour", part.start / units::hour);
  write_outcome(json, "hours", part.hours, units::hour);
  json.member("buffer_hours", part.hours.p50 / units::hour * (buffer / (1 + buffer)));
  write_outcome(json, "cost_usd", part.cost, units::dollar);
  json.member("machines_usd_per_hour", (machines_price(part) * units::hour).value);
  if (estimate.steps > 0) json.member("steps", estimate.steps);
  else json.null_member("steps");
  if (std::holds_alternative<TrainPhase>(phase.work)) {
    json.member("sequence", estimate.sequence).member("starts_from", name_of(estimate.start));
    json.member("keep_checkpoints",
                estimate.keep_checkpoints > 0 ? std::optional<int>(estimate.keep_checkpoints) : std::nullopt);
  } else {
    json.null_member("sequence").null_member("starts_from").null_member("keep_checkpoints");
  }
  if (estimate.tokens > 0) json.member("tokens", estimate.tokens);
  else json.null_member("tokens");
  if (part.seconds_per_step.p50 > Seconds{})
    write_interval(json, "seconds_per_step", part.seconds_per_step, units::second);
  else json.null_member("seconds_per_step");
  if (part.tokens_per_second.p50 > TokensPerSecond{})
    write_interval(json, "tokens_per_second", part.tokens_per_second, TokensPerSecond{1});
  else json.null_member("tokens_per_second");
  write_serving(json, estimate);
  write_rollouts(json, estimate);
  write_memory(json, estimate);
  json.member("evidence", name_of(estimate.evidence));
  if (estimate.work_by_model > Seconds{})
    json.member("model_work_hours", estimate.work_by_model * (1 + estimate.overhead_share) / units::hour);
  else json.null_member("model_work_hours");
  if (estimate.model_interval) write_interval(json, "given_is_outside_of_hours", *estimate.model_interval, units::hour);
  else json.null_member("given_is_outside_of_hours");
  write_strategy(json, estimate, phase);
  write_text_or_null(json, "strategy_words", strategy_words(estimate, phase));
  write_beside(json, estimate);
  write_collection(json, estimate, part.disk);
  write_alternatives(json, others, estimate, phase);
  json.end();
}

}  // namespace gpuplan
