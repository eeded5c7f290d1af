// `gpuplan offers`: what the known market rents, cheapest GPU-hour first, as a table and as JSON.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/market/own_terms.h"
#include "output/text/style.h"

namespace gpuplan {

class JsonWriter;

/// Which offers to show, and how.
struct OfferSelection {
  std::vector<std::string> filter{};  ///< output/text/row_filter.h
  std::string sort{};       ///< fields ("gpus,price-"), with "-" behind it the largest first; empty: a GPU-hour's price
  std::string group_by{};   ///< fields ("gpu,provider"): a row for each of their values; empty: for each offer
  bool all = false;         ///< old prices too
  std::size_t ordered = 0;  ///< rows that have to be in order, of the first ones; 0: all
  /// What regions of an area ("eu") are called (input/prices/region_areas.h); null: nobody knows areas.
  const std::vector<std::string>& (*regions_of)(std::string_view area) = nullptr;
};

/// What somebody's contract takes off listed prices.
struct OwnDiscount {
  std::string provider, gpu;  ///< gpu empty: all of the provider's
  double share = 0;
  std::size_t offers = 0;  ///< of those shown
};

/// What somebody has reserved or committed to.
struct OwnCommitment {
  Commitment terms;
  std::size_t offers = 0;  ///< of those shown, whose prices it makes
};

struct OffersReport {
  std::vector<const Offer*> rows;  ///< in the order asked for, as far as OfferSelection::ordered
  std::string sort;                ///< fields; empty: none asked for
  std::vector<std::string> group_by;
  std::size_t known = 0;        ///< before the filter
  std::size_t too_old = 0;      ///< left out before the filter: their prices are history
  std::size_t unsupported = 0;  ///< the same: GPUs that current software leaves out
  std::string today;            ///< what ages are told against; empty: none is told
  bool by_spot = false;         ///< spot prices are asked for: rows are in their order
  std::string unmet;            ///< a term of the filter that no offer satisfies; empty: there is none
  std::string oldest, newest;   ///< dates of all known
  std::vector<std::string> sources;
  const Catalogue* catalogue = nullptr;
  std::vector<OwnDiscount> discounts;      ///< that offers of the rows fall under
  bool discounted = false;                 ///< they are in the prices; else the list says what is paid
  std::vector<OwnCommitment> commitments;  ///< that are in the prices of rows
  std::map<const Offer*, Interval<DollarsPerSecond>>
      listed;  ///< the prices of the lists where a commitment makes another
};

/// Whether a text is a field, "dph", or has the order behind it as one would, "dph-" or "price+"; or several of these,
/// "num_gpus,dph-".
bool is_order(std::string_view text);

/// Whether a term of a filter is a condition on offers, "dph<30", or one in the words of output/facts/offer_words.h.
bool is_offer_condition(std::string_view term);

/// The offers selected. The report refers to the offers and the catalogue. Usage errors: a filter that can not be read,
/// a field that offers do not have.
Result<OffersReport> select_offers(const std::vector<const Offer*>& offers, const Catalogue& catalogue,
                                   const OfferSelection& selection, std::size_t too_old);

/// Rows of a table that does not show all.
inline constexpr std::size_t kOffersShown = 20;

/// "Your discounts are in these prices: aws 15%."; empty: there are none.
std::string discount_words(const OffersReport& report);

/// "Your own commitments are in these prices: aws 16x H100 SXM $1.10/h a GPU."; empty: there are none.
std::string commitment_words(const OffersReport& report);

/// A line that says that nothing is left, by which term of the filter.
std::string no_offer_text(const OffersReport& report);

/// The values of the fields that the report groups by, as the filter compares them; "" where an offer has none.
std::vector<std::string> group_of(const OffersReport& report, const Offer& offer);

/// The table: the first twenty, or `all`.
std::string offers_text(const OffersReport& report, const Screen& screen, bool all);

/// Every field of every row; prices that are ranges as their medians.
std::string offers_csv(const OffersReport& report);

/// The member "offers" of an open object: every row.
void write_offers(JsonWriter& json, const OffersReport& report);
/// Schema gpuplan/offers@1, every row. Prices that are ranges have p10 and p90 beside the median.
std::string offers_json(const OffersReport& report);

}  // namespace gpuplan
