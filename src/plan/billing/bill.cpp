#include "plan/billing/bill.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/numbered.h"
#include "base/text.h"
#include "plan/answer/identity.h"
#include "plan/answer/market.h"
#include "plan/billing/interruptions.h"
#include "plan/billing/ledger.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {

namespace {

/// Simulated histories for each of the joint samples.
constexpr int kHistories = 4;

/// Bills are in cents; below a dollar, where plans differ by less, in hundredths of one. Without it two plans of one
/// price would differ by the fraction of a second that billing rounds up.
double units_of(Dollars bill) { return bill < Dollars{1} ? 1e4 : 100; }

Dollars in_cents(Dollars amount) {
  const double units = units_of(amount);
  return Dollars{std::floor(amount.value * units + 0.5) / units};
}

Outcome<Dollars> in_cents(const Outcome<Dollars>& cost) {
  return {in_cents(cost.p10), in_cents(cost.p50), in_cents(cost.p90), in_cents(cost.mean)};
}

/// Hands out a bill in parts of its own units, so that parts add up to it: each ends where the sum so far is nearest.
class BillParts {
 public:
  explicit BillParts(Dollars bill) : units_(units_of(bill)) {}
  Dollars next(Dollars exactly) {
    sum_ += exactly.value;
    const double end = std::floor(sum_ * units_ + 0.5);
    const double part = end - told_;
    told_ = end;
    return Dollars{part / units_};
  }

 private:
  double units_;
  double sum_ = 0, told_ = 0;
};

/// Whole seconds, for the same reason.
Seconds in_seconds(Seconds time) { return Seconds{std::floor(time.value + 0.5)}; }

Outcome<Seconds> in_seconds(const Outcome<Seconds>& time) {
  return {in_seconds(time.p10), in_seconds(time.p50), in_seconds(time.p90), in_seconds(time.mean)};
}

/// Prices are independent of everything in the phases, which have three factors each at most.
int price_factor(const LaidJob& laid) { return 3 * static_cast<int>(laid.slots.size()); }

/// Samples of an offer's price in dollars a second.
Samples prices(const Scores& scores, int factor, const Offer& offer, bool spot) {
  const Interval<DollarsPerSecond>& price = spot ? *offer.spot_price : *offer.price;
  Samples result{};
  add_samples(price, scores, factor, result);
  return result;
}

/// "4x RTX 3090", "8x H100 SXM (2 nodes) spot", or what the user calls it.
std::string label_of(const Holding& holding) {
  const Offer& offer = *holding.offer;
  std::string label = count_text(holding.machines.gpus) + "x " + offer.gpu;
  if (!offer.label.empty()) label = offer.kind == OfferKind::kRented ? offer.label : label + " (" + offer.label + ")";
  if (holding.machines.nodes > 1) label += " (" + count_text(holding.machines.nodes) + " nodes)";
  if (holding.spot) label += " spot";
  return label;
}

/// The machines of a plan, each kind once, by first use.
std::string label_of(const LaidJob& laid) {
  std::vector<std::pair<double, const Holding*>> kinds;
  for (const Holding& holding : laid.arrangement.holdings) {
    double first = std::numeric_limits<double>::infinity();
    for (const int phase : holding.phases)
      if (laid.slots[static_cast<std::size_t>(phase)].on_machine)
        first = std::min(first, laid.starts[static_cast<std::size_t>(phase)]);
    const auto same = std::ranges::find_if(kinds, [&](const auto& k) { return same_machines(*k.second, holding); });
    if (same == kinds.end()) kinds.emplace_back(first, &holding);
    else same->first = std::min(same->first, first);
  }
  std::ranges::stable_sort(kinds, {}, [](const auto& kind) { return kind.first; });
  std::string label;
  for (const auto& kind : kinds) label += (label.empty() ? "" : " + ") + label_of(*kind.second);
  return label;
}

/// On spot: what interruptions are expected to do to a phase.
struct Slowdown {
  double factor = 1;
  Seconds lost{};
  double interruptions = 0;
  double clean = 1;     ///< chance of none
  double unbilled = 0;  ///< share of the stretched time in which no machine is there
};

/// Whether the machines can be taken away, and somebody says how often.
bool is_interrupted(const Job& job, const Holding& holding) {
  return holding.offer != nullptr && (holding.spot || holding.offer->preemptible) &&
         interruption_rate(job, *holding.offer).has_value();
}

Slowdown slowdown_of(const Job& job, const PhaseEstimate& estimate, const Holding& holding) {
  // The buffer is time on machines like any other.
  const double stretch = 1 + job.buffer;
  const Seconds busy = (estimate.work.p50 + estimate.extra.p50) * stretch;
  if (estimate.gpus == 0 || busy <= Seconds{} || !is_interrupted(job, holding)) return {};
  ExpectedRun run =
      with_interruptions(spot_terms(job, estimate, *holding.offer), interruptible_work(estimate) * stretch);
  // Rare interruptions alone would ask for fewer checkpoints than the phase writes anyway: it writes those still.
  const Seconds spared = std::max(busy - run.wall, Seconds{});
  run.wall += spared;
  run.billed += spared;
  return {run.wall / busy, run.wall - busy, run.interruptions, run.clean,
          run.wall > Seconds{} ? 1 - run.billed / run.wall : 0};
}

}  // namespace

