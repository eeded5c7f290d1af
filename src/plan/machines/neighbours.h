// Schedules near a given one: what the choice of machines, which counts with medians, may have passed over.
#pragma once

#include <optional>
#include <vector>

#include "plan/machines/machine_choice.h"

namespace gpuplan {

/// Machines for all stages of a problem that need one.
using ChosenSchedule = std::vector<ChosenMachines>;

/// What a schedule takes by the medians of its stages. Times and bills are convex in what is uncertain, so that the
/// median of the whole is hardly ever less.
struct ByMedians {
  Seconds hours{};  ///< from the start of the first to the end of the last stage
  Dollars cost{};
  Seconds work{};  ///< of all stages together
};

/// nullopt where a stage can not run on its machines, or too few of them are there.
std::optional<ByMedians> by_medians(const ChoiceProblem& problem, const ChosenSchedule& schedule);

/// All schedules that differ from this one in one thing: machines held for some stages are others, a stage that shares
/// machines has its own, or (where machines may be kept) it goes to those of others. Of the machines that may be taken
/// those are left out that others beat clearly in both time and cost.
std::vector<ChosenSchedule> neighbours(const ChoiceProblem& problem, const ChosenSchedule& schedule);

}  // namespace gpuplan
