// What the market rents.
#pragma once

#include <vector>

#include "api/questions/question.h"
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

}  // namespace gpuplan::api
