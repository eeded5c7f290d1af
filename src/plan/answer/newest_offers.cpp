#include "plan/answer/newest_offers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "domain/market/capacity_words.h"
#include "plan/answer/folded_hash.h"

namespace gpuplan {
namespace {

std::uint64_t hash_of_place(const Offer& offer, bool with_zone) {
  std::uint64_t hash = folded_hash(kHashSeed ^ static_cast<std::uint64_t>(offer.gpus), offer.instance);
  hash = folded_hash(folded_hash(folded_hash(hash, offer.region), offer.provider), offer.gpu);
  if (with_zone) hash = folded_hash(hash, offer.zone);
  return hash ^ hash >> 32U;
}

bool same_place(const Offer& a, const Offer& b, bool with_zone) {
  return a.gpus == b.gpus && iequals(a.instance, b.instance) && iequals(a.region, b.region) &&
         iequals(a.provider, b.provider) && iequals(a.gpu, b.gpu) && (!with_zone || iequals(a.zone, b.zone));
}

/// The newest of one place, whose date and source count.
struct Newest {
  const Offer* any = nullptr;
  const Offer* on_demand = nullptr;
  const Offer* spot = nullptr;
};

/// Places by hash, each with its newest.
class NewestByPlace {
 public:
  NewestByPlace(std::size_t most, bool with_zone) : with_zone_(with_zone) {
    std::size_t size = 16;
    while (size < 2 * most) size *= 2;
    slots_.resize(size);
  }
  Newest& operator[](const Offer& offer) {
    for (std::uint64_t at = hash_of_place(offer, with_zone_);; ++at) {
      Newest& slot = slots_[static_cast<std::size_t>(at) & (slots_.size() - 1)];
      if (slot.any == nullptr) {
        slot.any = &offer;
        return slot;
      }
      if (same_place(*slot.any, offer, with_zone_)) return slot;
    }
  }

