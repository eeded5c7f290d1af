#include "plan/answer/cheapest_offers.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "plan/answer/folded_hash.h"

namespace gpuplan {
namespace {

/// Machines of providers that the catalogue has a row for, by their names as they are written there.
class DescribedMachines {
 public:
  explicit DescribedMachines(const Catalogue& catalogue) {
    for (const Node& node : catalogue.nodes) {
      const std::uint64_t provider = folded_hash(kHashSeed, node.provider);
      providers_.insert(provider);
      names_.insert(folded_hash(provider, node.instance));
    }
    any_ = providers_.contains(hash_);
  }
  /// What of the name matters: all of it, or whether there is one (the machine of a provider that is not named is taken
  /// for the one that the catalogue has).
  std::string_view name(const Offer& offer) {
    if (offer.instance.empty()) return {};
    if (offer.provider != provider_) {
      provider_ = offer.provider;
      hash_ = folded_hash(kHashSeed, offer.provider);
      any_ = providers_.contains(hash_);
    }
    const bool described = any_ && names_.contains(folded_hash(hash_, offer.instance));
    return described ? std::string_view(offer.instance) : kUndescribed;
  }

 private:
  static constexpr std::string_view kUndescribed = "?";
  std::unordered_set<std::uint64_t> providers_, names_;
  Word provider_;  ///< of the offer before
  std::uint64_t hash_ = folded_hash(kHashSeed, "");
  bool any_ = false;  ///< of its machines is described
};

/// What a plan on an offer hangs on beside its price, and who rents it out.
auto terms_of(const Offer& o) {
  return std::tie(o.gpu, o.gpus, o.provider, o.interruptions, o.band, o.availability, o.stock, o.billing, o.disk_price,
                  o.egress_price, o.vcpus, o.ram, o.disk, o.network, o.label);
}

/// What an offer may be left out for that a cheaper one is not.
auto news_of(const Offer& o) { return std::tie(o.as_of, o.source, o.reliability, o.stock); }

/// By where words lie, which equal ones share; names are words as well.
std::uint64_t hash_of_terms(const Offer& offer, std::string_view name) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = std::bit_cast<std::uint64_t>(offer.ram.value);
  const auto take = [&](std::uint64_t part) {
    hash = (hash ^ part) * kFactor;
    hash ^= hash >> 32U;
  };
  take(static_cast<std::uint64_t>(offer.vcpus) << 32U | static_cast<std::uint64_t>(static_cast<unsigned>(offer.gpus)));
  for (const char* place : {offer.gpu.str().data(), offer.provider.str().data(), name.data()})
    take(std::bit_cast<std::uintptr_t>(place));
  return hash;
}

double median(const std::optional<Interval<DollarsPerSecond>>& price) {
  return price ? price->p50.value : std::numeric_limits<double>::infinity();
}

/// Offers of the same terms: the places in the market of the cheapest two, on demand and on spot.
struct Kind {
  const Offer* like = nullptr;
  std::string_view name;
  std::array<std::array<std::size_t, 2>, 2> cheapest{};
  std::array<std::array<double, 2>, 2> price{};

  void consider(std::size_t place, const Offer& offer) {
    for (const bool spot : {false, true}) {
      const double asked = median(spot ? offer.spot_price : offer.price);
      auto& places = cheapest[spot ? 1 : 0];
      auto& prices = price[spot ? 1 : 0];
      if (asked < prices[0]) {
        prices = {asked, prices[0]};
        places = {place, places[0]};
      } else if (asked < prices[1]) {
        prices[1] = asked;
        places[1] = place;
      }
    }
  }
};

class Kinds {
 public:
  /// `by_news`: what differs in news_of() is of two kinds.
  Kinds(std::size_t most, bool by_news) : slots_(std::bit_ceil(2 * most + 1)), by_news_(by_news) {}
  Kind& of(const Offer& offer, std::string_view name) {
    for (std::uint64_t at = hash_of_terms(offer, name);; ++at) {
      std::uint32_t& slot = slots_[static_cast<std::size_t>(at) & (slots_.size() - 1)];
      if (slot == 0) {
        constexpr double kNone = std::numeric_limits<double>::infinity();
        Kind& kind = kinds_.emplace_back();
        slot = static_cast<std::uint32_t>(kinds_.size());
        kind.like = &offer;
        kind.name = name;
        for (auto& prices : kind.price) prices.fill(kNone);
        return kind;
      }
      Kind& kind = kinds_[slot - 1];
      if (kind.name == name && terms_of(*kind.like) == terms_of(offer) &&
          (!by_news_ || news_of(*kind.like) == news_of(offer)))
        return kind;
    }
  }
  /// Marks the cheapest ones by their places.
  void mark(std::vector<bool>& kept) const {
    for (const Kind& kind : kinds_)
      for (const std::size_t sort : {0U, 1U})
        for (const std::size_t rank : {0U, 1U})
          if (kind.price[sort][rank] < std::numeric_limits<double>::infinity()) kept[kind.cheapest[sort][rank]] = true;
  }

 private:
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> slots_;  ///< positions of kinds by hash, from 1 on; 0: free
  bool by_news_;
};

}  // namespace

void keep_cheapest(std::vector<const Offer*>& market, const Catalogue& catalogue) {
  DescribedMachines described(catalogue);
  Kinds kinds(market.size(), false);
  std::vector<bool> kept(market.size(), false);
  for (std::size_t i = 0; i < market.size(); ++i) {
    if (market[i]->kind == OfferKind::kRented) kinds.of(*market[i], described.name(*market[i])).consider(i, *market[i]);
    else kept[i] = true;
  }
  kinds.mark(kept);
  std::size_t to = 0;
  for (std::size_t i = 0; i < market.size(); ++i)
    if (kept[i]) market[to++] = market[i];
  market.resize(to);
}

std::vector<bool> may_be_cheapest(const std::vector<Offer>& offers) {
  Kinds kinds(offers.size(), true);
  std::vector<bool> kept(offers.size(), false);
  for (std::size_t i = 0; i < offers.size(); ++i) kinds.of(offers[i], offers[i].instance).consider(i, offers[i]);
  kinds.mark(kept);
  return kept;
}

}  // namespace gpuplan
