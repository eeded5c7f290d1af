#include "plan/answer/market.h"

#include <algorithm>

#include "base/text.h"
#include "domain/market/offer_order.h"

namespace gpuplan {

namespace {

/// "2026-04", "2026-04-15" as months since year 0; 0 when there is no date.
int months(std::string_view date) {
  if (date.size() < 7) return 0;
  const auto digit = [&](std::size_t i) { return date[i] - '0'; };
  return (digit(0) * 1000 + digit(1) * 100 + digit(2) * 10 + digit(3)) * 12 + digit(5) * 10 + digit(6);
}

/// Prices age: snapshot offers more than this older than the newest serve `as_of` only.
constexpr int kOldestMonths = 6;

bool allowed(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& n) { return iequals(n, name); });
}

/// "DE", or of an area "eu=DE" and "eu=eu-*", all that begins so.
bool in_regions(const std::vector<std::string>& regions, std::string_view region) {
  return regions.empty() || std::ranges::any_of(regions, [&](std::string_view name) {
           name.remove_prefix(name.find('=') + 1);
           if (!name.ends_with('*')) return iequals(name, region);
           name.remove_suffix(1);
           return iequals(name, region.substr(0, name.size()));
         });
}

bool named(const Where& where, const std::string& gpu) {
  return where.gpus.empty() || std::ranges::any_of(where.gpus, [&](const GpuChoice& c) { return c.gpu == gpu; });
}

bool wanted(const Where& where, const Offer& offer, const Catalogue& catalogue) {
  // Pools and own boxes are taken by the GPU: the search asks for each number.
  const bool any_number = offer.kind != OfferKind::kRented;
  if (any_number ? !named(where, offer.gpu) : !names(where, offer.gpu, offer.gpus)) return false;
  // What one has goes by the name that it has there.
  if (!allowed(where.providers, any_number ? offer.label : offer.provider)) return false;
  if (!any_number && !in_regions(where.regions, offer.region)) return false;
  if (where.max_price && offer.kind == OfferKind::kRented) {
    const auto& price = where.spot == SpotUse::kOnly ? offer.spot_price : offer.price;
    if (!price || price->p50 > *where.max_price) return false;
  }
  for (const auto& [provider, most] : where.quota)
    if (iequals(provider, offer.provider) && offer.gpus > most) return false;
  if (where.interconnect && offer.gpus > 1 && node_shape(catalogue, offer).link_kind != *where.interconnect)
    return false;
  return true;
}

/// GPUs that wheels of today no longer run on, unless the job names them.
bool unsupported(const Where& where, const Offer& offer, const Catalogue& catalogue) {
  const Gpu* gpu = catalogue.find_gpu(offer.gpu);
  return where.gpus.empty() && gpu != nullptr && gpu->compute_capability > 0 &&
         gpu->compute_capability < catalogue.practice_constants.least_capability;
}

}  // namespace

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

std::vector<Offer> market_for(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                              MarketFilter& filter) {
  std::vector<const Offer*> market;
  const auto take = [&](const std::vector<Offer>& offers) {
    for (const Offer& offer : offers) {
      ++filter.offers;
      if (wanted(job.where, offer, catalogue)) market.push_back(&offer);
      else ++filter.by_where;
    }
  };
  const auto note_old = [&](const Offer& offer, bool newer) {
    ++filter.too_old;
    if (newer || !wanted(job.where, offer, catalogue)) return;
    ++filter.old_matching;
    filter.old_newest = std::max(filter.old_newest, offer.as_of);
  };
  take(job.market.offers);
  take(job.market.pools);
  take(job.market.own);
  std::vector<const Offer*> left_behind;
  if (!job.market.only) {
    const int as_of = months(job.market.as_of);
    int newest = 0;
    for (const Offer& offer : known)
      if (const int age = months(offer.as_of); age > newest && (as_of == 0 || age <= as_of)) newest = age;
    for (const Offer& offer : known) {
      ++filter.offers;
      const int age = months(offer.as_of);
      if (age != 0 && (age < newest - kOldestMonths || (as_of != 0 && age > as_of)))
        note_old(offer, as_of != 0 && age > as_of);
      else if (!wanted(job.where, offer, catalogue)) ++filter.by_where;
      else (unsupported(job.where, offer, catalogue) ? left_behind : market).push_back(&offer);
    }
  }
  // Where there is nothing else, they are what there is.
  if (market.empty()) market.swap(left_behind);
  filter.unsupported = static_cast<int>(left_behind.size());
  std::ranges::sort(market, [](const Offer* a, const Offer* b) { return before(*a, *b); });
  const auto twice = std::ranges::unique(market, [](const Offer* a, const Offer* b) { return same_offer(*a, *b); });
  filter.twice = static_cast<int>(twice.size());
  market.erase(twice.begin(), twice.end());
  filter.used = static_cast<int>(market.size());
  std::vector<Offer> chosen;
  chosen.reserve(market.size());
  for (const Offer* offer : market) chosen.push_back(*offer);
  return chosen;
}

}  // namespace gpuplan
