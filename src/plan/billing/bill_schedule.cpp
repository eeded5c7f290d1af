// Jobs laid on machines: phases drawn and placed in time. What that costs: bill_pay.cpp.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/sorting.h"
#include "plan/answer/market.h"
#include "plan/billing/bill.h"
#include "plan/billing/interruptions.h"
#include "plan/billing/numbered.h"
#include "plan/billing/sampled_timeline.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {

namespace {

/// Whether the machines can be taken away, and somebody says how often.
bool is_interrupted(const Job& job, const LeaseRequest& lease) {
  return lease.offer != nullptr && can_be_taken(lease.spot, *lease.offer) &&
         interruption_rate(job, *lease.offer).has_value();
}

std::optional<ExposedPhase> exposed_of(const Job& job, const PhaseEstimate& estimate, const LeaseRequest& lease) {
  const double stretch = 1 + job.buffer;
  const Seconds busy = (estimate.work.p50 + estimate.extra.p50) * stretch;
  const Seconds work = interruptible_work(estimate) * stretch;
  if (estimate.gpus == 0 || work <= Seconds{} || !is_interrupted(job, lease)) return std::nullopt;
  return ExposedPhase{spot_terms(job, estimate, *lease.offer), busy, work};
}

}  // namespace

Biller::Biller(const Job& job, const ErrorModel& errors, std::uint64_t seed)
    : job_(job),
      errors_(errors),
      own_(job),
      drawn_(seed),
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
      if (job.storage.results.empty() && !stays_home(job.phases[i])) leaves_[static_cast<std::size_t>(need)] = 0;
    }
  }
}

