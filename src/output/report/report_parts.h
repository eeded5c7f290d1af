// What a report is told from, beside the answer itself.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "output/questions/sensitivity_report.h"
#include "output/report/document.h"
#include "output/words/plan_report.h"
#include "plan/advice/rental_options.h"
#include "plan/capacity/fit.h"

namespace gpuplan {

/// How the pick is started. Empty where no script can be written.
struct RunPart {
  struct Step {
    std::string command, note;
  };
  struct Script {
    std::string path, use;
    bool beside = false;  ///< the folder lies beside the report, with this file in it
  };
  std::string launch;  ///< the command that writes the folder, whole
  std::string folder;  ///< that it writes
  std::vector<Step> steps{};
  std::vector<std::string> notes{};  ///< what to know before
  std::vector<Script> scripts{};
  std::vector<Step> searches{};                              ///< of a market where the pick may be had; empty: of none
  std::vector<std::pair<int, std::string>> phase_slugs{};    ///< position in the job, name of its run folder
  std::vector<std::pair<int, std::string>> machine_slugs{};  ///< the same, name of the machine that it shares
  bool by_hand = false;                                      ///< no script rents the machines or gives them back
  std::vector<int> anew{};  ///< positions in the job of phases that begin anew when they are started again
  std::string why_not{};    ///< why there are no scripts
};

struct ReportParts {
  const PlanReport& plan;
  std::vector<Remedy> remedies{};        ///< where nothing fits
  std::vector<RentalOption> ways{};      ///< to rent the pick's machines
  std::optional<std::size_t> cheaper{};  ///< of these: cheaper_way()
  const SensitivityReport* sensitivity = nullptr;
  RunPart run{};
  std::string version{}, command{};  ///< "gpuplan report job.yaml"
  std::string charts{};              ///< folder of drawings beside the guide; empty: it has none
  /// "gpuplan COMMAND job.yaml --set ...", with the name of another command in its place.
  std::string plan_command{}, whatif_command{}, launch_command{};
};

/// The whole document.
ReportDocument report_document(const ReportParts& parts);

// One file for each group of sections.
ReportSection answer_section(const ReportParts& parts);
ReportSection choice_section(const ReportParts& parts);
ReportSection work_section(const ReportParts& parts);
ReportSection machines_section(const ReportParts& parts);
ReportSection memory_section(const ReportParts& parts);
ReportSection speed_section(const ReportParts& parts);
ReportSection plans_section(const ReportParts& parts);
ReportSection each_plan_section(const ReportParts& parts);
ReportSection bill_section(const ReportParts& parts);
ReportSection risk_section(const ReportParts& parts);
ReportSection run_section(const ReportParts& parts);
ReportSection trouble_section(const ReportParts& parts);
ReportSection change_section(const ReportParts& parts);
ReportSection fallback_section(const ReportParts& parts);
ReportSection card_section(const ReportParts& parts);
ReportSection basis_section(const ReportParts& parts);
/// In place of the first where no plan was found.
ReportSection nothing_section(const ReportParts& parts);

/// What the job says in words about what a section tells, to stand at its end.
std::vector<ReportBlock> prose_blocks(const Job& job, std::string_view section);

/// Charts of a section, to stand at its beginning; none where there is nothing to draw.
std::vector<ReportBlock> chart_blocks(const ReportParts& parts, std::string_view section);

}  // namespace gpuplan