std::string model_factor(const PhaseEstimate& estimate, const Phase& phase) {
  std::string factor = estimate.node ? estimate.node->gpu->name : std::string();
  factor += '/';
  if (estimate.framework != nullptr) factor += estimate.framework->name;
  factor += std::holds_alternative<TrainPhase>(phase.work) ? "/train" : "/generate";
  return factor;
}

Biller::Biller(const Job& job, std::uint64_t seed)
    : job_(job),
      seed_(seed),
      scores_(seed),
      slots_(slots_of(job)),
      order_(job.phases.size()),
      needed_by_(job.phases.size()),
      leaves_(job.phases.size(), 1) {
  Numbered models;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    order_[static_cast<std::size_t>(slots_[i].rank)] = static_cast<int>(i);
    std::vector<int>& weights = weights_.emplace_back();
    for (const std::string& name : fetched_models(job.phases[i])) weights.push_back(static_cast<int>(models.of(name)));
    std::ranges::sort(weights);
    for (const int need : slots_[i].needs) {
      needed_by_[static_cast<std::size_t>(need)].push_back(static_cast<int>(i));
      if (!stays_home(job.phases[i])) leaves_[static_cast<std::size_t>(need)] = 0;
    }
  }
}

/// What leaving costs: results that are fetched home, or that a later phase needs at another provider.
Dollars Biller::leaving_dollars(const LaidJob& laid, const PhaseEstimate& phase) const {
  const auto at = [&](std::size_t i) -> const Offer& {
    return *laid.arrangement.holdings[static_cast<std::size_t>(laid.slots[i].lot)].offer;
  };
  const auto index = static_cast<std::size_t>(phase.phase);
  const Offer& offer = at(index);
  bool leaves = leaves_[index] != 0;
  for (const int position : needed_by_[index]) {
    const auto later = static_cast<std::size_t>(position);
    if (!laid.slots[later].on_machine) continue;
    const Offer& other = at(later);
    if (other.provider != offer.provider || other.region != offer.region || other.kind != offer.kind) leaves = true;
  }
  return leaves ? egress_dollars(offer, phase, phase.results_bytes) : Dollars{};
}

