// Lists fetched one after the other: offers of those that came, and what became of each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io/system.h"
#include "domain/facts/catalogue.h"
#include "fetch/choose_lists.h"
#include "fetch/fetch_memory.h"
#include "input/feeds/rows/feed.h"
#include "output/facts/fetch_report.h"

namespace gpuplan::cli {

struct FetchedPrices {
  std::vector<Feed> feeds;
  std::vector<std::size_t> row_of_feed;  ///< the place in `rows` of the list that each came from
  std::vector<FetchRow> rows;            ///< one for each list
  fetch::FetchMemory memory{};           ///< of the lists that came; without the number of their import
};

struct FetchTerms {
  std::string today;
  std::vector<CurrencyRate> rates{};
  const fetch::FetchMemory* memory = nullptr;  ///< what the store has already
  OfferSink* long_lists = nullptr;             ///< FeedTerms::long_lists
};

/// One list that fails does not stop the others. Fails where nothing can be fetched at all: no libcurl, keys that
/// others can read.
Result<FetchedPrices> fetch_prices(System& system, std::span<const fetch::ListChoice> lists, const FetchTerms& terms,
                                   const Catalogue& catalogue);

struct AddressLists {
  std::vector<Feed> feeds;
  std::string date;  ///< of rows without one
};

/// The lists at an address: for `prices import URL`. `format`: of feed_formats(), empty: by content. `dated`: its
/// server may say that they are older than terms.as_of. Messages show the address without its query.
Result<AddressLists> fetch_address(System& system, const std::string& address, FeedTerms terms, std::string_view format,
                                   bool dated, const Catalogue& catalogue);

}  // namespace gpuplan::cli
