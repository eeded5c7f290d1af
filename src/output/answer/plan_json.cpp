#include "output/answer/plan_json.h"

#include <algorithm>
#include <array>

#include "output/answer/parts/api_words.h"
#include "output/answer/parts/limit_table.h"
#include "output/answer/plan_variants.h"
#include "output/answer/remarks.h"
#include "output/explain/explain.h"
#include "output/explain/own_terms_words.h"
#include "output/prose/prose_json.h"
#include "output/text/json_writer.h"
#include "output/views/plan_views.h"
#include "output/words/beside_words.h"
#include "output/words/collection_words.h"
#include "output/words/gate_words.h"
#include "output/words/json_parts.h"
#include "output/words/problem_words.h"
#include "plan/notes/model_notes.h"

namespace gpuplan {
namespace {

/// However far from the frontier, a plan that is referred to is in the list.
bool recommended(const PlanReport& report, const Plan& plan) {
  const Recommendations& r = report.found.recommendations;
  return std::ranges::any_of(
      std::array{r.cheapest, r.fastest, r.best_value, r.fewest_gpus, r.within_deadline, r.within_budget, r.pick},
      [&](const std::optional<int>& position) { return position && &report.plan(*position) == &plan; });
}

/// The document, part by part. Amounts are written in the unit that the member's name says.
class PlanJson {
 public:
  PlanJson(const PlanReport& report, const PlanJsonLook& look) : report_(report), look_(look) {}

  std::string text(const std::vector<Remedy>& remedies) {
    json_.begin_object().member("schema", "gpuplan/plan@1").member("job", report_.job.name);
    json_.key("prose");
    write_prose(json_, report_.job);
    job_file();
    market();
    if (look_.launched != nullptr) json_.member("launched", look_.launched->id);
    json_.member("considered", report_.found.tally.considered);
    rejected();
    json_.member("elapsed_ms", look_.elapsed_ms);
    limits();
    json_.member("plans_found", static_cast<std::int64_t>(found().plans.size()));
    plans();
    json_.key("known_problems");
    write_problems(json_, report_, written_);
    recommendations();
    values();
    json_.key("assumptions").begin_array();
    for (const std::string& line : report_.found.assumptions) json_.value(line);
    json_.end().key("warnings").begin_array();
    const Plan* pick = report_.pick();
    for (const std::string& line : pick != nullptr ? warnings(report_, *pick) : model_notes(report_.job))
      json_.value(line);
    json_.end().key("from_config").begin_array();
    for (const std::string& line : report_.job.from_config) json_.value(line);
    json_.end();
    api();
    words();
    json_.key("variants");
    write_variants(json_, report_);
    json_.key("limit_remedies");
    write_limit_remedies(json_, report_);
    nothing_fits(remedies);
    if (look_.explain) explain();
    if (!look_.views.empty()) {
      json_.key("tables");
      write_views(json_, look_.views, report_);
    }
    json_.end();
    return json_.take();
  }

 private:
  const SearchResult& found() const { return report_.found; }

  void id_or_null(std::string_view name, const std::optional<int>& position) {
    if (position) json_.member(name, report_.plan(*position).id);
    else json_.null_member(name);
  }

  void job_file() {
    if (look_.job_text.empty()) {
      json_.null_member("job_file");
      return;
    }
    json_.key("job_file").begin_object().member("name", look_.job_file).member("text", look_.job_text).end();
  }

  void market() {
    const MarketFilter& filter = found().market;
    json_.key("market").begin_object();
    write_price_age(json_, report_);
    json_.member("offers", filter.used);
    std::vector<std::string> sources = found().sources;
    if (brings_offers(report_.job) && std::ranges::find(sources, kJobSource) == sources.end())
      sources.emplace(sources.begin(), kJobSource);
    json_.member("sources", sources);
    json_.member("known", filter.offers)
        .member("left_out_by_where", filter.by_where)
        .member("left_out_too_old", filter.too_old)
        .member("left_out_outdated", filter.outdated)
        .member("left_out_sold_out", filter.sold_out)
        .member("left_out_gone", filter.gone)
        .member("left_out_dearer", filter.dearer)
        .member("listed_twice", filter.twice);
    json_.member("spot_prices_without_interruption_rate", filter.spot_without_rate);
    if (!report_.taken_off.empty()) {
      json_.key("discounts").begin_array();
      for (const TakenOff& one : report_.taken_off) {
        json_.begin_object(true).member("provider", one.provider);
        write_text_or_null(json_, "gpu", one.gpu);
        json_.member("share", one.share).end();
      }
      json_.end();
    }
    json_.end();
    if (const int runs = own_runs_in_use(report_); runs > 0) {
      json_.key("calibration").begin_object(true).member("runs", runs);
      write_text_or_null(json_, "newest", report_.catalogue.own_runs_as_of);
      json_.end();
    }
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
    const Job& job = report_.job;
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
    written_ = look_.launched != nullptr ? std::vector{look_.launched} : plans_told(report_, look_.all);
    for (const Plan* plan : written_) write(*plan);
    json_.end();
  }

