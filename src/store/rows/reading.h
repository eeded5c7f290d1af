// Offers out of the database: as they are, or as they were known on a day.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/market/offer.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// Offers with the numbers of their series and groups.
struct StoredOffers {
  std::vector<Offer> offers;
  std::vector<std::pair<std::int64_t, std::int64_t>> of;  ///< series and group of each
};

/// Days are as in store/rows/dates.h.
struct ReadingTerms {
  int day = 99'999'999;             ///< what was dated later is not known
  std::int64_t import = INT64_MAX;  ///< nor what later imports told
  std::int64_t told_by = 0;         ///< only groups that this import told of; 0: all
};

/// Offers that the newest listing of each group names, each with the date on which it was read last; by series.
/// Failures are the database's.
StoredOffers read_offers(Database& database, const ReadingTerms& terms);

/// How many that gives, but no more than so many are counted.
std::int64_t count_offers(Database& database, const ReadingTerms& terms, std::int64_t most = INT64_MAX);

/// All as they are, or as they were known on a date ("2026-11", "2026-11-25"), in the order of before().
std::vector<Offer> current_offers(Database& database, std::string_view as_of);

}  // namespace gpuplan
