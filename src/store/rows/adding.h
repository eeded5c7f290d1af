// Lists of an import added to the database, each offer to the series of its kind.
#pragma once

#include <cstdint>
#include <span>

#include "input/feeds/rows/feed.h"
#include "store/rows/staging.h"
#include "store/sql/sql.h"

namespace gpuplan {

struct AddingTerms {
  std::int64_t import = 0;
  int whole_from = 0;  ///< since that day (store/rows/dates.h) nothing was thinned out
  // Of lists that were too long to be held: where they lie under their Feed::file, and who judges their offers.
  StagedOffers* staged = nullptr;
  StagedJudge* judge = nullptr;
};

/// Within a transaction. Failures are the database's.
void add_lists(Database& database, std::span<const Feed> lists, const AddingTerms& terms);

}  // namespace gpuplan
