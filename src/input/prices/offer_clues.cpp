#include "input/prices/offer_clues.h"

#include <cmath>
#include <vector>

#include "base/amount.h"
#include "base/text.h"
#include "base/whole.h"
#include "input/text/gpu_name.h"

namespace gpuplan {
namespace {

/// Newest first, then the cheapest.
bool better(const Offer& offer, const Offer* than) {
  if (than == nullptr || offer.as_of != than->as_of) return than == nullptr || offer.as_of > than->as_of;
  return offer.price && (!than->price || offer.price->p50 < than->price->p50);
}

template <class Wanted>
const Offer* best_offer(const Catalogue& catalogue, Wanted wanted) {
  const Offer* best = nullptr;
  for (const Offer& offer : catalogue.offers)
    if (offer.price && wanted(offer) && better(offer, best)) best = &offer;
  return best;
}

std::string machine_of(const Offer& offer) { return std::to_string(offer.gpus) + "x " + offer.gpu; }

std::string place_of(const Offer& offer) {
  return offer.provider + (offer.instance.empty() ? "" : " " + printable(offer.instance, 40));
}

std::string dated(const Offer& offer) { return offer.as_of.empty() ? "" : " in " + offer.as_of; }

/// "8 GPUs of 40 GB are aws p4d.24xlarge, 8x A100 SXM 40GB, $21.96/h in 2026-04"
std::string by_size(const Catalogue& catalogue, double gigabytes, int gpus) {
  const Offer* offer = best_offer(catalogue, [&](const Offer& o) {
    const Gpu* gpu = o.gpus == gpus ? catalogue.find_gpu(o.gpu) : nullptr;
    return gpu != nullptr && std::round(gpu->memory / units::GiB) == gigabytes;
  });
  if (offer == nullptr) return "";
  const std::string what = gpus == 1 ? "a GPU of " + number_text(gigabytes) + " GB is "
                                     : std::to_string(gpus) + " GPUs of " + number_text(gigabytes) + " GB are ";
  return what + place_of(*offer) + ", " + machine_of(*offer) + ", " + to_text(offer->price->p50) + dated(*offer);
}

/// The offer that had this very price: a figure copied from a price list gives its machine away, unless it is a round
/// one, which many machines cost.
std::string by_price(const Catalogue& catalogue, DollarsPerSecond price, int gpus, double gigabytes) {
  const double cents = price * units::hour / units::dollar * 100;
  if (std::abs(std::remainder(cents, 10)) < 0.5) return "";
  const auto cost_that = [&](const Offer& o) { return o.gpus == gpus && std::abs(o.price->p50 / price - 1) < 0.0005; };
  // Several machines may have had that price: one of the size that is written comes first.
  const Offer* offer = best_offer(catalogue, [&](const Offer& o) {
    const Gpu* gpu = gigabytes > 0 && cost_that(o) ? catalogue.find_gpu(o.gpu) : nullptr;
    return gpu != nullptr && std::round(gpu->memory / units::GiB) == gigabytes;
  });
  if (offer == nullptr) offer = best_offer(catalogue, cost_that);
  if (offer == nullptr) return "";
  return to_text(price) + " was the price of " + place_of(*offer) + ", " + machine_of(*offer) + "," + dated(*offer);
}

std::string by_instance(const Catalogue& catalogue, std::string_view instance) {
  const Offer* offer =
      best_offer(catalogue, [&](const Offer& o) { return !o.instance.empty() && iequals(o.instance, instance); });
  if (offer == nullptr) return "";
  return printable(instance, 40) + " is " + machine_of(*offer) + ", " + to_text(offer->price->p50) + dated(*offer);
}

}  // namespace

OfferClues clues_in(const Tree* offer) {
  OfferClues clues;
  if (offer == nullptr) return clues;
  const auto text = [&](std::string_view key) {
    const Tree* value = offer->find(key);
    return value != nullptr && value->is_scalar() ? std::string(value->text) : std::string();
  };
  if (const auto gpus = parse_amount(text("gpus"), AmountKind::kCount); gpus && *gpus >= 1 && *gpus < 1e6)
    clues.gpus = whole<int>(*gpus);
  if (const auto price = parse_interval(text("price"), AmountKind::kPrice); price && price->p50 > 0)
    clues.price = DollarsPerSecond{price->p50};
  clues.instance = text("instance");
  return clues;
}

std::string clue_words(const Catalogue& catalogue, std::string_view gpu_name, const OfferClues& clues) {
  const double gigabytes = gigabytes_in(gpu_name);
  std::vector<std::string> parts;
  const auto add = [&](std::string text) {
    if (!text.empty()) parts.push_back(std::move(text));
  };
  if (gigabytes > 0 && clues.gpus > 0) add(by_size(catalogue, gigabytes, clues.gpus));
  if (clues.price) add(by_price(catalogue, *clues.price, std::max(clues.gpus, 1), gigabytes));
  if (!clues.instance.empty()) add(by_instance(catalogue, clues.instance));
  return join(parts, "; ");
}

}  // namespace gpuplan
