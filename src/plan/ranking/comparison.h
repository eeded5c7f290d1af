// Plans of one job held against each other by joint samples: they share the site, the model, and often the software,
// the GPU and the kind of work, so that most of their error is one, and overlapping ranges alone do not make them
// equal.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "domain/facts/error_model.h"
#include "domain/facts/practice_constants.h"
#include "domain/market/commonness.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/billing/samples.h"

namespace gpuplan {

/// Beyond so many plans, best by the goal first, none has a chance worth telling.
inline constexpr std::size_t kMostCompared = 32;

class Comparison {
 public:
  /// Compares those plans at `positions` (which ranking counts) that come first for the job's goal: dollars, seconds,
  /// or dollars with the value of the hours. Of plans that are alike in time, cost and GPUs the first stands for all.
  /// Without a goal of that kind (fewest_gpus) it is empty. `beside_shared`: share of the variance of time beside the
  /// work that all plans have in common. Samples are drawn of plans whose median is up to `within` above the best, as a
  /// share; chances are told, and reprice() and regret() can be asked, where these are all.
  Comparison(const Job& job, const std::vector<Plan>& plans, const std::vector<int>& positions,
             const ErrorModel& errors, double beside_shared, std::uint64_t seed, double within = kAll);
  static constexpr double kAll = std::numeric_limits<double>::infinity();

  struct One {
    int plan = 0;       ///< position
    double median = 0;  ///< of the goal
    double chance = 0;  ///< to be the best; of all together 1
    Samples samples{};  ///< of the goal
  };
  /// Best median first.
  const std::vector<One>& compared() const { return compared_; }
  /// nullptr: it is not among them.
  const One* find(int plan) const;
  /// In how many of the samples the first is better than the second, as a share.
  static double chance_better(const One& one, const One& other);
  /// The same draws of those at `positions`, where plans cost now what `plans` says: their dollars times what the
  /// median has become. Chances to be the best are not told. REQUIRES: plans differ in their costs alone from those
  /// that were compared.
  void reprice(const Job& job, const std::vector<Plan>& plans, const std::vector<int>& positions);
  /// What a plan falls short of the best, so that 8 of 10 samples fall short no more.
  double regret(const One& one) const;

 private:
  /// What the samples of a goal are made from, of one plan.
  struct Basis {
    int plan = 0;
    Dollars cost{};  ///< median of the samples of dollars
    Samples dollars{}, seconds{};
  };
  static One one_of(const Job& job, const Plan& plan, const Basis& basis);

  std::vector<One> compared_;
  std::vector<Basis> bases_;
};

/// By how much worse in its goal, as a share, a plan may be and still be as good as the best: `tie_share`, a fifth of
/// that where the goal is dollars or hours alone.
double tie_share(const Job& job, const PracticeConstants& practice);

/// How many providers rent the GPUs of a plan; 0: it has none.
int providers_of(const ProvidersByGpu& common, const Plan& plan);

/// Of the plans that can not be told from the best by medians, the one that asks least of a person and of the market:
/// fewer machines, fewer GPUs, commoner ones, newer ones, cheaper; of dollars first where the goal is hours. A plan can
/// not be told from it where its goal is worse by less than tie_share(), and it is the better one in at least
/// `tie_chance` of the samples or hardly worse at all and spares a second kind of machine (`same_share`). Nor is one
/// taken for asking less where another is a tenth better in dollars or hours, no worse in the other, and as easy to
/// have. `common` is of the whole market, of which the plans need not be all.
int settled(const Job& job, const std::vector<Plan>& plans, const Comparison& comparison,
            const PracticeConstants& practice, const ProvidersByGpu& common);

}  // namespace gpuplan
