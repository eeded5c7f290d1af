#include "plan/answer/market.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "domain/market/offer_order.h"
#include "domain/market/price_date.h"
#include "plan/answer/cheapest_offers.h"
#include "plan/answer/price_doubt.h"

namespace gpuplan {

namespace {

/// Prices age: known offers more than this older than the newest serve `as_of` only.
constexpr int kOldestMonths = 5;
/// Where nothing else is left, so much older ones are what there is.
constexpr int kOldestAlone = 7;
/// What a provider asked for a GPU this much before its newest price there is no offer any more: it would be compared
/// with prices of today, and the lower one of two dates would win. Lists of one provider are read over weeks.
constexpr int kOutdatedMonths = 3;

/// Offers of one provider and GPU.
struct Kindred {
  Word provider, gpu;
  int newest = 0;  ///< month of the newest that counts, by months_of(); 0: none has a date
  bool counted = false;
  std::optional<bool> unsupported{};
};

/// What of a known offer decides whether it counts.
struct Listed {
  const Offer* offer;
  int month;            ///< months_of() its date
  std::uint32_t group;  ///< place in groups of kindred
  bool sold_out, single;
};

/// A list that is gone through several times, what matters of each offer side by side: an offer is eight lines of
/// cache.
class ListedOffers {
 public:
  explicit ListedOffers(const std::vector<Offer>& known) {
    rows.reserve(known.size());
    // Neighbours in a list mostly share them.
    Word date, words;
    int month = 0;
    bool single = false;
    for (const Offer& offer : known) {
      if (offer.as_of != date) {
        date = offer.as_of;
        month = months_of(date);
      }
      if (offer.availability != words) {
        words = offer.availability;
        single = is_single(offer);
      }
      rows.push_back({&offer, month, group_of(offer), offer.stock == Stock::kSoldOut, single});
    }
  }

  std::vector<Listed> rows;
  std::vector<Kindred> groups;

 private:
  using Key = std::pair<Word, Word>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>(hash_of(key.first) * 31 + hash_of(key.second));
    }
  };
  std::uint32_t group_of(const Offer& offer) {
    if (!groups.empty() && groups[last_].provider == offer.provider && groups[last_].gpu == offer.gpu) return last_;
    const auto [at, fresh] =
        numbers_.try_emplace({offer.provider, offer.gpu}, static_cast<std::uint32_t>(groups.size()));
    if (fresh) groups.push_back({offer.provider, offer.gpu});
    return last_ = at->second;
  }

  std::unordered_map<Key, std::uint32_t, Hash> numbers_;
  std::uint32_t last_ = 0;  ///< group of the offer before
};

/// The month that prices of today are of: no later than `as_of` (0: any), and so that one in twenty is as new. A few
/// rows read in since, of one GPU, do not make history of all others.
int newest_month(const std::vector<Listed>& known, const DearerOffers& left_out, int as_of) {
  constexpr std::size_t kOneIn = 20;
  std::map<int, std::size_t, std::greater<>> months(left_out.months.begin(), left_out.months.end());
  int last = 0;
  std::size_t* counted = nullptr;
  for (const Listed& row : known) {
    if (counted == nullptr || row.month != last) {
      last = row.month;
      counted = &months[last];
    }
    ++*counted;
  }
  std::erase_if(months, [&](const auto& month) { return month.first == 0 || (as_of != 0 && month.first > as_of); });
  std::size_t all = 0, newer = 0;
  for (const auto& month : months) all += month.second;
  for (const auto& [month, offers] : months)
    if (newer += offers; newer * kOneIn >= all) return month;
  return 0;
}

/// Drops what is history beside the newest prices of the same provider and GPU, or of the same offer. Pools, boxes and
/// what has no date are none.
void drop_outdated(std::vector<Listed>& usable, std::vector<Kindred>& groups) {
  for (const Listed& row : usable) groups[row.group].newest = std::max(groups[row.group].newest, row.month);
  std::erase_if(usable, [&](const Listed& row) {
    return row.month > 0 && row.month < groups[row.group].newest - kOutdatedMonths;
  });
}

