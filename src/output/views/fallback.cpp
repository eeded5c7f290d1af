// plan --show fallback: what to take, in which order, when the pick is not to be had, and up to which price.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/fallback.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {

namespace {

/// Why there is one kind of machine: no other runs the job, fits, or keeps the limits.
std::string only_words(const PlanReport& report, const Plan& plan) {
  const auto others = [&](auto holds) {
    return std::ranges::any_of(report.found.plans,
                               [&](const Plan& other) { return other.label != plan.label && holds(other); });
  };
  if (!others([](const Plan&) { return true; })) return "that runs the job.";
  if (!others([](const Plan& other) { return other.fit == Fit::kFits; })) return "whose memory fits.";
  return plan.keeps_limits() ? "within the limits." : "near the limits.";
}

}  // namespace

ViewContent fallback_view(const PlanReport& report, const Screen&) {
  std::vector<Column> columns = {{.title = "RANK", .key = "role"}};
  add_plan_columns(columns, 4);
  add_hours_columns(columns, 7);
  add_queue_column(columns);
  add_cost_columns(columns, 6);
  columns.push_back({.title = "PRICE", .align = Align::kRight, .unit = "per hour", .key = "usd_per_hour"});
  columns.push_back({.title = "UP TO", .align = Align::kRight, .unit = "per hour", .key = "below_usd_per_hour"});
  columns.push_back({.title = "OFFERS", .align = Align::kRight, .drop = 2, .key = "offers"});
  columns.push_back({.title = "AVAILABILITY", .drop = 3, .narrowest = 12, .wrap = true, .key = "availability"});
  columns.push_back({.title = "LIMITS", .drop = 5, .key = "limits"});
  ViewContent view{"Alternatives if the recommended GPU is unavailable, best first", Table(std::move(columns)), {}};

  std::vector<Fallback> rows = report.stand_ins();
  if (report.break_even) rows.front().below = report.break_even->price;
  bool unknown = true, limited = false;
  const bool missed = report.found.recommendations.limits_missed;
  for (const Fallback& fallback : rows) {
    const Plan& plan = *fallback.plan;
    std::vector<Cell> row = {{fallback.role}};
    add_plan(row, report, plan);
    add_hours(row, plan.hours);
    row.push_back(queue_cell(plan));
    add_cost(row, plan.cost);
    row.push_back(price_cell(plan));
    // Of machines that are not rented nobody asks another price.
    row.push_back(rents(plan) ? price_cell(fallback.below) : Cell());
    limited = limited || (rents(plan) && fallback.below);
    row.push_back(fallback.offers > 0 ? Cell(fallback.offers, std::to_string(fallback.offers)) : Cell());
    const std::string words = plan.offer == nullptr ? "" : printable(plan.offer->availability, 40);
    unknown = unknown && (plan.offer == nullptr || availability_of(*plan.offer) == Availability::kUnknown);
    row.emplace_back(words, is_rare(plan) ? Paint::kYellow : Paint::kPlain);
    row.emplace_back(missed ? limits_words(plan) : "", Paint::kYellow);
    view.table.add(std::move(row));
  }
  if (rows.size() == 1) {
    view.notes.push_back("No alternative: " + report.name(*rows.front().plan) + " is the only kind of machine " +
                         only_words(report, *rows.front().plan));
    return view;
  }
  const Goal goal = report.job.goal;
  const std::string ranked = missed ? (misses_deadline(report.job, report.found) ? "hours (P90)" : "cost (P90)")
                             : goal == Goal::kCheapest ? "cost"
                             : goal == Goal::kFastest  ? "hours"
                             : goal == Goal::kFewestGpus
                                 ? "number of GPUs, then cost"
                                 : "cost + " + short_money(report.job.value_of_time * units::hour) + " per hour";
  const std::string ties = missed || goal == Goal::kFewestGpus ? "" : "; of plans hardly apart the easier to get";
  std::string note = (missed ? "No plan meets the limits; ranked by " : "Ranked by ") + ranked + ties;
  if (report.found.recommendations.tied_with) note += "; the first has " + tied_rule(report, "least");
  if (missed) note += ", closest first";
  else if (limited && (goal == Goal::kBestValue || goal == Goal::kCheapest))
    note += ". \"Up to\": above this price, another plan is the better one" +
            std::string(report.job.limits.budget ? "; up to it the budget is kept" : "");
  else if (limited && report.job.limits.budget) note += ". \"Up to\": above this price the plan is over budget";
  view.notes.push_back(note + ".");
  if (report.break_even) {
    const std::string provider = printable(rows.front().plan->offer->provider, 40);
    view.notes.push_back(report.name(*rows.front().plan) + (provider.empty() ? "" : " at " + provider) +
                         " stays recommended " + break_even_words(report) + ".");
  }
  const auto rented = [](const Fallback& row) {
    return row.plan->offer != nullptr && row.plan->offer->kind == OfferKind::kRented;
  };
  if (unknown && std::ranges::any_of(rows, rented))
    view.notes.emplace_back("Availability is unknown; more offers mean better odds.");
  return view;
}

}  // namespace gpuplan
