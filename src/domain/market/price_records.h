// What is kept of prices over time: imports, what they changed, and the past of a GPU's prices.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "domain/market/offer.h"

namespace gpuplan {

/// What came of one price list.
struct ImportedList {
  std::string format;  ///< "SkyPilot catalogue"
  std::string file;    ///< as messages call it
  std::uint64_t rows = 0, kept = 0, corrected = 0, rejected = 0;
  std::vector<std::pair<std::string, std::uint64_t>> rejections{};  ///< rows by reason, most first
};

/// One import: all of its lists, or nothing.
struct ImportRecord {
  std::int64_t number = 0;          ///< from 1
  std::string day, time;            ///< UTC: 2026-11-25, 12:03:44
  std::string version;              ///< of the program
  std::vector<ImportedList> lists;  ///< in order
};

/// Current offers of one provider from one source.
struct ListedOffers {
  std::string provider, source;
  std::uint64_t offers = 0;
  std::vector<std::pair<std::string, std::uint64_t>> dates{};  ///< of their prices, oldest first, with so many offers
};

struct StoreStatus {
  std::string file;
  std::uint64_t bytes = 0;
  std::uint64_t imports = 0, prices = 0;  ///< prices: with all that is past
  std::vector<ListedOffers> lists;        ///< by provider and source
  ImportRecord last;                      ///< number 0: there was none
};

/// What was asked for a GPU in one offer from one day on.
struct PastPrice {
  std::string from, to;  ///< days; to: the first on which it no longer counts, empty: it still does
  std::string provider, region, instance;
  int gpus = 1;
  double price = 0;  ///< dollars an hour of one GPU
};

struct PriceHistory {
  std::vector<std::string> days;  ///< on which any of the offers was told of, in order
  std::vector<PastPrice> prices;
};

/// An offer that an import changed.
struct PriceChange {
  enum class Kind { kNew, kGone, kDearer, kCheaper } kind = Kind::kNew;
  Offer offer;  ///< as it is now; gone: as it was
  bool spot = false;
  double before = 0, after = 0;  ///< dollars an hour of the whole offer; 0: there was none, there is none
};

}  // namespace gpuplan
