#include "plan/billing/own_terms.h"

#include <algorithm>

#include "base/sorting.h"
#include "base/text.h"
#include "domain/market/price_date.h"
#include "plan/answer/market.h"

namespace gpuplan {
namespace {

/// From the beginning of the day of the plan to the end of `until`; 0: it is over. Where nobody says which day it is,
/// nothing ends.
Seconds time_left(const std::string& until, const std::string& today) {
  const auto from = day_number(today), to = day_number(until);
  if (!from || !to) return Seconds{std::numeric_limits<double>::infinity()};
  return std::max(0, *to - *from + 1) * units::day;
}

}  // namespace

OwnTerms::OwnTerms(const Job& job) {
  const auto add = [&](const auto& all, auto& lasting) {
    for (const auto& one : all)
      if (const Seconds left = time_left(one.until, job.market.today); left > Seconds{})
        lasting.push_back({&one, left});
  };
  add(job.commitments, commitments_);
  add(job.credits, credits_);
  sort_stably(credits_, {}, [](const auto& credit) { return credit.left; });
  for (const auto& credit : credits_)
    if (std::ranges::none_of(providers_, [&](std::string_view name) { return iequals(name, credit.terms->provider); }))
      providers_.push_back(credit.terms->provider);
}

std::vector<const Commitment*> OwnTerms::commitments(const Offer& offer, bool spot, Seconds until) const {
  std::vector<const Commitment*> found;
  if (spot || offer.kind != OfferKind::kRented || !offer.price) return found;
  for (const auto& one : commitments_) {
    const Commitment& terms = *one.terms;
    if (iequals(terms.provider, offer.provider) && (terms.gpu.empty() || terms.gpu == offer.gpu) &&
        (terms.region.empty() || iequals(terms.region, offer.region)) && until <= one.left)
      found.push_back(&terms);
  }
  return found;
}

Interval<DollarsPerSecond> OwnTerms::price(const Commitment& by, const Offer& offer,
                                           const Interval<DollarsPerSecond>& listed) {
  if (by.price) return exactly(*by.price * offer.gpus);
  const double paid = 1 - by.discount.value_or(0);
  return {listed.p10 * paid, listed.p50 * paid, listed.p90 * paid};
}

DollarsPerSecond OwnTerms::price(const Offer& offer, bool spot, int nodes, int gpus) const {
  const Interval<DollarsPerSecond>& listed = spot ? *offer.spot_price : *offer.price;
  const double machines = machines_paid(offer, nodes, gpus);
  if (!any_commitment()) return listed.p50 * machines;
  DollarsPerSecond sum{};
  int left = gpus;
  for (const Commitment* by : commitments(offer, spot, Seconds{})) {
    const int covered = by->gpus > 0 ? std::min(by->gpus, left) : left;
    sum += price(*by, offer, listed).p50 * (machines * covered / gpus);
    left -= covered;
  }
  return left == gpus ? listed.p50 * machines : sum + listed.p50 * (machines * left / gpus);
}

Dollars OwnTerms::credited(std::string_view provider, Dollars bill, Seconds time) const {
  Dollars paid{};
  for (const auto& credit : credits_) {
    if (!iequals(credit.terms->provider, provider)) continue;
    // Of what is billed while they last, what those before have left.
    const double share = time > credit.left ? credit.left / time : 1;
    paid += std::max(Dollars{}, std::min(credit.terms->amount, bill * share - paid));
  }
  return paid;
}

}  // namespace gpuplan