/// Of the known offers of one place those of its newest date: what was listed before is what it cost then; and of those
/// equal in everything one. `offers` are in the order of before(); those of the job stay.
void keep_newest(std::vector<const Offer*>& offers, const std::vector<Offer>& known, MarketFilter& filter) {
  const auto is_known = [&](const Offer* o) {
    return !o->as_of.empty() && !std::less<>()(o, known.data()) && std::less<>()(o, known.data() + known.size());
  };
  auto kept = offers.begin();
  for (auto first = offers.begin(); first != offers.end();) {
    auto last = first + 1;
    if (last == offers.end() || !same_place(**last, **first)) {  // most are alone
      *kept++ = *first;
      first = last;
      continue;
    }
    std::string_view newest;
    for (last = first; last != offers.end() && same_place(**last, **first); ++last)
      if (is_known(*last)) newest = std::max<std::string_view>(newest, (*last)->as_of);
    const auto at_place = kept;
    kept = std::copy_if(first, last, kept, [&](const Offer* o) { return !is_known(o) || o->as_of == newest; });
    filter.outdated += static_cast<int>((last - first) - (kept - at_place));
    const auto once = std::unique(at_place, kept, [](const Offer* a, const Offer* b) { return same_offer(*a, *b); });
    filter.twice += static_cast<int>(kept - once);
    kept = once;
    first = last;
  }
  offers.erase(kept, offers.end());
}

/// Lists come in order, and few offers follow them from elsewhere: those alone are sorted.
void put_in_order(std::vector<const Offer*>& market) {
  const auto in_order = [](const Offer* a, const Offer* b) { return before(*a, *b); };
  const auto begin = std::ranges::is_sorted_until(market, in_order);
  if (begin == market.end()) return;
  std::sort(begin, market.end(), in_order);
  // From the last one on each goes where it belongs, and what comes behind it moves up: a few looks at the long list.
  const std::vector<const Offer*> rest(begin, market.end());
  auto end = begin;  // of what has not moved
  auto to = market.end();
  for (auto one = rest.rbegin(); one != rest.rend(); ++one) {
    const auto at = std::upper_bound(market.begin(), end, *one, in_order);
    to = std::move_backward(at, end, to);
    *--to = *one;
    end = at;
  }
}

bool allowed(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& n) { return iequals(n, name); });
}

enum class Regions { kAsked, kAny };

bool named(const Where& where, const std::string& gpu) {
  return where.gpus.empty() || std::ranges::any_of(where.gpus, [&](const GpuChoice& c) { return c.gpu == gpu; });
}

bool wanted(const Where& where, const Offer& offer, const Catalogue& catalogue, Regions regions = Regions::kAsked) {
  // Pools and own boxes are taken by the GPU: the search asks for each number.
  const bool any_number = offer.kind != OfferKind::kRented;
  if (any_number ? !named(where, offer.gpu) : !names(where, offer.gpu, offer.gpus)) return false;
  // What one has goes by the name that it has there.
  if (!allowed(where.providers, any_number ? offer.label : offer.provider)) return false;
  if (regions == Regions::kAsked && !any_number && !where.regions.empty() && !in_regions(where.regions, offer.region))
    return false;
  if (where.max_price && offer.kind == OfferKind::kRented) {
    const auto& price = where.spot == SpotUse::kOnly ? offer.spot_price : offer.price;
    if (!price || price->p50 > *where.max_price) return false;
  }
  if (where.reliability && offer.reliability > 0 && offer.reliability < *where.reliability) return false;
  for (const auto& [provider, most] : where.quota)
    if (iequals(provider, offer.provider) && offer.gpus > most) return false;
  if (where.interconnect && offer.gpus > 1 && node_shape(catalogue, offer).link_kind != *where.interconnect)
    return false;
  return true;
}