/// Weights and data that a phase before on the same machines has fetched are there.
void Biller::fetch_once(const std::vector<int>& lots, std::vector<Shared<PhaseEstimate>>& phases) const {
  std::map<int, std::set<std::vector<int>>> there;  // by lot: what each phase so far has fetched
  for (const int position : order_) {
    const auto i = static_cast<std::size_t>(position);
    if (lots[i] < 0) continue;
    auto& fetched = there[lots[i]];
    if (phases[i]->fetch.p50 > Seconds{} && std::ranges::any_of(fetched, [&](const std::vector<int>& before) {
          return std::ranges::includes(before, weights_[i]);
        })) {
      PhaseEstimate& estimate = phases[i].change();
      const Interval<Seconds> fetch = estimate.fetch;
      const auto without = [&](Interval<Seconds>& time) {
        time = {std::max(time.p10 - fetch.p10, Seconds{}), std::max(time.p50 - fetch.p50, Seconds{}),
                std::max(time.p90 - fetch.p90, Seconds{})};
      };
      without(estimate.extra);
      without(estimate.terms[static_cast<std::size_t>(TimeTerm::kFetch)]);
      estimate.fetch = {};
    }
    fetched.insert(weights_[i]);
  }
}

Seconds Biller::expected(const PhaseEstimate& estimate, const Holding& holding) const {
  return (estimate.work.p50 + estimate.extra.p50) * slowdown_of(job_, estimate, holding).factor;
}

Dollars Biller::beside(const PhaseEstimate& estimate, const Holding& holding) const {
  Dollars dollars{};
  if (holding.offer->disk_price || estimate.disk_price)
    dollars = disk_dollars(*holding.offer, estimate, expected(estimate, holding) * (1 + job_.buffer));
  if (leaves_[static_cast<std::size_t>(estimate.phase)] != 0)
    dollars += egress_dollars(*holding.offer, estimate, estimate.results_bytes);
  return dollars;
}

/// Sums and draws go by it: the phases of each holding, and the holdings by the first of them.
void Biller::in_canonical_order(std::vector<Holding>& holdings) const {
  const auto rank = [&](int phase) { return slots_[static_cast<std::size_t>(phase)].rank; };
  for (Holding& holding : holdings) std::ranges::sort(holding.phases, {}, rank);
  std::ranges::stable_sort(holdings, {}, [&](const Holding& holding) {
    return holding.phases.empty() ? std::numeric_limits<int>::max() : rank(holding.phases.front());
  });
}

LaidJob Biller::lay(Arrangement arrangement, Interruptions interruptions) const {
  LaidJob laid = lay_for_medians(std::move(arrangement), interruptions);
  for (std::size_t i = 0; i < laid.durations.size(); ++i)
    laid.phase_hours.push_back(outcome<Seconds>(quantiles(laid.durations[i], scores_.strata(laid.factors[i]))));
  return laid;
}

