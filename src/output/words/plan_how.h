// How a plan runs: the offer it takes, then each phase with its strategy, hours and dollars.
#pragma once

#include <string>
#include <vector>

#include "output/text/style.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// Lines for a terminal. `memory`: say what a GPU's memory holds, for want of a column that does.
std::string how_text(const PlanReport& report, const Plan& plan, const Screen& screen, bool memory);

/// What is said of each phase: strategy, speed and memory; the strategy; as much of it as one line holds.
enum class PhaseWords { kAll, kStrategy, kOneLine };
/// A table with a row for each phase, what idles, buffer, total and contingency.
std::string phases_text(const PlanReport& report, const Plan& plan, const Screen& screen, PhaseWords words);

/// ", 1,395 of 1,772 GiB of RAM": what a machine must hold of a phase that keeps part of its state there; "" of others.
std::string host_words(const PhaseEstimate& estimate);

/// "8x H100 SXM at lambda us-east-1, gpu_8x_h100_sxm5, on demand, $23.92/h, billed per minute, price of 2026-04"; empty
/// for plans of several offers.
std::string offer_words(const Plan& plan);

/// Phases whose machines are paid for while somebody works by hand, and what they cost.
struct ManualWork {
  std::vector<std::string> phases{};
  Dollars cost{};
};
ManualWork manual_work(const PlanReport& report, const Plan& plan);

}  // namespace gpuplan
