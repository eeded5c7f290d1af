// The pick's machines rented in other ways: kept, let go while idle, on demand or as spot.
#pragma once

#include <optional>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/search.h"

namespace gpuplan {

/// One way to rent them and what it makes of the job. Points to nothing.
struct RentalOption {
  Schedule schedule = Schedule::kKeep;
  bool spot = false;
  bool human_without = false;  ///< a phase of people holds no machine, which other ways hold for it
  bool kept = true;            ///< as of the plan
  int at_once = 1;             ///< the same
  Outcome<Seconds> hours{};
  Outcome<Dollars> cost{};
  Dollars machines{};  ///< Plan::machines_cost()
  double gpu_hours = 0, billed_gpu_hours = 0;
  Dollars idle{};  ///< for GPUs that nothing uses, and what is billed beyond the last use
  double interruptions = 0;
  double chance_of_interruption = 0;
  std::optional<double> chance_in_time, chance_in_budget;
};

/// A plan as it is, for a row beside the others.
RentalOption option_of(const Job& job, const Plan& plan, Schedule schedule, bool spot);

/// On demand and as spot, kept from the first to the last phase and let go while idle, in this order; ways that the
/// offers of `plan` do not allow are left out. Each is a search of its own on nothing but these offers.
std::vector<RentalOption> rental_options(const Job& job, const Catalogue& catalogue, const Plan& plan,
                                         const SearchOptions& options);

/// Whether the option is the plan itself.
bool is_plan(const RentalOption& option, const Plan& plan);

/// The cheapest of these ways that is worth telling beside the plan: clearly cheaper (below 90 % of its cost), hardly
/// slower (at most 5 %), and within the job's limits where the plan keeps them. A position; nullopt: there is none.
std::optional<std::size_t> cheaper_way(const Job& job, const Plan& plan, const std::vector<RentalOption>& options);

/// The offers that a plan is on, each once.
std::vector<Offer> offers_of(const Plan& plan);

}  // namespace gpuplan
