#include "plan/bill.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.h"
#include "plan/identity.h"
#include "plan/interruptions.h"
#include "plan/market.h"

namespace gpuplan {

namespace {

/// Uncertain factors of one plan, numbered as they are met. The first comes in rising order, which saves sorting where
/// it is the only one.
class Factors {
 public:
  int number(const std::string& name) {
    const auto position = std::ranges::find(names_, name) - names_.begin();
    if (position == std::ssize(names_)) names_.push_back(name);
    return static_cast<int>(position);
  }

 private:
  std::vector<std::string> names_;
};

/// Bills are in cents; below a dollar, where plans differ by less, in hundredths of one. Without it two plans of one
/// price would differ by the fraction of a second that billing rounds up.
Outcome<Dollars> in_cents(const Outcome<Dollars>& cost) {
  const auto round = [](Dollars amount) {
    const double unit = amount < Dollars{1} ? 1e4 : 100;
    return Dollars{std::floor(amount.value * unit + 0.5) / unit};
  };
  return {round(cost.p10), round(cost.p50), round(cost.p90), round(cost.mean)};
}

/// Whole seconds, for the same reason.
Outcome<Seconds> in_seconds(const Outcome<Seconds>& time) {
  const auto round = [](Seconds t) { return Seconds{std::floor(t.value + 0.5)}; };
  return {round(time.p10), round(time.p50), round(time.p90), round(time.mean)};
}

/// Prices are independent of everything in the phases, which have two factors each at most.
int price_factor(const std::vector<PhaseEstimate>& phases) { return 2 * static_cast<int>(phases.size()); }

/// Samples of an offer's price in dollars a second.
Samples prices(const Scores& scores, int factor, const Offer& offer, bool spot) {
  const Interval<DollarsPerSecond>& price = spot ? *offer.spot_price : *offer.price;
  Samples result{};
  add_samples(price, scores.of(price.exact() ? 0 : factor), result);
  return result;
}

/// Space on disks for as long as a phase runs; nothing where nobody says what it costs.
Dollars disk_dollars(const Offer& offer, const PhaseEstimate& phase, Seconds time) {
  const auto& price = offer.disk_price ? offer.disk_price : phase.collection.disk_price;
  return price ? *price * phase.collection.disk * time : Dollars{};
}

}  // namespace

std::string model_factor(const PhaseEstimate& estimate, const Phase& phase) {
  std::string factor = estimate.node ? estimate.node->gpu->name : std::string();
  factor += '/';
  if (estimate.framework != nullptr) factor += estimate.framework->name;
  factor += std::holds_alternative<TrainPhase>(phase.work) ? "/train" : "/generate";
  return factor;
}

Biller::Biller(const Job& job, std::uint64_t seed) : job_(job), scores_(seed) {}

JobHours Biller::hours(const std::vector<PhaseEstimate>& phases, const Machines& machines,
                       std::optional<PerSecond> interruptions) const {
  JobHours result;
  result.node = machines.node;
  result.nodes = machines.nodes;
  result.gpus = machines.gpus;
  result.phases = phases;
  std::vector<int> gpus;
  for (const PhaseEstimate& phase : phases) gpus.push_back(phase.gpus);
  result.slots = slots_of(job_, gpus);

  std::vector<Samples>& durations = result.durations;
  durations.assign(phases.size(), Samples{});
  result.medians.resize(phases.size());
  Factors factors;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const PhaseEstimate& estimate = phases[i];
    const Phase& phase = job_.phases[i];
    const Seconds busy = estimate.work.p50 + estimate.extra.p50;
    double stretch = 1;
    if (interruptions && estimate.gpus > 0 && busy > Seconds{}) {
      // All machines of a phase stop when one does.
      const ExpectedRun run = with_interruptions(job_, phase, busy, *interruptions * std::max(estimate.nodes, 1));
      result.spot_loss += run.wall - busy;
      result.interruptions += run.interruptions;
      stretch = run.wall / busy;
    }
    // The model's error is one factor for all phases of a kind on one GPU; what the user stated is a factor of its own.
    const std::string name = estimate.work_is_model ? model_factor(estimate, phase) : "given " + phase.name;
    add_samples(estimate.work, scores_.of(factors.number(name)), durations[i]);
    add_samples(estimate.extra, scores_.of(factors.number("extra " + phase.name)), durations[i]);
    if (stretch != 1)
      for (double& seconds : durations[i]) seconds *= stretch;
    result.stretch.push_back(stretch);
    result.medians[i] = busy.value * stretch;
    result.phase_hours.push_back(outcome<Seconds>(durations[i]));
  }

  Timeline timeline(result.slots, result.gpus);
  const double stretch = 1 + job_.buffer;
  std::vector<double> sample(phases.size());
  for (std::size_t s = 0; s < Samples{}.size(); ++s) {
    for (std::size_t i = 0; i < phases.size(); ++i) sample[i] = durations[i][s];
    timeline.place(sample);
    result.wall[s] = timeline.end() * stretch;
    result.held_kept[s] = timeline.held(true) * stretch;
    result.held_busy[s] = timeline.held(false) * stretch;
  }
  timeline.place(result.medians);
  result.starts = timeline.starts();
  result.answers = timeline.machine_seconds();
  result.hours = in_seconds(outcome<Seconds>(result.wall));
  return result;
}

