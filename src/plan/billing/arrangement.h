// Which machines a job takes, and which phases run on them before they are given back.
#pragma once

#include <vector>

#include "domain/market/offer.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

/// Machines of one offer, taken once: held from the first of these phases to the end of the last.
struct LeaseRequest {
  const Offer* offer = nullptr;
  bool spot = false;
  Machines machines;
  std::vector<int> phases;  ///< positions in the job; those that hold no machine there do not count
};

/// As many machines of one offer, both on demand or both on spot.
bool same_machines(const LeaseRequest& a, const LeaseRequest& b);

/// A job laid on machines: every phase with its estimate there, and what is held for which.
struct Arrangement {
  std::vector<Shared<PhaseEstimate>> phases;  ///< in the job's order
  std::vector<LeaseRequest> leases;           ///< phases in none of them need no machine
};

/// The lease that each phase is part of; -1: none.
std::vector<int> leases_of(const Arrangement& arrangement);

/// Every phase on the same machines, held from the first to the last of them.
Arrangement all_on(const Machines& machines, const Offer* offer, bool spot,
                   const std::vector<Shared<PhaseEstimate>>& phases);

}  // namespace gpuplan
