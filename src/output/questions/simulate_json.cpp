// Simulations for other programs: JSON and CSV.
#include <cmath>

#include "base/text.h"
#include "output/questions/simulate_report.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"

namespace gpuplan {
namespace {

template <class T, class Unit>
void write_shares(JsonWriter& json, std::string_view name, const std::array<T, kSimulatedShares.size()>& values,
                  Unit unit) {
  json.key(name).begin_object(true);
  for (std::size_t i = 0; i < values.size(); ++i)
    json.member("p" + number_text(kSimulatedShares[i] * 100), values[i] / unit);
  json.end();
}

void write_policy(JsonWriter& json, const PolicyResult& one, bool deadline, bool credits) {
  json.begin_object().member("policy", name_of(one.policy)).member("histories", one.histories);
  write_outcome(json, "hours", one.hours, units::hour);
  write_outcome(json, "cost_usd", one.cost, units::dollar);
  write_shares(json, "hours_at", one.hours_at, units::hour);
  write_shares(json, "cost_usd_at", one.cost_at, units::dollar);
  json.member("chance_in_time", deadline ? std::optional(1 - one.late) : std::nullopt);
  json.member("share_unfinished", one.unfinished);
  json.member("spot_hours", one.spot / units::hour).member("on_demand_hours", one.on_demand / units::hour);
  json.member("work_hours_on_spot", one.work_on_spot / units::hour);
  json.member("work_hours_on_demand", one.work_on_demand / units::hour);
  json.member("work_hours_on_demand_deviation", one.work_on_demand_deviation / units::hour);
  json.member("lost_hours", one.lost / units::hour).member("waited_hours", one.waited / units::hour);
  if (credits) json.member("credits_usd", one.credited.value);
  json.member("interruptions", one.interruptions).member("starts", one.starts).end();
}

std::string_view model_name(const Simulation& simulation) {
  if (!simulation.traces.empty()) return "trace";
  return simulation.bathtub ? "bathtub" : "exponential";
}

void write_piece(JsonWriter& json, const Simulation& simulation, const SimulatedPiece& piece) {
  json.begin_object().member("name", piece.name).member("on_machine", piece.on_machine);
  write_interval(json, "work_hours", piece.work, units::hour);
  write_interval(json, "extra_hours", piece.extra, units::hour);
  json.member("checkpoint_seconds", piece.terms.checkpoint.value);
  json.member("notice_seconds", piece.terms.notice.value);
  json.member("checkpoint_interval_seconds", piece.interval.value);
  json.key("intervals").begin_array();
  for (const IntervalChoice& choice : interval_choices(simulation, piece)) {
    json.begin_object(true).member("name", choice.name).member("interval_seconds", choice.interval.value);
    json.member("expected_hours", choice.wall / units::hour).member("more_hours", choice.more / units::hour);
    json.member("more_usd", choice.dollars.value).end();
  }
  json.end().end();
}

}  // namespace

std::string simulate_json(const SimulateReport& report) {
  const Simulation& simulation = report.simulation;
  const bool deadline = simulation.deadline > Seconds{};
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/simulate@1");
  write_text_or_null(json, "job", report.job);
  if (report.plan_id.empty()) {
    json.null_member("plan");
  } else {
    json.key("plan").begin_object(true).member("id", report.plan_id).member("name", report.plan).end();
  }
  json.key("market").begin_object(true);
  write_text_or_null(json, "as_of", report.prices_as_of);
  json.member("age_days", report.price_age_days).end();
  json.member("seed", simulation.seed).member("histories", simulation.histories());
  json.member("deadline_hours", deadline ? std::optional(simulation.deadline / units::hour) : std::nullopt);
  json.member("confidence", simulation.confidence);
  const auto per_hour = DollarsPerSecond{1.0 / 3600};
  write_interval(json, "spot_usd_per_hour", simulation.spot_price, per_hour);
  if (simulation.on_demand_price) write_interval(json, "on_demand_usd_per_hour", *simulation.on_demand_price, per_hour);
  else json.null_member("on_demand_usd_per_hour");
  json.key("interruptions").begin_object().member("model", model_name(simulation));
  write_interval(json, "rate_per_hour", simulation.rate, PerSecond{1.0 / 3600});
  json.member("machines", simulation.machines).member("wait_seconds", simulation.wait.value);
  json.member("restart_seconds", simulation.restart.value).key("traces").begin_array();
  for (const SimulatedTrace& trace : simulation.traces) {
    const TraceStatistics facts = statistics(trace.runs);
    json.begin_object().member("name", trace.name).member("replays_from_list", trace.starts.size());
    json.member("length_hours", facts.length / units::hour).member("share_available", facts.available);
    json.member("up_runs", facts.up_runs).member("interruptions", facts.interruptions);
    json.member("rate_per_hour", facts.rate.value * 3600).member("mean_up_hours", facts.mean_up / units::hour);
    json.member("median_up_hours", facts.median_up / units::hour);
    json.member("mean_down_hours", facts.mean_down / units::hour);
    json.member("longest_down_hours", facts.longest_down / units::hour).end();
  }
  json.end().end();
  json.key("pieces").begin_array();
  for (const SimulatedPiece& piece : simulation.pieces) write_piece(json, simulation, piece);
  json.end();
  json.key("policies").begin_array();
  for (const PolicyResult& one : report.result.policies) write_policy(json, one, deadline, !simulation.credits.empty());
  json.end();
  if (const auto& bound = report.result.bound) {
    json.key("lower_bound").begin_object(true).member("cost_usd", bound->cost.value);
    json.member("spot_hours", bound->spot / units::hour).member("on_demand_hours", bound->on_demand / units::hour);
    json.member("work_hours_on_spot", bound->work_on_spot / units::hour);
    json.member("work_hours_on_demand", bound->work_on_demand / units::hour).end();
  } else {
    json.null_member("lower_bound");
  }
  const auto& best = report.result.best;
  write_text_or_null(json, "recommended", best ? name_of(report.result.policies[*best].policy) : "");
  write_text_or_null(json, "wanted", report.wanted ? name_of(*report.wanted) : "");
  json.member("why", best_policy_words(report)).member("assumptions", report.notes);
  json.member("elapsed_ms", report.elapsed_ms).end();
  return json.take();
}

std::string simulate_csv(const SimulateReport& report) {
  std::vector<Column> columns;
  for (const char* key :
       {"policy", "hours", "hours_p10", "hours_p90", "hours_mean", "cost_usd", "cost_usd_p10", "cost_usd_p90",
        "cost_usd_mean", "chance_in_time", "spot_hours", "on_demand_hours", "work_hours_on_spot",
        "work_hours_on_demand", "lost_hours", "waited_hours", "interruptions", "starts"})
    columns.push_back({.title = "", .key = key});
  Table table(std::move(columns));
  const auto finite = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
  for (const PolicyResult& one : report.result.policies) {
    std::vector<Cell> row{Cell(std::string(name_of(one.policy)))};
    for (const Seconds time : {one.hours.p50, one.hours.p10, one.hours.p90, one.hours.mean})
      row.push_back(finite(time / units::hour));
    for (const Dollars money : {one.cost.p50, one.cost.p10, one.cost.p90, one.cost.mean})
      row.push_back(finite(money.value));
    row.push_back(report.simulation.deadline > Seconds{} ? Cell(1 - one.late) : Cell());
    for (const Seconds time : {one.spot, one.on_demand, one.work_on_spot, one.work_on_demand, one.lost, one.waited})
      row.emplace_back(time / units::hour);
    row.emplace_back(one.interruptions);
    row.emplace_back(one.starts);
    table.add(std::move(row));
  }
  return table.csv();
}

}  // namespace gpuplan