Plan Biller::plan(const JobHours& shared, const Offer& offer, bool spot) const {
  if (spot) {
    // Interruptions are the offer's own: its hours are not those of the on-demand machine.
    const JobHours own =
        hours(shared.phases, {shared.node, shared.nodes, shared.gpus, false}, interruption_rate(job_, offer));
    return price(own, offer, true);
  }
  return price(shared, offer, false);
}

Plan Biller::price(const JobHours& hours, const Offer& offer, bool spot) const {
  Plan plan;
  plan.offer = &offer;
  plan.node = hours.node;
  plan.nodes = hours.nodes;
  plan.gpus = hours.gpus;
  plan.spot = spot;
  plan.hours = hours.hours;
  plan.buffer = hours.hours.p50 * (job_.buffer / (1 + job_.buffer));
  plan.spot_loss = hours.spot_loss;
  plan.interruptions = hours.interruptions;
  plan.label = count_text(hours.gpus) + "x " + offer.gpu;
  if (!offer.label.empty())
    plan.label = offer.kind == OfferKind::kRented ? offer.label : plan.label + " (" + offer.label + ")";
  if (hours.nodes > 1) plan.label += " (" + count_text(hours.nodes) + " nodes)";
  if (spot) plan.label += " spot";

  const double machines = machines_paid(offer, hours.nodes, hours.gpus);
  const bool keeps = job_.schedule == Schedule::kKeep;
  Samples paid = prices(scores_, price_factor(hours.phases), offer, spot);
  Samples billed{};
  for (std::size_t s = 0; s < Samples{}.size(); ++s) {
    const double kept = billed_seconds(hours.held_kept[s], offer.billing);
    billed[s] = keeps ? kept : std::min(kept, billed_seconds(hours.held_busy[s], offer.billing));
    paid[s] *= billed[s] * machines;
  }
  const std::vector<double> disks = add_disks(hours, offer, paid);
  plan.cost = in_cents(outcome<Dollars>(paid));
  plan.kept = keeps || hours.held_kept == hours.held_busy;
  add_phases(hours, billed, disks, plan);

  judge(hours.wall, paid, plan);
  plan.id = short_id(identity(plan));
  return plan;
}

std::vector<double> Biller::add_disks(const JobHours& hours, const Offer& offer, Samples& paid) const {
  std::vector<double> shares(hours.phases.size(), 0.0);
  const auto priced = [&](const PhaseEstimate& phase) { return disk_dollars(offer, phase, units::hour) > Dollars{}; };
  if (std::ranges::none_of(hours.phases, priced)) return shares;
  const double stretch = 1 + job_.buffer;
  double all = outcome<Dollars>(paid).p50.value;
  for (std::size_t i = 0; i < hours.phases.size(); ++i) {
    const PhaseEstimate& phase = hours.phases[i];
    for (std::size_t s = 0; s < Samples{}.size(); ++s)
      paid[s] += disk_dollars(offer, phase, Seconds{hours.durations[i][s] * stretch}).value;
    shares[i] = disk_dollars(offer, phase, Seconds{hours.medians[i] * stretch}).value;
    all += shares[i];
  }
  for (double& share : shares) share = all > 0 ? share / all : 0;
  return shares;
}

void Biller::judge(const Samples& wall, const Samples& paid, Plan& plan) const {
  if (job_.limits.deadline) {
    const auto in_time = std::ranges::count_if(wall, [&](double s) { return Seconds{s} <= *job_.limits.deadline; });
    plan.chance_in_time = static_cast<double>(in_time) / kSamples;
    plan.meets_deadline = *plan.chance_in_time >= job_.limits.confidence;
  }
  if (job_.limits.budget) {
    const auto within =
        std::ranges::count_if(paid, [&](double c) { return Dollars{c} + job_.contingency <= *job_.limits.budget; });
    plan.meets_budget = static_cast<double>(within) / kSamples >= job_.limits.confidence;
  }
}

