// Histories of a whole job on one kind of machine that can be taken away, under each policy: distributions of hours and
// dollars, and which policy serves the job best.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/billing/error_factors.h"
#include "plan/billing/interruptions.h"
#include "spot/policies.h"

namespace gpuplan {

/// Phases that run one after the other are a piece each; phases that overlap are one together.
struct SimulatedPiece {
  std::string name;            ///< of its phases: "sft", "train + evaluate"
  Interval<Seconds> work{};    ///< the work proper; medians are those of the plan
  Interval<Seconds> extra{};   ///< set-up and the like, without checkpoints: policies on spot count those they write
  Interval<Seconds> saving{};  ///< checkpoints that the job writes where nothing is taken away
  ErrorWeights errors{{}};     ///< what the uncertainty of its work hangs on
  bool on_machine = true;
  SpotTerms terms{};   ///< of its longest phase
  Seconds interval{};  ///< between checkpoints: the one stated, or the one that loses least
  Seconds median() const { return work.p50 + extra.p50; }
};

/// A trace with the ticks at which its replays start; none: at random ones.
struct SimulatedTrace {
  std::string name;
  TraceRuns runs;
  std::vector<int> starts;
};

struct Simulation {
  std::vector<SimulatedPiece> pieces;
  // Of all machines of the job together.
  std::optional<Interval<DollarsPerSecond>> on_demand_price;  ///< nullopt: only on spot
  Interval<DollarsPerSecond> spot_price{};
  Billing billing;
  std::vector<Credit> credits;  ///< at the provider of the machines: they pay bills before the user does
  std::string today;            ///< from which they last
  // How machines come and go. A trace goes first, then the bathtub.
  std::vector<SimulatedTrace> traces;
  Interval<PerSecond> rate{};  ///< of one machine
  std::optional<Bathtub> bathtub;
  int machines = 1;
  Seconds wait{};
  Seconds restart{}, first_start{};

  Seconds deadline{};  ///< 0: none
  double confidence = 0.9;
  double buffer = 0;  ///< share added to all hours
  int slices = 8;
  Goal goal = Goal::kCheapest;
  DollarsPerSecond value_of_time{};

  int trials = 5000;
  std::uint64_t seed = 1;

  Seconds median_work() const;
  /// One for each start where the traces have starts, else `trials`.
  int histories() const;
};

/// Shares at which hours and dollars are told.
inline constexpr std::array<double, 9> kSimulatedShares = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99};

struct PolicyResult {
  SpotPolicy policy{};
  int histories = 0;
  Outcome<Seconds> hours{};  ///< infinite where the job does not end
  Outcome<Dollars> cost{};
  std::array<Seconds, kSimulatedShares.size()> hours_at{};
  std::array<Dollars, kSimulatedShares.size()> cost_at{};
  // Means over the histories.
  Seconds spot{}, on_demand{};               ///< billed
  Seconds work_on_spot{}, work_on_demand{};  ///< progress kept
  Seconds work_on_demand_deviation{};        ///< standard deviation over the histories
  Seconds lost{}, waited{};
  Dollars credited{};  ///< what credits pay beside `cost`
  double interruptions = 0, starts = 0;
  double late = 0;        ///< share of the histories that miss the deadline; 0 without one
  double unfinished = 0;  ///< share that was given up
};

/// Means of the yardstick that knows the future (lower_bound), over the same replays.
struct BoundResult {
  Seconds spot{}, on_demand{}, work_on_spot{}, work_on_demand{};
  Dollars cost{};
};

struct SimulationResult {
  std::vector<PolicyResult> policies;
  std::optional<BoundResult> bound;  ///< of traces with a deadline
  std::optional<std::size_t> best;   ///< the policy that serves the job's goal best within its deadline
};

/// A plan of one offer as a question. `spot_offer` and `on_demand_offer` are the same machine with both prices (perhaps
/// the plan's own offer twice). `interval`: instead of the job's; 0: the job's. REQUIRES: plan.offer, a spot price, an
/// interruption rate or `traces`.
Simulation simulation_of(const Job& job, const Plan& plan, const Offer& spot_offer, const Offer* on_demand_offer,
                         std::vector<SimulatedTrace> traces, Seconds interval, const ErrorModel& errors);

/// Policies that can be simulated: those without a deadline do not need one, those with machines on demand need a price
/// for them.
bool can_simulate(const Simulation& simulation, SpotPolicy policy);

/// All histories under one policy. The same for any number of threads: each history has random numbers of its own, and
/// each policy meets the same ones.
PolicyResult simulate_policy(const Simulation& simulation, SpotPolicy policy, int threads);

std::optional<BoundResult> simulate_bound(const Simulation& simulation);

/// Interruptions over time with machines, of all traces: what a machine of them meets.
PerSecond measured_rate(const std::vector<SimulatedTrace>& traces);

/// Fills in `best`: of those that keep the deadline at the wanted confidence the one that serves the goal best, by
/// means; when none keeps it, the one that is late least often.
void choose_best(const Simulation& simulation, SimulationResult& result);

/// What else than the chosen interval between checkpoints a piece could have, and what it loses in expectation.
struct IntervalChoice {
  std::string name;  ///< "best by search", "Young", "Daly", "as stated", "a quarter of it"
  Seconds interval{};
  Seconds wall{};     ///< expected time of the piece on spot alone
  Seconds more{};     ///< than with the best one
  Dollars dollars{};  ///< for it, billed at the spot price
};
std::vector<IntervalChoice> interval_choices(const Simulation& simulation, const SimulatedPiece& piece);

}  // namespace gpuplan
