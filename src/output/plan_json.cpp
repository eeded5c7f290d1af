#include "output/plan_json.h"

#include <algorithm>

#include "output/explain.h"
#include "output/json_writer.h"
#include "output/plan_words.h"

namespace gpuplan {
namespace {

constexpr std::size_t kNearest = 50;

/// The document, part by part. Amounts are written in the unit that the member's name says.
class PlanJson {
 public:
  PlanJson(const PlanStory& story, const PlanJsonLook& look) : story_(story), look_(look) {}

  std::string text(const std::vector<Remedy>& remedies) {
    json_.begin_object().member("schema", "gpuplan/plan@1").member("job", story_.job.name);
    market();
    json_.member("considered", story_.found.tally.considered);
    rejected();
    json_.member("elapsed_ms", look_.elapsed_ms);
    limits();
    plans();
    recommendations();
    values();
    json_.key("assumptions").begin_array();
    for (const std::string& line : story_.found.assumptions) json_.value(line);
    json_.end();
    words();
    nothing_fits(remedies);
    if (look_.explain) explain();
    json_.end();
    return json_.take();
  }

 private:
  const SearchResult& found() const { return story_.found; }

  template <class Amount, class Unit>
  void interval(std::string_view name, const Interval<Amount>& amount, Unit unit) {
    json_.key(name).begin_object(true);
    json_.member("p10", amount.p10 / unit).member("p50", amount.p50 / unit).member("p90", amount.p90 / unit).end();
  }
  template <class Amount, class Unit>
  void outcome(std::string_view name, const Outcome<Amount>& amount, Unit unit) {
    json_.key(name).begin_object(true);
    json_.member("p10", amount.p10 / unit).member("p50", amount.p50 / unit).member("p90", amount.p90 / unit);
    json_.member("mean", amount.mean / unit).end();
  }
  /// A text that may be unknown: null when empty.
  void text_or_null(std::string_view name, std::string_view text) {
    if (text.empty()) json_.null_member(name);
    else json_.member(name, text);
  }
  void id_or_null(std::string_view name, const std::optional<int>& position) {
    if (position) json_.member(name, story_.plan(*position).id);
    else json_.null_member(name);
  }

  void market() {
    const MarketFilter& filter = found().market;
    json_.key("market").begin_object();
    text_or_null("as_of", found().as_of);
    json_.member("offers", filter.used);
    std::vector<std::string> sources = found().sources;
    const MarketSpec& own = story_.job.market;
    if (!own.offers.empty() || !own.pools.empty() || !own.own.empty()) sources.insert(sources.begin(), "job");
    json_.member("sources", sources);
    json_.member("known", filter.offers)
        .member("left_out_by_where", filter.by_where)
        .member("left_out_too_old", filter.too_old);
    json_.member("spot_prices_without_interruption_rate", filter.spot_without_rate).end();
  }

  void rejected() {
    json_.key("rejected").begin_object(true);
    for (const auto& entry : Names<Misfit>::entries)
      if (const long count = found().tally.rejected[static_cast<std::size_t>(entry.value)];
          count > 0 || entry.value == Misfit::kMemory)
        json_.member(entry.name, count);
    json_.end();
  }

  void limits() {
    const Job& job = story_.job;
    json_.key("limits").begin_object(true);
    if (job.limits.deadline) json_.member("deadline_hours", *job.limits.deadline / units::hour);
    else json_.null_member("deadline_hours");
    if (job.limits.budget) json_.member("budget_usd", job.limits.budget->value);
    else json_.null_member("budget_usd");
    json_.member("confidence", job.limits.confidence).member("goal", name_of(job.goal));
    json_.member("value_of_time_usd_per_hour", (job.value_of_time * units::hour).value);
    json_.member("contingency_usd", job.contingency.value).member("buffer", job.buffer).end();
  }

  void plans() {
    json_.key("plans").begin_array();
    std::size_t nearest = 0;
    for (const Plan& plan : found().plans) {
      const bool kept = look_.all || plan.on_frontier || &plan == story_.pick() || nearest < kNearest;
      if (!plan.on_frontier) ++nearest;
      if (kept) write(plan);
    }
    json_.end();
  }

