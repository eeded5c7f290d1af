// Offers of lists that are too long to be held: they lie in a temporary table until all are there, and come back in
// order. Names and details are numbers already.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/rows/items.h"

namespace gpuplan {

/// Which of the prices of an offer count.
struct OfferVerdict {
  bool kept = true, spot_kept = true;
};

/// Looks at an offer of a long list before it is stored: GPU, provider, region, prices, vCPUs and date are filled.
/// `row`: of the list.
using StagedJudge = std::function<OfferVerdict(std::string_view list, const Offer& offer, std::uint64_t row)>;

class StagedOffers {
 public:
  /// Within a transaction of the database, which outlives this.
  explicit StagedOffers(Database& database);

  void take(const std::string& list, std::span<const Offer> offers, std::span<const std::uint64_t> rows);
  /// Lists with the oldest day of each, in the order in which they came.
  std::vector<std::pair<std::string, int>> lists() const;
  /// Days of each group of a list, in their order.
  std::map<std::int64_t, std::vector<int>> days(const std::string& list) const;

  /// Hands out the items of a list in the order of sort_items(), those that the judge keeps, each once. Returns how
  /// many said the same as another one.
  std::uint64_t read(const std::string& list, const StagedJudge& judge, const std::function<void(const Item&)>& item);

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
