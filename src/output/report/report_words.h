// Small words of a report: ranges, plans and sentences without the hints of the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/report/report_parts.h"
#include "output/report/table_block.h"
#include "output/text/table.h"

namespace gpuplan {

inline constexpr const char* kRunsHead = "8 in 10 runs";
inline constexpr const char* kQueueHead = "In the queue, h";
inline constexpr int kMostPlans = 25;  ///< rows of plans that somebody reads

std::string time_range(const Outcome<Seconds>& hours);  ///< "9.7–12 h"; empty where it is exact
std::string time_range(const Interval<Seconds>& time);
std::string time_words(const Interval<Seconds>& time);  ///< "5 min (4.2–6)"
std::string cost_range(const Outcome<Dollars>& cost);   ///< "$78.0–124"; empty where it is exact
/// "10.8 h (8 in 10 runs: 9.7–12 h)"; the words alone where there is no range.
std::string with_range(std::string words, std::string_view range, std::string_view of = "8 in 10 runs: ");
/// "$1,175.32": in the units in which a bill of that total is rounded, so that its rows add up; "–" for nothing.
std::string bill_money(Dollars money, Dollars total);

Cell time_cell(const Outcome<Seconds>& hours);  ///< "10.8 h"
Cell wait_cell(Seconds wait);                   ///< "4.3"; empty: it waits in no queue
Cell money_text(const Outcome<Dollars>& cost);  ///< "$98.19"

/// The ends of the ranges "hours_range" and "cost_usd_range" of the row that was added last.
void add_ranges(const Outcome<Seconds>& hours, const Outcome<Dollars>& cost, TableMaker& table);

/// A sentence without what only somebody at a terminal can use: "(--all)", "(--show ledger)", "✔ ".
std::string without_hints(std::string text);
/// Each of them, the empty ones left out.
std::vector<std::string> without_hints(const std::vector<std::string>& texts);

/// A list of sentences.
void add_list(ReportSection& section, const std::vector<std::string>& items);
/// "fine-tune": the name of a phase, made printable.
std::string phase_name(const PlanReport& report, const PhasePlan& part);
/// The commands of the job with the plan's numbers in them, each under the name of its phase; empty: it has none.
std::string commands_run(const PlanReport& report, const Plan& plan);
/// That of one phase; empty: it has none.
std::string command_run(const PlanReport& report, const PhasePlan& part);
/// "Rent" or "Use" of what the plan takes.
std::string take_words(const Plan& plan);
/// "it goes on from the last checkpoint", "..., but train begins anew" where its program does not.
std::string again_words(const ReportParts& parts);
/// What that way is as a variant of the job, "variant balanced", or the name of the plan that it is; empty: neither.
std::string same_as(const PlanReport& report, const RentalOption& option);
/// Whether a variant is one of the ways to rent the machines that stand with the bill.
bool is_way(const ReportParts& parts, const VariantReport& variant);
/// What the program had to guess of the work and what another guess would change, the other assumptions behind it.
std::vector<std::string> assumptions_told(const PlanReport& report);
/// Of them how many tell what another guess would change.
std::size_t weighty_assumptions(const std::vector<std::string>& told);
/// Adds "--plan ID" to the command that writes scripts.
std::string launch_of(const ReportParts& parts, const Plan& plan);

/// Links to scripts of the pick that lie beside the report: those that a section is about: of phases with the work,
/// what starts them with the steps, all with what it rests on. Nothing where there are none.
std::optional<LinksBlock> script_links(const ReportParts& parts, std::string_view section);

}  // namespace gpuplan