  void write(const Plan& plan) {
    const bool one = plan.offer != nullptr;
    json_.begin_object().member("id", plan.id).member("label", plan.label);
    text_or_null("provider", one ? plan.offer->provider : std::string());
    text_or_null("region", one ? plan.offer->region : std::string());
    text_or_null("instance", one ? plan.offer->instance : std::string());
    if (one) {
      json_.member("gpu", plan.offer->gpu)
          .member("gpus", plan.gpus)
          .member("nodes", plan.nodes)
          .member("spot", plan.spot);
    } else {
      json_.null_member("gpu").null_member("gpus").null_member("nodes").null_member("spot");
    }
    outcome("hours", plan.hours, units::hour);
    outcome("cost_usd", plan.cost, units::dollar);
    json_.member("gpu_hours", plan.gpu_hours).member("billed_gpu_hours", plan.billed_gpu_hours);
    json_.member("evidence", name_of(plan.evidence))
        .member("fit", name_of(plan.fit))
        .member("on_frontier", plan.on_frontier);
    json_.key("dominated_by").begin_array(true);
    for (const int position : plan.dominated_by) json_.value(story_.plan(position).id);
    json_.end();
    if (plan.price_of_time_saved) json_.member("usd_per_hour_saved", (*plan.price_of_time_saved * units::hour).value);
    else json_.null_member("usd_per_hour_saved");
    json_.member("chance_in_time", plan.chance_in_time);
    json_.member("meets_deadline", plan.meets_deadline).member("meets_budget", plan.meets_budget);
    json_.member("close_to_previous", plan.close_to_previous).member("kept", plan.kept);
    json_.member("buffer_hours", plan.buffer / units::hour).member("interruption_hours", plan.spot_loss / units::hour);
    json_.member("interruptions", plan.interruptions).member("idle_usd", plan.idle.value);
    text_or_null("availability", one ? plan.offer->availability : std::string());
    if (const PhasePlan* fullest = plan.fullest()) memory(fullest->estimate);
    else json_.null_member("memory_gib");
    json_.key("phases").begin_array();
    for (const PhasePlan& part : plan.phases) write(part);
    json_.end().end();
  }

  /// Parts add up to the median of the total, unless the user gave the total.
  void memory(const PhaseEstimate& estimate) {
    if (!estimate.node || estimate.node->gpu == nullptr || estimate.memory_total.p50 <= Bytes{}) {
      json_.null_member("memory_gib");
      return;
    }
    const MemoryUse& use = estimate.memory;
    json_.key("memory_gib").begin_object();
    json_.member("usable", estimate.node->gpu->usable / units::GiB);
    interval("total", estimate.memory_total, units::GiB);
    json_.member("weights", use.weights / units::GiB).member("gradients", use.gradients / units::GiB);
    json_.member("optimizer", use.optimizer / units::GiB)
        .member("activations", (use.activations + use.logits) / units::GiB);
    json_.member("kv_cache", use.kv_cache / units::GiB)
        .member("overhead", (use.buffers + use.context) / units::GiB)
        .end();
  }

  void write(const PhasePlan& part) {
    const PhaseEstimate& estimate = part.estimate;
    const Phase& phase = story_.job.phases[static_cast<std::size_t>(estimate.phase)];
    json_.begin_object().member("name", phase.name).member("needs", phase.needs);
    offer(part);
    json_.member("gpus_used", estimate.gpus).member("gpus_billed", part.gpus_billed);
    json_.member("start_hour", part.start / units::hour);
    outcome("hours", part.hours, units::hour);
    outcome("cost_usd", part.cost, units::dollar);
    if (estimate.steps > 0) json_.member("steps", estimate.steps);
    else json_.null_member("steps");
    if (part.seconds_per_step.p50 > Seconds{}) interval("seconds_per_step", part.seconds_per_step, units::second);
    else json_.null_member("seconds_per_step");
    if (part.tokens_per_second.p50 > TokensPerSecond{})
      interval("tokens_per_second", part.tokens_per_second, TokensPerSecond{1});
    else json_.null_member("tokens_per_second");
    memory(estimate);
    json_.member("evidence", name_of(estimate.evidence));
    if (estimate.work_by_model > Seconds{}) json_.member("model_work_hours", estimate.work_by_model / units::hour);
    else json_.null_member("model_work_hours");
    if (estimate.model_interval) interval("given_is_outside_of_hours", *estimate.model_interval, units::hour);
    else json_.null_member("given_is_outside_of_hours");
    strategy(estimate, phase);
    json_.end();
  }

  void offer(const PhasePlan& part) {
    if (part.offer == nullptr) {
      json_.null_member("offer");
      return;
    }
    const Offer& offer = *part.offer;
    json_.key("offer").begin_object();
    text_or_null("provider", offer.provider);
    text_or_null("region", offer.region);
    text_or_null("instance", offer.instance);
    json_.member("gpu", offer.gpu)
        .member("gpus", offer.gpus)
        .member("nodes", part.estimate.nodes)
        .member("spot", part.spot);
    constexpr DollarsPerSecond kDollarAnHour{1.0 / 3600};
    if (const auto& price = part.spot ? offer.spot_price : offer.price) interval("usd_per_hour", *price, kDollarAnHour);
    else json_.null_member("usd_per_hour");
    json_.key("billing").begin_object(true).member("minimum_seconds", offer.billing.minimum.value);
    json_.member("increment_seconds", offer.billing.increment.value).end();
    text_or_null("availability", offer.availability);
    text_or_null("as_of", offer.as_of);
    text_or_null("source", offer.source);
    json_.end();
  }