LaidJob Biller::lay_for_medians(Arrangement arrangement, Interruptions interruptions) const {
  LaidJob laid;
  laid.arrangement = std::move(arrangement);
  std::vector<Shared<PhaseEstimate>>& phases = laid.arrangement.phases;
  in_canonical_order(laid.arrangement.holdings);
  const std::vector<Holding>& holdings = laid.arrangement.holdings;
  laid.slots = slots_;
  const std::vector<int> lots = holdings_of(laid.arrangement);
  for (std::size_t i = 0; i < laid.slots.size(); ++i) {
    laid.slots[i].gpus = phases[i]->gpus;
    laid.slots[i].lot = std::max(lots[i], 0);
    laid.slots[i].on_machine = lots[i] >= 0 && (laid.slots[i].on_machine || phases[i]->gpus > 0);
  }
  fetch_once(lots, phases);

  laid.durations.assign(phases.size(), Samples{});
  laid.medians.resize(phases.size());
  laid.factors.assign(phases.size(), 0);
  Numbered factors;
  const auto number_of = [&](const std::string& factor) { return static_cast<int>(factors.of(factor)); };
  TimeSamples times(scores_);
  std::vector<double> unbilled(phases.size(), 0.0);
  for (const int position : order_) {
    const auto i = static_cast<std::size_t>(position);
    const PhaseEstimate& estimate = *phases[i];
    const Phase& phase = job_.phases[i];
    Slowdown slowdown;
    if (lots[i] >= 0) slowdown = slowdown_of(job_, estimate, holdings[static_cast<std::size_t>(lots[i])]);
    laid.spot_loss += slowdown.lost;
    laid.interruptions += slowdown.interruptions;
    laid.clean *= slowdown.clean;
    unbilled[i] = slowdown.unbilled;
    // The model's error is one factor for all phases of a kind on one GPU; what the user stated is a factor of its own.
    const std::string name = estimate.work_is_model ? model_factor(estimate, phase) : "given " + phase.name;
    const auto add = [&](const Interval<Seconds>& time, const std::string& factor) {
      const int number = number_of(factor);
      times.add(time, number, laid.durations[i]);
      if (!time.exact()) laid.factors[i] = number;
    };
    add(estimate.work, name);
    add(estimate.extra, "extra " + phase.name);
    if (slowdown.factor != 1 && interruptions == Interruptions::kSimulated) {
      const SpotTerms terms = spot_terms(job_, estimate, *holdings[static_cast<std::size_t>(lots[i])].offer);
      const Seconds bare = interruptible_work(estimate);
      const double share = bare / (estimate.work.p50 + estimate.extra.p50);
      const std::vector<double> luck = simulated_stretch(
          terms, bare * (1 + job_.buffer), seed_ + static_cast<std::uint64_t>(slots_[i].rank), kSamples, kHistories);
      laid.factors[i] = number_of("spot " + phase.name);
      const Strata strata = scores_.strata(laid.factors[i]);
      for (std::size_t s = 0; s < strata.size(); ++s)
        laid.durations[i][s] *= share * luck[static_cast<std::size_t>(strata[s])];
    } else if (slowdown.factor != 1) {
      for (double& seconds : laid.durations[i]) seconds *= slowdown.factor;
    }
    // Phases are placed by the medians that are told: where two factors make one's time, theirs do not add up to it.
    laid.medians[i] = median(laid.durations[i]);
  }

  std::vector<Lot> machines;
  for (const Holding& holding : holdings)
    machines.push_back({holding.machines.gpus, holding.offer ? holding.offer->billing.startup.value : 0});
  Timeline timeline(laid.slots, machines);
  const double stretch = 1 + job_.buffer;
  laid.held.assign(holdings.size(), Samples{});
  std::vector<Samples> busy(holdings.size());
  laid.away.assign(holdings.size(), Samples{});
  // One packing, that of the medians, for all: a phase that takes longer delays others and never makes way for them.
  std::vector<double> sample(phases.size());
  for (std::size_t i = 0; i < phases.size(); ++i) sample[i] = laid.medians[i] * stretch;
  timeline.place(sample);
  timeline.follow(sample);
  laid.starts = timeline.starts();
  for (std::size_t i = 0; i < phases.size(); ++i) laid.ends.push_back(laid.starts[i] + sample[i]);
  laid.answers = timeline.machine_seconds();
  std::vector<double> placed;
  for (std::size_t s = 0; s < Samples{}.size(); ++s) {
    for (std::size_t i = 0; i < phases.size(); ++i) sample[i] = laid.durations[i][s] * stretch;
    // Where no time is uncertain, all samples are the first one.
    if (s > 0 && sample == placed) {
      laid.wall[s] = laid.wall[s - 1];
      for (std::vector<Samples>* of : {&laid.held, &busy, &laid.away})
        for (Samples& samples : *of) samples[s] = samples[s - 1];
      continue;
    }
    placed = sample;
    timeline.follow(sample);
    laid.wall[s] = timeline.end();
    for (std::size_t h = 0; h < holdings.size(); ++h) {
      const auto [from, to] = timeline.held(h);
      laid.held[h][s] = to - from;
      busy[h][s] = timeline.busy(h);
      for (const int phase : holdings[h].phases)
        laid.away[h][s] += sample[static_cast<std::size_t>(phase)] * unbilled[static_cast<std::size_t>(phase)];
    }
  }
  for (const Samples& seconds : busy) laid.busy.push_back(median(seconds));
  return laid;
}

