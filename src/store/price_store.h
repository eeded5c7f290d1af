// Prices of other people kept over time: one SQLite file. Imports are whole or not at all, one at a time, and whoever
// reads sees what was there before or after.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/market/price_records.h"
#include "input/feeds/rows/feed.h"
#include "store/ready/ready.h"
#include "store/rows/staging.h"

namespace gpuplan {

class Database;

/// When an import happens.
struct ImportTerms {
  std::string today, time;  ///< UTC: 2026-11-25, 12:03:44
  std::string version;      ///< of the program
};

/// What a past price must be of.
struct HistoryTerms {
  std::vector<std::string> gpus;  ///< names in the catalogue, any of them
  std::string provider{};         ///< empty: any; without regard to case
  int count = 0;                  ///< GPUs of the offer; 0: any
  bool spot = false;              ///< prices of spot use
};

class PriceStore {
 public:
  enum class Use { kRead, kWrite };
  /// A file that is no store, is damaged or of a newer version is refused untouched; so is for reading one that is not
  /// there. For writing, folders and file are made where there are none.
  static Result<PriceStore> open(const std::string& file, Use use);
  ~PriceStore();
  PriceStore(PriceStore&&) noexcept;
  PriceStore& operator=(PriceStore&&) noexcept;

  /// One that lies nowhere and goes with this, to see what would become of long lists.
  static Result<PriceStore> scratch();

  /// Offers of a list that is too long to be held, which is called by its Feed::file, are put aside until import() is
  /// called with that list and a judge, which is asked before the counts of lists are stored; `rows` of the list are
  /// those of the offers. The first call takes the right to write.
  Result<void> stage(const std::string& list, std::span<const Offer> offers, std::span<const OfferRow> rows);

  /// Adds all lists, or after an error none. Offers dated before what is known become part of the past. Thins what is
  /// old, and lays the present out for planners (store/ready/ready.h).
  Result<ImportRecord> import(const std::vector<Feed>& lists, const ImportTerms& terms, StagedJudge* judge = nullptr);

  /// Offers as they were known on a date ("2026-11", "2026-11-25"; empty: as they are), each with the date of its
  /// price. In the order of before().
  Result<std::vector<Offer>> offers(std::string_view as_of);

  /// Of these the newest of each machine (plan/answer/newest_offers.h), and how far prices lie apart and moved.
  Result<ThinnedOffers> newest(std::string_view as_of);

  Result<StoreStatus> status();
  Result<PriceHistory> history(const HistoryTerms& terms);
  /// What the import of this number changed, 0: the last one; dearest changes first within each kind.
  Result<std::vector<PriceChange>> changes(std::int64_t import = 0);

 private:
  explicit PriceStore(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  std::unique_ptr<StagedOffers> staged_;
};

/// The offers of a file for a planner, the newest of each machine (plan/answer/newest_offers.h) in the order of
/// before(): from what is laid out for it where that is up to date, else from the database. `wanted_at`: of
/// unpack_ready(); from the database all come.
Result<ThinnedOffers> stored_offers(const std::string& file, std::string_view as_of, const Places* wanted_at = nullptr);

}  // namespace gpuplan
