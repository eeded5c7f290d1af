// Columns and words that several views of plans share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/plan_story.h"
#include "output/table.h"

namespace gpuplan {

/// Rows that a view shows unless everything is asked for.
inline constexpr std::size_t kViewRows = 20;

/// HOURS, its P10 … P90 (the text goes first at `drop`), and both ends for CSV and JSON.
void add_hours_columns(std::vector<Column>& columns, int drop);
void add_hours(std::vector<Cell>& row, const Outcome<Seconds>& hours, Paint paint = Paint::kPlain);

/// The same of COST.
void add_cost_columns(std::vector<Column>& columns, int drop);
void add_cost(std::vector<Cell>& row, const Outcome<Dollars>& cost, Paint paint = Paint::kPlain);

/// Cells that stay empty in place of add_hours() or add_cost().
void add_nothing(std::vector<Cell>& row, int cells = 4);

Cell money_cell(Dollars money, Paint paint = Paint::kPlain);        ///< "$4.74"; the figure in dollars
Cell small_money_cell(Dollars money, Paint paint = Paint::kPlain);  ///< "$0.007" where cents would say nothing
Cell price_cell(std::optional<DollarsPerSecond> price, Paint paint = Paint::kPlain);  ///< "$3.20"; dollars an hour

std::string times_words(double ratio);  ///< "2.1x", "0.95x", "12x"

/// The pick's ✔, PLAN, WHERE (goes at `drop`), and the id for CSV and JSON.
void add_plan_columns(std::vector<Column>& columns, int drop);
void add_plan(std::vector<Cell>& row, const PlanStory& story, const Plan& plan);

/// "Shown 20 of 97 GPUs (--all)."; empty when all are.
std::string shown_words(std::size_t shown, std::size_t all, const std::string& noun);

/// Some plan misses a limit, so that tables have to say which.
bool limits_matter(const PlanStory& story);

/// "an hour is worth $0.21 to $20 to you" for the values of an hour at which a plan is the best; empty: it never is.
std::string worth_words(const SearchResult& found, const Plan& plan);

}  // namespace gpuplan
