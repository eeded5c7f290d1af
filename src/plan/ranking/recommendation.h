// Which plan to take, for a goal and within limits.
#pragma once

#include <optional>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/ranking/comparison.h"

namespace gpuplan {

/// Whether a plan may be recommended: one that fits, or any when none does; of these one that reaches the targets of
/// its generation phases, or any when none does; of these one that takes no longer than anybody waits, or any when all
/// do.
class Contends {
 public:
  explicit Contends(const std::vector<Plan>& plans);
  bool operator()(const Plan& plan) const { return runs(plan) && (!plan.too_long || all_too_long_); }

 private:
  bool runs(const Plan& plan) const {
    return (plan.fit == Fit::kFits || none_fits_) && (plan.reaches_target || none_reaches_);
  }

  bool none_fits_ = true;
  bool none_reaches_ = true;
  bool all_too_long_ = true;
};
std::vector<const Plan*> contenders(const std::vector<Plan>& plans);

/// REQUIRES: mark_frontier() has ordered the plans. Plans that are only `tight` are taken when none fits.
/// best_value: least cost + value_of_time x hours. fewest_gpus: fewest GPUs that keep the limits. `pick`: the job's
/// goal among plans that keep deadline and budget with the wanted confidence. When none does (`limits_missed`): the
/// one nearest to the targets when none reaches them, else the one with the best chance to keep deadline and budget, of
/// equal ones by the goal; where no plan has a chance of 10 % the cheapest that keeps the deadline, the fastest when
/// none keeps it, the cheapest when there is only a budget. Ties: fewer GPU-hours.
Recommendations recommend(const Job& job, const std::vector<Plan>& plans);

/// What joint samples of plans are made with, and what counts as a tie.
struct Compared {
  const ErrorModel& errors;
  double beside_shared = 0;  ///< share of the variance of time beside the work that all plans have in common
  const PracticeConstants& practice;
  std::uint64_t seed = 0;
  const ProvidersByGpu& common;  ///< of the market that the plans are some of
  bool chances = true;           ///< with Plan::chance_best and Recommendations::regret
};
/// The same, and of plans that can not be told from the best the one that asks least (comparison.h); fills
/// Plan::chance_best and Recommendations::regret where they are asked for.
Recommendations recommend(const Job& job, std::vector<Plan>& plans, const Compared& compared);

/// The pick of the plans at these positions, by the same rule, limits aside: the one that asks least of those that can
/// not be told from the best. REQUIRES: there is one.
int pick_of(const Job& job, const std::vector<Plan>& plans, const std::vector<int>& positions,
            const Compared& compared);

/// What `pick` would be were these plans the only ones: by the same goal and limits, the nearest miss included; nullopt
/// when none of them may be recommended.
std::optional<int> pick_among(const Job& job, const std::vector<Plan>& plans, bool (*counts)(const Plan&));

}  // namespace gpuplan
