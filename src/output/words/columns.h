// Plans, columns, cells and words that several views of a search share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/text/table.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// Rows that a view shows unless everything is asked for.
inline constexpr std::size_t kViewRows = 20;

/// The plans a view is about: the frontier, the pick and, until there are `least`, the nearest others, one of each
/// label; when everything is asked for, all.
std::vector<const Plan*> plans_shown(const PlanReport& report, std::size_t least = 8);

/// HOURS, its P10 … P90 (the text goes first at `drop`), and both ends for CSV and JSON, where names begin with
/// `prefix`.
void add_hours_columns(std::vector<Column>& columns, int drop, const std::string& prefix = "");
void add_hours(std::vector<Cell>& row, const Outcome<Seconds>& hours, Paint paint = Paint::kPlain);

/// The same of COST.
void add_cost_columns(std::vector<Column>& columns, int drop, const std::string& prefix = "");
void add_cost(std::vector<Cell>& row, const Outcome<Dollars>& cost, Paint paint = Paint::kPlain);
/// The same of a part of the plan, which may well be nothing.
void add_share_of_cost(std::vector<Cell>& row, const Outcome<Dollars>& cost, Paint paint = Paint::kPlain);

/// Cells that stay empty in place of add_hours() or add_cost().
void add_nothing(std::vector<Cell>& row, int cells = 4);

/// Median time in queues, which comes on top of the hours; empty: none, and a column without any is not shown.
Cell queue_cell(const Plan& plan);
void add_queue_column(std::vector<Column>& columns);
/// P90 of the time until the result is there: queues and hours.
inline Seconds latest_done(const Plan& plan) { return plan.hours.p90 + plan.wait.p90; }
Cell money_cell(Dollars money, Paint paint = Paint::kPlain);        ///< "$4.74"; the figure in dollars
Cell paid_cell(Dollars money, Paint paint = Paint::kPlain);         ///< the same; "–" for nothing
Cell small_money_cell(Dollars money, Paint paint = Paint::kPlain);  ///< "$0.007" where cents would say nothing
Cell price_cell(std::optional<DollarsPerSecond> price, Paint paint = Paint::kPlain);  ///< "$3.20"; dollars an hour
Cell price_cell(const Plan& plan);  ///< of its machines; "$16.00 x 720 h" where so much is paid at least

Cell gib_cell(Bytes size);  ///< "16.3"; empty for next to nothing

/// "✔" for the pick; a column of its own, so that no name that is cut short takes it along.
/// "✔", or "~" where no plan keeps the limits: the pick is only the nearest then.
std::string_view pick_sign(const PlanReport& report);
Cell pick_mark(const PlanReport& report, bool picked);
Cell pick_mark(const PlanReport& report, const Plan& plan);

/// The pick's ✔, PLAN, WHERE (goes at `drop`), and the id for CSV and JSON.
void add_plan_columns(std::vector<Column>& columns, int drop);
void add_plan(std::vector<Cell>& row, const PlanReport& report, const Plan& plan);

/// "Shown 20 of 97 GPUs (--all)."; empty when all are.
std::string shown_rows(std::size_t shown, std::size_t all, const std::string& noun);

/// Some plan misses a limit, so that tables have to say which.
bool limits_matter(const PlanReport& report);

/// "your time is worth $0.21–$20/h" for the values of an hour at which a plan is the best; empty: it never is.
std::string worth_words(const SearchResult& found, const Plan& plan);

/// "batch 8 x 32 x 2 = 512" as figures: "8 x 32 x 2 = 512"; empty when the phase has no micro-batch.
std::string batch_words(const PhaseEstimate& estimate, const Phase& phase);

/// "3.4 (2.8 … 4.1)", hours without their unit; "$4.74 (3.95 … 5.69)".
std::string with_range(const Outcome<Seconds>& hours);
std::string with_range(const Outcome<Dollars>& cost);

/// As many of the same GPU on as many nodes.
bool same_machines(const Plan& a, const Plan& b);

const Phase& phase_of(const PlanReport& report, const PhasePlan& part);

}  // namespace gpuplan
