// How old the prices are that the answer rests on, by who asks them.
#include <algorithm>
#include <map>

#include "base/sorting.h"
#include "base/text.h"
#include "output/charts/axis.h"
#include "output/charts/charts.h"
#include "output/text/price_age.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostProviders = 12;

struct Provider {
  std::string name;
  int youngest = 0, oldest = 0;  ///< days
  std::string first, last;       ///< dates of these
  std::size_t offers = 0;
  bool best = false, picked = false;  ///< of a best trade-off, of the pick
};

/// Offers that plans stand on, and the rest of the market that was searched.
std::map<const Offer*, int> offers_of(const PlanReport& report) {
  std::map<const Offer*, int> rank;  // 2: of the pick, 1: of a best trade-off
  for (const Offer& offer : report.offers) rank.try_emplace(&offer, 0);
  for (const Plan& plan : report.found.plans) {
    const int of_plan = &plan == report.pick() ? 2 : plan.on_frontier ? 1 : 0;
    const auto add = [&](const Offer* offer) {
      if (offer == nullptr) return;
      int& known = rank.try_emplace(offer, 0).first->second;
      known = std::max(known, of_plan);
    };
    add(plan.offer);
    for (const PhasePlan& part : plan.phases) add(part.offer);
  }
  return rank;
}

/// The pick's first, then those of best trade-offs, then who asks most; equal ones by their name.
std::vector<Provider> providers_of(const PlanReport& report) {
  std::map<std::string, Provider> known;
  for (const auto& [offer, rank] : offers_of(report)) {
    const auto days = days_old(offer->as_of, report.price_day());
    if (!days || offer->kind != OfferKind::kRented) continue;
    Provider& provider = known[offer->provider];
    if (provider.offers++ == 0) {
      provider = {offer->provider, *days, *days, offer->as_of, offer->as_of, 1, false, false};
    } else {
      if (*days > provider.oldest) provider.first = offer->as_of;
      if (*days < provider.youngest) provider.last = offer->as_of;
      provider.oldest = std::max(provider.oldest, *days);
      provider.youngest = std::min(provider.youngest, *days);
    }
    provider.best = provider.best || rank == 1;
    provider.picked = provider.picked || rank == 2;
  }
  std::vector<Provider> providers;
  for (auto& [name, provider] : known) providers.push_back(std::move(provider));
  sort_stably(providers, std::ranges::greater{},
              [](const Provider& one) { return std::tuple(one.picked, one.best, one.offers); });
  return providers;
}

}  // namespace

std::optional<Chart> price_age_chart(const PlanReport& report) {
  std::vector<Provider> providers = providers_of(report);
  if (providers.size() < 2) return std::nullopt;
  const std::size_t all = providers.size();
  if (all > kMostProviders) providers.resize(kMostProviders);
  sort_stably(providers, {}, &Provider::youngest);

  Chart chart;
  chart.kind = ChartKind::kPriceAge;
  chart.key = "price-age";
  chart.title = "How old are the prices?";
  const double limit = report.catalogue.answer_constants.old_price_days;
  double end = limit;
  std::vector<std::string> rows;
  for (const Provider& one : providers) {
    rows.push_back(short_name(one.name.empty() ? "provider not said" : one.name, 30));
    end = std::max(end, static_cast<double>(one.oldest));
  }
  chart.y = row_axis(rows);
  chart.x = linear_axis("Age of the price", 0, end * 1.02, AxisUnit::kDays);
  chart.marks.push_back(
      {.shape = MarkShape::kRule, .role = MarkRole::kC8, .x = limit, .label = "old after " + count_of(limit, "day")});
  std::size_t old = 0;
  bool span = false;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    const Provider& one = providers[i];
    const auto row = static_cast<double>(i);
    const std::string dates =
        one.first == one.last ? printable(one.last, 20) : printable(one.first, 20) + " to " + printable(one.last, 20);
    const std::string count = count_of(static_cast<double>(one.offers), "offer");
    const std::vector<std::string> tip = {rows[i], count, "Prices from " + dates,
                                          one.picked ? "The recommended plan rents here"
                                          : one.best ? "A best trade-off rents here"
                                                     : "No best trade-off"};
    const MarkRole role = one.picked ? MarkRole::kPick : one.best ? MarkRole::kBest : MarkRole::kBeaten;
    if (one.oldest > one.youngest) {
      span = true;
      chart.marks.push_back({.shape = MarkShape::kSpan,
                             .role = MarkRole::kReference,
                             .y = row,
                             .x0 = static_cast<double>(one.youngest),
                             .x1 = static_cast<double>(one.oldest),
                             .tip = tip});
    }
    chart.marks.push_back({.shape = MarkShape::kBar,
                           .role = MarkRole::kC7,
                           .y = row,
                           .x0 = 0,
                           .x1 = static_cast<double>(one.youngest),
                           .tip = tip});
    ChartMark point{.shape = MarkShape::kPoint, .role = role, .x = static_cast<double>(one.youngest), .y = row};
    point.label = count;  // its dates are where it stands, and in the tip
    point.tip = tip;
    chart.marks.push_back(std::move(point));
    old += one.youngest >= limit ? 1 : 0;
  }
  const Provider* pick = nullptr;
  for (const Provider& one : providers)
    if (one.picked && (pick == nullptr || one.youngest > pick->youngest)) pick = &one;
  if (pick != nullptr)
    chart.finding = "The price of the recommended plan is " + count_of(pick->youngest, "day") + " old. ";
  chart.finding +=
      old == 0
          ? "None of the " + count_text(static_cast<double>(providers.size())) + " providers has only old prices."
          : count_text(static_cast<double>(old)) + " of " + count_text(static_cast<double>(providers.size())) +
                " providers " + (old == 1 ? "has" : "have") + " only prices older than " + count_of(limit, "day") + ".";
  chart.caption = "A bar ends at the newest price of a provider.";
  if (span) chart.caption += " The line behind it reaches to its oldest one.";
  chart.caption += " Filled: the recommended plan; ring: other best trade-offs.";
  if (all > providers.size())
    chart.caption += " Not drawn: " + count_of(static_cast<double>(all - providers.size()), "provider") +
                     " without a best trade-off.";
  chart.alt = "Age of the prices by provider. " + chart.finding;
  return chart;
}

}  // namespace gpuplan
