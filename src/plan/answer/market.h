// Which offers a job may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/market/commonness.h"
#include "domain/work/job.h"

namespace gpuplan {

/// Offers of a large market that were left out before anybody looked at them: each is dearer than two others that
/// differ from it in place and price alone.
struct DearerOffers {
  std::size_t offers = 0;
  std::map<int, std::size_t> months;  ///< by months_of() their dates
};

/// The rest of them.
struct ThinnedOffers {
  std::vector<Offer> offers;
  DearerOffers left_out;
  OwnScatters scatter{};                ///< of all of them and of their past
  std::vector<std::uint64_t> places{};  ///< place_hash() of each (plan/answer/newest_offers.h); empty: nobody said
};

/// What one offer was left out for, counted for the message.
struct MarketFilter {
  int offers = 0;          ///< in the market
  int used = 0;            ///< after `where`
  int too_old = 0;         ///< of the snapshot, more than five months older than its newest
  int old_matching = 0;    ///< of these and those gone, what `where` would not leave out
  std::string old_newest;  ///< date of the newest of them
  int outdated = 0;        ///< beside newer prices of the same offer, or of the same GPU at the same provider
  int gone = 0;            ///< single machines of a marketplace, listed longer ago than they last
  int sold_out = 0;        ///< of what `where` leaves: known, and not to be had when it was listed
  int by_where = 0;
  int no_region = 0;          ///< of by_where: left out for their region alone, which nobody states
  int unknown_region = 0;     ///< the same where an area is asked for and no area has their region
  int dearer = 0;             ///< of a large market: see kDearerFrom
  int unsupported = 0;        ///< GPUs that current software has left behind, and nobody asks for
  int twice = 0;              ///< equal in everything to another one
  int preemptible = 0;        ///< pools whose jobs may be preempted, where the job says that it takes no such machines
  int spot_refused = 0;       ///< run the job, and have a spot price only, which it does not take
  int spot_without_rate = 0;  ///< spot prices that could not be used: nobody says how often they are interrupted
  ProvidersByGpu providers;   ///< that rent each GPU today, in whatever numbers and places
};

/// What an offer's price is multiplied by: machines of a rented offer, GPUs of a pool (priced by the GPU), the used
/// part of an own box.
double machines_paid(const Offer& offer, int nodes, int gpus);
/// How many GPUs the price of an offer is for.
int gpus_priced(const Offer& offer);

/// Whether `where.gpus` allows so many of these GPUs: "8x H100 SXM" is a rented machine of eight (`where.nodes` says
/// how many of them, `where.counts` how many GPUs in all), or eight GPUs of a pool or an own box.
bool names(const Where& where, const std::string& gpu, int gpus);

/// "DE", or of an area "eu=DE" and "eu=eu-*", all that begins so. Of "Ploiesti, Romania" and "Romania, RO" an area has
/// the country, which stands last.
bool in_regions(const std::vector<std::string>& regions, std::string_view region);

/// Of a market with so many offers (whole catalogues by zone have tens of thousands) only the cheapest two of a
/// provider stay among those that differ in nothing but place, price and date: no plan on the others is better or of
/// another kind.
inline constexpr std::size_t kDearerFrom = 1500;

/// The job's own offers, pools and boxes, joined with the known market unless the job says `use: only`; what `where`
/// leaves out, what is too old, what newer prices replace and what comes twice is counted in `filter`. In the order of
/// before(), whatever order they are listed in (domain/market/offer_order.h). `left_out`: of the known market.
/// Prices are those of today: with `price_level`, and in doubt (plan/answer/price_doubt.h).
std::vector<Offer> market_for(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                              MarketFilter& filter, bool keep_dearer = false, const DearerOffers& left_out = {});

/// The same where they stand, as they are listed. The job and what is known must outlive them.
std::vector<const Offer*> market_offers(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                                        MarketFilter& filter, bool keep_dearer = false,
                                        const DearerOffers& left_out = {});

}  // namespace gpuplan
