#include "plan/notes/own_terms.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace gpuplan {
namespace {

template <class Terms>
std::vector<std::string> idle(const std::vector<Terms>& all, const std::vector<const Offer*>& offers,
                              std::string_view today, std::string_view list, const std::vector<std::string>& places) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Terms& one = all[i];
    const std::string of = std::string(list) + (i < places.size() ? " in " + places[i] : "");
    if (!one.until.empty() && one.until < today) {
      sentences.push_back(of + ": those at " + printable(one.provider, 60) + " ended on " + one.until +
                          " and are not counted");
      continue;
    }
    if (std::ranges::any_of(offers, [&](const Offer* offer) { return iequals(one.provider, offer->provider); }))
      continue;
    std::set<std::string_view> providers;
    for (const Offer* offer : offers) providers.insert(offer->provider);
    const std::vector<std::string_view> names(providers.begin(), providers.end());
    sentences.push_back("unknown provider '" + printable(one.provider, 60) + "' of " + of + "; no offer has it" +
                        did_you_mean(one.provider, names));
  }
  return sentences;
}

}  // namespace

std::vector<std::string> idle_terms(const Job& job, const std::vector<Offer>& offers, std::string_view today,
                                    std::string_view list, const std::vector<std::string>& places) {
  std::vector<const Offer*> rented;
  for (const auto* known : {&offers, &job.market.offers})
    for (const Offer& offer : *known) rented.push_back(&offer);
  return list == "credits" ? idle(job.credits, rented, today, list, places)
                           : idle(job.commitments, rented, today, list, places);
}

bool terms_by_region(const Job& job) {
  return std::ranges::any_of(job.commitments, [](const Commitment& one) { return !one.region.empty(); });
}

}  // namespace gpuplan
