// Offers out of the database: as they are, or as they were known on a day.
#pragma once

#include <cstdint>
#include <deque>

#include "domain/market/offer.h"
#include "store/sql/sql.h"

namespace gpuplan {

struct StoredOffer {
  std::int64_t series = 0, group = 0;
  Offer offer;
};

/// Days are as in store/rows/dates.h.
struct ReadingTerms {
  int day = 99'999'999;             ///< what was dated later is not known
  std::int64_t import = INT64_MAX;  ///< nor what later imports told
  std::int64_t told_by = 0;         ///< only groups that this import told of; 0: all
};

/// Offers that the newest listing of each group names, each with the date on which it was read last; by series.
/// Failures are the database's. A deque, since offers are large.
std::deque<StoredOffer> read_offers(Database& database, const ReadingTerms& terms);

}  // namespace gpuplan
