// What was planned of one phase, to hold a run against: from a search, or from a plan that was kept.
#pragma once

#include <optional>
#include <string>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

struct Expectation {
  std::string job, phase;
  std::string plan_id, plan;  ///< "k3f9a1", "8x H100 SXM"
  std::string gpu;            ///< empty: needs none
  int gpus = 0, nodes = 1;    ///< GPUs used, of all machines
  Evidence evidence = Evidence::kModel;
  double steps = 0;            ///< optimizer steps; 0: no training
  double tokens_per_step = 0;  ///< 0: not known
  double batch = 0;            ///< sequences of a step, or in flight; 0: not known
  std::optional<Interval<Seconds>> seconds_per_step;
  std::optional<Interval<TokensPerSecond>> tokens_per_second;  ///< trained or newly generated, all GPUs
  std::optional<Interval<Seconds>> first_token, per_token;     ///< of generation: TTFT, TPOT
  std::optional<Interval<Bytes>> memory;                       ///< of the fullest GPU, device
  std::optional<Bytes> allocated, reserved;                    ///< medians as PyTorch counts them
  std::optional<Bytes> usable;
  Outcome<Seconds> hours{};
  Outcome<Dollars> cost{};
  DollarsPerSecond price{};  ///< median, of all machines it holds; 0: free
  std::optional<Dollars>
      credits_left{};                ///< what credits pay beyond the plan, before `cost` grows; nullopt: there are none
  std::optional<Billing> billing{};  ///< of machines that no other phase runs on; nullopt: not known, or shared

  /// What its machines cost, held for so long.
  Dollars machines_cost(Seconds hours) const;
  std::string strategy;  ///< in words; empty: there is none
  double micro_batch = 0;
  /// Training: program, degrees of parallelism and sharding; the rest of a kept plan's is not read.
  std::string framework{};
  std::optional<Strategy> layout{};
};

/// What `plan` expects of one of its phases. `strategy`: in words (output/words/plan_words.h).
/// REQUIRES: `part` is one of the plan's phases, and the plan one of the job's.
Expectation expectation_of(const Job& job, const Plan& plan, const PhasePlan& part, std::string strategy);

/// What is left of credits where the plan rents when they have paid its bill; nullopt: there are none there. Where they
/// leave some of the bill, nothing is, or it comes too late.
std::optional<Dollars> credits_left(const Job& job, const Plan& plan);

/// Price of the machines that a phase holds, by its median; 0 for phases without any.
DollarsPerSecond machines_price(const PhasePlan& part);

}  // namespace gpuplan
