// A price list as it was read: offers, and what became of each of its rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/prices/price_file.h"

namespace gpuplan {

/// What to say of one row. Notes of one reason are counted together, so a reason holds no figure of its row.
struct FeedNote {
  std::uint64_t row = 0;  ///< line of a CSV file, number of the record of a JSON file, from 1
  bool rejected = false;  ///< else corrected
  std::string reason;     ///< "SpotPrice 99999999 stands for none"
  std::string words;      ///< the row's own, to find it by: "p5.48xlarge us-east-1"
};

/// Which row of its list an offer comes from.
struct OfferRow {
  std::uint64_t row = 0;        ///< FeedNote::row
  std::uint64_t corrected = 0;  ///< a bit for each correction of it, by its place in Feed::correction_names
};

/// rows = kept + rejected(), corrected <= kept, always.
struct Feed {
  static constexpr std::size_t kMostNotes = 20'000;  ///< the rest is only counted
  static constexpr std::size_t kHeld = 10'000;       ///< offers of a long list that are held at once

  std::string format;                                  ///< "SkyPilot catalogue"
  std::string file{};                                  ///< FeedTerms::file, of a zip with the name in it behind
  std::string name{};                                  ///< tells it from other lists of its day; empty: `file` does
  std::vector<Offer> offers;                           ///< each kept row gives one
  std::vector<OfferRow> offer_rows{};                  ///< the row of each
  std::uint64_t rows = 0, kept = 0, corrected = 0;     ///< corrected rows are kept
  std::uint64_t undated = 0;                           ///< kept rows without a date of their own
  bool waits = false;                                  ///< has no rows: they come with the list that it belongs to
  std::vector<FeedNote> notes;                         ///< in the order of the rows
  std::map<std::string, std::uint64_t> rejections{};   ///< rows by reason
  std::map<std::string, std::uint64_t> corrections{};  ///< kept rows by reason
  std::vector<std::string> correction_names{};         ///< reasons that rows were corrected for, as they came

  std::uint64_t rejected() const { return rows - kept; }
  /// Counts a kept row as corrected, once for each of the reasons.
  OfferRow correct(std::uint64_t row, const std::vector<std::string>& reasons);
  /// Takes back what was counted of a kept row that is rejected after all.
  void reject(const OfferRow& row, const std::string& reason);
};

/// Takes the kept offers of lists that are too long to be held.
class OfferSink {
 public:
  virtual ~OfferSink() = default;
  /// The next offers of a list, with their rows, its format and its file; `part` may be changed.
  virtual void take(Feed& part) = 0;
};

struct PartedLists;

/// What a price list does not say of itself.
struct FeedTerms {
  std::string file;      ///< what messages call it
  std::string provider;  ///< of lists without; empty: not known
  std::string as_of;     ///< date of rows without one, 2026-11-25
  std::string source;    ///< Offer::source of its rows
  std::vector<CurrencyRate> rates{};
  OfferSink* long_lists = nullptr;  ///< of a list with more than Feed::kHeld offers it takes all; null: all are held
  PartedLists* parted = nullptr;  ///< what lists of the same call told of machines and parts; null: this list is alone
};

}  // namespace gpuplan