/// Phases share the machines' part of the bill by the machine seconds they answer for; what no phase uses is idle.
void Biller::add_phases(const JobHours& hours, const Samples& billed, const std::vector<double>& disks,
                        Plan& plan) const {
  const Quantiles held = quantiles(hours.held_busy);
  const Quantiles paid = quantiles(billed);
  double answered = 0;
  double used = 0;
  for (std::size_t i = 0; i < hours.phases.size(); ++i) {
    answered += hours.answers[i];
    used += hours.medians[i] * hours.phases[i].gpus;
  }
  const double busy_share = paid.p50 > 0 ? std::min(1.0, held.p50 / paid.p50) : 0;
  double machines_share = 1;
  for (const double share : disks) machines_share -= share;
  plan.disk = plan.cost.p50 * (1 - machines_share);
  plan.idle = plan.cost.p50 * (paid.p50 > 0 ? (1 - busy_share) * machines_share : 0);
  plan.billed_gpu_hours = paid.p50 / 3600 * plan.gpus;
  // Medians of phases do not add up to the median of their sum: scaled to it, so that used never exceeds billed.
  plan.gpu_hours = answered > 0 ? used / 3600 * held.p50 / answered : 0;

  bool any_model = false;
  bool any_given = false;
  for (std::size_t i = 0; i < hours.phases.size(); ++i) {
    PhasePlan phase;
    phase.estimate = hours.phases[i];
    const PhaseEstimate& estimate = phase.estimate;
    phase.start = Seconds{hours.starts[i] * (1 + job_.buffer)};
    phase.hours = hours.phase_hours[i];
    if (hours.slots[i].on_machine) {
      phase.offer = plan.offer;
      phase.spot = plan.spot;
      phase.gpus_billed = plan.gpus;
      const double portion = (answered > 0 ? busy_share * machines_share * hours.answers[i] / answered : 0) + disks[i];
      phase.disk = plan.cost.p50 * disks[i];
      phase.cost = {plan.cost.p10 * portion, plan.cost.p50 * portion, plan.cost.p90 * portion,
                    plan.cost.mean * portion};
    }
    const double unshared = 1 / (1 + estimate.overhead_share);
    if (estimate.steps > 0) phase.seconds_per_step = estimate.work * (unshared / estimate.steps);
    if (estimate.tokens > 0) {
      const auto rate = [&](Seconds time) { return Tokens{estimate.tokens} / (time * unshared); };
      phase.tokens_per_second = {rate(estimate.work.p90), rate(estimate.work.p50), rate(estimate.work.p10)};
    }
    if (estimate.work_by_model > Seconds{}) (estimate.evidence == Evidence::kGiven ? any_given : any_model) = true;
    if (estimate.fit == Fit::kTight) plan.fit = Fit::kTight;
    if (estimate.serving && !estimate.serving->reaches_target) plan.reaches_target = false;
    plan.phases.push_back(phase);
  }
  plan.evidence = any_given || !any_model ? Evidence::kGiven : Evidence::kModel;
}

Dollars Biller::paid(const Offer& offer, const PhaseEstimate& phase, double seconds) const {
  const double held = seconds * (1 + job_.buffer);
  return offer.price->p50 * Seconds{billed_seconds(held, offer.billing)} *
             machines_paid(offer, phase.nodes, phase.gpus) +
         disk_dollars(offer, phase, Seconds{held});
}

Plan Biller::plan_each(const std::vector<PhaseEstimate>& phases, const std::vector<const Offer*>& offers,
                       std::string label) const {
  Machines apart;
  apart.gpus = 0;
  for (const PhaseEstimate& phase : phases) apart.gpus += phase.gpus;  // nobody waits for another's GPUs
  JobHours shared = hours(phases, apart);
  Plan plan;
  plan.label = std::move(label);
  plan.hours = shared.hours;
  plan.buffer = shared.hours.p50 * (job_.buffer / (1 + job_.buffer));
  plan.kept = false;
  const double stretch = 1 + job_.buffer;
  Samples paid{};
  add_phases(shared, shared.held_busy, std::vector<double>(phases.size(), 0.0), plan);
  plan.billed_gpu_hours = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    PhasePlan& phase = plan.phases[i];
    phase.offer = offers[i];
    if (offers[i] == nullptr) continue;
    const Offer& offer = *offers[i];
    const double machines = machines_paid(offer, phases[i].nodes, phases[i].gpus);
    phase.gpus_billed = offer.kind == OfferKind::kRented ? phases[i].nodes * offer.gpus : phases[i].gpus;
    Samples cost = prices(scores_, price_factor(phases) + static_cast<int>(i), offer, false);
    Samples billed{};
    for (std::size_t s = 0; s < Samples{}.size(); ++s) {
      billed[s] = billed_seconds(shared.durations[i][s] * stretch, offer.billing);
      cost[s] = cost[s] * billed[s] * machines +
                disk_dollars(offer, phases[i], Seconds{shared.durations[i][s] * stretch}).value;
      paid[s] += cost[s];
    }
    phase.disk = disk_dollars(offer, phases[i], Seconds{shared.medians[i] * stretch});
    plan.disk += phase.disk;
    phase.cost = outcome<Dollars>(cost);
    plan.billed_gpu_hours += quantiles(billed).p50 / 3600 * phase.gpus_billed;
    plan.gpus = std::max(plan.gpus, phase.gpus_billed);
    plan.nodes = std::max(plan.nodes, phases[i].nodes);
  }
  plan.cost = in_cents(outcome<Dollars>(paid));
  judge(shared.wall, paid, plan);
  plan.id = short_id(identity(plan));
  return plan;
}

}  // namespace gpuplan
