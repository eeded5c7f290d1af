#include "api/runs/simulated_plan.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "api/runs/choose_plan.h"
#include "base/text.h"
#include "output/text/price_age.h"
#include "output/words/plan_words.h"
#include "plan/advice/whatif.h"
#include "plan/billing/own_terms.h"
#include "plan/notes/interruption_notes.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan::api {
namespace {

/// The one price of a preemptible pool is that of machines that may be taken away.
bool has_spot_price(const Offer& offer) {
  if (offer.kind == OfferKind::kRented) return offer.spot_price.has_value();
  return offer.preemptible && offer.price.has_value();
}
bool has_price(const Offer& offer) { return offer.kind == OfferKind::kRented && offer.price.has_value(); }

/// Where prices of the same machine may stand.
class Markets {
 public:
  Markets(const Searched& searched, const std::vector<Offer>& known)
      : markets_{&searched.market, &searched.job.market.offers, &known} {}

  /// The same machine with a price of this kind, the offer itself first; null when nobody has one.
  const Offer* priced(const Offer& offer, bool (*has)(const Offer&)) const {
    if (has(offer)) return &offer;
    for (const std::vector<Offer>* market : markets_)
      for (const Offer& other : *market)
        if (has(other) && same_machine(other, offer)) return &other;
    return nullptr;
  }
  bool can_be_spot(const Plan& plan) const {
    return plan.offer != nullptr && priced(*plan.offer, has_spot_price) != nullptr;
  }