Arrangement Biller::let_go(const LaidJob& laid) const {
  Arrangement result{laid.arrangement.phases, {}};
  for (std::size_t h = 0; h < laid.arrangement.holdings.size(); ++h) {
    const Holding& whole = laid.arrangement.holdings[h];
    const Billing billing = whole.offer ? whole.offer->billing : Billing{};
    const double again = std::max(1.0, billing.startup_billed ? billing.startup.value : 0);
    std::vector<int> phases;
    for (const int phase : whole.phases)
      if (laid.slots[static_cast<std::size_t>(phase)].on_machine) phases.push_back(phase);
    const auto start = [&](int phase) { return laid.starts[static_cast<std::size_t>(phase)]; };
    std::ranges::stable_sort(phases, {}, start);
    // A phase that stays on the machines of an earlier one has to find them.
    const auto stays = [&](std::size_t next) {
      return std::any_of(phases.begin() + static_cast<std::ptrdiff_t>(next), phases.end(), [&](int later) {
        const std::string& on = job_.phases[static_cast<std::size_t>(later)].on;
        return !on.empty() && std::any_of(phases.begin(), phases.begin() + static_cast<std::ptrdiff_t>(next),
                                          [&](int p) { return job_.phases[static_cast<std::size_t>(p)].name == on; });
      });
    };
    double until = 0;
    for (std::size_t n = 0; n < phases.size(); ++n) {
      const int phase = phases[n];
      if (n == 0 || (start(phase) > until + again && !stays(n)))
        result.holdings.push_back({whole.offer, whole.spot, whole.machines, {}});
      result.holdings.back().phases.push_back(phase);
      until = std::max(until, laid.ends[static_cast<std::size_t>(phase)]);
    }
  }
  return result;
}

/// What one holding costs.
struct Biller::Paid {
  Samples dollars{};           ///< machines, disks and what leaves
  double billed = 0;           ///< seconds, median
  std::vector<double> disks;   ///< dollars of each of its phases, by the medians
  std::vector<double> egress;  ///< the same
};

Biller::Paid Biller::pay(const LaidJob& laid, std::size_t h, int factor) const {
  const Holding& holding = laid.arrangement.holdings[h];
  const Offer& offer = *holding.offer;
  const double machines = machines_paid(offer, holding.machines.nodes, holding.machines.gpus);
  const double unpaid = offer.billing.startup_billed ? 0 : offer.billing.startup.value;
  const double stretch = 1 + job_.buffer;
  Paid paid;
  paid.dollars = prices(scores_, factor, offer, holding.spot);
  Samples billed{};
  for (std::size_t s = 0; s < Samples{}.size(); ++s) {
    billed[s] = billed_seconds(laid.held[h][s] - unpaid - laid.away[h][s], offer.billing);
    paid.dollars[s] *= billed[s] * machines;
  }
  for (const int position : holding.phases) {
    const auto i = static_cast<std::size_t>(position);
    const PhaseEstimate& phase = *laid.arrangement.phases[i];
    const double leaving = laid.slots[i].on_machine ? leaving_dollars(laid, phase).value : 0;
    paid.egress.push_back(leaving);
    if (leaving > 0)
      for (double& dollars : paid.dollars) dollars += leaving;
    paid.disks.push_back(disk_dollars(offer, phase, Seconds{laid.medians[i] * stretch}).value);
    if (paid.disks.back() <= 0) continue;
    for (std::size_t s = 0; s < Samples{}.size(); ++s)
      paid.dollars[s] += disk_dollars(offer, phase, Seconds{laid.durations[i][s] * stretch}).value;
  }
  paid.billed = median(billed);
  return paid;
}

