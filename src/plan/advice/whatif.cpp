#include "plan/advice/whatif.h"

#include <algorithm>

#include "plan/advice/unfit.h"
#include "plan/billing/bill.h"

namespace gpuplan {

namespace {

bool same_offers(const Answer& base, const Plan& pick, const Answer& changed, const Plan& plan) {
  if (plan.phases.size() != pick.phases.size()) return false;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const Offer* before = pick.phases[i].offer;
    const Offer* after = before == nullptr ? nullptr : counterpart(*before, base.market, changed.market);
    if (plan.phases[i].offer != after || plan.phases[i].spot != pick.phases[i].spot ||
        (before != nullptr && after == nullptr))
      return false;
  }
  return true;
}

}  // namespace

bool same_machine(const Offer& a, const Offer& b) {
  return a.kind == b.kind && a.gpus == b.gpus && a.gpu == b.gpu && a.provider == b.provider && a.region == b.region &&
         a.instance == b.instance && a.label == b.label;
}

bool same_price(const Offer& a, const Offer& b) { return a.price == b.price && a.spot_price == b.spot_price; }

const Offer* counterpart(const Offer& offer, const std::vector<Offer>& its_market, const std::vector<Offer>& market) {
  std::size_t position = 0;  // among the offers that look the same
  for (const Offer& other : its_market) {
    if (&other == &offer) break;
    if (same_machine(other, offer)) ++position;
  }
  const Offer* found = nullptr;
  std::size_t seen = 0;
  for (const Offer& other : market) {
    if (!same_machine(other, offer)) continue;
    if (same_price(other, offer)) return &other;
    if (seen++ <= position) found = &other;
  }
  return found;
}

bool rented_alike(const Plan& a, const Plan& b) {
  return a.kept == b.kept && a.at_once == b.at_once &&
         std::ranges::equal(a.leases, b.leases, {}, &Lease::phases, &Lease::phases);
}

const Plan* staying(const Answer& base, const Plan& pick, const Answer& changed) {
  const Offer* offer = pick.offer == nullptr ? nullptr : counterpart(*pick.offer, base.market, changed.market);
  if (pick.offer != nullptr && offer == nullptr) return nullptr;
  const std::optional<int>& best = changed.found.recommendations.pick;
  const Plan* stays = nullptr;
  for (const Plan& plan : changed.found.plans) {
    if (plan.offer != offer || plan.gpus != pick.gpus || plan.nodes != pick.nodes || plan.spot != pick.spot) continue;
    if (offer == nullptr && !same_offers(base, pick, changed, plan)) continue;
    if (rented_alike(plan, pick)) return &plan;
    const bool picked = best && &changed.found.plans[static_cast<std::size_t>(*best)] == &plan;
    const int more = stays == nullptr ? 1 : likeness(plan, pick) - likeness(*stays, pick);
    if (more > 0 || (more == 0 && picked)) stays = &plan;
  }
  return stays;
}

int likeness(const Plan& plan, const Plan& pick) {
  const bool leases = std::ranges::equal(plan.leases, pick.leases, {}, &Lease::phases, &Lease::phases);
  return (plan.at_once == pick.at_once ? 4 : 0) + (plan.leases.size() == pick.leases.size() ? 2 : 0) + (leases ? 1 : 0);
}

std::optional<NearMiss> obstacle(const Job& job, const Catalogue& catalogue, const Offer& offer, int gpus,
                                 const SearchOptions& options) {
  Job alone = job;
  alone.where.counts = {gpus};
  const std::vector<Offer> market{offer};
  const auto found = search(alone, catalogue, market, options);
  if (!found) return NearMiss{};
  // On demand or as spot, whichever the job wants.
  alone.where.spot = SpotUse::kAllow;
  const auto anyhow = found->plans.empty() ? search(alone, catalogue, market, options) : found;
  if (anyhow && !anyhow->plans.empty()) return std::nullopt;
  const std::vector<UnfitPhase> unfit = unfit_phases(alone, catalogue, market, options);
  if (unfit.empty()) return found->tally.nearest;
  NearMiss miss = unfit.front().tally.nearest;
  miss.phase = unfit.front().phase;
  return miss;
}