 private:
  std::array<const std::vector<Offer>*, 3> markets_;
};

/// The plan named, which must have a spot price.
Result<const Plan*> named_plan(const Searched& searched, const std::string& id, const Markets& markets,
                               const PlanReport& plan_report, SimulatedPlan& simulated) {
  const auto named = plan_with_id(searched.found, id);
  if (!named || markets.can_be_spot(**named)) return named;
  const Plan& plan = **named;
  simulated.nothing_fits.push_back(plan_report.name(plan) +
                                   (plan.offer == nullptr
                                        ? " uses several offers; choose a plan that uses one."
                                        : " has no spot price; add spot_price to its offer, or choose another plan."));
  return nullptr;
}

/// The pick, or the best plan that has a spot price.
const Plan* best_plan(const Searched& searched, const Plan& pick, const Markets& markets, const PlanReport& plan_report,
                      SimulatedPlan& simulated) {
  if (markets.can_be_spot(pick)) return &pick;
  const Plan* best = nullptr;
  // What keeps the limits on demand comes first: policies go back to it. Where nothing does, what comes nearest in
  // time.
  const auto rank = [&](const Plan& one) {
    const bool misses = searched.job.limits.deadline && !one.meets_deadline;
    return std::tuple(!one.keeps_limits(), misses ? one.hours.p90 + one.wait.p90 : Seconds{},
                      goal_key(searched.job, one));
  };
  for (const Plan* one : contenders(searched.found.plans))
    if (markets.can_be_spot(*one) && (best == nullptr || rank(*one) < rank(*best))) best = one;
  if (best == nullptr)
    simulated.nothing_fits.emplace_back(
        "No offer for this job has a spot price. Add spot_price to an offer, or use --prices with a spot column.");
  else
    simulated.report.notes.push_back("The recommended plan, " + plan_report.name(pick) +
                                     (pick.offer == nullptr ? ", uses several offers" : ", has no spot price") +
                                     ": simulated with the best plan on one offer with a spot price.");
  return best;
}

/// The recommended plan, where it is another and in time: "The recommended plan meets it on demand: 8x H100 SXM
/// (b), 7.8 h for $187, > 99% chance."
std::string otherwise_words(const Job& job, const Plan& pick, const Plan& simulated, const PlanReport& plan_report) {
  if (&pick == &simulated || !job.limits.deadline || !pick.keeps_limits() || pick.spot) return "";
  return "The recommended plan meets it on demand: " + plan_report.name(pick) + ", " + hours_words(pick.hours.p50) +
         " for " + to_text(pick.cost.p50) +
         (pick.chance_in_time ? ", " + chance_words(*pick.chance_in_time, true) + " chance" : "") + ".";
}

/// One machine after the other is what a history follows: where the plan runs several side by side, the same machine
/// alone, unless the plan was asked for.
const Plan* alone(const Searched& searched, const Plan& plan, const Plan& pick, bool asked_for,
                  const PlanReport& plan_report, std::vector<std::string>& notes) {
  if (plan.at_once <= 1) return &plan;
  const auto found = std::ranges::find_if(searched.found.plans, [&](const Plan& one) {
    return one.offer == plan.offer && one.nodes == plan.nodes && one.gpus == plan.gpus && one.at_once <= 1;
  });
  const Plan* chosen = !asked_for && found != searched.found.plans.end() ? &*found : &plan;
  notes.push_back(chosen->at_once > 1 ? "Simulated with all machines rented and billed together from start to end."
                                      : "Simulated with one machine; the recommended plan, " + plan_report.name(pick) +
                                            ", uses several in parallel.");
  return chosen;
}

/// Rates that nobody states are assumed, and the notes say so.
Job rated_job(const Job& job, const Offer& spot_offer, bool traced, std::vector<std::string>& notes) {
  Job rated = job;
  if (traced) return rated;
  if (!interruption_rate(rated, spot_offer)) {
    const PerSecond assumed{parse_amount(kAssumedInterruptions, AmountKind::kRate).value_or(0)};
    rated.spot.interruptions = exactly(assumed);
    rated.spot.assumed = spot_offer.kind == OfferKind::kRented;  // a rate assumed for spot does not count in pools
    notes.push_back("Assumed: " + assumed_rate_words(assumed));
  } else if (rated.spot.assumed && !spot_offer.interruptions && !spot_offer.band) {
    notes.push_back("Assumed: " + assumed_rate_words(rated.spot.interruptions->p50));
  }
  if (!rated.spot.wait && !(spot_offer.preemptible && spot_offer.wait))
    notes.emplace_back(
        "! Assumed: a replacement is available at once. AWS traces averaged 0.5–12 h (docs/spot.md). Set --wait.");
  return rated;
}

/// What machines on demand cost where own terms cover some of their GPUs.
Interval<DollarsPerSecond> covered_price(const OwnTerms& own, const Plan& plan, const Offer& offer,
                                         const Interval<DollarsPerSecond>& listed, std::vector<std::string>& notes) {
  const int gpus = plan.gpus * std::max(plan.at_once, 1);
  int left = gpus;
  Interval<DollarsPerSecond> sum{};
  for (const Commitment* by : own.commitments(offer, false, plan.hours.p50)) {
    const int some = by->gpus > 0 ? std::min(by->gpus, left) : left;
    // Of the price of all machines the part of these GPUs.
    const double share = static_cast<double>(some) / gpus;
    const auto& one = by->price ? exactly(*by->price * some) : OwnTerms::price(*by, offer, listed * share);
    sum = {sum.p10 + one.p10, sum.p50 + one.p50, sum.p90 + one.p90};
    left -= some;
  }
  if (left == gpus) return listed;
  notes.push_back("On demand, " + count_text(gpus - left) + " of " + count_of(gpus, "GPU") +
                  " cost what your commitment says.");
  const double rest = static_cast<double>(left) / gpus;
  return {sum.p10 + listed.p10 * rest, sum.p50 + listed.p50 * rest, sum.p90 + listed.p90 * rest};
}

/// The user's own terms: what is reserved or committed to, and what is paid already.
void use_own_terms(const Job& job, const Plan& plan, const Offer& spot_offer, const Offer* on_demand_offer,
                   SimulateReport& report) {
  Simulation& simulation = report.simulation;
  if (on_demand_offer != nullptr && simulation.on_demand_price)
    simulation.on_demand_price =
        covered_price(OwnTerms(job), plan, *on_demand_offer, *simulation.on_demand_price, report.notes);
  if (spot_offer.kind != OfferKind::kRented) return;
  Dollars sum{};
  for (const Credit& credit : job.credits) {
    const bool over = !credit.until.empty() && !job.market.today.empty() && credit.until < job.market.today;
    if (over || !iequals(credit.provider, spot_offer.provider)) continue;
    simulation.credits.push_back(credit);
    sum += credit.amount;
  }
  simulation.today = job.market.today;
  if (sum > Dollars{})
    report.notes.push_back("Costs are what " + to_text(sum) + " of credits at " + printable(spot_offer.provider, 40) +
                           " leave.");
}

std::string header_of(const SimulateReport& report, const Offer& spot_offer) {
  const Simulation& simulation = report.simulation;
  std::string header = printable(report.job, 60) + ": " + report.plan;
  if (const std::string place = place_words(spot_offer); !place.empty()) header += ", " + printable(place, 60);
  header += " · " + hours_words(simulation.median_work()) + " of work";
  if (simulation.buffer > 0)
    header += ", " + hours_words(simulation.median_work() * (1 + simulation.buffer)) + " with the buffer of " +
              percent(simulation.buffer);
  if (simulation.deadline > Seconds{}) header += " · deadline " + hours_words(simulation.deadline);
  header += (spot_offer.preemptible ? " · preemptible " : " · spot ") + to_text(simulation.spot_price.p50);
  if (simulation.on_demand_price) header += ", on demand " + to_text(simulation.on_demand_price->p50);
  return header;
}

}  // namespace