/// GPUs that wheels of today no longer run on, unless the job names them.
bool unsupported(const Where& where, const Gpu* gpu, const Catalogue& catalogue) {
  return where.gpus.empty() && gpu != nullptr && gpu->compute_capability > 0 &&
         gpu->compute_capability < catalogue.practice_constants.least_capability;
}

}  // namespace

bool in_regions(const std::vector<std::string>& regions, std::string_view region) {
  const std::size_t comma = region.rfind(',');
  const bool split = comma != std::string_view::npos;
  const std::string_view country = split ? trim(region.substr(comma + 1)) : region;
  return std::ranges::any_of(regions, [&](std::string_view name) {
    const std::size_t sign = name.find('=');
    if (sign == std::string_view::npos) return iequals(name, region);
    name.remove_prefix(sign + 1);
    if (!name.ends_with('*')) return iequals(name, country);
    name.remove_suffix(1);
    return !split && iequals(name, region.substr(0, name.size()));
  });
}

double machines_paid(const Offer& offer, int nodes, int gpus) {
  switch (offer.kind) {
    case OfferKind::kRented:
      return nodes;
    case OfferKind::kPool:
      return gpus;
    case OfferKind::kOwn:
      return static_cast<double>(gpus) / offer.gpus;
  }
  return nodes;
}

int gpus_priced(const Offer& offer) { return offer.kind == OfferKind::kPool ? 1 : offer.gpus; }

bool names(const Where& where, const std::string& gpu, int gpus) {
  return where.gpus.empty() || std::ranges::any_of(where.gpus, [&](const GpuChoice& choice) {
           return choice.gpu == gpu && (choice.count == 0 || choice.count == gpus);
         });
}

