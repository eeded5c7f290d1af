// Which schedules on machines of several offers become plans.
#pragma once

#include <cstddef>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// By position in `mixed`. Whatever is asked, the best of them all is among these, and nothing is left out for being
/// better by too little: a second machine is trouble, but were a saving of a few percent asked for it, a further offer
/// on the market could make the best plan worse. Of ties the plan of `plans`, which are on one kind of machines each,
/// stays. `simpler`: kept anyhow, on fewer different machines and as good as the best.
std::vector<bool> kept_mixes(const Job& job, const std::vector<Plan>& plans, const std::vector<Plan>& mixed,
                             const std::vector<std::size_t>& simpler);

}  // namespace gpuplan
