// Offers of lists that are too long to be held: they lie in a temporary table until all are there, and come back in
// order. Names and details are numbers already.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/feeds/rows/feed.h"
#include "store/rows/items.h"

namespace gpuplan {

/// Which of the prices of an offer count.
struct OfferVerdict {
  bool kept = true, spot_kept = true;
};

/// Whoever looks at the offers of long lists before they are stored.
class StagedJudge {
 public:
  virtual ~StagedJudge() = default;
  /// GPU, provider, region, prices, vCPUs and date of the offer are filled.
  virtual OfferVerdict look_at(std::string_view list, const Offer& offer, const OfferRow& row) = 0;
  /// A row of a list said the same as another one of it.
  virtual void twice(std::string_view list, const OfferRow& row) = 0;
};

class ItemSink {
 public:
  virtual ~ItemSink() = default;
  virtual void take(const Item& item) = 0;
};

class StagedOffers {
 public:
  /// Within a transaction of the database, which outlives this.
  explicit StagedOffers(Database& database);

  void take(const std::string& list, std::span<const Offer> offers, std::span<const OfferRow> rows);
  /// Lists with the oldest day of each, in the order in which they came.
  std::vector<std::pair<std::string, int>> lists() const;
  /// Days of each group of a list, in their order.
  std::map<std::int64_t, std::vector<int>> days(const std::string& list) const;

  /// Hands out the items of a list in the order of sort_items(), those that the judge keeps, each once.
  void read(const std::string& list, StagedJudge& judge, ItemSink& sink);

 private:
  struct List {
    std::string name;
    std::map<std::int64_t, std::vector<int>> days;
  };
  const List* find(const std::string& name) const;
  List& list_of(const std::string& name);

  Database* database_;
  ItemNumbers numbers_;
  std::vector<List> lists_;
  Statement add_;
};

}  // namespace gpuplan