  void write(const Plan& plan) {
    const bool one = plan.offer != nullptr;
    json_.begin_object().member("id", plan.id).member("label", plan.label);
    write_text_or_null(json_, "provider", one ? plan.offer->provider : Word());
    write_text_or_null(json_, "region", one ? plan.offer->region : Word());
    write_text_or_null(json_, "instance", one ? plan.offer->instance : Word());
    if (one) json_.member("gpu", plan.offer->gpu).member("gpus", plan.gpus).member("nodes", plan.nodes);
    else json_.null_member("gpu").null_member("gpus").null_member("nodes");
    json_.member("spot", all_spot(plan));
    write_outcome(json_, "hours", plan.hours, units::hour);
    write_outcome(json_, "cost_usd", plan.cost, units::dollar);
    json_.member("gpu_hours", plan.gpu_hours).member("billed_gpu_hours", plan.billed_gpu_hours);
    json_.member("evidence", name_of(plan.evidence))
        .member("fit", name_of(plan.fit))
        .member("on_frontier", plan.on_frontier);
    json_.key("dominated_by").begin_array(true);
    for (const int position : plan.dominated_by) json_.value(report_.plan(position).id);
    json_.end();
    if (plan.price_of_time_saved) json_.member("usd_per_hour_saved", (*plan.price_of_time_saved * units::hour).value);
    else json_.null_member("usd_per_hour_saved");
    write_gates(json_, report_, plan);
    json_.member("chance_in_time", plan.chance_in_time).member("chance_in_budget", plan.chance_in_budget);
    json_.member("chance_best", plan.chance_best);
    json_.member("meets_deadline", plan.meets_deadline).member("meets_budget", plan.meets_budget);
    json_.member("reaches_target", plan.reaches_target);
    json_.member("close_to_previous", plan.close_to_previous).member("kept", plan.kept);
    json_.member("buffer_hours", plan.buffer / units::hour).member("interruption_hours", plan.spot_loss / units::hour);
    json_.member("interruptions", plan.interruptions).member("interruptions_simulated", plan.uninterrupted < 1);
    json_.member("chance_of_interruption", plan.chance_of_interruption()).member("idle_usd", plan.idle.value);
    json_.member("disk_usd", plan.disk.value);
    json_.member("egress_usd", plan.egress.value);
    write_credits(json_, report_.job, plan);
    write_interval(json_, "wait_hours", plan.wait, units::hour);
    write_text_or_null(json_, "availability", one ? plan.offer->availability : Word());
    if (const PhasePlan* fullest = plan.fullest()) write_memory(json_, fullest->estimate);
    else json_.null_member("memory_gib");
    write_problem_ids(json_, report_, plan);
    json_.key("phases").begin_array();
    const bool picked = &plan == report_.pick();  // the runners-up of others nobody asks about
    for (const PhasePlan& part : plan.phases)
      write_phase(json_, part, report_.job.phases[static_cast<std::size_t>(part.estimate->phase)], report_.job.buffer,
                  picked ? alternatives(report_.job, part.estimate, report_.catalogue) : std::vector<Alternative>{});
    json_.end();
    leases(plan);
    json_.end();
  }