std::vector<const Offer*> market_offers(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                                        MarketFilter& filter, bool keep_dearer, const DearerOffers& left_out) {
  std::vector<const Offer*> market;
  ProviderCount providers;
  const auto leave_out = [&](const Offer& offer, const Where& where) {
    ++filter.by_where;
    if (where.regions.empty() || offer.kind != OfferKind::kRented) return;
    const bool unknown = !where.known_regions.empty() && !in_regions(where.known_regions, offer.region);
    if ((!offer.region.empty() && !unknown) || !wanted(where, offer, catalogue, Regions::kAny)) return;
    ++(offer.region.empty() ? filter.no_region : filter.unknown_region);
  };
  const auto take = [&](const std::vector<Offer>& offers, const Where& where) {
    for (const Offer& offer : offers) {
      ++filter.offers;
      providers.add(offer);
      if (wanted(where, offer, catalogue)) market.push_back(&offer);
      else leave_out(offer, where);
    }
  };
  // Prices are told times price_level, and so is what the most of them is.
  const double level = job.market.price_level;
  Where rented = job.where;
  if (rented.max_price) rented.max_price = *rented.max_price / level;
  const bool any_rented = rented == Where{};
  const auto note_old = [&](const Offer& offer, bool newer) {
    ++filter.too_old;
    if (newer || !wanted(rented, offer, catalogue)) return;
    ++filter.old_matching;
    filter.old_newest = std::max(filter.old_newest, offer.as_of.str());
  };
  take(job.market.offers, rented);
  take(job.market.pools, job.where);
  take(job.market.own, job.where);
  std::vector<const Offer*> ordered, left_behind;  // ordered: as the known ones are
  if (!job.market.only) {
    std::vector<Listed> usable, old;
    const int as_of = months_of(job.market.as_of);
    ListedOffers list(known);
    const int newest = newest_month(list.rows, left_out, as_of);
    usable.reserve(list.rows.size());
    filter.offers += static_cast<int>(known.size());
    for (const Listed& row : list.rows) {
      const int month = row.month;
      if (month != 0 && (month < newest - kOldestMonths || (as_of != 0 && month > as_of))) {
        note_old(*row.offer, as_of != 0 && month > as_of);
        if (month >= newest - kOldestAlone && (as_of == 0 || month <= as_of) && wanted(rented, *row.offer, catalogue))
          old.push_back(row);
        continue;
      }
      if (Kindred& group = list.groups[row.group]; !group.counted) {
        group.counted = true;
        providers.add(*row.offer);
      }
      if (!any_rented && !wanted(rented, *row.offer, catalogue)) leave_out(*row.offer, rented);
      else if (row.sold_out) ++filter.sold_out;
      else usable.push_back(row);
    }
    if (market.empty() && usable.empty() && !old.empty()) {
      filter.too_old -= static_cast<int>(old.size());
      filter.old_matching -= static_cast<int>(old.size());
      usable.swap(old);
    }
    const auto before_all = static_cast<int>(usable.size());
    drop_outdated(usable, list.groups);
    filter.outdated = before_all - static_cast<int>(usable.size());
    // They still tell that older prices of the same GPU are history.
    std::string_view today = job.market.today;
    if (today.empty())
      for (const Listed& row : usable) today = std::max<std::string_view>(today, row.offer->as_of);
    filter.gone = static_cast<int>(std::erase_if(usable, [&](const Listed& row) {
      const Offer& offer = *row.offer;
      if (!row.single || days_between(offer.as_of, today) <= catalogue.answer_constants.old_price_days) return false;
      ++filter.old_matching;
      filter.old_newest = std::max(filter.old_newest, offer.as_of.str());
      return true;
    }));
    ordered.reserve(usable.size());
    std::vector<std::pair<Word, bool>> met;  // GPUs, of which there are fewer than groups
    const auto is_unsupported = [&](const Word& gpu) {
      const auto known_gpu = std::ranges::find(met, gpu, &std::pair<Word, bool>::first);
      if (known_gpu != met.end()) return known_gpu->second;
      return met.emplace_back(gpu, unsupported(job.where, catalogue.find_gpu(gpu), catalogue)).second;
    };
    for (const Listed& row : usable) {
      Kindred& group = list.groups[row.group];
      if (!group.unsupported) group.unsupported = is_unsupported(group.gpu);
      (*group.unsupported ? left_behind : ordered).push_back(row.offer);
    }
  }
  if (market.empty()) market.swap(ordered);
  else market.insert(market.begin(), ordered.begin(), ordered.end());
  // Where there is nothing else that may be had, they are what there is.
  const bool no_spot = job.where.spot == SpotUse::kNever;
  if (std::ranges::all_of(market, [&](const Offer* offer) { return no_spot && !offer->price && offer->spot_price; })) {
    market.insert(market.end(), left_behind.begin(), left_behind.end());
    left_behind.clear();
  }
  filter.unsupported = static_cast<int>(left_behind.size());
  put_in_order(market);
  keep_newest(market, known, filter);
  if (!keep_dearer && market.size() + left_out.offers >= kDearerFrom) {
    const std::size_t with_dearer = market.size() + left_out.offers;
    keep_cheapest(market, catalogue);
    filter.offers += static_cast<int>(left_out.offers);
    filter.dearer = static_cast<int>(with_dearer - market.size());
  }
  filter.used = static_cast<int>(market.size());
  filter.providers = providers.take();
  return market;
}

std::vector<Offer> market_for(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                              MarketFilter& filter, bool keep_dearer, const DearerOffers& left_out) {
  const std::vector<const Offer*> market = market_offers(job, catalogue, known, filter, keep_dearer, left_out);
  const double level = job.market.price_level;
  std::vector<Offer> chosen;
  chosen.reserve(market.size());
  for (const Offer* offer : market) {
    Offer& copy = chosen.emplace_back(*offer);
    if (level != 1 && offer->kind == OfferKind::kRented)
      for (auto* price : {&copy.price, &copy.spot_price})
        if (*price) *price = {(*price)->p10 * level, (*price)->p50 * level, (*price)->p90 * level};
    if (offer->kind != OfferKind::kRented || offer->source == kJobSource) continue;
    copy.price_doubt = price_doubt(copy, false, catalogue, job.market.today, job.market.scatter);
    copy.spot_doubt = price_doubt(copy, true, catalogue, job.market.today, job.market.scatter);
  }
  return chosen;
}

}  // namespace gpuplan