std::vector<Biller::Paid> Biller::pay_all(const LaidJob& laid) const {
  std::vector<Paid> paid;
  std::vector<const Offer*> priced;  // offers met so far: each price is a factor of its own
  for (std::size_t h = 0; h < laid.arrangement.holdings.size(); ++h) {
    const Offer* offer = laid.arrangement.holdings[h].offer;
    const auto known = std::ranges::find(priced, offer) - priced.begin();
    if (known == std::ssize(priced)) priced.push_back(offer);
    paid.push_back(pay(laid, h, price_factor(laid) + static_cast<int>(known)));
  }
  return paid;
}

/// Dollars of all holdings together.
Samples Biller::sum_of(const std::vector<Paid>& paid) {
  Samples all{};
  for (const Paid& one : paid)
    for (std::size_t s = 0; s < all.size(); ++s) all[s] += one.dollars[s];
  return all;
}

Medians Biller::medians(const LaidJob& laid) const {
  return {in_seconds(Seconds{median(laid.wall)}), in_cents(Dollars{median(sum_of(pay_all(laid)))})};
}

Plan Biller::price(const LaidJob& laid) const {
  const std::vector<Holding>& holdings = laid.arrangement.holdings;
  Plan plan;
  plan.label = label_of(laid);
  plan.hours = in_seconds(outcome<Seconds>(laid.wall));
  plan.buffer = plan.hours.p50 * (job_.buffer / (1 + job_.buffer));
  plan.spot_loss = laid.spot_loss;
  plan.interruptions = laid.interruptions;
  plan.clean = laid.clean;
  if (!holdings.empty() &&
      std::ranges::all_of(holdings, [&](const Holding& other) { return same_machines(other, holdings.front()); })) {
    plan.offer = holdings.front().offer;
    plan.spot = holdings.front().spot;
    plan.node = holdings.front().machines.node;
  }
  plan.kept = holdings.size() <= 1;

  const std::vector<Paid> paid = pay_all(laid);
  const Samples all = sum_of(paid);
  for (const Holding& holding : holdings) {
    plan.nodes = std::max(plan.nodes, holding.machines.nodes);
    plan.gpus = std::max(plan.gpus, holding.machines.gpus);
  }
  plan.cost = in_cents(outcome<Dollars>(all));
  add_phases(laid, paid, plan);
  plan.wait = waits(laid);
  judge(laid.wall, all, plan);
  std::ranges::stable_sort(plan.leases, {}, &Lease::from);
  plan.at_once = leases_at_once(plan.leases);
  if (plan.offer != nullptr && plan.at_once > 1) plan.label += ", " + count_text(plan.at_once) + " at a time";
  plan.identity = identity(plan, order_);
  plan.id = short_id(plan.identity);
  return plan;
}

void Biller::simulate(Plan& plan) const {
  if (plan.clean >= 1) return;
  const Plan simulated = price(lay(arrangement_of(plan), Interruptions::kSimulated));
  const auto take = [](auto& told, const auto& found) {
    told.p10 = std::min(told.p50, found.p10);
    told.p90 = std::max(told.p50, found.p90);
    told.mean = found.mean;
  };
  take(plan.hours, simulated.hours);
  take(plan.cost, simulated.cost);
  plan.chance_in_time = simulated.chance_in_time;
  plan.chance_in_budget = simulated.chance_in_budget;
  plan.meets_deadline = simulated.meets_deadline;
  plan.meets_budget = simulated.meets_budget;
  plan.simulated = true;
}

/// Time in queues, one job after the other: what waits at the same time is counted as if it did not.
Interval<Seconds> Biller::waits(const LaidJob& laid) const {
  Interval<Seconds> wait{};
  for (const Holding& holding : laid.arrangement.holdings) {
    if (!holding.offer->wait) continue;
    int jobs = 0;
    for (const int phase : holding.phases)
      if (laid.slots[static_cast<std::size_t>(phase)].on_machine)
        jobs = std::max(jobs, laid.arrangement.phases[static_cast<std::size_t>(phase)]->jobs);
    wait = wait + *holding.offer->wait * static_cast<double>(jobs);
  }
  return wait;
}