std::optional<Doubt> doubt(const Plan& before, const Plan& after) {
  constexpr double kClose = 0.05;  // less is lost in the error of either
  const std::size_t phases = std::min(before.phases.size(), after.phases.size());
  for (std::size_t i = 0; i < phases; ++i) {
    const PhaseEstimate& was = *before.phases[i].estimate;
    const PhaseEstimate& is = *after.phases[i].estimate;
    if (was.evidence != Evidence::kGiven || is.evidence != Evidence::kGiven) continue;
    if (was.work_by_model <= Seconds{} || is.work_by_model <= Seconds{} || was.work.p50 <= Seconds{}) continue;
    const Doubt found{static_cast<int>(i),
                      (is.work.p50 / was.work.p50) * (1 + was.overhead_share) / (1 + is.overhead_share),
                      is.work_by_model / was.work_by_model};
    if (found.by_model > found.by_given * (1 + kClose) || found.by_given > found.by_model * (1 + kClose)) return found;
  }
  return std::nullopt;
}

void keep_only(const std::vector<int>& positions, SearchResult& found, std::vector<Offer>& market) {
  std::vector<Plan> plans;
  Recommendations left;
  left.limits_missed = found.recommendations.limits_missed;
  for (const int position : positions) {
    if (found.recommendations.pick == position) left.pick = static_cast<int>(plans.size());
    plans.push_back(std::move(found.plans[static_cast<std::size_t>(position)]));
    plans.back().dominated_by.clear();
  }

  std::vector<const Offer*> used;
  const auto each_offer = [&](auto&& visit) {
    for (Plan& plan : plans) {
      visit(plan.offer);
      for (PhasePlan& phase : plan.phases) visit(phase.offer);
      for (Lease& lease : plan.leases) visit(lease.offer);
    }
  };
  each_offer([&](const Offer*& offer) {
    if (offer != nullptr && std::ranges::find(used, offer) == used.end()) used.push_back(offer);
  });
  std::vector<Offer> offers;
  offers.reserve(used.size());  // plans point into it
  for (const Offer* offer : used) offers.push_back(*offer);
  each_offer([&](const Offer*& offer) {
    if (offer != nullptr) offer = &offers[static_cast<std::size_t>(std::ranges::find(used, offer) - used.begin())];
  });

  found.plans = std::move(plans);
  found.values.clear();
  found.recommendations = left;
  market = std::move(offers);
}

namespace {

/// GPU, software and kind of phase: most of the model's error hangs on these.
std::string kind_of_error(const PhaseEstimate& estimate, const Phase& phase) {
  std::string factor = estimate.node ? estimate.node->gpu->name : std::string();
  factor += '/';
  if (estimate.framework != nullptr) factor += estimate.framework->name;
  factor += std::holds_alternative<TrainPhase>(phase.work) ? "/train" : "/generate";
  return factor;
}

}  // namespace

std::vector<std::string> model_errors(const Job& job, const Plan& plan) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    if (!plan.phases[i].estimate->work_is_model) continue;
    std::string error = kind_of_error(plan.phases[i].estimate, job.phases[i]);
    if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
  }
  return errors;
}

Plan at_model_error(const Job& job, const Plan& plan, const std::string& error, bool low, const ErrorModel& errors,
                    std::uint64_t seed) {
  Arrangement arrangement = arrangement_of(plan);
  bool shares = false;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhaseEstimate& estimate = *arrangement.phases[i];
    if (!estimate.work_is_model || kind_of_error(estimate, job.phases[i]) != error) continue;
    arrangement.phases[i].change().work = exactly(low ? estimate.work.p10 : estimate.work.p90);
    shares = true;
  }
  if (!shares) return plan;
  const Biller biller(job, errors, seed);
  return biller.price(biller.schedule(std::move(arrangement)));
}

}  // namespace gpuplan
