// What was fetched, read as price lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "fetch/fetch_list.h"
#include "input/feeds/rows/feed.h"

namespace gpuplan::fetch {

/// The documents of a list in pieces of 64 KiB, pages of one address as one list. `format`: of feed_formats(), empty or
/// unknown there: by content. Fails for a web page in place of a list and for lists without one offer that can be used:
/// nothing is to be made of those. A list that waits for another (FeedTerms::parted) gives none.
Result<std::vector<Feed>> read_fetched(const FetchedList& list, const FeedTerms& terms, std::string_view format,
                                       std::uint64_t most_bytes, const Catalogue& catalogue);

}  // namespace gpuplan::fetch
