// Further tables about a search, one for each question that people ask of a set of plans: `plan --show NAME`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/text/table.h"
#include "output/words/plan_report.h"
#include "plan/advice/rental_options.h"

namespace gpuplan {

struct ViewContent {
  std::string title;               ///< what the table says, one line
  Table table;                     ///< columns with keys, so that CSV and JSON come from it; may be empty
  std::vector<std::string> notes;  ///< sentences below; why there is nothing to show when the table is empty
  std::string drawing{};           ///< in place of the table on a terminal; lines, each ending in a line feed
};

struct PlanView {
  std::string_view name;  ///< as typed: "dominated"
  std::string_view help;
  ViewContent (*make)(const PlanReport& report, const Screen& screen);  ///< REQUIRES: the search found a plan
};

/// All views in the order of the help.
std::span<const PlanView> plan_views();

/// Views as one JSON object: each name with its title, rows and notes.
void write_views(JsonWriter& json, const std::vector<const PlanView*>& views, const PlanReport& report);

/// Title, table and notes of a view.
std::string view_text(const ViewContent& view, const Screen& screen);

// One file each.
ViewContent dominated_view(const PlanReport& report, const Screen& screen);
ViewContent decisions_view(const PlanReport& report, const Screen& screen);
ViewContent worth_view(const PlanReport& report, const Screen& screen);
ViewContent saved_view(const PlanReport& report, const Screen& screen);
ViewContent speed_view(const PlanReport& report, const Screen& screen);
ViewContent serving_view(const PlanReport& report, const Screen& screen);
ViewContent scaling_view(const PlanReport& report, const Screen& screen);
ViewContent prices_view(const PlanReport& report, const Screen& screen);
ViewContent fallback_view(const PlanReport& report, const Screen& screen);
ViewContent chart_view(const PlanReport& report, const Screen& screen);

// Memory, phases and pools.
ViewContent memory_view(const PlanReport& report, const Screen& screen);
ViewContent phases_view(const PlanReport& report, const Screen& screen);
ViewContent gpu_hours_view(const PlanReport& report, const Screen& screen);
ViewContent pool_view(const PlanReport& report, const Screen& screen);
ViewContent schedule_view(const PlanReport& report, const Screen& screen);
ViewContent ledger_view(const PlanReport& report, const Screen& screen);
ViewContent options_view(const PlanReport& report, const Screen& screen);
/// The same where the ways are known already.
ViewContent options_content(const PlanReport& report, const Plan& plan, const std::vector<RentalOption>& options);
/// "released while idle, spot"; "where.spot: only, schedule: stop_when_idle", how the job asks for it.
std::string rental_words(const RentalOption& option);
std::string rental_settings(const RentalOption& option);
ViewContent gates_view(const PlanReport& report, const Screen& screen);
ViewContent strategies_view(const PlanReport& report, const Screen& screen);
ViewContent problems_view(const PlanReport& report, const Screen& screen);

// Activations, and the job's figures beside the model's.
ViewContent storage_view(const PlanReport& report, const Screen& screen);
ViewContent evidence_view(const PlanReport& report, const Screen& screen);

ViewContent notes_view(const PlanReport& report, const Screen& screen);

}  // namespace gpuplan
