// What the job's own figures tell of machines that they are not about.
#pragma once

#include <optional>
#include <vector>

#include "plan/strategy/phase_search.h"

namespace gpuplan {

/// The model of errors with the speeds that the job states, each beside what is predicted for a common machine with
/// those GPUs; nullopt: it states none that can be compared. A figure's own range is noise of it.
std::optional<ErrorModel> learned_from_given(const std::vector<PhaseWorkload>& workloads, const Catalogue& catalogue);

}  // namespace gpuplan
