// `gpuplan simulate`: what spot machines that are taken away do to a job, policy by policy.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "output/text/style.h"
#include "plan/advice/spot_simulation.h"

namespace gpuplan {

class JsonWriter;

/// A simulation with its results and what is to be said of them.
struct SimulateReport {
  std::string job;                 ///< name; empty: a question without a job
  std::string plan;                ///< the machines: "8x H100 SXM (lambda)"; empty: prices alone
  std::string plan_id;             ///< empty as well
  std::string header;              ///< one line over everything
  std::vector<std::string> notes;  ///< what is assumed, a sentence each
  std::string prices{};            ///< "245 offers, prices from 2026-04, 7 months old"; empty: without a job
  std::string old_prices{};        ///< what to say where the plan's are old; else empty
  std::string prices_as_of{};      ///< date of the newest of them; empty: not known
  std::optional<int> price_age_days{};
  std::string otherwise{};           ///< the plan that keeps the limits where these machines may not; empty: none does
  std::optional<SpotPolicy> wanted;  ///< the policy that the job asks for
  Simulation simulation;
  SimulationResult result;
  double elapsed_ms = 0;
};

std::string simulate_text(const SimulateReport& report, const Screen& screen, bool details = false);
/// A line for each policy.
std::string simulate_csv(const SimulateReport& report);
/// "gpuplan/simulate@1".
std::string simulate_json(const SimulateReport& report);

/// How machines come and go, in a sentence: "taken away at 5 %/h (memoryless), a new one at once, restart 5 min".
std::string lives_words(const Simulation& simulation);

/// "uniform_progress is late in 0.1 % of 5000 histories; ..."; which policy serves best and why.
std::string best_policy_words(const SimulateReport& report);

}  // namespace gpuplan
