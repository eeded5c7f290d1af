// What the market rents, and the GPUs that it rents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/questions/question.h"
#include "output/facts/gpus_report.h"
#include "output/facts/offers_report.h"

namespace gpuplan::api {

struct OffersAnswer {
  std::vector<Offer> known;
  OffersReport report;                ///< refers to them
  std::vector<std::string> warnings;  ///< KnownOffers::warnings
};

/// The offers of the request's price lists, else of the user's settings or the snapshot, and the user's own machines;
/// of them those that a job without wishes would look at, or all. Fails for a list or a condition that can not be read.
Result<OffersAnswer> ask_offers(const Request& request, const OfferSelection& selection, const Catalogue& catalogue);

/// Whether a filter of GPUs asks for more than they are: "H100:8", "num_gpus>=8", "dph<30".
bool asks_for_machines(const std::vector<std::string>& filter);

struct GpusAnswer {
  GpusReport gpus;                     ///< those that such machines have
  std::optional<OffersAnswer> offers;  ///< the machines; nullopt: there is no such GPU
};

/// The GPUs that satisfy what the filter says of GPUs, and the machines with them that satisfy the rest, the cheapest
/// GPU-hour first. `catalogue` must outlive the answer.
Result<GpusAnswer> ask_machines(const Request& request, const std::vector<std::string>& filter, bool all,
                                std::size_t ordered, const Catalogue& catalogue);

}  // namespace gpuplan::api
