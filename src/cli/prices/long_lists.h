// Lists with more offers than are held at once: they go to the store as they are read, which keeps them aside until all
// lists of the call are there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io/system.h"
#include "cli/prices/keep_feeds.h"
#include "domain/facts/catalogue.h"
#include "evidence/market/odd_prices.h"
#include "input/feeds/rows/feed.h"
#include "store/price_store.h"

namespace gpuplan::cli {

class LongLists final : public OfferSink, private StagedJudge {
 public:
  /// All outlive this.
  LongLists(System& system, const KeepOptions& options, const Catalogue& catalogue)
      : system_(&system), options_(&options), catalogue_(&catalogue) {}

  void take(Feed& part) override;

  /// Whether there was any.
  bool any() const { return store_.has_value() || error_.has_value(); }
  /// Why they can not be kept; none: they can.
  const std::optional<Error>& error() const { return error_; }
  /// What prices are held against: what was known before and all offers that came. REQUIRES: any(), no error.
  PriceJudge& judge() { return judge_; }
  /// Stores all lists, those that were held too.
  Result<ImportRecord> import(std::vector<Feed>& lists, const ImportTerms& terms);

 private:
  Result<void> begin();
  OfferVerdict look_at(std::string_view list, const Offer& offer, const OfferRow& row) override;
  void twice(std::string_view list, const OfferRow& row) override;

  System* system_;
  const KeepOptions* options_;
  const Catalogue* catalogue_;
  std::optional<PriceStore> store_;
  std::optional<Error> error_;
  std::string today_;
  PriceJudge judge_;
  std::vector<Feed>* lists_ = nullptr;  ///< that are being stored
};

}  // namespace gpuplan::cli
