#include "api/questions/offers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/whole.h"
#include "input/prices/region_areas.h"
#include "plan/answer/market.h"
#include "plan/billing/own_terms.h"

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

/// A job of the user's commitments alone, on the day that is asked for.
Job committed(const Request& request) {
  Job job;
  job.commitments = request.config.commitments;
  job.market.today = request.as_of.empty() ? request.today : request.as_of;
  return job;
}

/// The prices of lists that discounts are taken off.
std::map<const Offer*, Interval<DollarsPerSecond>> prices_before(const std::vector<Discount>& discounts,
                                                                 const std::vector<Offer>& offers) {
  std::map<const Offer*, Interval<DollarsPerSecond>> listed;
  if (discounts.empty()) return listed;
  for (const Offer& offer : offers)
    if (const Discount* one = discount_for(offer, discounts); one != nullptr && one->share < 1)
      listed.emplace(&offer, *offer.price * (1 / (1 - one->share)));
  return listed;
}

/// Prices of machines that commitments cover, those first that a plan of one machine would take first.
void use_commitments(const Request& request, std::vector<Offer>& offers,
                     std::map<const Offer*, Interval<DollarsPerSecond>>& listed) {
  const Job job = committed(request);
  const OwnTerms own(job);
  if (!own.any_commitment()) return;
  for (Offer& offer : offers) {
    if (own.commitments(offer, false, Seconds{}).empty()) continue;
    listed.emplace(&offer, *offer.price);
    offer.price = exactly(own.price(offer, false, 1, offer.gpus));
  }
}

/// Those that make prices of rows.
void note_commitments(const Request& request, OffersReport& report) {
  const Job job = committed(request);
  const OwnTerms own(job);
  for (const Commitment& one : job.commitments) {
    const auto offers = std::ranges::count_if(report.rows, [&](const Offer* offer) {
      // Of several the first that fit, until all GPUs of the machine are covered.
      int left = offer->gpus;
      for (const Commitment* by : own.commitments(*offer, false, Seconds{})) {
        if (by == &one) return left > 0;
        left = by->gpus > 0 ? left - by->gpus : 0;
      }
      return false;
    });
    if (offers > 0) report.commitments.push_back({one, static_cast<std::size_t>(offers)});
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
  Job plain;  // without wishes, as of the same day that plans are of
  plain.market.today = request.as_of.empty() ? request.today : request.as_of;
  if (selection.all)
    for (const Offer& offer : known) shown.push_back(&offer);
  else shown = market_offers(plain, catalogue, known, left_out, true);
  std::map<const Offer*, Interval<DollarsPerSecond>> listed;
  if (offers->discounted) listed = prices_before(request.config.discounts, known);
  use_commitments(request, known, listed);
  OfferSelection with_areas = selection;
  with_areas.regions_of = regions_of;
  auto report = select_offers(shown, catalogue, with_areas,
                              whole<std::size_t>(left_out.too_old + left_out.outdated + left_out.gone));
  if (!report) return std::unexpected(std::move(report.error()));
  report->unsupported = whole<std::size_t>(left_out.unsupported);
  report->today = request.as_of.empty() ? request.today : request.as_of;
  report->discounted = offers->discounted;
  note_discounts(request.config.discounts, *report);
  note_commitments(request, *report);
  report->listed = std::move(listed);
  return OffersAnswer{std::move(known), *std::move(report), std::move(offers->warnings)};
}

}  // namespace gpuplan::api
