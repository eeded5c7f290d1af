#include "plan/billing/interruptions.h"

#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "domain/market/billed_time.h"
#include "plan/strategy/checkpoints.h"
#include "plan/strategy/phase_terms.h"
#include "spot/bands.h"
#include "spot/interrupted_time.h"
#include "spot/rentals.h"

namespace gpuplan {

namespace {

constexpr Seconds kRestart{300};  // of machine, container and framework: assumed

Seconds checkpoint_time(const PhaseEstimate& estimate) {
  if (estimate.checkpoint_bytes <= Bytes{} || estimate.checkpoint_rate <= BytesPerSecond{}) return {};
  return estimate.checkpoint_bytes / estimate.checkpoint_rate;
}

/// Another machine begins as the first one did. What the job calls set-up may be the boot.
Seconds restart_time(const PhaseEstimate& estimate, const Offer& offer) {
  Seconds time = std::max(kRestart, estimate.term(TimeTerm::kSetup).p50) + offer.billing.startup;
  for (const TimeTerm term : {TimeTerm::kFetch, TimeTerm::kLoad, TimeTerm::kWarmUp}) time += estimate.term(term).p50;
  return time;
}

/// Whether the program writes a checkpoint when it is told to stop: of a command of the job it is the user's word, of
/// scripts that launch writes the framework's.
bool heeds_notice(const Phase& phase, const PhaseEstimate& estimate) {
  const Framework* framework = estimate.framework;
  const bool ours = phase.command.empty() && framework != nullptr && framework->scripts;
  return !ours || framework->saves_when_stopped || !std::holds_alternative<TrainPhase>(phase.work);
}

Lifetimes bathtub_lives(const SpotTerms& terms) { return Lifetimes::bathtub(*terms.bathtub, terms.machines); }

}  // namespace

std::optional<Interval<PerSecond>> interruption_rate(const Job& job, const Offer& offer) {
  const SpotRules& spot = job.spot;
  if (offer.interruptions) return offer.interruptions;
  if (spot.interruptions && !spot.assumed) return spot.interruptions;
  if (spot.band) return rate_of(*spot.band);
  if (spot.bathtub) return exactly(1 / Lifetimes::bathtub(*spot.bathtub).mean());
  if (offer.band) return rate_of(*offer.band);
  // What is assumed for spot machines is no word about a cluster.
  return offer.kind == OfferKind::kRented ? spot.interruptions : std::nullopt;
}

Seconds interruptible_work(const PhaseEstimate& estimate) {
  return estimate.work.p50 + estimate.extra.p50 - estimate.term(TimeTerm::kCheckpoint).p50;
}

SpotTerms spot_terms(const Job& job, const PhaseEstimate& estimate, const Offer& offer) {
  const Phase& phase = job.phases[static_cast<std::size_t>(estimate.phase)];
  SpotTerms terms;
  terms.rate = *interruption_rate(job, offer);
  terms.checkpoint = checkpoint_time(estimate);
  terms.restart = job.spot.restart ? job.spot.restart->range.p50 : restart_time(estimate, offer);
  if (heeds_notice(phase, estimate)) terms.notice = job.spot.notice.value_or(Seconds{});
  const CheckpointRule& rule = phase.checkpoint ? *phase.checkpoint : job.checkpoint;
  if (rule.every_time) terms.interval = *rule.every_time;
  else if (rule.every_steps && estimate.steps > 0)
    terms.interval = estimate.work.p50 * (*rule.every_steps / estimate.steps);
  terms.machines = std::max(estimate.nodes, 1);
  if (job.spot.wait) terms.wait = *job.spot.wait;
  else if (offer.preemptible && offer.wait) terms.wait = offer.wait->p50;  // it stands in the queue again
  if (!offer.interruptions) terms.bathtub = job.spot.bathtub;
  terms.anew = terms.interval <= Seconds{} && starts_over(phase);
  if (terms.anew) terms.notice = {};  // a warning saves nothing
  return terms;
}

Recoverable recoverable(const SpotTerms& terms, Seconds work) {
  Recoverable how;
  how.work = work;
  how.checkpoint = terms.checkpoint;
  how.restart = terms.restart;
  how.notice = terms.notice;
  how.wait = terms.wait;
  if (terms.interval > Seconds{}) how.interval = std::min(terms.interval, work);
  else if (terms.anew) how.interval = work;
  else if (terms.bathtub) how.interval = best_interval(bathtub_lives(terms), how);
  else how.interval = best_interval(rate_levels(terms.rate), terms.machines, how);
  return how;
}

ExpectedRun with_interruptions(const SpotTerms& terms, Seconds work) {
  if (work <= Seconds{} || (terms.rate.p90 <= PerSecond{} && !terms.bathtub)) return {work, work, 0, work, 1};
  const Recoverable how = recoverable(terms, work);
  if (terms.bathtub) return expected_run(bathtub_lives(terms), how);
  return expected_run(rate_levels(terms.rate), terms.machines, how);
}

InterruptedPhase interrupted_phase(const SpotTerms& terms, Seconds work, std::uint64_t seed, int quantiles) {
  InterruptedPhase phase;
  const auto wanted = static_cast<std::size_t>(quantiles);
  if (terms.rate.p90 <= PerSecond{} && !terms.bathtub) {
    phase.expected = with_interruptions(terms, work);
    phase.wall.assign(wanted, 1.0);
    phase.billed = phase.wall;
    return phase;
  }
  const Recoverable how = recoverable(terms, work);
  TimeQuantiles times;
  if (terms.bathtub) {
    const Lifetimes lives = bathtub_lives(terms);
    phase.expected = expected_run(lives, how);
    times = simulated_time(lives, how, seed, quantiles);
  } else {
    const std::vector<PerSecond> rates = rate_levels(terms.rate);
    phase.expected = expected_run(rates, terms.machines, how);
    times = interrupted_time(rates, terms.machines, how, quantiles);
  }
  phase.undisturbed = 1 + how.pieces() * (how.checkpoint / work);
  phase.wall.reserve(wanted);
  phase.billed.reserve(wanted);
  for (const Seconds time : times.wall) phase.wall.push_back(time / work);
  for (const Seconds time : times.billed) phase.billed.push_back(time / work);
  return phase;
}

Seconds paid_beyond(const SpotTerms& terms, Seconds work, const InterruptedPhase& met, const Billing& billing,
                    std::uint64_t seed) {
  if (!billed_in_blocks(billing) || met.expected.interruptions <= 0) return {};
  const Recoverable how = recoverable(terms, work);
  const Seconds paid = terms.bathtub ? simulated_paid(bathtub_lives(terms), how, billing, seed)
                                     : expected_paid(rate_levels(terms.rate), terms.machines, how, billing);
  Seconds at_one_go{};
  for (const double time : met.billed) at_one_go += billed_seconds(work * time, billing);
  return std::max(paid - at_one_go / static_cast<double>(met.billed.size()), Seconds{}) / met.expected.interruptions;
}

bool can_be_taken(bool spot, const Offer& offer) { return spot || offer.preemptible; }

PhaseEstimate with_due_checkpoints(const Job& job, const PhasePlan& part) {
  PhaseEstimate estimate = part.estimate;
  if (part.offer == nullptr || !can_be_taken(part.spot, *part.offer) || estimate.checkpoints_asked ||
      estimate.checkpoints < 1 || estimate.steps < 1 || estimate.work.p50 <= Seconds{})
    return estimate;
  Seconds apart = 1 * units::hour;  // where nobody says how often that happens
  double least = estimate.checkpoints;
  if (interruption_rate(job, *part.offer)) {
    least = 1;  // the time of the plan has those of this interval in it, and no others
    const SpotTerms terms = spot_terms(job, estimate, *part.offer);
    if (const Seconds best = recoverable(terms, interruptible_work(estimate)).interval; best > Seconds{}) apart = best;
  }
  // No more of them than there are steps.
  const double count = std::min(std::ceil(estimate.work.p50 / apart), estimate.steps);
  const Phase& phase = job.phases[static_cast<std::size_t>(estimate.phase)];
  recount_checkpoints(defaults_of(job, phase).checkpoint, std::max(count, least), estimate);
  return estimate;
}

std::string interruption_warning(const SpotTerms& terms) {
  if (terms.rate.p50 <= PerSecond{}) return "";
  const Seconds between = 1 / (terms.rate.p50 * terms.machines);
  const bool saved = terms.notice > Seconds{} && terms.notice >= terms.checkpoint;
  std::string what;
  if (terms.checkpoint > between && !saved) what = "a checkpoint takes " + to_text(terms.checkpoint);
  else if (terms.restart > between) what = "a restart takes " + to_text(terms.restart);
  if (what.empty()) return "";
  return what + " but machines run only " + to_text(between) +
         " between interruptions on average: most work is lost before it is saved";
}

}  // namespace gpuplan