  void leases(const Plan& plan) {
    json_.key("leases").begin_array();
    for (const Lease& lease : plan.leases) {
      json_.begin_object(true);
      write_text_or_null(json_, "provider", lease.offer->provider);
      write_text_or_null(json_, "instance", lease.offer->instance);
      json_.member("gpu", lease.offer->gpu).member("gpus", lease.gpus).member("nodes", lease.nodes);
      json_.member("spot", lease.spot).member("from_hour", lease.from / units::hour);
      json_.member("to_hour", lease.to / units::hour).member("billed_hours", lease.billed / units::hour);
      json_.member("cost_usd", lease.cost.value);
      write_covered(json_, report_.job, lease);
      json_.key("phases").begin_array(true);
      for (const int phase : lease.phases) json_.value(report_.job.phases[static_cast<std::size_t>(phase)].name);
      json_.end().end();
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
    if (r.regret) {
      json_.key("regret").begin_object(true);
      json_.member("cost_usd", r.regret->cost ? std::optional(r.regret->cost->value) : std::nullopt);
      json_.member("hours", r.regret->time ? std::optional(*r.regret->time / units::hour) : std::nullopt).end();
    } else {
      json_.null_member("regret");
    }
    if (const auto& price = report_.break_even) {
      json_.key("break_even").begin_object(true);
      json_.member("usd_per_hour", (price->price * units::hour).value);
      json_.member("now_usd_per_hour", (price->now * units::hour).value);
      json_.member("then", price->then->id).end();
    } else {
      json_.null_member("break_even");
    }
    json_.member("limits_missed", r.limits_missed).end();
  }

  void values() {
    json_.key("value_ranges").begin_array();
    for (const ValueRange& range : found().values) {
      json_.begin_object(true).member("plan", report_.plan(range.plan).id);
      json_.member("from_usd_per_hour", (range.from * units::hour).value);
      if (range.to) json_.member("to_usd_per_hour", (*range.to * units::hour).value);
      else json_.null_member("to_usd_per_hour");
      json_.end();
    }
    json_.end();
  }

  /// The pick against somebody's API.
  void api() {
    if (report_.pick() != nullptr) write_api(json_, report_, *report_.pick());
    else json_.null_member("api");
  }

  /// What the table says in sentences.
  void words() {
    json_.key("words").begin_array();
    if (!found().plans.empty()) {
      for (const std::string& line : {pick_words(report_), value_words(report_), assumed_value_words(report_),
                                      given_words(report_), availability_words(report_), close_words(report_)})
        if (!line.empty()) json_.value(line);
      for (const std::string& line : collection_words(report_)) json_.value(line);
      if (const std::string words = faster_words(report_); !words.empty()) json_.value(words);
      for (const std::string& line : beside_words(report_)) json_.value(line);
      for (const std::string& line : summary_words(report_)) json_.value(line);
      for (const std::string& line : limit_words(report_)) json_.value(line);
    }
    json_.end();
  }

  void nothing_fits(const std::vector<Remedy>& remedies) {
    if (!found().plans.empty()) return;
    const NearMiss& miss = found().tally.nearest;
    json_.key("nothing_fits").begin_object();
    if (miss.phase >= 0 && miss.gpu != nullptr) {
      json_.member("phase", report_.job.phases[static_cast<std::size_t>(miss.phase)].name)
          .member("gpu", miss.gpu->name);
      json_.member("gpus", miss.gpus)
          .member("needed_gib", miss.needed / units::GiB)
          .member("usable_gib", miss.usable / units::GiB);
    }
    write_text_or_null(json_, "reason", found().tally.unsupported_reason);
    json_.key("phases").begin_array(true);
    if (report_.unfit)
      for (const UnfitPhase& unfit : *report_.unfit)
        json_.value(report_.job.phases[static_cast<std::size_t>(unfit.phase)].name);
    json_.end();
    json_.key("words").begin_array();
    for (const std::string& line : nothing_fits_words(report_)) json_.value(line);
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
      if (&plan == report_.pick() || (look_.all && plan.on_frontier)) write_explanation(json_, report_, plan);
    json_.end();
  }

  const PlanReport& report_;
  const PlanJsonLook& look_;
  std::vector<const Plan*> written_;
  JsonWriter json_;
};

}  // namespace

std::vector<const Plan*> plans_told(const PlanReport& report, bool all) {
  // Of a job of a thousand phases, fifty plans nobody asks for would be a hundred megabytes.
  constexpr std::size_t kNearest = 50, kPhases = 1000;
  const std::size_t most = std::min(kNearest, kPhases / std::max<std::size_t>(report.job.phases.size(), 1));
  std::vector<const Plan*> told;
  std::size_t nearest = 0;
  for (const Plan& plan : report.found.plans) {
    if (all || plan.on_frontier || recommended(report, plan) || nearest < most) told.push_back(&plan);
    if (!plan.on_frontier) ++nearest;
  }
  return told;
}

std::string plan_json(const PlanReport& report, const PlanJsonLook& look, const std::vector<Remedy>& remedies) {
  return PlanJson(report, look).text(remedies);
}

}  // namespace gpuplan
