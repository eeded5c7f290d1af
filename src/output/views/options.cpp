// plan --show options: the pick's machines kept, let go while idle, on demand or as spot: what each way costs and
// saves.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "plan/advice/rental_options.h"

namespace gpuplan {

std::string rental_words(const RentalOption& option) {
  const std::string how = option.schedule == Schedule::kBest   ? "recommended"
                          : option.schedule == Schedule::kKeep ? "held"
                          : option.human_without               ? "released while idle and during manual work"
                                                               : "released while idle";
  return how + (option.spot ? ", spot" : ", on demand");
}

std::string rental_settings(const RentalOption& option) {
  if (option.schedule == Schedule::kBest) return "";
  return std::string("where.spot: ") + (option.spot ? "only" : "never") +
         ", schedule: " + std::string(name_of(option.schedule));
}

namespace {

/// Where one of the ways lets machines go while somebody works and the pick does not: what that makes of the cost. Like
/// is compared with like: both on demand or both spot.
std::string human_words(const PlanReport& report, const Plan& pick, const std::vector<RentalOption>& options) {
  const ManualWork held = manual_work(report, pick);
  const auto other = std::ranges::find_if(
      options, [&](const RentalOption& option) { return option.human_without && option.spot == pick.spot; });
  if (held.cost <= Dollars{} || other == options.end()) return "";
  return "Machines are held during manual work in " + listed(held.phases) + ": " + to_text(held.cost) + " of the " +
         to_text(pick.cost.p50) + ". Release them with schedule: stop_when_idle: " + to_text(other->cost.p50) + ".";
}

void add_option(const PlanReport& report, const RentalOption& option, const RentalOption& first, bool picked,
                Table& table) {
  std::vector<Cell> row = {pick_mark(report, picked), {rental_words(option), picked ? Paint::kGreen : Paint::kPlain}};
  add_hours(row, option.hours);
  add_cost(row, option.cost);
  const Dollars saved = first.cost.p50 - option.cost.p50;
  const bool other = &option != &first;
  const double share = first.cost.p50 > Dollars{} ? saved / first.cost.p50 : 0;
  row.push_back(other ? Cell(saved.value, to_text(saved)) : Cell());
  row.push_back(other ? Cell(share, percent(share), Paint::kDim) : Cell());
  row.emplace_back(option.gpu_hours, rate_text(option.gpu_hours));
  row.emplace_back(option.billed_gpu_hours, rate_text(option.billed_gpu_hours));
  const double used = option.billed_gpu_hours > 0 ? option.gpu_hours / option.billed_gpu_hours : 0;
  row.emplace_back(used, percent(used));
  row.push_back(option.gpu_hours > 0 ? money_cell(option.machines / option.gpu_hours) : Cell());
  row.push_back(paid_cell(option.idle));
  row.push_back(option.spot ? Cell(option.chance_of_interruption, chance_words(option.chance_of_interruption))
                            : Cell());
  row.emplace_back(rental_settings(option), Paint::kDim);
  table.add(std::move(row));
}

}  // namespace

ViewContent options_view(const PlanReport& report, const Screen&) {
  const Plan* pick = report.pick();
  if (pick == nullptr) return {"Same offers, other terms", Table({}), {"There is no plan."}};
  return options_content(report, *pick, rental_options(report.job, report.catalogue, *pick, report.how));
}

ViewContent options_content(const PlanReport& report, const Plan& plan, const std::vector<RentalOption>& options) {
  const Plan* const pick = &plan;
  std::vector<Column> columns = {{.title = ""},
                                 {.title = "TERMS", .narrowest = 16, .wrap = true, .gap = 1, .key = "way"}};
  add_hours_columns(columns, 7);
  add_cost_columns(columns, 6);
  columns.push_back({.title = "SAVES", .align = Align::kRight, .key = "saved_usd"});
  columns.push_back({.title = "", .align = Align::kRight, .drop = 8, .gap = 1, .key = "saved_share"});
  columns.push_back({.title = "GPU-HOURS", .align = Align::kRight, .drop = 4, .unit = "used", .key = "gpu_hours_used"});
  columns.push_back(
      {.title = "GPU-HOURS", .align = Align::kRight, .drop = 3, .unit = "billed", .key = "gpu_hours_billed"});
  columns.push_back({.title = "USED", .align = Align::kRight, .drop = 5, .key = "utilisation"});
  columns.push_back({.title = "$/GPU-HOUR", .align = Align::kRight, .unit = "used", .key = "usd_per_gpu_hour_used"});
  columns.push_back({.title = "IDLE", .align = Align::kRight, .drop = 2, .unit = "cost", .key = "idle_usd"});
  columns.push_back({.title = "CHANCE OF",
                     .align = Align::kRight,
                     .drop = 1,
                     .unit = "interruption",
                     .key = "chance_of_interruption"});
  columns.push_back({.title = "", .key = "settings"});
  ViewContent view{"Same offers, other terms: " + report.name(*pick), Table(std::move(columns)), {}};

  bool seen = false;
  for (const RentalOption& option : options) {
    const bool picked = is_plan(option, *pick);
    add_option(report, option, options.front(), picked, view.table);
    seen = seen || picked;
  }
  // Machines taken side by side, or phase by phase from several offers, are no such way.
  if (!seen && !options.empty())
    add_option(report, option_of(report.job, *pick, Schedule::kBest, pick->spot), options.front(), true, view.table);
  if (options.empty()) {
    view.notes.emplace_back(
        std::ranges::any_of(pick->phases, [](const PhasePlan& part) { return part.offer != nullptr; })
            ? "These machines are rented side by side, each for its phases only: there are no other "
              "terms for all of them."
            : "The plan rents nothing.");
    return view;
  }
  view.notes.emplace_back(
      "Held machines bill while idle. Released ones must be found and set up again (billing.startup says how long that "
      "takes), and lose their disk.");
  if (std::ranges::any_of(options, [](const RentalOption& option) { return option.spot; }))
    view.notes.emplace_back("Spot machines may be interrupted; the cost of that is included.");
  else if (std::ranges::any_of(pick->phases,
                               [](const PhasePlan& part) { return part.offer && part.offer->spot_price; }))
    view.notes.emplace_back("Spot is left out: the interruption rate of these machines is unknown.");
  if (std::ranges::any_of(options, &RentalOption::human_without))
    view.notes.emplace_back("Manual phases (human: true) get no GPU once the machine is released.");
  if (std::string words = human_words(report, *pick, options); !words.empty()) view.notes.push_back(std::move(words));
  return view;
}

}  // namespace gpuplan
