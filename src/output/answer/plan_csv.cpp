// `gpuplan plan --csv`: a row for each plan.
#include "base/text.h"
#include "output/answer/plan_json.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"

namespace gpuplan {
namespace {

/// One row, key by key; the first row says what the columns are.
class PlanRow {
 public:
  void text(std::string key, std::string what) { add(std::move(key), Cell(std::move(what))); }
  void flag(std::string key, bool what) { text(std::move(key), what ? "true" : "false"); }
  void figure(std::string key, std::optional<double> what) { add(std::move(key), what ? Cell(*what) : Cell()); }
  template <class Amount, class Unit>
  void outcome(const std::string& key, const Outcome<Amount>& amount, Unit unit) {
    figure(key + "_p10", amount.p10 / unit);
    figure(key + "_p50", amount.p50 / unit);
    figure(key + "_p90", amount.p90 / unit);
    figure(key + "_mean", amount.mean / unit);
  }

  std::vector<Column> columns;
  std::vector<Cell> cells;

 private:
  void add(std::string key, Cell cell) {
    columns.push_back({.title = "", .key = std::move(key)});
    cells.push_back(std::move(cell));
  }
};

std::optional<double> figure_if(bool known, double figure) { return known ? std::optional(figure) : std::nullopt; }

PlanRow row_of(const PlanReport& report, const Plan& plan, const std::string& name) {
  const Offer nowhere;
  const bool one = plan.offer != nullptr;  // else the phases are on several offers
  const Offer& offer = one ? *plan.offer : nowhere;
  PlanRow row;
  row.text("id", plan.id);
  row.text("plan", name);
  row.text("label", plan.label);
  row.text("provider", offer.provider);
  row.text("region", offer.region);
  row.text("instance", offer.instance);
  row.text("gpu", one ? offer.gpu : "");
  row.figure("gpus", figure_if(one, plan.gpus));
  row.figure("nodes", figure_if(one, plan.nodes));
  const auto spot = all_spot(plan);
  row.text("spot", spot ? (*spot ? "true" : "false") : "");
  row.outcome("hours", plan.hours, units::hour);
  row.outcome("cost_usd", plan.cost, units::dollar);
  row.figure("gpu_hours", plan.gpu_hours);
  row.figure("billed_gpu_hours", plan.billed_gpu_hours);
  row.text("evidence", std::string(name_of(plan.evidence)));
  row.text("fit", std::string(name_of(plan.fit)));
  row.flag("pick", &plan == report.pick());
  row.flag("on_frontier", plan.on_frontier);
  std::string by;
  for (const int position : plan.dominated_by) by += (by.empty() ? "" : " ") + report.plan(position).id;
  row.text("dominated_by", by);
  row.figure("usd_per_hour_saved",
             plan.price_of_time_saved ? std::optional((*plan.price_of_time_saved * units::hour).value) : std::nullopt);
  row.figure("chance_in_time", plan.chance_in_time);
  row.figure("chance_best", plan.chance_best);
  row.flag("meets_deadline", plan.meets_deadline);
  row.flag("meets_budget", plan.meets_budget);
  row.flag("reaches_target", plan.reaches_target);
  row.figure("interruptions", plan.interruptions);
  row.figure("interruption_hours", plan.spot_loss / units::hour);
  row.figure("idle_usd", plan.idle.value);
  const PhasePlan* fullest = plan.fullest();
  const bool memory = fullest != nullptr && fullest->estimate->node && fullest->estimate->node->gpu != nullptr;
  const auto gib = [&](auto size) { return memory ? std::optional(size() / units::GiB) : std::nullopt; };
  row.figure("memory_gib_p10", gib([&] { return fullest->estimate->memory_total.p10; }));
  row.figure("memory_gib_p50", gib([&] { return fullest->estimate->memory_total.p50; }));
  row.figure("memory_gib_p90", gib([&] { return fullest->estimate->memory_total.p90; }));
  row.figure("usable_gib", gib([&] { return fullest->estimate->node->gpu->usable; }));
  row.text("availability", offer.availability);
  row.text("as_of", offer.as_of);
  return row;
}

}  // namespace

std::string plan_csv(const PlanReport& report, bool all) {
  const std::vector<const Plan*> plans = plans_told(report, all);
  Table table(row_of(report, Plan{}, "").columns);
  for (const Plan* plan : plans) table.add(row_of(report, *plan, report.name(*plan)).cells);
  return table.csv();
}

}  // namespace gpuplan