void Biller::judge(const Samples& wall, const Samples& paid, Plan& plan) const {
  if (job_.limits.deadline) {
    Samples there = wall;
    // A factor of its own, beyond those of phases and prices.
    if (plan.wait.p50 > Seconds{})
      add_samples(plan.wait, scores_.of(4 * static_cast<int>(plan.phases.size()) + 1), there);
    const auto in_time = std::ranges::count_if(there, [&](double s) { return Seconds{s} <= *job_.limits.deadline; });
    plan.chance_in_time = static_cast<double>(in_time) / kSamples;
    plan.meets_deadline = *plan.chance_in_time >= job_.limits.confidence;
  }
  if (job_.limits.budget) {
    const auto within =
        std::ranges::count_if(paid, [&](double c) { return Dollars{c} + job_.contingency <= *job_.limits.budget; });
    plan.chance_in_budget = static_cast<double>(within) / kSamples;
    plan.meets_budget = *plan.chance_in_budget >= job_.limits.confidence;
  }
}

/// Phases share the bill of the machines they run on by the machine seconds they answer for; what no phase uses is
/// idle.
void Biller::add_phases(const LaidJob& laid, const std::vector<Paid>& paid, Plan& plan) const {
  const std::vector<Shared<PhaseEstimate>>& phases = laid.arrangement.phases;
  const std::vector<Holding>& holdings = laid.arrangement.holdings;
  plan.phases.reserve(phases.size());
  const double end = laid.ends.empty() ? 0 : std::ranges::max(laid.ends);
  bool any_model = false;
  bool any_given = false;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    PhasePlan phase;
    phase.estimate = phases[i];
    const PhaseEstimate& estimate = *phase.estimate;
    phase.start = Seconds{laid.starts[i]};
    phase.hours = laid.phase_hours[i] * (1 + job_.buffer);
    const double unshared = 1 / (1 + estimate.overhead_share);
    if (estimate.steps > 0) phase.seconds_per_step = estimate.work * (unshared / estimate.steps);
    if (estimate.tokens > 0) {
      const auto rate = [&](Seconds time) { return Tokens{estimate.tokens} / (time * unshared); };
      phase.tokens_per_second = {rate(estimate.work.p90), rate(estimate.work.p50), rate(estimate.work.p10)};
    }
    if (estimate.work_by_model > Seconds{}) (estimate.evidence == Evidence::kGiven ? any_given : any_model) = true;
    if (estimate.fit == Fit::kTight) plan.fit = Fit::kTight;
    if (estimate.serving && !estimate.serving->reaches_target) plan.reaches_target = false;
    plan.phases.push_back(std::move(phase));
  }
  plan.evidence = any_given || !any_model ? Evidence::kGiven : Evidence::kModel;

  std::vector<Outcome<Dollars>> costs;  // of each holding; one is the whole bill
  for (const Paid& one : paid)
    costs.push_back(holdings.size() == 1 ? plan.cost : in_cents(outcome<Dollars>(one.dollars)));
  Dollars medians{};
  for (const Outcome<Dollars>& one : costs) medians += one.p50;
  // The medians of several are scaled to the median of their sum.
  const double scale = medians > Dollars{} ? plan.cost.p50 / medians : 1;
  BillParts parts(plan.cost.p50);
  for (std::size_t h = 0; h < holdings.size(); ++h) {
    const Holding& holding = holdings[h];
    const Outcome<Dollars> cost = holdings.size() == 1 ? plan.cost : costs[h] * scale;
    const double billed = paid[h].billed;
    // Medians of phases do not add up to the median of their sum, and nobody bills the time in which machines are away:
    // what is used is counted in the seconds that are both used and billed.
    const double worked = std::min(laid.busy[h], billed);
    double answered = 0;
    double disks = 0;
    double egress = 0;
    double first = std::numeric_limits<double>::infinity();
    double last = 0;
    Lease lease{holding.offer, holding.spot, holding.machines.nodes, holding.machines.gpus, {}, {}, {}, {}, {}, {}};
    for (std::size_t n = 0; n < holding.phases.size(); ++n) {
      const auto i = static_cast<std::size_t>(holding.phases[n]);
      if (!laid.slots[i].on_machine) continue;
      lease.phases.push_back(holding.phases[n]);
      answered += laid.answers[i];
      disks += paid[h].disks[n];
      egress += paid[h].egress[n];
      first = std::min(first, laid.starts[i]);
      last = std::max(last, laid.ends[i]);
    }
    double busy_share = billed > 0 ? worked / billed : 0;
    if (busy_share > 1 - kWorthALine) busy_share = 1;
    const double disk_share = cost.p50 > Dollars{} ? std::min(1.0, disks / cost.p50.value) : 0;
    const double egress_share = cost.p50 > Dollars{} ? std::min(1 - disk_share, egress / cost.p50.value) : 0;
    const double machines_share = 1 - disk_share - egress_share;
    plan.billed_gpu_hours += billed / 3600 * holding.machines.gpus;
    for (std::size_t n = 0; n < holding.phases.size(); ++n) {
      const auto i = static_cast<std::size_t>(holding.phases[n]);
      if (!laid.slots[i].on_machine) continue;
      PhasePlan& phase = plan.phases[i];
      phase.offer = holding.offer;
      phase.spot = holding.spot;
      phase.gpus_billed = holding.machines.gpus;
      const double own = answered > 0 ? laid.answers[i] / answered : 0;
      const double disk = disks > 0 ? disk_share * paid[h].disks[n] / disks : 0;
      const double left = egress > 0 ? egress_share * paid[h].egress[n] / egress : 0;
      const double portion = busy_share * machines_share * own + disk + left;
      if (answered > 0)
        phase.gpu_hours = laid.medians[i] * (1 + job_.buffer) / 3600 * phases[i]->gpus * worked / answered;
      plan.gpu_hours += phase.gpu_hours;
      phase.billed_gpu_hours = billed / 3600 * holding.machines.gpus * busy_share * own;
      phase.cost = cost * portion;
      phase.cost.p50 = parts.next(phase.cost.p50);
      phase.cost.p10 = std::min(phase.cost.p10, phase.cost.p50);
      phase.cost.p90 = std::max(phase.cost.p90, phase.cost.p50);
      phase.disk = std::min(cost.p50 * disk, phase.cost.p50);
      phase.egress = std::min(cost.p50 * left, phase.cost.p50 - phase.disk);
      plan.disk += phase.disk;
      plan.egress += phase.egress;
      lease.cost += phase.cost.p50;
    }
    lease.idle = parts.next(cost.p50 * (billed > 0 ? (1 - busy_share) * machines_share : 0));
    lease.cost += lease.idle;
    plan.idle += lease.idle;
    lease.from = Seconds{lease.phases.empty() ? 0 : first - holding.offer->billing.startup.value};
    // Medians of parts do not add up to the median of the whole: what is held to the end ends with the plan.
    lease.to = last >= end ? plan.hours.p50 : std::min(Seconds{last}, plan.hours.p50);
    std::ranges::sort(lease.phases);
    lease.billed = Seconds{billed};
    plan.leases.push_back(std::move(lease));
  }
}

Arrangement arrangement_of(const Plan& plan) {
  Arrangement arrangement;
  for (const PhasePlan& phase : plan.phases) arrangement.phases.push_back(phase.estimate);
  for (const Lease& lease : plan.leases) {
    Holding holding{lease.offer, lease.spot, {}, lease.phases};
    holding.machines.nodes = lease.nodes;
    holding.machines.gpus = lease.gpus;
    holding.machines.exact = lease.offer->kind != OfferKind::kRented;
    for (const int phase : lease.phases)
      if (const auto& node = plan.phases[static_cast<std::size_t>(phase)].estimate->node) holding.machines.node = *node;
    arrangement.holdings.push_back(std::move(holding));
  }
  return arrangement;
}

}  // namespace gpuplan
