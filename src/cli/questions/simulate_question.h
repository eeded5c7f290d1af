// What gpuplan simulate is asked: work and prices in flags, or a job and one of its plans; and traces from files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io/system.h"
#include "cli/load/job_options.h"
#include "output/questions/simulate_report.h"

namespace gpuplan::cli {

/// The flags of simulate beside those of every job; empty: not said.
struct SimulateOptions {
  std::vector<std::string> traces;    ///< files
  std::string starts;                 ///< file
  std::vector<std::string> policies;  ///< names, or "all"
  std::string plan;                   ///< id
  std::string work, on_demand_price, spot_price, checkpoint;
  std::string restart, notice, wait, interval;
  int machines = 0, trials = 0, slices = 0;
};

/// The question without a job: so much work, such prices. `wishes` bring deadline, interruptions, goal and value of
/// time.
Result<SimulateReport> ask_in_flags(System& system, const SimulateOptions& options, const JobOptions& job);

/// The job's pick, or the plan asked for, on machines that have a spot price. Fills `assumed` with what had to be.
/// Fails without a message when nothing fits (see `nothing_fits`).
struct AskedPlan {
  SimulateReport report;
  int code = 0;                           ///< of the search
  std::vector<std::string> nothing_fits;  ///< why there is nothing to simulate; the report is empty then
};
Result<AskedPlan> ask_plan(System& system, const SimulateOptions& options, const JobOptions& job,
                           const Catalogue& catalogue);

/// The policies to simulate, in their order.
std::vector<SpotPolicy> asked_policies(const SimulateOptions& options, const Simulation& simulation);

}  // namespace gpuplan::cli
