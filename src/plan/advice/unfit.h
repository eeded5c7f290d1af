// Why a job of several phases fits nowhere: which phase is to blame.
#pragma once

#include <span>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/search.h"

namespace gpuplan {

/// A phase that runs on no offer of the market, even alone.
struct UnfitPhase {
  int phase = 0;        ///< position in the job
  int gpus_wanted = 0;  ///< GPUs that it names, or that its parallel degrees take at least; 0: none
  int gpus_most = 0;    ///< in the machines of one offer
  Tally tally;          ///< of the phase alone
};

/// Each phase of a job that fits nowhere is searched alone. Empty when every phase runs somewhere, though no machines
/// run them all.
std::vector<UnfitPhase> unfit_phases(const Job& job, const Catalogue& catalogue, std::span<const Offer> market,
                                     const SearchOptions& options);

}  // namespace gpuplan