 private:
  std::vector<Newest> slots_;
  bool with_zone_;
};

void take_newer(const Offer*& newest, const Offer& offer) {
  if (newest == nullptr || offer.as_of > newest->as_of) newest = &offer;
}

/// One source tells a whole place: what it no longer names is gone.
bool counts(const Offer& offer, const Offer* newest, const Newest& place) {
  if (newest == nullptr) return false;
  const auto same_news = [&](const Offer* other) {
    return other != nullptr && offer.as_of == other->as_of && offer.source == other->source;
  };
  if (!same_news(newest)) return false;
  for (const Offer* other : {place.on_demand, place.spot})
    if (other != nullptr && other->source == offer.source && other->as_of > offer.as_of) return false;
  return true;
}

std::uint64_t hash_of_machine(const Offer& offer) {
  std::uint64_t hash = folded_hash(kHashSeed ^ static_cast<std::uint64_t>(offer.gpus), offer.instance);
  hash = folded_hash(folded_hash(hash, offer.provider), offer.gpu);
  return hash ^ hash >> 32U;
}

/// Whether a list says in which regions a machine is to be had now: in those it names, or in none.
bool tells_all_regions(const Offer& offer) {
  static const Word capacity(kCapacityWhenListed);
  return offer.kind == OfferKind::kRented && !offer.instance.empty() &&
         (offer.availability == capacity || (offer.stock == Stock::kSoldOut && offer.region.empty()));
}

/// Drops older offers of machines whose newer lists tell where they are to be had, in whichever region.
void drop_overtaken(std::vector<Offer>& offers, std::string_view as_of) {
  std::unordered_map<std::uint64_t, const Offer*> news;
  std::unordered_set<std::uint64_t> providers;  // of them, of which there are few
  for (const Offer& offer : offers) {
    if (!tells_all_regions(offer) || (!as_of.empty() && offer.as_of.substr(0, as_of.size()) > as_of)) continue;
    const Offer*& newest = news[hash_of_machine(offer)];
    if (newest == nullptr || newest->as_of < offer.as_of) newest = &offer;
    providers.insert(folded_hash(kHashSeed, offer.provider));
  }
  if (news.empty()) return;
  Word provider;  // of the offer before
  bool any = providers.contains(folded_hash(kHashSeed, provider));
  const auto overtaken = [&](const Offer& offer) {
    if (offer.provider != provider) {
      provider = offer.provider;
      any = providers.contains(folded_hash(kHashSeed, provider));
    }
    if (!any || offer.kind != OfferKind::kRented) return false;
    const auto found = news.find(hash_of_machine(offer));
    return found != news.end() && offer.as_of < found->second->as_of &&
           iequals(offer.instance, found->second->instance) && iequals(offer.provider, found->second->provider);
  };
  std::vector<std::size_t> drop;  // before any moves: the news are among them
  for (std::size_t i = 0; i < offers.size(); ++i)
    if (overtaken(offers[i])) drop.push_back(i);
  if (drop.empty()) return;
  std::size_t to = drop.front();
  auto next = drop.begin();
  for (std::size_t i = to; i < offers.size(); ++i) {
    if (next != drop.end() && *next == i) ++next;
    else offers[to++] = std::move(offers[i]);
  }
  offers.resize(to);
}

/// Drops what another list says too: the same prices of the same machine, day and source, in whatever words.
void drop_known(std::vector<Offer>& offers, std::span<const Offer> others) {
  if (offers.empty()) return;
  std::unordered_multimap<std::uint64_t, const Offer*> by_place;
  by_place.reserve(others.size());
  for (const Offer& other : others) by_place.emplace(place_hash(other), &other);
  std::erase_if(offers, [&](const Offer& offer) {
    const auto [first, last] = by_place.equal_range(place_hash(offer));
    return std::any_of(first, last, [&](const auto& one) {
      const Offer& other = *one.second;
      return offer.as_of == other.as_of && offer.source == other.source && offer.price == other.price &&
             offer.spot_price == other.spot_price && offer.stock == other.stock && same_place(offer, other, true);
    });
  });
}

}  // namespace

std::uint64_t place_hash(const Offer& offer) { return hash_of_place(offer, false); }

Places places_of(std::span<const Offer> offers) {
  Places places;
  places.reserve(offers.size());
  for (const Offer& offer : offers) places.insert(place_hash(offer));
  return places;
}

std::vector<Offer> newest_offers(std::vector<Offer> offers, std::string_view as_of) {
  const auto takes_part = [&](const Offer& offer) {
    return offer.kind == OfferKind::kRented && (as_of.empty() || offer.as_of.substr(0, as_of.size()) <= as_of);
  };
  const bool zones = std::ranges::any_of(offers, [](const Offer& offer) { return !offer.zone.empty(); });
  NewestByPlace places(offers.size(), true);
  NewestByPlace zoned(zones ? offers.size() : 0, false), unzoned(zones ? offers.size() : 0, false);
  std::vector<Newest*> of(offers.size(), nullptr);
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const Offer& offer = offers[i];
    if (!takes_part(offer)) continue;
    of[i] = &places[offer];
    if (offer.price) take_newer(of[i]->on_demand, offer);
    if (offer.spot_price) take_newer(of[i]->spot, offer);
    if (!zones) continue;
    Newest& all = (offer.zone.empty() ? unzoned : zoned)[offer];
    if (offer.price) take_newer(all.on_demand, offer);
    if (offer.spot_price) take_newer(all.spot, offer);
  }
  enum : std::uint8_t { kPrice = 1, kSpot = 2 };
  std::vector<std::uint8_t> kept(offers.size(), kPrice | kSpot);
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (of[i] == nullptr) continue;
    const Offer& offer = offers[i];
    bool price = offer.price && counts(offer, of[i]->on_demand, *of[i]);
    bool spot = offer.spot_price && counts(offer, of[i]->spot, *of[i]);
    if (zones) {
      const Newest& all = (offer.zone.empty() ? zoned : unzoned)[offer];
      price = price && (all.on_demand == nullptr || all.on_demand->as_of <= offer.as_of);
      spot = spot && (all.spot == nullptr || all.spot->as_of <= offer.as_of);
    }
    kept[i] = static_cast<std::uint8_t>((price ? kPrice : 0) | (spot ? kSpot : 0));
  }
  std::size_t to = 0;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (kept[i] == 0) continue;
    if ((kept[i] & kPrice) == 0) offers[i].price.reset();
    if ((kept[i] & kSpot) == 0) {
      offers[i].spot_price.reset();
      offers[i].interruptions.reset();
      offers[i].band.reset();
    }
    if (to != i) offers[to] = std::move(offers[i]);
    ++to;
  }
  offers.resize(to);
  drop_overtaken(offers, as_of);
  return offers;
}

std::vector<Offer> joined_newest(std::vector<Offer> newest, std::span<const Offer> more, std::string_view as_of,
                                 std::span<const std::uint64_t> places) {
  // Most of either are told of by nobody else: only places that both know need a closer look.
  const Places others = places_of(more);
  std::vector<Offer> both;
  std::size_t to = 0;
  for (std::size_t i = 0; i < newest.size(); ++i) {
    if (others.contains(places.empty() ? place_hash(newest[i]) : places[i])) both.push_back(std::move(newest[i]));
    else if (to != i) newest[to++] = std::move(newest[i]);
    else ++to;
  }
  newest.resize(to);
  drop_known(both, more);
  both.insert(both.end(), more.begin(), more.end());
  both = newest_offers(std::move(both), as_of);
  newest.insert(newest.end(), std::make_move_iterator(both.begin()), std::make_move_iterator(both.end()));
  drop_overtaken(newest, as_of);
  return newest;
}

}  // namespace gpuplan
