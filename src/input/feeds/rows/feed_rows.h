// Rows of price lists, in the list's own words, made into offers. Every format hands its rows to this, so that names of
// GPUs, prices and sizes are checked in one place.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/facts/catalogue.h"
#include "input/feeds/rows/feed.h"

namespace gpuplan {

inline constexpr double kNoPrice = std::numeric_limits<double>::quiet_NaN();

/// One row. What is not said keeps its value here. A format undoes its own traps (cents, prices of one GPU, sentinels,
/// sums over GPUs) before and says so in `corrections`.
struct FeedRow {
  std::uint64_t row = 0;  ///< line, or number of the record, from 1
  std::string provider;   ///< empty: FeedTerms::provider
  std::string region, zone, instance;
  std::string gpu;                        ///< as the list calls it; empty: no GPU, which is rejected
  std::string hints;                      ///< other words that may tell the form factor: "8x H100 (80 GB SXM5)"
  std::string form{};                     ///< what a column for it says of form factor or link: "SXM5", "PCIe"
  double gpus = 0;                        ///< 0: not said, which is rejected; so is a part of a GPU
  double gpu_memory_gib = 0;              ///< of one GPU
  double price = kNoPrice;                ///< an hour of the whole machine on demand
  double spot = kNoPrice;                 ///< the same as spot
  std::string currency;                   ///< empty: USD; "JPY|CNY": one of these, whichever has a rate
  double vcpus = 0, ram_gib = 0;          ///< of the machine
  double disk_price = kNoPrice;           ///< a GB-month
  double egress_price = kNoPrice;         ///< a GB
  double minimum_s = 0, increment_s = 1;  ///< billing
  Stock stock = Stock::kUnsaid;
  double reliability = 0;
  std::string availability;  ///< as the list words it
  std::string label;
  std::string as_of;     ///< empty: FeedTerms::as_of
  std::string source{};  ///< empty: FeedTerms::source
  std::optional<Interval<PerSecond>> interruptions{};
  std::optional<SpotBand> band{};
  std::vector<std::string> corrections{};  ///< reasons (FeedNote::reason)

  /// "p5.48xlarge us-east-1", for notes.
  std::string words() const;
};

class FeedRows {
 public:
  /// `format`: Feed::format.
  FeedRows(FeedTerms terms, std::string format, const Catalogue& catalogue);

  /// Keeps or rejects the row and counts it. Rejected: no GPU (only counted), the same row again, a GPU that gpuplan
  /// does not know, no whole number of GPUs, no price, a price that nobody asks (0, negative, below $0.0001/h or above
  /// $1e6/h), a memory that the GPU never had, a currency without rate, a date that is none. Corrected: a form factor
  /// that had to be concluded, a spot price not below the one on demand (left out), vCPUs or memory that no machine has
  /// (left out), characters that no name has.
  void take(FeedRow row);
  /// A row that the format itself can not use.
  void reject(std::uint64_t row, std::string reason, std::string words = "");
  /// The same of rows that lists have by the thousand and nobody looks for (machines without a GPU): only counted.
  void skip(std::string_view reason);

  /// Its GPU, or all of the row together, has been made with this memory.
  bool had_memory(const FeedRow& row, double gib) const;

  const FeedTerms& terms() const { return terms_; }
  const Catalogue& catalogue() const { return *catalogue_; }
  /// What this list shares with others: FeedTerms::parted, or its own.
  PartedLists& parted() { return *parted_; }
  /// Its rows come with another list.
  void wait() { feed_.waits = true; }
  /// Its rows are those of another file; `name`: Feed::name.
  void stand_for(const std::string& file, const std::string& name);
  /// What came of all rows.
  Feed finish();

 private:
  /// A provider's machine of a name that the catalogue has.
  struct NamedMachine {
    const Gpu* gpu = nullptr;
    std::vector<int> gpus;  ///< numbers of them that it comes with
  };
  /// Null: the row names none.
  const NamedMachine* machine_of(const FeedRow& row) const;
  /// Dollars for one unit; the message is why the row is rejected.
  Result<double> rate_of(const std::string& currency) const;
  std::string settle_form(FeedRow& row) const;
  const Gpu* find(FeedRow& row, std::string& problem);
  std::vector<const Gpu*> kin_of(const std::string& stem, double gib) const;
  bool seen_before(const Offer& offer);
  void note_host(Offer& offer) const;
  std::string machine_problem(FeedRow& row, const Gpu& gpu) const;
  void hand_over();

  FeedTerms terms_;
  std::shared_ptr<PartedLists> parted_;
  const Catalogue* catalogue_;
  Feed feed_;
  bool is_long_ = false;                                             ///< its offers go to FeedTerms::long_lists
  std::vector<std::string> marketplaces_;                            ///< providers whose prices differ by host
  std::unordered_map<std::string, NamedMachine> machines_;           ///< by provider and name, in lower case
  std::map<std::string, std::pair<const Gpu*, std::string>> found_;  ///< GPU and note by what a row says of it
  std::unordered_multimap<std::uint64_t, std::size_t> seen_;         ///< kept offers by hash
};

}  // namespace gpuplan
