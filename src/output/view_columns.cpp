#include "output/view_columns.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/plan_words.h"

namespace gpuplan {
namespace {

void add_outcome_columns(std::vector<Column>& columns, const char* title, const std::string& key, int drop) {
  columns.push_back({.title = title, .align = Align::kRight, .key = key});
  columns.push_back({.title = "P10 … P90", .align = Align::kRight, .drop = drop, .around = " … "});
  columns.push_back({.title = "", .key = key + "_p10"});
  columns.push_back({.title = "", .key = key + "_p90"});
}

}  // namespace

void add_hours_columns(std::vector<Column>& columns, int drop) { add_outcome_columns(columns, "HOURS", "hours", drop); }

void add_cost_columns(std::vector<Column>& columns, int drop) {
  add_outcome_columns(columns, "COST", "cost_usd", drop);
}

void add_hours(std::vector<Cell>& row, const Outcome<Seconds>& hours, Paint paint) {
  row.emplace_back(hours.p50 / units::hour, hours_text(hours.p50), paint);
  row.emplace_back(outcome_text(hours), Paint::kDim);
  row.emplace_back(hours.p10 / units::hour);
  row.emplace_back(hours.p90 / units::hour);
}

void add_cost(std::vector<Cell>& row, const Outcome<Dollars>& cost, Paint paint) {
  row.push_back(money_cell(cost.p50, paint));
  row.emplace_back(outcome_text(cost), Paint::kDim);
  row.emplace_back(cost.p10 / units::dollar);
  row.emplace_back(cost.p90 / units::dollar);
}

void add_nothing(std::vector<Cell>& row, int cells) {
  for (int i = 0; i < cells; ++i) row.emplace_back();
}

Cell money_cell(Dollars money, Paint paint) { return {money / units::dollar, to_text(money), paint}; }

Cell small_money_cell(Dollars money, Paint paint) {
  const bool small = money < Dollars{0.01} && money > Dollars{-0.01};
  return {money / units::dollar, small ? short_money(money) : to_text(money), paint};
}

Cell price_cell(std::optional<DollarsPerSecond> price, Paint paint) {
  return price ? small_money_cell(*price * units::hour, paint) : Cell();
}

std::string times_words(double ratio) {
  return (ratio >= 99.5                   ? count_text(ratio)
          : ratio >= 0.95 && ratio < 9.95 ? fixed_text(ratio, 1)
                                          : significant_text(ratio, 2)) +
         "x";
}

void add_plan_columns(std::vector<Column>& columns, int drop) {
  columns.push_back({.title = ""});
  columns.push_back(
      {.title = "PLAN", .narrowest = 14, .wrap = true, .gap = columns.size() == 1 ? 1 : 2, .key = "plan"});
  columns.push_back({.title = "WHERE", .drop = drop, .narrowest = 10, .key = "where"});
  columns.push_back({.title = "", .key = "id"});
}

void add_plan(std::vector<Cell>& row, const PlanStory& story, const Plan& plan) {
  const bool picked = &plan == story.pick();
  const Paint paint = picked ? Paint::kGreen : Paint::kPlain;
  row.emplace_back(picked ? "✔" : "", paint);
  row.emplace_back(story.name(plan), paint);
  const bool rented = plan.offer != nullptr && plan.offer->kind == OfferKind::kRented;  // the label names the others
  row.emplace_back(rented ? place_words(*plan.offer) : plan.offer == nullptr ? "several offers" : "");
  row.emplace_back(plan.id);
}

std::string shown_words(std::size_t shown, std::size_t all, const std::string& noun) {
  if (shown >= all) return "";
  return "Shown " + std::to_string(shown) + " of " + count_of(static_cast<double>(all), noun) + " (--all).";
}

bool limits_matter(const PlanStory& story) {
  return std::ranges::any_of(story.found.plans,
                             [](const Plan& plan) { return !plan.meets_deadline || !plan.meets_budget; });
}

std::string worth_words(const SearchResult& found, const Plan& plan) {
  for (const ValueRange& range : found.values) {
    if (&found.plans[static_cast<std::size_t>(range.plan)] != &plan) continue;
    const std::string from = short_money(range.from * units::hour);
    if (!range.to) return range.from > DollarsPerSecond{} ? "an hour is worth more than " + from + " to you" : "";
    const std::string to = short_money(*range.to * units::hour);
    return "an hour is worth " + (range.from > DollarsPerSecond{} ? from + " to " : "less than ") + to + " to you";
  }
  return "";
}

}  // namespace gpuplan