/// Weights and data that a phase before on the same machines has fetched are there.
void Biller::fetch_once(const std::vector<int>& lease_by_phase, const std::vector<LeaseRequest>& leases,
                        std::vector<Shared<PhaseEstimate>>& phases) const {
  std::map<int, std::set<std::vector<int>>> there;  // by lease: what each phase so far has fetched
  // Jobs of a queue share the cluster's storage.
  const auto storage_of = [&](int lease) {
    const Offer* offer = leases[static_cast<std::size_t>(lease)].offer;
    if (offer == nullptr || !is_queued(*offer)) return lease;
    return static_cast<int>(std::ranges::find(leases, offer, &LeaseRequest::offer) - leases.begin());
  };
  for (const int position : order_) {
    const auto i = static_cast<std::size_t>(position);
    if (lease_by_phase[i] < 0) continue;
    auto& fetched = there[storage_of(lease_by_phase[i])];
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

Seconds Biller::median_time(const PhaseEstimate& estimate, const LeaseRequest& lease) const {
  const Seconds busy = estimate.work.p50 + estimate.extra.p50;
  const auto phase = exposed_of(job_, estimate, lease);
  if (!phase) return busy;
  const InterruptedPhase& met = drawn_.interrupted(phase->terms, phase->work);
  return (phase->work * met.wall[static_cast<std::size_t>(kSamples / 2)] + written_anyway(*phase, met)) /
         (1 + job_.buffer);
}

/// Sums and draws go by it: the phases of each lease, and the leases by the first of them.
void Biller::in_canonical_order(std::vector<LeaseRequest>& leases) const {
  const auto rank = [&](int phase) { return slots_[static_cast<std::size_t>(phase)].rank; };
  for (LeaseRequest& lease : leases) sort_stably(lease.phases, {}, rank);
  sort_stably(leases, {}, [&](const LeaseRequest& lease) {
    return lease.phases.empty() ? std::numeric_limits<int>::max() : rank(lease.phases.front());
  });
}

/// The leases with those of queued pools cut where all phases before need to be done for any behind: each phase is a
/// job there, which is handed in for what it needs and waits for itself. Not where the job asks for machines that are
/// kept, nor between a phase and one that stays on its machines.
std::vector<LeaseRequest> Biller::one_job_each(const Arrangement& arrangement) const {
  const bool any = std::ranges::any_of(arrangement.leases, [](const LeaseRequest& lease) {
    return lease.offer != nullptr && is_queued(*lease.offer) && lease.phases.size() > 1;
  });
  if (!any || job_.schedule == Schedule::kKeep) return arrangement.leases;
  std::vector<std::set<int>> needed(slots_.size());  // by phase: all that it needs, through others too
  for (const int phase : order_)
    for (const int need : slots_[static_cast<std::size_t>(phase)].needs) {
      std::set<int>& before = needed[static_cast<std::size_t>(phase)];
      const std::set<int>& further = needed[static_cast<std::size_t>(need)];
      before.insert(need);
      before.insert(further.begin(), further.end());
    }
  std::vector<LeaseRequest> result;
  for (const LeaseRequest& whole : arrangement.leases) {
    if (whole.offer == nullptr || !is_queued(*whole.offer)) {
      result.push_back(whole);
      continue;
    }
    std::vector<int> phases;
    for (const int phase : whole.phases) {
      const auto i = static_cast<std::size_t>(phase);
      if (slots_[i].on_machine || arrangement.phases[i]->gpus > 0) phases.push_back(phase);
    }
    // In canonical order: what a phase needs stands before it.
    const auto cut_before = [&](std::size_t n) {
      for (std::size_t later = n; later < phases.size(); ++later)
        for (std::size_t before = 0; before < n; ++before) {
          const Phase& phase = job_.phases[static_cast<std::size_t>(phases[later])];
          if (!needed[static_cast<std::size_t>(phases[later])].contains(phases[before]) ||
              phase.on == job_.phases[static_cast<std::size_t>(phases[before])].name)
            return false;
        }
      return true;
    };
    const std::size_t first = result.size();
    for (std::size_t n = 0; n < phases.size(); ++n) {
      if (n == 0 || cut_before(n)) result.push_back({whole.offer, whole.spot, whole.machines, {}});
      result.back().phases.push_back(phases[n]);
    }
    for (std::size_t l = first; l < result.size(); ++l) {
      LeaseRequest& lease = result[l];
      const PhaseEstimate& estimate = *arrangement.phases[static_cast<std::size_t>(lease.phases.front())];
      if (result.size() - first == 1 || lease.phases.size() > 1 || estimate.gpus == 0) continue;
      lease.machines.gpus = estimate.gpus;
      lease.machines.nodes = estimate.nodes;
    }
  }
  return result;
}

JobSchedule Biller::schedule(Arrangement arrangement) const {
  JobSchedule laid = lay(std::move(arrangement), Depth::kAll);
  laid.hours = outcome<Seconds>(laid.wall);
  return laid;
}

JobSchedule Biller::schedule_for_medians(Arrangement arrangement) const {
  return lay(std::move(arrangement), Depth::kMedians);
}

JobSchedule Biller::schedule_for_starts(Arrangement arrangement) const {
  return lay(std::move(arrangement), Depth::kStarts);
}

JobSchedule Biller::lay(Arrangement arrangement, Depth depth) const {
  JobSchedule laid;
  laid.arrangement = std::move(arrangement);
  std::vector<Shared<PhaseEstimate>>& phases = laid.arrangement.phases;
  in_canonical_order(laid.arrangement.leases);
  laid.arrangement.leases = one_job_each(laid.arrangement);
  laid.slots = slots_;
  const std::vector<int> lease_by_phase = leases_of(laid.arrangement);
  for (std::size_t i = 0; i < laid.slots.size(); ++i) {
    laid.slots[i].gpus = phases[i]->gpus;
    laid.slots[i].lease = std::max(lease_by_phase[i], 0);
    laid.slots[i].on_machine = lease_by_phase[i] >= 0 && (laid.slots[i].on_machine || phases[i]->gpus > 0);
  }
  fetch_once(lease_by_phase, laid.arrangement.leases, phases);
  place(draw(lease_by_phase, laid), depth, laid);
  return laid;
}

/// What each phase's work hangs on, by phase.
std::vector<ErrorWeights> Biller::weigh_errors(const std::vector<Shared<PhaseEstimate>>& phases) const {
  ErrorFactors factors(errors_);
  std::vector<ErrorWeights> weights(phases.size());
  for (const int position : order_) {
    const auto i = static_cast<std::size_t>(position);
    weights[i] = factors.of(*phases[i]);
  }
  return weights;
}

/// Draws the durations of all phases. Returns what of them nobody bills.
std::vector<Biller::Away> Biller::draw(const std::vector<int>& lease_by_phase, JobSchedule& laid) const {
  const std::vector<Shared<PhaseEstimate>>& phases = laid.arrangement.phases;
  const std::vector<LeaseRequest>& leases = laid.arrangement.leases;
  laid.durations.resize(phases.size());
  laid.medians.resize(phases.size());
  laid.phase_hours.resize(phases.size());
  laid.interrupted.resize(leases.size());
  Numbered numbers;
  const Streams streams(phases.size());
  const std::vector<ErrorWeights> errors = weigh_errors(phases);
  const auto stream_of = [&](const std::string& name) { return streams.of_time(numbers.of(name)); };
  // Phases that have parts of their error in common rise and fall together as far as these go; one that shares nothing
  // with another, or everything, follows a single factor, which is exact.
  const auto draw_of_work = [&](std::size_t i) {
    TimeKey::Draw draw;
    if (const auto first = one_factor(errors, i)) {
      draw.stream = stream_of("work " + std::to_string(*first));
    } else {
      draw.stream = TimeKey::Draw::kWeighed;
      draw.weights = errors[i];
    }
    return draw;
  };
  std::vector<Away> away;
  for (const int position : order_) {
    const auto i = static_cast<std::size_t>(position);
    const PhaseEstimate& estimate = *phases[i];
    const Phase& phase = job_.phases[i];
    TimeKey key{.work = estimate.work, .extra = estimate.extra};
    if (!estimate.work.exact()) key.works = draw_of_work(i);
    const int extra = stream_of("extra " + phase.name);
    if (!estimate.extra.exact()) key.extras = extra;
    std::optional<ExposedPhase> exposed;
    if (lease_by_phase[i] >= 0)
      exposed = exposed_of(job_, estimate, leases[static_cast<std::size_t>(lease_by_phase[i])]);
    Shared<DrawnTime> time;
    if (exposed) {
      const InterruptedPhase& met = drawn_.interrupted(exposed->terms, exposed->work);
      laid.spot_loss += met.expected.wall + written_anyway(*exposed, met) - exposed->busy;
      laid.interruptions += met.expected.interruptions;
      laid.uninterrupted *= met.expected.uninterrupted;
      const InterruptedTime& own = drawn_.time(key, streams.of_error(0), *exposed, stream_of("spot " + phase.name));
      time = own.time;
      if (own.away) away.push_back({position, *own.away});
      laid.interrupted[static_cast<std::size_t>(lease_by_phase[i])].push_back({*exposed, own.interruptions});
    } else {
      time = drawn_.time(key, streams.of_error(0));
    }
    laid.durations[i] = time->seconds;
    laid.phase_hours[i] = time->told;
    // Phases are placed by the medians that are told: where two factors make one's time, theirs do not add up to it.
    laid.medians[i] = time->median;
  }
  return away;
}

/// Places the phases in time, by the medians and in each sample.
void Biller::place(const std::vector<Away>& away, Depth depth, JobSchedule& laid) const {
  const std::size_t phases = laid.slots.size();
  const std::vector<LeaseRequest>& leases = laid.arrangement.leases;
  std::vector<LeaseCapacity> machines;
  for (const LeaseRequest& lease : leases)
    machines.push_back({lease.machines.gpus, lease.offer ? lease.offer->billing.startup : Seconds{}});
  Timeline timeline(laid.slots, machines);
  const double stretch = 1 + job_.buffer;
  // One packing, that of the medians, for all: a phase that takes longer delays others and never makes way for them.
  std::vector<Seconds> sample(phases);
  for (std::size_t i = 0; i < phases; ++i) sample[i] = laid.medians[i] * stretch;
  timeline.place(sample);
  timeline.follow(sample);
  laid.starts = timeline.starts();
  for (std::size_t i = 0; i < phases; ++i) laid.ends.push_back(laid.starts[i] + sample[i]);
  if (depth == Depth::kStarts) return;
  if (depth == Depth::kAll) laid.answers = timeline.machine_seconds();
  const SampledTimeline sampled(timeline, laid.slots, machines, laid.durations, stretch);
  laid.wall = sampled.wall();
  laid.away.assign(leases.size(), Samples{});
  for (std::size_t h = 0; h < leases.size(); ++h) {
    laid.held.push_back(sampled.held(h));
    if (depth == Depth::kAll) laid.busy.push_back(Seconds{median(sampled.busy(h))});
    for (const Away& one : away) {
      if (std::ranges::find(leases[h].phases, one.phase) == leases[h].phases.end()) continue;
      for (std::size_t s = 0; s < laid.wall.size(); ++s) laid.away[h][s] += one.seconds[s] * stretch;
    }
  }
}

Arrangement Biller::let_go(const JobSchedule& laid) const {
  Arrangement result{laid.arrangement.phases, {}};
  for (std::size_t h = 0; h < laid.arrangement.leases.size(); ++h) {
    const LeaseRequest& whole = laid.arrangement.leases[h];
    const Billing billing = whole.offer ? whole.offer->billing : Billing{};
    const Seconds again = std::max(Seconds{1}, billing.startup_billed ? billing.startup : Seconds{});
    std::vector<int> phases;
    for (const int phase : whole.phases)
      if (laid.slots[static_cast<std::size_t>(phase)].on_machine) phases.push_back(phase);
    const auto start = [&](int phase) { return laid.starts[static_cast<std::size_t>(phase)]; };
    sort_stably(phases, {}, start);
    // A phase that stays on the machines of an earlier one has to find them.
    const auto stays = [&](std::size_t next) {
      return std::any_of(phases.begin() + static_cast<std::ptrdiff_t>(next), phases.end(), [&](int later) {
        const std::string& on = job_.phases[static_cast<std::size_t>(later)].on;
        return !on.empty() && std::any_of(phases.begin(), phases.begin() + static_cast<std::ptrdiff_t>(next),
                                          [&](int p) { return job_.phases[static_cast<std::size_t>(p)].name == on; });
      });
    };
    Seconds until{};
    for (std::size_t n = 0; n < phases.size(); ++n) {
      const int phase = phases[n];
      if (n == 0 || (start(phase) > until + again && !stays(n)))
        result.leases.push_back({whole.offer, whole.spot, whole.machines, {}});
      result.leases.back().phases.push_back(phase);
      until = std::max(until, laid.ends[static_cast<std::size_t>(phase)]);
    }
  }
  return result;
}

Arrangement arrangement_of(const Plan& plan) {
  Arrangement arrangement;
  for (const PhasePlan& phase : plan.phases) arrangement.phases.push_back(phase.estimate);
  for (const Lease& lease : plan.leases) {
    LeaseRequest request{lease.offer, lease.spot, {}, lease.phases};
    request.machines.nodes = lease.nodes;
    request.machines.gpus = lease.gpus;
    request.machines.exact = lease.offer->kind != OfferKind::kRented;
    for (const int phase : lease.phases)
      if (const auto& node = plan.phases[static_cast<std::size_t>(phase)].estimate->node) request.machines.node = *node;
    arrangement.leases.push_back(std::move(request));
  }
  return arrangement;
}

}  // namespace gpuplan
