#include "api/questions/offers.h"

#include <algorithm>
#include <utility>

#include "base/whole.h"
#include "input/prices/region_areas.h"
#include "plan/answer/market.h"

namespace gpuplan::api {
namespace {

/// The user's discounts that offers of the rows fall under.
void note_discounts(const std::vector<Discount>& discounts, OffersReport& report) {
  for (const Discount& one : discounts) {
    const auto offers =
        std::ranges::count_if(report.rows, [&](const Offer* offer) { return discount_for(*offer, discounts) == &one; });
    if (offers > 0) report.discounts.push_back({one.provider, one.gpu, one.share, static_cast<std::size_t>(offers)});
  }
}

/// An own box or a pool as the table has offers: the price is that of the whole machine.
Offer as_row(Offer box) {
  box.provider = box.kind == OfferKind::kOwn ? "own box" : "pool";
  box.instance = std::exchange(box.label, "");
  const double times = machines_paid(box, 1, box.gpus);
  if (box.price) box.price = {{box.price->p10 * times, box.price->p50 * times, box.price->p90 * times}};
  return box;
}

}  // namespace

Result<OffersAnswer> ask_offers(const Request& request, const OfferSelection& selection, const Catalogue& catalogue) {
  auto offers = known_offers(request, catalogue, request.as_of);
  if (!offers) return std::unexpected(std::move(offers.error()));
  std::vector<Offer> known = std::move(offers->offers);
  if (request.prices.empty())
    for (const Offer& box : request.config.boxes) known.push_back(as_row(box));
  std::vector<const Offer*> shown;
  MarketFilter left_out;
  if (selection.all)
    for (const Offer& offer : known) shown.push_back(&offer);
  else shown = market_offers(Job{}, catalogue, known, left_out, true);  // what a job without wishes looks at
  OfferSelection with_areas = selection;
  with_areas.regions_of = regions_of;
  auto report = select_offers(shown, catalogue, with_areas,
                              whole<std::size_t>(left_out.too_old + left_out.outdated + left_out.gone));
  if (!report) return std::unexpected(std::move(report.error()));
  report->discounted = offers->discounted;
  note_discounts(request.config.discounts, *report);
  return OffersAnswer{std::move(known), *std::move(report), std::move(offers->warnings)};
}

}  // namespace gpuplan::api
