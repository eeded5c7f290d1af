// What the columns of a list of one's own mean, by what people head them with.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/feeds/formats/own_tax.h"
#include "input/feeds/rows/feed_table.h"

namespace gpuplan {

enum class OwnField {
  kNone,
  kProvider,
  kRegion,
  kZone,
  kInstance,
  kGpu,
  kGpus,
  kGpuMemory,
  kPrice,
  kSpotPrice,
  kKind,  ///< what kind of price it is (input/prices/price_kind.h)
  kVcpus,
  kRam,
  kMemory,  ///< of the GPUs or of the machine, which its values tell
  kAvailability,
  kMinimum,
  kIncrement,
  kInterruptions,
  kLabel,
  kCurrency,
  kUnit,  ///< what the prices of its row are of
  kTaxRate,
  kTaxIncluded,  ///< whether prices are with tax
  kAsOf,
  kSource,
  kSystem,  ///< operating system
  kReliability,
  kDiskPrice,    ///< of a GB-month
  kEgressPrice,  ///< of a GB
  kNodes,        ///< machines that the price is of
  kForm,         ///< form factor or link of the GPUs
  kLeastGpus,    ///< the fewest that are rented together
  kCount,
};

struct OwnColumn {
  OwnField field = OwnField::kNone;
  std::string currency{};    ///< that the header names; empty: none
  double hours = 0;          ///< prices: of how many; 0: not said
  bool per_gpu = false;      ///< prices: of one GPU
  bool per_machine = false;  ///< prices: of the whole machine, in so many words
  bool cents = false;        ///< prices: hundredths
  bool summary = false;      ///< prices: a mean, a lowest ...: another column is better
  bool list = false;         ///< prices: what others pay, likewise
  bool of_units = false;     ///< of no field, but a unit of prices may stand there: "period"
  bool of_spot = false;      ///< kinds: of spot alone, whose price may stand there
  bool of_others = false;    ///< of disks, networks and the like, whose units are none of machines
  double unit = 1;           ///< memory in GiB, times in seconds, rates of tax in hundredths, prices of a TB
  OwnTax tax{};              ///< prices: what the header says of tax in them
};

/// A header cell: "Price per hour ($)", "$/GPU/hr", "GPU Model", "ram[GiB]".
OwnColumn own_column(std::string_view name);

/// Columns by what they mean. Of several that mean the same the one that needs least undoing counts.
class OwnColumns {
 public:
  /// Empty: no list of prices, since none tells a GPU, or none a price.
  static std::optional<OwnColumns> of(FeedHeader header);

  FeedColumn at(OwnField field) const { return places_[static_cast<std::size_t>(field)]; }
  /// Its column is of something else than its head says.
  void drop(OwnField field) { places_[static_cast<std::size_t>(field)].reset(); }
  /// A column headed "memory" is of the GPUs, or else of the machine, where no other is.
  void settle_memory(bool of_gpus);
  const OwnColumn& meaning(OwnField field) const { return meanings_[static_cast<std::size_t>(field)]; }

 private:
  static constexpr std::size_t kFields = static_cast<std::size_t>(OwnField::kCount);
  std::array<FeedColumn, kFields> places_{};
  std::array<OwnColumn, kFields> meanings_{};
};

inline constexpr double kMonthHours = 730;

/// How much of a price must be undone, and how little its head says: lower is better.
int undone(const OwnColumn& column);
/// Words of a head in lower case, without currencies; "pricePerHour" is three.
std::vector<std::string> head_words(std::string_view name);

/// Three letters of a currency that people write, by sign or letters ("$", "usd", "€"); empty: it is none.
/// Where several countries write it so: all of them, "JPY|CNY" for a yen sign (FeedRow::currency).
std::string_view currency_of(std::string_view text);
/// Joins what two places say of one price's currency; false: they say different ones. Of several that a sign may mean
/// the one that the other place names.
bool settle_currency(std::string& currency, std::string_view other);
/// The currency whose sign a text begins with, and the bytes of the sign; 0: none.
std::pair<std::string_view, std::size_t> currency_sign(std::string_view text);
/// Hours of a word for a time: 1 for "hr", 730 for "month"; 0: it is none.
double hours_of(std::string_view word);
/// A word in lower case, cut where several of those that tell of prices were written as one: "pergpuhour".
std::vector<std::string> price_words(std::string_view word);
// Words in lower case beside prices.
bool is_gpu_word(std::string_view word);
bool is_machine_word(std::string_view word);
bool is_cent_word(std::string_view word);
/// "per", "je", "an".
bool is_joining_word(std::string_view word);

}  // namespace gpuplan
