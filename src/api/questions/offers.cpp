#include "api/questions/offers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/whole.h"
#include "input/prices/region_areas.h"
#include "output/facts/offer_words.h"
#include "output/text/row_filter.h"
#include "output/text/row_shorthand.h"
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

/// Of machines, and of nothing that a GPU is.
bool is_of_machines(const std::string& term) {
  const std::size_t sign = condition_sign(term);
  if (sign == std::string::npos) {
    const auto said = read_shorthand(term);
    return said && *said && (*said)->gpus;
  }
  return !is_gpu_condition(term) && is_offer_condition(term);
}

struct Parted {
  std::vector<std::string> of_gpus, of_machines;
};

/// "H100:8" names a GPU, and how many of them a machine has; a word that no GPU is called may be a provider's.
Parted parted(const std::vector<std::string>& filter, const Catalogue& catalogue) {
  Parted parts;
  for (const std::string& term : filter_terms(filter)) {
    const bool condition = condition_sign(term) != std::string::npos;
    const auto named = condition ? Result<GpusReport>(GpusReport{}) : select_gpus(catalogue, {&term, 1});
    const bool of_machines = is_of_machines(term) || (named && !condition && named->rows.empty());
    if (of_machines) parts.of_machines.push_back(term);
    if (!of_machines || (named && !named->rows.empty())) parts.of_gpus.push_back(term);
  }
  return parts;
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
  MeantOffers meant = meant_offers(selection.filter);
  OfferSelection with_areas = selection;
  with_areas.filter = std::move(meant.filter);
  if (meant.spot && with_areas.sort.empty()) with_areas.sort = "spot_per_gpu";
  std::ranges::move(meant.notes, std::back_inserter(offers->warnings));
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

bool asks_for_machines(const std::vector<std::string>& filter) {
  return std::ranges::any_of(filter_terms(filter), is_of_machines);
}

Result<GpusAnswer> ask_machines(const Request& request, const std::vector<std::string>& filter, bool all,
                                std::size_t ordered, const Catalogue& catalogue) {
  Parted parts = parted(filter, catalogue);
  auto gpus = select_gpus(catalogue, parts.of_gpus);
  if (gpus && gpus->rows.empty()) {
    // "H100:8 aws": a word that is the maker of other GPUs, too.
    const auto is_word = [](const std::string& term) {
      return condition_sign(term) == std::string::npos && !is_of_machines(term);
    };
    std::ranges::copy_if(parts.of_gpus, std::back_inserter(parts.of_machines), is_word);
    std::erase_if(parts.of_gpus, is_word);
    gpus = select_gpus(catalogue, parts.of_gpus);
  }
  if (!gpus) return std::unexpected(std::move(gpus.error()));
  gpus->counted.clear();
  if (gpus->rows.empty()) return GpusAnswer{*std::move(gpus), {}};
  OfferSelection selection{.filter = parts.of_machines, .all = all, .ordered = ordered};
  if (!parts.of_gpus.empty()) {
    std::string names;
    for (const Gpu* gpu : gpus->rows) names += (names.empty() ? "gpu=" : ",") + gpu->name;
    selection.filter.push_back(std::move(names));
  }
  auto offers = ask_offers(request, selection, catalogue);
  if (!offers) return std::unexpected(std::move(offers.error()));
  std::erase_if(gpus->rows, [&](const Gpu* gpu) {
    return std::ranges::none_of(offers->report.rows, [&](const Offer* offer) { return offer->gpu == gpu->name; });
  });
  return GpusAnswer{*std::move(gpus), *std::move(offers)};
}

}  // namespace gpuplan::api