  void strategy(const PhaseEstimate& estimate, const Phase& phase) {
    const auto* train = std::get_if<TrainPhase>(&phase.work);
    const auto* generate = std::get_if<GeneratePhase>(&phase.work);
    if (!estimate.node || (train == nullptr && generate == nullptr)) {
      json_.null_member("strategy");
      return;
    }
    const Strategy& s = estimate.strategy;
    json_.key("strategy").begin_object();
    json_.member("framework", estimate.framework != nullptr ? std::optional<std::string_view>(estimate.framework->name)
                                                            : std::nullopt);
    json_.member("dp", s.dp).member("tp", s.tp).member("pp", s.pp).member("cp", s.cp).member("ep", s.ep);
    if (train != nullptr) {
      json_.member("micro_batch", s.micro_batch)
          .member("grad_accum", s.grad_accum)
          .member("global_batch", estimate.batch);
      json_.member("sharding", name_of(s.sharding)).member("recompute", name_of(s.recompute));
      json_.member("precision", name_of(s.precision)).member("optimizer", name_of(train->optimizer.matrices));
      json_.member("offload", name_of(s.offload)).member("method", name_of(train->method));
      const bool adapters = train->method == Method::kLora || train->method == Method::kQlora;
      json_.member("lora_rank", adapters ? std::optional<int>(train->lora.rank) : std::nullopt);
      json_.member("attention", name_of(s.attention)).member("compile", s.compile);
      json_.null_member("replicas")
          .null_member("weights")
          .null_member("kv_cache")
          .null_member("batch")
          .null_member("mode");
      json_.null_member("placement");
    } else {
      json_.null_member("micro_batch").null_member("grad_accum").null_member("global_batch").null_member("sharding");
      json_.null_member("recompute").null_member("precision").null_member("optimizer").null_member("offload");
      json_.null_member("method").null_member("lora_rank").null_member("attention").null_member("compile");
      json_.member("replicas", s.dp).member("weights", name_of(s.weights));
      json_.member("kv_cache",
                   generate->kv_cache ? std::optional<std::string_view>(name_of(*generate->kv_cache)) : std::nullopt);
      json_.member("batch", estimate.batch);
      json_.member("mode", generate->forward_only ? std::string_view("prefill") : name_of(generate->situation));
      json_.member("placement", name_of(s.placement));
    }
    json_.end();
  }

  void recommendations() {
    const Recommendations& r = found().recommendations;
    json_.key("recommendations").begin_object();
    id_or_null("cheapest", r.cheapest);
    id_or_null("fastest", r.fastest);
    id_or_null("best_value", r.best_value);
    id_or_null("fewest_gpus", r.fewest_gpus);
    id_or_null("within_deadline", r.within_deadline);
    id_or_null("within_budget", r.within_budget);
    id_or_null("pick", r.pick);
    json_.member("limits_missed", r.limits_missed).end();
  }

  void values() {
    json_.key("value_ranges").begin_array();
    for (const ValueRange& range : found().values) {
      json_.begin_object(true).member("plan", story_.plan(range.plan).id);
      json_.member("from_usd_per_hour", (range.from * units::hour).value);
      if (range.to) json_.member("to_usd_per_hour", (*range.to * units::hour).value);
      else json_.null_member("to_usd_per_hour");
      json_.end();
    }
    json_.end();
  }

  /// What the table says in sentences.
  void words() {
    json_.key("words").begin_array();
    if (!found().plans.empty()) {
      for (const std::string& line : {pick_words(story_), value_words(story_), assumed_value_words(story_),
                                      given_words(story_), availability_words(story_), close_words(story_)})
        if (!line.empty()) json_.value(line);
      for (const std::string& line : not_chosen_words(story_)) json_.value(line);
      for (const std::string& line : limit_words(story_)) json_.value(line);
    }
    json_.end();
  }

  void nothing_fits(const std::vector<Remedy>& remedies) {
    if (!found().plans.empty()) return;
    const NearMiss& miss = found().tally.nearest;
    json_.key("nothing_fits").begin_object();
    if (miss.phase >= 0 && miss.gpu != nullptr) {
      json_.member("phase", story_.job.phases[static_cast<std::size_t>(miss.phase)].name).member("gpu", miss.gpu->name);
      json_.member("gpus", miss.gpus)
          .member("needed_gib", miss.needed / units::GiB)
          .member("usable_gib", miss.usable / units::GiB);
    }
    text_or_null("reason", found().tally.unsupported_reason);
    json_.key("words").begin_array();
    for (const std::string& line : nothing_fits_words(story_, {})) json_.value(line);
    json_.end().key("remedies").begin_array();
    for (const Remedy& remedy : remedies) {
      json_.begin_object(true).member("change", remedy.change).member("needed_gib", remedy.needed / units::GiB);
      json_.member("enough", remedy.enough).end();
    }
    json_.end().end();
  }

  void explain() {
    json_.key("explain").begin_array();
    for (const Plan& plan : found().plans)
      if (&plan == story_.pick() || (look_.all && plan.on_frontier)) write_explanation(json_, story_, plan);
    json_.end();
  }

  const PlanStory& story_;
  const PlanJsonLook& look_;
  JsonWriter json_;
};

}  // namespace

std::string plan_json(const PlanStory& story, const PlanJsonLook& look, const std::vector<Remedy>& remedies) {
  return PlanJson(story, look).text(remedies);
}

}  // namespace gpuplan
