// What laid jobs cost: machines paid, phases' shares, chances. How they are laid in time: bill_lay.cpp.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "domain/market/billed_time.h"
#include "domain/market/offer_price.h"
#include "plan/answer/identity.h"
#include "plan/answer/market.h"
#include "plan/answer/price_doubt.h"
#include "plan/billing/bill.h"
#include "plan/billing/interruptions.h"
#include "plan/billing/ledger.h"

namespace gpuplan {

namespace {

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

/// Whole seconds, for the same reason.
Seconds in_seconds(Seconds time) { return Seconds{std::floor(time.value + 0.5)}; }

Outcome<Seconds> in_seconds(const Outcome<Seconds>& time) {
  return {in_seconds(time.p10), in_seconds(time.p50), in_seconds(time.p90), in_seconds(time.mean)};
}

/// A plan of one phase from the first second on takes as long as the phase does, to the second.
void tell_alike(Plan& plan) {
  if (plan.phases.size() == 1 && plan.phases.front().start <= Seconds{}) plan.phases.front().hours = plan.hours;
}

/// "4x RTX 3090", "8x H100 SXM (2 nodes) spot", or what the user calls it.
std::string label_of(const LeaseRequest& lease) {
  const Offer& offer = *lease.offer;
  std::string label = count_text(lease.machines.gpus) + "x " + offer.gpu;
  if (!offer.label.empty())
    label = offer.kind == OfferKind::kRented ? offer.label.str() : label + " (" + offer.label + ")";
  if (lease.machines.nodes > 1) label += " (" + count_text(lease.machines.nodes) + " nodes)";
  if (lease.spot) label += " spot";
  return label;
}

/// The machines of a plan, each kind once, by first use.
std::string label_of(const JobSchedule& laid) {
  std::vector<std::pair<Seconds, const LeaseRequest*>> kinds;
  for (const LeaseRequest& lease : laid.arrangement.leases) {
    Seconds first{std::numeric_limits<double>::infinity()};
    for (const int phase : lease.phases)
      if (laid.slots[static_cast<std::size_t>(phase)].on_machine)
        first = std::min(first, laid.starts[static_cast<std::size_t>(phase)]);
    const auto same = std::ranges::find_if(kinds, [&](const auto& k) { return same_machines(*k.second, lease); });
    if (same == kinds.end()) kinds.emplace_back(first, &lease);
    else same->first = std::min(same->first, first);
  }
  sort_stably(kinds, {}, [](const auto& kind) { return kind.first; });
  std::string label;
  for (const auto& kind : kinds) label += (label.empty() ? "" : " + ") + label_of(*kind.second);
  return label;
}

}  // namespace

/// What leaving costs: results that are fetched home, or that a later phase needs at another provider.
Dollars Biller::leaving_dollars(const JobSchedule& laid, const PhaseEstimate& phase) const {
  const auto at = [&](std::size_t i) -> const Offer& {
    return *laid.arrangement.leases[static_cast<std::size_t>(laid.slots[i].lease)].offer;
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

Dollars Biller::beside(const PhaseEstimate& estimate, const LeaseRequest& lease) const {
  Dollars dollars{};
  if (lease.offer->disk_price || estimate.disk_price)
    dollars = disk_dollars(*lease.offer, can_be_taken(lease.spot, *lease.offer), estimate,
                           median_time(estimate, lease) * (1 + job_.buffer));
  if (leaves_[static_cast<std::size_t>(estimate.phase)] != 0)
    dollars += egress_dollars(*lease.offer, estimate, estimate.results_bytes);
  return dollars;
}

/// What one lease costs.
struct Biller::Paid {
  Samples dollars{};              ///< machines, disks and what leaves
  Seconds billed{};               ///< median; of Depth::kAll alone
  std::vector<double> disks;      ///< dollars of each of its phases, by the medians
  std::vector<double> egress;     ///< the same
  std::optional<Quantiles> told;  ///< of `dollars`, where they are known already
  DollarsPerSecond hourly{};      ///< median price of its machines
  DollarsPerSecond agreed{};      ///< the part of it that is no price of a list
  int covered = 0;                ///< GPUs at prices of the user's own
  Samples credited{};             ///< what credits pay, beside `dollars`
};

/// Machines of a lease at one price.
struct Biller::Hourly {
  Interval<DollarsPerSecond> listed{};  ///< of one machine
  double machines = 0;
};

const BilledBefore::Bill* BilledBefore::find(const Billing& billing) const {
  const auto known = std::ranges::find(bills_, billing, &Bill::billing);
  return known == bills_.end() ? nullptr : &*known;
}

/// Machines that are taken away are billed by the rental: what each begun one adds.
void Biller::add_rentals(const JobSchedule& laid, std::size_t h, Samples& billed) const {
  const Billing& billing = laid.arrangement.leases[h].offer->billing;
  if (!billed_in_blocks(billing)) return;
  for (const JobSchedule::Interrupted& one : laid.interrupted[h]) {
    const double beyond = drawn_.paid_beyond(one.phase, billing).value;
    for (std::size_t s = 0; s < billed.size() && beyond > 0; ++s) billed[s] += beyond * (*one.interruptions)[s];
  }
}

/// The machines of a lease by the rules of its offer, at this price.
BilledBefore::Bill Biller::bill_of(const JobSchedule& laid, std::size_t h, const Interval<DollarsPerSecond>& price,
                                   int stream, Depth depth) const {
  const Billing& billing = laid.arrangement.leases[h].offer->billing;
  const Seconds unpaid = billing.startup_billed ? Seconds{} : billing.startup;
  BilledBefore::Bill bill;
  bill.billing = billing;
  bill.seconds = drawn_.price(price, stream);
  Samples billed{};
  for (std::size_t s = 0; s < billed.size(); ++s)
    billed[s] = billed_seconds(Seconds{laid.held[h][s]} - unpaid - Seconds{laid.away[h][s]}, billing).value;
  add_rentals(laid, h, billed);
  for (std::size_t s = 0; s < billed.size(); ++s) bill.seconds[s] *= billed[s];
  if (depth == Depth::kAll) bill.billed = Seconds{median(billed)};
  return bill;
}

/// Adds what they cost. Paid::told stays right where they are all of the lease's.
void Biller::add_machines(const JobSchedule& laid, std::size_t h, const Hourly& price, int stream, Depth depth,
                          BilledBefore* before, Paid& paid) const {
  const bool first = paid.hourly == DollarsPerSecond{} && !paid.told;
  paid.hourly += price.listed.p50 * price.machines;
  paid.told.reset();
  if (before == nullptr || !price.listed.exact()) {
    const BilledBefore::Bill bill = bill_of(laid, h, price.listed, stream, depth);
    for (std::size_t s = 0; s < Samples{}.size(); ++s) paid.dollars[s] += bill.seconds[s] * price.machines;
    paid.billed = bill.billed;
    return;
  }
  const Billing& billing = laid.arrangement.leases[h].offer->billing;
  const BilledBefore::Bill* bill = before->find(billing);
  if (bill == nullptr) {
    BilledBefore::Bill fresh = bill_of(laid, h, exactly(DollarsPerSecond{1}), stream, Depth::kAll);
    fresh.told = quantiles(fresh.seconds);
    bill = &before->keep(fresh);
  }
  const double dollars = price.listed.p50.value * price.machines;
  for (std::size_t s = 0; s < Samples{}.size(); ++s) paid.dollars[s] += bill->seconds[s] * dollars;
  paid.billed = bill->billed;
  if (first)
    paid.told = {bill->told.p10 * dollars, bill->told.p50 * dollars, bill->told.p90 * dollars,
                 bill->told.mean * dollars};
}

Biller::Paid Biller::pay(const JobSchedule& laid, std::size_t h, const std::vector<CoveredGpus>& covered, int stream,
                         Depth depth, BilledBefore* before) const {
  const LeaseRequest& lease = laid.arrangement.leases[h];
  const Offer& offer = *lease.offer;
  const double machines = machines_paid(offer, lease.machines.nodes, lease.machines.gpus);
  const double stretch = 1 + job_.buffer;
  const bool taken = can_be_taken(lease.spot, offer);
  Paid paid;
  const Interval<DollarsPerSecond>& listed = lease.spot ? *offer.spot_price : *offer.price;
  for (const CoveredGpus& part : covered) {
    const double share = static_cast<double>(part.gpus) / lease.machines.gpus;
    add_machines(laid, h, {OwnTerms::price(*part.by, offer, listed), machines * share}, stream, depth, before, paid);
    if (part.by->price) paid.agreed += *part.by->price * (offer.gpus * machines * share);
    paid.covered += part.gpus;
  }
  if (paid.covered == 0) add_machines(laid, h, {listed, machines}, stream, depth, before, paid);
  else if (const int left = lease.machines.gpus - paid.covered; left > 0)
    add_machines(laid, h, {listed, machines * left / lease.machines.gpus}, stream, depth, before, paid);
  for (const int position : lease.phases) {
    const auto i = static_cast<std::size_t>(position);
    const PhaseEstimate& phase = *laid.arrangement.phases[i];
    const double leaving = laid.slots[i].on_machine ? leaving_dollars(laid, phase).value : 0;
    paid.egress.push_back(leaving);
    if (leaving > 0) {
      for (double& dollars : paid.dollars) dollars += leaving;
      paid.told.reset();
    }
    paid.disks.push_back(disk_dollars(offer, taken, phase, laid.medians[i] * stretch).value);
    if (paid.disks.back() <= 0) continue;
    paid.told.reset();
    for (std::size_t s = 0; s < Samples{}.size(); ++s)
      paid.dollars[s] += disk_dollars(offer, taken, phase, Seconds{laid.durations[i][s] * stretch}).value;
  }
  return paid;
}

/// Which GPUs of each lease are covered by what. Of leases at the same time the first takes what there is.
std::vector<std::vector<CoveredGpus>> Biller::covered(const JobSchedule& laid) const {
  const std::vector<LeaseRequest>& leases = laid.arrangement.leases;
  std::vector<std::vector<CoveredGpus>> all(leases.size());
  if (!own_.any_commitment()) return all;
  struct Span {
    Seconds from{std::numeric_limits<double>::infinity()}, to{};
  };
  std::vector<Span> spans(leases.size());
  for (std::size_t h = 0; h < leases.size(); ++h) {
    for (const int position : leases[h].phases) {
      const auto i = static_cast<std::size_t>(position);
      if (!laid.slots[i].on_machine) continue;
      spans[h] = {std::min(spans[h].from, laid.starts[i]), std::max(spans[h].to, laid.ends[i])};
    }
    int left = leases[h].machines.gpus;
    for (const Commitment* by : own_.commitments(*leases[h].offer, leases[h].spot, spans[h].to)) {
      int free = by->gpus > 0 ? by->gpus : left;
      for (std::size_t other = 0; other < h && by->gpus > 0; ++other)
        if (spans[other].from < spans[h].to && spans[h].from < spans[other].to)
          for (const CoveredGpus& taken : all[other]) free -= taken.by == by ? taken.gpus : 0;
      const int taken = std::clamp(free, 0, left);
      if (taken > 0) all[h].push_back({by, taken});
      left -= taken;
    }
  }
  return all;
}

std::vector<Biller::Paid> Biller::pay_all(const JobSchedule& laid, Depth depth, BilledBefore* before) const {
  std::vector<Paid> paid;
  const std::vector<std::vector<CoveredGpus>> own = covered(laid);
  const Streams streams(laid.slots.size());
  std::vector<const Offer*> priced;  // offers met so far: each price draws from a stream of its own
  for (std::size_t h = 0; h < laid.arrangement.leases.size(); ++h) {
    const Offer* offer = laid.arrangement.leases[h].offer;
    const auto known = std::ranges::find(priced, offer) - priced.begin();
    if (known == std::ssize(priced)) priced.push_back(offer);
    paid.push_back(pay(laid, h, own[h], streams.of_price(known), depth, before));
  }
  use_credits(laid, paid);
  return paid;
}

/// Takes off what credits pay, of all leases of a provider the same share.
void Biller::use_credits(const JobSchedule& laid, std::vector<Paid>& paid) const {
  for (const std::string_view provider : own_.credited_providers()) {
    std::vector<Paid*> there;
    for (std::size_t h = 0; h < paid.size(); ++h) {
      const Offer& offer = *laid.arrangement.leases[h].offer;
      if (offer.kind == OfferKind::kRented && iequals(offer.provider, provider)) there.push_back(&paid[h]);
    }
    std::vector<double> bills;
    for (const Paid* one : there) bills.push_back(median(one->dollars));
    for (std::size_t s = 0; s < Samples{}.size() && !there.empty(); ++s) {
      double bill = 0;
      for (const Paid* one : there) bill += one->dollars[s];
      if (bill <= 0) continue;
      const double left = 1 - own_.credited(provider, Dollars{bill}, Seconds{laid.wall[s]}).value / bill;
      for (Paid* one : there) {
        one->credited[s] = one->dollars[s] * (1 - left);
        one->dollars[s] *= left;
      }
    }
    for (std::size_t n = 0; n < there.size(); ++n) {
      const double left = bills[n] > 0 ? median(there[n]->dollars) / bills[n] : 1;
      for (std::vector<double>* parts : {&there[n]->disks, &there[n]->egress})
        for (double& dollars : *parts) dollars *= left;
      there[n]->told.reset();
    }
  }
}

/// Dollars of all leases together.
Samples Biller::sum_of(const std::vector<Paid>& paid) {
  Samples all{};
  for (const Paid& one : paid)
    for (std::size_t s = 0; s < all.size(); ++s) all[s] += one.dollars[s];
  return all;
}

Medians Biller::medians(const JobSchedule& laid) const {
  return {in_seconds(Seconds{median(laid.wall)}), in_cents(Dollars{median(sum_of(pay_all(laid, Depth::kMedians)))})};
}

Plan Biller::price(const JobSchedule& laid, BilledBefore* before) const {
  const std::vector<LeaseRequest>& leases = laid.arrangement.leases;
  Plan plan;
  plan.label = label_of(laid);
  plan.hours = in_seconds(laid.hours);
  plan.buffer = plan.hours.p50 * (job_.buffer / (1 + job_.buffer));
  plan.spot_loss = laid.spot_loss;
  plan.interruptions = laid.interruptions;
  plan.uninterrupted = laid.uninterrupted;
  if (!leases.empty() &&
      std::ranges::all_of(leases, [&](const LeaseRequest& other) { return same_machines(other, leases.front()); })) {
    plan.offer = leases.front().offer;
    plan.spot = leases.front().spot;
    plan.node = leases.front().machines.node;
  }
  plan.kept = leases.size() <= 1;

  // Bills that were kept are of one lease.
  const std::vector<Paid> paid = pay_all(laid, Depth::kAll, leases.size() == 1 ? before : nullptr);
  const Samples all = sum_of(paid);
  for (const LeaseRequest& lease : leases) {
    plan.nodes = std::max(plan.nodes, lease.machines.nodes);
    plan.gpus = std::max(plan.gpus, lease.machines.gpus);
  }
  const bool known = paid.size() == 1 && paid.front().told;
  plan.cost = in_cents(known ? outcome<Dollars>(*paid.front().told) : outcome<Dollars>(all));
  if (!own_.credited_providers().empty()) {
    Samples bill = all;
    for (const Paid& one : paid)
      for (std::size_t s = 0; s < bill.size(); ++s) bill[s] += one.credited[s];
    plan.credits = std::max(Dollars{}, in_cents(Dollars{median(bill)}) - plan.cost.p50);
  }
  add_phases(laid, plan);
  tell_alike(plan);
  share_out(laid, paid, plan);
  plan.wait = waits(laid);
  widen(plan);
  judge(laid.wall, all, plan);
  sort_stably(plan.leases, {}, &Lease::from);
  plan.at_once = leases_at_once(plan.leases);
  if (plan.offer != nullptr && plan.at_once > 1) plan.label += ", " + count_text(plan.at_once) + " at a time";
  plan.identity = identity(plan, order_);
  plan.id = short_id(plan.identity);
  return plan;
}

PlanSamples Biller::samples_of(const Plan& plan) const {
  const JobSchedule laid = schedule(arrangement_of(plan));
  return {laid.wall, doubted(sum_of(pay_all(laid, Depth::kMedians)), plan)};
}

namespace {

/// How far the cost of a plan moves with prices that are in doubt: standard deviation of its logarithm.
double price_spread(const Plan& plan) {
  if (plan.leases.size() == 1) {
    const Lease& lease = plan.leases.front();
    return lease.in_doubt * whole(doubt_of(*lease.offer, lease.spot));
  }
  double variance = 0;
  for (const PriceLoad& load : price_loads(plan))
    if (load.of != PriceLoad::Of::kStated) variance += load.load * load.load;
  return std::sqrt(variance);
}

/// What prices in doubt multiply the mean of a lease's cost by: only what is paid at them has the mean of its lognormal
/// factor.
double price_mean(const Lease& lease) {
  const double spread = whole(doubt_of(*lease.offer, lease.spot));
  return 1 + lease.in_doubt * (math::exp(spread * spread / 2) - 1);
}
/// The same of all leases, by what each costs.
double price_mean(const Plan& plan) {
  double all = 0, moved = 0;
  for (const Lease& lease : plan.leases) {
    all += lease.cost.value;
    moved += lease.cost.value * price_mean(lease);
  }
  return all > 0 ? moved / all : 1;
}

/// A range with a factor on top that is as likely to be above 1 as below, and lognormal. Squares of the two add up on
/// either side: exact of a lognormal range, and never narrower. `beside`: what credits pay first, so that it is the
/// bill that moves; `least`: what they can not pay.
Outcome<Dollars> widened(const Outcome<Dollars>& cost, double spread, double mean, Dollars beside, Dollars least) {
  if (spread <= 0 || cost.p50 <= Dollars{}) return cost;
  const double off = kZ90 * spread;
  if (beside > Dollars{} || cost.p10 <= Dollars{}) {
    const auto root = [](double a, double b) { return std::sqrt(a * a + b * b); };
    const double bill = (cost.p50 + beside).value, up = math::exp(off);
    const double below = root((cost.p50 - cost.p10).value, bill * (1 - 1 / up));
    const double above = root((cost.p90 - cost.p50).value, bill * (up - 1));
    return {std::max(std::min(cost.p10, least), cost.p50 - Dollars{below}), cost.p50, cost.p50 + Dollars{above},
            cost.mean + Dollars{bill * (mean - 1)}};
  }
  const auto factor = [&](Dollars end) {
    const double own = math::log(end / cost.p50);
    return math::exp(std::sqrt(own * own + off * off));
  };
  return {cost.p50 / factor(cost.p10), cost.p50, cost.p50 * factor(cost.p90), cost.mean * mean};
}

}  // namespace

/// Adds what prices may become to the ranges of the plan and of its phases. Medians stay at the prices of the lists.
void Biller::widen(Plan& plan) const {
  const double spread = price_spread(plan);
  if (spread <= 0) return;
  const Outcome<Dollars> before = plan.cost;
  const auto doubt = [](const Lease& lease) { return lease.in_doubt * whole(doubt_of(*lease.offer, lease.spot)); };
  Dollars without_credits{};
  for (const Lease& lease : plan.leases)
    if (lease.credits <= Dollars{}) without_credits += lease.cost * math::exp(-kZ90 * doubt(lease));
  plan.cost = in_cents(widened(before, spread, price_mean(plan), plan.credits, without_credits));
  if (plan.phases.size() == 1 && plan.phases.front().cost.p90 == before.p90) {
    plan.phases.front().cost = plan.cost;
    return;
  }
  for (const Lease& lease : plan.leases) {
    for (const int phase : lease.phases) {
      Outcome<Dollars>& cost = plan.phases[static_cast<std::size_t>(phase)].cost;
      const Dollars credits = lease.cost > Dollars{} ? lease.credits * (cost.p50 / lease.cost) : Dollars{};
      cost = widened(cost, doubt(lease), price_mean(lease), credits, {});
    }
  }
}

/// Joint samples of the cost with prices inside, whose ends are those that are told.
Samples Biller::doubted(Samples dollars, const Plan& plan) const {
  const double spread = price_spread(plan);
  if (spread <= 0 || plan.cost.p10 <= Dollars{}) return dollars;
  const Samples draws = drawn_.scores().of(Streams(plan.phases.size()).of_price(0));
  for (std::size_t s = 0; s < dollars.size(); ++s) dollars[s] *= math::exp(spread * draws[s]);
  const Quantiles drawn = quantiles(dollars);
  if (drawn.p10 <= 0 || drawn.p10 >= drawn.p50 || drawn.p90 <= drawn.p50) return dollars;
  const double low = math::log(plan.cost.p10 / plan.cost.p50) / math::log(drawn.p10 / drawn.p50);
  const double high = math::log(plan.cost.p90 / plan.cost.p50) / math::log(drawn.p90 / drawn.p50);
  for (double& one : dollars) {
    const double off = math::log(one / drawn.p50);
    one = plan.cost.p50.value * math::exp(off * (off < 0 ? low : high));
  }
  return dollars;
}

/// Time in queues, one job after the other: what waits at the same time is counted as if it did not.
Interval<Seconds> Biller::waits(const JobSchedule& laid) const {
  Interval<Seconds> wait{};
  for (const LeaseRequest& lease : laid.arrangement.leases) {
    if (!lease.offer->wait) continue;
    int jobs = 0;
    for (const int phase : lease.phases)
      if (laid.slots[static_cast<std::size_t>(phase)].on_machine)
        jobs = std::max(jobs, laid.arrangement.phases[static_cast<std::size_t>(phase)]->jobs);
    wait = wait + *lease.offer->wait * static_cast<double>(jobs);
  }
  return wait;
}

void Biller::judge(const Samples& wall, const Samples& paid, Plan& plan) const {
  if (job_.limits.deadline) {
    Samples there = wall;
    if (plan.wait.p50 > Seconds{})
      add_samples(plan.wait, drawn_.scores().of(Streams(plan.phases.size()).of_queues()), there);
    const auto in_time = std::ranges::count_if(there, [&](double s) { return Seconds{s} <= *job_.limits.deadline; });
    plan.chance_in_time = static_cast<double>(in_time) / kSamples;
    plan.meets_deadline = *plan.chance_in_time >= job_.limits.confidence;
  }
  if (job_.limits.budget) {
    const Samples dollars = doubted(paid, plan);
    const auto within =
        std::ranges::count_if(dollars, [&](double c) { return Dollars{c} + job_.contingency <= *job_.limits.budget; });
    plan.chance_in_budget = static_cast<double>(within) / kSamples;
    plan.meets_budget = *plan.chance_in_budget >= job_.limits.confidence;
  }
}

namespace {

/// Medians of phases may add up to more than the median of the whole: by so much all moments come sooner, so that none
/// lies behind the plan's end.
double within(Seconds end, const Plan& plan) { return end > plan.hours.p50 ? plan.hours.p50 / end : 1; }

Seconds end_of(const JobSchedule& laid) { return laid.ends.empty() ? Seconds{} : std::ranges::max(laid.ends); }

}  // namespace

/// What phases do on their machines, before any bill.
void Biller::add_phases(const JobSchedule& laid, Plan& plan) const {
  const std::vector<Shared<PhaseEstimate>>& phases = laid.arrangement.phases;
  plan.phases.reserve(phases.size());
  bool any_model = false;
  bool any_given = false;
  bool any_calibrated = false;
  const double sooner = within(end_of(laid), plan);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    PhasePlan phase;
    phase.estimate = phases[i];
    const PhaseEstimate& estimate = *phase.estimate;
    phase.start = laid.starts[i] * sooner;
    phase.hours = laid.phase_hours[i] * (1 + job_.buffer);
    const double unshared = 1 / (1 + estimate.overhead_share);
    if (estimate.steps > 0) phase.seconds_per_step = estimate.work * (unshared / estimate.steps);
    if (estimate.tokens > 0) {
      const auto rate = [&](Seconds time) { return Tokens{estimate.tokens} / (time * unshared); };
      phase.tokens_per_second = {rate(estimate.work.p90), rate(estimate.work.p50), rate(estimate.work.p10)};
    }
    if (estimate.work_by_model > Seconds{}) (estimate.evidence == Evidence::kGiven ? any_given : any_model) = true;
    any_calibrated = any_calibrated || estimate.evidence == Evidence::kCalibrated;
    if (estimate.fit == Fit::kTight) plan.fit = Fit::kTight;
    if (estimate.serving && !estimate.serving->reaches_target) plan.reaches_target = false;
    plan.phases.push_back(std::move(phase));
  }
  plan.evidence = any_given || !any_model ? Evidence::kGiven
                  : any_calibrated        ? Evidence::kCalibrated
                                          : Evidence::kModel;
}

/// Hands out a bill in parts of its own units, so that parts add up to it: each ends where the sum so far is nearest.
class Biller::Parts {
 public:
  explicit Parts(Dollars bill) : units_(units_of(bill)) {}
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

/// Phases share the bill of the machines they run on by the machine seconds they answer for; what no phase uses is
/// idle.
void Biller::share_out(const JobSchedule& laid, const std::vector<Paid>& paid, Plan& plan) const {
  const std::vector<LeaseRequest>& leases = laid.arrangement.leases;
  std::vector<Outcome<Dollars>> costs;  // of each lease; one is the whole bill
  for (const Paid& one : paid)
    costs.push_back(leases.size() == 1 ? plan.cost : in_cents(outcome<Dollars>(one.dollars)));
  Dollars medians{};
  for (const Outcome<Dollars>& one : costs) medians += one.p50;
  // The medians of several are scaled to the median of their sum.
  const double scale = medians > Dollars{} ? plan.cost.p50 / medians : 1;
  Parts parts(plan.cost.p50);
  for (std::size_t h = 0; h < leases.size(); ++h) {
    const Outcome<Dollars> cost = leases.size() == 1 ? plan.cost : costs[h] * scale;
    plan.leases.push_back(lease_of(laid, h, paid[h], cost, parts, plan));
  }
}

Lease Biller::lease_of(const JobSchedule& laid, std::size_t h, const Paid& paid, const Outcome<Dollars>& cost,
                       Parts& parts, Plan& plan) const {
  const std::vector<Shared<PhaseEstimate>>& phases = laid.arrangement.phases;
  const LeaseRequest& request = laid.arrangement.leases[h];
  const Seconds end = end_of(laid);
  const Seconds billed = paid.billed;
  // Medians of phases do not add up to the median of their sum, and nobody bills the time in which machines are away:
  // what is used is counted in the seconds that are both used and billed.
  const Seconds worked = std::min(laid.busy[h], billed);
  Seconds answered{};
  double disks = 0;
  double egress = 0;
  Seconds first{std::numeric_limits<double>::infinity()};
  Seconds last{};
  Lease lease{
      request.offer, request.spot, request.machines.nodes, request.machines.gpus, {}, {}, {}, {}, {}, {}, 0, {}, 0, {}};
  for (std::size_t n = 0; n < request.phases.size(); ++n) {
    const auto i = static_cast<std::size_t>(request.phases[n]);
    if (!laid.slots[i].on_machine) continue;
    lease.phases.push_back(request.phases[n]);
    answered += laid.answers[i];
    disks += paid.disks[n];
    egress += paid.egress[n];
    first = std::min(first, laid.starts[i]);
    last = std::max(last, laid.ends[i]);
  }
  double busy_share = billed > Seconds{} ? worked / billed : 0;
  if (busy_share > 1 - kWorthALine) busy_share = 1;
  const double disk_share = cost.p50 > Dollars{} ? std::min(1.0, disks / cost.p50.value) : 0;
  const double egress_share = cost.p50 > Dollars{} ? std::min(1 - disk_share, egress / cost.p50.value) : 0;
  const double machines_share = 1 - disk_share - egress_share;
  plan.billed_gpu_hours += billed.value / 3600 * request.machines.gpus;
  for (std::size_t n = 0; n < request.phases.size(); ++n) {
    const auto i = static_cast<std::size_t>(request.phases[n]);
    if (!laid.slots[i].on_machine) continue;
    PhasePlan& phase = plan.phases[i];
    phase.offer = request.offer;
    phase.spot = request.spot;
    phase.gpus_billed = request.machines.gpus;
    if (paid.covered > 0) phase.own_price = paid.hourly;
    const auto* fixed = std::get_if<FixedPhase>(&job_.phases[static_cast<std::size_t>(phases[i]->phase)].work);
    phase.human = fixed != nullptr && fixed->human;
    const double own = answered > Seconds{} ? laid.answers[i] / answered : 0;
    const double disk = disks > 0 ? disk_share * paid.disks[n] / disks : 0;
    const double left = egress > 0 ? egress_share * paid.egress[n] / egress : 0;
    const double portion = busy_share * machines_share * own + disk + left;
    // GPUs that wait for work by hand before the phase are held, and not used.
    const PhaseEstimate& told = *phases[i];
    const Seconds all = told.work.p50 + told.extra.p50;
    const double by_hand = all > Seconds{} ? std::min(told.term(TimeTerm::kManual).p50 / all, 1.0) : 0;
    if (answered > Seconds{})
      phase.gpu_hours = (1 - by_hand) * laid.medians[i].value * (1 + job_.buffer) / 3600 *
                        (phase.human ? 0 : phases[i]->gpus) * worked.value / answered.value;
    plan.gpu_hours += phase.gpu_hours;
    phase.billed_gpu_hours = billed.value / 3600 * request.machines.gpus * busy_share * own;
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
  lease.idle = parts.next(cost.p50 * (billed > Seconds{} ? (1 - busy_share) * machines_share : 0));
  lease.cost += lease.idle;
  plan.idle += lease.idle;
  const double sooner = within(end, plan);
  lease.from = lease.phases.empty() ? Seconds{} : (first - request.offer->billing.startup) * sooner;
  // Medians of parts do not add up to the median of the whole: what is held to the end ends with the plan. Where others
  // run beside it the plan waits for the latest of them, for which this one is not held.
  bool beside = false;
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (laid.slots[i].on_machine && std::ranges::find(lease.phases, static_cast<int>(i)) == lease.phases.end())
      beside = beside || (laid.starts[i] < last && laid.ends[i] > first);
  lease.to = last >= end && !beside ? plan.hours.p50 : last * sooner;
  std::ranges::sort(lease.phases);
  lease.billed = billed;
  lease.covered = paid.covered;
  lease.in_doubt = paid.hourly > DollarsPerSecond{} ? machines_share * (1 - paid.agreed / paid.hourly) : 0;
  if (paid.covered > 0) lease.own_price = paid.hourly;
  if (plan.credits > Dollars{}) lease.credits = Dollars{median(paid.credited)};
  return lease;
}

}  // namespace gpuplan