Result<SimulatedPlan> simulated_plan(Question question, const SimulateWords& words, const Wishes& wishes,
                                     const SpotTexts& texts, const Catalogue& catalogue) {
  const auto times = read_job_times(words);
  if (!times) return std::unexpected(times.error());
  Job job = std::move(question.loaded.job);
  if (texts.traces.empty() && !job.spot.trace.empty())
    return failure("spot.interruptions.trace: the file " + printable(job.spot.trace, 60) +
                       " was not found; give it as one of the traces",
                   {question.terms.job_file});
  if (!words.restart.empty()) job.spot.restart = Expected<Seconds>{exactly(times->restart)};
  if (!words.notice.empty()) job.spot.notice = times->notice;
  if (!words.wait.empty()) job.spot.wait = times->wait;

  if (!texts.traces.empty() && (job.spot.assumed || !(job.spot.interruptions || job.spot.band || job.spot.bathtub))) {
    // Plans that may be simulated need a rate: the trace's own.
    const auto traces = read_traces(texts, 1);
    if (!traces) return std::unexpected(traces.error());
    job.spot.interruptions = exactly(measured_rate(*traces));
    job.spot.assumed = false;
  }
  const auto searched = search_job(std::move(job), question.known, catalogue, question.terms);
  if (!searched) return std::unexpected(searched.error());
  PlanReport plan_report(searched->found, searched->job, catalogue);
  name_market(question, plan_report);
  SimulatedPlan simulated;
  SimulateReport& report = simulated.report;
  report.job = searched->job.name;
  const Plan* pick = plan_report.pick();
  if (pick == nullptr) {
    simulated.nothing_fits = nothing_fits_words(plan_report);
    return simulated;
  }
  const Markets markets(*searched, question.known);
  const Plan* plan = nullptr;
  if (words.plan.empty()) {
    plan = best_plan(*searched, *pick, markets, plan_report, simulated);
  } else {
    const auto named = named_plan(*searched, words.plan, markets, plan_report, simulated);
    if (!named) return std::unexpected(named.error());
    plan = *named;
  }
  if (plan == nullptr) return simulated;
  plan = alone(*searched, *plan, *pick, !words.plan.empty(), plan_report, report.notes);

  auto traces = read_traces(texts, std::max(plan->nodes, 1));
  if (!traces) return std::unexpected(std::move(traces.error()));
  Offer spot_offer = *markets.priced(*plan->offer, has_spot_price);
  if (!spot_offer.spot_price) spot_offer.spot_price = spot_offer.price;
  // Who asks for a rate here means these machines, whatever the market says of them.
  if (!wishes.interruptions.empty()) {
    spot_offer.interruptions.reset();
    spot_offer.band.reset();
  }
  const Job rated = rated_job(searched->job, spot_offer, !traces->empty(), report.notes);
  const Offer* on_demand_offer = markets.priced(*plan->offer, has_price);
  report.simulation = simulation_of(rated, *plan, spot_offer, on_demand_offer, *std::move(traces), times->interval,
                                    plan_report.errors());
  use_own_terms(rated, *plan, spot_offer, on_demand_offer, report);
  if (!rated.spot.policy.empty()) report.wanted = from_name<SpotPolicy>(rated.spot.policy);
  report.plan = plan_report.name(*plan);
  report.plan_id = plan->id;
  report.otherwise = otherwise_words(searched->job, *pick, *plan, plan_report);
  report.header = header_of(report, spot_offer);
  report.prices = prices_words(plan_report);
  report.old_prices = old_price_words(plan_report, *plan);
  report.prices_as_of = searched->found.as_of;
  report.price_age_days = days_old(report.prices_as_of, plan_report.price_day());
  if (report.simulation.pieces.size() > 1) {
    std::vector<std::string> names;
    for (const SimulatedPiece& piece : report.simulation.pieces)
      names.push_back(printable(piece.name, 60) + (piece.on_machine ? "" : " (CPU)"));
    report.notes.push_back("Order: " + join(names, ", ") + ".");
  }
  return simulated;
}

}  // namespace gpuplan::api
