// Plans of one job beside those of the same job with something changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "plan/search.h"

namespace gpuplan {

/// What a search found, and the market that it looked at.
struct Answer {
  const SearchResult& found;
  const std::vector<Offer>& market;
};

/// Offers of the same machine from the same place, at whatever price; at the same price.
bool same_machine(const Offer& a, const Offer& b);
bool same_price(const Offer& a, const Offer& b);

/// The offer of another market that is the same machine from the same place, at whatever price; null when there is
/// none. Of several the one at the same price, else the one in the same order.
const Offer* counterpart(const Offer& offer, const std::vector<Offer>& its_market, const std::vector<Offer>& market);

/// Whether the same phases share machines that are held for as long: kept throughout, let go in between, side by side.
bool rented_alike(const Plan& a, const Plan& b);

/// The plan that keeps the machines of `pick`, a plan of `base`, after the change; null when they can not run the job
/// any more, or are not on the market. Of several the one that rents them alike; else the pick, else the first.
const Plan* staying(const Answer& base, const Plan& pick, const Answer& changed);

/// How much two plans on the same machines are alike in when these are held: side by side, and for which phases.
int likeness(const Plan& plan, const Plan& pick);

/// What keeps one offer from running a job with so many GPUs; nullopt when the machine could: then `where` or the
/// prices rule it out. Of several phases it is the first that runs there in no way, with what came nearest for it.
std::optional<NearMiss> obstacle(const Job& job, const Catalogue& catalogue, const Offer& offer, int gpus,
                                 const SearchOptions& options);

/// A phase whose time the job states, where the model says that the change matters otherwise than the stated figure:
/// it was stated for the job as it was.
struct Doubt {
  int phase = 0;
  double by_given = 1;  ///< time of the work after the change over the time before
  double by_model = 1;
};
std::optional<Doubt> doubt(const Plan& before, const Plan& after);

/// Leaves of an answer what `positions` of its plans need, and of the market the offers that these are on; the pick
/// must be among them.
void keep_only(const std::vector<int>& positions, SearchResult& found, std::vector<Offer>& market);

/// The model's errors that a plan depends on, each by the name of what has most of it in common: GPU, software and kind
/// of phase.
std::vector<std::string> model_errors(const Job& job, const Plan& plan);

/// The plan as it would be were the model's time, in the phases that share this error, at its p10 (`low`) or p90;
/// everything else as before. A plan without such phases stays as it is.
Plan at_model_error(const Job& job, const Plan& plan, const std::string& error, bool low, const ErrorModel& errors,
                    std::uint64_t seed);

}  // namespace gpuplan
